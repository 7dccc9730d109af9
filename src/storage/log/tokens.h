#pragma once

// Deduplication tokens that committed transactions brought, and those of transactions under way.
// Kept are the last kMaxTokensPerTable of a table, kMaxTokens of all tables, each for
// kTokenLifetime_s.
// Threads: all methods from any thread.

#include "storage/log/record.h"
#include "storage/transaction.h"

#include <condition_variable>
#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <unordered_map>

namespace basalt
{

inline constexpr size_t kMaxTokensPerTable = 100000; // named and by content, each
inline constexpr size_t kMaxTokens = 1000000;
inline constexpr int64_t kTokenLifetime_s = 7 * 24 * 3600;

// What stands for a token: two different ones are taken for equal with a chance of 2^-128.
TokenKey token_key(std::string_view text);

class TokenRegistry
{
public:
    // The limits are for tests.
    explicit TokenRegistry(size_t max_per_table = kMaxTokensPerTable, size_t max = kMaxTokens)
        : max_per_table_(max_per_table), max_(max)
    {
    }

    bool knows(const TokenClaim& claim, int64_t now_unix_s) const;
    // False when the token is known. Otherwise it is the caller's until keep() or give_up();
    // waits while it is somebody else's.
    bool claim(const TokenClaim& claim, int64_t now_unix_s);
    void keep(const DeduplicationToken& token);
    void give_up(const DeduplicationToken& token);
    // A partition was emptied: tokens whose rows all stood in it, and in others emptied before.
    // Every token when partition_id is empty.
    void forget(const std::string& table_uuid, const std::string& partition_id);
    void forget_older(int64_t unix_s);
    std::vector<DeduplicationToken> all() const; // oldest first within a table
    size_t size() const;

private:
    struct KeyHash
    {
        size_t operator()(const TokenKey& key) const { return key.low; }
    };
    using Partitions = std::shared_ptr<const std::vector<std::string>>;
    struct Entry
    {
        int64_t unix_s = 0;
        uint64_t ordinal = 0;
        Partitions partitions;
    };
    struct Table // of one kind of tokens
    {
        std::unordered_map<TokenKey, Entry, KeyHash> known;
        std::deque<std::pair<TokenKey, uint64_t>> by_age; // with ordinals; may name forgotten ones
        std::set<TokenKey> claimed;
        uint64_t next_ordinal = 0;
        Partitions last_partitions; // most tokens share them
    };
    using TableId = std::pair<std::string, bool>; // uuid, by content

    bool knows_in(const Table& table, const TokenKey& key, const TokenClaim& claim,
                  int64_t now_unix_s) const;
    void drop_oldest(Table& table);
    void drop_if_empty(const TableId& id);

    const size_t max_per_table_;
    const size_t max_;
    mutable std::mutex mutex_;
    std::condition_variable freed_;
    std::map<TableId, Table> tables_;
    size_t size_ = 0;
};

} // namespace basalt
