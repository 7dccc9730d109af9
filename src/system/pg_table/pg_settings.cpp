// What clients of PostgreSQL ask for by name. Settings of the server stand in system.settings.

#include "system/pg_catalog.h"

namespace basalt
{

namespace
{

void fill(Engine& engine, const QueryContext& context, RowBuilder& rows)
{
    const std::pair<const char*, std::string> settings[] = {
        {"application_name", ""},
        {"client_encoding", "UTF8"},
        {"DateStyle", "ISO, MDY"},
        {"default_transaction_isolation", "read committed"},
        {"default_transaction_read_only", "off"},
        {"integer_datetimes", "on"},
        {"IntervalStyle", "postgres"},
        {"is_superuser", "off"},
        {"lc_collate", "C"},
        {"lc_ctype", "C"},
        {"max_identifier_length", "63"},
        {"max_index_keys", "32"},
        {"search_path", context.current_database},
        {"server_encoding", "UTF8"},
        {"server_version", "15.0"},
        {"server_version_num", "150000"},
        {"standard_conforming_strings", "on"},
        {"TimeZone", std::string(context.timezone())},
        {"transaction_isolation", "read committed"},
        {"transaction_read_only", "off"},
    };
    for (const auto& [name, value] : settings)
    {
        rows.add_row();
        rows.set("name", name);
        rows.set("setting", value);
        rows.set("category", "PostgreSQL clients");
        rows.set("context", "user");
        rows.set("vartype", "string");
        rows.set("source", "default");
        rows.set("reset_val", value);
    }
}

} // namespace

void register_pg_settings(PgCatalogTables& tables)
{
    tables.add("pg_settings",
               "name String, setting String, unit Nullable(String), category String, "
               "short_desc String, context String, vartype String, source String, "
               "min_val Nullable(String), max_val Nullable(String), enumvals "
               "Array(String), boot_val Nullable(String), reset_val Nullable(String), "
               "pending_restart Bool",
               fill);
}

} // namespace basalt
