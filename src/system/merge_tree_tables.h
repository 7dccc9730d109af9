#pragma once

// The MergeTree tables of a server, for the system tables that show their parts.

#include "engine/engine.h"
#include "storage/mergetree/merge_tree_table.h"
#include "system/system_tables.h"

namespace basalt
{

struct ListedTable
{
    std::string database;
    std::string name;
    std::shared_ptr<MergeTreeTable> table;
};
// Those that the query's user may know of, by database and name. Tables of the engine Log have parts too.
std::vector<ListedTable> merge_tree_tables(Engine& engine, const QueryContext& context);

// The columns that system.parts and system.parts_columns share.
void set_part(RowBuilder& rows, const ListedTable& listed, const PartInfo& part);

} // namespace basalt
