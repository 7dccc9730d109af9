#pragma once

// What the tables over users and roles share.

#include "catalog/access/effective_access.h"
#include "system/system_tables.h"

namespace basalt
{

// "Enum16('SHOW DATABASES' = 0, …)" of all privileges and groups, as system.privileges has it.
std::string privilege_enum_type();
const char* storage_name(const AccessObject& object);
// The columns apply_to_all, apply_to_list and apply_to_except.
void set_apply_to(RowBuilder& rows, const RoleSet& to);
// The rights of the query's session; null for the server itself.
const EffectiveAccess* access_of(const QueryContext& context);

} // namespace basalt
