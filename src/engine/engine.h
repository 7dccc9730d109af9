#pragma once

// The state of a server (or of `basalt local`): catalog, log, running queries, what they did.
// Made and stopped by programs; everything else gets it by reference.

#include "catalog/access/access_control.h"
#include "catalog/catalog.h"
#include "engine/async_inserts.h"
#include "engine/authentication.h"
#include "engine/backup/backups.h"
#include "engine/process_list.h"
#include "engine/query_log.h"

#include <array>
#include <functional>
#include <memory>
#include <mutex>
#include <string>

namespace basalt
{

class StorageService;
struct StorageOptions;
class Engine;

struct EngineOptions
{
    std::string path;           // the data folder; empty: everything in memory
    size_t memory_limit_bytes = 0; // 0: 90% of what the cgroup grants
    size_t max_concurrent_queries = 0;
    std::string timezone = "UTC";
    std::string backups_path; // empty: backups/ in the data folder
    Settings default_settings;
    // CREATE USER, CREATE ROLE and GRANT statements of the configuration.
    std::string access_statements = {};
    std::string default_password = {}; // of user default; empty: as it was made
    Clock* clock = &system_clock(); // outlives the engine
    // Called with the storage's options before it is made; may be null.
    std::function<void(StorageOptions&)> adjust_storage;
    // Engines and functions of rooms above this one, before stored tables are opened.
    std::function<void(Engine&)> register_more;
};

class Engine
{
public:
    Engine(FileSystem& files, EngineOptions options);
    ~Engine();

    // Reads the log, opens every table, starts background work. Throws when the folder is in use
    // by another server or cannot be written.
    void start();
    // Cancels queries, flushes, stops background work. Idempotent.
    void stop();

    const EngineOptions& options() const { return options_; }
    Catalog& catalog() { return *catalog_; }
    StorageService& storage() { return *storage_; }
    ProcessList& processes() { return processes_; }
    AccessControl& access() { return access_; }
    Authentication& authentication() { return authentication_; }
    QueryLog& query_log() { return query_log_; }
    AsyncInserts& async_inserts() { return async_inserts_; }
    Backups& backups() { return backups_; }
    // Where backups stand: options().backups_path, else backups/ in the data folder.
    std::string backups_path() const;
    ErrorCounts& error_counts() { return error_counts_; }
    MemoryTracker& memory() { return memory_; }
    FileSystem& files() { return files_; }
    int64_t start_unix_s() const { return start_unix_s_; }
    const std::string& server_uuid() const { return server_uuid_; }

    // Held by ALTER of the table: two of them must not start from the same description.
    std::mutex& alter_lock(const std::string& table_uuid)
    {
        return alter_locks_[std::hash<std::string>()(table_uuid) % alter_locks_.size()];
    }

    // All of them, taken in order: nothing is altered.
    std::array<std::mutex, 16>& alter_locks() { return alter_locks_; }

    // A context for work of the server's own (attaching tables, background tasks).
    QueryContextPtr make_context();

private:
    FileSystem& files_;
    EngineOptions options_;
    MemoryTracker memory_;
    std::unique_ptr<StorageService> storage_;
    std::unique_ptr<Catalog> catalog_;
    AccessControl access_;
    Authentication authentication_;
    ProcessList processes_;
    QueryLog query_log_;
    ErrorCounts error_counts_;
    AsyncInserts async_inserts_; // goes before what it commits to
    Backups backups_;
    std::array<std::mutex, 16> alter_locks_;
    int64_t start_unix_s_ = 0;
    std::string server_uuid_;
    bool stopped_ = false;
};

inline constexpr const char* kServerVersion = "26.7.2.1"; // the ClickHouse whose answers we give

// 8-4-4-4-12 hexadecimal digits, version 4.
std::string random_uuid(RandomSource& random);

} // namespace basalt
