#include "system/system_tables.h"

#include "base/profile_events.h"

namespace basalt
{

namespace
{

void fill(Engine&, const QueryContext&, RowBuilder& rows)
{
    for (size_t i = 0; i < kProfileEventCount; ++i)
    {
        const auto event = static_cast<ProfileEvent>(i);
        const uint64_t value = server_profile_counters().get(event);
        if (value == 0)
            continue;
        rows.add_row();
        rows.set("event", profile_event_name(event));
        rows.set("name", profile_event_name(event));
        rows.set_uint("value", value);
    }
}

} // namespace

void register_events(SystemTables& tables)
{
    tables.add({"events",
                parse_header(
                    "event String, value UInt64, description String, name String"),
                fill, ""});
}

} // namespace basalt
