#pragma once

// Nested columns that SummingMergeTree sums key by key: those whose name ends in Map, of which the
// first column is an integer key, further columns may be keys (their names end in Key, ID or Type)
// and all others are numbers.

#include "columns/block.h"
#include "storage/mergetree/column_reducer.h"

#include <memory>

namespace basalt
{

class MapSums
{
public:
    MapSums() = default;
    MapSums(const Header& header, const std::vector<std::string>& key_columns);

    bool empty() const { return maps_.empty(); }
    // Puts the sums of each group into `result`, keys in order, without those that sum to zero.
    void reduce(const Block& block, const RowIndexes& starts, Block& result) const;

private:
    struct Map
    {
        std::vector<size_t> keys, values; // positions of its columns
        std::vector<std::shared_ptr<ColumnReducer>> sums; // of values
    };
    void reduce_map(const Map& map, const Block& block, const RowIndexes& starts,
                    Block& result) const;

    std::vector<Map> maps_;
};

} // namespace basalt
