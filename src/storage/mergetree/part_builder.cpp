#include "storage/mergetree/part_builder.h"

#include "base/error.h"
#include "base/profile_events.h"
#include "storage/mergetree/merge_tree_table.h"
#include "columns/sort.h"
#include "storage/mergetree/partition.h"
#include "storage/mergetree/row_combiner.h"

#include <algorithm>
#include <fmt/format.h>

namespace basalt
{

PartWriterOptions writer_options(StorageService& service, const TableMetadataPtr& metadata,
                                 uint64_t metadata_version, std::string directory,
                                 ColumnEncodingOptions::Effort effort)
{
    PartWriterOptions options;
    options.directory = std::move(directory);
    options.metadata = metadata;
    options.metadata_version = metadata_version;
    options.effort = effort;
    options.packed_bytes = service.options().packed_part_bytes;
    if (const std::string* codec = metadata->find_setting("default_compression_codec"))
        options.default_codec = *codec;
    return options;
}

namespace
{

// The sorting key's values of each block; empty without a key.
std::vector<Block> keys_of(const std::vector<Block>& blocks, const KeyDescription& key,
                           const QueryContext& context)
{
    std::vector<Block> keys;
    if (key.expressions.empty())
        return keys;
    const ExpressionProgram program(key.expressions, context);
    for (const Block& block : blocks)
    {
        std::vector<NamedColumn> columns;
        for (const auto& values : program.run(block))
        {
            const size_t i = columns.size();
            columns.push_back({values, key.expressions[i]->type(), std::to_string(i)});
        }
        keys.emplace_back(std::move(columns), block.rows());
    }
    return keys;
}

void sort_refs(RowRefs& refs, const RowGatherer& keys, const KeyDescription& key)
{
    SortKeys sort_keys;
    for (size_t i = 0; i < key.expressions.size(); ++i)
    {
        SortKey sort_key;
        sort_key.column = i;
        sort_key.descending = i < key.descending.size() && key.descending[i];
        sort_keys.push_back(sort_key);
    }
    const Block values = keys.take(refs.data(), refs.size());
    if (is_sorted(values, sort_keys))
        return;
    const RowIndexes order = sort_rows(values, sort_keys);
    RowRefs sorted(refs.size());
    for (size_t i = 0; i < order.size(); ++i)
        sorted[i] = refs[order[i]];
    refs = std::move(sorted);
}

} // namespace

std::vector<BuiltPart> build_parts(StorageService& service, std::vector<Block> blocks,
                                   const PartBuildOptions& options)
{
    const QueryContext& context = service.key_context();
    const KeyDescription& key = options.metadata->sorting_key;
    const RowGatherer rows(std::move(blocks));
    std::vector<BuiltPart> built;
    try
    {
        auto partitions = split_by_partition(rows.blocks(), options.metadata->partition_key,
                                             context, options.max_partitions);
        if (auto keys = keys_of(rows.blocks(), key, context); !keys.empty())
        {
            const RowGatherer key_rows(std::move(keys));
            for (auto& partition : partitions)
                sort_refs(partition.rows, key_rows, key);
        }
        for (auto& partition : partitions)
        {
            BuiltPart part;
            part.partition_id = partition.id;
            part.directory = join_path(
                options.table_path,
                fmt::format("tmp_insert_{}_{}", partition.id, service.next_temporary_number()));
            PartWriter writer(service.files(),
                              writer_options(service, options.metadata, options.metadata_version,
                                             part.directory, options.effort),
                              context);
            const auto write = [&](const Block& block) { writer.write(block); };
            std::unique_ptr<KeyedCombiner> combiner;
            if (options.combine && options.metadata->merging.combines())
                combiner = std::make_unique<KeyedCombiner>(*options.metadata, context);
            for (size_t done = 0; done < partition.rows.size(); done += kPageRows)
            {
                Block block = rows.take(partition.rows.data() + done,
                                        std::min(kPageRows, partition.rows.size() - done));
                if (combiner)
                    combiner->add(std::move(block), write);
                else
                    write(block);
            }
            if (combiner)
                combiner->finish(write);
            if (writer.rows() == 0)
                continue;
            part.manifest = writer.finish(std::move(partition.values), service.clock().unix_s());
            auto& counters = server_profile_counters();
            counters.add(ProfileEvent::MergeTreeDataWriterRows, part.manifest.rows);
            counters.add(ProfileEvent::MergeTreeDataWriterBlocks);
            counters.add(ProfileEvent::MergeTreeDataWriterCompressedBytes,
                         writer.compressed_bytes());
            built.push_back(std::move(part));
        }
    }
    catch (...)
    {
        remove_built_parts(service, built);
        throw;
    }
    return built;
}

void remove_built_parts(StorageService& service, const std::vector<BuiltPart>& parts) noexcept
{
    for (const auto& part : parts)
    {
        try
        {
            service.files().remove_directory_recursive(part.directory);
        }
        catch (const std::exception&)
        {
            // It has a temporary name: the next start removes it.
        }
    }
}

} // namespace basalt
