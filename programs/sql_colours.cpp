#include "programs/sql_colours.h"

#include "sql/lexer.h"

#include <algorithm>
#include <string>

namespace basalt
{

const std::vector<std::string_view>& sql_keywords()
{
    static const std::vector<std::string_view> words = []
    {
        std::vector<std::string_view> all = {
            "ADD", "AFTER", "ALIAS", "ALL", "ALTER", "AND", "ANTI", "ANY", "APPEND", "ARRAY", "AS",
            "ASC", "ASOF", "ATTACH", "BACKUP", "BETWEEN", "BY", "CASE", "CAST", "CHECK", "CLEAR",
            "CLUSTER", "CODEC", "COLLATE", "COLUMN", "COLUMNS", "COMMENT", "CONSTRAINT", "CREATE",
            "CROSS", "CUBE", "CURRENT", "DATABASE", "DATABASES", "DEDUPLICATE", "DEFAULT", "DELETE",
            "DESC", "DESCRIBE", "DETACH", "DICTIONARY", "DISTINCT", "DROP", "ELSE", "END", "ENGINE",
            "EPHEMERAL", "EXCEPT", "EXCHANGE", "EXISTS", "EXPLAIN", "FETCH", "FILL", "FINAL", "FIRST",
            "FOLLOWING", "FOR", "FORMAT", "FREEZE", "FROM", "FULL", "FUNCTION", "GLOBAL", "GRANT",
            "GRANULARITY", "GROUP", "GROUPING", "HAVING", "IF", "ILIKE", "IN", "INDEX", "INFILE",
            "INNER", "INSERT", "INTERPOLATE", "INTERSECT", "INTERVAL", "INTO", "IS", "JOIN", "KEY",
            "KILL", "LAST", "LEFT", "LIKE", "LIMIT", "LIVE", "MATERIALIZE", "MATERIALIZED", "MODIFY",
            "MOVE", "MUTATION", "NOT", "NULL", "NULLS", "OFFSET", "ON", "OPTIMIZE", "OR", "ORDER",
            "OUTER", "OUTFILE", "OVER", "PARTITION", "PASTE", "PRECEDING", "PREWHERE", "PRIMARY",
            "PROCESSLIST", "PROJECTION", "QUALIFY", "QUERY", "RANGE", "RENAME", "REPLACE", "RESTORE",
            "REVOKE", "RIGHT", "ROLE", "ROLLUP", "ROW", "ROWS", "SAMPLE", "SELECT", "SEMI", "SET",
            "SETS", "SETTINGS", "SHOW", "STEP", "SYNC", "SYSTEM", "TABLE", "TABLES", "TEMPORARY",
            "THEN", "TIES", "TO", "TOP", "TOTALS", "TRUNCATE", "TTL", "UNBOUNDED", "UNION", "UPDATE",
            "USE", "USER", "USING", "VALUES", "VIEW", "WHEN", "WHERE", "WINDOW", "WITH"};
        std::sort(all.begin(), all.end());
        return all;
    }();
    return words;
}

namespace
{

bool is_keyword(std::string_view word)
{
    std::string upper(word);
    for (char& c : upper)
        if (c >= 'a' && c <= 'z')
            c = static_cast<char>(c - 32);
    return std::binary_search(sql_keywords().begin(), sql_keywords().end(),
                              std::string_view(upper));
}

Colour colour_of(TokenType type)
{
    switch (type)
    {
    case TokenType::QuotedIdentifier:
        return Colour::Quoted;
    case TokenType::String:
    case TokenType::Heredoc:
    case TokenType::HexString:
    case TokenType::BinaryString:
        return Colour::String;
    case TokenType::Number:
        return Colour::Number;
    default:
        return Colour::Plain;
    }
}

// Blank but for comments, and the last comment is closed.
bool is_closed_blank(std::string_view text)
{
    for (size_t i = 0; i < text.size(); ++i)
    {
        if (!text.substr(i).starts_with("/*"))
            continue;
        const size_t end = text.find("*/", i + 2);
        if (end == std::string_view::npos)
            return false;
        i = end + 1;
    }
    return true;
}

} // namespace

std::vector<Colour> colours_of(std::string_view sql)
{
    std::vector<Colour> colours(sql.size(), Colour::Plain);
    const auto paint = [&](size_t begin, size_t end, Colour colour)
    { std::fill(colours.begin() + static_cast<std::ptrdiff_t>(begin),
                colours.begin() + static_cast<std::ptrdiff_t>(std::min(end, sql.size())), colour); };
    // What no token covers is blank or a comment.
    Lexer lexer(sql);
    size_t covered = 0;
    Token before;
    for (Token token = lexer.next();; token = lexer.next())
    {
        const bool last = token.type == TokenType::End || token.type == TokenType::Error;
        const size_t begin = token.type == TokenType::End ? sql.size() : token.begin;
        if (const size_t ink = sql.find_first_not_of(" \t\r\n", covered); ink < begin)
            paint(ink, begin, Colour::Comment);
        if (before.type == TokenType::Word && token.type == TokenType::OpenRound &&
            colours[before.begin] == Colour::Plain)
            paint(before.begin, before.end, Colour::Function);
        if (token.type == TokenType::Error)
            paint(token.begin, sql.size(),
                  sql[token.begin] == '\'' ? Colour::String : Colour::Wrong);
        if (last)
            return colours;
        const std::string_view word = sql.substr(token.begin, token.end - token.begin);
        paint(token.begin, token.end,
              token.type == TokenType::Word && before.type != TokenType::Dot && is_keyword(word)
                  ? Colour::Keyword
                  : colour_of(token.type));
        covered = token.end;
        before = token;
    }
}

std::string_view escape_of(Colour colour)
{
    switch (colour)
    {
    case Colour::Keyword:
        return "\033[1m";
    case Colour::Function:
        return "\033[33m";
    case Colour::Quoted:
        return "\033[36m";
    case Colour::String:
        return "\033[32m";
    case Colour::Number:
        return "\033[35m";
    case Colour::Comment:
        return "\033[90m";
    case Colour::Wrong:
        return "\033[31m";
    case Colour::Plain:
        break;
    }
    return "\033[0m";
}

bool is_closed(std::string_view sql)
{
    Lexer lexer(sql);
    int depth = 0;
    size_t covered = 0;
    for (Token token = lexer.next();; token = lexer.next())
    {
        if (token.type == TokenType::Error)
        {
            const char c = sql[token.begin];
            return c != '\'' && c != '"' && c != '`' && c != '/';
        }
        if (token.type == TokenType::End)
            return depth <= 0 && is_closed_blank(sql.substr(covered));
        depth += token.type == TokenType::OpenRound || token.type == TokenType::OpenSquare ||
                 token.type == TokenType::OpenCurly;
        depth -= token.type == TokenType::CloseRound || token.type == TokenType::CloseSquare ||
                 token.type == TokenType::CloseCurly;
        // Rows of an INSERT may hold anything.
        if (token.type == TokenType::Semicolon)
            depth = 0;
        covered = token.end;
    }
}

bool has_end_mark(std::string_view sql)
{
    Lexer lexer(sql);
    TokenType last = TokenType::End;
    for (Token token = lexer.next(); token.type != TokenType::End; token = lexer.next())
    {
        if (token.type == TokenType::Error)
        {
            // Data of an INSERT need not be SQL.
            const char c = sql[token.begin];
            const size_t end = sql.find_last_not_of(" \t\r\n");
            return c != '\'' && c != '"' && c != '`' && end != std::string_view::npos &&
                   sql[end] == ';';
        }
        last = token.type;
    }
    return last == TokenType::Semicolon || last == TokenType::VerticalDelimiter;
}

} // namespace basalt
