#pragma once

// The server's log: one write-ahead log for all tables. A record is one transaction. Committers
// that come together share one fdatasync. After a checkpoint, segments that nobody needs are
// removed. Layout on disk in docs/format/log.md.
//
// Start: open() reads the checkpoint and the segments behind it and stops at the torn tail; each
// table then attaches and is given its state and its edits. Replaying an edit that the state
// contains already must change nothing.
//
// Threads: every method from any thread. A table never calls the log while it holds a lock that
// its participant methods or its on_commit actions take.

#include "base/clock.h"
#include "base/profile_events.h"
#include "io/file_system.h"
#include "storage/log/checkpoint.h"
#include "storage/log/segment.h"
#include "storage/log/tokens.h"
#include "storage/transaction.h"

#include <condition_variable>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

namespace basalt
{

// A table, as the log sees it.
class LogParticipant
{
public:
    virtual ~LogParticipant() = default;
    // At attach, first: the state of the last checkpoint, when there is one.
    virtual void restore(std::string_view state) = 0;
    // At attach: an edit, in order of sequence. May be one that the state contains.
    virtual void replay(uint64_t sequence, uint8_t kind, std::string_view payload) = 0;
    // The state now, for a checkpoint: contains at least every edit whose actions have run.
    virtual std::string checkpoint_state() const = 0;
    // The first record whose rows stand in no part yet; UINT64_MAX when there is none.
    virtual uint64_t oldest_needed() const = 0;
};

struct ServerLogOptions
{
    std::string directory;
    uint64_t segment_bytes = 64 << 20;        // a new segment is begun past it
    uint64_t checkpoint_every_bytes = 64 << 20; // wants_checkpoint()
};

// Writes the log's reserve of space when it is not there and there is room.
void keep_log_reserve(FileSystem& files, const std::string& directory) noexcept;

class ServerLog
{
public:
    // Opens or makes the log. `report` is told of damage that was passed over; may be null.
    ServerLog(FileSystem& files, ServerLogOptions options, Clock& clock = system_clock(),
              std::function<void(const std::string&)> report = nullptr);
    ~ServerLog();

    std::unique_ptr<Transaction> begin();

    // Gives the participant what the log knows of the table: returns false when that is nothing.
    // The participant is used until detach(). keep: what was given is kept until attached(), so that a
    // table that cannot be opened after all loses nothing by detach().
    bool attach(const std::string& table_uuid, LogParticipant& participant, bool keep = false);
    void attached(const std::string& table_uuid);
    // The table's state is kept for a later attach; its live buffer must be empty.
    void detach(const std::string& table_uuid);
    // The table was dropped: its state, edits and tokens go with the transaction's commit.
    void forget(Transaction& transaction, const std::string& table_uuid);

    std::string value(const std::string& key) const; // of set_value; empty when absent
    std::map<std::string, std::string> values() const;

    // Runs it while no transaction is being applied: what it reads of several tables belongs to one
    // moment. It must not commit, and be short.
    void at_rest(const std::function<void()>& look);

    // Writes a checkpoint and removes segments that are not needed any more.
    void checkpoint();
    bool wants_checkpoint() const;
    // Tables that hold back segments should flush rows at or before this; 0 = none need to.
    uint64_t flush_wanted_through() const;

    uint64_t last_sequence() const;
    uint64_t applied_sequence() const; // all actions of transactions up to here have run
    uint64_t bytes_on_disk() const;
    // Records that were durable once are missing: tables must not take what they do not know for
    // leftovers.
    bool is_damaged() const { return is_damaged_; }
    // No checkpoint could be read: tables take the parts that they find.
    bool has_lost_checkpoint() const { return has_lost_checkpoint_; }

private:
    class LogTransaction;
    struct Commit;
    struct Segment
    {
        uint64_t first_sequence = 0;
        uint64_t bytes = 0;
        bool damaged = false;
    };
    using PendingEdit = LogCheckpoint::Edit;
    struct TableState
    {
        LogParticipant* participant = nullptr;
        bool known = false;               // a state or an edit was seen
        std::string state;                // of the checkpoint, until attached
        std::vector<PendingEdit> pending; // until attached
        uint64_t pending_of_checkpoint = 0; // the checkpoint brought edits up to here
        uint64_t needed_from = UINT64_MAX; // detached: edits that its state does not contain begin here
    };

    void open();
    void read_checkpoints();
    void begin_at_start();
    void replay_segment(size_t index, uint64_t checkpoint_sequence);
    void cut_torn_tail(Segment& segment, const std::string& path, uint64_t valid_bytes);
    void note_damage(const std::string& text);
    void apply_at_open(uint64_t sequence, LogRecord record, uint64_t checkpoint_sequence);
    void commit(Commit& commit);
    void lead(std::unique_lock<std::mutex>& lock);
    void apply(Commit& commit);
    void write_batch(const std::vector<Commit*>& batch);
    void recover_after_failure();
    void new_segment(uint64_t first_sequence);
    void remove_segments(uint64_t needed_from);
    std::vector<PendingEdit> read_edits(const std::string& table_uuid, uint64_t from);

    FileSystem& files_;
    ServerLogOptions options_;
    Clock& clock_;
    std::function<void(const std::string&)> report_;
    bool is_damaged_ = false;
    bool has_lost_checkpoint_ = false;
    uint64_t checkpoint_sequence_ = 0; // of the one that was read at the start
    uint64_t checkpoint_last_sequence_ = 0;

    mutable std::mutex mutex_; // queue, sequences, segments
    std::condition_variable done_;
    std::vector<Commit*> queue_;
    bool leading_ = false;
    uint64_t next_sequence_ = 1;
    uint64_t assigned_sequence_ = 0; // given to a batch that is being written or was
    uint64_t applied_sequence_ = 0;  // actions of everything up to here have run
    uint64_t bytes_since_checkpoint_ = 0;
    std::vector<Segment> segments_; // the last one is being written
    std::unique_ptr<SegmentWriter> writer_; // by the leader only
    bool writer_failed_ = false;

    mutable std::mutex tables_mutex_; // taken before mutex_ when both are
    std::map<std::string, TableState> tables_;
    std::map<std::string, std::string> values_;
    std::mutex checkpoint_mutex_; // one checkpoint at a time
    TokenRegistry tokens_;
};

} // namespace basalt
