// As pg_roles.

#include "system/pg_catalog.h"

namespace basalt
{

namespace
{

void fill(Engine& engine, const QueryContext& context, RowBuilder& rows)
{
    const auto add = [&](const std::string& name, bool can_login)
    {
        rows.add_row();
        rows.set_uint("oid", pg_role_oid(name));
        rows.set("rolname", name);
        rows.set_uint("rolinherit", 1);
        rows.set_uint("rolcanlogin", can_login);
        rows.set_int("rolconnlimit", -1);
    };
    const bool all = context.granted("SHOW USERS");
    const auto state = engine.access().state();
    for (const auto& [name, user] : state->users)
        if (all || name == context.user || name == "default")
            add(name, true);
    if (all)
        for (const auto& [name, role] : state->roles)
            add(name, false);
}

} // namespace

void register_pg_authid(PgCatalogTables& tables)
{
    tables.add("pg_authid",
               "oid UInt32, rolname String, rolsuper Bool, rolinherit Bool, "
               "rolcreaterole Bool, rolcreatedb Bool, rolcanlogin Bool, rolreplication "
               "Bool, rolconnlimit Int32, rolpassword Nullable(String), rolvaliduntil "
               "Nullable(DateTime), rolbypassrls Bool",
               fill);
}

} // namespace basalt
