#include "system/system_tables.h"
#include "system/merge_tree_tables.h"

namespace basalt
{

namespace
{

void fill(Engine& engine, const QueryContext& context, RowBuilder& rows)
{
    for (const auto& listed : merge_tree_tables(engine, context))
        for (const auto& mutation : listed.table->mutation_infos())
        {
            rows.add_row();
            rows.set("database", listed.database);
            rows.set("table", listed.name);
            rows.set("mutation_id", mutation.id);
            rows.set("command", mutation.command);
            rows.set_int("create_time", mutation.created_unix_s);
            rows.set_texts("block_numbers.partition_id", {""});
            rows.set_value("block_numbers.number", Value(ArrayValue{{Value(mutation.version)}}));
            rows.set_texts("parts_to_do_names", mutation.parts_to_do);
            rows.set_uint("parts_to_do", mutation.parts_to_do.size());
            rows.set_uint("is_done", mutation.is_done);
            rows.set_uint("is_killed", mutation.is_killed);
            rows.set("latest_failed_part", mutation.latest_failed_part);
            rows.set_int("latest_fail_time", mutation.latest_fail_unix_s);
            rows.set("latest_fail_reason", mutation.latest_fail_reason);
        }
}

} // namespace

void register_mutations(SystemTables& tables)
{
    tables.add({"mutations",
                parse_header(
                    "database String, table String, mutation_id String, command String, "
                    "create_time DateTime, `block_numbers.partition_id` Array(String), "
                    "`block_numbers.number` Array(Int64), parts_in_progress_names Array(String), "
                    "parts_to_do_names Array(String), parts_to_do Int64, parts_postpone_reasons "
                    "Map(String, String), is_done UInt8, is_killed UInt8, latest_failed_part "
                    "String, latest_fail_time DateTime, latest_fail_reason String, "
                    "latest_fail_error_code_name String"),
                fill, ""});
}

} // namespace basalt
