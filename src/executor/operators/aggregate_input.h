#pragma once

// What GROUP BY makes of a block before it adds the rows: keys, runs of equal groups, arguments.

#include "columns/column.h"

#include <algorithm>

namespace basalt
{

inline constexpr size_t kShortestRun = 16; // mean length of runs worth adding as ranges

// A dictionary column whose rows all have one code, as a constant: common for the first sort keys.
inline ColumnPtr constant_if_uniform(const ColumnPtr& column)
{
    if (column->form() != ColumnForm::Dictionary || column->empty())
        return column;
    const auto& dictionary = static_cast<const DictionaryColumn&>(*column);
    const uint32_t first = dictionary.codes()[0];
    uint32_t differences = 0;
    for (const uint32_t code : dictionary.codes())
        differences |= code ^ first;
    if (differences != 0)
        return column;
    return std::make_shared<ConstantColumn>(dictionary.dictionary()->slice(first, 1),
                                            column->size());
}

inline bool all_constant(const Columns& columns)
{
    return std::all_of(columns.begin(), columns.end(),
                       [](const ColumnPtr& c) { return c->form() == ColumnForm::Constant; });
}

// Begins of the stretches of equal ids, then rows; empty when stretches are short.
template <class Id> void find_runs(const PodVector<Id>& ids, PodVector<uint32_t>& begins)
{
    begins.clear();
    const size_t rows = ids.size();
    size_t changes = 0;
    for (size_t i = 1; i < rows; ++i)
        changes += ids[i] != ids[i - 1];
    if ((changes + 1) * kShortestRun > rows)
        return;
    begins.push_back(0);
    for (size_t i = 1; i < rows; ++i)
        if (ids[i] != ids[i - 1])
            begins.push_back(static_cast<uint32_t>(i));
    begins.push_back(static_cast<uint32_t>(rows));
}

// Columns that aggregates read: flat, or dictionaries for those that take them.
struct CallArguments
{
    std::vector<Columns> owned; // by call
    std::vector<std::vector<const Column*>> of_call;

    explicit CallArguments(std::vector<Columns> columns) : owned(std::move(columns))
    {
        for (const Columns& call : owned)
        {
            of_call.emplace_back();
            for (const ColumnPtr& column : call)
                of_call.back().push_back(column.get());
        }
    }
};

} // namespace basalt
