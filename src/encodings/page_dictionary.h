#pragma once

// Distinct values of columns, numbered in order of first appearance.

#include "columns/block.h"

namespace basalt::inline encodings
{

class DistinctValues
{
public:
    // type: what a LowCardinality may hold (fixed-width values, String, FixedString, Nullable of
    // these), LowCardinality itself removed.
    explicit DistinctValues(TypePtr type);

    // Appends the number of each row's value to `codes`. Stops early and returns false when more
    // than max_distinct values are known, or when a sample of the first rows says it will come to
    // that; values seen so far stay. column: flat or dictionary.
    bool add(const Column& column, size_t begin, size_t count, size_t max_distinct,
             PodVector<uint32_t>& codes);

    size_t size() const { return values_->size(); }
    size_t bytes() const { return bytes_; }
    const ColumnPtr& values() const { return shared_values_; }
    void clear();

private:
    bool add_flat(const Column& flat, size_t begin, size_t count, size_t max_distinct,
                  PodVector<uint32_t>& codes);
    void grow();

    TypePtr type_;
    size_t width_ = 0; // of fixed-width values; 0 = String
    MutableColumnPtr values_;
    ColumnPtr shared_values_; // the same object
    PodVector<uint64_t> hashes_;         // by code
    std::vector<std::string_view> keys_; // by code, in arena_
    std::unique_ptr<Arena> arena_;
    PodVector<uint32_t> slots_;  // code + 1; 0 = free
    uint32_t null_code_ = 0;     // code + 1 of NULL
    size_t bytes_ = 0;
};

} // namespace basalt::encodings
