// Opening a table: its state from the log, its parts from the disk.

#include "storage/mergetree/merge_tree_table.h"

#include "base/error.h"
#include "storage/block_bytes.h"
#include "storage/durable_directory.h"

#include <algorithm>
#include <fmt/format.h>

namespace basalt
{

namespace
{

constexpr std::string_view kTemporaryPrefix = "tmp_";

bool starts_with(std::string_view text, std::string_view prefix)
{
    return text.substr(0, prefix.size()) == prefix;
}

} // namespace

void MergeTreeTable::restore(std::string_view state)
{
    restored_ = TableLogState::decode(state);
}

void MergeTreeTable::replay(uint64_t sequence, uint8_t kind, std::string_view payload)
{
    switch (static_cast<TableEditKind>(kind))
    {
    case TableEditKind::Created:
        return;
    case TableEditKind::Rows:
        restored_rows_.emplace_back(sequence, payload);
        return;
    case TableEditKind::Parts:
        restored_.apply(PartsEdit::decode(payload));
        std::erase_if(restored_rows_, [&](const auto& rows)
                      { return rows.first <= restored_.flushed_through; });
        return;
    case TableEditKind::Columns:
    {
        const ColumnEvent event = ColumnEvent::take(payload);
        if (event.version > restored_.metadata_version ||
            (event.version == restored_.metadata_version &&
             std::none_of(restored_.column_events.begin(), restored_.column_events.end(),
                          [&](const ColumnEvent& known)
                          {
                              return known.version == event.version &&
                                     known.kind == event.kind && known.name == event.name;
                          })))
            restored_.column_events.push_back(event);
        restored_.metadata_version = std::max(restored_.metadata_version, event.version);
        return;
    }
    case TableEditKind::Altered:
    {
        AlteredEntry entry = AlteredEntry::decode(payload);
        restored_.metadata_version = std::max(restored_.metadata_version, entry.version);
        if (entry.version >= restored_.altered.version)
            restored_.altered = std::move(entry);
        return;
    }
    case TableEditKind::Mutation:
    {
        MutationEntry entry = MutationEntry::decode(payload);
        const uint64_t version = entry.version;
        auto& known = restored_.mutations[version];
        // Records older than the state must not undo it.
        if (!known.done && !known.killed)
            known = std::move(entry);
        return;
    }
    }
    throw Error(error_codes::CORRUPTED_DATA,
                fmt::format("The log holds an unknown kind of edit ({}) of a table", kind));
}

void MergeTreeTable::open(bool attach)
{
    FileSystem& files = service_.files();
    const bool known = service_.log().attach(uuid_, *this, true);
    try
    {
        // Nothing is made where a volume should be.
        if (is_away())
            absent_ = restored_.parts;
        else
            create_durable_directory(files, join_path(path_, "detached"));
        if (!known)
        {
            const auto transaction = service_.begin();
            transaction->add_record(uuid_, static_cast<uint8_t>(TableEditKind::Created), {});
            transaction->commit();
        }
        // The log knows nothing of a table that exists: its parts are taken as they are found.
        load_parts(attach && (!known || service_.log().has_lost_checkpoint()));
        replay_rows();
        service_.log().attached(uuid_);
        std::lock_guard lock(mutex_);
        opening_ = false;
        restored_ = {};
        restored_rows_.clear();
    }
    catch (...)
    {
        service_.log().detach(uuid_);
        throw;
    }
    service_.background().add(*this);
}

// Whether the log lists parts, and no folder of any of them is there.
bool MergeTreeTable::is_away() const
{
    FileSystem& files = service_.files();
    if (restored_.parts.empty() || service_.log().is_damaged())
        return false;
    if (!files.exists(path_))
        return true;
    for (const auto& entry : files.list(path_))
        if (entry.is_directory && entry.name != "detached")
            return false;
    return true;
}

void MergeTreeTable::set_aside(const std::string& folder, const std::string& reason)
{
    FileSystem& files = service_.files();
    const std::string target = detached_path(reason.empty() ? folder : reason + "_" + folder);
    const std::string from = join_path(path_, folder);
    if (files.exists(from))
        files.rename(from, target);
    else
        files.create_directories(target); // so that it is listed
    files.sync_directory(join_path(path_, "detached"));
    service_.report(fmt::format("Folder {} of table {} was set aside as {}", folder, name_.full(),
                                target));
}

void MergeTreeTable::load_parts(bool adopt)
{
    FileSystem& files = service_.files();
    std::set<std::string> folders;
    if (!absent_.empty())
        service_.report(fmt::format("The data of table {} is not there: {} parts are listed in the "
                                    "log, {} has none of them",
                                    name_.full(), absent_.size(), path_));
    else
        for (const auto& entry : files.list(path_))
            if (entry.is_directory && entry.name != "detached")
                folders.insert(entry.name);
    if (adopt)
    {
        std::vector<PartName> found;
        for (const auto& folder : folders)
            if (const auto name = parse_part_name(folder);
                name && !restored_.outdated.contains(folder) &&
                !restored_.moved_out.contains(folder))
                found.push_back(*name);
        for (const auto& name : found)
            if (std::none_of(found.begin(), found.end(), [&](const PartName& other)
                             { return other != name && other.contains(name); }))
                restored_.parts.insert(name.text());
    }
    const bool is_damaged = service_.log().is_damaged();
    if (is_damaged)
    {
        // Parts whose record came to be lost behind their renaming.
        for (const auto& folder : std::set<std::string>(folders))
        {
            const std::string text = folder.starts_with(kTemporaryPrefix)
                                         ? folder.substr(kTemporaryPrefix.size())
                                         : std::string();
            if (!parse_part_name(text) || folders.contains(text))
                continue;
            files.rename(join_path(path_, folder), join_path(path_, text));
            folders.erase(folder);
            folders.insert(text);
        }
        adopt_covering(folders);
    }
    // The name that a committed part got may have been lost with the power.
    const auto give_name = [&](const std::string& text)
    {
        const std::string temporary = std::string(kTemporaryPrefix) + text;
        if (folders.contains(text) || !folders.contains(temporary))
            return;
        files.rename(join_path(path_, temporary), join_path(path_, text));
        folders.erase(temporary);
        folders.insert(text);
    };
    for (const auto& text : restored_.moved_out)
        give_name(text);
    std::vector<std::pair<std::string, PartName>> listed;
    for (const auto& text : restored_.parts)
    {
        const auto name = parse_part_name(text);
        if (!name)
            throw Error(error_codes::CORRUPTED_DATA,
                        fmt::format("The log lists a part of the name {}", text));
        next_block_ = std::max({next_block_, name->max_block + 1, name->mutation + 1});
        give_name(text);
        if (absent_.empty())
            listed.emplace_back(text, *name);
        folders.erase(text);
    }
    open_listed_parts(listed);
    auto gone = restored_.outdated;
    gone.insert(restored_.moved_out.begin(), restored_.moved_out.end());
    for (const auto& text : gone)
        if (const auto name = parse_part_name(text))
            next_block_ = std::max({next_block_, name->max_block + 1, name->mutation + 1});
    for (const auto& [version, mutation] : restored_.mutations)
        next_block_ = std::max(next_block_, version + 1);
    next_block_ = std::max(next_block_, restored_.next_block);
    if (absent_.empty())
        settle_attaching();
    // What is left was replaced, was never finished, or is not ours.
    for (const auto& folder : folders)
    {
        if (restored_.outdated.contains(folder) || starts_with(folder, kTemporaryPrefix))
            files.remove_directory_recursive(join_path(path_, folder));
        // Names are never used again: a detached folder of this name is this one, half moved.
        else if (restored_.moved_out.contains(folder) &&
                 files.exists(join_path(join_path(path_, "detached"), folder)))
            files.remove_directory_recursive(join_path(path_, folder));
        else if (parse_part_name(folder))
            set_aside(folder, restored_.moved_out.contains(folder) ? "" : "unexpected");
    }
    flushed_through_ = restored_.flushed_through;
    history_ = std::make_shared<ColumnHistory>(restored_.metadata_version,
                                               restored_.column_events);
    altered_ = restored_.altered;
    mutations_ = restored_.mutations;
}

void MergeTreeTable::replay_rows()
{
    for (const auto& [sequence, payload] : restored_rows_)
    {
        if (sequence <= flushed_through_)
            continue;
        std::string_view bytes = payload;
        LiveBlock block;
        block.version = take_varint(bytes);
        block.block = decode_block(bytes);
        live_.append(std::move(block), sequence, service_.clock().unix_s());
    }
    std::lock_guard lock(mutex_);
    count_live();
}

std::string MergeTreeTable::checkpoint_state() const
{
    TableLogState state;
    std::lock_guard lock(mutex_);
    if (opening_)
        return restored_.encode();
    for (const auto& [name, part] : parts_)
        state.parts.insert(part->name_text());
    state.parts.insert(absent_.begin(), absent_.end());
    {
        std::lock_guard outdated_lock(outdated_->mutex);
        state.outdated = outdated_->names;
    }
    state.flushed_through = flushed_through_;
    state.next_block = next_block_;
    state.metadata_version = history_->version();
    state.column_events = history_->events();
    state.mutations = mutations_;
    state.altered = altered_;
    return state.encode();
}

uint64_t MergeTreeTable::oldest_needed() const
{
    std::lock_guard lock(mutex_);
    if (opening_)
        return restored_rows_.empty() ? UINT64_MAX : restored_rows_.front().first;
    return live_.oldest_sequence();
}

} // namespace basalt
