#pragma once

#include "sql/ast_alter.h"

namespace basalt
{

// The privilege on the table that the command needs, when that is all it needs: not for commands on one
// column, UPDATE, and those that read or write another table; ALTER for these.
const char* alter_privilege(AlterAction action);

} // namespace basalt
