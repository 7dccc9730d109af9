#include "engine/backup/backups.h"

#include "base/error.h"

#include <algorithm>
#include <fmt/format.h>

namespace basalt
{

namespace
{

constexpr const char* kStatusNames[] = {"CREATING_BACKUP", "BACKUP_CREATED",   "BACKUP_FAILED",
                                        "RESTORING",       "RESTORED",         "RESTORE_FAILED",
                                        "BACKUP_CANCELLED", "RESTORE_CANCELLED"};

bool runs(const BackupInfo& info)
{
    return info.status == BackupStatus::CreatingBackup || info.status == BackupStatus::Restoring;
}

} // namespace

const char* backup_status_name(BackupStatus status)
{
    return kStatusNames[static_cast<size_t>(status)];
}

std::string backup_status_type()
{
    std::string type = "Enum8(";
    for (size_t i = 0; i < std::size(kStatusNames); ++i)
        type += fmt::format("{}'{}' = {}", i ? ", " : "", kStatusNames[i], i);
    return type + ")";
}

Backups::~Backups()
{
    stop();
}

uint64_t Backups::begin(BackupInfo info)
{
    std::lock_guard lock(mutex_);
    size_t running = 0;
    for (const auto& entry : entries_)
    {
        running += runs(entry.info);
        if (entry.info.id == info.id)
            throw Error(error_codes::BACKUP_ALREADY_EXISTS,
                        fmt::format("A backup or restore with id {} exists already", info.id));
    }
    if (running >= kMaxRunning)
        throw Error(error_codes::TOO_MANY_SIMULTANEOUS_QUERIES,
                    fmt::format("{} backups and restores are running", running));
    if (entries_.size() >= kMaxKept)
        if (const auto over = std::find_if(entries_.begin(), entries_.end(),
                                           [](const Entry& entry) { return !runs(entry.info); });
            over != entries_.end())
            entries_.erase(over);
    entries_.push_back({next_number_, std::move(info)});
    return next_number_++;
}

void Backups::update(uint64_t number, const std::function<void(BackupInfo&)>& change)
{
    std::lock_guard lock(mutex_);
    for (auto& entry : entries_)
        if (entry.number == number)
            change(entry.info);
}

void Backups::run(QueryContextPtr context, std::function<void()> work)
{
    std::lock_guard lock(mutex_);
    std::erase_if(works_,
                  [](const auto& one)
                  {
                      if (one->is_done)
                          one->thread.join();
                      return one->is_done;
                  });
    auto one = std::make_shared<Work>();
    one->context = std::move(context);
    works_.push_back(one);
    one->thread = std::thread(
        [this, one, work = std::move(work)]
        {
            work();
            std::lock_guard done_lock(mutex_);
            one->is_done = true;
        });
}

bool Backups::take_folder(const std::string& path)
{
    std::lock_guard lock(mutex_);
    return folders_.insert(path).second;
}

void Backups::let_go(const std::string& path)
{
    std::lock_guard lock(mutex_);
    folders_.erase(path);
}

std::vector<BackupInfo> Backups::infos() const
{
    std::lock_guard lock(mutex_);
    std::vector<BackupInfo> infos;
    for (const auto& entry : entries_)
        infos.push_back(entry.info);
    return infos;
}

void Backups::stop()
{
    std::vector<std::shared_ptr<Work>> works;
    {
        std::lock_guard lock(mutex_);
        works.swap(works_);
        for (const auto& work : works)
            work->context->cancel();
    }
    for (const auto& work : works)
        work->thread.join();
}

} // namespace basalt
