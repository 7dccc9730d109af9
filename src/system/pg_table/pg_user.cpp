#include "system/pg_catalog.h"

namespace basalt
{

namespace
{

void fill(Engine& engine, const QueryContext& context, RowBuilder& rows)
{
    const bool all = context.granted("SHOW USERS");
    const auto state = engine.access().state();
    for (const auto& [name, user] : state->users)
    {
        if (!all && name != context.user)
            continue;
        rows.add_row();
        rows.set("usename", name);
        rows.set_uint("usesysid", pg_role_oid(name));
    }
}

} // namespace

void register_pg_user(PgCatalogTables& tables)
{
    tables.add("pg_user",
               "usename String, usesysid UInt32, usecreatedb Bool, usesuper Bool, "
               "userepl Bool, usebypassrls Bool, passwd Nullable(String), valuntil "
               "Nullable(DateTime), useconfig Array(String)",
               fill);
}

} // namespace basalt
