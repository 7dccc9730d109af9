#pragma once

// The MergeTree engine: immutable parts sorted by key, a live buffer for small inserts, merges and
// mutations in the background. Descriptions of its parts: table_info.h.
//
// Locks: mutex_ guards the lists and is never held while the log, the disk or a condition is
// waited for. Parts that a merge, mutation or ALTER works on are marked busy.

#include "storage/mergetree/column_history.h"
#include "storage/mergetree/live_buffer.h"
#include "storage/mergetree/part.h"
#include "storage/mergetree/part_merger.h"
#include "storage/mergetree/table_info.h"
#include "storage/mergetree/table_log.h"
#include "storage/storage_service.h"
#include "storage/table.h"

#include <condition_variable>
#include <deque>
#include <map>
#include <mutex>
#include <set>

namespace basalt
{

// Names of folders that wait to be removed. Outlives the table: parts held by queries may be let
// go of after it.
struct OutdatedFolders
{
    std::mutex mutex;
    std::set<std::string> names;               // not yet removed
    std::vector<std::string> free_directories; // nobody reads them any more
};

class BulkInsert;
class RowMutation;

// What a query sees of the table.
struct TableSnapshot
{
    TableMetadataPtr metadata;
    std::shared_ptr<const ColumnHistory> history;
    std::vector<PartPtr> parts; // by partition and block number
    std::vector<LiveBlock> live;
};

// Whether work that failed waits for its time. Not when the clock was set back by more than any pause.
inline bool is_pausing(int64_t now_unix_s, int64_t retry_unix_s)
{
    constexpr int64_t kLongestPause_s = 256;
    return now_unix_s < retry_unix_s && retry_unix_s - now_unix_s <= kLongestPause_s;
}

class MergeTreeTable final : public Table, private LogParticipant, private BackgroundClient
{
public:
    // attach: its data exists. engine: MergeTree or one that combines rows (the metadata's
    // `merging` says how), or Log, StripeLog, TinyLog, which are the same without keys: rows stay in
    // the order in which they came.
    MergeTreeTable(StorageService& service, std::string engine, TableName name, std::string uuid,
                   TableMetadataPtr metadata, bool attach);
    ~MergeTreeTable() override;

    std::string engine_name() const override { return engine_; }
    TableMetadataPtr metadata() const override;
    TableName table_name() const override;
    std::string uuid() const override { return uuid_; }
    std::unique_ptr<Scan> scan(const ScanRequest& request, QueryContextPtr context) override;
    std::unique_ptr<TableSink> write(Transaction& transaction, QueryContextPtr context) override;
    Header virtual_columns() const override;
    std::optional<uint64_t> total_rows() const override;
    std::optional<uint64_t> total_bytes() const override;
    // Of the engines that combine rows. FINAL of Log and its kind does nothing.
    bool supports_final() const override { return engine_ != "MergeTree"; }
    bool supports_prewhere() const override { return true; }
    bool supports_order() const override { return true; }
    bool supports_row_ids() const override { return true; }
    bool keeps_tokens() const override { return true; }
    void alter(TableMetadataPtr metadata, const std::vector<MutationCommand>& commands,
               QueryContextPtr context) override
    {
        const bool wait = context->settings.get_uint("alter_sync") > 0;
        const auto rest = alter_to(std::move(metadata), commands, "", context);
        if (!rest.empty())
            mutate(rest, wait, std::move(context));
    }
    // alter() that logs the statement which the catalog will keep: a crash before it does changes
    // nothing. Returns what is left to do to the parts, by mutate(), once the catalog has it: the
    // statement has happened, whether that works or not.
    [[nodiscard]] std::vector<MutationCommand> alter_to(
        TableMetadataPtr metadata, const std::vector<MutationCommand>& commands,
        std::string create_text, QueryContextPtr context);
    // The statement of the last ALTER in the log; empty when there is none.
    std::string logged_create_text() const;
    // The description that follows from it, when the catalog had an older one at the start.
    void finish_alter(TableMetadataPtr metadata);
    void mutate(const std::vector<MutationCommand>& commands, bool wait,
                QueryContextPtr context) override;
    void change_partition(const PartitionCommand& command, QueryContextPtr context) override;
    void optimize(const OptimizeCommand& command, QueryContextPtr context) override;
    void truncate(QueryContextPtr context) override;
    void rename(const TableName& name) override;
    void flush(QueryContextPtr context) override;
    void shutdown() override;
    void drop() override;

    // For system tables.
    std::vector<PartInfo> part_infos() const;
    std::vector<MergeInfo> merge_infos() const;
    std::vector<MutationInfo> mutation_infos() const;
    std::vector<PartEvent> part_events() const; // oldest first
    std::vector<DetachedPartInfo> detached_part_infos() const;
    LiveBufferInfo live_buffer_info() const;
    std::string data_path() const { return path_; }
    // CHECK TABLE; of a partition or one part when they are given. Nothing is changed.
    std::vector<CheckedPart> check_parts(const std::string& partition_id,
                                         const std::string& part_name,
                                         const QueryContext& context);
    // SYSTEM STOP MERGES: neither merges nor mutations nor TTL begin, those under way are cancelled.
    void hold_merges(bool hold);
    // False when there is no such mutation or it is done.
    bool kill_mutation(const std::string& id);

    // What rows must meet to get through a merge, asked for when one begins; null: all do.
    using KeepCondition = std::function<ExpressionPtr(const QueryContext&)>;
    void set_keep_condition(KeepCondition condition);
    // Rewrites parts of whose rows at least this share would not get through; returns how many.
    size_t rewrite_parts(double share);

    TableSnapshot snapshot() const;

    // RESTORE (merge_tree_restore.cpp). First the history of columns under which the parts were
    // written: throws CANNOT_RESTORE_TABLE when they would be misread here. Then parts in folders of
    // restore_folder(), which become the table's with the transaction.
    std::string restore_folder();
    void adopt_history(uint64_t version, const std::vector<ColumnEvent>& events);
    void stage_restored(Transaction& transaction, const std::vector<std::string>& folders);
    StorageService& service() { return service_; }

private:
    friend class BulkInsert;
    friend class PartsChange;

    struct Running // a merge or mutation under way
    {
        MergeInfo info;
        std::atomic<uint64_t> rows_read{0};
        std::atomic<bool> cancelled{false};
    };
    struct Failure
    {
        std::string part;
        std::string reason;
        int64_t unix_s = 0;
    };
    struct MergePlan
    {
        std::vector<std::shared_ptr<Part>> sources;
        PartName result;
        std::shared_ptr<Running> running;
        MergeOptions options;
    };

    struct MutationPlan
    {
        MergePlan merge; // of one part
        std::vector<MutationCommand> commands; // bound to `metadata`
        TableMetadataPtr metadata;
        std::shared_ptr<const ColumnHistory> history;
        uint64_t first_version = 0;
        uint64_t version = 0; // of the last mutation
    };

    // LogParticipant
    void restore(std::string_view state) override;
    void replay(uint64_t sequence, uint8_t kind, std::string_view payload) override;
    std::string checkpoint_state() const override;
    uint64_t oldest_needed() const override;
    // BackgroundClient
    bool short_step() override;
    bool long_step() override;

    // merge_tree_damage.cpp
    bool set_aside_suspects();
    bool confirm_damage(const Part& part, std::string& problem);
    // Throws when the parts that the log lists are not there at all (see absent_).
    void check_is_there(int error_code) const;
    void open_listed_parts(const std::vector<std::pair<std::string, PartName>>& listed);
    std::shared_ptr<Part> open_listed_part(const std::string& name_text, const PartName& name);
    void adopt_covering(const std::set<std::string>& folders);

    // merge_tree_open.cpp
    void open(bool attach);
    bool is_away() const;
    void load_parts(bool adopt);
    void set_aside(const std::string& folder, const std::string& reason);
    void replay_rows();

    // merge_tree_parts.cpp
    std::vector<PartName> reserve_blocks(const std::vector<std::string>& partition_ids);
    void release_blocks(const std::vector<PartName>& names);
    void stage(Transaction& transaction, const std::vector<std::shared_ptr<Part>>& added,
               const std::vector<std::shared_ptr<Part>>& removed, uint64_t flushed_through,
               bool keep_removed_folders = false, const std::string& detached_prefix = "");
    void publish(const std::vector<std::shared_ptr<Part>>& added,
                 const std::vector<std::shared_ptr<Part>>& removed, uint64_t flushed_through,
                 bool keep_removed_folders, const std::string& detached_prefix);
    void note_parts(const std::vector<std::shared_ptr<Part>>& added,
                    const std::vector<std::shared_ptr<Part>>& removed);
    std::string detached_path(const std::string& name) const;
    void make_outdated(Part& part);
    void append_live(LiveBlock block, uint64_t sequence);
    void count_live(); // the lock is held
    bool remove_outdated();
    std::vector<std::shared_ptr<Part>> lock_parts(const std::string& partition_id,
                                                  const std::string& part_name);
    void unlock_parts(const std::vector<std::shared_ptr<Part>>& parts);
    std::string temporary_path(const std::string& prefix);

    // merge_tree_flush.cpp
    bool flush_due() const;
    void flush_live();
    void wait_for_room(const QueryContext& context);
    void wait_for_disk(const QueryContext& context);

    // merge_tree_merge.cpp
    static PartName merged_name(const std::vector<std::shared_ptr<Part>>& sources);
    bool may_join(const Part& left, const Part& right) const;
    std::optional<MergePlan> plan_merge();
    MergePlan start_plan(std::vector<std::shared_ptr<Part>> sources, MergeOptions options);
    void end_plan(MergePlan& plan, bool failed);
    bool merge_once();
    void run_merge(MergePlan& plan, const QueryContext& context);
    void write_merged(MergePlan& plan, const QueryContext& context);
    void merge_partition(const std::string& partition_id, bool rewrite_single,
                         const MergeOptions& options, const QueryContext& context);

    // merge_tree_keep.cpp
    ExpressionPtr keep_condition(const QueryContext& context) const;

    // merge_tree_ttl.cpp
    static bool has_ttl(const TableMetadata& metadata);
    static uint64_t size_cap(const TableMetadata& metadata); // 0: none
    uint64_t max_merged_bytes(const TableMetadata& metadata) const;
    std::vector<MutationCommand> ttl_commands(TableMetadataPtr& metadata) const;
    std::unique_ptr<Scan> scan_part(const PartPtr& part, const TableMetadataPtr& metadata,
                                    const ScanRequest& request);
    bool has_row(const PartPtr& part, const TableMetadataPtr& metadata,
                 const ExpressionPtr& filter);
    std::string due_codec(const std::vector<PartPtr>& parts, const TableMetadataPtr& metadata,
                          const std::vector<MutationCommand>& commands);
    static bool has_other_codec(const Part& part, const TableMetadata& metadata,
                                const std::string& codec);
    bool has_due_group(const PartPtr& part, const TableMetadataPtr& metadata,
                       const std::vector<MutationCommand>& commands);
    bool drop_part(const std::shared_ptr<Part>& part);
    bool drop_over_cap(const TableMetadata& metadata);
    bool rewrite_part(const std::shared_ptr<Part>& part);
    bool expire_once();

    // merge_tree_mutate.cpp
    bool mutate_once();
    bool finish_mutations();
    void bind_mutations();
    std::optional<MutationPlan> plan_mutation();
    void write_mutated(MutationPlan& plan, const QueryContext& context);
    bool mutation_touches(const PartPtr& part, const RowMutation& mutation,
                          const TableMetadata& metadata, const ColumnHistory& history,
                          const std::function<void(uint64_t)>& before_block,
                          const QueryContext& context) const;
    void wait_for_mutation(uint64_t version, const QueryContext& context);
    void check_mutations_spare(const std::string& column);
    // merge_tree_alter.cpp
    void check_values_fit(const TableMetadata& before, const TableMetadataPtr& after,
                          const std::shared_ptr<const ColumnHistory>& history,
                          const std::vector<MutationCommand>& commands, QueryContextPtr context);
    void check_key_default(const std::string& name, const TableMetadata& before,
                           const TableMetadata& after);

    // merge_tree_partitions.cpp
    std::vector<std::shared_ptr<Part>> take_parts(const std::string& partition_id,
                                                  const std::string& part_name);
    void remove_parts(const std::string& partition_id, const std::string& part_name,
                      bool keep_folders);
    void remove_written_parts(const std::string& partition_id, const std::string& part_name,
                              bool keep_folders);
    void attach_parts(const PartitionCommand& command);
    // At a start: makes of each half attached folder what the log says it is, and ends removals.
    void settle_attaching();
    void drop_detached(const PartitionCommand& command);

    // merge_tree_freeze.cpp
    void freeze(const PartitionCommand& command);
    void unfreeze(const PartitionCommand& command);

    StorageService& service_;
    const std::string engine_;
    const std::string uuid_;
    const std::string path_;

    mutable std::mutex mutex_;
    std::condition_variable changed_; // parts, busy marks, live rows, mutations
    TableName name_;
    TableMetadataPtr metadata_;
    std::shared_ptr<const ColumnHistory> history_;
    AlteredEntry altered_; // the last
    std::map<PartName, std::shared_ptr<Part>> parts_;
    std::set<PartName> busy_;
    std::multiset<uint64_t> reserved_; // block numbers of inserts that are being committed
    uint64_t next_block_ = 1;
    LiveBuffer live_;
    uint64_t flushed_through_ = 0;
    std::map<uint64_t, MutationEntry> mutations_;
    std::map<uint64_t, std::vector<MutationCommand>> bound_mutations_;
    std::map<uint64_t, Failure> mutation_failures_;
    std::vector<std::shared_ptr<Running>> running_;
    std::deque<PartEvent> part_events_;
    int64_t retry_merges_unix_s_ = 0; // after a failure
    uint32_t failed_merges_ = 0;
    int64_t retry_flush_unix_s_ = 0;
    std::string flush_failure_; // of the last flush; empty: it succeeded
    uint64_t counted_live_bytes_ = 0; // in the service's sum
    int64_t next_look_unix_s_ = 0; // for what is over
    std::map<std::string, int64_t> next_rewrite_unix_s_; // by partition
    // Parts that the log lists while no folder of any is there, as when a volume is not mounted:
    // the table is neither read nor written, and its list stays as it is.
    std::set<std::string> absent_;
    int64_t next_suspect_look_unix_s_ = 0;
    int merges_stopped_ = 0;
    bool merges_held_ = false; // counts as one of merges_stopped_
    bool shut_down_ = false;
    bool dropped_ = false;
    KeepCondition keep_condition_;

    std::mutex inserts_mutex_;
    std::map<const Transaction*, std::weak_ptr<BulkInsert>> inserts_; // that have open sinks

    std::mutex flush_mutex_; // one flush at a time
    std::mutex alter_mutex_; // one ALTER at a time
    std::shared_ptr<OutdatedFolders> outdated_ = std::make_shared<OutdatedFolders>();

    // While it is being opened: what the log told.
    bool opening_ = true;
    TableLogState restored_;
    std::vector<std::pair<uint64_t, std::string>> restored_rows_;
};

// What the binder of mutations makes commands of that delete and clear what is over now.
inline constexpr const char* kMaterializeTtl = "(MATERIALIZE TTL)";

// How the log and system.mutations name the dropping of an index.
std::string drop_index_text(const std::string& name);

// Sorted by the table's sorting key; is_sorted input is returned as it is.
Block sort_by_key(const Block& block, const TableMetadata& metadata, const QueryContext& context);

} // namespace basalt
