#pragma once

#include "storage/mergetree/merge_tree_table.h"
#include "storage/mergetree/part_builder.h"
#include "storage/mergetree/partition.h"

#include <deque>
#include <future>

namespace basalt
{

// Small inserts go into the transaction as rows for the live buffer; past the service's limits
// parts are written, on several threads, while more rows come in. Memory: insert_part_bytes for
// each thread and for what is gathering, charged to the query.
class MergeTreeSink final : public TableSink
{
public:
    MergeTreeSink(std::shared_ptr<MergeTreeTable> table, Transaction& transaction,
                  QueryContextPtr context);
    ~MergeTreeSink() override;

    void write(Block block) override;
    void finish() override;

private:
    void start_part();
    void collect_one();
    void finish_live();
    void split_check(const Block& rows) const;
    void finish_parts();

    std::shared_ptr<MergeTreeTable> table_;
    Transaction& transaction_;
    QueryContextPtr context_;
    StorageService& service_;
    PartBuildOptions build_;
    Header header_;
    size_t threads_;
    uint64_t part_bytes_;
    std::vector<Block> gathered_;
    uint64_t gathered_rows_ = 0;
    uint64_t gathered_bytes_ = 0;
    MemoryCharge charge_;
    std::deque<std::future<std::vector<BuiltPart>>> building_;
    std::vector<BuiltPart> built_;
    bool is_bulk_ = false;
};

} // namespace basalt
