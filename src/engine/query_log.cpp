#include "engine/query_log.h"

namespace basalt
{

size_t QueryLog::size_of(const QueryLogEntry& entry)
{
    size_t bytes = sizeof(entry) + entry.query.size() + entry.exception.size();
    for (const auto& [name, value] : entry.profile_events)
        bytes += name.size() + 48;
    for (const auto& [name, value] : entry.settings)
        bytes += name.size() + value.size() + 64;
    return bytes;
}

void QueryLog::add(QueryLogEntry entry)
{
    std::lock_guard lock(mutex_);
    bytes_ += size_of(entry);
    entries_.push_back(std::move(entry));
    while (entries_.size() > kMaxEntries || (bytes_ > kMaxBytes && entries_.size() > 1))
    {
        bytes_ -= size_of(entries_.front());
        entries_.pop_front();
    }
}

std::vector<QueryLogEntry> QueryLog::entries() const
{
    std::lock_guard lock(mutex_);
    return {entries_.begin(), entries_.end()};
}

void QueryLog::clear()
{
    std::lock_guard lock(mutex_);
    entries_.clear();
    bytes_ = 0;
}

void ErrorCounts::add(int code, const std::string& message, int64_t now_s)
{
    std::lock_guard lock(mutex_);
    auto& count = by_code_[code];
    count.code = code;
    ++count.count;
    count.last_unix_s = now_s;
    count.last_message = message;
}

std::vector<ErrorCount> ErrorCounts::counts() const
{
    std::lock_guard lock(mutex_);
    std::vector<ErrorCount> list;
    for (const auto& [code, count] : by_code_)
        list.push_back(count);
    return list;
}

} // namespace basalt
