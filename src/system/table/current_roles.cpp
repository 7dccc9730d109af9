#include "system/access_rows.h"

namespace basalt
{

namespace
{

void fill(Engine&, const QueryContext& context, RowBuilder& rows)
{
    const EffectiveAccess* access = access_of(context);
    if (!access)
        return;
    const User& user = access->user();
    for (const auto& role : access->current_roles())
    {
        rows.add_row();
        rows.set("role_name", role);
        const auto it = user.roles.find(role);
        rows.set_uint("with_admin_option", it != user.roles.end() && it->second);
        rows.set_uint("is_default", AccessState::contains(user.default_roles, role));
    }
}

} // namespace

void register_current_roles(SystemTables& tables)
{
    tables.add({"current_roles",
                parse_header(
                    "role_name String, with_admin_option UInt8, is_default UInt8"),
                fill, ""});
}

} // namespace basalt
