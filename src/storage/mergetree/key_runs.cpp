#include "storage/mergetree/key_runs.h"

#include "base/error.h"

#include <cstring>

namespace basalt
{

namespace
{

template <class T> void mark_vector(const PodVector<T>& data, Mask& begins)
{
    for (size_t i = 1; i < data.size(); ++i)
        begins[i] |= data[i] != data[i - 1];
}

// Integers only: floats have NaN and two zeros.
bool mark_integers(const Column& column, Mask& begins)
{
    const auto mark = [&]<class T>(T)
    {
        const auto* vector = dynamic_cast<const VectorColumn<T>*>(&column);
        if (vector)
            mark_vector(vector->data(), begins);
        return vector != nullptr;
    };
    return mark(uint64_t()) || mark(uint32_t()) || mark(uint16_t()) || mark(uint8_t()) ||
           mark(int64_t()) || mark(int32_t()) || mark(int16_t()) || mark(int8_t());
}

void mark_compared(const Column& column, size_t rows, Mask& begins)
{
    for (size_t i = 1; i < rows; ++i)
        if (!begins[i])
            begins[i] = column.compare_at(i, column, i - 1, 1) != 0;
}

void mark_dictionary(const DictionaryColumn& column, Mask& begins)
{
    const auto& codes = column.codes();
    const Column& values = *column.dictionary();
    for (size_t i = 1; i < codes.size(); ++i)
        if (!begins[i] && codes[i] != codes[i - 1])
            begins[i] = values.compare_at(codes[i], values, codes[i - 1], 1) != 0;
}

void mark_texts(const StringColumn& column, Mask& begins)
{
    for (size_t i = 1; i < column.size(); ++i)
        if (!begins[i])
            begins[i] = column.at(i) != column.at(i - 1);
}

} // namespace

RowIndexes key_run_starts(const Block& block, const SortKeys& keys)
{
    const size_t rows = block.rows();
    BASALT_ASSERT(rows > 0);
    Mask begins(rows, 0);
    begins[0] = 1;
    for (const SortKey& key : keys)
    {
        const Column& column = *block[key.column].column;
        if (column.form() == ColumnForm::Constant)
            continue;
        if (column.form() == ColumnForm::Dictionary)
            mark_dictionary(column_as<DictionaryColumn>(column), begins);
        else if (column.form() == ColumnForm::String)
            mark_texts(column_as<StringColumn>(column), begins);
        else if (column.form() != ColumnForm::Vector || !mark_integers(column, begins))
            mark_compared(column, rows, begins);
    }
    RowIndexes starts;
    for (size_t i = 0; i < rows; ++i)
        if (begins[i])
            starts.push_back(static_cast<uint32_t>(i));
    return starts;
}

} // namespace basalt
