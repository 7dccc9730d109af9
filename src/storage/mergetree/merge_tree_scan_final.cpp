// Scans under FINAL: rows of equal keys are combined as a merge would. Sources that may share keys
// are merged by one stream; a part that stands alone is read as without FINAL.

#include "storage/mergetree/ordered_input.h"
#include "storage/mergetree/partition.h"

#include "base/error.h"

#include <algorithm>
#include <map>

namespace basalt
{

namespace
{

// What one stream is worth.
constexpr size_t kLeastChunksOfLayer = 2;

// Equal keys have equal values of the column: not so for 0 and -0.
bool is_exact(const TypePtr& type)
{
    const TypePtr bare = strip_wrappers(type);
    return !bare->is_float() && !bare->is(TypeId::Array) && !bare->is(TypeId::Tuple) &&
           !bare->is(TypeId::Map);
}

bool is_key_column(const TableMetadata& metadata, const std::string& name)
{
    const auto& key = metadata.sorting_key.expressions;
    return std::any_of(key.begin(), key.end(),
                       [&](const ExpressionPtr& part)
                       {
                           return part->kind() == ExpressionKind::Input && part->name() == name &&
                                  is_exact(part->type());
                       });
}

ExpressionPtr all_of(const Expressions& conjuncts, const QueryContext& context)
{
    if (conjuncts.empty())
        return nullptr;
    return conjuncts.size() == 1 ? conjuncts[0] : Expression::call("and", conjuncts, context);
}

// Deleted rows, and cancel rows that wait for their states, stay in parts for later merges.
Block without_kept_for_merges(Block block, const MergingDescription& merging)
{
    const bool collapses = merging.kind == MergingDescription::Kind::Collapsing;
    const std::string& name = collapses ? merging.sign : merging.is_deleted;
    if (name.empty())
        return block;
    ColumnPtr column = to_flat(block[static_cast<size_t>(block.find(name))].column);
    Mask mask(block.rows());
    if (collapses)
    {
        const auto& signs = column_as<VectorColumn<int8_t>>(column).data();
        for (size_t row = 0; row < mask.size(); ++row)
            mask[row] = signs[row] > 0;
    }
    else
    {
        const auto& deleted = column_as<VectorColumn<uint8_t>>(column).data();
        for (size_t row = 0; row < mask.size(); ++row)
            mask[row] = !deleted[row];
    }
    const size_t kept = count_kept(mask);
    return kept == block.rows() ? block : block.filter(mask, kept);
}

} // namespace

// Whether all rows of a key, or of a part, agree on it: then it may be asked before rows are
// combined.
bool MergeTreeScan::decided_by_key(const ExpressionPtr& conjunct) const
{
    const TableMetadata& metadata = *snapshot_.metadata;
    const auto inputs = inputs_of({conjunct});
    const bool of_key = std::all_of(inputs.begin(), inputs.end(), [&](const std::string& name)
                                    { return is_key_column(metadata, name); });
    const bool of_part =
        std::all_of(inputs.begin(), inputs.end(),
                    [&](const std::string& name)
                    {
                        return (name == "_part" || name == "_partition_id") &&
                               !metadata.find_column(name);
                    });
    return conjunct->deterministic() && (of_key || of_part);
}

// Rows of one key never stand in two partitions.
bool MergeTreeScan::keys_stay_in_partitions() const
{
    const TableMetadata& metadata = *snapshot_.metadata;
    if (!context_->settings.get_bool(
            "enable_automatic_decision_for_merging_across_partitions_for_final"))
        return false;
    const auto inputs = inputs_of(metadata.partition_key.expressions);
    return std::all_of(inputs.begin(), inputs.end(), [&](const std::string& name)
                       { return is_key_column(metadata, name); });
}

// Leaves in prewhere and filter what may be decided before rows are combined.
void MergeTreeScan::plan_final(ExpressionPtr& prewhere, ExpressionPtr& filter)
{
    const TableMetadata& metadata = *snapshot_.metadata;
    BASALT_ASSERT(!with_row_ids_ && !order_descending_);
    Expressions after;
    if (prewhere && context_->settings.get_bool("apply_prewhere_after_final"))
    {
        Expressions before;
        for (const auto& conjunct : split_conjuncts(prewhere))
            (decided_by_key(conjunct) ? before : after).push_back(conjunct);
        prewhere = all_of(before, *context_);
    }
    if (filter)
    {
        Expressions before;
        for (const auto& conjunct : split_conjuncts(filter))
            (decided_by_key(conjunct) ? before : after).push_back(conjunct);
        filter = all_of(before, *context_);
    }
    after_final_ = all_of(after, *context_);
    if (after_final_)
    {
        after_program_ = std::make_unique<ExpressionProgram>(Expressions{after_final_}, *context_);
        for (const auto& name : after_program_->inputs())
            add_inner_column(name, slots_.header()[static_cast<size_t>(slots_.find(name))].type);
    }
    for (const auto& name : deciding_columns(metadata))
        add_inner_column(name, metadata.find_column(name)->type);
    add_order_keys(metadata.sorting_key.expressions.size());
    // An order over all that is read needs all of it in one stream.
    final_by_partition_ =
        !metadata.partition_key.expressions.empty() &&
        (context_->settings.get_bool("do_not_merge_across_partitions_select_final") ||
         (order_prefix_ == 0 && keys_stay_in_partitions()));
    sort_live();
    if (final_by_partition_)
        split_live();
}

void MergeTreeScan::split_live()
{
    const TableMetadata& metadata = *snapshot_.metadata;
    std::vector<LiveBlock> pieces;
    for (const auto& block : snapshot_.live)
    {
        const RowGatherer rows({block.block});
        for (const auto& partition : split_by_partition(rows.blocks(), metadata.partition_key,
                                                        table_->service().key_context(), 0))
        {
            pieces.push_back(
                {rows.take(partition.rows.data(), partition.rows.size()), block.version});
            live_partitions_.push_back(partition.id);
        }
    }
    snapshot_.live = std::move(pieces);
}

// A merge has combined the part's rows, and no others have their keys.
bool MergeTreeScan::needs_no_combining(const std::vector<uint32_t>& sources) const
{
    return sources.size() == 1 && sources_[sources[0]]->part() &&
           is_combined(*sources_[sources[0]]->part(), *snapshot_.metadata);
}

// The primary key of the source's first and last row.
Block MergeTreeScan::key_range(uint32_t source) const
{
    const Expressions& key = snapshot_.metadata->primary_key.expressions;
    Columns ends;
    if (const auto& part = sources_[source]->part())
        for (const auto& column : part->key_index())
            ends.push_back(
                column->take(RowIndexes{0, static_cast<uint32_t>(column->size() - 1)}));
    else if (!key.empty())
    {
        const Block& block = sources_[source]->block();
        ends = ExpressionProgram(key, table_->service().key_context())
                   .run(block.take(RowIndexes{0, static_cast<uint32_t>(block.rows() - 1)}));
    }
    Block range;
    for (size_t i = 0; i < ends.size(); ++i)
        range.add({to_flat(ends[i]), key[i]->type(), std::to_string(i)});
    range.set_rows(2);
    return range;
}

SortKeys MergeTreeScan::primary_order() const
{
    const auto& key = snapshot_.metadata->primary_key;
    SortKeys order(key.expressions.size());
    for (size_t i = 0; i < order.size(); ++i)
    {
        order[i].column = i;
        order[i].descending = i < key.descending.size() && key.descending[i];
    }
    return order;
}

// Sources that share no key with those of another cluster. Oldest first within each.
std::vector<std::vector<uint32_t>> MergeTreeScan::disjoint(std::vector<uint32_t> sources) const
{
    const SortKeys order = primary_order();
    std::map<uint32_t, Block> ranges;
    for (const uint32_t source : sources)
        ranges[source] = key_range(source);
    std::sort(sources.begin(), sources.end(),
              [&](uint32_t a, uint32_t b)
              {
                  const int less = compare_rows(ranges[a], 0, ranges[b], 0, order);
                  return less != 0 ? less < 0 : a < b;
              });
    std::vector<std::vector<uint32_t>> clusters;
    uint32_t furthest = 0; // the source of the cluster that ends last
    for (const uint32_t source : sources)
    {
        if (clusters.empty() || compare_rows(ranges[furthest], 1, ranges[source], 0, order) < 0)
            clusters.emplace_back();
        if (clusters.back().empty() ||
            compare_rows(ranges[furthest], 1, ranges[source], 1, order) < 0)
            furthest = source;
        clusters.back().push_back(source);
    }
    for (auto& cluster : clusters)
        std::sort(cluster.begin(), cluster.end());
    return clusters;
}

// Keys that cut the sources into about equal layers, for one stream each; ascending.
std::vector<Block> MergeTreeScan::layer_bounds(
    const std::vector<uint32_t>& sources,
    const std::map<uint32_t, std::pair<size_t, size_t>>& runs) const
{
    size_t chunks = 0, most = 0;
    uint32_t largest = sources[0];
    for (const uint32_t source : sources)
    {
        const auto& [begin, end] = runs.at(source);
        chunks += end - begin;
        if (sources_[source]->part() && end - begin > most)
        {
            most = end - begin;
            largest = source;
        }
    }
    const SortKeys order = primary_order();
    const size_t layers =
        std::min({streams_.size(), chunks / kLeastChunksOfLayer, std::max<size_t>(most, 1)});
    std::vector<Block> bounds;
    if (order.empty() || layers < 2)
        return bounds;
    const auto& [begin, end] = runs.at(largest);
    for (size_t i = 1; i < layers; ++i)
    {
        Block bound = key_at(chunks_[begin + (end - begin) * i / layers]);
        if (bounds.empty() || compare_rows(bounds.back(), 0, bound, 0, order) < 0)
            bounds.push_back(std::move(bound));
    }
    return bounds;
}

// The primary key at the start of a chunk of a part, or behind its end.
Block MergeTreeScan::key_at(const Chunk& chunk, bool behind) const
{
    const auto& source = *sources_[chunk.source];
    const size_t granule_rows = granule_rows_of(source);
    size_t row = chunk.page * kPageRows + chunk.begin;
    if (behind)
        row += chunk.count + granule_rows - 1;
    Block key;
    for (const auto& column : source.part()->key_index())
    {
        const auto granule =
            static_cast<uint32_t>(std::min(row / granule_rows, column->size() - 1));
        const size_t i = key.width();
        key.add({column->take(RowIndexes{granule}),
                 snapshot_.metadata->primary_key.expressions[i]->type(), std::to_string(i)});
    }
    return key;
}

bool MergeTreeScan::may_hold(const Chunk& chunk, const FinalLayer& layer) const
{
    if (!sources_[chunk.source]->part())
        return true;
    const SortKeys order = primary_order();
    return (layer.before.rows() == 0 ||
            compare_rows(key_at(chunk), 0, layer.before, 0, order) < 0) &&
           (layer.from.rows() == 0 ||
            compare_rows(key_at(chunk, true), 0, layer.from, 0, order) >= 0);
}

// block: sorted, with the sorting key's values.
Block MergeTreeScan::within_layer(const Block& block, const FinalLayer& layer) const
{
    const SortKeys order = primary_order();
    Block keys;
    for (size_t i = 0; i < order.size(); ++i)
        keys.add(block[order_keys_[i].column]);
    // The first row that is not before the bound.
    const auto first_from = [&](const Block& bound)
    {
        size_t low = 0, high = block.rows();
        while (low < high)
        {
            const size_t middle = (low + high) / 2;
            if (compare_rows(keys, middle, bound, 0, order) < 0)
                low = middle + 1;
            else
                high = middle;
        }
        return low;
    };
    const size_t begin = layer.from.rows() ? first_from(layer.from) : 0;
    const size_t end = layer.before.rows() ? first_from(layer.before) : block.rows();
    if (begin == 0 && end == block.rows())
        return block;
    return block.slice(begin, end > begin ? end - begin : 0);
}

void MergeTreeScan::start_final()
{
    std::map<std::string, std::vector<uint32_t>> groups;
    std::map<uint32_t, std::pair<size_t, size_t>> runs; // of chunks, by source
    for (size_t i = 0; i < chunks_.size(); ++i)
    {
        const uint32_t source = chunks_[i].source;
        auto [run, is_new] = runs.try_emplace(source, i, i);
        run->second.second = i + 1;
        if (!is_new)
            continue;
        std::string partition;
        if (final_by_partition_)
            partition = source < snapshot_.parts.size()
                            ? snapshot_.parts[source]->name().partition_id
                            : live_partitions_[source - snapshot_.parts.size()];
        groups[partition].push_back(source);
    }
    std::vector<std::vector<uint32_t>> apart;
    for (auto& [partition, sources] : groups)
        if (order_prefix_)
            apart.push_back(std::move(sources));
        else
            for (auto& cluster : disjoint(sources))
                apart.push_back(std::move(cluster));
    // Chunks that are merged come first, the others are handed out one by one.
    std::vector<Chunk> merged, plain;
    for (const auto& sources : apart)
    {
        if (needs_no_combining(sources))
        {
            const auto [begin, end] = runs[sources[0]];
            plain.insert(plain.end(), chunks_.begin() + static_cast<ptrdiff_t>(begin),
                         chunks_.begin() + static_cast<ptrdiff_t>(end));
            continue;
        }
        const std::vector<Block> bounds = layer_bounds(sources, runs);
        for (size_t layer = 0; layer <= bounds.size(); ++layer)
        {
            FinalGroup group;
            if (layer)
                group.layer.from = bounds[layer - 1];
            if (layer < bounds.size())
                group.layer.before = bounds[layer];
            for (const uint32_t source : sources)
            {
                const auto [begin, end] = runs[source];
                const size_t at = merged.size();
                for (size_t i = begin; i < end; ++i)
                    if (bounds.empty() || may_hold(chunks_[i], group.layer))
                        merged.push_back(chunks_[i]);
                if (merged.size() > at)
                    group.runs.emplace_back(at, merged.size());
            }
            if (!group.runs.empty())
                final_groups_.push_back(std::move(group));
        }
    }
    const bool one_part = final_groups_.empty() && order_prefix_;
    const size_t jobs = final_groups_.size() + plain.size();
    next_chunk_ = merged.size();
    merged.insert(merged.end(), plain.begin(), plain.end());
    chunks_ = std::move(merged);
    // Layers are taken in their order, so each stream stays in order; chunks of one part only when
    // one stream takes them all.
    streams_.resize(one_part ? 1 : std::clamp<size_t>(jobs, 1, streams_.size()));
}

std::unique_ptr<MergeTreeScan::FinalMerge> MergeTreeScan::begin_merge(Stream& stream,
                                                                      const FinalGroup& group)
{
    auto merge = std::make_unique<FinalMerge>();
    std::vector<std::unique_ptr<SortedInput>> inputs;
    for (const auto& [begin, end] : group.runs)
        inputs.push_back(std::make_unique<OrderedInput>(
            *this, *stream.memory, begin, end, group.layer.is_open() ? nullptr : &group.layer));
    merge->merge = std::make_unique<SortedMerge>(std::move(inputs), order_keys_, block_rows_);
    Header header = inner_header_;
    for (size_t i = 0; i < order_keys_.size(); ++i)
        header.push_back({kKeyValuePrefix + std::to_string(i), order_program_->roots()[i]->type()});
    CombinerOptions options;
    options.keys = order_keys_;
    options.for_reading = true;
    merge->combiner =
        make_row_combiner(*snapshot_.metadata, header, std::move(options), *context_);
    return merge;
}

// An empty block at the end.
Block MergeTreeScan::next_combined(FinalMerge& merge)
{
    const auto emit = [&](Block rows) { merge.ready.push_back(std::move(rows)); };
    while (merge.ready.empty())
    {
        Block block = merge.merge ? merge.merge->next() : Block();
        if (block.rows())
            merge.combiner->add(std::move(block), emit);
        else if (merge.merge)
        {
            merge.merge = nullptr;
            merge.combiner->finish(emit);
        }
        else
            return {};
    }
    Block block = std::move(merge.ready.front());
    merge.ready.pop_front();
    return block;
}

// The columns that were asked for, of the rows that satisfy what is left of the condition.
Block MergeTreeScan::finish_final(const Block& block)
{
    Block result;
    for (size_t i = 0; i < header_.size(); ++i)
        result.add(block[i]);
    result.set_rows(block.rows());
    if (after_program_)
    {
        Mask mask;
        const size_t kept =
            column_to_mask(after_program_->run(block)[0], after_final_->type(), mask);
        if (kept < block.rows())
            result = result.filter(mask, kept);
    }
    return cut_to_limit(std::move(result));
}

Block MergeTreeScan::next_final(Stream& stream)
{
    const MergingDescription& merging = snapshot_.metadata->merging;
    while (!has_limit_ || rows_left_.load(std::memory_order_relaxed) > 0)
    {
        Block block;
        if (stream.final)
        {
            block = next_combined(*stream.final);
            if (block.rows() == 0)
            {
                stream.final = nullptr;
                continue;
            }
        }
        else if (const size_t group = next_group_.load() < final_groups_.size()
                                          ? next_group_.fetch_add(1)
                                          : final_groups_.size();
                 group < final_groups_.size())
        {
            stream.final = begin_merge(stream, final_groups_[group]);
            continue;
        }
        else
        {
            if (stream.at == stream.end && !take_chunks(stream))
                break;
            const Chunk& chunk = chunks_[stream.at++];
            block = read_chunk(chunk, reader_for(stream, chunk.source), *stream.memory);
            if (block.rows())
                block = without_kept_for_merges(std::move(block), merging);
        }
        if (block.rows())
            if (Block result = finish_final(block); result.rows())
                return result;
    }
    return Block::empty_of(header_);
}

} // namespace basalt
