// FREEZE and UNFREEZE: links to the parts of one moment in shadow/<name>/, where the table's folder
// has the same place as in the data folder.

#include "storage/mergetree/merge_tree_table.h"
#include "storage/mergetree/part_rewriter.h"

#include "base/error.h"
#include "storage/durable_directory.h"

#include <fmt/format.h>

namespace basalt
{

namespace
{

// Of a table's folder in the data folder, and so in a shadow.
std::string place_of(const std::string& uuid)
{
    return join_path(join_path("store", uuid.substr(0, 3)), uuid);
}

bool is_wanted(const PartitionCommand& command, const std::string& partition_id)
{
    return command.all || command.partition_id == partition_id;
}

} // namespace

void MergeTreeTable::freeze(const PartitionCommand& command)
{
    flush_live();
    const TableSnapshot now = snapshot();
    FileSystem& files = service_.files();
    const std::string target = join_path(
        service_.shadow_path(command.backup_name.empty() ? service_.next_shadow_name()
                                                         : command.backup_name),
        place_of(uuid_));
    const auto is_frozen = [&](const PartPtr& part)
    { return files.exists(join_path(target, part->name_text())); };
    for (const auto& part : now.parts)
        if (is_wanted(command, part->name().partition_id) && is_frozen(part))
            throw Error(error_codes::DIRECTORY_ALREADY_EXISTS,
                        fmt::format("Directory {} already exists and is not empty.",
                                    join_path(target, part->name_text())));
    create_durable_directory(files, target);
    for (const auto& part : now.parts)
    {
        if (!is_wanted(command, part->name().partition_id))
            continue;
        // Whole or not there, whenever the power goes.
        const std::string linked = join_path(target, "tmp_" + part->name_text());
        link_folder(files, part->directory(), linked);
        files.rename(linked, join_path(target, part->name_text()));
    }
    files.sync_directory(target);
}

void MergeTreeTable::unfreeze(const PartitionCommand& command)
{
    FileSystem& files = service_.files();
    const std::string shadow = service_.shadow_path(command.backup_name);
    const std::string target = join_path(shadow, place_of(uuid_));
    if (!files.exists(target))
        return;
    for (const auto& entry : files.list(target))
    {
        const auto name = parse_part_name(entry.name);
        if (entry.is_directory && (command.all || (name && is_wanted(command, name->partition_id))))
            files.remove_directory_recursive(join_path(target, entry.name));
    }
    // Folders that are empty now, up to the name's.
    for (std::string at = target; files.list(at).empty(); at = parent_directory(at))
    {
        files.remove_directory_recursive(at);
        if (at == shadow)
            break;
    }
}

} // namespace basalt
