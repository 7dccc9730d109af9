#include "system/system_tables.h"

#include "base/settings.h"

namespace basalt
{

namespace
{

const char* support_text(std::string_view name)
{
    switch (setting_support(name))
    {
    case SettingSupport::Honoured:
        return "";
    case SettingSupport::Accepted:
        return "Accepted without effect.";
    case SettingSupport::NotImplemented:
        return "Only the default value is implemented.";
    }
    return "";
}

void fill(Engine&, const QueryContext& context, RowBuilder& rows)
{
    for (const auto list : {setting_definitions(), basalt_setting_definitions()})
        for (const auto& setting : list)
        {
            rows.add_row();
            rows.set("name", setting.name);
            rows.set("value", context.settings.get(setting.name));
            rows.set_uint("changed", context.settings.changed(setting.name));
            rows.set("description", support_text(setting.name));
            rows.set("type", setting.type);
            rows.set("default", setting.default_value);
            rows.set_uint("is_obsolete", setting.tier == "Obsolete");
            rows.set("tier", setting.tier);
        }
}

} // namespace

void register_settings(SystemTables& tables)
{
    tables.add({"settings",
                parse_header(
                    "name String, value String, changed UInt8, description String, "
                    "min Nullable(String), max Nullable(String), "
                    "disallowed_values Array(String), readonly UInt8, type String, "
                    "default String, alias_for String, is_obsolete UInt8, "
                    "tier Enum8('Production' = 0, 'Obsolete' = 4, 'Experimental' = 8, 'Beta' = 12)"),
                fill, ""});
}

} // namespace basalt
