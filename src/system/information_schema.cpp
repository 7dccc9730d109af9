#include "system/information_schema.h"

#include "catalog/view.h"
#include "planner/analyzer.h"
#include "sql/parser.h"

#include <fmt/format.h>

namespace basalt
{

namespace
{

struct SchemaColumn
{
    const char* name;
    const char* expression;
};

struct SchemaView
{
    const char* name;
    const char* source;
    std::vector<SchemaColumn> columns;
};

constexpr const char* kNo = "CAST(0, 'Enum8(\\'NO\\' = 0, \\'YES\\' = 1)')";
constexpr const char* kNoText = "CAST(NULL, 'Nullable(String)')";

std::vector<SchemaView> schema_views()
{
    return {
        {"schemata",
         "system.databases",
         {{"catalog_name", "name"},
          {"schema_name", "name"},
          {"schema_owner", "'default'"},
          {"default_character_set_catalog", kNoText},
          {"default_character_set_schema", kNoText},
          {"default_character_set_name", kNoText},
          {"sql_path", kNoText}}},
        {"tables",
         "system.tables",
         {{"table_catalog", "database"},
          {"table_schema", "database"},
          {"table_name", "name"},
          {"table_type", "multiIf(is_temporary = 1, 'LOCAL TEMPORARY', engine LIKE '%View', "
                         "'VIEW', engine LIKE 'System%', 'SYSTEM VIEW', 'BASE TABLE')"},
          {"table_rows", "total_rows"},
          {"data_length", "total_bytes"},
          {"index_length", "CAST(NULL, 'Nullable(UInt64)')"},
          {"table_collation", "CAST('utf8mb4_0900_ai_ci', 'Nullable(String)')"},
          {"table_comment", "CAST(comment, 'Nullable(String)')"}}},
        {"columns",
         "system.columns",
         {{"table_catalog", "database"},
          {"table_schema", "database"},
          {"table_name", "table"},
          {"column_name", "name"},
          {"ordinal_position", "position"},
          {"column_default", "default_expression"},
          {"is_nullable", "if(type LIKE 'Nullable(%)' OR type LIKE 'LowCardinality(Nullable(%))', "
                          "'1', '0')"},
          {"data_type", "type"},
          {"character_maximum_length", "character_octet_length"},
          {"character_octet_length", "character_octet_length"},
          {"numeric_precision", "numeric_precision"},
          {"numeric_precision_radix", "numeric_precision_radix"},
          {"numeric_scale", "numeric_scale"},
          {"datetime_precision", "datetime_precision"},
          {"character_set_catalog", kNoText},
          {"character_set_schema", kNoText},
          {"character_set_name", kNoText},
          {"collation_catalog", kNoText},
          {"collation_schema", kNoText},
          {"collation_name", kNoText},
          {"domain_catalog", kNoText},
          {"domain_schema", kNoText},
          {"domain_name", kNoText},
          {"extra", "CAST(if(default_kind = '', '', 'DEFAULT_GENERATED'), 'Nullable(String)')"},
          {"column_comment", "comment"},
          {"column_type", "type"}}},
        {"views",
         "system.tables",
         {{"table_catalog", "database"},
          {"table_schema", "database"},
          {"table_name", "name"},
          {"view_definition", "as_select"},
          {"check_option", "'NONE'"},
          {"is_updatable", kNo},
          {"is_insertable_into",
           "CAST(if(engine = 'MaterializedView', 1, 0), 'Enum8(\\'NO\\' = 0, \\'YES\\' = 1)')"},
          {"is_trigger_updatable", kNo},
          {"is_trigger_deletable", kNo},
          {"is_trigger_insertable_into", kNo}}},
    };
}

std::string upper(std::string text)
{
    for (char& c : text)
        if (c >= 'a' && c <= 'z')
            c = static_cast<char>(c - 'a' + 'A');
    return text;
}

// Every column under its name in both cases.
std::string query_text(const SchemaView& view)
{
    std::string text;
    for (const bool capital : {false, true})
        for (const auto& column : view.columns)
            text += fmt::format("{}s.{} AS {}", text.empty() ? "SELECT " : ", ", column.name,
                                capital ? upper(column.name) : column.name);
    std::string inner;
    for (const auto& column : view.columns)
        inner += fmt::format("{}{} AS {}", inner.empty() ? "SELECT " : ", ", column.expression,
                             column.name);
    text += fmt::format(" FROM ({} FROM {}{}) AS s",
                        inner, view.source,
                        view.name == std::string_view("views") ? " WHERE engine LIKE '%View'"
                                                               : "");
    return text;
}

void add_view(Engine& engine, const std::string& database, const std::string& name,
              const SchemaView& view, const QueryContextPtr& context)
{
    TableCreation creation;
    creation.name = {database, name};
    creation.engine = "View";
    const AstPtr query = parse_query(query_text(view));
    AnalyzerContext analyzer{engine.catalog(), context, {}, {}, {}, {}, {}};
    analyzer.database = "system";
    auto metadata = std::make_shared<TableMetadata>();
    for (const auto& column : analyze_header(query, analyzer))
    {
        ColumnDescription description;
        description.name = column.name;
        description.type = column.type;
        metadata->columns.push_back(std::move(description));
    }
    creation.metadata = std::move(metadata);
    engine.catalog().add_system_table(std::make_shared<View>(creation, query, "system"));
}

} // namespace

void register_information_schema(Engine& engine)
{
    const QueryContextPtr context = engine.make_context();
    for (const char* database : {"information_schema", "INFORMATION_SCHEMA"})
    {
        if (!engine.catalog().database_exists(database))
            engine.catalog().create_database({database, "Memory", "", "", true}, true);
        for (const auto& view : schema_views())
        {
            add_view(engine, database, view.name, view, context);
            add_view(engine, database, upper(view.name), view, context);
        }
    }
}

} // namespace basalt
