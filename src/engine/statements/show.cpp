// SHOW, EXISTS, DESCRIBE, EXPLAIN. Lists of SHOW are queries over system tables.

#include "base/error.h"
#include "engine/select.h"
#include "planner/explain_tree.h"
#include "sql/formatter.h"
#include "sql/parser.h"

#include <fmt/format.h>

namespace basalt
{

namespace
{

ResultPtr run_text(const std::string& sql, StatementContext& statement)
{
    return run_select(parse_query(sql), statement);
}

std::string like_clause(const AstShow& show, const std::string& column)
{
    std::string sql;
    if (show.like)
        sql += fmt::format(" AND {} {}{} {}", column, show.not_like ? "NOT " : "",
                           show.case_insensitive_like ? "ILIKE" : "LIKE",
                           quote_string(show.like->as<AstLiteral>()->text));
    if (show.where)
        sql += " AND (" + format_query(*show.where) + ")";
    return sql;
}

std::string limit_clause(const AstShow& show)
{
    return show.limit ? " LIMIT " + format_query(*show.limit) : "";
}

ResultPtr show_tables(const AstShow& show, StatementContext& statement)
{
    const std::string database =
        show.database.empty() ? statement.context->current_database : show.database;
    if (!statement.engine.catalog().database_exists(database))
        throw Error(error_codes::UNKNOWN_DATABASE,
                    fmt::format("Database {} does not exist", database));
    return run_text(fmt::format("SELECT name{} FROM system.tables WHERE database = {} AND NOT "
                                "startsWith(name, '.inner'){} ORDER BY name{}",
                                show.full ? ", if(engine LIKE '%View', 'VIEW', 'BASE TABLE') AS table_type" : "",
                                quote_string(database), like_clause(show, "name"),
                                limit_clause(show)),
                    statement);
}

ResultPtr show_columns(const AstShow& show, StatementContext& statement)
{
    const TableName name = statement.resolve(show.name);
    statement.engine.catalog().get_table(name);
    return run_text(
        fmt::format("SELECT name AS field, type, startsWith(type, 'Nullable') ? 'YES' : 'NO' AS "
                    "null, trim(concatWithSeparator(' ', if(is_in_primary_key, 'PRI', ''), if "
                    "(is_in_sorting_key, 'SOR', ''))) AS key, if(default_kind IN ('ALIAS', "
                    "'DEFAULT', 'MATERIALIZED'), default_expression, NULL) AS default, '' AS extra "
                    "FROM system.columns WHERE database = {} AND table = {}{} ORDER BY field{}",
                    quote_string(name.database), quote_string(name.table),
                    like_clause(show, "name"), limit_clause(show)),
        statement);
}

ResultPtr show_create(const AstShow& show, StatementContext& statement)
{
    if (show.show == ShowKind::CreateDatabase)
    {
        const std::string& name = show.name.database.empty() ? show.name.table
                                                             : show.name.database;
        for (const auto& database : statement.engine.catalog().databases())
            if (database.name == name)
                return text_result("statement",
                                   {fmt::format("CREATE DATABASE {}\nENGINE = {}",
                                                quote_identifier_if_needed(name),
                                                database.engine)});
        throw Error(error_codes::UNKNOWN_DATABASE,
                    fmt::format("Database {} does not exist", name));
    }
    const TableName name = statement.resolve(show.name);
    statement.engine.catalog().get_table(name);
    const AstPtr create = statement.engine.catalog().shown_create_query(name);
    if (!create)
        throw Error(error_codes::CANNOT_GET_CREATE_TABLE_QUERY,
                    fmt::format("Table {} has no CREATE query", name.full()));
    const AstPtr shown = create->clone();
    if (auto* table = shown->as<AstCreateTable>();
        table && !statement.context->settings.get_bool(
                     "show_table_uuid_in_table_create_query_if_not_nil"))
        table->uuid.clear();
    return text_result("statement", {format_query_multiline(*shown)});
}

std::string default_kind_text(DefaultKind kind)
{
    switch (kind)
    {
    case DefaultKind::None:
        return "";
    case DefaultKind::Default:
        return "DEFAULT";
    case DefaultKind::Materialized:
        return "MATERIALIZED";
    case DefaultKind::Ephemeral:
        return "EPHEMERAL";
    case DefaultKind::Alias:
        return "ALIAS";
    }
    return "";
}

ResultPtr describe_columns(const std::vector<ColumnDescription>& columns)
{
    static const char* const kNames[] = {"name",    "type",           "default_type",
                                         "default_expression", "comment", "codec_expression",
                                         "ttl_expression"};
    std::vector<std::shared_ptr<StringColumn>> data;
    for (size_t i = 0; i < std::size(kNames); ++i)
        data.push_back(std::make_shared<StringColumn>());
    for (const auto& column : columns)
    {
        data[0]->append(column.name);
        data[1]->append(column.type->name());
        data[2]->append(default_kind_text(column.default_kind));
        data[3]->append(column.default_text);
        data[4]->append(column.comment);
        data[5]->append(column.codec);
        data[6]->append(column.ttl_text);
    }
    std::vector<NamedColumn> named;
    Header header;
    for (size_t i = 0; i < std::size(kNames); ++i)
    {
        named.push_back({data[i], simple_type(TypeId::String), kNames[i]});
        header.push_back({kNames[i], simple_type(TypeId::String)});
    }
    return result_of_blocks(header, {Block(std::move(named), columns.size())});
}

AstPtr select_all_from(const AstPtr& table_element)
{
    auto select = std::make_shared<AstSelect>();
    select->projection.push_back(std::make_shared<AstAsterisk>());
    select->from.push_back(table_element);
    auto query = std::make_shared<AstSelectUnion>();
    query->selects.push_back(select);
    return query;
}

AstPtr statement_of(const AstPtr& ast)
{
    const auto* output = ast->as<AstQuery>();
    return output ? output->statement : ast;
}

bool setting_is_on(const AstExplain& explain, std::string_view name, bool fallback)
{
    if (!explain.settings)
        return fallback;
    for (const auto& change : explain.settings->as<AstSetQuery>()->changes)
        if (change.name == name && change.value)
            if (const auto* literal = change.value->as<AstLiteral>())
                return literal->unsigned_value != 0;
    return fallback;
}

void check_explain_settings(const AstExplain& explain)
{
    if (!explain.settings)
        return;
    static constexpr std::string_view kKnown[] = {
        "header", "actions", "indexes", "description", "graph",    "compact", "json",
        "optimize", "oneline", "projections", "sorting", "pretty", "run_passes", "passes",
        "run_query_tree_passes", "query_tree_passes", "distributed", "keep_logical_steps", "ast",
        "dump_passes", "dump_tree", "dump_ast", "estimates", "input_headers", "column_structure"};
    for (const auto& change : explain.settings->as<AstSetQuery>()->changes)
        if (std::find(std::begin(kKnown), std::end(kKnown), change.name) == std::end(kKnown))
            throw Error(error_codes::UNKNOWN_SETTING,
                        fmt::format("Unknown setting \"{}\" for EXPLAIN query", change.name));
}

ResultPtr explain_estimate(const QueryPlan& plan, StatementContext& statement)
{
    auto database = std::make_shared<StringColumn>();
    auto table = std::make_shared<StringColumn>();
    auto parts = std::make_shared<VectorColumn<uint64_t>>();
    auto rows = std::make_shared<VectorColumn<uint64_t>>();
    auto marks = std::make_shared<VectorColumn<uint64_t>>();
    std::vector<const PlanNode*> stack{plan.root.get()};
    while (!stack.empty())
    {
        const PlanNode* node = stack.back();
        stack.pop_back();
        for (const auto& input : node->inputs)
            stack.push_back(input.get());
        if (node->kind != PlanKind::Read)
            continue;
        const auto& read = static_cast<const ReadNode&>(*node);
        if (!read.table->engine_name().ends_with("MergeTree"))
            continue;
        const auto estimate = read.table->scan(read.request, statement.context)->estimate();
        database->append(read.table->table_name().database);
        table->append(read.table->table_name().table);
        parts->data().push_back(estimate.parts);
        rows->data().push_back(estimate.rows);
        marks->data().push_back(estimate.marks);
    }
    const auto& text = simple_type(TypeId::String);
    const auto& number = simple_type(TypeId::UInt64);
    const size_t count = parts->size();
    Block block({{database, text, "database"},
                 {table, text, "table"},
                 {parts, number, "parts"},
                 {rows, number, "rows"},
                 {marks, number, "marks"}},
                count);
    Header header = block.header();
    return result_of_blocks(std::move(header), {std::move(block)});
}

std::vector<std::string> lines_of(const std::string& text)
{
    std::vector<std::string> lines;
    size_t begin = 0;
    while (begin < text.size())
    {
        size_t end = text.find('\n', begin);
        if (end == std::string::npos)
            end = text.size();
        lines.push_back(text.substr(begin, end - begin));
        begin = end + 1;
    }
    return lines;
}

} // namespace

ResultPtr run_show(const AstShow& show, StatementContext& statement)
{
    switch (show.show)
    {
    case ShowKind::Tables:
        return show_tables(show, statement);
    case ShowKind::Databases:
        return run_text(fmt::format("SELECT name FROM system.databases WHERE 1{} ORDER BY name{}",
                                    like_clause(show, "name"), limit_clause(show)),
                        statement);
    case ShowKind::Columns:
        return show_columns(show, statement);
    case ShowKind::CreateTable:
    case ShowKind::CreateView:
    case ShowKind::CreateDatabase:
        return show_create(show, statement);
    case ShowKind::ProcessList:
        return run_text("SELECT * FROM system.processes ORDER BY elapsed DESC", statement);
    case ShowKind::Functions:
        return run_text(fmt::format("SELECT * FROM system.functions WHERE 1{} ORDER BY name",
                                    like_clause(show, "name")),
                        statement);
    case ShowKind::Settings:
        return run_text(fmt::format("SELECT name, type, value FROM system.settings WHERE {}{}",
                                    show.changed ? "changed" : "1", like_clause(show, "name")),
                        statement);
    case ShowKind::Setting:
        return run_text(fmt::format("SELECT value FROM system.settings WHERE name = {}",
                                    quote_string(show.names.empty() ? "" : show.names[0])),
                        statement);
    case ShowKind::Engines:
        return run_text("SELECT * FROM system.table_engines ORDER BY name", statement);
    case ShowKind::Formats:
        return run_text("SELECT * FROM system.formats ORDER BY name", statement);
    case ShowKind::Merges:
        return run_text("SELECT table, database, round(progress, 2) AS progress FROM "
                        "system.merges ORDER BY table",
                        statement);
    case ShowKind::Dictionaries:
    case ShowKind::Clusters:
        return text_result("name", {});
    case ShowKind::CreateUser:
    case ShowKind::CreateRole:
    case ShowKind::CreateSettingsProfile:
    case ShowKind::Grants:
    case ShowKind::Users:
    case ShowKind::Roles:
    case ShowKind::CurrentRoles:
    case ShowKind::EnabledRoles:
    case ShowKind::SettingsProfiles:
    case ShowKind::Access:
    case ShowKind::Privileges:
        return show_access(show, statement);
    default:
        throw Error(error_codes::NOT_IMPLEMENTED, "This form of SHOW is not implemented");
    }
}

ResultPtr run_exists(const AstExists& exists, StatementContext& statement)
{
    bool found = false;
    if (exists.object == ObjectKind::Database)
        found = statement.engine.catalog().database_exists(
            exists.name.database.empty() ? exists.name.table : exists.name.database);
    else if (exists.temporary)
        found = statement.session.temporary_tables.contains(exists.name.table);
    else
    {
        const TablePtr table = statement.find_table(exists.name);
        found = table && exists.object != ObjectKind::Dictionary;
        if (found && exists.object == ObjectKind::View)
            found = table->engine_name().ends_with("View");
    }
    auto column = std::make_shared<VectorColumn<uint8_t>>(1, found ? 1 : 0);
    const TypePtr& type = simple_type(TypeId::UInt8);
    return result_of_blocks({{"result", type}}, {Block({{column, type, "result"}}, 1)});
}

ResultPtr run_describe(const AstDescribe& describe, StatementContext& statement)
{
    const auto* element = describe.table->as<AstTableElement>();
    BASALT_ASSERT(element);
    if (const auto* identifier = element->table->as<AstIdentifier>())
    {
        AstTableName name;
        name.table = identifier->parts.back();
        if (identifier->parts.size() > 1)
            name.database = identifier->parts[0];
        return describe_columns(statement.get_table(name)->metadata()->columns);
    }
    AnalyzerContext analyzer = make_analyzer(statement);
    std::vector<ColumnDescription> columns;
    const AstPtr query = element->table->as<AstSubquery>()
                             ? element->table->as<AstSubquery>()->query
                             : select_all_from(describe.table);
    for (const auto& column : analyze_header(query, analyzer))
    {
        ColumnDescription description;
        description.name = column.name;
        description.type = column.type;
        columns.push_back(std::move(description));
    }
    return describe_columns(columns);
}

ResultPtr run_explain(const AstExplain& explain, StatementContext& statement)
{
    check_explain_settings(explain);
    if (!explain.query)
        throw Error(error_codes::NOT_IMPLEMENTED, "This form of EXPLAIN is not implemented");
    const AstPtr query = statement_of(explain.query);
    switch (explain.explain)
    {
    case ExplainKind::Ast:
        return text_result("explain", lines_of(explain_tree(*explain.query)));
    case ExplainKind::Syntax:
        return text_result("explain",
                           lines_of(setting_is_on(explain, "oneline", false)
                                        ? format_query(*query)
                                        : format_query_multiline(*query)));
    case ExplainKind::Plan:
    case ExplainKind::Pipeline:
    case ExplainKind::Estimate:
        break;
    default:
        throw Error(error_codes::NOT_IMPLEMENTED, "This form of EXPLAIN is not implemented");
    }
    AstPtr select = query;
    if (const auto* insert = query->as<AstInsert>(); insert && insert->select)
        select = insert->select;
    if (!select->as<AstSelectUnion>() && !select->as<AstSelect>())
        throw Error(error_codes::INCORRECT_QUERY,
                    "Only SELECT is supported for this form of EXPLAIN");
    AnalyzerContext analyzer = make_analyzer(statement);
    const QueryPlan plan = analyze(select, analyzer);
    if (setting_is_on(explain, "json", false))
        throw Error(error_codes::NOT_IMPLEMENTED, "EXPLAIN json = 1 is not implemented");
    if (explain.explain == ExplainKind::Estimate)
        return explain_estimate(plan, statement);
    ExplainOptions options;
    options.header = setting_is_on(explain, "header", false);
    options.actions = setting_is_on(explain, "actions", false);
    options.indexes = setting_is_on(explain, "indexes", false);
    options.description = setting_is_on(explain, "description", true);
    const bool plain = explain.explain == ExplainKind::Pipeline || options.actions ||
                       !setting_is_on(explain, "pretty", true) ||
                       !setting_is_on(explain, "compact", true);
    return text_result("explain", plain
                                      ? explain_plan(plan, options, statement.context)
                                      : explain_plan_tree(plan, options, statement.context));
}

} // namespace basalt
