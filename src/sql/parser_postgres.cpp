// PostgreSQL's dialect: what its clients write that our grammar has no place for. The tree that comes
// out is ours; what the functions of pg_catalog mean stands in postgres_calls.cpp.

#include "base/error.h"
#include "sql/ast_select.h"
#include "sql/parser_impl.h"
#include "sql/postgres_calls.h"

#include <array>
#include <cstdlib>
#include <optional>

namespace basalt
{

namespace
{

std::shared_ptr<AstFunction> operation(std::string name, AstPtr left, AstPtr right)
{
    auto function = make_ast_function(std::move(name), std::move(left), std::move(right));
    function->is_operator = true;
    return function;
}

// Longer ones first where one begins another.
constexpr const char* kLongNames[] = {"DOUBLE PRECISION", "CHARACTER VARYING", "BIT VARYING"};

struct TypeOfPostgres
{
    std::string_view name;
    std::string_view ours;
};

constexpr TypeOfPostgres kTypes[] = {
    {"bool", "Bool"},          {"boolean", "Bool"},         {"int2", "Int16"},
    {"smallint", "Int16"},     {"int4", "Int32"},           {"int", "Int32"},
    {"integer", "Int32"},      {"int8", "Int64"},           {"bigint", "Int64"},
    {"float4", "Float32"},     {"real", "Float32"},         {"float8", "Float64"},
    {"double precision", "Float64"},                        {"text", "String"},
    {"varchar", "String"},     {"character varying", "String"},
    {"bpchar", "String"},      {"character", "String"},     {"name", "String"},
    {"cstring", "String"},     {"json", "String"},          {"jsonb", "String"},
    {"unknown", "String"},     {"regproc", "String"},       {"sql_identifier", "String"},
    {"character_data", "String"},                           {"yes_or_no", "String"},
    {"cardinal_number", "Int32"},                           {"oid", "UInt32"},
    {"xid", "UInt32"},         {"date", "Date32"},          {"uuid", "UUID"},
    {"int2vector", "Array(Int16)"},                         {"oidvector", "Array(UInt32)"},
};

std::string lower(std::string text)
{
    for (char& c : text)
        if (c >= 'A' && c <= 'Z')
            c = static_cast<char>(c | 0x20);
    return text;
}

// The elements of an array as PostgreSQL writes it, {1,"two words",NULL}; nested ones are not read.
bool read_array_text(std::string_view text, AstList& out)
{
    if (text.size() < 2 || text.front() != '{' || text.back() != '}')
        return false;
    text = text.substr(1, text.size() - 2);
    for (size_t at = 0; at < text.size();)
    {
        std::string element;
        bool quoted = false;
        if (text[at] == '"')
        {
            quoted = true;
            for (++at; at < text.size() && text[at] != '"'; ++at)
            {
                at += text[at] == '\\' && at + 1 < text.size() ? 1 : 0;
                element += text[at];
            }
            if (at++ >= text.size())
                return false;
        }
        else
            for (; at < text.size() && text[at] != ','; ++at)
            {
                if (text[at] == '{' || text[at] == '}' || text[at] == '"')
                    return false;
                at += text[at] == '\\' && at + 1 < text.size() ? 1 : 0;
                element += text[at];
            }
        if (!quoted && lower(element) == "null")
            out.push_back(AstLiteral::null());
        else
            out.push_back(AstLiteral::string(std::move(element)));
        if (at < text.size() && text[at++] != ',')
            return false;
    }
    return true;
}

AstPtr cast_to(AstPtr operand, const std::string& type)
{
    const auto* literal = operand->as<AstLiteral>();
    const bool is_null = literal && literal->literal_kind == LiteralKind::Null;
    // The text of a number keeps its digits.
    if (literal && literal->is_number() && !literal->text.empty())
        operand = AstLiteral::string(literal->text);
    return make_ast_function("CAST", std::move(operand),
                             AstPtr(AstLiteral::string(is_null ? "Nullable(" + type + ")" : type)));
}

// Digits behind the point of a number's text; nothing when it is no plain number.
std::optional<size_t> scale_of(const std::string& text)
{
    size_t digits = 0, scale = 0;
    bool point = false;
    for (size_t i = text.starts_with('-') ? 1 : 0; i < text.size(); ++i)
    {
        if (text[i] == '.' && !point)
            point = true;
        else if (text[i] >= '0' && text[i] <= '9')
        {
            ++digits;
            scale += point ? 1 : 0;
        }
        else
            return std::nullopt;
    }
    if (digits == 0 || digits > 76)
        return std::nullopt;
    return scale;
}

} // namespace

bool Parser::accept_collate()
{
    if (!peek_word("COLLATE") || !peek_identifier(1))
        return false;
    advance();
    parse_compound_parts(); // texts are compared byte by byte, which is collation C
    return true;
}

bool Parser::peek_postgres_operator()
{
    return peek_is(TokenType::PostgresOperator) ||
           (peek_word("OPERATOR") && peek_is(TokenType::OpenRound, 1));
}

AstPtr Parser::parse_postgres_operator(AstPtr left, size_t begin)
{
    std::string symbol;
    if (peek_word("OPERATOR"))
    {
        position_ += 2;
        while (peek_identifier() && peek_is(TokenType::Dot, 1))
            position_ += 2;
        symbol = token_text(peek());
        advance();
        expect(TokenType::CloseRound);
    }
    else
    {
        symbol = token_text(peek());
        advance();
    }
    constexpr std::array<std::pair<std::string_view, const char*>, 16> kOperators = {{
        {"~", "match"},      {"!~", "match"},          {"~*", "match"},
        {"!~*", "match"},    {"~~", "like"},           {"!~~", "notLike"},
        {"~~*", "ilike"},    {"!~~*", "notILike"},     {"=", "equals"},
        {"<>", "notEquals"}, {"!=", "notEquals"},      {"<", "less"},
        {">", "greater"},    {"<=", "lessOrEquals"},   {">=", "greaterOrEquals"},
        {"||", "concat"},
    }};
    const char* name = nullptr;
    for (const auto& [text, function] : kOperators)
        if (symbol == text)
            name = function;
    if (!name)
        not_implemented("Operator " + symbol);
    const bool negated = symbol[0] == '!' && std::string_view(name) == "match";
    if ((peek_word("ANY") || peek_word("ALL") || peek_word("SOME")) &&
        peek_is(TokenType::OpenRound, 1) && !negated)
    {
        const bool all = peek_word("ALL");
        advance();
        const std::string_view function = name;
        const bool comparison = function == "equals" || function == "notEquals" ||
                                function.starts_with("less") || function.starts_with("greater");
        return comparison && peek_subquery(1)
                   ? parse_quantified(name, all, std::move(left), begin)
                   : parse_array_quantified(name, all, std::move(left), begin);
    }
    AstPtr right = parse_operators(10);
    if (std::string_view(name) == "match" && symbol.ends_with('*'))
        right = finish(operation("concat", AstLiteral::string("(?i)"), std::move(right)), begin);
    AstPtr result = finish(operation(name, std::move(left), std::move(right)), begin);
    if (negated)
    {
        auto negation = make_ast_function("not", std::move(result));
        result = finish(std::move(negation), begin);
    }
    return result;
}

// x = ANY (array) and its kin.
AstPtr Parser::parse_array_quantified(const std::string& name, bool all, AstPtr left, size_t begin)
{
    expect(TokenType::OpenRound);
    AstPtr array = parse_expression();
    expect(TokenType::CloseRound);
    if (const auto* literal = array->as<AstLiteral>(); literal && literal->is_string())
    {
        auto elements = std::make_shared<AstFunction>("array");
        elements->is_operator = true;
        if (!read_array_text(literal->text, elements->arguments))
            not_implemented("ANY and ALL of the array '" + literal->text + "'");
        array = finish(std::move(elements), begin);
    }
    if (name == "equals" && !all)
        return finish(operation("in", std::move(left), std::move(array)), begin);
    if (name == "notEquals" && all)
        return finish(operation("notIn", std::move(left), std::move(array)), begin);
    auto lambda = std::make_shared<AstLambda>();
    lambda->parameters = {"__element"};
    lambda->body = finish(operation(name, std::move(left),
                                    std::make_shared<AstIdentifier>("__element")), begin);
    auto call = make_ast_function(all ? "arrayAll" : "arrayExists",
                                  AstPtr(finish(std::move(lambda), begin)), std::move(array));
    return finish(std::move(call), begin);
}

AstPtr Parser::parse_postgres_word()
{
    const size_t begin = mark();
    if (peek_word("TIMESTAMP") && peek_is(TokenType::String, 1))
    {
        advance();
        return finish(std::static_pointer_cast<AstFunction>(
                          cast_to(parse_string_literal(), "DateTime64(6)")),
                      begin);
    }
    if (!peek_word("ARRAY"))
        return nullptr;
    if (peek_is(TokenType::OpenSquare, 1))
    {
        advance();
        return parse_array_literal();
    }
    if (!peek_is(TokenType::OpenRound, 1) || !peek_subquery(2))
        return nullptr;
    advance();
    AstPtr subquery = parse_subquery_in_parentheses();
    auto call = std::make_shared<AstFunction>("groupArray");
    call->arguments.push_back(finish(std::make_shared<AstAsterisk>(), begin));
    auto table = std::make_shared<AstTableElement>();
    table->table = std::move(subquery);
    auto select = std::make_shared<AstSelect>();
    select->projection.push_back(finish(std::move(call), begin));
    select->from.push_back(finish(std::move(table), begin));
    auto members = std::make_shared<AstSelectUnion>();
    members->selects.push_back(finish(std::move(select), begin));
    auto outer = std::make_shared<AstSubquery>();
    outer->query = finish(std::move(members), begin);
    return finish(std::move(outer), begin);
}

AstPtr Parser::parse_postgres_table()
{
    const size_t begin = mark();
    const size_t ahead = peek_word("PG_CATALOG") && peek_is(TokenType::Dot, 1) ? 2 : 0;
    const bool unnests = peek_word("UNNEST", ahead);
    if ((!unnests && !peek_word("GENERATE_SERIES", ahead)) ||
        !peek_is(TokenType::OpenRound, ahead + 1))
        return nullptr;
    position_ += ahead + 2;
    AstList arguments = parse_expression_list();
    expect(TokenType::CloseRound);
    if (arguments.size() != (unnests ? 1 : 2))
        not_implemented("This form of unnest and generate_series");
    AstPtr array = unnests ? arguments[0]
                           : postgres_series(std::move(arguments[0]), std::move(arguments[1]));
    auto call = make_ast_function("arrayJoin", std::move(array));
    std::string alias = unnests ? "unnest" : "generate_series";
    if (accept_word("AS") || peek_bare_alias())
        alias = parse_identifier();
    // The column is called as the table unless it has a name of its own.
    std::string column = alias;
    if (accept(TokenType::OpenRound))
    {
        column = parse_identifier();
        expect(TokenType::CloseRound);
    }
    call->alias = column;
    auto select = std::make_shared<AstSelect>();
    select->projection.push_back(finish(std::move(call), begin));
    AstPtr table = wrap_select(std::move(select), begin);
    table->alias = alias;
    return table;
}

AstPtr Parser::parse_postgres_cast(AstPtr operand, size_t begin)
{
    const size_t start = mark();
    const auto* literal = operand->as<AstLiteral>();
    const bool is_text = literal && literal->is_string();
    const auto finished = [&](AstPtr result)
    {
        if (auto function = std::dynamic_pointer_cast<AstFunction>(result))
            return AstPtr(finish(std::move(function), begin));
        return result;
    };
    const bool qualified = (peek_word("PG_CATALOG") || peek_word("INFORMATION_SCHEMA")) &&
                           peek_is(TokenType::Dot, 1);
    if (qualified)
        position_ += 2;
    std::string name;
    for (const char* words : kLongNames)
        if (name.empty() && accept_word(words))
            name = lower(words);
    // "char" in quotes is a type of its own, of one character.
    if (name.empty() && peek_is(TokenType::QuotedIdentifier))
    {
        accept_identifier(name);
        name = name == "char" ? "text" : name;
    }
    else if (name.empty() && accept_identifier(name))
    {
        // Names of ours that PostgreSQL folds are PostgreSQL's only in lower case or capitals.
        const std::string low = lower(name);
        std::string capitals = name;
        for (char& c : capitals)
            if (c >= 'a' && c <= 'z')
                c = static_cast<char>(c - 32);
        name = name == low || name == capitals ? low : name;
    }
    std::vector<std::string> sizes;
    const bool sized = peek_is(TokenType::OpenRound) && peek_is(TokenType::Number, 1);
    if (sized)
    {
        advance();
        do
        {
            sizes.emplace_back(token_text(peek()));
            expect(TokenType::Number);
        } while (accept(TokenType::Comma));
        expect(TokenType::CloseRound);
    }
    bool is_array = false;
    std::string ours;
    const bool with_zone = (name == "timestamp" || name == "time") && accept_word("WITH TIME ZONE");
    if (name == "timestamp" || name == "time")
        accept_word("WITHOUT TIME ZONE");
    if (name == "timestamp" || name == "timestamptz")
        ours = "DateTime64(" + (sizes.empty() || sizes[0].size() > 1 ? "6" : sizes[0]) + ")";
    else if (name == "char" || name == "bpchar" || name == "character")
        ours = "String";
    else if (name == "numeric" || name == "decimal")
        ours = "numeric";
    for (const auto& type : kTypes)
        if (type.name == name)
            ours = type.ours;
    while (peek_is(TokenType::OpenSquare) && peek_is(TokenType::CloseSquare, 1))
    {
        position_ += 2;
        is_array = true;
    }
    if (is_array)
    {
        if (ours.empty() || ours == "numeric")
            not_implemented("Arrays of the type " + name);
        if (!is_text)
            return finished(cast_to(std::move(operand), "Array(" + ours + ")"));
        auto elements = std::make_shared<AstFunction>("array");
        elements->is_operator = true;
        if (!read_array_text(literal->text, elements->arguments))
            not_implemented("The array '" + literal->text + "'");
        bool has_null = false;
        for (const AstPtr& element : elements->arguments)
            has_null = has_null ||
                       element->as<AstLiteral>()->literal_kind == LiteralKind::Null;
        if (has_null)
            ours = "Nullable(" + ours + ")";
        return finished(cast_to(finish(std::move(elements), begin), "Array(" + ours + ")"));
    }
    if (AstPtr name_cast = postgres_name_cast(name, operand))
        return finished(std::move(name_cast));
    if (ours == "numeric")
    {
        if (!sizes.empty())
            return finished(cast_to(std::move(operand),
                                    "Decimal(" + sizes[0] + ", " +
                                        (sizes.size() > 1 ? sizes[1] : "0") + ")"));
        if (literal && (is_text || literal->is_number()))
            if (const auto scale = scale_of(literal->text))
                return finished(cast_to(std::move(operand),
                                        "Decimal(76, " + std::to_string(*scale) + ")"));
        return finished(cast_to(std::move(operand), "Decimal(76, 20)"));
    }
    if (is_text && name == "interval")
        not_implemented("Casts to interval; write INTERVAL '1 day'");
    if (is_text && name == "bytea")
    {
        if (literal->text.starts_with("\\x"))
            return finished(make_ast_function(
                "unhex", AstPtr(AstLiteral::string(literal->text.substr(2)))));
        ours = "String";
    }
    if (ours.empty())
    {
        if (qualified)
            not_implemented("The type pg_catalog." + name);
        position_ = start;
        return nullptr;
    }
    if ((with_zone || name == "timestamptz") && is_text)
        return finished(make_ast_function("parseDateTime64BestEffort", std::move(operand),
                                          AstPtr(AstLiteral::unsigned_number(6))));
    AstPtr result = cast_to(std::move(operand), ours);
    if (ours == "String" && !sizes.empty())
        result = make_ast_function("substringUTF8", finished(std::move(result)),
                                   AstPtr(AstLiteral::unsigned_number(1)),
                                   AstPtr(AstLiteral::unsigned_number(
                                       std::strtoull(sizes[0].c_str(), nullptr, 10))));
    return finished(std::move(result));
}

AstPtr Parser::finish_postgres_call(AstPtr call, size_t begin)
{
    auto* function = call->as<AstFunction>();
    if (!function)
        return call;
    AstPtr expanded = expand_postgres_call(*function, limits_.postgres_semantics);
    if (!expanded)
        return call;
    expanded->parenthesized = false;
    if (auto result = std::dynamic_pointer_cast<AstFunction>(expanded))
        return finish(std::move(result), begin);
    return expanded;
}

} // namespace basalt
