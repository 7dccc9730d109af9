#include "system/system_tables.h"

namespace basalt
{

namespace
{

void fill(Engine&, const QueryContext&, RowBuilder& rows)
{
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
