// DROP, DETACH, ATTACH of partitions and parts; TRUNCATE.

#include "storage/mergetree/merge_tree_table.h"
#include "storage/mergetree/part_rewriter.h"

#include "base/error.h"

#include <algorithm>
#include <fmt/format.h>

namespace basalt
{

namespace
{

// detached/attaching_<part>@<folder> is a folder on its way to be that part: what it is after a crash
// is for the log to say, which has the part or has not.
constexpr const char* kAttachingPrefix = "attaching_";
constexpr char kAttachingSeparator = '@';
// detached/deleting_<folder> is a folder that is being removed.
constexpr const char* kDeletingPrefix = "deleting_";

} // namespace

// Parts marked busy, with merges in their way cancelled.
std::vector<std::shared_ptr<Part>> MergeTreeTable::take_parts(const std::string& partition_id,
                                                              const std::string& part_name)
{
    {
        std::lock_guard lock(mutex_);
        ++merges_stopped_;
        for (const auto& running : running_)
            if (partition_id.empty() || running->info.partition_id == partition_id)
                running->cancelled = true;
    }
    auto parts = lock_parts(partition_id, part_name);
    {
        std::lock_guard lock(mutex_);
        --merges_stopped_;
    }
    return parts;
}

void MergeTreeTable::remove_parts(const std::string& partition_id, const std::string& part_name,
                                  bool keep_folders)
{
    try
    {
        flush_live();
    }
    catch (const Error& error)
    {
        // What is dropped makes the room that the live rows of other partitions need.
        if (error.code() != error_codes::NOT_ENOUGH_SPACE || keep_folders || !part_name.empty())
            throw;
        remove_written_parts(partition_id, part_name, keep_folders);
        remove_outdated();
        flush_live();
    }
    remove_written_parts(partition_id, part_name, keep_folders);
}

void MergeTreeTable::remove_written_parts(const std::string& partition_id,
                                          const std::string& part_name, bool keep_folders)
{
    const auto parts = take_parts(partition_id, part_name);
    if (parts.empty() && !part_name.empty())
        throw Error(error_codes::NO_SUCH_DATA_PART,
                    fmt::format("No part {} in committed state.", part_name));
    const auto transaction = service_.begin();
    try
    {
        if (!parts.empty())
            stage(*transaction, {}, parts, 0, keep_folders);
        // What was dropped may be inserted again; what was detached may come back by itself.
        if (part_name.empty() && !keep_folders)
            transaction->forget_tokens(uuid_, partition_id);
        transaction->commit();
    }
    catch (...)
    {
        unlock_parts(parts);
        throw;
    }
}

void MergeTreeTable::truncate(QueryContextPtr)
{
    check_is_there(error_codes::TABLE_IS_READ_ONLY);
    remove_parts("", "", false);
}

void MergeTreeTable::attach_parts(const PartitionCommand& command)
{
    FileSystem& files = service_.files();
    const std::string detached = join_path(path_, "detached");
    std::vector<std::pair<std::string, std::shared_ptr<Part>>> found; // folder, part
    std::vector<std::string> partition_ids;
    for (const auto& entry : files.list(detached))
    {
        const auto name = parse_part_name(entry.name);
        if (!entry.is_directory || !name)
            continue;
        const bool wanted = command.is_part ? entry.name == command.partition_id
                            : command.all   ? true
                                            : name->partition_id == command.partition_id;
        if (!wanted)
            continue;
        // Opened once to see that it is whole.
        found.emplace_back(entry.name, open_part(files, join_path(detached, entry.name), *name));
        partition_ids.push_back(name->partition_id);
    }
    if (found.empty() && command.is_part)
        throw Error(error_codes::BAD_DATA_PART_NAME,
                    fmt::format("Detached part \"{}\" not found", command.partition_id));
    if (found.empty())
        return;
    // Parts of another table, brought here by hand, may be of a higher version than this one.
    uint64_t version = 0;
    for (const auto& [folder, part] : found)
        version = std::max(version, part->manifest().metadata_version);
    adopt_history(version, snapshot().history->events());
    const auto names = reserve_blocks(partition_ids);
    std::vector<std::shared_ptr<Part>> parts;
    const auto transaction = service_.begin();
    transaction->on_rollback([this, names] { release_blocks(names); });
    // Links, so that the detached part is still there whatever happens.
    for (size_t i = 0; i < found.size(); ++i)
    {
        const std::string directory = join_path(path_, "tmp_" + names[i].text());
        transaction->on_rollback([&files, directory]
                                 { files.remove_directory_recursive(directory); });
        link_folder(files, join_path(detached, found[i].first), directory);
        parts.push_back(std::make_shared<Part>(files, directory, names[i],
                                               found[i].second->manifest()));
    }
    files.sync_directory(path_);
    stage(*transaction, parts, {}, 0);
    std::vector<std::string> taken;
    for (size_t i = 0; i < found.size(); ++i)
    {
        const std::string& folder = found[i].first;
        const std::string from = join_path(detached, folder);
        const std::string to =
            join_path(detached, kAttachingPrefix + names[i].text() + kAttachingSeparator + folder);
        files.rename(from, to);
        transaction->on_rollback([&files, from, to] { files.rename(to, from); });
        taken.push_back(to);
    }
    files.sync_directory(detached);
    transaction->commit();
    for (const std::string& folder : taken)
        files.remove_directory_recursive(folder);
    // A folder that a power cut brings back after its part has expired would look as never attached.
    files.sync_directory(detached);
}

void MergeTreeTable::settle_attaching()
{
    FileSystem& files = service_.files();
    const std::string detached = join_path(path_, "detached");
    for (const auto& entry : files.list(detached))
    {
        if (entry.is_directory && entry.name.starts_with(kDeletingPrefix))
            files.remove_directory_recursive(join_path(detached, entry.name));
        const size_t separator = entry.name.find(kAttachingSeparator);
        if (!entry.is_directory || !entry.name.starts_with(kAttachingPrefix) ||
            separator == std::string::npos)
            continue;
        const size_t prefix = std::string_view(kAttachingPrefix).size();
        const auto part = parse_part_name(entry.name.substr(prefix, separator - prefix));
        const auto holds = [&](const std::string& text)
        {
            const auto name = parse_part_name(text);
            return name && part && name->contains(*part);
        };
        const std::string path = join_path(detached, entry.name);
        if (std::any_of(restored_.parts.begin(), restored_.parts.end(), holds) ||
            std::any_of(restored_.outdated.begin(), restored_.outdated.end(), holds) ||
            std::any_of(restored_.moved_out.begin(), restored_.moved_out.end(), holds))
            files.remove_directory_recursive(path);
        else
            files.rename(path, detached_path(entry.name.substr(separator + 1)));
    }
    files.sync_directory(detached);
}

void MergeTreeTable::drop_detached(const PartitionCommand& command)
{
    FileSystem& files = service_.files();
    const std::string detached = join_path(path_, "detached");
    // What was moved here must not come back where it was.
    files.sync_directory(path_);
    std::vector<std::string> deleting;
    for (const auto& entry : files.list(detached))
    {
        const auto name = parse_part_name(entry.name);
        const bool wanted = command.is_part ? entry.name == command.partition_id
                            : command.all   ? true
                                            : name && name->partition_id == command.partition_id;
        if (!entry.is_directory || !wanted || entry.name.starts_with(kDeletingPrefix))
            continue;
        // Under another name first: never half a part, and gone for good once this is answered.
        deleting.push_back(join_path(detached, kDeletingPrefix + entry.name));
        files.rename(join_path(detached, entry.name), deleting.back());
    }
    if (deleting.empty() && command.is_part)
        throw Error(error_codes::BAD_DATA_PART_NAME,
                    fmt::format("No such detached part: {}", command.partition_id));
    if (deleting.empty())
        return;
    files.sync_directory(detached);
    for (const std::string& folder : deleting)
        files.remove_directory_recursive(folder);
}

void MergeTreeTable::change_partition(const PartitionCommand& command, QueryContextPtr)
{
    using Kind = PartitionCommand::Kind;
    check_is_there(error_codes::TABLE_IS_READ_ONLY);
    const std::string partition = command.all || command.is_part ? "" : command.partition_id;
    const std::string part = command.is_part ? command.partition_id : "";
    switch (command.kind)
    {
    case Kind::Drop:
        remove_parts(partition, part, false);
        return;
    case Kind::Detach:
        remove_parts(partition, part, true);
        return;
    case Kind::Attach:
        attach_parts(command);
        return;
    case Kind::DropDetached:
        drop_detached(command);
        return;
    case Kind::Freeze:
        freeze(command);
        return;
    case Kind::Unfreeze:
        unfreeze(command);
        return;
    case Kind::Replace:
        throw Error(error_codes::NOT_IMPLEMENTED, "REPLACE PARTITION is not implemented");
    case Kind::Move:
        throw Error(error_codes::NOT_IMPLEMENTED, "MOVE PARTITION is not implemented");
    case Kind::Clear:
        throw Error(error_codes::NOT_IMPLEMENTED, "CLEAR … IN PARTITION is not implemented");
    }
}

} // namespace basalt
