#include "engine/statement.h"

#include "base/error.h"
#include "engine/access_check.h"

#include <algorithm>
#include <fmt/format.h>

namespace basalt
{

namespace
{

void collect_settings(const Ast& ast, std::vector<const AstSetQuery*>& found)
{
    auto add = [&](const AstPtr& settings)
    {
        if (settings)
            if (const auto* set = settings->as<AstSetQuery>())
                found.push_back(set);
    };
    if (const auto* query = ast.as<AstQuery>())
    {
        collect_settings(*query->statement, found);
        add(query->settings);
    }
    else if (const auto* select = ast.as<AstSelect>())
        add(select->settings);
    else if (const auto* select_union = ast.as<AstSelectUnion>())
    {
        if (!select_union->selects.empty())
            collect_settings(*select_union->selects.back(), found);
    }
    else if (const auto* insert = ast.as<AstInsert>())
    {
        if (insert->select)
            collect_settings(*insert->select, found);
        add(insert->settings);
    }
    else if (const auto* explain = ast.as<AstExplain>())
    {
        if (explain->query)
            collect_settings(*explain->query, found);
    }
    else if (const auto* alter = ast.as<AstAlter>())
        add(alter->settings);
    else if (const auto* optimize = ast.as<AstOptimize>())
        add(optimize->settings);
    else if (const auto* remove = ast.as<AstDelete>())
        add(remove->settings);
    else if (const auto* update = ast.as<AstUpdate>())
        add(update->settings);
    else if (const auto* drop = ast.as<AstDrop>())
        add(drop->settings);
    else if (const auto* check = ast.as<AstCheck>())
        add(check->settings);
}

} // namespace

std::vector<const AstSetQuery*> settings_of(const Ast& ast)
{
    std::vector<const AstSetQuery*> found;
    collect_settings(ast, found);
    return found;
}

TableName StatementContext::resolve(const AstTableName& name) const
{
    return {name.database.empty() ? context->current_database : name.database, name.table};
}

TablePtr StatementContext::find_table(const AstTableName& name) const
{
    if (name.database.empty())
        if (auto it = session.temporary_tables.find(name.table);
            it != session.temporary_tables.end())
            return it->second;
    return engine.catalog().find_table(resolve(name));
}

TablePtr StatementContext::get_table(const AstTableName& name) const
{
    if (TablePtr table = find_table(name))
        return table;
    if (name.database.empty())
        if (TablePtr table = engine.catalog().find_elsewhere(name.table, *context))
            return table;
    return engine.catalog().get_table(resolve(name)); // throws with hints
}

ResultPtr text_result(const std::string& column, const std::vector<std::string>& lines)
{
    auto texts = std::make_shared<StringColumn>();
    for (const auto& line : lines)
        texts->append(line);
    const TypePtr& type = simple_type(TypeId::String);
    const size_t rows = lines.size();
    return result_of_blocks({{column, type}}, {Block({{texts, type, column}}, rows)});
}

namespace
{

template <class Number>
void check_bool_number(const std::string& setting, bool is_bool, Number number)
{
    if (is_bool)
        return;
    const auto known = setting_definitions();
    const auto found = std::find_if(known.begin(), known.end(), [&](const auto& definition)
                                    { return definition.name == setting; });
    if (found != known.end() && found->type == "Bool")
        throw Error(error_codes::CANNOT_CONVERT_TYPE,
                    fmt::format("Field value {} is out of range of bool type", number));
}

} // namespace

void apply_settings(const AstSetQuery& set, Settings& settings,
                    std::map<std::string, std::string>* parameters, const SettingCheck& check)
{
    for (const auto& change : set.changes)
    {
        std::string value;
        if (change.value)
        {
            if (const auto* literal = change.value->as<AstLiteral>())
            {
                if (literal->literal_kind == LiteralKind::UInt64)
                    check_bool_number(change.name, literal->unsigned_value <= 1,
                                      literal->unsigned_value);
                else if (literal->literal_kind == LiteralKind::Int64)
                    check_bool_number(change.name, false, literal->signed_value);
            }
            value = setting_value_text(change.name, *change.value);
        }
        if (parameters && change.name.starts_with("param_"))
        {
            (*parameters)[change.name.substr(6)] = value;
            continue;
        }
        const bool to_default = change.is_default || !change.value;
        if (check)
            check(change.name, to_default ? std::string(Settings().get(change.name)) : value);
        if (to_default)
            settings.reset(change.name);
        else
            settings.set(change.name, value);
    }
}

SettingCheck setting_check(const Session& session, const Settings& in_force)
{
    if (!session.access)
        return {};
    return [access = session.access, &in_force](const std::string& name, const std::string& value)
    { access->check_setting(in_force, name, value); };
}

ResultPtr run_statement(const AstPtr& ast, StatementContext& statement)
{
    check_statement_access(*ast, statement);
    switch (ast->kind)
    {
    case AstKind::Select:
    case AstKind::SelectUnion:
        return run_select(ast, statement);
    case AstKind::Insert:
        return run_insert(*ast->as<AstInsert>(), statement);
    case AstKind::CreateTable:
        return run_create_table(*ast->as<AstCreateTable>(), statement);
    case AstKind::CreateDatabase:
        return run_create_database(*ast->as<AstCreateDatabase>(), statement);
    case AstKind::Drop:
        return run_drop(*ast->as<AstDrop>(), statement);
    case AstKind::Rename:
        return run_rename(*ast->as<AstRename>(), statement);
    case AstKind::Alter:
        return run_alter(*ast->as<AstAlter>(), statement);
    case AstKind::Delete:
        return run_delete(*ast->as<AstDelete>(), statement);
    case AstKind::Update:
        return run_update(*ast->as<AstUpdate>(), statement);
    case AstKind::Optimize:
        return run_optimize(*ast->as<AstOptimize>(), statement);
    case AstKind::Exists:
        return run_exists(*ast->as<AstExists>(), statement);
    case AstKind::Show:
        return run_show(*ast->as<AstShow>(), statement);
    case AstKind::Describe:
        return run_describe(*ast->as<AstDescribe>(), statement);
    case AstKind::Explain:
        return run_explain(*ast->as<AstExplain>(), statement);
    case AstKind::SetQuery:
        return run_set(*ast->as<AstSetQuery>(), statement);
    case AstKind::Use:
        return run_use(*ast->as<AstUse>(), statement);
    case AstKind::System:
        return run_system(*ast->as<AstSystem>(), statement);
    case AstKind::Backup:
        return run_backup(std::static_pointer_cast<const AstBackup>(ast), statement);
    case AstKind::Check:
        return run_check(*ast->as<AstCheck>(), statement);
    case AstKind::Kill:
        return run_kill(*ast->as<AstKill>(), statement);
    case AstKind::SetRole:
        if (ast->as<AstSetRole>()->action == AstSetRole::Action::SetDefaultRole)
            return run_access_change(*ast, statement);
        return run_set_role(*ast->as<AstSetRole>(), statement);
    case AstKind::Grant:
    case AstKind::CreateUser:
    case AstKind::CreateRole:
    case AstKind::CreateSettingsProfile:
    case AstKind::DropAccess:
        return run_access_change(*ast, statement);
    default:
        throw Error(error_codes::NOT_IMPLEMENTED,
                    fmt::format("{} is not implemented", ast_kind_name(ast->kind)));
    }
}

} // namespace basalt
