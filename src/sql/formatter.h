#pragma once

// Tree to text. What is written parses to the same tree.

#include "sql/ast.h"

namespace basalt
{

// The statement on one line, as formatQuerySingleLine.
std::string format_query(const Ast& ast);

// The statement on many lines with four-space indents, as formatQuery.
std::string format_query_multiline(const Ast& ast);

// As format_query with secrets (passwords, keys of table functions) shown as '[HIDDEN]': for logs.
std::string format_query_masked(const Ast& ast);

// The name of a result column: the alias, else the canonical text of the expression, plus(1, 2).
std::string column_name(const Ast& expression);

// The canonical text even where there is an alias.
std::string column_name_without_alias(const Ast& expression);

// `name` in backticks when it must be quoted, with escapes.
std::string quote_identifier_if_needed(std::string_view name);
std::string quote_identifier(std::string_view name);

// 'text' with backslash escapes.
std::string quote_string(std::string_view text);

} // namespace basalt
