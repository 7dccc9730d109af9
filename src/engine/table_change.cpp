#include "engine/table_change.h"

#include "base/error.h"
#include "binder/binder.h"
#include "sql/formatter.h"
#include "storage/engines/engines.h"

#include <algorithm>
#include <fmt/format.h>

namespace basalt
{

namespace
{

struct ActionName
{
    AlterAction action;
    const char* name;
    bool describes;
};

constexpr ActionName kActions[] = {
    {AlterAction::AddColumn, "ADD_COLUMN", true},
    {AlterAction::DropColumn, "DROP_COLUMN", true},
    {AlterAction::ModifyColumn, "MODIFY_COLUMN", true},
    {AlterAction::CommentColumn, "COMMENT_COLUMN", true},
    {AlterAction::RenameColumn, "RENAME_COLUMN", true},
    {AlterAction::AddIndex, "ADD_INDEX", true},
    {AlterAction::DropIndex, "DROP_INDEX", true},
    {AlterAction::AddProjection, "ADD_PROJECTION", true},
    {AlterAction::DropProjection, "DROP_PROJECTION", true},
    {AlterAction::AddConstraint, "ADD_CONSTRAINT", true},
    {AlterAction::DropConstraint, "DROP_CONSTRAINT", true},
    {AlterAction::AddStatistics, "ADD_STATISTICS", true},
    {AlterAction::ModifyStatistics, "MODIFY_STATISTICS", true},
    {AlterAction::DropStatistics, "DROP_STATISTICS", true},
    {AlterAction::ModifyOrderBy, "MODIFY_ORDER_BY", true},
    {AlterAction::ModifySampleBy, "MODIFY_SAMPLE_BY", true},
    {AlterAction::RemoveSampleBy, "REMOVE_SAMPLE_BY", true},
    {AlterAction::ModifyTtl, "MODIFY_TTL", true},
    {AlterAction::RemoveTtl, "REMOVE_TTL", true},
    {AlterAction::ModifySetting, "MODIFY_SETTING", true},
    {AlterAction::ResetSetting, "RESET_SETTING", true},
    {AlterAction::ModifyQuery, "MODIFY_QUERY", true},
    {AlterAction::ModifyRefresh, "MODIFY_REFRESH", true},
    {AlterAction::ModifyComment, "COMMENT_TABLE", true},
    {AlterAction::ModifySqlSecurity, "MODIFY_SQL_SECURITY", true},
    {AlterAction::ModifyDatabaseSetting, "MODIFY_DATABASE_SETTING", true},
    {AlterAction::ClearColumn, "CLEAR_COLUMN", false},
    {AlterAction::MaterializeColumn, "MATERIALIZE_COLUMN", false},
    {AlterAction::ClearIndex, "CLEAR_INDEX", false},
    {AlterAction::MaterializeIndex, "MATERIALIZE_INDEX", false},
    {AlterAction::ClearProjection, "CLEAR_PROJECTION", false},
    {AlterAction::MaterializeProjection, "MATERIALIZE_PROJECTION", false},
    {AlterAction::ClearStatistics, "CLEAR_STATISTICS", false},
    {AlterAction::MaterializeStatistics, "MATERIALIZE_STATISTICS", false},
    {AlterAction::MaterializeTtl, "MATERIALIZE_TTL", false},
    {AlterAction::ApplyDeletedMask, "APPLY_DELETED_MASK", false},
    {AlterAction::ApplyPatches, "APPLY_PATCHES", false},
    {AlterAction::RewriteParts, "REWRITE_PARTS", false},
    {AlterAction::ReplacePartition, "REPLACE_PARTITION", false},
    {AlterAction::MovePartition, "MOVE_PARTITION", false},
    {AlterAction::FreezePartition, "FREEZE_PARTITION", false},
    {AlterAction::UnfreezePartition, "UNFREEZE_PARTITION", false},
    {AlterAction::FetchPartition, "FETCH_PARTITION", false},
    {AlterAction::ForgetPartition, "FORGET_PARTITION", false},
};

const ActionName* find_action(AlterAction action)
{
    for (const auto& known : kActions)
        if (known.action == action)
            return &known;
    return nullptr;
}

bool is_identifier_of(const AstIdentifier& identifier, const std::string& column)
{
    std::string name;
    for (const auto& part : identifier.parts)
    {
        name += (name.empty() ? "" : ".") + part;
        if (name == column)
            return true;
    }
    return false;
}

} // namespace

bool changes_description(AlterAction action)
{
    const auto* known = find_action(action);
    return known && known->describes;
}

std::string action_name(AlterAction action)
{
    const auto* known = find_action(action);
    return known ? known->name : "PARTITION";
}

bool names_column(const Ast& expression, const std::string& column)
{
    if (const auto* identifier = expression.as<AstIdentifier>())
        return is_identifier_of(*identifier, column);
    bool found = false;
    const_cast<Ast&>(expression).for_each_child(
        [&](AstPtr& child) { found = found || names_column(*child, column); });
    return found;
}

void rename_in(const AstPtr& expression, const std::string& from, const std::string& to)
{
    if (!expression)
        return;
    if (auto* identifier = expression->as<AstIdentifier>())
    {
        if (!is_identifier_of(*identifier, from))
            return;
        const size_t taken =
            1 + static_cast<size_t>(std::count(from.begin(), from.end(), '.'));
        std::vector<std::string> parts;
        for (size_t begin = 0; begin <= to.size();)
        {
            const size_t end = std::min(to.find('.', begin), to.size());
            parts.push_back(to.substr(begin, end - begin));
            begin = end + 1;
        }
        parts.insert(parts.end(),
                     identifier->parts.begin() +
                         static_cast<ptrdiff_t>(std::min(taken, identifier->parts.size())),
                     identifier->parts.end());
        identifier->parts = std::move(parts);
        return;
    }
    expression->for_each_child([&](AstPtr& child) { rename_in(child, from, to); });
}

bool key_reads(const KeyDescription& key, const std::string& column)
{
    const auto inputs = inputs_of(key.expressions);
    return std::find(inputs.begin(), inputs.end(), column) != inputs.end();
}

TableChange::TableChange(const Table& table, const AstCreateTable& create,
                         const QueryContext& context)
    : table_(table), old_(table.metadata()), context_(context),
      create_(std::static_pointer_cast<AstCreateTable>(static_cast<const Ast&>(create).clone()))
{
}

void TableChange::note(MutationCommand::Kind kind, const std::string& name, std::string new_name)
{
    MutationCommand command;
    command.kind = kind;
    command.name = name;
    command.new_name = std::move(new_name);
    commands_.push_back(std::move(command));
}

void TableChange::apply(const AstAlterCommand& command)
{
    switch (command.action)
    {
    case AlterAction::AddColumn:
        return add_column(command);
    case AlterAction::DropColumn:
        return drop_column(command);
    case AlterAction::ModifyColumn:
        return modify_column(command);
    case AlterAction::CommentColumn:
        return comment_column(command);
    case AlterAction::RenameColumn:
        return rename_column(command);
    case AlterAction::AddIndex:
        return add_index(command);
    case AlterAction::DropIndex:
        return drop_index(command);
    case AlterAction::AddConstraint:
        return add_constraint(command);
    case AlterAction::DropConstraint:
        return drop_constraint(command);
    case AlterAction::ModifyComment:
        create_->comment = command.comment->as<AstLiteral>()->text.empty()
                               ? nullptr
                               : command.comment->clone();
        return;
    case AlterAction::ModifySetting:
        return modify_settings(command);
    case AlterAction::ResetSetting:
        return reset_settings(command);
    case AlterAction::ModifyOrderBy:
        return modify_order_by(command);
    case AlterAction::ModifyTtl:
    {
        AstList& ttl = create_->storage->as<AstStorage>()->ttl;
        ttl.clear();
        for (const AstPtr& element : command.ttl)
            ttl.push_back(element->clone());
        return;
    }
    case AlterAction::RemoveTtl:
    {
        AstList& ttl = create_->storage->as<AstStorage>()->ttl;
        if (ttl.empty())
            throw Error(error_codes::BAD_ARGUMENTS,
                        "Table doesn't have any table TTL expression, cannot remove");
        ttl.clear();
        return;
    }
    default:
        throw Error(error_codes::NOT_IMPLEMENTED,
                    fmt::format("Alter of type '{}' is not implemented",
                                action_name(command.action)));
    }
}

// A column may go only when nothing that stays needs it. Keys, indexes and constraints are found
// when they are bound.
void TableChange::check_drops() const
{
    for (const auto& name : dropped_)
        for (const auto& ast : create_->columns)
        {
            const auto& column = *ast->as<AstColumnDeclaration>();
            if (column.default_expression && names_column(*column.default_expression, name))
                throw Error(error_codes::ILLEGAL_COLUMN,
                            fmt::format("Cannot drop column {}, because column {} depends on it.",
                                        quote_identifier(name), quote_identifier(column.name)));
        }
}

// bind_columns() under the user's own settings, for what the user wrote.
void TableChange::check_new_columns(const PreparedTable& prepared) const
{
    AstList checked;
    for (const auto& ast : prepared.create_query->columns)
    {
        const auto& column = *ast->as<AstColumnDeclaration>();
        const bool is_new =
            std::find(written_.begin(), written_.end(), column.name) != written_.end();
        if (is_new)
        {
            auto plain = std::static_pointer_cast<AstColumnDeclaration>(column.Ast::clone());
            plain->default_kind = ColumnDefault::None;
            plain->default_expression = nullptr;
            plain->ttl = nullptr;
            checked.push_back(plain);
        }
    }
    if (!checked.empty())
        bind_columns(checked, context_);
}

// Something must stand where NULL stood.
void TableChange::check_not_null(const TableMetadata& metadata) const
{
    for (const auto& name : not_null_any_more_)
    {
        const auto* column = metadata.find_column(name);
        if (!column || is_nullable_or_lc_nullable(column->type))
            continue;
        if (!column->default_expression)
            throw Error(error_codes::BAD_ARGUMENTS,
                        fmt::format("Cannot convert column {} from a nullable type to the "
                                    "non-nullable type {}. Please specify `DEFAULT` expression in "
                                    "ALTER MODIFY COLUMN statement",
                                    quote_identifier(name), column->type->name()));
        if (!column->default_expression->is_constant())
            throw Error(error_codes::NOT_IMPLEMENTED,
                        fmt::format("Column {} cannot lose its NULLs: a DEFAULT that is not "
                                    "constant is not implemented for that",
                                    quote_identifier(name)));
    }
}

PreparedTable TableChange::finish(const Catalog& catalog, const QueryContext& lenient)
{
    if (!dropped_.empty())
        check_drops();
    if (create_->columns.empty())
        throw Error(error_codes::EMPTY_LIST_OF_COLUMNS_PASSED,
                    "Cannot drop or clear all columns");
    CreateTableSources sources;
    sources.database = create_->name.database;
    sources.exists = true;
    PreparedTable prepared;
    try
    {
        prepared = prepare_table(*create_, sources, catalog, lenient);
    }
    catch (const Error& error)
    {
        // A column that decides about rows got a type that it cannot have.
        if (error.code() == error_codes::BAD_TYPE_OF_FIELD)
            throw Error(error_codes::ALTER_OF_COLUMN_IS_FORBIDDEN, error.message());
        throw;
    }
    check_new_columns(prepared);
    check_not_null(*prepared.metadata);
    if (sorting_key_changed_)
        check_sorting_key(*prepared.metadata);
    if (is_merge_tree())
        check_merge_tree_table(*prepared.metadata);
    return prepared;
}

} // namespace basalt
