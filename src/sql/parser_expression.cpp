// Operators, by precedence climbing. Priorities, loosest first:
//   2 ?:   3 OR   4 AND   5 NOT   6 IS   7 BETWEEN   9 comparisons, <=>, LIKE, IN   10 ||
//   11 + -   12 * / % DIV MOD   13 unary minus, AT TIME ZONE; then [] . :: in parse_operand().

#include "base/error.h"
#include "sql/parser_impl.h"

namespace basalt
{

namespace
{

// Nodes that BETWEEN may copy in one query: x BETWEEN a AND b names x twice.
constexpr size_t kMaxCopiedNodes = 100000;

size_t count_nodes(Ast& ast)
{
    size_t count = 1;
    ast.for_each_child([&](AstPtr& child) { count += count_nodes(*child); });
    return count;
}

std::shared_ptr<AstFunction> operation(std::string name)
{
    auto function = std::make_shared<AstFunction>(std::move(name));
    function->is_operator = true;
    return function;
}

struct BinaryOperator
{
    const char* name = nullptr;
    int priority = 0;
    bool n_ary = false;
    bool comparison = false;
};

BinaryOperator symbol_operator(TokenType type)
{
    switch (type)
    {
    case TokenType::Equals:
        return {"equals", 9, false, true};
    case TokenType::NotEquals:
        return {"notEquals", 9, false, true};
    case TokenType::Less:
        return {"less", 9, false, true};
    case TokenType::Greater:
        return {"greater", 9, false, true};
    case TokenType::LessOrEquals:
        return {"lessOrEquals", 9, false, true};
    case TokenType::GreaterOrEquals:
        return {"greaterOrEquals", 9, false, true};
    case TokenType::Spaceship:
        return {"isNotDistinctFrom", 9};
    case TokenType::Concat:
        return {"concat", 10, true};
    case TokenType::Plus:
        return {"plus", 11};
    case TokenType::Minus:
        return {"minus", 11};
    case TokenType::Asterisk:
        return {"multiply", 12};
    case TokenType::Slash:
        return {"divide", 12};
    case TokenType::Percent:
        return {"modulo", 12};
    default:
        return {};
    }
}

struct WordOperator
{
    const char* words;
    BinaryOperator binary;
};

// Longer ones first where one begins another.
constexpr WordOperator kWordOperators[] = {
    {"AND", {"and", 4, true}},
    {"OR", {"or", 3, true}},
    {"LIKE", {"like", 9}},
    {"ILIKE", {"ilike", 9}},
    {"IN", {"in", 9}},
    {"REGEXP", {"match", 9}},
    {"DIV", {"intDiv", 12}},
    {"MOD", {"modulo", 12}},
    {"NOT LIKE", {"notLike", 9}},
    {"NOT ILIKE", {"notILike", 9}},
    {"NOT IN", {"notIn", 9}},
    {"GLOBAL NOT IN", {"globalNotIn", 9}},
    {"GLOBAL IN", {"globalIn", 9}},
    {"IS NOT DISTINCT FROM", {"isNotDistinctFrom", 6}},
    {"IS DISTINCT FROM", {"isDistinctFrom", 6}},
};

struct PostfixOperator
{
    const char* words;
    const char* name;
    int literal; // -1: no second argument
};

constexpr PostfixOperator kIsOperators[] = {
    {"IS NULL", "isNull", -1},
    {"IS NOT NULL", "isNotNull", -1},
    {"IS TRUE", "isNotDistinctFrom", 1},
    {"IS NOT TRUE", "isDistinctFrom", 1},
    {"IS FALSE", "isNotDistinctFrom", 0},
    {"IS NOT FALSE", "isDistinctFrom", 0},
    {"IS UNKNOWN", "isNull", -1},
    {"IS NOT UNKNOWN", "isNotNull", -1},
};

// Words that begin an operator, to leave the loop early on any other word.
bool may_begin_operator(std::string_view text)
{
    switch (text.front() | 0x20)
    {
    case 'a': // AND AT
    case 'b': // BETWEEN
    case 'd': // DIV
    case 'g': // GLOBAL
    case 'i': // IN IS ILIKE
    case 'l': // LIKE
    case 'm': // MOD
    case 'n': // NOT
    case 'o': // OR
    case 'r': // REGEXP
        return true;
    default:
        return false;
    }
}

} // namespace

AstPtr Parser::parse_operators(int min_priority)
{
    const DepthGuard guard(*this);
    const size_t begin = mark();

    AstPtr left;
    if (peek_is(TokenType::Minus))
    {
        if (peek_is(TokenType::Number, 1))
            left = parse_operand(); // a negative literal
        else
        {
            advance();
            AstPtr operand = parse_operators(13);
            auto* literal = operand->as<AstLiteral>();
            if (literal != nullptr && !literal->parenthesized && literal->alias.empty() &&
                literal->literal_kind == LiteralKind::Float64 && literal->text.empty())
            {
                // inf and nan
                literal->float_value = -literal->float_value;
                left = finish(std::static_pointer_cast<AstLiteral>(operand), begin);
            }
            else
            {
                auto function = operation("negate");
                function->arguments.push_back(std::move(operand));
                left = finish(std::move(function), begin);
            }
        }
    }
    else if (peek_is(TokenType::Plus))
    {
        advance();
        left = parse_operators(13);
    }
    else if (peek_word("NOT") && !peek_is(TokenType::Dot, 1))
    {
        advance();
        auto function = operation("not");
        function->arguments.push_back(parse_operators(5));
        left = finish(std::move(function), begin);
    }
    else
        left = parse_operand();

    // The AND of a BETWEEN is one value: it does not take part in a chain.
    bool sealed = false;
    while (true)
    {
        const Token& token = peek();
        if (token.type == TokenType::Question)
        {
            if (min_priority > 2)
                return left;
            advance();
            auto function = operation("if");
            function->arguments.push_back(std::move(left));
            function->arguments.push_back(parse_operators(0));
            expect(TokenType::Colon);
            function->arguments.push_back(parse_operators(2));
            left = finish(std::move(function), begin);
            continue;
        }

        if (limits_.postgres && peek_postgres_operator())
        {
            if (min_priority > 9)
                return left;
            left = parse_postgres_operator(std::move(left), begin);
            continue;
        }

        BinaryOperator op;
        size_t length = 1;
        if (token.type == TokenType::Word)
        {
            if (!may_begin_operator(token_text(token)))
            {
                expected("operator");
                return left;
            }
            if (peek_word("BETWEEN") || peek_words("NOT BETWEEN"))
            {
                if (min_priority > 7)
                    return left;
                const bool negated = !accept_word("BETWEEN");
                if (negated)
                    position_ += 2;
                AstPtr low = parse_operators(8);
                expect_word("AND");
                AstPtr high = parse_operators(8);
                copied_nodes_ += count_nodes(*left);
                if (copied_nodes_ > kMaxCopiedNodes)
                    throw Error(error_codes::TOO_BIG_AST, "Too many nested BETWEEN operators");
                AstPtr copy = left->clone();
                copy->alias.clear();
                auto lower = operation(negated ? "less" : "greaterOrEquals");
                lower->arguments = {std::move(left), std::move(low)};
                auto upper = operation(negated ? "greater" : "lessOrEquals");
                upper->arguments = {std::move(copy), std::move(high)};
                auto both = operation(negated ? "or" : "and");
                both->arguments = {finish(std::move(lower), begin),
                                   finish(std::move(upper), begin)};
                left = finish(std::move(both), begin);
                sealed = true;
                continue;
            }
            if (peek_word("IS"))
            {
                const PostfixOperator* found = nullptr;
                for (const PostfixOperator& one : kIsOperators)
                    if (peek_words(one.words))
                        found = &one;
                if (found != nullptr)
                {
                    if (min_priority > 6)
                        return left;
                    accept_word(found->words);
                    auto function = operation(found->name);
                    function->arguments.push_back(std::move(left));
                    if (found->literal >= 0)
                        function->arguments.push_back(AstLiteral::boolean(found->literal == 1));
                    left = finish(std::move(function), begin);
                    continue;
                }
            }
            if (peek_words("AT TIME ZONE"))
            {
                if (min_priority > 13)
                    return left;
                accept_word("AT TIME ZONE");
                auto function = std::make_shared<AstFunction>("toTimeZone");
                function->arguments.push_back(std::move(left));
                function->arguments.push_back(parse_operators(14));
                left = finish(std::move(function), begin);
                continue;
            }
            if (in_partition_follows_ && peek_words("IN PARTITION"))
                return left;
            for (const WordOperator& one : kWordOperators)
            {
                if (peek_words(one.words))
                {
                    op = one.binary;
                    length = 1;
                    for (const char* c = one.words; *c != '\0'; ++c)
                        length += *c == ' ' ? 1 : 0;
                    break;
                }
            }
        }
        else
        {
            op = symbol_operator(token.type);
            if (limits_.postgres_semantics && token.type == TokenType::Slash)
                op.name = "postgresDivide";
        }

        if (op.name == nullptr)
        {
            expected("operator");
            return left;
        }
        if (op.priority < min_priority)
            return left;
        const Token first = token;
        position_ += length;
        if (op.comparison && (peek_word("ANY") || peek_word("ALL") || peek_word("SOME")) &&
            peek_is(TokenType::OpenRound, 1) && peek_subquery(2))
        {
            const bool all = peek_word("ALL");
            advance();
            left = parse_quantified(op.name, all, std::move(left), begin);
            continue;
        }
        if (limits_.postgres && op.comparison &&
            (peek_word("ANY") || peek_word("ALL") || peek_word("SOME")) &&
            peek_is(TokenType::OpenRound, 1))
        {
            const bool all = peek_word("ALL");
            advance();
            left = parse_array_quantified(op.name, all, std::move(left), begin);
            continue;
        }
        AstPtr right = parse_operators(op.priority + 1);
        auto function = operation(op.name);
        auto* chain = left->as<AstFunction>();
        if (op.n_ary && chain != nullptr && chain->is_operator && chain->name == op.name &&
            !chain->parenthesized && chain->alias.empty() && !sealed)
            function = std::static_pointer_cast<AstFunction>(left);
        else
            function->arguments.push_back(std::move(left));
        sealed = false;
        function->arguments.push_back(std::move(right));
        // A long chain of one operator is one node, finished once.
        while (op.n_ary)
        {
            const bool again = first.type == TokenType::Word
                                   ? peek_word(op.priority == 3 ? "OR" : "AND")
                                   : peek_is(first.type);
            if (!again)
                break;
            advance();
            function->arguments.push_back(parse_operators(op.priority + 1));
        }
        left = finish(std::move(function), begin);
    }
}

// x = ANY (subquery) and its kin, in terms of IN and of max and min over the subquery.
AstPtr Parser::parse_quantified(const std::string& name, bool all, AstPtr left, size_t begin)
{
    const size_t at = mark();
    AstPtr subquery = parse_subquery_in_parentheses();
    const bool equality = name == "equals" || name == "notEquals";
    std::string aggregate;
    std::string function_name = name;
    if (equality)
    {
        const bool positive = name == "equals";
        function_name = positive ? "in" : "notIn";
        if (positive == all)
            aggregate = "singleValueOrNull";
    }
    else
    {
        const bool less = name == "less" || name == "lessOrEquals";
        aggregate = less == all ? "min" : "max";
    }
    if (!aggregate.empty())
    {
        auto call = std::make_shared<AstFunction>(aggregate);
        call->arguments.push_back(finish(std::make_shared<AstAsterisk>(), at));
        auto table = std::make_shared<AstTableElement>();
        table->table = std::move(subquery);
        auto select = std::make_shared<AstSelect>();
        select->projection.push_back(finish(std::move(call), at));
        select->from.push_back(finish(std::move(table), at));
        auto select_union = std::make_shared<AstSelectUnion>();
        select_union->selects.push_back(finish(std::move(select), at));
        auto outer = std::make_shared<AstSubquery>();
        outer->query = finish(std::move(select_union), at);
        subquery = finish(std::move(outer), at);
    }
    auto function = operation(function_name);
    function->arguments = {std::move(left), std::move(subquery)};
    return finish(std::move(function), begin);
}

namespace
{

// Words that never are an alias without AS.
constexpr std::string_view kNotBareAliases[] = {
    "ALL",    "AND",      "ANTI",      "ANY",       "ARRAY",    "AS",        "ASOF",
    "BETWEEN", "CROSS",   "DIV",       "EXCEPT",    "FINAL",    "FORMAT",    "FROM",
    "FULL",   "GLOBAL",   "GROUP",     "HAVING",    "ILIKE",    "INNER",     "INTERSECT",
    "INTO",   "JOIN",     "LEFT",      "LIKE",      "LIMIT",    "MOD",       "NATURAL",
    "NOT",    "OFFSET",   "ON",        "ONLY",      "OR",       "ORDER",     "PARALLEL",
    "PASTE",  "PREWHERE", "QUALIFY",   "REGEXP",    "RIGHT",    "SAMPLE",    "SEMI",
    "SETTINGS", "UNION",  "USING",     "WHERE",     "WINDOW",   "WITH",      "ELSE",
    "FETCH",
};

} // namespace

bool Parser::peek_bare_alias()
{
    const Token& token = peek();
    if (token.type == TokenType::QuotedIdentifier)
        return true;
    if (token.type != TokenType::Word)
        return false;
    const std::string_view text = token_text(token);
    if (text.size() > 9)
        return true;
    // AS SELECT 1 COMMENT 'x': the comment of a view.
    if (peek_word("COMMENT") && peek_is(TokenType::String, 1))
        return false;
    for (const std::string_view word : kNotBareAliases)
        if (equals_ignoring_case(text, word))
            return false;
    return true;
}

void Parser::parse_alias(Ast& node, bool bare)
{
    if (!accept_word("AS") && !(bare && peek_bare_alias()))
        return;
    node.alias = parse_identifier();
    node.alias_in_parentheses = false;
}

AstPtr Parser::parse_aliased(bool bare)
{
    AstPtr node = parse_expression();
    parse_alias(*node, bare);
    return node;
}

AstList Parser::parse_expression_list(bool bare_aliases)
{
    AstList list;
    do
        list.push_back(parse_aliased(bare_aliases));
    while (accept(TokenType::Comma));
    return list;
}

} // namespace basalt
