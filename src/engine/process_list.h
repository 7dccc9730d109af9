#pragma once

// Queries that run now: for system.processes, KILL QUERY and the limits on how many. Thread-safe.

#include "base/query_context.h"

#include <list>
#include <map>
#include <mutex>
#include <string>
#include <vector>

namespace basalt
{

// Who sent a query and over what; shown in system.processes and query_log.
struct ClientInfo
{
    std::string user = "default";
    std::string address = "127.0.0.1";
    uint16_t port = 0;
    enum class Interface : uint8_t
    {
        Tcp = 1,
        Http = 2,
        Local = 3,
        PostgreSql = 5,
    } interface = Interface::Local;
    enum class HttpMethod : uint8_t
    {
        None = 0,
        Get = 1,
        Post = 2,
    } http_method = HttpMethod::None;
    std::string http_user_agent;
    std::string client_name;
};

struct ProcessEntry
{
    QueryContextPtr context;
    ClientInfo client;
    std::string query; // cut to log_queries_cut_to_length
    std::string kind;  // Select, Insert, …
    int64_t start_unix_us = 0;
};

class ProcessList
{
public:
    // Removes its entry when destroyed.
    class Slot
    {
    public:
        Slot() = default;
        Slot(ProcessList* list, std::list<ProcessEntry>::iterator entry)
            : list_(list), entry_(entry)
        {
        }
        Slot(Slot&& other) noexcept : list_(other.list_), entry_(other.entry_)
        {
            other.list_ = nullptr;
        }
        Slot& operator=(Slot&& other) noexcept;
        ~Slot() { release(); }
        void release();

    private:
        ProcessList* list_ = nullptr;
        std::list<ProcessEntry>::iterator entry_;
    };

    // Throws TOO_MANY_SIMULTANEOUS_QUERIES (202), QUERY_WITH_SAME_ID_IS_ALREADY_RUNNING (216);
    // with replace_running_query the old one is cancelled instead.
    Slot add(ProcessEntry entry, size_t max_queries);
    std::vector<ProcessEntry> entries() const;
    // How many running queries had this id; they are told to stop.
    size_t kill(const std::string& query_id);
    void cancel_all();
    size_t size() const;

private:
    mutable std::mutex mutex_;
    std::list<ProcessEntry> entries_;
};

} // namespace basalt
