// Summing, Aggregating and Coalescing: each column of a group becomes one value.

#include "storage/mergetree/column_reducer.h"
#include "storage/mergetree/group_combiner.h"
#include "storage/mergetree/key_runs.h"
#include "storage/mergetree/map_sums.h"

#include <algorithm>

namespace basalt
{

namespace
{

using Kind = MergingDescription::Kind;

bool contains(const std::vector<std::string>& names, std::string_view name)
{
    return std::find(names.begin(), names.end(), name) != names.end();
}

class Reducing final : public GroupCombiner
{
public:
    Reducing(const TableMetadata& metadata, const Header& header, CombinerOptions options)
        : GroupCombiner(std::move(options)),
          drops_zeros_(metadata.merging.kind == Kind::Summing)
    {
        Expressions keys = metadata.sorting_key.expressions;
        keys.insert(keys.end(), metadata.partition_key.expressions.begin(),
                    metadata.partition_key.expressions.end());
        const auto key_columns = inputs_of(keys);
        if (drops_zeros_)
            maps_ = MapSums(header, key_columns);
        bool has_sums = false;
        for (size_t i = 0; i < header.size(); ++i)
        {
            const auto& column = header[i];
            is_sum_ = false;
            const bool is_key = !metadata.find_column(column.name) ||
                                contains(key_columns, column.name);
            reducers_.push_back(is_key ? first_of_group()
                                       : reducer_for(metadata.merging, column));
            keeps_single_rows_ = keeps_single_rows_ && reducers_[i]->keeps_single_rows();
            if (!is_key && (column.type->is(TypeId::AggregateFunction) ||
                            column.type->is(TypeId::SimpleAggregateFunction)))
                has_measures_ = true;
            has_sums = has_sums || is_sum_;
        }
        // A group with a measure or a map is never nothing, nor is one of a table without sums.
        drops_zeros_ = drops_zeros_ && has_sums && !has_measures_ && maps_.empty();
        keeps_single_rows_ = keeps_single_rows_ && maps_.empty();
    }

private:
    std::unique_ptr<ColumnReducer> reducer_for(const MergingDescription& merging,
                                               const NamedType& column)
    {
        if (column.type->is(TypeId::AggregateFunction))
            return merged_states_of_group(column.type);
        if (column.type->is(TypeId::SimpleAggregateFunction))
            return simple_aggregate_of_group(column.type);
        const std::string nested = column.name.substr(0, column.name.find('.'));
        const bool is_listed = merging.columns.empty() || contains(merging.columns, column.name) ||
                               contains(merging.columns, nested);
        if (!is_listed)
            return first_of_group();
        if (merging.kind == Kind::Coalescing)
            return column.type->is(TypeId::Nullable) ? last_not_null_of_group()
                                                     : last_of_group();
        if (merging.kind == Kind::Summing)
            if (auto sum = sum_of_group(column.type))
            {
                is_sum_ = true;
                return sum;
            }
        return first_of_group();
    }

    void add_groups(const Block& block, const RowIndexes& starts, bool continues,
                    const Emit& emit) override
    {
        size_t first = 0;
        const size_t last = starts.size() - 1;
        if (continues)
        {
            const Block rows = block.slice(0, end_of(starts, 0, block.rows()));
            open_ = reduce(concat_blocks({open_, rows}), RowIndexes{0});
            if (last == 0)
                return;
            close(emit);
            first = 1;
        }
        if (first < last)
        {
            const size_t begin = starts[first];
            RowIndexes own(last - first);
            for (size_t i = first; i < last; ++i)
                own[i - first] = static_cast<uint32_t>(starts[i] - begin);
            finish_rows(reduce(block.slice(begin, starts[last] - begin), own), emit);
        }
        open_ = reduce(block.slice(starts[last], block.rows() - starts[last]), RowIndexes{0});
    }

    void close(const Emit& emit) override
    {
        finish_rows(std::move(open_), emit);
        open_ = Block();
    }

    Block reduce(const Block& block, const RowIndexes& starts) const
    {
        if (starts.size() == block.rows() && keeps_single_rows_)
            return block;
        Block result;
        for (size_t i = 0; i < block.width(); ++i)
        {
            const auto& column = block[i];
            const ColumnPtr flat = to_flat(column.column);
            result.add({starts.size() == block.rows() && reducers_[i]->keeps_single_rows()
                            ? flat
                            : reducers_[i]->reduce(flat, starts),
                        column.type, column.name});
        }
        maps_.reduce(block, starts, result);
        return result;
    }

    // Groups that are complete: sums of nothing go.
    void finish_rows(Block block, const Emit& emit) const
    {
        if (drops_zeros_)
        {
            Mask mask(block.rows(), 0);
            for (size_t i = 0; i < block.width(); ++i)
                reducers_[i]->mark_not_zero(*to_flat(block[i].column), mask);
            const size_t kept = count_kept(mask);
            if (kept == 0)
                return;
            if (kept < block.rows())
                block = block.filter(mask, kept);
        }
        emit(std::move(block));
    }

    bool drops_zeros_;
    bool has_measures_ = false;
    bool is_sum_ = false; // of the last reducer made
    bool keeps_single_rows_ = true;
    std::vector<std::unique_ptr<ColumnReducer>> reducers_; // by column
    MapSums maps_;
    Block open_; // one row: what the open group is so far
};

} // namespace

std::unique_ptr<RowCombiner> make_reducing(const TableMetadata& metadata, const Header& header,
                                           CombinerOptions options)
{
    return std::make_unique<Reducing>(metadata, header, std::move(options));
}

} // namespace basalt
