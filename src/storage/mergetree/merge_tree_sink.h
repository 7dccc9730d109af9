#pragma once

#include "storage/mergetree/bulk_insert.h"

namespace basalt
{

// One stream of an insert. Sinks of one transaction into one table share a BulkInsert.
class MergeTreeSink final : public TableSink
{
public:
    explicit MergeTreeSink(std::shared_ptr<BulkInsert> insert) : insert_(std::move(insert)) {}
    ~MergeTreeSink() override;

    void write(Block block) override;
    void finish() override;

private:
    std::shared_ptr<BulkInsert> insert_;
    bool finished_ = false;
};

} // namespace basalt
