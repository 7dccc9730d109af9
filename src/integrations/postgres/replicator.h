#pragma once

// Makes a database of ours follow tables of a PostgreSQL database: publishes them, copies them, then
// applies what commits there. A thread of its own does all of it and never gives up: it connects
// again after longer and longer pauses. What a batch of PostgreSQL's transactions changed and the
// position behind them go through the log in one transaction; the slot is told of a position only
// after that. So each change is applied exactly once, whatever is killed when.
//
// A table that cannot be followed is named in status() with its reason and tried again; the others
// go on. A table that is out of step (its definition changed, or rows are not what they should be)
// is copied again.
//
// Values in the log: postgresql/database/<uuid> the position and PostgreSQL's system identifier,
// postgresql/table/<uuid> see CopyState.
// Threads: all public methods from any.

#include "engine/engine.h"
#include "integrations/postgres/replica_options.h"
#include "integrations/postgres/table_copy.h"
#include "integrations/postgres/table_writer.h"
#include "postgres/publication.h"
#include "postgres/replication_stream.h"

#include <array>
#include <condition_variable>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

namespace basalt::pg
{

struct ReplicaTableStatus
{
    std::string table;  // ours
    std::string source; // schema.name in PostgreSQL
    std::string state;  // copying, following, inserts only, failed, dropped
    std::string error;
    int64_t error_unix_s = 0;
    uint64_t copied_rows = 0;
    uint64_t copies = 0;
    uint64_t inserted = 0, updated = 0, deleted = 0, truncated = 0;
};

struct ReplicaStatus
{
    std::string database;
    std::string source; // host:port/database
    std::string state;  // connecting, copying, following, stopped
    std::string error;  // the last
    int64_t error_unix_s = 0;
    uint64_t connections = 0;
    std::string slot;
    std::string slot_status;
    uint64_t slot_retained_bytes = 0;
    Lsn server, received, applied;
    int64_t lag_ms = 0; // age of the oldest commit that is not visible here; 0 when all are
    // From commit in PostgreSQL to visibility here, of the last kLagSamples transactions.
    int64_t lag_p50_ms = 0, lag_p99_ms = 0, lag_max_ms = 0;
    uint64_t transactions = 0;
    std::vector<ReplicaTableStatus> tables;
};

// One comparison of a range of keys on both sides, as of one moment of PostgreSQL.
struct ConsistencyResult
{
    std::string table;
    std::string range; // a condition, or "all"
    std::string result; // same, different
    int64_t unix_s = 0;
    Lsn lsn;
    uint64_t postgres_rows = 0, basalt_rows = 0;
    uint64_t postgres_hash = 0, basalt_hash = 0; // sums of the rows' hashes
};

class Replicator
{
public:
    static constexpr size_t kKeptResults = 1000;
    static constexpr size_t kLagSamples = 8192;

    Replicator(Engine& engine, std::string database, const std::string& database_uuid,
               ReplicaOptions options);
    ~Replicator();

    void start();
    void stop();
    // After stop(), when the database is dropped: removes slot and publications. Errors are told
    // to the server's log.
    void drop_remote();
    ReplicaStatus status() const;
    std::vector<ConsistencyResult> consistency() const; // the last ones

private:
    // The state of a table that has exactly the transactions that a snapshot sees.
    struct StateRequest
    {
        uint32_t oid = 0;
        XidSnapshot snapshot;
        Lsn until; // every transaction that it sees ends before
        std::shared_ptr<ReplicaTable> table;
        ReplicaTable::StatePtr state;
        bool is_new = true;
        bool done = false; // without a state: it cannot be had
    };
    // What is to be compared, by our name of the table.
    struct CheckedTable
    {
        std::shared_ptr<ReplicaTable> table;
        SourceTable source;
        std::string next; // key from which the next range begins; empty: from the first on
    };

    struct Followed
    {
        std::shared_ptr<ReplicaTable> table;
        std::unique_ptr<TableWriter> writer; // null: failed or gone
        SourceTable source;
        CopyState copy;
        bool past_copy = false;   // every transaction that the copy saw has gone by
        bool out_of_step = false;
        uint32_t failures = 0;
        int64_t next_try_ms = 0;
        uint64_t inserted = 0, updated = 0, deleted = 0, truncated = 0; // not yet in the status
    };

    // replicator.cpp
    void run();
    void follow();
    void prepare_slot();
    void start_anew(const std::string& system_identifier, const std::string& why);
    void stream_changes();
    void pause(int64_t ms);
    void note_error(const std::string& text);
    bool stopping() const { return stop_.load(); }

    // replicator_tables.cpp
    std::vector<SourceTable> wanted_tables();
    void own_identities(std::vector<SourceTable>& tables);
    std::set<uint32_t> publish(const std::vector<SourceTable>& tables);
    void refresh_tables();
    void adopt(const SourceTable& source);
    void rename_followed(Followed& followed, const SourceTable& source);
    void copy(const std::vector<SourceTable>& tables);
    void follow_copy(const SourceTable& source, std::shared_ptr<ReplicaTable> table,
                     const CopyState& state);
    void fail_table(Followed& followed, const std::string& text);
    void note_table(const SourceTable& source, const std::string& state, const std::string& error);
    void remove_leftovers();
    void update_server_status();

    // replicator_check.cpp
    void check();
    void check_range(CheckedTable& checked);
    bool request_state(StateRequest& request);
    void serve_request(const BeginMessage* begin);
    bool has_begun_unseen(const XidSnapshot& snapshot) const;
    bool has_request() const;
    void list_checked();

    // replicator_apply.cpp
    void handle(const ReplicationMessage& message);
    void fall_behind(Followed& followed);
    void on_relation(const RelationMessage& relation);
    template <class Apply> void change(uint32_t oid, uint64_t Followed::*counter, Apply apply);
    Followed* followed_now(uint32_t oid);
    void flush();
    void count_lags(int64_t now_us);
    size_t gathered_rows() const;

    Engine& engine_;
    const std::string database_;
    const std::string checkpoint_key_;
    const ReplicaOptions options_;
    const std::string slot_;
    const Publications publications_;
    std::shared_ptr<ReplicaProgress> progress_ = std::make_shared<ReplicaProgress>();

    std::thread thread_;
    std::atomic<bool> stop_{false};
    std::mutex pause_mutex_;
    std::condition_variable pause_end_;

    // By the thread.
    std::unique_ptr<Connection> control_;
    std::unique_ptr<ReplicationStream> stream_;
    PgOutputParser parser_;
    std::map<uint32_t, Followed> followed_; // by PostgreSQL's oid
    std::string system_identifier_;
    Lsn applied_;  // everything before it is durable here
    Lsn pending_;  // behind the last transaction that is gathered
    bool in_transaction_ = false;
    bool skip_transaction_ = false; // applied before
    BeginMessage transaction_;
    std::vector<int64_t> pending_commits_us_;
    int64_t batch_began_ms_ = 0;
    bool slot_is_new_ = false;
    bool wants_refresh_ = false;
    int64_t checkpoint_written_ms_ = 0;

    std::thread checker_;
    mutable std::mutex check_mutex_;
    std::condition_variable check_answered_;
    StateRequest* request_ = nullptr;
    // Of the last transactions that began here, a ring: one that a snapshot does not see came too soon
    // for the request that brings this snapshot.
    static constexpr size_t kKeptXids = 256;
    std::vector<uint32_t> begun_xids_;
    size_t next_xid_ = 0;
    std::map<std::string, CheckedTable> checked_; // tables that are followed whole
    std::vector<ConsistencyResult> results_;

    mutable std::mutex status_mutex_;
    ReplicaStatus status_;
    std::map<std::string, ReplicaTableStatus> table_status_; // by our name
    std::vector<int64_t> lags_ms_; // a ring
    size_t lag_at_ = 0;
    int64_t last_commit_us_ = 0;
};

} // namespace basalt::pg
