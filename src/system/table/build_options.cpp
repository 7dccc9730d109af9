#include "system/system_tables.h"

namespace basalt
{

namespace
{

void add(RowBuilder& rows, const char* name, const std::string& value)
{
    rows.add_row();
    rows.set("name", name);
    rows.set("value", value);
}

void fill(Engine&, const QueryContext&, RowBuilder& rows)
{
    add(rows, "VERSION_FULL", std::string("ClickHouse ") + kServerVersion);
    add(rows, "VERSION_DESCRIBE", std::string("v") + kServerVersion + "-stable");
    add(rows, "VERSION_INTEGER", "26007002");
    add(rows, "SYSTEM", "Linux");
    add(rows, "SYSTEM_PROCESSOR", "x86_64");
    add(rows, "CXX_COMPILER", __VERSION__);
#ifdef NDEBUG
    add(rows, "BUILD_TYPE", "Release");
#else
    add(rows, "BUILD_TYPE", "Debug");
#endif
    add(rows, "PROJECT", "Basalt");
}

} // namespace

void register_build_options(SystemTables& tables)
{
    tables.add({"build_options",
                parse_header(
                    "name String, value String"),
                fill, ""});
}

} // namespace basalt
