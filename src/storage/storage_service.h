#pragma once

// What all tables of a server share: the data folder, the log, background threads, limits.
// Layout of the folder: log/ (docs/format/log.md), store/<xxx>/<uuid>/ (a table's parts).
// Threads: every method from any thread.

#include "base/query_context.h"
#include "io/file_system.h"
#include "storage/background.h"
#include "storage/log/server_log.h"
#include "storage/table.h"

#include <atomic>
#include <functional>
#include <memory>
#include <mutex>
#include <string>

namespace basalt
{

struct StorageOptions
{
    std::string path;
    std::string server_timezone = "UTC";
    size_t merge_threads = 0; // 0: as many as cores
    bool background = true;   // false: work is done only when asked for
    // A live buffer becomes a part past one of these.
    uint64_t live_flush_bytes = 64 << 20;
    uint64_t live_flush_rows = 1 << 20;
    int64_t live_flush_age_s = 10;
    // Inserts wait when a table's live buffer holds so much, or all of them together;
    uint64_t live_max_bytes = 512 << 20;
    uint64_t live_total_max_bytes = 0; // 0: a quarter of the memory limit, at most 1 GiB
    int64_t insert_patience_ms = 30000; // then they are refused
    // Inserts up to this go to the live buffer and the log; larger ones become parts directly.
    uint64_t direct_insert_rows = 256 << 10;
    uint64_t direct_insert_bytes = 16 << 20;
    // A part of a large insert is written when so much has gathered.
    uint64_t insert_part_rows = 1 << 20;
    uint64_t insert_part_bytes = 256 << 20;
    uint64_t packed_part_bytes = 16 << 20;
    uint64_t max_merged_part_bytes = 150ull << 30;
    uint64_t log_segment_bytes = 64 << 20;
    // Told of damage that was passed over and of failed background work; may be null.
    std::function<void(const std::string&)> report;
};

class StorageService
{
public:
    StorageService(FileSystem& files, StorageOptions options, MemoryTracker* memory = nullptr,
                   Clock& clock = system_clock());
    ~StorageService();

    std::unique_ptr<Transaction> begin() { return log_->begin(); }
    // After every table is open. Until then nothing runs in the background.
    void start();
    // Stops background work and writes a last checkpoint, if the disk lets it. Tables flush in their
    // own shutdown().
    void shutdown();

    FileSystem& files() { return files_; }
    ServerLog& log() { return *log_; }
    Background& background() { return *background_; }
    Clock& clock() { return clock_; }
    const StorageOptions& options() const { return options_; }
    uint64_t memory_limit_bytes() const { return memory_ ? memory_->limit_bytes() : 0; } // 0: none
    std::string table_path(const std::string& uuid) const;
    // Where FREEZE puts what it links under that name.
    std::string shadow_path(const std::string& name) const;
    // The next number for a FREEZE without a name.
    std::string next_shadow_name();
    // For work that belongs to no query: keys of tables, merges. Server's time zone.
    QueryContextPtr make_context() const;
    const QueryContext& key_context() const { return *key_context_; }
    void report(const std::string& text) const;

    // Bytes in the live buffers of all tables, and what they may be.
    uint64_t live_bytes() const { return static_cast<uint64_t>(live_bytes_.load()); }
    uint64_t live_total_max_bytes() const { return live_total_max_bytes_; }
    // Bytes of the disk that INSERT leaves free: for what gives space back, and for writing live rows.
    uint64_t reserved_bytes() const { return options_.live_flush_bytes / 8 + live_bytes(); }
    bool disk_is_short(uint64_t* free_bytes = nullptr);
    void count_live(int64_t more_bytes) { live_bytes_ += more_bytes; }

    // Inserts of large blocks under way: merges wait for them.
    std::atomic<int>& bulk_inserts() { return bulk_inserts_; }
    uint64_t next_temporary_number() { return temporary_number_.fetch_add(1); }

    // How a mutation's text becomes bound again after a restart: set by the room that can.
    using MutationBinder = std::function<std::vector<MutationCommand>(
        const Table& table, const std::string& text, QueryContextPtr context)>;
    void set_mutation_binder(MutationBinder binder);
    MutationBinder mutation_binder() const;

private:
    FileSystem& files_;
    StorageOptions options_;
    MemoryTracker* memory_;
    Clock& clock_;
    QueryContextPtr key_context_;
    std::unique_ptr<ServerLog> log_;
    std::unique_ptr<Background> background_;
    std::atomic<int> bulk_inserts_{0};
    std::atomic<int64_t> live_bytes_{0};
    uint64_t live_total_max_bytes_ = 0;
    std::atomic<uint64_t> temporary_number_{1};
    std::mutex shadow_mutex_;
    mutable std::mutex binder_mutex_;
    MutationBinder binder_;
};

} // namespace basalt
