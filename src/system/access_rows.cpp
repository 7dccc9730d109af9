#include "system/access_rows.h"

#include <fmt/format.h>

namespace basalt
{

std::string privilege_enum_type()
{
    std::string type = "Enum16(";
    size_t number = 0;
    for (const auto& one : privilege_definitions())
        type += fmt::format("'{}' = {}, ", one.name, number++);
    return type + fmt::format("'ALL' = {}, 'NONE' = {})", number, number + 1);
}

const char* storage_name(const AccessObject& object)
{
    return object.from_config ? "users_xml" : "local_directory";
}

void set_apply_to(RowBuilder& rows, const RoleSet& to)
{
    rows.set_uint("apply_to_all", to.all || to.any);
    rows.set_texts("apply_to_list", to.names);
    rows.set_texts("apply_to_except", to.except_names);
}

const EffectiveAccess* access_of(const QueryContext& context)
{
    return dynamic_cast<const EffectiveAccess*>(context.permissions.get());
}

} // namespace basalt
