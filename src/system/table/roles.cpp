#include "system/access_rows.h"

namespace basalt
{

namespace
{

void fill(Engine& engine, const QueryContext&, RowBuilder& rows)
{
    const auto state = engine.access().state();
    for (const auto& [name, role] : state->roles)
    {
        rows.add_row();
        rows.set("name", name);
        if (!role.uuid.empty())
            rows.set("id", role.uuid);
        rows.set("storage", storage_name(role));
    }
}


} // namespace

void register_roles(SystemTables& tables)
{
    tables.add({"roles",
                parse_header(
                    "name String, id UUID, storage String"),
                fill, ""});
}

} // namespace basalt
