#include "storage/log/tokens.h"

#include "codecs/hash.h"

#include <algorithm>
#include <chrono>

namespace basalt
{

namespace
{

constexpr auto kWaitingInterval = std::chrono::milliseconds(100);

} // namespace

TokenKey token_key(std::string_view text)
{
    const Hash128 hash = sip_hash128(text.data(), text.size());
    return {hash.low, hash.high};
}

bool TokenRegistry::knows_in(const Table& table, const TokenKey& key, const TokenClaim& claim,
                             int64_t now_unix_s) const
{
    const auto found = table.known.find(key);
    if (found == table.known.end() || now_unix_s - found->second.unix_s >= kTokenLifetime_s)
        return false;
    return claim.window == 0 || table.next_ordinal - found->second.ordinal <= claim.window;
}

bool TokenRegistry::knows(const TokenClaim& claim, int64_t now_unix_s) const
{
    std::lock_guard lock(mutex_);
    const auto found = tables_.find({claim.table_uuid, claim.by_content});
    return found != tables_.end() &&
           knows_in(found->second, token_key(claim.text), claim, now_unix_s);
}

bool TokenRegistry::claim(const TokenClaim& claim, int64_t now_unix_s)
{
    const TokenKey key = token_key(claim.text);
    const TableId id(claim.table_uuid, claim.by_content);
    std::unique_lock lock(mutex_);
    // A table's entry may go while the lock is not held.
    while (!freed_.wait_for(lock, kWaitingInterval,
                            [&] { return !tables_[id].claimed.contains(key); }))
    {
        if (!claim.while_waiting)
            continue;
        lock.unlock();
        claim.while_waiting();
        lock.lock();
    }
    Table& table = tables_[id];
    if (knows_in(table, key, claim, now_unix_s))
        return false;
    table.claimed.insert(key);
    return true;
}

void TokenRegistry::keep(const DeduplicationToken& token)
{
    std::lock_guard lock(mutex_);
    const TableId id(token.table_uuid, token.by_content);
    Table& table = tables_[id];
    const bool was_claimed = table.claimed.erase(token.key) > 0;
    auto [found, is_new] = table.known.try_emplace(token.key);
    Entry& entry = found->second;
    // At a start, when nothing is claimed, the checkpoint may have brought it before the log does.
    if (is_new || was_claimed || entry.unix_s != token.unix_s)
    {
        if (!table.last_partitions || *table.last_partitions != token.partitions)
            table.last_partitions =
                std::make_shared<const std::vector<std::string>>(token.partitions);
        entry = {token.unix_s, table.next_ordinal++, table.last_partitions};
        table.by_age.emplace_back(token.key, entry.ordinal);
        size_ += is_new;
    }
    while (table.known.size() > max_per_table_)
        drop_oldest(table);
    while (size_ > max_)
        drop_oldest(std::max_element(tables_.begin(), tables_.end(),
                                     [](const auto& a, const auto& b)
                                     { return a.second.known.size() < b.second.known.size(); })
                        ->second);
    freed_.notify_all();
}

// The table has tokens.
void TokenRegistry::drop_oldest(Table& table)
{
    for (bool dropped = false; !dropped && !table.by_age.empty();)
    {
        const auto [key, ordinal] = table.by_age.front();
        table.by_age.pop_front();
        const auto found = table.known.find(key);
        if (found == table.known.end() || found->second.ordinal != ordinal)
            continue;
        table.known.erase(found);
        --size_;
        dropped = true;
    }
}

void TokenRegistry::drop_if_empty(const TableId& id)
{
    const auto found = tables_.find(id);
    if (found != tables_.end() && found->second.known.empty() && found->second.claimed.empty())
        tables_.erase(found);
}

void TokenRegistry::give_up(const DeduplicationToken& token)
{
    std::lock_guard lock(mutex_);
    const TableId id(token.table_uuid, token.by_content);
    tables_[id].claimed.erase(token.key);
    drop_if_empty(id);
    freed_.notify_all();
}

void TokenRegistry::forget(const std::string& table_uuid, const std::string& partition_id)
{
    std::lock_guard lock(mutex_);
    for (const bool by_content : {false, true})
    {
        const TableId id(table_uuid, by_content);
        const auto found = tables_.find(id);
        if (found == tables_.end())
            continue;
        Table& table = found->second;
        std::map<Partitions, Partitions> without; // the same lists, the partition taken out
        for (auto it = table.known.begin(); it != table.known.end();)
        {
            Partitions& partitions = it->second.partitions;
            if (!partition_id.empty())
            {
                auto& left = without[partitions];
                if (!left)
                {
                    auto list = *partitions;
                    std::erase(list, partition_id);
                    left = list.size() == partitions->size()
                               ? partitions
                               : std::make_shared<const std::vector<std::string>>(std::move(list));
                }
                // One that brought no rows stays.
                if (partitions->empty() || !left->empty())
                {
                    partitions = left;
                    ++it;
                    continue;
                }
            }
            it = table.known.erase(it);
            --size_;
        }
        table.last_partitions.reset();
        if (table.known.empty())
            table.by_age.clear();
        drop_if_empty(id);
    }
}

void TokenRegistry::forget_older(int64_t unix_s)
{
    std::lock_guard lock(mutex_);
    for (auto it = tables_.begin(); it != tables_.end();)
    {
        Table& table = it->second;
        const auto is_over = [&]
        {
            if (table.by_age.empty())
                return false;
            const auto found = table.known.find(table.by_age.front().first);
            return found == table.known.end() || found->second.unix_s < unix_s;
        };
        while (is_over())
        {
            const auto found = table.known.find(table.by_age.front().first);
            if (found != table.known.end() && found->second.ordinal == table.by_age.front().second)
            {
                table.known.erase(found);
                --size_;
            }
            table.by_age.pop_front();
        }
        it = table.known.empty() && table.claimed.empty() ? tables_.erase(it) : std::next(it);
    }
}

std::vector<DeduplicationToken> TokenRegistry::all() const
{
    std::lock_guard lock(mutex_);
    std::vector<DeduplicationToken> tokens;
    for (const auto& [id, table] : tables_)
        for (const auto& [key, ordinal] : table.by_age)
        {
            const auto found = table.known.find(key);
            if (found == table.known.end() || found->second.ordinal != ordinal)
                continue;
            tokens.push_back(
                {id.first, id.second, key, found->second.unix_s, *found->second.partitions});
        }
    return tokens;
}

size_t TokenRegistry::size() const
{
    std::lock_guard lock(mutex_);
    return size_;
}

} // namespace basalt
