// ALTER of columns and indexes. Parts stay as they are: they are read through the column history.

#include "storage/mergetree/merge_tree_table.h"
#include "storage/skip_index/skip_index.h"

#include "base/error.h"

#include <algorithm>
#include <fmt/format.h>

namespace basalt
{

namespace
{

bool contains(const std::vector<std::string>& names, const std::string& name)
{
    return std::find(names.begin(), names.end(), name) != names.end();
}

std::vector<std::string> key_columns(const TableMetadata& metadata)
{
    Expressions keys = metadata.sorting_key.expressions;
    for (const auto& expression : metadata.partition_key.expressions)
        keys.push_back(expression);
    return inputs_of(keys);
}

[[noreturn]] void throw_forbidden(const char* what, const std::string& column)
{
    throw Error(error_codes::ALTER_OF_COLUMN_IS_FORBIDDEN,
                fmt::format("Trying to ALTER {} column {}, which is part of a key expression",
                            what, column));
}

void check(const TableMetadata& before, const TableMetadata& after)
{
    if (before.sorting_key.text != after.sorting_key.text ||
        before.primary_key.text != after.primary_key.text ||
        before.partition_key.text != after.partition_key.text)
        throw Error(error_codes::NOT_IMPLEMENTED, "ALTER of a table's keys is not implemented");
    if (!after.ttl_text.empty())
        throw Error(error_codes::NOT_IMPLEMENTED, "TTL is not implemented for MergeTree yet");
    const std::string* granularity = after.find_setting("index_granularity");
    const std::string* old_granularity = before.find_setting("index_granularity");
    if ((granularity ? *granularity : "8192") != (old_granularity ? *old_granularity : "8192"))
        throw Error(error_codes::READONLY_SETTING,
                    "Setting 'index_granularity' is readonly for storage 'MergeTree'");
    for (const auto& index : after.indexes)
        skip_index_kinds().get(index.type).check(index);
    for (const auto& column : after.columns)
        if (!column.ttl_text.empty())
            throw Error(error_codes::NOT_IMPLEMENTED,
                        fmt::format("TTL of column {} is not implemented for MergeTree yet",
                                    column.name));
    const auto keys = key_columns(before);
    for (const auto& name : keys)
    {
        const auto* now = after.find_column(name);
        if (!now)
            throw_forbidden("DROP key", name);
        if (!same_type(now->type, before.find_column(name)->type))
            throw_forbidden("MODIFY key", name);
    }
}

bool is_stored(const ColumnDescription& column)
{
    return column.default_kind != DefaultKind::Alias &&
           column.default_kind != DefaultKind::Ephemeral;
}

} // namespace

void MergeTreeTable::alter(TableMetadataPtr metadata, const std::vector<MutationCommand>& commands,
                           QueryContextPtr context)
{
    std::lock_guard one_at_a_time(alter_mutex_);
    const TableMetadataPtr before = this->metadata();
    check(*before, *metadata);
    flush_live();
    std::vector<ColumnEvent> events;
    uint64_t version = 0;
    {
        std::lock_guard lock(mutex_);
        events = history_->events();
        version = history_->version() + 1;
    }
    const size_t known_events = events.size();
    const auto add = [&](ColumnEvent::Kind kind, const std::string& name,
                         const std::string& new_name)
    { events.push_back({kind, version, name, new_name}); };
    std::vector<std::string> renamed_from, renamed_to;
    for (const auto& command : commands)
    {
        if (command.kind != MutationCommand::Kind::RenameColumn)
            continue;
        if (contains(key_columns(*before), command.name))
            throw_forbidden("RENAME key", command.name);
        renamed_from.push_back(command.name);
        renamed_to.push_back(command.new_name);
    }
    for (const auto& column : before->columns)
        if (is_stored(column) && !contains(renamed_from, column.name))
        {
            const auto* now = metadata->find_column(column.name);
            if (!now || !is_stored(*now))
                add(ColumnEvent::Kind::Dropped, column.name, "");
        }
    for (size_t i = 0; i < renamed_from.size(); ++i)
        add(ColumnEvent::Kind::Renamed, renamed_from[i], renamed_to[i]);
    for (const auto& column : metadata->columns)
        if (is_stored(column) && !contains(renamed_to, column.name))
        {
            const auto* old = before->find_column(column.name);
            if (!old || !is_stored(*old))
                add(ColumnEvent::Kind::Added, column.name, "");
        }
    const auto history = events.size() == known_events
                             ? nullptr
                             : std::make_shared<const ColumnHistory>(version, events);
    const auto transaction = service_.begin();
    for (size_t i = known_events; i < events.size(); ++i)
    {
        std::string payload;
        events[i].append_to(payload);
        transaction->add_record(uuid_, static_cast<uint8_t>(TableEditKind::Columns),
                                std::move(payload));
    }
    transaction->on_commit(
        [this, metadata, history]
        {
            std::lock_guard lock(mutex_);
            metadata_ = metadata;
            if (history)
                history_ = history;
        });
    transaction->commit();
    // Columns need nothing more; indexes leave the parts.
    std::vector<MutationCommand> mutations;
    for (auto command : commands)
        if (command.kind == MutationCommand::Kind::DropIndex)
        {
            command.text = drop_index_text(command.name);
            mutations.push_back(std::move(command));
        }
    if (!mutations.empty())
        mutate(mutations, context->settings.get_uint("alter_sync") > 0, context);
}

} // namespace basalt
