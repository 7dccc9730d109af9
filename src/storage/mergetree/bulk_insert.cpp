#include "storage/mergetree/bulk_insert.h"

#include "base/error.h"
#include "base/failpoint.h"
#include "base/threads.h"
#include "storage/block_bytes.h"

#include <algorithm>
#include <chrono>

namespace basalt
{

namespace
{

// Parts that one insert builds at once; more than the cores brings nothing.
constexpr size_t kMaxBuilders = 8;
// What is left at the end is divided among the builders down to this.
constexpr uint64_t kLeastRowsOfRest = 128 << 10;

size_t builders_of(const QueryContext& context)
{
    const size_t wanted = context.settings.get_uint("max_insert_threads");
    return std::clamp<size_t>(wanted ? wanted : std::min<size_t>(context.max_threads(), 2), 1,
                              kMaxBuilders);
}

} // namespace

BulkInsert::BulkInsert(std::shared_ptr<MergeTreeTable> table, Transaction& transaction,
                       QueryContextPtr context)
    : table_(std::move(table)), transaction_(transaction), context_(std::move(context)),
      service_(table_->service()), builders_limit_(builders_of(*context_)),
      part_bytes_(service_.options().insert_part_bytes)
{
    const TableSnapshot snapshot = table_->snapshot();
    build_.metadata = snapshot.metadata;
    build_.metadata_version = snapshot.history->version();
    build_.table_path = table_->data_path();
    build_.max_partitions = context_->settings.get_uint("max_partitions_per_insert_block");
    build_.combine = context_->settings.get_bool("optimize_on_insert");
    header_ = snapshot.metadata->physical_header();
    // Engines that combine rows look at all columns.
    const bool plain = table_->engine_name() == "MergeTree";
    std::vector<bool> may;
    const auto wanted_as_values = values_wanted_by_writer(*snapshot.metadata);
    for (const auto& column : header_)
        may.push_back(plain && !wanted_as_values.contains(column.name));
    compactor_ = std::make_unique<TextCompactor>(header_, may);
    gathered_.charge = MemoryCharge(&context_->memory, 0);
    // All that is gathered and built at once stays within half of the query's limit.
    if (const size_t limit = context_->memory.limit_bytes())
        part_bytes_ =
            std::clamp<uint64_t>(limit / (2 * (builders_limit_ + 1)), 1 << 20, part_bytes_);
}

BulkInsert::~BulkInsert()
{
    background_.clear(); // waits
    for (const auto& [number, parts] : built_)
        remove_built_parts(service_, parts);
    if (is_bulk_)
        --service_.bulk_inserts();
}

bool BulkInsert::join()
{
    std::lock_guard lock(mutex_);
    if (finished_)
        return false;
    ++streams_;
    return true;
}

void BulkInsert::fail()
{
    {
        std::lock_guard lock(mutex_);
        failed_ = true;
    }
    built_one_.notify_all();
}

void BulkInsert::throw_failure() const
{
    if (failure_)
        std::rethrow_exception(failure_);
    throw Error(error_codes::ABORTED, "Another stream of this INSERT has failed");
}

// Whether what is gathered and so much more is too much for the live buffer. The lock is held.
bool BulkInsert::is_large(uint64_t rows, uint64_t bytes) const
{
    const auto& options = service_.options();
    return is_bulk_ || gathered_.rows + rows > options.direct_insert_rows ||
           gathered_.bytes + bytes > options.direct_insert_bytes;
}

bool BulkInsert::is_full() const
{
    return gathered_.rows >= service_.options().insert_part_rows || gathered_.bytes >= part_bytes_;
}

BulkInsert::Gathered BulkInsert::take()
{
    Gathered taken = std::move(gathered_);
    taken.number = next_number_++;
    gathered_ = Gathered();
    gathered_.charge = MemoryCharge(&context_->memory, 0);
    return taken;
}

void BulkInsert::write(Block block)
{
    context_->check_alive();
    if (block.rows() == 0)
        return;
    Block ordered;
    for (const auto& column : header_)
    {
        const int at = block.find(column.name);
        BASALT_ASSERT(at >= 0);
        ordered.add({block[static_cast<size_t>(at)].column, column.type, column.name});
    }
    uint64_t bytes = ordered.byte_size();
    std::unique_lock lock(mutex_);
    if (is_large(ordered.rows(), bytes))
    {
        // While the rows are in the cache, and on the thread that brings them.
        lock.unlock();
        ordered = compactor_->compact(ordered);
        bytes = ordered.byte_size();
        lock.lock();
        has_compacted_ = true;
    }
    // While all builders are busy a full heap waits, and with it who brings more.
    built_one_.wait(lock, [&] { return failed_ || !is_full() || builders_ < builders_limit_; });
    if (failed_)
        throw_failure();
    gathered_.charge.resize(gathered_.charge.bytes() + bytes);
    gathered_.rows += ordered.rows();
    gathered_.bytes += bytes;
    gathered_.blocks.push_back(std::move(ordered));
    if (!is_full() || builders_ >= builders_limit_)
        return;
    if (!is_bulk_)
    {
        is_bulk_ = true;
        ++service_.bulk_inserts();
    }
    ++builders_;
    auto taken = std::make_shared<Gathered>(take());
    if (streams_ > builders_limit_)
    {
        lock.unlock();
        build(std::move(*taken));
        return;
    }
    std::erase_if(background_, [](const std::future<void>& one)
                  { return one.wait_for(std::chrono::seconds(0)) == std::future_status::ready; });
    background_.push_back(std::async(std::launch::async,
                                     [this, taken]
                                     {
                                         try
                                         {
                                             build(std::move(*taken));
                                         }
                                         catch (...)
                                         {
                                             // Kept by build() for whoever comes next.
                                         }
                                     }));
}

// Counted in builders_ already.
void BulkInsert::build(Gathered gathered)
{
    std::vector<BuiltPart> parts;
    std::exception_ptr failure;
    try
    {
        for (Block& block : gathered.blocks) // those that came first are as they came
            block = compactor_->compact(block);
        parts = build_parts(service_, std::move(gathered.blocks), build_);
    }
    catch (...)
    {
        failure = std::current_exception();
    }
    {
        std::lock_guard lock(mutex_);
        --builders_;
        built_.emplace(gathered.number, std::move(parts));
        if (failure)
        {
            failed_ = true;
            failure_ = failure;
        }
    }
    built_one_.notify_all();
    if (failure)
        std::rethrow_exception(failure);
}

void BulkInsert::leave()
{
    {
        std::lock_guard lock(mutex_);
        BASALT_ASSERT(streams_ > 0);
        if (--streams_ > 0)
            return;
        finished_ = true;
    }
    background_.clear(); // waits
    if (failed_)
        throw_failure();
    finish();
}

// Nobody else is at work any more.
void BulkInsert::finish()
{
    const auto& options = service_.options();
    if (!is_bulk_ && !has_compacted_ && gathered_.rows <= options.direct_insert_rows &&
        gathered_.bytes <= options.direct_insert_bytes)
    {
        finish_live();
        return;
    }
    if (!is_bulk_)
    {
        is_bulk_ = true;
        ++service_.bulk_inserts();
    }
    // The rest in as many stretches as there are builders, so that none is idle. Rows that are to
    // be combined stay together.
    const bool combines = build_.combine && build_.metadata->merging.combines();
    const size_t stretches =
        combines ? 1
                 : std::clamp<size_t>(gathered_.rows / kLeastRowsOfRest, 1, builders_limit_);
    const uint64_t stretch_rows = gathered_.rows / stretches;
    std::vector<Gathered> rest(stretches);
    uint64_t seen = 0;
    for (auto& block : gathered_.blocks)
    {
        auto& into = rest[std::min<size_t>(seen / std::max<uint64_t>(stretch_rows, 1),
                                           stretches - 1)];
        seen += block.rows();
        into.blocks.push_back(std::move(block));
    }
    gathered_.blocks.clear();
    for (auto& one : rest)
        one.number = next_number_++;
    std::erase_if(rest, [](const Gathered& one) { return one.blocks.empty(); });
    if (!rest.empty())
    {
        builders_ += rest.size();
        run_parallel(rest.size(), [&](size_t i) { build(std::move(rest[i])); });
    }
    finish_parts();
}

void BulkInsert::finish_live()
{
    if (gathered_.blocks.empty())
        return;
    Block rows = concat_blocks(gathered_.blocks);
    gathered_.blocks.clear();
    // The keys are computed now: what cannot be computed must fail the insert, not the flush.
    const QueryContext& key_context = service_.key_context();
    auto partitions = split_by_partition({rows}, build_.metadata->partition_key, key_context,
                                         build_.max_partitions);
    std::vector<std::string> partition_ids;
    for (const auto& partition : partitions)
        partition_ids.push_back(partition.id);
    transaction_.touch_partitions(table_->uuid_, partition_ids);
    if (build_.combine && build_.metadata->merging.combines())
    {
        rows = combine_inserted(RowGatherer({rows}), partitions);
        if (rows.rows() == 0)
            return;
    }
    else if (!build_.metadata->sorting_key.expressions.empty())
        ExpressionProgram(build_.metadata->sorting_key.expressions, key_context).run(rows);
    const uint64_t version = build_.metadata_version;
    std::string payload;
    append_varint(payload, version);
    payload += encode_block(rows);
    transaction_.add_record(table_->uuid_, static_cast<uint8_t>(TableEditKind::Rows),
                            std::move(payload));
    transaction_.on_commit(
        [table = table_, transaction = &transaction_, version, rows = std::move(rows)]
        { table->append_live({rows, version}, transaction->sequence()); });
}

// What the engine makes of the rows of one insert, partition by partition.
Block BulkInsert::combine_inserted(const RowGatherer& rows,
                                   const std::vector<PartitionRows>& partitions) const
{
    const QueryContext& key_context = service_.key_context();
    std::vector<Block> blocks;
    const auto emit = [&](Block block) { blocks.push_back(std::move(block)); };
    for (const auto& partition : partitions)
    {
        KeyedCombiner combiner(*build_.metadata, key_context);
        combiner.add(sort_by_key(rows.take(partition.rows.data(), partition.rows.size()),
                                 *build_.metadata, key_context),
                     emit);
        combiner.finish(emit);
    }
    return blocks.empty() ? Block::empty_of(header_) : concat_blocks(blocks);
}

void BulkInsert::finish_parts()
{
    // The order of rows that have the same key, or no key at all, is that of the parts: earlier
    // rows first.
    if (build_.metadata->sorting_key.expressions.empty() || build_.metadata->merging.combines())
        table_->flush_live();
    std::vector<BuiltPart*> built;
    std::vector<std::string> partition_ids;
    for (auto& [number, parts] : built_)
        for (auto& part : parts)
        {
            built.push_back(&part);
            partition_ids.push_back(part.partition_id);
        }
    transaction_.touch_partitions(table_->uuid_, partition_ids);
    const auto names = table_->reserve_blocks(partition_ids);
    transaction_.on_rollback([table = table_, names] { table->release_blocks(names); });
    FileSystem& files = service_.files();
    std::vector<std::shared_ptr<Part>> parts;
    for (size_t i = 0; i < built.size(); ++i)
    {
        const std::string target =
            join_path(build_.table_path, "tmp_" + names[i].text());
        files.rename(built[i]->directory, target);
        built[i]->directory = target;
        parts.push_back(
            std::make_shared<Part>(files, target, names[i], std::move(built[i]->manifest)));
    }
    files.sync_directory(build_.table_path);
    failpoint(Failpoint::InsertBeforeCommit);
    table_->stage(transaction_, parts, {}, 0);
    built_.clear();
    is_bulk_ = false;
    --service_.bulk_inserts();
}

} // namespace basalt
