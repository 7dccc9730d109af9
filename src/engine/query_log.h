#pragma once

// What queries did: the rows behind system.query_log, kept in memory and bounded in number and
// bytes; the oldest go first. Also the counts behind system.errors. Thread-safe.

#include "engine/process_list.h"

#include <deque>
#include <mutex>
#include <string>
#include <vector>

namespace basalt
{

struct QueryLogEntry
{
    enum class Type : uint8_t
    {
        QueryStart = 1,
        QueryFinish = 2,
        ExceptionBeforeStart = 3,
        ExceptionWhileProcessing = 4,
    } type = Type::QueryStart;
    int64_t event_unix_us = 0;
    int64_t start_unix_us = 0;
    uint64_t duration_ms = 0;
    uint64_t read_rows = 0, read_bytes = 0;
    uint64_t written_rows = 0, written_bytes = 0;
    uint64_t result_rows = 0, result_bytes = 0;
    uint64_t memory_usage = 0;
    std::string current_database;
    std::string query;
    std::string query_kind;
    std::vector<std::string> databases, tables, columns;
    int exception_code = 0;
    std::string exception;
    std::string query_id;
    ClientInfo client;
    std::string log_comment;
    std::vector<std::pair<std::string, uint64_t>> profile_events; // those that are not zero
    std::vector<std::pair<std::string, std::string>> settings;    // changed ones
};

class QueryLog
{
public:
    static constexpr size_t kMaxEntries = 100000;
    static constexpr size_t kMaxBytes = size_t{64} << 20;

    void add(QueryLogEntry entry);
    std::vector<QueryLogEntry> entries() const;
    void clear();

private:
    static size_t size_of(const QueryLogEntry& entry);

    mutable std::mutex mutex_;
    std::deque<QueryLogEntry> entries_;
    size_t bytes_ = 0;
};

struct ErrorCount
{
    int code = 0;
    uint64_t count = 0;
    int64_t last_unix_s = 0;
    std::string last_message;
};

class ErrorCounts
{
public:
    void add(int code, const std::string& message, int64_t now_s);
    std::vector<ErrorCount> counts() const; // by code

private:
    mutable std::mutex mutex_;
    std::map<int, ErrorCount> by_code_;
};

} // namespace basalt
