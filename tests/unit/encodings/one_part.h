#pragma once

// A part of one column, encoded and opened.

#include "encodings/page.h"

#include <gtest/gtest.h>

namespace basalt
{

inline void expect_same(const ColumnPtr& expected, size_t begin, const ColumnPtr& actual)
{
    const ColumnPtr flat = to_flat(actual);
    for (size_t i = 0; i < flat->size(); ++i)
        ASSERT_EQ(expected->value_at(begin + i), flat->value_at(i)) << "row " << begin + i;
}

struct OnePart
{
    std::vector<std::string> pages;
    std::vector<PageStatistics> statistics;
    std::shared_ptr<const PartDecoder> decoder;

    OnePart(const TypePtr& type, const std::string& codec, size_t granule,
            const std::vector<ColumnPtr>& columns)
    {
        ColumnEncodingOptions options;
        options.codec = codec;
        auto encoder = make_part_encoder({{"c", type}}, {options}, granule);
        for (const auto& column : columns)
        {
            auto encoded = encoder->encode(Block({{column, type, "c"}}));
            pages.push_back(std::move(encoded[0].bytes));
            statistics.push_back(encoded[0].statistics);
        }
        decoder = make_part_decoder({{"c", type}}, encoder->finish(), granule);
    }
    EncodedPagePtr open(size_t i) const { return decoder->open_page(0, {pages[i], nullptr}, {}); }
};

} // namespace basalt
