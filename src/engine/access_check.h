#pragma once

// What a statement needs to be allowed, and whether its user is.

#include "engine/statement.h"

namespace basalt
{

struct AnalyzerContext;

// Everything but what SELECT reads, before the statement runs. ACCESS_DENIED (497) with the grant that
// is missing. Sessions of the server itself may do all.
void check_statement_access(const Ast& ast, StatementContext& statement);

// What a SELECT reads: puts the checks and row policies into the analyzer.
void add_read_checks(AnalyzerContext& analyzer, StatementContext& statement);

// SELECT on the columns of a table; without columns, on any of it.
void require_select(const EffectiveAccess& access, const TableName& table,
                    const std::vector<std::string>& columns);

// Makes the session's rights anew when users or roles have changed since. UNKNOWN_USER when the user was
// dropped.
void refresh_access(Engine& engine, Session& session);

// The privileges that statements about users need.
void check_access_statement(const Ast& ast, StatementContext& statement);

} // namespace basalt
