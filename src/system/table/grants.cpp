#include "system/access_rows.h"

namespace basalt
{

namespace
{

void add(const char* owner_column, const Grantee& owner, RowBuilder& rows)
{
    for (const auto& element : owner.rights.elements())
        for (const auto& privilege : privilege_names(element.privileges))
        {
            std::vector<std::string> columns = element.columns;
            if (columns.empty())
                columns.emplace_back();
            for (const auto& column : columns)
            {
                rows.add_row();
                rows.set(owner_column, owner.name);
                rows.set("access_type", privilege);
                if (!element.place.database.empty())
                    rows.set("database", element.place.database);
                if (!element.place.table.empty())
                    rows.set("table", element.place.table);
                if (!column.empty())
                    rows.set("column", column);
                rows.set_uint("is_partial_revoke", element.revoke);
                rows.set_uint("grant_option", element.grant_option);
            }
        }
}

void fill(Engine& engine, const QueryContext&, RowBuilder& rows)
{
    const auto state = engine.access().state();
    for (const auto& [name, user] : state->users)
        add("user_name", user, rows);
    for (const auto& [name, role] : state->roles)
        add("role_name", role, rows);
}


} // namespace

void register_grants(SystemTables& tables)
{
    tables.add({"grants",
                parse_header(
                    "user_name Nullable(String), role_name Nullable(String), access_type " +
                    privilege_enum_type() +
                    ", access_object String, database Nullable(String), table Nullable(String), "
                    "column Nullable(String), is_partial_revoke UInt8, grant_option UInt8, "
                    "is_wildcard UInt8"),
                fill, ""});
}

} // namespace basalt
