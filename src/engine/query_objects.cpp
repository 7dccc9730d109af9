#include "engine/query_objects.h"

#include "codecs/hash.h"
#include "sql/lexer.h"

#include <algorithm>

namespace basalt
{

namespace
{

void add_once(std::vector<std::string>& names, std::string name)
{
    if (names.size() < kMaxLoggedObjects &&
        std::find(names.begin(), names.end(), name) == names.end())
        names.push_back(std::move(name));
}

bool is_literal(TokenType type)
{
    return type == TokenType::String || type == TokenType::Number ||
           type == TokenType::Heredoc || type == TokenType::HexString ||
           type == TokenType::BinaryString;
}

} // namespace

void QueryObjects::add(const Table& table, const std::vector<std::string>& columns_of_table)
{
    const TableName name = table.table_name();
    if (name.database == "_table_function")
        return;
    add_once(databases, name.database);
    add_once(tables, name.full());
    for (const auto& column : columns_of_table)
        add_once(columns, name.full() + "." + column);
}

uint64_t normalized_query_hash(std::string_view query)
{
    std::string text;
    Lexer lexer(query);
    bool after_literal = false;
    for (;;)
    {
        const Token token = lexer.next();
        if (token.type == TokenType::End || token.type == TokenType::Error)
            break;
        // 1, 2, 3 is as 1.
        if (token.type == TokenType::Comma && after_literal)
            continue;
        const bool literal = is_literal(token.type);
        if (literal && !after_literal)
            text += "? ";
        if (!literal)
            text.append(query.substr(token.begin, token.end - token.begin)) += ' ';
        after_literal = literal;
    }
    return sip_hash64(text);
}

} // namespace basalt
