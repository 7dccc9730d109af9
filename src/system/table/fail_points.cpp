#include "base/failpoint.h"
#include "system/system_tables.h"

namespace basalt
{

namespace
{

void fill(Engine&, const QueryContext&, RowBuilder& rows)
{
    for (const auto& info : failpoints())
    {
        rows.add_row();
        rows.set("name", std::string(info.name));
        rows.set("type", "regular");
        rows.set_uint("enabled", info.enabled);
    }
}

} // namespace

void register_fail_points(SystemTables& tables)
{
    tables.add({"fail_points",
                parse_header("name String, type Enum8('once' = 0, 'regular' = 1, 'pauseable_once' = "
                             "2, 'pauseable' = 3), enabled UInt8"),
                fill, "SystemFailPoints"});
}

} // namespace basalt
