#include "storage/mergetree/merge_tree_sink.h"

#include "base/error.h"

namespace basalt
{

std::unique_ptr<TableSink> MergeTreeTable::write(Transaction& transaction, QueryContextPtr context)
{
    check_is_there(error_codes::TABLE_IS_READ_ONLY);
    wait_for_room(*context);
    std::shared_ptr<BulkInsert> insert;
    {
        std::lock_guard lock(inserts_mutex_);
        std::erase_if(inserts_, [](const auto& entry) { return entry.second.expired(); });
        if (const auto known = inserts_.find(&transaction); known != inserts_.end())
            insert = known->second.lock();
        // A transaction may insert again after its rows were taken, and another may have come to
        // stand at the same address.
        if (!insert || !insert->join())
        {
            insert = std::make_shared<BulkInsert>(
                std::static_pointer_cast<MergeTreeTable>(shared_from_this()), transaction,
                std::move(context));
            insert->join();
            inserts_[&transaction] = insert;
        }
    }
    return std::make_unique<MergeTreeSink>(std::move(insert));
}

MergeTreeSink::~MergeTreeSink()
{
    if (!finished_)
        insert_->fail();
}

void MergeTreeSink::write(Block block)
{
    insert_->write(std::move(block));
}

void MergeTreeSink::finish()
{
    finished_ = true;
    insert_->leave();
}

} // namespace basalt
