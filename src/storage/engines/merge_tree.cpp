#include "storage/engines/engines.h"

#include "base/error.h"
#include "storage/mergetree/merge_tree_table.h"
#include "storage/skip_index/skip_index.h"

#include <algorithm>
#include <fmt/format.h>

namespace basalt
{

namespace
{

// Table settings that change what this engine does.
constexpr std::string_view kHonoured[] = {"index_granularity", "min_bytes_for_wide_part",
                                          "default_compression_codec"};
// These concern only speed, caching or housekeeping of ClickHouse's own storage: taken, without
// effect.
constexpr std::string_view kAccepted[] = {
    "index_granularity_bytes", "min_rows_for_wide_part", "enable_mixed_granularity_parts",
    "min_bytes_for_full_part_storage", "merge_with_ttl_timeout", "ttl_only_drop_parts",
    "max_bytes_to_merge_at_max_space_in_pool", "max_parts_in_total", "parts_to_throw_insert",
    "parts_to_delay_insert", "old_parts_lifetime", "non_replicated_deduplication_window",
    "compress_marks", "compress_primary_key", "primary_key_lazy_load", "use_primary_key_cache",
    "min_compress_block_size", "max_compress_block_size", "merge_max_block_size",
    "ratio_of_defaults_for_sparse_serialization", "add_minmax_index_for_numeric_columns",
    "add_minmax_index_for_string_columns", "replace_long_file_name_to_hash",
    "min_merge_bytes_to_use_direct_io", "storage_policy", "max_concurrent_queries",
    "allow_nullable_key", "allow_suspicious_indices", "fsync_after_insert",
    "fsync_part_directory", "vertical_merge_algorithm_min_rows_to_activate",
    "vertical_merge_algorithm_min_columns_to_activate", "enable_block_number_column",
    "enable_block_offset_column", "auto_statistics_types"};

bool among(std::span<const std::string_view> names, std::string_view name)
{
    return std::find(names.begin(), names.end(), name) != names.end();
}

void check_settings(const TableMetadata& metadata)
{
    for (const auto& [name, value] : metadata.settings)
        if (!is_merge_tree_setting(name))
            throw Error(error_codes::UNKNOWN_SETTING,
                        fmt::format("Unknown setting '{}' for storage MergeTree", name));
}

void check_keys(const TableMetadata& metadata)
{
    for (const auto* key : {&metadata.partition_key, &metadata.sorting_key})
        for (const auto& expression : key->expressions)
            if (!expression->deterministic())
                throw Error(error_codes::BAD_ARGUMENTS,
                            fmt::format("Key expression {} is not deterministic", key->text));
    if (!metadata.ttl_text.empty())
        throw Error(error_codes::NOT_IMPLEMENTED, "TTL is not implemented for MergeTree yet");
    for (const auto& column : metadata.columns)
        if (!column.ttl_text.empty())
            throw Error(error_codes::NOT_IMPLEMENTED,
                        fmt::format("TTL of column {} is not implemented for MergeTree yet",
                                    column.name));
    if (metadata.physical_header().empty())
        throw Error(error_codes::EMPTY_LIST_OF_COLUMNS_PASSED,
                    "A MergeTree table needs at least one stored column");
    for (const auto& index : metadata.indexes)
        skip_index_kinds().get(index.type).check(index);
}

} // namespace

bool is_merge_tree_setting(std::string_view name)
{
    return among(kHonoured, name) || among(kAccepted, name);
}

void check_merge_tree_table(const TableMetadata& metadata)
{
    check_settings(metadata);
    check_keys(metadata);
}

TablePtr open_merge_tree_table(StorageService& service, TableName name, std::string uuid,
                               TableMetadataPtr metadata, bool attach)
{
    // A table that exists is opened whatever an older program let pass.
    if (!attach)
        check_merge_tree_table(*metadata);
    return std::make_shared<MergeTreeTable>(service, "MergeTree", std::move(name),
                                            std::move(uuid), std::move(metadata), attach);
}

TablePtr open_log_table(StorageService& service, const std::string& engine, TableName name,
                        std::string uuid, TableMetadataPtr metadata, bool attach)
{
    return std::make_shared<MergeTreeTable>(service, engine, std::move(name), std::move(uuid),
                                            std::move(metadata), attach);
}

} // namespace basalt
