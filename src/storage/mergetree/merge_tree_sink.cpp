#include "storage/mergetree/merge_tree_sink.h"

#include "base/error.h"
#include "storage/block_bytes.h"

#include <algorithm>
#include <fmt/format.h>

namespace basalt
{

namespace
{

// Writers of one insert; more than the cores brings nothing.
constexpr size_t kMaxWriters = 8;

size_t writers_of(const QueryContext& context)
{
    const size_t wanted = context.settings.get_uint("max_insert_threads");
    return std::clamp<size_t>(wanted ? wanted : std::min<size_t>(context.max_threads(), 2), 1,
                              kMaxWriters);
}

} // namespace

std::unique_ptr<TableSink> MergeTreeTable::write(Transaction& transaction, QueryContextPtr context)
{
    wait_for_room(*context);
    return std::make_unique<MergeTreeSink>(
        std::static_pointer_cast<MergeTreeTable>(shared_from_this()), transaction,
        std::move(context));
}

MergeTreeSink::MergeTreeSink(std::shared_ptr<MergeTreeTable> table, Transaction& transaction,
                             QueryContextPtr context)
    : table_(std::move(table)), transaction_(transaction), context_(std::move(context)),
      service_(table_->service()), threads_(writers_of(*context_)),
      part_bytes_(service_.options().insert_part_bytes), charge_(&context_->memory, 0)
{
    const TableSnapshot snapshot = table_->snapshot();
    build_.metadata = snapshot.metadata;
    build_.metadata_version = snapshot.history->version();
    build_.table_path = table_->data_path();
    build_.max_partitions = context_->settings.get_uint("max_partitions_per_insert_block");
    header_ = snapshot.metadata->physical_header();
    // All writers together stay within half of the query's limit.
    if (const size_t limit = context_->memory.limit_bytes())
        part_bytes_ = std::clamp<uint64_t>(limit / (2 * (threads_ + 1)), 1 << 20, part_bytes_);
}

MergeTreeSink::~MergeTreeSink()
{
    while (!building_.empty())
    {
        try
        {
            collect_one();
        }
        catch (const std::exception&)
        {
            // The insert has failed already.
        }
    }
    remove_built_parts(service_, built_);
    if (is_bulk_)
        --service_.bulk_inserts();
}

void MergeTreeSink::write(Block block)
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
    const uint64_t bytes = ordered.byte_size();
    gathered_rows_ += ordered.rows();
    gathered_bytes_ += bytes;
    charge_.resize(charge_.bytes() + bytes);
    gathered_.push_back(std::move(ordered));
    if (gathered_rows_ >= service_.options().insert_part_rows || gathered_bytes_ >= part_bytes_)
        start_part();
}

void MergeTreeSink::start_part()
{
    if (!is_bulk_)
    {
        is_bulk_ = true;
        ++service_.bulk_inserts();
    }
    while (building_.size() >= threads_)
        collect_one();
    auto blocks = std::make_shared<std::vector<Block>>(std::move(gathered_));
    auto charge = std::make_shared<MemoryCharge>(std::move(charge_));
    charge_ = MemoryCharge(&context_->memory, 0);
    gathered_.clear();
    gathered_rows_ = gathered_bytes_ = 0;
    building_.push_back(std::async(std::launch::async,
                                   [this, blocks, charge]
                                   {
                                       // Sorting holds the rows twice.
                                       Block rows = blocks->size() == 1
                                                        ? std::move(blocks->front())
                                                        : concat_blocks(*blocks);
                                       blocks->clear();
                                       charge->resize(2 * rows.byte_size());
                                       return build_parts(service_, rows, build_);
                                   }));
}

void MergeTreeSink::collect_one()
{
    auto oldest = std::move(building_.front());
    building_.pop_front();
    for (auto& part : oldest.get())
        built_.push_back(std::move(part));
}

void MergeTreeSink::finish()
{
    const auto& options = service_.options();
    if (!is_bulk_ && gathered_rows_ <= options.direct_insert_rows &&
        gathered_bytes_ <= options.direct_insert_bytes)
    {
        finish_live();
        return;
    }
    if (!gathered_.empty())
        start_part();
    while (!building_.empty())
        collect_one();
    finish_parts();
}

void MergeTreeSink::finish_live()
{
    if (gathered_.empty())
        return;
    Block rows = concat_blocks(gathered_);
    gathered_.clear();
    // The keys are computed now: what cannot be computed must fail the insert, not the flush.
    split_check(rows);
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

void MergeTreeSink::split_check(const Block& rows) const
{
    split_by_partition(rows, build_.metadata->partition_key, service_.key_context(),
                       build_.max_partitions);
    if (!build_.metadata->sorting_key.expressions.empty())
        ExpressionProgram(build_.metadata->sorting_key.expressions, service_.key_context())
            .run(rows);
}

void MergeTreeSink::finish_parts()
{
    // Without a key the order of rows is that of the parts: earlier rows first.
    if (build_.metadata->sorting_key.expressions.empty())
        table_->flush_live();
    std::vector<std::string> partition_ids;
    for (const auto& part : built_)
        partition_ids.push_back(part.partition_id);
    const auto names = table_->reserve_blocks(partition_ids);
    transaction_.on_rollback([table = table_, names] { table->release_blocks(names); });
    FileSystem& files = service_.files();
    std::vector<std::shared_ptr<Part>> parts;
    for (size_t i = 0; i < built_.size(); ++i)
    {
        const std::string target =
            join_path(build_.table_path, "tmp_" + names[i].text());
        files.rename(built_[i].directory, target);
        built_[i].directory = target;
        parts.push_back(
            std::make_shared<Part>(files, target, names[i], std::move(built_[i].manifest)));
    }
    files.sync_directory(build_.table_path);
    table_->stage(transaction_, parts, {}, 0);
    built_.clear();
    if (is_bulk_)
    {
        is_bulk_ = false;
        --service_.bulk_inserts();
    }
}

} // namespace basalt
