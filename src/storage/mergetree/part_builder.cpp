#include "storage/mergetree/part_builder.h"

#include "base/error.h"
#include "base/profile_events.h"
#include "storage/mergetree/merge_tree_table.h"
#include "storage/mergetree/partition.h"

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

std::vector<BuiltPart> build_parts(StorageService& service, const Block& rows,
                                   const PartBuildOptions& options)
{
    const QueryContext& context = service.key_context();
    std::vector<BuiltPart> built;
    try
    {
        for (auto& partition : split_by_partition(rows, options.metadata->partition_key, context,
                                                  options.max_partitions))
        {
            const Block sorted = sort_by_key(partition.block, *options.metadata, context);
            partition.block = Block();
            BuiltPart part;
            part.partition_id = partition.id;
            part.directory = join_path(
                options.table_path,
                fmt::format("tmp_insert_{}_{}", partition.id, service.next_temporary_number()));
            PartWriter writer(service.files(),
                              writer_options(service, options.metadata, options.metadata_version,
                                             part.directory, options.effort),
                              context);
            writer.write(sorted);
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
