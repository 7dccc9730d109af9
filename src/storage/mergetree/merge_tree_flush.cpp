// From the live buffer to parts.

#include "storage/mergetree/merge_tree_table.h"
#include "storage/mergetree/part_builder.h"
#include "storage/mergetree/row_source.h"

#include "base/error.h"
#include "base/failpoint.h"

#include <chrono>
#include <fmt/format.h>

namespace basalt
{

bool MergeTreeTable::flush_due() const
{
    const auto& options = service_.options();
    const uint64_t wanted_through = service_.log().flush_wanted_through();
    std::lock_guard lock(mutex_);
    const int64_t now = service_.clock().unix_s();
    if (shut_down_ || live_.empty() || is_pausing(now, retry_flush_unix_s_))
        return false;
    // The large ones first when all together hold much.
    if (service_.disk_is_short())
        return true;
    const uint64_t total = service_.live_bytes(), total_max = service_.live_total_max_bytes();
    if ((total >= total_max / 2 && live_.bytes() >= total / 4) || total >= total_max / 4 * 3)
        return true;
    return live_.bytes() >= options.live_flush_bytes || live_.rows() >= options.live_flush_rows ||
           now - live_.oldest_unix_s() >= options.live_flush_age_s ||
           live_.oldest_sequence() <= wanted_through;
}

void MergeTreeTable::flush(QueryContextPtr)
{
    flush_live();
}

void MergeTreeTable::flush_live()
{
    std::lock_guard one_at_a_time(flush_mutex_);
    if (!absent_.empty())
        return; // the rows are in the log
    LiveBuffer::Batch batch;
    PartBuildOptions build;
    std::shared_ptr<const ColumnHistory> history;
    // A transaction may bring several blocks under one number: only whole ones are taken.
    const uint64_t applied = service_.log().applied_sequence();
    {
        std::lock_guard lock(mutex_);
        batch = live_.begin_flush(applied);
        if (batch.blocks.empty())
            return;
        build.metadata = metadata_;
        history = history_;
    }
    build.metadata_version = history->version();
    build.table_path = path_;
    std::vector<Block> rows;
    for (const auto& block : batch.blocks)
        rows.push_back(
            conform_block(*build.metadata, *history, block, service_.key_context()));
    auto built = build_parts(service_, std::move(rows), build);
    std::vector<std::shared_ptr<Part>> parts;
    std::vector<PartName> names;
    const auto transaction = service_.begin();
    try
    {
        std::vector<std::string> partition_ids;
        for (const auto& part : built)
            partition_ids.push_back(part.partition_id);
        names = reserve_blocks(partition_ids);
        FileSystem& files = service_.files();
        for (size_t i = 0; i < built.size(); ++i)
        {
            const std::string target = join_path(path_, "tmp_" + names[i].text());
            files.rename(built[i].directory, target);
            built[i].directory = target;
            parts.push_back(
                std::make_shared<Part>(files, target, names[i], std::move(built[i].manifest)));
        }
        files.sync_directory(path_);
    }
    catch (...)
    {
        remove_built_parts(service_, built);
        release_blocks(names);
        throw;
    }
    transaction->on_rollback([this, names] { release_blocks(names); });
    stage(*transaction, parts, {}, batch.through);
    failpoint(Failpoint::FlushBeforeCommit);
    transaction->commit();
    std::lock_guard lock(mutex_);
    flush_failure_.clear();
}

// The last bytes of a disk are for what gives space back, and for making parts of what stands in the
// live buffers: they are flushed early when little is left, and INSERT is refused when that was not
// enough.
void MergeTreeTable::wait_for_disk(const QueryContext& context)
{
    constexpr auto kInterval = std::chrono::milliseconds(20);
    constexpr int64_t kMostPatience_ms = 5000;
    const int64_t give_up_ns =
        context.clock->monotonic_ns() +
        std::min(service_.options().insert_patience_ms, kMostPatience_ms) * 1000000;
    for (uint64_t free = 0; service_.disk_is_short(&free);)
    {
        std::unique_lock lock(mutex_);
        if (service_.live_bytes() == 0 || !flush_failure_.empty() || shut_down_ ||
            context.clock->monotonic_ns() >= give_up_ns)
            throw Error(error_codes::NOT_ENOUGH_SPACE,
                        fmt::format("The disk of {} is full: {} bytes are free, and INSERT leaves {} "
                                    "to DROP, DELETE and TTL. Try again when there is space",
                                    service_.options().path, free, service_.reserved_bytes()));
        lock.unlock();
        service_.background().wake();
        context.check_alive();
        lock.lock();
        changed_.wait_for(lock, kInterval);
    }
}

// Back-pressure: an insert waits while the live buffers are full, then is refused so that the
// client can try again. A client that leaves ends its waiting.
void MergeTreeTable::wait_for_room(const QueryContext& context)
{
    constexpr auto kAliveCheckInterval = std::chrono::milliseconds(100);
    const auto& options = service_.options();
    wait_for_disk(context);
    std::unique_lock lock(mutex_);
    const auto has_room = [&]
    {
        return shut_down_ || (live_.bytes() < options.live_max_bytes &&
                              service_.live_bytes() < service_.live_total_max_bytes());
    };
    if (has_room())
        return;
    const int64_t give_up_ns =
        context.clock->monotonic_ns() + options.insert_patience_ms * 1000000;
    do
    {
        lock.unlock();
        service_.background().wake();
        context.check_alive();
        lock.lock();
        if (context.clock->monotonic_ns() >= give_up_ns)
            throw Error(error_codes::TOO_MANY_PARTS,
                        fmt::format("Table {} has {} bytes of rows that are not written to parts "
                                    "yet, all tables together {} bytes: inserting more is refused "
                                    "for now, try again later{}{}",
                                    name_.full(), live_.bytes(), service_.live_bytes(),
                                    flush_failure_.empty() ? "" : ". Writing them failed: ",
                                    flush_failure_));
    } while (!changed_.wait_for(lock, kAliveCheckInterval, has_room));
}

} // namespace basalt
