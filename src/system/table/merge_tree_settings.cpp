#include "storage/engines/merge_tree_settings.h"

#include "system/system_tables.h"

namespace basalt
{

namespace
{

const char* support_text(SettingSupport support)
{
    switch (support)
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

void fill(Engine&, const QueryContext&, RowBuilder& rows)
{
    for (const auto& setting : merge_tree_settings())
    {
        rows.add_row();
        rows.set("name", setting.name);
        rows.set("value", setting.default_value);
        rows.set("default", setting.default_value);
        rows.set("description", support_text(setting.support));
        rows.set("type", setting.type);
        rows.set_uint("is_obsolete", setting.tier == "Obsolete");
        rows.set("tier", setting.tier);
    }
}

} // namespace

void register_merge_tree_settings(SystemTables& tables)
{
    tables.add({"merge_tree_settings",
                parse_header(
                    "name String, value String, default String, changed UInt8, description "
                    "String, min Nullable(String), max Nullable(String), disallowed_values "
                    "Array(String), readonly UInt8, type String, is_obsolete UInt8, tier "
                    "Enum8('Production' = 0, 'Obsolete' = 4, 'Experimental' = 8, 'Beta' = 12)"),
                fill, ""});
}

} // namespace basalt
