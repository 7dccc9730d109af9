#pragma once

// DELETE, UPDATE and the MATERIALIZE and CLEAR commands of ALTER, bound to a table's columns.
// Subqueries in them run while they are bound.

#include "engine/engine.h"
#include "sql/ast_alter.h"

#include <string>
#include <vector>

namespace basalt
{

struct AnalyzerContext;

// Whether a command rewrites rows of parts: what ClickHouse calls a mutation.
bool is_mutation(AlterAction action);

// `text` of each is the command as system.mutations shows it; "(DELETE WHERE x = 1)". Commands that
// have nothing to do (MATERIALIZE INDEX of an index that is not there) give none. Throws
// UNKNOWN_IDENTIFIER (47), CANNOT_UPDATE_COLUMN (420), NO_SUCH_COLUMN_IN_TABLE (16) …
// analyzer: where subqueries find their tables.
std::vector<MutationCommand> bind_mutations(const AstList& commands, const Table& table,
                                            const TableMetadata& metadata,
                                            AnalyzerContext& analyzer);

// "202608" of PARTITION 202608 or PARTITION ID '202608'. Throws INVALID_PARTITION_VALUE (248),
// TYPE_MISMATCH (53).
std::string partition_id_of_ast(const AstPartition& partition, const TableMetadata& metadata,
                                const QueryContext& context);

} // namespace basalt
