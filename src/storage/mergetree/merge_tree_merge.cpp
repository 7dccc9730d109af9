// Merges: chosen in the background, or all of a partition for OPTIMIZE.

#include "storage/mergetree/merge_selector.h"
#include "storage/mergetree/merge_tree_table.h"
#include "storage/mergetree/part_builder.h"
#include "storage/mergetree/part_merger.h"
#include "storage/mergetree/row_work.h"

#include "base/error.h"
#include "base/failpoint.h"
#include "base/threads.h"

#include <algorithm>
#include <condition_variable>
#include <fmt/format.h>
#include <functional>
#include <mutex>
#include <optional>

namespace basalt
{

namespace
{

// While large inserts run, merges wait unless a partition has this many parts.
constexpr size_t kPartsThatCannotWait = 64;
constexpr size_t kMaxPartsOfFullMerge = 16;
// One merge may hold one part in so many of the server's memory.
constexpr uint64_t kMemoryShare = 8;

// Of a decoded row.
uint64_t row_bytes_of(const Part& part)
{
    uint64_t bytes = 0;
    for (const auto& column : part.manifest().columns)
        bytes += column.uncompressed_bytes;
    return bytes / std::max<uint64_t>(part.rows(), 1);
}

// One block on its way from one thread to another.
class Handoff
{
public:
    // False when the other side has stopped.
    bool put(Block block)
    {
        std::unique_lock lock(mutex_);
        changed_.wait(lock, [&] { return !block_ || stopped_; });
        block_ = std::move(block);
        changed_.notify_all();
        return !stopped_;
    }
    // An empty block when the other side has stopped.
    Block get()
    {
        std::unique_lock lock(mutex_);
        changed_.wait(lock, [&] { return block_ || stopped_; });
        Block block = stopped_ ? Block() : std::move(*block_);
        block_.reset();
        changed_.notify_all();
        return block;
    }
    void stop()
    {
        std::lock_guard lock(mutex_);
        stopped_ = true;
        changed_.notify_all();
    }

private:
    std::mutex mutex_;
    std::condition_variable changed_;
    std::optional<Block> block_;
    bool stopped_ = false;
};

// Writes blocks on this thread while the next is read on another. read: an empty block at the end.
void write_ahead(const std::function<Block()>& read, const std::function<void(Block)>& write)
{
    Handoff handoff;
    const auto read_all = [&]
    {
        for (;;)
        {
            Block block = read();
            const bool ends = block.rows() == 0;
            if (!handoff.put(std::move(block)) || ends)
                return;
        }
    };
    const auto write_all = [&]
    {
        for (Block block = handoff.get(); block.rows(); block = handoff.get())
            write(std::move(block));
    };
    run_parallel(2,
                 [&](size_t job)
                 {
                     try
                     {
                         job ? read_all() : write_all();
                     }
                     catch (...)
                     {
                         handoff.stop();
                         throw;
                     }
                 });
}

} // namespace

// What a merge of these parts is called. All are of one partition, in order.
PartName MergeTreeTable::merged_name(const std::vector<std::shared_ptr<Part>>& sources)
{
    PartName name = sources.front()->name();
    for (const auto& part : sources)
    {
        name.max_block = std::max(name.max_block, part->name().max_block);
        name.level = std::max(name.level, part->name().level);
        name.mutation = std::max(name.mutation, part->name().mutation);
    }
    ++name.level;
    return name;
}

// Whether two neighbours may become one: no insert that is being committed stands between them,
// and the same mutations are still to do in both. The lock is held.
bool MergeTreeTable::may_join(const Part& left, const Part& right) const
{
    if (left.name().partition_id != right.name().partition_id)
        return false;
    const auto between = reserved_.upper_bound(left.name().max_block);
    if (between != reserved_.end() && *between < right.name().min_block)
        return false;
    for (const auto& [version, mutation] : mutations_)
    {
        if (mutation.done || mutation.killed)
            continue;
        const bool left_to_do = left.name().data_version() < version;
        const bool right_to_do = right.name().data_version() < version;
        if (left_to_do != right_to_do)
            return false;
    }
    return true;
}

std::optional<MergeTreeTable::MergePlan> MergeTreeTable::plan_merge()
{
    const bool bulk = service_.bulk_inserts() > 0;
    const int64_t now = service_.clock().unix_s();
    const uint64_t free_bytes = service_.files().free_space(path_);
    const uint64_t memory_bytes = service_.memory_limit_bytes() / kMemoryShare;
    std::lock_guard lock(mutex_);
    if (merges_stopped_ || shut_down_)
        return std::nullopt;
    // What is not there cannot be filled: beside the merges under way.
    uint64_t promised_bytes = 0;
    for (const auto& running : running_)
        promised_bytes += running->info.total_bytes;
    const uint64_t limit_bytes = std::min(
        max_merged_bytes(*metadata_), free_bytes > promised_bytes
                                          ? (free_bytes - promised_bytes) / 17 * 16
                                          : 0);
    std::optional<MergeChoice> best;
    std::vector<std::shared_ptr<Part>> chosen;
    const auto consider = [&](const std::vector<std::shared_ptr<Part>>& parts)
    {
        if (parts.size() < 2 || (bulk && parts.size() < kPartsThatCannotWait))
            return;
        std::vector<MergeCandidate> candidates;
        size_t run = 0;
        for (size_t i = 0; i < parts.size(); ++i)
        {
            const bool busy = busy_.contains(parts[i]->name());
            if (busy || (i && !may_join(*parts[i - 1], *parts[i])))
                ++run;
            candidates.push_back({parts[i]->manifest().bytes_on_disk,
                                  std::max<int64_t>(now - parts[i]->manifest().created_unix_s, 0),
                                  run, row_bytes_of(*parts[i])});
            if (busy)
                ++run;
        }
        const auto choice = choose_merge(candidates, limit_bytes, memory_bytes);
        if (!choice || (best && best->cost <= choice->cost))
            return;
        best = choice;
        chosen.assign(parts.begin() + static_cast<ptrdiff_t>(choice->begin),
                      parts.begin() + static_cast<ptrdiff_t>(choice->end));
    };
    std::vector<std::shared_ptr<Part>> partition;
    for (const auto& [name, part] : parts_)
    {
        if (!partition.empty() && partition.back()->name().partition_id != name.partition_id)
        {
            consider(partition);
            partition.clear();
        }
        partition.push_back(part);
    }
    consider(partition);
    if (!best)
        return std::nullopt;
    for (const auto& part : chosen)
        busy_.insert(part->name());
    return start_plan(std::move(chosen), {.combine = true});
}

// The parts are busy already; the lock is held.
MergeTreeTable::MergePlan
MergeTreeTable::start_plan(std::vector<std::shared_ptr<Part>> sources, MergeOptions options)
{
    MergePlan plan;
    plan.result = merged_name(sources);
    plan.options = std::move(options);
    plan.running = std::make_shared<Running>();
    MergeInfo& info = plan.running->info;
    for (const auto& part : sources)
    {
        info.source_parts.push_back(part->name_text());
        info.total_rows += part->rows();
        info.total_bytes += part->manifest().bytes_on_disk;
    }
    info.result_part = plan.result.text();
    info.partition_id = plan.result.partition_id;
    info.started_unix_us = service_.clock().unix_us();
    plan.sources = std::move(sources);
    running_.push_back(plan.running);
    return plan;
}

void MergeTreeTable::end_plan(MergePlan& plan, bool failed)
{
    {
        std::lock_guard lock(mutex_);
        std::erase(running_, plan.running);
    }
    if (failed)
        unlock_parts(plan.sources);
    changed_.notify_all();
}

bool MergeTreeTable::merge_once()
{
    auto plan = plan_merge();
    if (!plan)
        return false;
    const auto context = service_.make_context();
    run_merge(*plan, *context);
    return true;
}

void MergeTreeTable::run_merge(MergePlan& plan, const QueryContext& context)
{
    try
    {
        write_merged(plan, context);
    }
    catch (...)
    {
        end_plan(plan, true);
        throw;
    }
    end_plan(plan, false);
}

void MergeTreeTable::write_merged(MergePlan& plan, const QueryContext& context)
{
    uint64_t bytes = 0, rows = 0, uncompressed_bytes = 0;
    std::vector<PartPtr> parts;
    for (const auto& part : plan.sources)
    {
        bytes += part->manifest().bytes_on_disk;
        rows += part->rows();
        for (const auto& column : part->manifest().columns)
            uncompressed_bytes += column.uncompressed_bytes;
        parts.push_back(part);
    }
    FileSystem& files = service_.files();
    if (files.free_space(path_) < bytes + bytes / 16)
        throw Error(error_codes::NOT_ENOUGH_SPACE,
                    fmt::format("Not enough space for merging {} parts of {} bytes",
                                parts.size(), bytes));
    TableMetadataPtr metadata;
    std::vector<MutationCommand> over;
    std::shared_ptr<const ColumnHistory> history;
    do
    {
        over = ttl_commands(metadata);
        std::lock_guard lock(mutex_);
        if (metadata == metadata_)
            history = history_;
    } while (!history);
    RowWork work(over, metadata, context);
    const std::string codec = due_codec(parts, metadata, over);
    const uint64_t row_bytes = uncompressed_bytes / std::max<uint64_t>(rows, 1);
    MemoryCharge charge(&context.memory, std::min(merge_working_bytes(row_bytes, parts.size()),
                                                  row_bytes * rows));
    const std::string directory = join_path(path_, "tmp_" + plan.result.text());
    auto options = writer_options(service_, metadata, history->version(), directory,
                                  ColumnEncodingOptions::Effort::Thorough);
    if (!codec.empty())
        options.default_codec = codec;
    PartWriter writer(files, std::move(options), context);
    auto& counters = server_profile_counters();
    PartMerger merger(parts, metadata, history, plan.options,
                      [&](uint64_t rows)
                      {
                          if (plan.running->cancelled)
                              throw Error(error_codes::ABORTED, "Cancelled merging parts");
                          context.check_alive();
                          plan.running->rows_read += rows;
                          counters.add(ProfileEvent::MergedRows, rows);
                      },
                      context);
    const auto write = [&](Block block) { writer.write(block); };
    std::optional<ExpressionProgram> keeps;
    if (const ExpressionPtr condition = keep_condition(context))
        keeps.emplace(Expressions{condition}, context);
    if (!keeps && work.is_empty() && codec.empty() && engine_name() == "MergeTree")
        merger.pass_compact();
    write_ahead([&] { return merger.next(); },
                [&](Block block)
                {
                    if (keeps)
                    {
                        Mask mask;
                        const size_t kept = column_to_mask(keeps->run(block)[0],
                                                           keeps->roots()[0]->type(), mask);
                        if (kept != block.rows())
                            block = block.filter(mask, kept);
                    }
                    if (block.rows())
                        work.add(std::move(block), write);
                });
    work.finish(write);
    counters.add(ProfileEvent::Merge);
    std::vector<std::shared_ptr<Part>> added;
    if (writer.rows())
        added.push_back(std::make_shared<Part>(
            files, directory, plan.result,
            writer.finish(plan.sources.front()->manifest().partition,
                          service_.clock().unix_s())));
    files.sync_directory(path_);
    const auto transaction = service_.begin();
    stage(*transaction, added, plan.sources, 0);
    failpoint(Failpoint::MergeBeforeCommit);
    transaction->commit();
}

// Merges a partition's parts down to one.
void MergeTreeTable::merge_partition(const std::string& partition_id, bool rewrite_single,
                                     const MergeOptions& options, const QueryContext& context)
{
    for (;;)
    {
        auto locked = lock_parts(partition_id, "");
        // Parts that may not be joined yet stay apart; so many are merged as memory has room for.
        std::vector<std::shared_ptr<Part>> sources;
        const uint64_t memory_bytes = service_.memory_limit_bytes() / kMemoryShare;
        uint64_t widest = 0;
        const auto is_full = [&](const Part& next)
        {
            widest = std::max(widest, row_bytes_of(next));
            return sources.size() == kMaxPartsOfFullMerge ||
                   (memory_bytes && sources.size() >= 2 &&
                    merge_working_bytes(widest, sources.size() + 1) > memory_bytes);
        };
        {
            std::lock_guard lock(mutex_);
            for (const auto& part : locked)
            {
                if (!sources.empty() &&
                    (is_full(*part) || !may_join(*sources.back(), *part)))
                {
                    if (sources.size() > 1)
                        break;
                    sources.clear();
                }
                sources.push_back(part);
            }
            for (const auto& part : locked)
                if (std::find(sources.begin(), sources.end(), part) == sources.end())
                    busy_.erase(part->name());
        }
        changed_.notify_all();
        const bool whole = sources.size() == locked.size();
        if (sources.empty())
            return;
        // A part that no merge has made may hold rows that are to be combined.
        const auto table = metadata();
        const bool rewrites = rewrite_single || (table->merging.combines() &&
                                                 !is_combined(*sources[0], *table));
        if (sources.size() == 1 && !(rewrites && whole))
        {
            unlock_parts(sources);
            return;
        }
        std::unique_lock lock(mutex_);
        if (shut_down_)
        {
            lock.unlock();
            unlock_parts(sources);
            throw Error(error_codes::ABORTED, "The table is shutting down");
        }
        MergePlan plan = start_plan(sources, options);
        lock.unlock();
        run_merge(plan, context);
        if (whole)
            return;
    }
}

void MergeTreeTable::hold_merges(bool hold)
{
    {
        std::lock_guard lock(mutex_);
        if (merges_held_ == hold)
            return;
        merges_held_ = hold;
        merges_stopped_ += hold ? 1 : -1;
        for (const auto& running : running_)
            running->cancelled = running->cancelled || hold;
    }
    service_.background().wake();
}

void MergeTreeTable::optimize(const OptimizeCommand& command, QueryContextPtr context)
{
    check_is_there(error_codes::TABLE_IS_READ_ONLY);
    flush_live();
    std::vector<std::string> partitions;
    {
        std::lock_guard lock(mutex_);
        if (merges_held_)
            throw Error(error_codes::ABORTED, "Cancelled merging parts: SYSTEM STOP MERGES");
        for (const auto& [name, part] : parts_)
            if ((command.partition_id.empty() || name.partition_id == command.partition_id) &&
                (partitions.empty() || partitions.back() != name.partition_id))
                partitions.push_back(name.partition_id);
    }
    MergeOptions options;
    options.combine = true;
    options.deduplicate = command.deduplicate;
    options.deduplicate_by = command.deduplicate_by;
    options.cleanup = command.cleanup;
    const bool rewrite_single = command.deduplicate || command.cleanup ||
                                (command.final &&
                                 (has_ttl(*metadata()) || keep_condition(*context) != nullptr));
    std::atomic<size_t> next{0};
    const size_t threads =
        std::min({std::max<size_t>(context->max_threads(), 1), granted_cores(),
                  std::max<size_t>(partitions.size(), 1)});
    run_parallel(threads,
                 [&](size_t)
                 {
                     for (size_t i = next++; i < partitions.size(); i = next++)
                         merge_partition(partitions[i], rewrite_single, options, *context);
                 });
}

} // namespace basalt
