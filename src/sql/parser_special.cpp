// Functions with a syntax of their own.

#include "sql/parser_impl.h"

namespace basalt
{

namespace
{

enum class Special
{
    Cast,
    Extract,
    Substring,
    Overlay,
    Position,
    Trim,
    TrimLeft,
    TrimRight,
    DateAdd,
    DateSub,
    DateDiff,
    None,
};

struct SpecialName
{
    std::string_view name;
    Special special;
};

constexpr SpecialName kSpecialNames[] = {
    {"CAST", Special::Cast},
    {"EXTRACT", Special::Extract},
    {"SUBSTRING", Special::Substring},
    {"OVERLAY", Special::Overlay},
    {"POSITION", Special::Position},
    {"TRIM", Special::Trim},
    {"LTRIM", Special::TrimLeft},
    {"RTRIM", Special::TrimRight},
    {"DATE_ADD", Special::DateAdd},
    {"DATEADD", Special::DateAdd},
    {"TIMESTAMP_ADD", Special::DateAdd},
    {"TIMESTAMPADD", Special::DateAdd},
    {"DATE_SUB", Special::DateSub},
    {"DATESUB", Special::DateSub},
    {"TIMESTAMP_SUB", Special::DateSub},
    {"TIMESTAMPSUB", Special::DateSub},
    {"DATE_DIFF", Special::DateDiff},
    {"DATEDIFF", Special::DateDiff},
    {"TIMESTAMP_DIFF", Special::DateDiff},
    {"TIMESTAMPDIFF", Special::DateDiff},
};

Special find_special(std::string_view name)
{
    if (name.size() < 4 || name.size() > 14)
        return Special::None;
    for (const SpecialName& one : kSpecialNames)
        if (equals_ignoring_case(name, one.name))
            return one.special;
    return Special::None;
}

struct ExtractPart
{
    std::string_view word;
    const char* function;
};

constexpr ExtractPart kExtractParts[] = {
    {"EPOCH", "toUnixTimestamp"}, {"DOW", "toDayOfWeek"},    {"DOY", "toDayOfYear"},
    {"ISODOW", "toDayOfWeek"},    {"ISOYEAR", "toISOYear"},
};

const char* extract_function(std::string_view unit)
{
    if (unit == "Day")
        return "toDayOfMonth";
    if (unit == "Week")
        return "toISOWeek";
    return nullptr;
}

} // namespace

AstPtr Parser::parse_special_function(const std::string& name, size_t begin)
{
    const Special special = find_special(name);
    if (special == Special::None)
        return nullptr;
    auto function = std::make_shared<AstFunction>(name);
    AstList& arguments = function->arguments;
    std::string unit;

    switch (special)
    {
    case Special::Cast:
        advance();
        function->name = "CAST";
        arguments.push_back(parse_expression());
        if (accept_word("AS"))
        {
            // CAST(x AS y AS T): the first AS names x.
            if (peek_identifier() && peek_word("AS", 1))
            {
                arguments.back()->alias = parse_identifier();
                advance();
            }
            const size_t at = mark();
            if (limits_.postgres)
                if (AstPtr cast = parse_postgres_cast(arguments.back(), begin))
                {
                    expect(TokenType::CloseRound);
                    return cast;
                }
            AstPtr type = parse_type();
            arguments.push_back(
                finish(AstLiteral::string(type->as<AstTypeName>()->to_text()), at));
        }
        else
        {
            parse_alias(*arguments.back(), true);
            expect(TokenType::Comma);
            arguments.push_back(parse_aliased());
        }
        expect(TokenType::CloseRound);
        break;

    case Special::Extract:
    {
        if (!peek_is(TokenType::Word, 1) || !peek_word("FROM", 2))
            return nullptr;
        advance();
        const std::string word = to_upper(token_text(peek()));
        const char* target = nullptr;
        for (const ExtractPart& one : kExtractParts)
            if (word == one.word)
                target = one.function;
        if (target != nullptr)
            function->name = target;
        else if (peek_interval_unit(unit) && unit != "Nanosecond")
        {
            target = extract_function(unit);
            function->name = target != nullptr ? target : "to" + unit;
        }
        else if (word == "CENTURY" || word == "DECADE" || word == "MILLENNIUM")
            not_implemented("EXTRACT(" + word + " FROM ...)");
        else
            fail("interval kind");
        position_ += 2;
        arguments.push_back(parse_expression());
        if (word == "DOW")
            arguments.push_back(AstLiteral::unsigned_number(2));
        expect(TokenType::CloseRound);
        break;
    }

    case Special::Substring:
    case Special::Overlay:
        advance();
        function->name = special == Special::Substring ? "substring" : "overlay";
        arguments.push_back(parse_aliased(false));
        if (special == Special::Overlay && accept_word("PLACING"))
        {
            arguments.push_back(parse_expression());
            expect_word("FROM");
            arguments.push_back(parse_expression());
        }
        else if (special == Special::Substring && accept_word("FROM"))
            arguments.push_back(parse_expression());
        else
        {
            parse_alias(*arguments.back(), true);
            while (accept(TokenType::Comma))
                arguments.push_back(parse_aliased());
            expect(TokenType::CloseRound);
            break;
        }
        if (accept_word("FOR"))
            arguments.push_back(parse_expression());
        expect(TokenType::CloseRound);
        break;

    case Special::Position:
    {
        advance();
        function->name = "position";
        parse_function_arguments(*function);
        auto* in = arguments.size() == 1 ? arguments.front()->as<AstFunction>() : nullptr;
        if (in != nullptr && in->name == "in" && in->is_operator && !in->parenthesized)
        {
            AstPtr needle = in->arguments[0];
            AstPtr haystack = in->arguments[1];
            arguments = {std::move(haystack), std::move(needle)};
        }
        break;
    }

    case Special::Trim:
    case Special::TrimLeft:
    case Special::TrimRight:
    {
        advance();
        function->name = special == Special::Trim       ? "trimBoth"
                         : special == Special::TrimLeft ? "trimLeft"
                                                        : "trimRight";
        if (special == Special::Trim && peek_is(TokenType::Word) &&
            (peek_word("BOTH") || peek_word("LEADING") || peek_word("TRAILING")) &&
            !peek_is(TokenType::CloseRound, 1) && !peek_is(TokenType::Comma, 1))
        {
            if (accept_word("LEADING"))
                function->name = "trimLeft";
            else if (accept_word("TRAILING"))
                function->name = "trimRight";
            else
                expect_word("BOTH");
            AstPtr characters = parse_expression();
            expect_word("FROM");
            arguments = {parse_expression(), std::move(characters)};
            expect(TokenType::CloseRound);
            break;
        }
        parse_function_arguments(*function);
        break;
    }

    case Special::DateAdd:
    case Special::DateSub:
        advance();
        function->name = special == Special::DateAdd ? "plus" : "minus";
        if (peek_interval_unit(unit) && peek_is(TokenType::Comma, 1))
        {
            position_ += 2;
            const size_t at = mark();
            auto interval = std::make_shared<AstFunction>("toInterval" + unit);
            interval->arguments.push_back(parse_aliased());
            AstPtr amount = finish(std::move(interval), at);
            expect(TokenType::Comma);
            arguments = {parse_aliased(), std::move(amount)};
            expect(TokenType::CloseRound);
        }
        else
            parse_function_arguments(*function);
        break;

    case Special::DateDiff:
        advance();
        function->name = "dateDiff";
        if (peek_interval_unit(unit) && peek_is(TokenType::Comma, 1))
        {
            const size_t at = mark();
            position_ += 1;
            for (char& c : unit)
                c = static_cast<char>(c | 0x20);
            AstPtr literal = finish(AstLiteral::string(unit), at);
            expect(TokenType::Comma);
            parse_function_arguments(*function);
            arguments.insert(arguments.begin(), std::move(literal));
        }
        else
            parse_function_arguments(*function);
        break;

    default:
        return nullptr;
    }
    return finish(std::move(function), begin);
}

} // namespace basalt
