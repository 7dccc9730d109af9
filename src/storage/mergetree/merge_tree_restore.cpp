// Parts that come from elsewhere: of a backup.

#include "storage/mergetree/merge_tree_table.h"
#include "storage/mergetree/partition.h"

#include "base/error.h"

#include <algorithm>
#include <fmt/format.h>

namespace basalt
{

std::string MergeTreeTable::restore_folder()
{
    return temporary_path("restore");
}

// Parts written under a history of columns that ends with that version are read by this table's
// history: it must be the same one, perhaps longer, or there is nothing yet that it was needed for.
void MergeTreeTable::adopt_history(uint64_t version, const std::vector<ColumnEvent>& events)
{
    std::lock_guard one_at_a_time(alter_mutex_);
    std::shared_ptr<const ColumnHistory> mine;
    bool is_empty = false;
    {
        std::lock_guard lock(mutex_);
        mine = history_;
        is_empty = parts_.empty() && live_.empty();
    }
    const auto& own = mine->events();
    const auto is_same = [](const ColumnEvent& a, const ColumnEvent& b)
    {
        return a.kind == b.kind && a.version == b.version && a.name == b.name &&
               a.new_name == b.new_name;
    };
    const bool is_known =
        events.size() <= own.size() &&
        std::equal(events.begin(), events.end(), own.begin(), is_same) &&
        (events.size() == own.size() || own[events.size()].version > version);
    if (!is_known && !(own.empty() && is_empty && mine->version() == 0))
        throw Error(error_codes::CANNOT_RESTORE_TABLE,
                    fmt::format("Columns of table {} were renamed, dropped or added since, or in "
                                "another way than in the backup: its parts fit a new table only",
                                table_name().full()));
    if (is_known && version <= mine->version())
        return;
    auto history = events;
    const uint64_t next_version = std::max(version, mine->version());
    // A later ALTER must count as later for what comes in now.
    if (history.empty() || history.back().version < next_version)
        history.push_back({ColumnEvent::Kind::Added, next_version, "", ""});
    const auto transaction = service_.begin();
    for (size_t i = is_known ? own.size() : 0; i < history.size(); ++i)
    {
        std::string payload;
        history[i].append_to(payload);
        transaction->add_record(uuid_, static_cast<uint8_t>(TableEditKind::Columns),
                                std::move(payload));
    }
    const auto adopted =
        std::make_shared<const ColumnHistory>(next_version, std::move(history));
    transaction->on_commit(
        [this, adopted]
        {
            std::lock_guard lock(mutex_);
            history_ = adopted;
        });
    transaction->commit();
}

void MergeTreeTable::stage_restored(Transaction& transaction,
                                    const std::vector<std::string>& folders)
{
    FileSystem& files = service_.files();
    const TableMetadataPtr metadata = this->metadata();
    Types types;
    for (const auto& expression : metadata->partition_key.expressions)
        types.push_back(expression->type());
    std::vector<PartManifest> manifests;
    std::vector<std::string> partition_ids;
    for (const auto& folder : folders)
    {
        manifests.push_back(read_part_manifest(files, folder));
        partition_ids.push_back(partition_id_of(manifests.back().partition, types));
    }
    const auto names = reserve_blocks(partition_ids);
    transaction.on_rollback([this, names] { release_blocks(names); });
    std::vector<std::shared_ptr<Part>> parts;
    for (size_t i = 0; i < folders.size(); ++i)
    {
        const std::string directory = join_path(path_, "tmp_" + names[i].text());
        files.rename(folders[i], directory);
        transaction.on_rollback([&files, directory]
                                { files.remove_directory_recursive(directory); });
        parts.push_back(
            std::make_shared<Part>(files, directory, names[i], std::move(manifests[i])));
    }
    files.sync_directory(path_);
    stage(transaction, parts, {}, 0);
}

} // namespace basalt
