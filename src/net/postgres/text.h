#pragma once

// Statements as PostgreSQL's lexer reads them, rewritten for ours: which statements a text holds,
// what '…', E'…' and $tag$…$tag$ mean, where $1 stands. Pure functions over bytes.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace basalt
{

// Most parameters of a statement: the protocol counts them in 16 bits.
inline constexpr uint32_t kMaxPostgresParameters = 65535;

struct PostgresStatement
{
    // Pieces of the text in our quoting; between piece i and i + 1 stands parameter numbers[i].
    std::vector<std::string> pieces;
    std::vector<uint32_t> numbers;    // from 1
    std::vector<bool> wants_number;   // the parameter stands behind LIMIT, OFFSET or FETCH
    std::vector<std::string> words;   // the first words, in upper case; at most kMaxLeadingWords
    uint32_t parameter_count = 0;
    // It names something of pg_catalog or information_schema. Its names are folded to lower case, as
    // PostgreSQL does, and its pg_… tables found without their schema.
    bool reads_catalog = false;

    bool is(std::string_view word) const { return !words.empty() && words[0] == word; }
    bool is(std::string_view first, std::string_view second) const
    {
        return words.size() > 1 && words[0] == first && words[1] == second;
    }
    // Whether it answers with rows, as far as its first word tells.
    bool returns_rows() const;
    // With literals in place of parameters.
    std::string text(const std::vector<std::string>& literals) const;
    std::string text_without_parameters() const;
};

inline constexpr size_t kMaxLeadingWords = 8;

// Empty statements are left out. Throws SYNTAX_ERROR for quotes and comments that do not end.
std::vector<PostgresStatement> split_postgres_text(std::string_view text);

// A name that was not in quotes, as PostgreSQL folds it: a to z.
std::string fold_name(std::string_view text);

// 'text' as our lexer reads it.
std::string quote_for_us(std::string_view text);

} // namespace basalt
