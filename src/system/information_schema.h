#pragma once

// The database information_schema, in both cases: views over the tables of the database system.

#include "engine/engine.h"

namespace basalt
{

// After register_system_tables()' own tables are there.
void register_information_schema(Engine& engine);

} // namespace basalt
