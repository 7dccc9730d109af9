#include "system/access_rows.h"

namespace basalt
{

namespace
{

void add(const char* owner_column, const Grantee& owner, const RoleSet& defaults,
         const AccessState& state, RowBuilder& rows)
{
    for (const auto& [role, admin] : owner.roles)
    {
        rows.add_row();
        rows.set(owner_column, owner.name);
        rows.set("granted_role_name", role);
        if (const auto it = state.roles.find(role);
            it != state.roles.end() && !it->second.uuid.empty())
            rows.set("granted_role_id", it->second.uuid);
        rows.set_uint("granted_role_is_default", AccessState::contains(defaults, role));
        rows.set_uint("with_admin_option", admin);
    }
}

void fill(Engine& engine, const QueryContext&, RowBuilder& rows)
{
    const auto state = engine.access().state();
    RoleSet all;
    all.all = true;
    for (const auto& [name, user] : state->users)
        add("user_name", user, user.default_roles, *state, rows);
    for (const auto& [name, role] : state->roles)
        add("role_name", role, all, *state, rows);
}


} // namespace

void register_role_grants(SystemTables& tables)
{
    tables.add({"role_grants",
                parse_header(
                    "user_name Nullable(String), role_name Nullable(String), granted_role_name "
                    "String, granted_role_id UUID, granted_role_is_default UInt8, "
                    "with_admin_option UInt8"),
                fill, ""});
}

} // namespace basalt
