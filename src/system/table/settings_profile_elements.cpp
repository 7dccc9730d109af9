#include "system/access_rows.h"

namespace basalt
{

namespace
{

const char* writability_name(SettingWritability writability)
{
    switch (writability)
    {
    case SettingWritability::Writable:
        return "WRITABLE";
    case SettingWritability::Const:
        return "CONST";
    case SettingWritability::ChangeableInReadonly:
        return "CHANGEABLE_IN_READONLY";
    }
    return "";
}

void add(const char* owner_column, const AccessObject& owner, RowBuilder& rows)
{
    uint64_t index = 0;
    const auto begin_row = [&]
    {
        rows.add_row();
        rows.set(owner_column, owner.name);
        rows.set_uint("index", index++);
    };
    for (const auto& profile : owner.settings.profiles)
    {
        begin_row();
        rows.set("inherit_profile", profile);
    }
    for (const auto& rule : owner.settings.rules)
    {
        begin_row();
        rows.set("setting_name", rule.name);
        if (rule.value)
            rows.set("value", *rule.value);
        if (rule.min)
            rows.set("min", *rule.min);
        if (rule.max)
            rows.set("max", *rule.max);
        if (rule.writability)
            rows.set("writability", writability_name(*rule.writability));
    }
}

void fill(Engine& engine, const QueryContext& context, RowBuilder& rows)
{
    const auto state = engine.access().state();
    const EffectiveAccess* access = access_of(context);
    const bool all = context.granted("SHOW SETTINGS PROFILES");
    // Without the grant: one's own.
    for (const auto& [name, profile] : state->profiles)
        if (all)
            add("profile_name", profile, rows);
    for (const auto& [name, role] : state->roles)
        if (all || (access && access->enabled_roles().contains(name)))
            add("role_name", role, rows);
    for (const auto& [name, user] : state->users)
        if (all || name == context.user)
            add("user_name", user, rows);
}


} // namespace

void register_settings_profile_elements(SystemTables& tables)
{
    tables.add({"settings_profile_elements",
                parse_header(
                    "profile_name Nullable(String), user_name Nullable(String), role_name "
                    "Nullable(String), index UInt64, setting_name Nullable(String), value "
                    "Nullable(String), min Nullable(String), max Nullable(String), writability "
                    "Nullable(Enum8('WRITABLE' = 0, 'CONST' = 1, 'CHANGEABLE_IN_READONLY' = 2)), "
                    "inherit_profile Nullable(String)"),
                fill, ""});
}

} // namespace basalt
