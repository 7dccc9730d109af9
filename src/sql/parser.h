#pragma once

// Text to tree. Every function throws Error SYNTAX_ERROR (with the position, the text there and
// what was expected), TOO_DEEP_RECURSION, TOO_DEEP_AST or NOT_IMPLEMENTED (a statement known but
// not parsed). Thread safe. The size of the text is the caller's to bound (max_query_size); time
// and memory are linear in it.

#include "sql/ast.h"

namespace basalt
{

// Even where a setting asks for more: the parser and what walks trees recurse.
inline constexpr uint32_t kMaxParserDepth = 3000;
inline constexpr uint32_t kMaxAstHeight = 3000;

struct ParserLimits
{
    uint32_t max_depth = 1000;       // setting max_parser_depth, 0: kMaxParserDepth
    uint32_t max_height = 1000;      // setting max_ast_depth, 0: kMaxAstHeight
    uint64_t max_backtracks = 1000000; // setting max_parser_backtracks, 0: no limit
    bool implicit_select = false; // `1 + 2` is read as `SELECT 1 + 2`
    // What PostgreSQL's clients write besides: x ~ 'a', OPERATOR(…), COLLATE, = ANY(array), ARRAY[…],
    // its type names behind ::, functions of pg_catalog.
    bool postgres = false;
    // With postgres: functions and operators mean what they mean there; those without an equal here
    // are NOT_IMPLEMENTED.
    bool postgres_semantics = false;
};

// The one statement of the text; a ';' and blanks may follow. INSERT with inline data ends the
// parse at the data: see AstInsert::data_offset.
AstPtr parse_query(std::string_view text, const ParserLimits& limits = {});

struct ParsedStatement
{
    AstPtr ast; // null when only blanks, comments and ';' were left
    // Where the next statement of a script begins. After an INSERT with inline data: the data
    // reaches from data_begin to data_end and belongs to this statement.
    size_t next = 0;
    bool has_inline_data = false;
    size_t data_begin = 0;
    size_t data_end = 0;
};

// The statement of a script that begins at `offset`. Inline data of VALUES ends at the ';' outside
// quotes and parentheses, that of other formats at an empty line, or at the end of the text.
ParsedStatement parse_statement(std::string_view text, size_t offset,
                                const ParserLimits& limits = {});

// The whole text must be one expression (with an optional alias), or a list of them.
AstPtr parse_expression(std::string_view text, const ParserLimits& limits = {});
AstList parse_expression_list(std::string_view text, const ParserLimits& limits = {});

// A data type, `Array(Nullable(String))` -> AstTypeName.
AstPtr parse_type(std::string_view text, const ParserLimits& limits = {});

// A list of columns as in CREATE TABLE, `a UInt8, b String DEFAULT ''`: AstColumnDeclaration each.
AstList parse_column_declarations(std::string_view text, const ParserLimits& limits = {});

} // namespace basalt
