#include "engine/process_list.h"

#include "base/error.h"

#include <fmt/format.h>

namespace basalt
{

ProcessList::Slot& ProcessList::Slot::operator=(Slot&& other) noexcept
{
    if (this != &other)
    {
        release();
        list_ = std::exchange(other.list_, nullptr);
        entry_ = other.entry_;
    }
    return *this;
}

void ProcessList::Slot::release()
{
    if (!list_)
        return;
    std::lock_guard lock(list_->mutex_);
    list_->entries_.erase(entry_);
    list_ = nullptr;
}

ProcessList::Slot ProcessList::add(ProcessEntry entry, size_t max_queries)
{
    std::lock_guard lock(mutex_);
    if (max_queries && entries_.size() >= max_queries)
        throw Error(error_codes::TOO_MANY_SIMULTANEOUS_QUERIES,
                    fmt::format("Too many simultaneous queries. Maximum: {}", max_queries));
    for (const auto& other : entries_)
    {
        if (other.context->query_id != entry.context->query_id)
            continue;
        if (!entry.context->settings.get_bool("replace_running_query"))
            throw Error(error_codes::QUERY_WITH_SAME_ID_IS_ALREADY_RUNNING,
                        fmt::format("Query with id = {} is already running",
                                    entry.context->query_id));
        other.context->cancel();
    }
    entries_.push_back(std::move(entry));
    return Slot(this, std::prev(entries_.end()));
}

std::vector<ProcessEntry> ProcessList::entries() const
{
    std::lock_guard lock(mutex_);
    return {entries_.begin(), entries_.end()};
}

size_t ProcessList::kill(const std::string& query_id)
{
    std::lock_guard lock(mutex_);
    size_t found = 0;
    for (const auto& entry : entries_)
        if (entry.context->query_id == query_id)
        {
            entry.context->cancel();
            ++found;
        }
    return found;
}

void ProcessList::cancel_all()
{
    std::lock_guard lock(mutex_);
    for (const auto& entry : entries_)
        entry.context->cancel();
}

size_t ProcessList::size() const
{
    std::lock_guard lock(mutex_);
    return entries_.size();
}

} // namespace basalt
