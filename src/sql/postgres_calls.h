#pragma once

// What the functions of PostgreSQL's pg_catalog mean in our SQL: calls become expressions over the
// tables of the database pg_catalog and our own functions. Pure functions over trees.

#include "sql/ast_expression.h"

namespace basalt
{

// Null when the call means here what it says. semantics: the call comes from a client that wants
// PostgreSQL's meaning; a function without an equal throws NOT_IMPLEMENTED.
AstPtr expand_postgres_call(const AstFunction& call, bool semantics);

// The array of whole numbers from `first` to `last`; empty when one is NULL.
AstPtr postgres_series(AstPtr first, AstPtr last);

// x::regclass, ::regtype, ::regnamespace and ::regrole: from a name to its number when x is a text, from
// a number to its name otherwise. Null for other types.
AstPtr postgres_name_cast(const std::string& type, const AstPtr& operand);

} // namespace basalt
