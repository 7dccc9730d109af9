// ALTER of columns and indexes. Parts stay as they are: they are read through the column history.

#include "storage/conversion.h"
#include "storage/mergetree/merge_tree_scan.h"
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
    // The sorting key may differ in columns that have one value in all rows there are, or at its
    // end: whoever binds the statement sees to that.
    if (before.primary_key.text != after.primary_key.text ||
        before.partition_key.text != after.partition_key.text)
        throw Error(error_codes::NOT_IMPLEMENTED,
                    "ALTER of a table's primary or partition key is not implemented");
    const std::string* granularity = after.find_setting("index_granularity");
    const std::string* old_granularity = before.find_setting("index_granularity");
    if ((granularity ? *granularity : "8192") != (old_granularity ? *old_granularity : "8192"))
        throw Error(error_codes::READONLY_SETTING,
                    "Setting 'index_granularity' is readonly for storage 'MergeTree'");
    for (const auto& index : after.indexes)
        skip_index_kinds().get(index.type).check(index);
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

// What the commands do to stored columns, in their order.
std::vector<ColumnEvent> column_events(const std::vector<MutationCommand>& commands,
                                       uint64_t version)
{
    using Kind = MutationCommand::Kind;
    std::vector<ColumnEvent> events;
    for (const auto& command : commands)
        if (command.kind == Kind::AddColumn)
            events.push_back({ColumnEvent::Kind::Added, version, command.name, ""});
        else if (command.kind == Kind::DropColumn)
            events.push_back({ColumnEvent::Kind::Dropped, version, command.name, ""});
        else if (command.kind == Kind::RenameColumn)
            events.push_back(
                {ColumnEvent::Kind::Renamed, version, command.name, command.new_name});
    return events;
}

// Conversions that every value survives.
bool never_fails(const TypePtr& from, const TypePtr& to)
{
    if (same_layout(from, to))
        return true;
    const bool loses_null = is_nullable_or_lc_nullable(from) && !is_nullable_or_lc_nullable(to);
    if (loses_null)
        return false;
    const TypePtr a = strip_wrappers(from), b = strip_wrappers(to);
    const auto is_plain = [](const TypePtr& type) { return type->is_integer() || type->is_float(); };
    return b->is(TypeId::String) || (is_plain(a) && is_plain(b)) || same_type(a, b);
}

} // namespace

// Reads what would be read through a conversion that may fail: values that do not fit must stop
// the ALTER, not every query after it.
void MergeTreeTable::check_values_fit(const TableMetadata& before,
                                      const TableMetadataPtr& after,
                                      const std::shared_ptr<const ColumnHistory>& history,
                                      const std::vector<MutationCommand>& commands,
                                      QueryContextPtr context)
{
    ScanRequest request;
    for (const auto& command : commands)
    {
        if (command.kind != MutationCommand::Kind::ModifyColumn)
            continue;
        const auto* old = before.find_column(command.name);
        const auto* now = after->find_column(command.name);
        if (old && now && !never_fails(old->type, now->type) &&
            !contains(request.columns, command.name))
            request.columns.push_back(command.name);
    }
    if (request.columns.empty())
        return;
    TableSnapshot snapshot = this->snapshot();
    for (const auto& part : snapshot.parts)
    {
        TableSnapshot one;
        one.metadata = after;
        one.history = history;
        one.parts = {part};
        try
        {
            MergeTreeScan scan(std::static_pointer_cast<MergeTreeTable>(shared_from_this()),
                               request, service_.make_context(), std::move(one));
            while (scan.next(0).rows())
                context->check_alive();
        }
        catch (const Error& error)
        {
            context->check_alive();
            throw Error(error_codes::UNFINISHED,
                        fmt::format("Values of part '{}' cannot be converted, the table stays as "
                                    "it was. Reason: {}",
                                    part->name_text(), error.full_text()));
        }
    }
}

std::string MergeTreeTable::logged_create_text() const
{
    std::lock_guard lock(mutex_);
    return altered_.create_text;
}

// Parts from before a key column was added have its old default in every row and are sorted so.
void MergeTreeTable::check_key_default(const std::string& name, const TableMetadata& before,
                                       const TableMetadata& after)
{
    const auto* column = after.find_column(name);
    if (!column || column->default_text == before.find_column(name)->default_text)
        return;
    std::lock_guard lock(mutex_);
    for (const auto& [part_name, part] : parts_)
    {
        const auto stored = history_->stored_name(name, part->manifest().metadata_version);
        if (!stored || part->manifest().find_column(*stored) < 0)
            throw Error(error_codes::ALTER_OF_COLUMN_IS_FORBIDDEN,
                        fmt::format("The default of key column {} cannot change while part {} "
                                    "does not hold the column: merge it first",
                                    name, part->name_text()));
    }
}

// A mutation that waits would not find the column any more, or find another one.
void MergeTreeTable::check_mutations_spare(const std::string& column)
{
    bind_mutations();
    std::lock_guard lock(mutex_);
    for (const auto& [version, mutation] : mutations_)
    {
        if (mutation.done || mutation.killed)
            continue;
        const auto bound = bound_mutations_.find(version);
        if (bound == bound_mutations_.end())
            continue;
        Expressions read;
        bool touched = false;
        for (const auto& command : bound->second)
        {
            touched = touched || command.name == column;
            if (command.predicate)
                read.push_back(command.predicate);
            for (const auto& [name, value] : command.updates)
            {
                touched = touched || name == column;
                read.push_back(value);
            }
        }
        if (touched || contains(inputs_of(read), column))
            throw Error(error_codes::BAD_ARGUMENTS,
                        fmt::format("Column {} is needed by the mutation mutation_{}.txt, which "
                                    "is not finished: wait for it or kill it with KILL MUTATION",
                                    column, version));
    }
}

void MergeTreeTable::finish_alter(TableMetadataPtr metadata)
{
    std::lock_guard lock(mutex_);
    metadata_ = std::move(metadata);
}

std::vector<MutationCommand> MergeTreeTable::alter_to(
    TableMetadataPtr metadata, const std::vector<MutationCommand>& commands,
    std::string create_text, QueryContextPtr context)
{
    check_is_there(error_codes::TABLE_IS_READ_ONLY);
    std::lock_guard one_at_a_time(alter_mutex_);
    const TableMetadataPtr before = this->metadata();
    check(*before, *metadata);
    const auto keys = key_columns(*before);
    for (const auto& name : keys)
        check_key_default(name, *before, *metadata);
    for (const auto& command : commands)
        if (command.kind == MutationCommand::Kind::RenameColumn ||
            command.kind == MutationCommand::Kind::DropColumn)
        {
            if (contains(keys, command.name))
                throw_forbidden(
                    command.kind == MutationCommand::Kind::DropColumn ? "DROP key" : "RENAME key",
                    command.name);
            check_mutations_spare(command.name);
        }
    flush_live();
    AlteredEntry altered;
    altered.create_text = std::move(create_text);
    std::vector<ColumnEvent> events;
    {
        std::lock_guard lock(mutex_);
        events = history_->events();
        altered.version = history_->version() + 1;
    }
    const auto transaction = service_.begin();
    for (auto& event : column_events(commands, altered.version))
    {
        std::string payload;
        event.append_to(payload);
        transaction->add_record(uuid_, static_cast<uint8_t>(TableEditKind::Columns),
                                std::move(payload));
        events.push_back(std::move(event));
    }
    transaction->add_record(uuid_, static_cast<uint8_t>(TableEditKind::Altered),
                            altered.encode());
    const auto history = std::make_shared<const ColumnHistory>(altered.version, std::move(events));
    check_values_fit(*before, metadata, history, commands, context);
    transaction->on_commit(
        [this, metadata, history, altered]
        {
            std::lock_guard lock(mutex_);
            metadata_ = metadata;
            history_ = history;
            altered_ = altered;
            bound_mutations_.clear(); // to be bound to the new columns
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
    return mutations;
}

} // namespace basalt
