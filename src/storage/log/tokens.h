#pragma once

// Deduplication tokens that committed transactions brought, and those of transactions under way.
// Threads: all methods from any thread.

#include "storage/log/record.h"

#include <condition_variable>
#include <deque>
#include <map>
#include <mutex>
#include <set>

namespace basalt
{

inline constexpr size_t kMaxTokensPerTable = 10000;
inline constexpr int64_t kTokenLifetime_s = 7 * 24 * 3600;

class TokenRegistry
{
public:
    // False when the token is known. Otherwise it is the caller's until keep() or give_up();
    // waits while it is somebody else's.
    bool claim(const std::string& table_uuid, const std::string& token);
    void keep(const DeduplicationToken& token);
    void give_up(const std::string& table_uuid, const std::string& token);
    void forget_table(const std::string& table_uuid);
    void forget_older(int64_t unix_s);
    std::vector<DeduplicationToken> all() const; // oldest first within a table

private:
    struct Table
    {
        std::deque<DeduplicationToken> by_age;
        std::set<std::string> known;
        std::set<std::string> claimed;
    };

    mutable std::mutex mutex_;
    std::condition_variable freed_;
    std::map<std::string, Table> tables_;
};

} // namespace basalt
