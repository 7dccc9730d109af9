#include "system/access_rows.h"

namespace basalt
{

namespace
{

void fill(Engine& engine, const QueryContext&, RowBuilder& rows)
{
    const auto state = engine.access().state();
    for (const auto& [name, profile] : state->profiles)
    {
        rows.add_row();
        rows.set("name", name);
        if (!profile.uuid.empty())
            rows.set("id", profile.uuid);
        rows.set("storage", storage_name(profile));
        rows.set_uint("num_elements",
                      profile.settings.profiles.size() + profile.settings.rules.size());
        set_apply_to(rows, profile.to);
    }
}


} // namespace

void register_settings_profiles(SystemTables& tables)
{
    tables.add({"settings_profiles",
                parse_header(
                    "name String, id UUID, storage String, num_elements UInt64, apply_to_all "
                    "UInt8, apply_to_list Array(String), apply_to_except Array(String)"),
                fill, ""});
}

} // namespace basalt
