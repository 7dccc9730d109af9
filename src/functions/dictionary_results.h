#pragma once

// Results of one call computed per dictionary entry, kept while an expression runs over many
// blocks that share a dictionary (one per part). Thread-safe.

#include "functions/function.h"

#include <mutex>

namespace basalt
{

class DictionaryResults
{
public:
    // Dictionaries up to this size are computed whole even for a block with fewer rows.
    static constexpr size_t kMaxSharedEntries = size_t{1} << 16;
    static constexpr size_t kMaxDictionaries = 8;

    ColumnPtr find(const ColumnPtr& dictionary) const; // null when unknown
    void remember(const ColumnPtr& dictionary, const ColumnPtr& values);

private:
    struct Entry
    {
        ColumnPtr dictionary;
        ColumnPtr values;
    };
    mutable std::mutex mutex_;
    std::vector<Entry> entries_;
    size_t next_ = 0;
};

// call_function() that asks and fills `results` (null: as without).
ColumnPtr call_function(const ScalarFunction& function, const Arguments& arguments,
                        const TypePtr& result_type, size_t rows, const QueryContext& context,
                        DictionaryResults* results);

// A dictionary column made flat; others as they are.
ColumnPtr to_flat_keeping_constant(const ColumnPtr& column);

} // namespace basalt
