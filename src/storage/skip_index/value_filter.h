#pragma once

// Bit-sliced filters of whole values: what bloom_filter and the automatic filter of ids share.
// An array's elements are its values; NULLs are none.

#include "storage/skip_index/sized_filter.h"

namespace basalt
{

// What the filters hold: elements of arrays, otherwise the values; without wrappers.
TypePtr filtered_type(const IndexDescription& index);

// Hashes of the values of rows [begin, begin + count) of a flat column.
void append_value_hashes(const Column& flat, size_t begin, size_t count,
                         std::vector<uint64_t>& out);

class ValueFilterBuilder final : public SkipIndexBuilder
{
public:
    explicit ValueFilterBuilder(std::function<FilterGeometry(size_t keys)> geometry_for)
        : filters_(std::move(geometry_for))
    {
    }
    void add_entry(const Column& flat, size_t begin, size_t count) override
    {
        hashes_.clear();
        append_value_hashes(flat, begin, count, hashes_);
        filters_.add_entry(hashes_);
    }
    std::string take_bytes() override { return filters_.take_bytes(); }
    std::string finish() override { return filters_.finish(); }

private:
    SizedFilterWriter filters_;
    std::vector<uint64_t> hashes_;
};

class ValueFilterReader final : public SkipIndexReader
{
public:
    ValueFilterReader(const IndexDescription& index, SkipIndexSource source);
    void narrow(const IndexQuestion& question, const QueryContext& context,
                std::vector<Outcomes>& outcomes) const override;

private:
    std::optional<uint64_t> hash_of(const ValueTerm& term, const QueryContext& context) const;
    bool find_set(const ConditionAtom& atom, std::vector<uint8_t>& possible) const;
    bool find_claim(const ValueClaim& claim, const QueryContext& context,
                    std::vector<uint8_t>& possible) const;

    TypePtr type_;
    SlicedFilterReader filter_;
};

bool value_filter_useful(const IndexDescription& index, const IndexQuestion& question);
// Throws BAD_ARGUMENTS.
void check_value_filter(const IndexDescription& index);

} // namespace basalt
