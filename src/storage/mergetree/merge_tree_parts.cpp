// The list of parts: how transactions change it, and what becomes of replaced parts.

#include "storage/mergetree/merge_tree_table.h"

#include "base/error.h"
#include "base/failpoint.h"

#include <algorithm>
#include <fmt/format.h>

namespace basalt
{

// One level-0 name for each partition, with block numbers of its own.
std::vector<PartName> MergeTreeTable::reserve_blocks(const std::vector<std::string>& partition_ids)
{
    std::lock_guard lock(mutex_);
    std::vector<PartName> names;
    for (const auto& id : partition_ids)
    {
        PartName name;
        name.partition_id = id;
        name.min_block = name.max_block = next_block_++;
        reserved_.insert(name.min_block);
        names.push_back(std::move(name));
    }
    return names;
}

void MergeTreeTable::release_blocks(const std::vector<PartName>& names)
{
    std::lock_guard lock(mutex_);
    for (const auto& name : names)
        if (const auto found = reserved_.find(name.min_block); found != reserved_.end())
            reserved_.erase(found);
}

// Adds a change of the list to the transaction. The folders of `added` are tmp_<name>.
void MergeTreeTable::stage(Transaction& transaction,
                           const std::vector<std::shared_ptr<Part>>& added,
                           const std::vector<std::shared_ptr<Part>>& removed,
                           uint64_t flushed_through, bool keep_removed_folders,
                           const std::string& detached_prefix)
{
    PartsEdit edit;
    for (const auto& part : added)
        edit.added.push_back(part->name_text());
    for (const auto& part : removed)
        (keep_removed_folders ? edit.moved_out : edit.removed).push_back(part->name_text());
    edit.flushed_through = flushed_through;
    transaction.add_record(uuid_, static_cast<uint8_t>(TableEditKind::Parts), edit.encode());
    transaction.on_commit(
        [this, self = weak_from_this().lock(), added, removed, flushed_through,
         keep_removed_folders, detached_prefix]
        { publish(added, removed, flushed_through, keep_removed_folders, detached_prefix); });
    transaction.on_rollback(
        [this, self = weak_from_this().lock(), added]
        {
            for (const auto& part : added)
                service_.files().remove_directory_recursive(part->directory());
        });
}

void MergeTreeTable::publish(const std::vector<std::shared_ptr<Part>>& added,
                             const std::vector<std::shared_ptr<Part>>& removed,
                             uint64_t flushed_through, bool keep_removed_folders,
                             const std::string& detached_prefix)
{
    for (const auto& part : added)
    {
        const std::string target = join_path(path_, part->name_text());
        try
        {
            failpoint(Failpoint::PublishBeforeRename);
            service_.files().rename(part->directory(), target);
            part->moved_to(target);
        }
        catch (const std::exception& error)
        {
            // Listed already: it is read where it is, and the next start gives it its name.
            service_.report(error.what());
        }
    }
    for (const auto& part : removed)
    {
        if (!keep_removed_folders)
            continue;
        try
        {
            const std::string target = detached_path(detached_prefix + part->name_text());
            service_.files().rename(part->directory(), target);
            // The new name must be durable before the old one may be gone.
            service_.files().sync_directory(join_path(path_, "detached"));
            part->moved_to(target);
        }
        catch (const std::exception& error)
        {
            // The next start moves it.
            service_.report(error.what());
        }
    }
    note_parts(added, removed);
    {
        std::lock_guard lock(mutex_);
        for (const auto& part : removed)
        {
            parts_.erase(part->name());
            busy_.erase(part->name());
            if (!keep_removed_folders)
                make_outdated(*part);
        }
        for (const auto& part : added)
        {
            parts_.emplace(part->name(), part);
            if (const auto found = reserved_.find(part->name().min_block);
                found != reserved_.end())
                reserved_.erase(found);
        }
        if (flushed_through)
        {
            flushed_through_ = std::max(flushed_through_, flushed_through);
            live_.remove_through(flushed_through);
            count_live();
        }
    }
    changed_.notify_all();
    service_.background().wake();
}

// Where a folder goes in detached/; a number is added where the name is taken.
std::string MergeTreeTable::detached_path(const std::string& name) const
{
    const std::string detached = join_path(path_, "detached");
    std::string target = join_path(detached, name);
    for (int i = 1; service_.files().exists(target); ++i)
        target = join_path(detached, fmt::format("{}_try{}", name, i));
    return target;
}

void MergeTreeTable::make_outdated(Part& part)
{
    {
        std::lock_guard lock(outdated_->mutex);
        outdated_->names.insert(part.name_text());
    }
    part.set_outdated(
        [outdated = outdated_](const std::string& directory)
        {
            std::lock_guard lock(outdated->mutex);
            outdated->free_directories.push_back(directory);
        });
}

void MergeTreeTable::append_live(LiveBlock block, uint64_t sequence)
{
    {
        std::lock_guard lock(mutex_);
        live_.append(std::move(block), sequence, service_.clock().unix_s());
        count_live();
    }
    changed_.notify_all();
}

void MergeTreeTable::count_live()
{
    const uint64_t bytes = shut_down_ ? 0 : live_.bytes();
    service_.count_live(static_cast<int64_t>(bytes) - static_cast<int64_t>(counted_live_bytes_));
    counted_live_bytes_ = bytes;
}

bool MergeTreeTable::remove_outdated()
{
    std::vector<std::string> directories;
    {
        std::lock_guard lock(outdated_->mutex);
        directories.swap(outdated_->free_directories);
    }
    for (const auto& directory : directories)
    {
        try
        {
            failpoint(Failpoint::RemoveOutdatedParts);
            service_.files().remove_directory_recursive(directory);
        }
        catch (const std::exception& error)
        {
            service_.report(error.what());
            continue; // its name stays in the list: the next start tries again
        }
        std::lock_guard lock(outdated_->mutex);
        outdated_->names.erase(directory.substr(directory.rfind('/') + 1));
    }
    return !directories.empty();
}

// Parts of a partition (all partitions when empty) or one part by name, marked busy. Waits for
// merges that work on them.
std::vector<std::shared_ptr<Part>> MergeTreeTable::lock_parts(const std::string& partition_id,
                                                              const std::string& part_name)
{
    const auto wanted = [&](const Part& part)
    {
        if (!part_name.empty())
            return part.name_text() == part_name;
        return partition_id.empty() || part.name().partition_id == partition_id;
    };
    std::unique_lock lock(mutex_);
    changed_.wait(lock,
                  [&]
                  {
                      for (const auto& [name, part] : parts_)
                          if (wanted(*part) && busy_.contains(name))
                              return false;
                      return true;
                  });
    std::vector<std::shared_ptr<Part>> locked;
    for (const auto& [name, part] : parts_)
    {
        if (!wanted(*part))
            continue;
        busy_.insert(name);
        locked.push_back(part);
    }
    return locked;
}

void MergeTreeTable::unlock_parts(const std::vector<std::shared_ptr<Part>>& parts)
{
    {
        std::lock_guard lock(mutex_);
        for (const auto& part : parts)
            busy_.erase(part->name());
    }
    changed_.notify_all();
}

std::string MergeTreeTable::temporary_path(const std::string& prefix)
{
    return join_path(path_, fmt::format("tmp_{}_{}", prefix, service_.next_temporary_number()));
}

} // namespace basalt
