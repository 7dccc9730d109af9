#pragma once

// The rows that one transaction inserts into one table, from all streams of the INSERT. Few rows
// go into the transaction for the live buffer; past the service's limits parts are made of them:
// by the threads that bring the rows when those are many (while one builds, the others bring more),
// else by threads of their own.
// Memory: insert_part_bytes for each part under way and for what is gathering, charged to the
// query. Threads: all methods from any.

#include "encodings/text_compactor.h"
#include "storage/mergetree/merge_tree_table.h"
#include "storage/mergetree/part_builder.h"
#include "storage/mergetree/partition.h"
#include "storage/mergetree/row_combiner.h"
#include "columns/row_gatherer.h"

#include <condition_variable>
#include <exception>
#include <future>
#include <map>
#include <mutex>
#include <vector>

namespace basalt
{

class BulkInsert
{
public:
    BulkInsert(std::shared_ptr<MergeTreeTable> table, Transaction& transaction,
               QueryContextPtr context);
    ~BulkInsert(); // parts that did not get into the transaction are removed

    // A stream more that brings rows. False when the rows are in the transaction already.
    bool join();
    // Blocks while enough parts are being built.
    void write(Block block);
    // A stream has brought all its rows; with the last one they go into the transaction.
    void leave();
    // A stream ended by an error: nothing of this insert will be wanted.
    void fail();

private:
    struct Gathered
    {
        std::vector<Block> blocks;
        uint64_t rows = 0;
        uint64_t bytes = 0;
        MemoryCharge charge;
        size_t number = 0; // in the order in which rows came
    };

    bool is_full() const;
    bool is_large(uint64_t rows, uint64_t bytes) const;
    [[noreturn]] void throw_failure() const;
    Gathered take();
    void build(Gathered gathered);
    void finish();
    void finish_live();
    Block combine_inserted(const RowGatherer& rows,
                           const std::vector<PartitionRows>& partitions) const;
    void finish_parts();

    std::shared_ptr<MergeTreeTable> table_;
    Transaction& transaction_;
    QueryContextPtr context_;
    StorageService& service_;
    PartBuildOptions build_;
    Header header_;
    std::unique_ptr<TextCompactor> compactor_;
    size_t builders_limit_;
    uint64_t part_bytes_;

    std::mutex mutex_;
    std::condition_variable built_one_;
    Gathered gathered_;
    size_t streams_ = 0;
    size_t builders_ = 0;
    std::vector<std::future<void>> background_; // building; what fails is in failure_
    std::map<size_t, std::vector<BuiltPart>> built_; // by Gathered::number
    size_t next_number_ = 0;
    bool is_bulk_ = false;
    bool has_compacted_ = false; // some blocks, which the live buffer cannot take
    bool failed_ = false;
    std::exception_ptr failure_; // of building, when that is what failed
    bool finished_ = false;
};

} // namespace basalt
