#include "system/system_tables.h"

namespace basalt
{

namespace
{

void fill(Engine&, const QueryContext&, RowBuilder& rows)
{
}

} // namespace

void register_macros(SystemTables& tables)
{
    tables.add({"macros",
                parse_header(
                    "macro String, substitution String"),
                fill, ""});
}

} // namespace basalt
