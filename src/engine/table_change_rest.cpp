// Indexes, constraints, settings and the sorting key.

#include "engine/table_change.h"

#include "base/error.h"
#include "sql/formatter.h"
#include "storage/engines/merge_tree_settings.h"

#include <algorithm>
#include <fmt/format.h>

namespace basalt
{

namespace
{

// Fixed when the table is made: parts depend on them.
constexpr std::string_view kReadonlySettings[] = {
    "index_granularity", "index_granularity_bytes", "enable_mixed_granularity_parts",
    "storage_policy"};

void check_changeable(const std::string& name)
{
    if (std::find(std::begin(kReadonlySettings), std::end(kReadonlySettings), name) !=
        std::end(kReadonlySettings))
        throw Error(error_codes::READONLY_SETTING,
                    fmt::format("Setting '{}' is readonly for storage 'MergeTree'", name));
}

size_t position_of(const AstList& indices, const std::string& name)
{
    for (size_t i = 0; i < indices.size(); ++i)
        if (indices[i]->as<AstIndexDeclaration>()->name == name)
            return i;
    return indices.size();
}

} // namespace

void TableChange::add_index(const AstAlterCommand& command)
{
    const auto& index = *command.declaration->as<AstIndexDeclaration>();
    AstList& indices = create_->indices;
    if (position_of(indices, index.name) < indices.size())
    {
        if (command.if_not_exists)
            return;
        throw Error(error_codes::ILLEGAL_COLUMN,
                    fmt::format("Cannot add index {}: index with this name already exists",
                                index.name));
    }
    size_t place = command.first ? 0 : indices.size();
    if (!command.first && !command.after.empty())
    {
        place = position_of(indices, command.after);
        if (place == indices.size())
            throw Error(error_codes::BAD_ARGUMENTS,
                        fmt::format("Wrong index name. Cannot find index {} to insert after.",
                                    quote_identifier(command.after)));
        ++place;
    }
    indices.insert(indices.begin() + static_cast<ptrdiff_t>(place), command.declaration->clone());
}

void TableChange::drop_index(const AstAlterCommand& command)
{
    AstList& indices = create_->indices;
    const size_t at = position_of(indices, command.name);
    if (at == indices.size())
    {
        if (command.if_exists)
            return;
        throw Error(error_codes::BAD_ARGUMENTS,
                    fmt::format("Wrong index name. Cannot find index {} to drop.",
                                quote_identifier(command.name)));
    }
    indices.erase(indices.begin() + static_cast<ptrdiff_t>(at));
    note(MutationCommand::Kind::DropIndex, command.name);
}

void TableChange::add_constraint(const AstAlterCommand& command)
{
    const auto& constraint = *command.declaration->as<AstConstraintDeclaration>();
    for (const auto& ast : create_->constraints)
        if (ast->as<AstConstraintDeclaration>()->name == constraint.name)
        {
            if (command.if_not_exists)
                return;
            throw Error(error_codes::ILLEGAL_COLUMN,
                        fmt::format("Cannot add constraint {}: constraint with this name already "
                                    "exists",
                                    constraint.name));
        }
    create_->constraints.push_back(command.declaration->clone());
}

void TableChange::drop_constraint(const AstAlterCommand& command)
{
    const size_t erased =
        std::erase_if(create_->constraints, [&](const AstPtr& ast)
                      { return ast->as<AstConstraintDeclaration>()->name == command.name; });
    if (!erased && !command.if_exists)
        throw Error(error_codes::BAD_ARGUMENTS,
                    fmt::format("Wrong constraint name. Cannot find constraint {} to drop.",
                                quote_identifier(command.name)));
}

void TableChange::modify_settings(const AstAlterCommand& command)
{
    auto& storage = *create_->storage->as<AstStorage>();
    if (!storage.settings)
        storage.settings = std::make_shared<AstSetQuery>();
    auto& settings = storage.settings->as<AstSetQuery>()->changes;
    for (const auto& change : command.settings->as<AstSetQuery>()->changes)
    {
        if (!find_merge_tree_setting(change.name))
            throw Error(error_codes::UNKNOWN_SETTING,
                        fmt::format("Unknown setting '{}'", change.name));
        check_changeable(change.name);
        const auto same = std::find_if(settings.begin(), settings.end(), [&](const auto& setting)
                                       { return setting.name == change.name; });
        if (same != settings.end())
            same->value = change.value ? change.value->clone() : nullptr;
        else
            settings.push_back(change);
    }
}

void TableChange::reset_settings(const AstAlterCommand& command)
{
    auto& storage = *create_->storage->as<AstStorage>();
    for (const auto& name : command.names)
    {
        if (!find_merge_tree_setting(name))
            throw Error(error_codes::BAD_ARGUMENTS,
                        fmt::format("Cannot reset setting '{}' because it doesn't exist for "
                                    "MergeTree engines family",
                                    name));
        check_changeable(name);
        if (storage.settings)
            std::erase_if(storage.settings->as<AstSetQuery>()->changes,
                          [&](const auto& setting) { return setting.name == name; });
    }
}

// The sorting key may grow by columns that the same ALTER adds (all their values in stored rows
// are equal, so parts stay sorted) and shrink down to the primary key, which stays.
void TableChange::modify_order_by(const AstAlterCommand& command)
{
    auto& storage = *create_->storage->as<AstStorage>();
    if (!storage.primary_key && storage.order_by)
        storage.primary_key = storage.order_by->clone();
    storage.order_by = command.expression->clone();
    sorting_key_changed_ = true;
}

void TableChange::check_sorting_key(const TableMetadata& metadata) const
{
    const auto& before = old_->sorting_key.expressions;
    size_t kept = 0;
    for (const auto& part : metadata.sorting_key.expressions)
    {
        if (kept < before.size() && before[kept]->fingerprint() == part->fingerprint())
        {
            ++kept;
            continue;
        }
        for (const auto& name : inputs_of({part}))
        {
            if (std::find(added_.begin(), added_.end(), name) == added_.end())
                throw Error(error_codes::BAD_ARGUMENTS,
                            fmt::format("Existing column {} is used in the expression that was "
                                        "added to the sorting key. You can add expressions that "
                                        "use only the newly added columns",
                                        name));
            if (!metadata.find_column(name)->default_text.empty())
                throw Error(error_codes::BAD_ARGUMENTS,
                            fmt::format("Newly added column {} has a default expression, so "
                                        "adding expressions that use it to the sorting key is "
                                        "forbidden",
                                        name));
        }
    }
}

void check_deciding_column(const TableMetadata& metadata, const std::string& column,
                           std::string_view action)
{
    const MergingDescription& merging = metadata.merging;
    const auto refuse = [&](std::string_view what)
    {
        throw Error(error_codes::ALTER_OF_COLUMN_IS_FORBIDDEN,
                    fmt::format("Trying to ALTER {} {} ({}) column.", action, what, column));
    };
    if (column.empty())
        return;
    if (column == merging.sign)
        refuse("sign");
    if (column == merging.version)
        refuse("version");
    if (column == merging.is_deleted)
        refuse("is_deleted");
    if (std::find(merging.columns.begin(), merging.columns.end(), column) !=
        merging.columns.end())
        refuse("columns to sum");
}

} // namespace basalt
