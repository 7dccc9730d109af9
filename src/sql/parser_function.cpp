// Names and calls: identifiers, function calls with their suffixes, and the functions that have a
// syntax of their own (CAST, EXTRACT, TRIM, DATE_ADD and so on).

#include "base/error.h"
#include "sql/parser_impl.h"

#include <algorithm>
#include <limits>

namespace basalt
{

namespace
{

AstPtr number_ast(int64_t value)
{
    return AstLiteral::signed_number(value);
}

struct UnitName
{
    std::string_view word;
    const char* unit;
};

constexpr UnitName kUnits[] = {
    {"NANOSECOND", "Nanosecond"},   {"NANOSECONDS", "Nanosecond"},
    {"SQL_TSI_NANOSECOND", "Nanosecond"}, {"NS", "Nanosecond"},
    {"MICROSECOND", "Microsecond"}, {"MICROSECONDS", "Microsecond"},
    {"SQL_TSI_MICROSECOND", "Microsecond"}, {"US", "Microsecond"},
    {"MILLISECOND", "Millisecond"}, {"MILLISECONDS", "Millisecond"},
    {"SQL_TSI_MILLISECOND", "Millisecond"}, {"MS", "Millisecond"},
    {"SECOND", "Second"},           {"SECONDS", "Second"},
    {"SQL_TSI_SECOND", "Second"},   {"SS", "Second"},
    {"S", "Second"},                {"MINUTE", "Minute"},
    {"MINUTES", "Minute"},          {"SQL_TSI_MINUTE", "Minute"},
    {"MI", "Minute"},               {"N", "Minute"},
    {"HOUR", "Hour"},               {"HOURS", "Hour"},
    {"SQL_TSI_HOUR", "Hour"},       {"HH", "Hour"},
    {"H", "Hour"},                  {"DAY", "Day"},
    {"DAYS", "Day"},                {"SQL_TSI_DAY", "Day"},
    {"DD", "Day"},                  {"D", "Day"},
    {"WEEK", "Week"},               {"WEEKS", "Week"},
    {"SQL_TSI_WEEK", "Week"},       {"WW", "Week"},
    {"WK", "Week"},                 {"MONTH", "Month"},
    {"MONTHS", "Month"},            {"SQL_TSI_MONTH", "Month"},
    {"MM", "Month"},                {"M", "Month"},
    {"QUARTER", "Quarter"},         {"QUARTERS", "Quarter"},
    {"SQL_TSI_QUARTER", "Quarter"}, {"QQ", "Quarter"},
    {"Q", "Quarter"},               {"YEAR", "Year"},
    {"YEARS", "Year"},              {"SQL_TSI_YEAR", "Year"},
    {"YYYY", "Year"},               {"YY", "Year"},
};

const char* find_unit(std::string_view word)
{
    for (const UnitName& one : kUnits)
        if (equals_ignoring_case(word, one.word))
            return one.unit;
    return nullptr;
}

} // namespace

bool Parser::peek_interval_unit(std::string& unit, size_t ahead)
{
    const Token& token = peek(ahead);
    const char* found =
        token.type == TokenType::Word ? find_unit(token_text(token)) : nullptr;
    if (found != nullptr)
        unit = found;
    return found != nullptr;
}

// INTERVAL 1 DAY, INTERVAL '1' DAY, INTERVAL '1 day 2 hours'; null when the word INTERVAL turns
// out to be a name.
AstPtr Parser::parse_interval()
{
    const size_t begin = mark();
    advance();
    std::string unit;
    if (peek_is(TokenType::String) && !peek_interval_unit(unit, 1))
    {
        const size_t at = mark();
        const std::string text = parse_string();
        auto tuple = std::make_shared<AstFunction>("tuple");
        tuple->is_operator = true;
        size_t p = 0;
        const auto skip = [&]
        {
            while (p < text.size() && text[p] == ' ')
                ++p;
        };
        for (skip(); p < text.size(); skip())
        {
            const size_t number_begin = p;
            p += text[p] == '-' ? 1 : 0;
            while (p < text.size() && text[p] >= '0' && text[p] <= '9')
                ++p;
            const std::string digits = text.substr(number_begin, p - number_begin);
            skip();
            const size_t unit_begin = p;
            while (p < text.size() && is_word_character(text[p]))
                ++p;
            const char* name = find_unit(std::string_view(text).substr(unit_begin, p - unit_begin));
            if (digits.empty() || digits == "-" || digits.size() > 18 || name == nullptr)
            {
                position_ = at;
                fail("interval such as '1 day 2 hours'");
            }
            auto part = make_ast_function(std::string("toInterval") + name,
                                          number_ast(std::stoll(digits)));
            tuple->arguments.push_back(finish(std::move(part), at));
        }
        if (tuple->arguments.empty())
        {
            position_ = at;
            fail("interval such as '1 day 2 hours'");
        }
        if (tuple->arguments.size() == 1)
            return tuple->arguments.front();
        return finish(std::move(tuple), begin);
    }
    AstPtr amount = parse_expression();
    if (!peek_interval_unit(unit))
    {
        expected("interval kind");
        interval_names_.push_back(begin);
        rewind(begin);
        return nullptr;
    }
    advance();
    auto function = std::make_shared<AstFunction>("toInterval" + unit);
    function->arguments.push_back(std::move(amount));
    return finish(std::move(function), begin);
}

AstPtr Parser::parse_case()
{
    const size_t begin = mark();
    advance();
    auto function = std::make_shared<AstFunction>();
    const bool with_expression = !peek_word("WHEN");
    function->name = with_expression ? "caseWithExpression" : "multiIf";
    if (with_expression)
        function->arguments.push_back(parse_expression());
    do
    {
        expect_word("WHEN");
        function->arguments.push_back(parse_expression());
        expect_word("THEN");
        function->arguments.push_back(parse_expression());
    } while (peek_word("WHEN"));
    if (accept_word("ELSE"))
        function->arguments.push_back(parse_expression());
    else
        function->arguments.push_back(finish(AstLiteral::null(), mark()));
    expect_word("END");
    return finish(std::move(function), begin);
}

// A bare word where an operand stands: a literal word, a syntax of its own, or a name.
AstPtr Parser::parse_word_operand()
{
    const size_t begin = mark();
    const std::string_view word = token_text(peek());
    const TokenType next = peek(1).type;
    const char first = static_cast<char>(word.front() | 0x20);
    const auto is = [&](std::string_view upper) { return equals_ignoring_case(word, upper); };
    const bool literal_place = next != TokenType::OpenRound && next != TokenType::Dot;
    const auto literal = [&](std::shared_ptr<AstLiteral> value)
    {
        advance();
        return finish(std::move(value), begin);
    };
    switch (first)
    {
    case 'n':
        if (literal_place && is("NULL"))
            return literal(AstLiteral::null());
        if (literal_place && is("NAN"))
            return literal(AstLiteral::floating(std::numeric_limits<double>::quiet_NaN()));
        break;
    case 't':
        if (literal_place && is("TRUE"))
            return literal(AstLiteral::boolean(true));
        if (next == TokenType::String && is("TIMESTAMP"))
        {
            advance();
            return finish(make_ast_function("toDateTime", parse_string_literal()), begin);
        }
        break;
    case 'f':
        if (literal_place && is("FALSE"))
            return literal(AstLiteral::boolean(false));
        break;
    case 'i':
        if (literal_place && (is("INF") || is("INFINITY")))
            return literal(AstLiteral::floating(std::numeric_limits<double>::infinity()));
        if (is("INTERVAL") &&
            (next == TokenType::Number || next == TokenType::String ||
             next == TokenType::OpenRound || next == TokenType::OpenCurly ||
             next == TokenType::Minus || next == TokenType::QuotedIdentifier ||
             next == TokenType::Word))
        {
            advance();
            const bool name = peek_is(TokenType::Word) &&
                              (!peek_bare_alias() || peek_word("IS") || peek_word("IN") ||
                               peek_word("ASC") || peek_word("DESC") || peek_word("NULLS"));
            --position_;
            const bool known_name = std::find(interval_names_.begin(), interval_names_.end(),
                                              begin) != interval_names_.end();
            if (!name && !known_name)
            {
                if (AstPtr interval = parse_interval())
                    return interval;
            }
        }
        break;
    case 'd':
        if (next == TokenType::String && is("DATE"))
        {
            advance();
            return finish(make_ast_function("toDate", parse_string_literal()), begin);
        }
        break;
    case 'c':
        if (is("CASE") && (next == TokenType::Word || next == TokenType::Number ||
                           next == TokenType::String || next == TokenType::QuotedIdentifier ||
                           next == TokenType::OpenRound || next == TokenType::OpenSquare ||
                           next == TokenType::OpenCurly))
        {
            advance();
            const bool name = peek_word("AS") || peek_word("FROM") || peek_word("IS") ||
                              peek_word("IN") || peek_word("AND") || peek_word("OR");
            --position_;
            if (!name)
                return parse_case();
        }
        break;
    default:
        break;
    }
    return parse_name_operand();
}

AstPtr Parser::parse_name_operand()
{
    const size_t begin = mark();
    if (peek_word("COLUMNS") && peek_is(TokenType::OpenRound, 1))
        return parse_columns_matcher({}, begin);
    auto identifier = std::make_shared<AstIdentifier>();
    identifier->parts.push_back(parse_identifier());
    while (true)
    {
        if (peek_is(TokenType::OpenSquare) && peek_is(TokenType::CloseSquare, 1) )
        {
            // json.a[]: the array of JSON objects there.
            std::string type = "JSON";
            while (peek_is(TokenType::OpenSquare) && peek_is(TokenType::CloseSquare, 1))
            {
                position_ += 2;
                type = "Array(" + type + ")";
            }
            identifier->parts.push_back(":`" + type + "`");
            continue;
        }
        if (!peek_is(TokenType::Dot))
            break;
        if (peek_identifier(1))
        {
            advance();
            if (peek_word("COLUMNS") && peek_is(TokenType::OpenRound, 1))
                return parse_columns_matcher(std::move(identifier->parts), begin);
            identifier->parts.push_back(parse_identifier());
        }
        else if (peek_is(TokenType::Asterisk, 1))
        {
            advance();
            return parse_asterisk(std::move(identifier->parts), begin);
        }
        else if (peek_is(TokenType::Caret, 1))
        {
            position_ += 2;
            identifier->parts.push_back("^`" + parse_identifier() + "`");
        }
        else if (peek_is(TokenType::Colon, 1))
        {
            position_ += 2;
            const std::string type = peek_is(TokenType::QuotedIdentifier)
                                         ? parse_identifier()
                                         : parse_type()->as<AstTypeName>()->to_text();
            identifier->parts.push_back(":`" + type + "`");
        }
        else
            break;
    }
    if (peek_is(TokenType::OpenRound))
    {
        if (!limits_.postgres)
            return parse_function(identifier->full_name(), begin);
        if (identifier->parts.size() == 2 && (identifier->parts[0] == "pg_catalog" ||
                                              identifier->parts[0] == "information_schema"))
            identifier->parts.erase(identifier->parts.begin());
        return finish_postgres_call(parse_function(identifier->full_name(), begin), begin);
    }
    return finish(std::move(identifier), begin);
}

void Parser::parse_function_arguments(AstFunction& function)
{
    // After '('; consumes ')'.
    if (peek_subquery(0))
    {
        const size_t begin = mark();
        auto subquery = std::make_shared<AstSubquery>();
        subquery->query = parse_select_union();
        function.arguments.push_back(finish(std::move(subquery), begin));
        expect(TokenType::CloseRound);
        return;
    }
    // f(x, y -> e): the names in front of the arrow are all its parameters.
    size_t ahead = 0;
    while (peek_identifier(ahead) && peek_is(TokenType::Comma, ahead + 1))
        ahead += 2;
    if (ahead > 0 && peek_identifier(ahead) && peek_is(TokenType::Arrow, ahead + 1))
    {
        const size_t begin = mark();
        auto lambda = std::make_shared<AstLambda>();
        do
            lambda->parameters.push_back(parse_identifier());
        while (accept(TokenType::Comma));
        expect(TokenType::Arrow);
        lambda->body = parse_expression();
        function.arguments.push_back(finish(std::move(lambda), begin));
        if (!accept(TokenType::Comma))
        {
            expect(TokenType::CloseRound);
            return;
        }
    }
    while (!accept(TokenType::CloseRound))
    {
        if (peek_word("SETTINGS") && peek_is(TokenType::Word, 1) && peek_is(TokenType::Equals, 2))
        {
            advance();
            function.settings = parse_settings();
            expect(TokenType::CloseRound);
            return;
        }
        function.arguments.push_back(parse_aliased());
        if (!accept(TokenType::Comma))
        {
            expect(TokenType::CloseRound);
            return;
        }
        if (peek_is(TokenType::CloseRound))
            fail("expression");
    }
}

AstPtr Parser::parse_function(std::string name, size_t begin)
{
    const DepthGuard guard(*this);
    if (AstPtr special = parse_special_function(name, begin))
        return special;
    auto function = std::make_shared<AstFunction>(std::move(name));
    expect(TokenType::OpenRound);
    bool distinct = false;
    const auto parse_quantifier = [&]
    {
        const auto begins_operand = [&]
        {
            const TokenType type = peek(1).type;
            return type == TokenType::Word || type == TokenType::QuotedIdentifier ||
                   type == TokenType::Number || type == TokenType::String ||
                   type == TokenType::OpenRound || type == TokenType::OpenSquare ||
                   type == TokenType::OpenCurly;
        };
        if (peek_word("DISTINCT") && (begins_operand() || peek_is(TokenType::Asterisk, 1) ||
                                      peek_is(TokenType::Minus, 1)))
        {
            advance();
            distinct = true;
        }
        else if (peek_word("ALL") && begins_operand() && !peek_is(TokenType::OpenSquare, 1))
            advance();
    };
    parse_quantifier();
    parse_function_arguments(*function);
    if (!distinct && peek_is(TokenType::OpenRound))
    {
        advance();
        function->has_parameters = true;
        function->parameters = std::move(function->arguments);
        function->arguments.clear();
        parse_quantifier();
        parse_function_arguments(*function);
    }
    if (distinct)
        function->name += "Distinct";
    if (function->arguments.size() == 1 && function->arguments[0]->kind == AstKind::Subquery &&
        equals_ignoring_case(function->name, "exists"))
        function->name = "exists";
    parse_function_suffix(*function);
    return finish(std::move(function), begin);
}

void Parser::parse_function_suffix(AstFunction& function)
{
    const auto parse_nulls_action = [&]
    {
        if (peek_words("IGNORE NULLS"))
            function.nulls_action = NullsAction::IgnoreNulls;
        else if (peek_words("RESPECT NULLS"))
            function.nulls_action = NullsAction::RespectNulls;
        else
            return;
        position_ += 2;
    };
    parse_nulls_action();
    if (peek_word("FILTER") && peek_is(TokenType::OpenRound, 1))
    {
        position_ += 2;
        expect_word("WHERE");
        if (function.name == "count" && function.arguments.size() == 1 &&
            function.arguments[0]->kind == AstKind::Asterisk)
            function.arguments.clear();
        function.name += "If";
        function.arguments.push_back(parse_expression());
        expect(TokenType::CloseRound);
        if (function.nulls_action == NullsAction::None)
            parse_nulls_action();
    }
    if (peek_word("OVER") && (peek_is(TokenType::OpenRound, 1) || peek_identifier(1)))
    {
        advance();
        function.is_window = true;
        if (peek_is(TokenType::OpenRound))
            function.window = parse_window_definition();
        else
            function.window_name = parse_identifier();
    }
}

// ([parent] [PARTITION BY ..] [ORDER BY ..] [ROWS | RANGE | GROUPS frame])
AstPtr Parser::parse_window_definition()
{
    const size_t begin = mark();
    expect(TokenType::OpenRound);
    auto window = std::make_shared<AstWindowDefinition>();
    if (peek_identifier() && !peek_words("PARTITION BY") && !peek_words("ORDER BY") &&
        !peek_word("ROWS") && !peek_word("RANGE") && !peek_word("GROUPS"))
        window->parent = parse_identifier();
    if (accept_word("PARTITION BY"))
        window->partition_by = parse_expression_list();
    if (accept_word("ORDER BY"))
        window->order_by = parse_order_by_list(false);

    const auto parse_bound = [&](FrameBound& bound, AstPtr& offset, bool is_begin)
    {
        if (accept_word("CURRENT ROW"))
        {
            bound = FrameBound::CurrentRow;
            return;
        }
        const bool unbounded = accept_word("UNBOUNDED");
        if (!unbounded)
            offset = parse_expression();
        if (accept_word("PRECEDING"))
            bound = unbounded ? FrameBound::UnboundedPreceding : FrameBound::Preceding;
        else
        {
            expect_word("FOLLOWING");
            bound = unbounded ? FrameBound::UnboundedFollowing : FrameBound::Following;
        }
        if ((is_begin && bound == FrameBound::UnboundedFollowing) ||
            (!is_begin && bound == FrameBound::UnboundedPreceding))
            throw Error(error_codes::BAD_ARGUMENTS,
                        is_begin ? "A window frame cannot begin at UNBOUNDED FOLLOWING"
                                 : "A window frame cannot end at UNBOUNDED PRECEDING");
    };
    const bool rows = accept_word("ROWS");
    const bool groups = !rows && accept_word("GROUPS");
    if (rows || groups || accept_word("RANGE"))
    {
        window->has_frame = true;
        window->frame = rows ? FrameKind::Rows : groups ? FrameKind::Groups : FrameKind::Range;
        if (accept_word("BETWEEN"))
        {
            parse_bound(window->frame_begin, window->begin_offset, true);
            expect_word("AND");
            parse_bound(window->frame_end, window->end_offset, false);
        }
        else
            parse_bound(window->frame_begin, window->begin_offset, true);
    }
    expect(TokenType::CloseRound);
    return finish(std::move(window), begin);
}

} // namespace basalt
