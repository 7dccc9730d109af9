#pragma once

// From unsorted rows to parts on the disk that nobody sees yet.

#include "storage/mergetree/part_writer.h"
#include "storage/storage_service.h"

namespace basalt
{

struct BuiltPart
{
    std::string partition_id;
    std::string directory; // with a temporary name
    PartManifest manifest;
};

struct PartBuildOptions
{
    TableMetadataPtr metadata;
    uint64_t metadata_version = 0;
    std::string table_path;
    size_t max_partitions = 0; // 0 = no limit
    bool combine = false;      // rows of equal keys, as the table's engine does
    ColumnEncodingOptions::Effort effort = ColumnEncodingOptions::Effort::Fast;
};

// Splits rows by partition, sorts and writes one part for each. blocks: at least one row, with the
// table's physical_header(), any forms. No part for a partition of which combining leaves nothing.
// Memory besides: some bytes a row, and a page of all columns.
// On an exception nothing is left.
std::vector<BuiltPart> build_parts(StorageService& service, std::vector<Block> blocks,
                                   const PartBuildOptions& options);
void remove_built_parts(StorageService& service, const std::vector<BuiltPart>& parts) noexcept;

PartWriterOptions writer_options(StorageService& service, const TableMetadataPtr& metadata,
                                 uint64_t metadata_version, std::string directory,
                                 ColumnEncodingOptions::Effort effort);

} // namespace basalt
