#pragma once

// Tables from CREATE statements, new and stored.

#include "catalog/create_table.h"
#include "engine/engine.h"

namespace basalt
{

// Makes the storage engines known to the catalog.
void register_engines(Engine& engine);

// From a stored CREATE text (ATTACH TABLE … with the full name).
TablePtr attach_table(Engine& engine, const std::string& create_text);
// Gives table and catalog the description of an ALTER that only the table's log had when the server
// was killed. Nothing when they agree.
void finish_alter(Engine& engine, const TableName& name);

// The table object of a prepared statement; nothing is published yet.
TablePtr make_table(Engine& engine, const PreparedTable& prepared, const TableName& name,
                    const std::string& uuid, bool attach, QueryContextPtr context);
TablePtr make_view(Engine& engine, const PreparedView& prepared, const AstCreateTable& create,
                   const TableName& name, const std::string& uuid, QueryContextPtr context);

// "DELETE WHERE x = 1" and the like as stored in system.mutations, bound again after a restart.
std::vector<MutationCommand> bind_mutation_text(Engine& engine, const Table& table,
                                                const std::string& text, QueryContextPtr context);

// For binding what was checked when it was written: settings that refuse some types, codecs and
// keys are off.
QueryContextPtr make_lenient_context(Engine& engine);

} // namespace basalt
