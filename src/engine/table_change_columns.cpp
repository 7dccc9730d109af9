// ADD, DROP, MODIFY, RENAME and COMMENT COLUMN.

#include "engine/table_change.h"

#include "base/error.h"
#include "binder/binder.h"
#include "sql/formatter.h"
#include "sql/parser.h"
#include "storage/conversion.h"

#include <algorithm>
#include <fmt/format.h>

namespace basalt
{

namespace
{

bool is_stored(ColumnDefault kind)
{
    return kind != ColumnDefault::Alias && kind != ColumnDefault::Ephemeral;
}

std::string kind_word(ColumnDefault kind)
{
    switch (kind)
    {
    case ColumnDefault::Default:
        return "DEFAULT";
    case ColumnDefault::Materialized:
        return "MATERIALIZED";
    case ColumnDefault::Ephemeral:
        return "EPHEMERAL";
    case ColumnDefault::Alias:
        return "ALIAS";
    default:
        return "";
    }
}

TypePtr type_of(const AstColumnDeclaration& column)
{
    return type_from_name(column.type->as<AstTypeName>()->to_text());
}

} // namespace

AstColumnDeclaration* TableChange::find_column(const std::string& name)
{
    for (const auto& ast : create_->columns)
        if (auto* column = ast->as<AstColumnDeclaration>(); column->name == name)
            return column;
    return nullptr;
}

AstColumnDeclaration& TableChange::get_column(const std::string& name, const char* purpose)
{
    if (auto* column = find_column(name))
        return *column;
    std::vector<std::string> known;
    for (const auto& ast : create_->columns)
        known.push_back(ast->as<AstColumnDeclaration>()->name);
    throw Error(error_codes::NOT_FOUND_COLUMN_IN_BLOCK,
                fmt::format("Wrong column name. Cannot find column {} to {}.{}",
                            quote_identifier(name), purpose, near_names_text(name, known)));
}

// Where FIRST or AFTER puts a column; the end when neither is written. AFTER n of a nested n is
// behind its last part.
size_t TableChange::place_for(const AstAlterCommand& command)
{
    if (command.first)
        return 0;
    if (command.after.empty())
        return create_->columns.size();
    size_t place = 0;
    for (size_t i = 0; i < create_->columns.size(); ++i)
    {
        const std::string& name = create_->columns[i]->as<AstColumnDeclaration>()->name;
        if (name == command.after || name.starts_with(command.after + "."))
            place = i + 1;
    }
    if (place == 0)
        throw Error(error_codes::NO_SUCH_COLUMN_IN_TABLE,
                    fmt::format("Wrong column name. Cannot find column {} to insert after.",
                                command.after));
    return place;
}

void TableChange::add_column(const AstAlterCommand& command)
{
    const auto& declaration = *command.declaration->as<AstColumnDeclaration>();
    if (find_column(declaration.name))
    {
        if (command.if_not_exists)
            return;
        throw Error(error_codes::DUPLICATE_COLUMN,
                    fmt::format("Cannot add column {}: column with this name already exists.",
                                quote_identifier(declaration.name)));
    }
    size_t place = place_for(command);
    for (const AstPtr& one : flatten_nested(command.declaration, context_))
    {
        const auto& column = *one->as<AstColumnDeclaration>();
        if (find_column(column.name))
        {
            if (command.if_not_exists)
                continue;
            throw Error(error_codes::DUPLICATE_COLUMN,
                        fmt::format("Cannot add column {}: column with this name already exists.",
                                    quote_identifier(column.name)));
        }
        create_->columns.insert(create_->columns.begin() + static_cast<ptrdiff_t>(place++),
                                one->clone());
        written_.push_back(column.name);
        added_.push_back(column.name);
        if (is_stored(column.default_kind))
            note(MutationCommand::Kind::AddColumn, column.name);
    }
}

void TableChange::drop_column(const AstAlterCommand& command)
{
    std::vector<std::string> names;
    if (find_column(command.name))
        names.push_back(command.name);
    else
        for (const auto& ast : create_->columns)
            if (const auto& name = ast->as<AstColumnDeclaration>()->name;
                name.starts_with(command.name + "."))
                names.push_back(name);
    if (names.empty())
    {
        if (command.if_exists)
            return;
        get_column(command.name, "drop");
    }
    for (const auto& name : names)
    {
        check_deciding_column(*old_, name, "DROP");
        const bool stored = is_stored(find_column(name)->default_kind);
        std::erase_if(create_->columns, [&](const AstPtr& ast)
                      { return ast->as<AstColumnDeclaration>()->name == name; });
        std::erase(written_, name);
        std::erase(added_, name);
        dropped_.push_back(name);
        if (stored)
            note(MutationCommand::Kind::DropColumn, name);
    }
}

void TableChange::remove_property(AstColumnDeclaration& column, const std::string& what)
{
    bool had = false;
    if (what == "COMMENT")
    {
        had = column.comment != nullptr;
        column.comment = nullptr;
    }
    else if (what == "CODEC")
    {
        had = column.codec != nullptr;
        column.codec = nullptr;
    }
    else if (what == "TTL")
    {
        had = column.ttl != nullptr;
        column.ttl = nullptr;
    }
    else if (what != "SETTINGS")
    {
        had = kind_word(column.default_kind) == what;
        if (had)
        {
            // What old parts have under this name, from before it was an alias, stays forgotten.
            if (!is_stored(column.default_kind))
                note(MutationCommand::Kind::AddColumn, column.name);
            column.default_kind = ColumnDefault::None;
            column.default_expression = nullptr;
        }
    }
    if (!had)
        throw Error(error_codes::BAD_ARGUMENTS,
                    fmt::format("Column {} doesn't have {}, cannot remove it.",
                                quote_identifier(column.name), what));
}

void TableChange::modify_type(AstColumnDeclaration& column, const AstColumnDeclaration& written)
{
    TypePtr type = type_of(written);
    if (written.null_modifier == NullModifier::Null && !type->is_nullable())
        type = make_nullable(type);
    const TypePtr before = type_of(column);
    column.type = parse_type(type->name());
    column.null_modifier = NullModifier::None;
    if (same_type(before, type))
        return;
    written_.push_back(column.name);
    if (is_nullable_or_lc_nullable(before) && !is_nullable_or_lc_nullable(type))
        not_null_any_more_.push_back(column.name);
    const ColumnDescription* old = old_->find_column(column.name);
    if (old && !same_layout(before, type))
    {
        const bool in_partition_key = key_reads(old_->partition_key, column.name);
        if (in_partition_key)
            throw Error(error_codes::ALTER_OF_COLUMN_IS_FORBIDDEN,
                        fmt::format("ALTER of key column {} is forbidden", column.name));
        if (key_reads(old_->sorting_key, column.name))
            throw Error(error_codes::ALTER_OF_COLUMN_IS_FORBIDDEN,
                        fmt::format("ALTER of key column {} from type {} to type {} is not safe "
                                    "because it can change the representation of primary key",
                                    column.name, before->name(), type->name()));
    }
    if (!is_stored(column.default_kind))
        return;
    note(MutationCommand::Kind::ModifyColumn, column.name);
    // Indexes over the values of the old type say nothing of the new ones.
    for (const auto& index : old_->indexes)
    {
        const auto inputs = inputs_of({index.expression});
        if (std::find(inputs.begin(), inputs.end(), column.name) != inputs.end())
            note(MutationCommand::Kind::DropIndex, index.name);
    }
}

void TableChange::modify_column(const AstAlterCommand& command)
{
    const auto& written = *command.declaration->as<AstColumnDeclaration>();
    if (!find_column(written.name))
    {
        if (command.if_exists)
            return;
        throw Error(error_codes::NOT_FOUND_COLUMN_IN_BLOCK,
                    fmt::format("Wrong column. Cannot find column {} to modify.",
                                quote_identifier(written.name)));
    }
    if (command.column_settings_modified || command.column_settings_reset || written.settings)
        throw Error(error_codes::NOT_IMPLEMENTED, "Settings of a column are not implemented");
    if (written.statistics)
        throw Error(error_codes::NOT_IMPLEMENTED, "Statistics are not implemented");
    AstColumnDeclaration& column = *find_column(written.name);
    const bool has_properties = written.type || written.comment || written.codec || written.ttl ||
                                written.default_kind != ColumnDefault::None;
    if (!command.remove.empty())
    {
        if (has_properties)
            throw Error(error_codes::SYNTAX_ERROR,
                        "Cannot specify column properties before 'REMOVE'");
        return remove_property(column, command.remove);
    }
    if (!has_properties && !command.first && command.after.empty())
        throw Error(error_codes::SYNTAX_ERROR,
                    fmt::format("MODIFY COLUMN {} says nothing to modify",
                                quote_identifier(written.name)));
    const bool was_stored = is_stored(column.default_kind);
    if (written.default_kind != ColumnDefault::None)
    {
        column.default_kind = written.default_kind;
        column.default_expression =
            written.default_expression ? written.default_expression->clone() : nullptr;
    }
    const bool is_now_stored = is_stored(column.default_kind);
    if (written.type)
        modify_type(column, written);
    if (was_stored != is_now_stored)
    {
        if (!is_now_stored && (key_reads(old_->partition_key, column.name) ||
                               key_reads(old_->sorting_key, column.name)))
            throw Error(error_codes::ALTER_OF_COLUMN_IS_FORBIDDEN,
                        fmt::format("ALTER of key column {} is forbidden", column.name));
        note(is_now_stored ? MutationCommand::Kind::AddColumn : MutationCommand::Kind::DropColumn,
             column.name);
    }
    if (written.comment)
        column.comment = written.comment->as<AstLiteral>()->text.empty()
                             ? nullptr
                             : written.comment->clone();
    if (written.codec)
    {
        column.codec = written.codec->clone();
        written_.push_back(column.name);
    }
    if (written.ttl)
        column.ttl = written.ttl->clone();
    if (!command.first && command.after.empty())
        return;
    const size_t to = place_for(command);
    const size_t from = static_cast<size_t>(
        std::find_if(create_->columns.begin(), create_->columns.end(), [&](const AstPtr& ast)
                     { return ast->as<AstColumnDeclaration>()->name == written.name; }) -
        create_->columns.begin());
    const AstPtr moved = create_->columns[from];
    create_->columns.erase(create_->columns.begin() + static_cast<ptrdiff_t>(from));
    create_->columns.insert(create_->columns.begin() +
                                static_cast<ptrdiff_t>(to > from ? to - 1 : to),
                            moved);
}

void TableChange::comment_column(const AstAlterCommand& command)
{
    if (command.if_exists && !find_column(command.name))
        return;
    AstColumnDeclaration& column = get_column(command.name, "comment");
    column.comment = command.comment->as<AstLiteral>()->text.empty() ? nullptr
                                                                      : command.comment->clone();
}

void TableChange::rename_column(const AstAlterCommand& command)
{
    if (command.if_exists && !find_column(command.name))
        return;
    for (const auto& [from, to] : renames_)
        if (to == command.name)
            throw Error(error_codes::NOT_IMPLEMENTED,
                        "Transitive renames in a single ALTER query are not allowed (don't make "
                        "sense)");
    AstColumnDeclaration& column = get_column(command.name, "rename");
    if (find_column(command.new_name))
        throw Error(error_codes::DUPLICATE_COLUMN,
                    fmt::format("Cannot rename to {}: column with this name already exists.",
                                quote_identifier(command.new_name)));
    const auto nested_name = [](const std::string& name)
    { return name.substr(0, std::min(name.find('.'), name.size())); };
    const bool from_nested = command.name.find('.') != std::string::npos;
    const bool to_nested = command.new_name.find('.') != std::string::npos;
    if (from_nested != to_nested ||
        (from_nested && nested_name(command.name) != nested_name(command.new_name)))
        throw Error(error_codes::BAD_ARGUMENTS,
                    "Cannot rename column from one nested name to another");
    check_deciding_column(*old_, command.name, "RENAME");
    if (key_reads(old_->partition_key, command.name) ||
        key_reads(old_->sorting_key, command.name))
        throw Error(error_codes::ALTER_OF_COLUMN_IS_FORBIDDEN,
                    fmt::format("Trying to ALTER RENAME key {} column which is a part of key "
                                "expression",
                                quote_identifier_if_needed(command.name)));
    column.name = command.new_name;
    renames_.emplace_back(command.name, command.new_name);
    for (const auto& ast : create_->columns)
    {
        auto& other = *ast->as<AstColumnDeclaration>();
        rename_in(other.default_expression, command.name, command.new_name);
        rename_in(other.ttl, command.name, command.new_name);
    }
    for (const auto& ast : create_->indices)
        rename_in(ast->as<AstIndexDeclaration>()->expression, command.name, command.new_name);
    for (const auto& ast : create_->constraints)
        rename_in(ast->as<AstConstraintDeclaration>()->expression, command.name,
                  command.new_name);
    for (auto* list : {&written_, &added_, &not_null_any_more_})
        std::replace(list->begin(), list->end(), command.name, command.new_name);
    if (is_stored(column.default_kind))
        note(MutationCommand::Kind::RenameColumn, command.name, command.new_name);
}

} // namespace basalt
