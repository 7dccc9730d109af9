#pragma once

// A table that follows one of PostgreSQL. Rows stand in a MergeTree of its own, each with a number;
// numbers only grow. An UPDATE is a new row and the death of the old one, a DELETE only a death, and
// which rows are dead is a bitmap in memory that goes through the server's log in the transaction
// that brings the new rows. A query sees the rows below a number that are not in the bitmap: one
// state, exactly, without FINAL and without sorting. Log layout: docs/format/replica.md.
//
// Threads: reading from any thread; what writes (reserve … abandon) from one at a time.

#include "base/clock.h"
#include "integrations/postgres/dead_rows.h"
#include "integrations/postgres/replica_progress.h"
#include "storage/mergetree/merge_tree_table.h"
#include "storage/table.h"

#include <functional>
#include <memory>
#include <mutex>

namespace basalt::pg
{

// Dead rows stay in parts until there are so many, and so great a share of all.
inline constexpr uint64_t kMinPurgedRows = 64 << 10;
inline constexpr double kPurgedShare = 0.3;

inline constexpr const char* kReplicaEngine = "MaterializedPostgreSQL";
// Hidden columns of the MergeTree.
inline constexpr const char* kNumberColumn = "_basalt_version";
inline constexpr const char* kHashColumn = "_basalt_hash"; // of all columns, where there is no key

class ReplicaTable final : public Table, private LogParticipant
{
public:
    struct State
    {
        DeadRows dead;
        uint64_t end = 0; // rows of this number and above are not visible
        uint64_t live_rows = 0;
        uint64_t changes = 0; // how many led here
    };
    using StatePtr = std::shared_ptr<const State>;

    // metadata: with the table's key as sorting key; without one, rows are found by kHashColumn.
    ReplicaTable(StorageService& service, TableName name, std::string uuid,
                 TableMetadataPtr metadata, bool attach);
    ~ReplicaTable() override;

    std::string engine_name() const override { return kReplicaEngine; }
    TableMetadataPtr metadata() const override { return metadata_; }
    TableName table_name() const override { return inner_->table_name(); }
    std::string uuid() const override { return uuid_; }
    // Waits for the setting postgres_min_lsn. TABLE_IS_DROPPED when the table was copied again
    // meanwhile: the rows are in the one that has its name then.
    std::unique_ptr<Scan> scan(const ScanRequest& request, QueryContextPtr context) override;
    std::unique_ptr<TableSink> write(Transaction& transaction, QueryContextPtr context) override;
    std::optional<uint64_t> total_rows() const override { return state()->live_rows; }
    std::optional<uint64_t> total_bytes() const override { return inner_->total_bytes(); }
    Header virtual_columns() const override { return inner_->virtual_columns(); }
    bool supports_final() const override { return true; } // there is nothing for it to do
    bool supports_prewhere() const override { return true; }
    bool supports_order() const override { return true; }
    bool supports_row_ids() const override { return true; }
    void truncate(QueryContextPtr context) override;
    void optimize(const OptimizeCommand& command, QueryContextPtr context) override;
    void rename(const TableName& name) override { inner_->rename(name); }
    void flush(QueryContextPtr context) override { inner_->flush(std::move(context)); }
    void shutdown() override;
    void drop() override;

    // The rows of an earlier state; null when merges have left out some of them since.
    std::unique_ptr<Scan> scan_at(const StatePtr& state, const ScanRequest& request,
                                  QueryContextPtr context);

    bool has_key() const { return !metadata_->sorting_key.expressions.empty(); }
    StatePtr state() const;
    MergeTreeTable& inner() { return *inner_; }
    StorageService& service() { return service_; }
    // What postgres_min_lsn waits for; null while nobody follows.
    void set_progress(std::shared_ptr<ReplicaProgress> progress);
    // Behind until told otherwise.
    void set_standing(Standing standing);

    // Numbers for `rows` rows; the first of them.
    uint64_t reserve(uint64_t rows);
    uint64_t next_number() const { return next_number_; }
    // Adds rows with numbers from reserve() to the transaction; they become visible by a later
    // stage(). `block` has the table's columns and the hidden ones.
    void write_rows(Transaction& transaction, Block block, QueryContextPtr context);
    struct Change
    {
        std::vector<RowRange> dead;
        uint64_t killed = 0;   // of rows that are visible or became so by this change
        uint64_t inserted = 0;
        uint64_t dead_below = 0; // TRUNCATE: every row of a lower number; not counted in killed
    };
    // Adds to the transaction: all rows that were numbered become visible, but for the dead.
    void stage(Transaction& transaction, const Change& change);
    // Rows that were numbered since the last stage() will never be visible.
    void abandon();
    // Rewrites parts when many of their rows are dead. From any thread; takes as long as a merge.
    void purge();

private:
    void wait_for(Lsn lsn, const QueryContext& context);
    void restore(std::string_view state) override;
    void replay(uint64_t sequence, uint8_t kind, std::string_view payload) override;
    std::string checkpoint_state() const override;
    uint64_t oldest_needed() const override { return UINT64_MAX; }

    StorageService& service_;
    const std::string uuid_;
    const TableMetadataPtr metadata_;
    std::shared_ptr<MergeTreeTable> inner_;

    mutable std::mutex mutex_;
    StatePtr state_ = std::make_shared<State>();
    uint64_t purged_through_ = 0; // State::changes: deaths of later states were never purged
    uint64_t reserved_ = 0; // rows below it may stand in the MergeTree
    std::shared_ptr<ReplicaProgress> progress_;
    Standing standing_ = Standing::Behind;
    Lsn complete_; // a reader has waited for it: all that committed before is visible for good
    bool shut_down_ = false;
    bool dropped_ = false;

    std::atomic<uint64_t> next_number_{0}; // by who writes
    std::vector<RowRange> abandoned_;
};

// Where the MergeTree of a table keeps its parts: the table's UUID with another version digit.
std::string inner_uuid(std::string uuid);

} // namespace basalt::pg
