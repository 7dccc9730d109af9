#include "storage/log/tokens.h"

namespace basalt
{

bool TokenRegistry::claim(const std::string& table_uuid, const std::string& token)
{
    std::unique_lock lock(mutex_);
    freed_.wait(lock, [&] { return !tables_[table_uuid].claimed.contains(token); });
    Table& table = tables_[table_uuid];
    if (table.known.contains(token))
        return false;
    table.claimed.insert(token);
    return true;
}

void TokenRegistry::keep(const DeduplicationToken& token)
{
    std::lock_guard lock(mutex_);
    Table& table = tables_[token.table_uuid];
    table.claimed.erase(token.token);
    if (table.known.insert(token.token).second)
        table.by_age.push_back(token);
    while (table.by_age.size() > kMaxTokensPerTable)
    {
        table.known.erase(table.by_age.front().token);
        table.by_age.pop_front();
    }
    freed_.notify_all();
}

void TokenRegistry::give_up(const std::string& table_uuid, const std::string& token)
{
    std::lock_guard lock(mutex_);
    tables_[table_uuid].claimed.erase(token);
    freed_.notify_all();
}

void TokenRegistry::forget_table(const std::string& table_uuid)
{
    std::lock_guard lock(mutex_);
    auto& table = tables_[table_uuid];
    table.by_age.clear();
    table.known.clear();
}

void TokenRegistry::forget_older(int64_t unix_s)
{
    std::lock_guard lock(mutex_);
    for (auto& [uuid, table] : tables_)
        while (!table.by_age.empty() && table.by_age.front().unix_s < unix_s)
        {
            table.known.erase(table.by_age.front().token);
            table.by_age.pop_front();
        }
}

std::vector<DeduplicationToken> TokenRegistry::all() const
{
    std::lock_guard lock(mutex_);
    std::vector<DeduplicationToken> tokens;
    for (const auto& [uuid, table] : tables_)
        tokens.insert(tokens.end(), table.by_age.begin(), table.by_age.end());
    return tokens;
}

} // namespace basalt
