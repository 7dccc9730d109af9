#include "system/system_tables.h"

namespace basalt
{

void register_one(SystemTables& tables)
{
    tables.add({"one", parse_header("dummy UInt8"),
                [](Engine&, const QueryContext&, RowBuilder& rows) { rows.add_row(); },
                "SystemOne"});
}

} // namespace basalt
