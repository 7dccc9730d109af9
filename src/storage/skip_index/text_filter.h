#pragma once

// Bit-sliced filters of the terms of texts: what tokenbf_v1, ngrambf_v1 and text share.

#include "storage/skip_index/sized_filter.h"
#include "storage/skip_index/text_terms.h"

#include <optional>

namespace basalt
{

class TextFilterBuilder final : public SkipIndexBuilder
{
public:
    // Filters of this geometry, or as large as their terms need.
    TextFilterBuilder(Tokenizer tokenizer, FilterGeometry geometry);
    TextFilterBuilder(Tokenizer tokenizer,
                      std::function<FilterGeometry(size_t terms)> geometry_for);

    void add_entry(const Column& flat, size_t begin, size_t count) override;
    std::string take_bytes() override;
    std::string finish() override;

private:
    void add_rows(const Column& flat, size_t begin, size_t count);
    void add_text(std::string_view text);

    Tokenizer tokenizer_;
    FilterGeometry geometry_;
    std::optional<SlicedFilterWriter> given_;
    std::optional<SizedFilterWriter> sized_;
    std::string lower_;
    std::vector<uint64_t> terms_;  // of one text
    std::vector<uint64_t> hashes_; // of the entry, for sized_; few repeat
    std::vector<uint64_t> recent_; // by their low bits
};

class TextFilterReader final : public SkipIndexReader
{
public:
    TextFilterReader(Tokenizer tokenizer, SkipIndexSource source)
        : tokenizer_(std::move(tokenizer)), filter_(std::move(source))
    {
    }
    void narrow(const IndexQuestion& question, const QueryContext& context,
                std::vector<Outcomes>& outcomes) const override;

private:
    bool find_claim(const ValueClaim& claim, std::vector<uint8_t>& possible) const;

    Tokenizer tokenizer_;
    SlicedFilterReader filter_;
};

// Terms that the claim's alternatives need each; nothing when one of them needs none.
std::vector<std::vector<std::string>> needed_terms(const Tokenizer& tokenizer,
                                                   const ValueClaim& claim);
bool text_filter_useful(const Tokenizer& tokenizer, const IndexQuestion& question);
// String, FixedString, also inside LowCardinality, Nullable and arrays.
bool holds_texts(const TypePtr& type);

} // namespace basalt
