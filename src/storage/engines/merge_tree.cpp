#include "storage/engines/engines.h"

#include "base/error.h"
#include "storage/engines/merge_tree_settings.h"
#include "storage/mergetree/merge_tree_table.h"
#include "storage/skip_index/skip_index.h"

#include <algorithm>
#include <fmt/format.h>

namespace basalt
{

namespace
{

void check_settings(const TableMetadata& metadata)
{
    for (const auto& [name, value] : metadata.settings)
    {
        check_merge_tree_setting(name, value);
        if (name == "index_granularity" && value == "0")
            throw Error(error_codes::BAD_ARGUMENTS,
                        "index_granularity: value 0 makes no sense, it must be at least 1");
    }
}

void check_keys(const TableMetadata& metadata)
{
    for (const auto* key : {&metadata.partition_key, &metadata.sorting_key})
        for (const auto& expression : key->expressions)
            if (!expression->deterministic())
                throw Error(error_codes::BAD_ARGUMENTS,
                            fmt::format("Key expression {} is not deterministic", key->text));
    Expressions keys = metadata.sorting_key.expressions;
    keys.insert(keys.end(), metadata.partition_key.expressions.begin(),
                metadata.partition_key.expressions.end());
    for (const auto& name : inputs_of(keys))
        if (!metadata.find_column(name)->ttl_text.empty())
            throw Error(error_codes::ILLEGAL_COLUMN,
                        fmt::format("Trying to set TTL for key column {}", name));
    if (metadata.physical_header().empty())
        throw Error(error_codes::EMPTY_LIST_OF_COLUMNS_PASSED,
                    "A MergeTree table needs at least one stored column");
    for (const auto& index : metadata.indexes)
        skip_index_kinds().get(index.type).check(index);
}

} // namespace

void check_merge_tree_table(const TableMetadata& metadata)
{
    check_settings(metadata);
    check_keys(metadata);
}

TablePtr open_merge_tree_table(StorageService& service, const std::string& engine, TableName name,
                               std::string uuid, TableMetadataPtr metadata, bool attach)
{
    // A table that exists is opened whatever an older program let pass.
    if (!attach)
        check_merge_tree_table(*metadata);
    return std::make_shared<MergeTreeTable>(service, engine, std::move(name), std::move(uuid),
                                            std::move(metadata), attach);
}

TablePtr open_log_table(StorageService& service, const std::string& engine, TableName name,
                        std::string uuid, TableMetadataPtr metadata, bool attach)
{
    return std::make_shared<MergeTreeTable>(service, engine, std::move(name), std::move(uuid),
                                            std::move(metadata), attach);
}

} // namespace basalt
