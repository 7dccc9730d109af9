#include "storage/mergetree/merge_tree_table.h"

#include "base/error.h"
#include "storage/mergetree/partition.h"

#include <fmt/format.h>

namespace basalt
{

MergeTreeTable::MergeTreeTable(StorageService& service, std::string engine, TableName name,
                               std::string uuid, TableMetadataPtr metadata, bool attach)
    : service_(service), engine_(std::move(engine)), uuid_(std::move(uuid)), path_(service.table_path(uuid_)),
      name_(std::move(name)), metadata_(std::move(metadata)),
      history_(std::make_shared<ColumnHistory>())
{
    open(attach);
}

MergeTreeTable::~MergeTreeTable()
{
    shutdown();
}

TableMetadataPtr MergeTreeTable::metadata() const
{
    std::lock_guard lock(mutex_);
    return metadata_;
}

TableName MergeTreeTable::table_name() const
{
    std::lock_guard lock(mutex_);
    return name_;
}

void MergeTreeTable::rename(const TableName& name)
{
    std::lock_guard lock(mutex_);
    name_ = name;
}

Header MergeTreeTable::virtual_columns() const
{
    const TypePtr text = type_from_name("LowCardinality(String)");
    return {{"_part", text},
            {"_partition_id", text},
            {"_part_index", simple_type(TypeId::UInt64)},
            {"_part_offset", simple_type(TypeId::UInt64)},
            {"_part_data_version", simple_type(TypeId::UInt64)},
            {"_table", text},
            {"_database", text},
            {"_disk_name", text}};
}

std::optional<uint64_t> MergeTreeTable::total_rows() const
{
    if (!absent_.empty())
        return std::nullopt; // a scan says why
    std::lock_guard lock(mutex_);
    uint64_t rows = live_.rows();
    for (const auto& [name, part] : parts_)
        rows += part->rows();
    return rows;
}

std::optional<uint64_t> MergeTreeTable::total_bytes() const
{
    std::lock_guard lock(mutex_);
    uint64_t bytes = live_.bytes();
    for (const auto& [name, part] : parts_)
        bytes += part->manifest().bytes_on_disk;
    return bytes;
}

TableSnapshot MergeTreeTable::snapshot() const
{
    std::lock_guard lock(mutex_);
    TableSnapshot snapshot;
    snapshot.metadata = metadata_;
    snapshot.history = history_;
    for (const auto& [name, part] : parts_)
        snapshot.parts.push_back(part);
    snapshot.live = live_.blocks();
    return snapshot;
}

LiveBufferInfo MergeTreeTable::live_buffer_info() const
{
    std::lock_guard lock(mutex_);
    return {live_.rows(), live_.bytes()};
}

void MergeTreeTable::shutdown()
{
    {
        std::lock_guard lock(mutex_);
        if (shut_down_)
            return;
        shut_down_ = true;
        count_live();
        for (const auto& running : running_)
            running->cancelled = true;
    }
    changed_.notify_all();
    service_.background().remove(*this);
    bool is_dropped = false;
    {
        std::lock_guard lock(mutex_);
        is_dropped = dropped_;
    }
    if (is_dropped)
        return;
    try
    {
        flush_live();
        remove_outdated();
    }
    catch (const std::exception& error)
    {
        // The rows are in the log.
        service_.report(fmt::format("Table {} was not flushed: {}", name_.full(), error.what()));
    }
    service_.log().detach(uuid_);
}

void MergeTreeTable::drop()
{
    {
        std::lock_guard lock(mutex_);
        dropped_ = true;
    }
    shutdown();
    service_.log().detach(uuid_);
    const auto transaction = service_.begin();
    service_.log().forget(*transaction, uuid_);
    transaction->commit();
    service_.files().remove_directory_recursive(path_);
}

bool MergeTreeTable::short_step()
{
    bool did = false;
    try
    {
        did |= remove_outdated();
        did |= set_aside_suspects();
        if (flush_due())
        {
            flush_live();
            did = true;
        }
    }
    catch (const std::exception& error)
    {
        constexpr int64_t kPause_s = 5;
        std::lock_guard lock(mutex_);
        retry_flush_unix_s_ = service_.clock().unix_s() + kPause_s;
        flush_failure_ = error.what();
        service_.report(fmt::format("Flush of table {}: {}", name_.full(), error.what()));
    }
    return did;
}

bool MergeTreeTable::long_step()
{
    {
        std::lock_guard lock(mutex_);
        if (shut_down_ || !absent_.empty() ||
            is_pausing(service_.clock().unix_s(), retry_merges_unix_s_))
            return false;
    }
    try
    {
        const bool did = mutate_once() || expire_once() || merge_once();
        std::lock_guard lock(mutex_);
        if (did)
            failed_merges_ = 0;
        return did;
    }
    catch (const std::exception& error)
    {
        // Longer and longer pauses: a merge that cannot succeed must not keep a core busy.
        constexpr uint32_t kMaxDoublings = 8;
        std::lock_guard lock(mutex_);
        failed_merges_ = std::min(failed_merges_ + 1, kMaxDoublings);
        retry_merges_unix_s_ = service_.clock().unix_s() + (int64_t{1} << failed_merges_);
        if (!shut_down_)
            service_.report(fmt::format("Merge in table {}: {}", name_.full(), error.what()));
        return false;
    }
}

Block sort_by_key(const Block& block, const TableMetadata& metadata, const QueryContext& context)
{
    const KeyDescription& key = metadata.sorting_key;
    if (key.expressions.empty() || block.rows() < 2)
        return block;
    const Columns values = ExpressionProgram(key.expressions, context).run(block);
    Block keys;
    SortKeys sort_keys;
    for (size_t i = 0; i < values.size(); ++i)
    {
        keys.add({values[i], key.expressions[i]->type(), std::to_string(i)});
        SortKey sort_key;
        sort_key.column = i;
        sort_key.descending = i < key.descending.size() && key.descending[i];
        sort_keys.push_back(sort_key);
    }
    if (is_sorted(keys, sort_keys))
        return block;
    return block.take(sort_rows(keys, sort_keys));
}

} // namespace basalt
