#pragma once

// Names of parts as ClickHouse writes them: 20260825_1_36_2 or, mutated, 20260825_1_36_2_40.

#include "base/int_types.h"

#include <compare>
#include <optional>
#include <string>
#include <string_view>

namespace basalt
{

struct PartName
{
    std::string partition_id;
    uint64_t min_block = 0;
    uint64_t max_block = 0;
    uint32_t level = 0; // merges that led to it
    uint64_t mutation = 0; // version of the last mutation it contains; 0 = none

    std::string text() const;
    // Rows were inserted or last changed at this version: mutations above it are still to do.
    uint64_t data_version() const { return mutation ? mutation : min_block; }
    bool contains(const PartName& other) const
    {
        return partition_id == other.partition_id && min_block <= other.min_block &&
               max_block >= other.max_block && level >= other.level && mutation >= other.mutation;
    }
    auto operator<=>(const PartName&) const = default;
};

std::optional<PartName> parse_part_name(std::string_view text);

} // namespace basalt
