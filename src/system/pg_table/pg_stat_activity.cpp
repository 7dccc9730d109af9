// Running queries; system.processes tells more.

#include "system/pg_catalog.h"

namespace basalt
{

namespace
{

void fill(Engine& engine, const QueryContext& context, RowBuilder& rows)
{
    for (const auto& process : engine.processes().entries())
    {
        const QueryContext& query = *process.context;
        // Queries of others need a grant.
        if (query.user != context.user && !context.granted("SHOW USERS"))
            continue;
        rows.add_row();
        rows.set("datname", query.current_database);
        rows.set("usename", query.user);
        rows.set_uint("usesysid", pg_role_oid(query.user));
        rows.set("application_name", process.client.client_name);
        rows.set("client_addr", process.client.address);
        rows.set_uint("client_port", process.client.port);
        rows.set("state", "active");
        rows.set("query", process.query);
        rows.set("backend_type", "client backend");
    }
}

} // namespace

void register_pg_stat_activity(PgCatalogTables& tables)
{
    tables.add("pg_stat_activity",
               "datid Nullable(UInt32), datname Nullable(String), pid Int32, leader_pid "
               "Nullable(Int32), usesysid UInt32, usename String, application_name "
               "String, client_addr String, client_hostname Nullable(String), "
               "client_port Int32, backend_start DateTime, xact_start "
               "Nullable(DateTime), query_start DateTime, state_change DateTime, "
               "wait_event_type Nullable(String), wait_event Nullable(String), state "
               "String, backend_xid Nullable(UInt32), backend_xmin Nullable(UInt32), "
               "query_id Nullable(Int64), query String, backend_type String",
               fill);
}

} // namespace basalt
