#include "system/system_tables.h"

#include "sql/ast_create.h"
#include "sql/formatter.h"
#include "storage/mergetree/merge_tree_table.h"

namespace basalt
{

namespace
{

// The part of a CREATE from ENGINE on, on one line, without the name of the clause.
std::string engine_text(const Ast& create)
{
    const auto* table = create.as<AstCreateTable>();
    if (!table || !table->storage)
        return "";
    const std::string text = format_query(*table->storage);
    const size_t at = text.find("ENGINE = ");
    return at == std::string::npos ? text : text.substr(at + 9);
}

void set_parts(RowBuilder& rows, const MergeTreeTable& table)
{
    uint64_t parts = 0, active = 0, marks = 0, uncompressed = 0;
    for (const auto& part : table.part_infos())
    {
        ++parts;
        if (!part.active)
            continue;
        ++active;
        marks += part.marks;
        uncompressed += part.uncompressed_bytes;
    }
    rows.set_uint("parts", parts);
    rows.set_uint("active_parts", active);
    rows.set_uint("total_marks", marks);
    rows.set_uint("total_bytes_uncompressed", uncompressed);
    rows.set_texts("data_paths", {table.data_path() + "/"});
}

void fill(Engine& engine, const QueryContext& context, RowBuilder& rows)
{
    auto& catalog = engine.catalog();
    for (const auto& database : catalog.databases())
        for (const auto& table : catalog.tables(database.name))
        {
            if (!context.granted("SHOW TABLES", database.name, table->table_name().table))
                continue;
            const TableName name = table->table_name();
            const auto metadata = table->metadata();
            rows.add_row();
            rows.set("database", database.name);
            rows.set("name", name.table);
            if (!table->uuid().empty())
                rows.set("uuid", table->uuid());
            rows.set("engine", table->engine_name());
            rows.set("partition_key", metadata->partition_key.text);
            rows.set("sorting_key", metadata->sorting_key.text);
            rows.set("primary_key", metadata->primary_key.text);
            rows.set("sampling_key", metadata->sampling_key_text);
            rows.set("comment", metadata->comment);
            rows.set_uint("has_own_data", table->engine_name().ends_with("View") ? 0 : 1);
            rows.set("storage_policy",
                     table->engine_name().ends_with("MergeTree") ? "default" : "");
            if (const auto n = table->total_rows())
                rows.set_uint("total_rows", *n);
            if (const auto n = table->total_bytes())
                rows.set_uint("total_bytes", *n);
            if (const auto* merge_tree = dynamic_cast<const MergeTreeTable*>(table.get()))
                set_parts(rows, *merge_tree);
            if (const AstPtr create = catalog.shown_create_query(name))
            {
                rows.set("create_table_query", format_query(*create));
                rows.set("engine_full", engine_text(*create));
                if (const auto* ast = create->as<AstCreateTable>(); ast && ast->select)
                    rows.set("as_select", format_query(*ast->select));
            }
            std::vector<std::string> databases, views;
            for (const auto& view : catalog.views_of(name))
            {
                databases.push_back(view.view->table_name().database);
                views.push_back(view.view->table_name().table);
            }
            rows.set_texts("dependencies_database", databases);
            rows.set_texts("dependencies_table", views);
        }
}

} // namespace

void register_tables(SystemTables& tables)
{
    tables.add({"tables",
                parse_header(
                    "database String, name String, uuid UUID, engine String, is_temporary UInt8, "
                    "data_paths Array(String), metadata_path String, metadata_modification_time "
                    "DateTime, metadata_version Int32, dependencies_database Array(String), "
                    "dependencies_table Array(String), create_table_query String, engine_full "
                    "String, as_select String, parameterized_view_parameters Array(Tuple(name "
                    "String, type String)), partition_key String, sorting_key String, "
                    "primary_key String, sampling_key String, unique_key String, storage_policy "
                    "String, total_rows Nullable(UInt64), total_bytes Nullable(UInt64), "
                    "total_bytes_uncompressed Nullable(UInt64), parts Nullable(UInt64), "
                    "active_parts Nullable(UInt64), total_marks Nullable(UInt64), "
                    "active_on_fly_data_mutations UInt64, active_on_fly_alter_mutations UInt64, "
                    "active_on_fly_metadata_mutations UInt64, columns_descriptions_cache_size "
                    "UInt64, lifetime_rows Nullable(UInt64), lifetime_bytes Nullable(UInt64), "
                    "comment String, has_own_data UInt8, loading_dependencies_database "
                    "Array(String), loading_dependencies_table Array(String), "
                    "loading_dependent_database Array(String), loading_dependent_table "
                    "Array(String), target_database String, target_table String, definer String"),
                fill, "", {{"table", "name"}}});
}

} // namespace basalt
