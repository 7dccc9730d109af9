#include "formats/guess.h"

#include "columns/date_text.h"
#include "columns/serialization.h"
#include "columns/string_text.h"
#include "columns/timezone.h"

#include <algorithm>
#include <charconv>
#include <cmath>

namespace basalt
{

namespace
{

using Kind = Guess::Kind;

bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

size_t digits_at(std::string_view text, size_t at)
{
    size_t count = 0;
    while (at + count < text.size() && is_digit(text[at + count]))
        ++count;
    return count;
}

// "2020-01-31", "2020/1/31": bytes of it, 0 when the text does not begin so.
size_t plain_date_bytes(std::string_view text)
{
    if (digits_at(text, 0) != 4 || text.size() < 8 || (text[4] != '-' && text[4] != '/'))
        return 0;
    const size_t month = digits_at(text, 5);
    if (month < 1 || month > 2 || 5 + month >= text.size() || text[5 + month] != text[4])
        return 0;
    const size_t day = digits_at(text, 6 + month);
    if (day < 1 || day > 2)
        return 0;
    const int m = std::atoi(std::string(text.substr(5, month)).c_str());
    const int d = std::atoi(std::string(text.substr(6 + month, day)).c_str());
    return m >= 1 && m <= 12 && d >= 1 && d <= 31 ? 6 + month + day : 0;
}

constexpr int64_t kDaySeconds = 86400;
constexpr int64_t kLastDay = 65535, kLastSecond = 4294967295;

bool has_four_digits_together(std::string_view text)
{
    for (size_t i = 0; i < text.size();)
    {
        const size_t count = digits_at(text, i);
        if (count == 4)
            return true;
        i += std::max<size_t>(count, 1);
    }
    return false;
}

// Text that a person would take for a moment: with a year of four digits, and a day.
bool looks_like_moment(std::string_view text)
{
    if (text.size() < 8 || text.size() > 40 || !has_four_digits_together(text))
        return false;
    if (plain_date_bytes(text))
        return true;
    size_t letters = 0, slashes = 0, numbers = 0;
    for (size_t i = 0; i < text.size(); ++i)
    {
        const char c = text[i];
        letters += (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
        slashes += c == '/';
        numbers += is_digit(c) && (i == 0 || !is_digit(text[i - 1]));
    }
    // "01/02/2020", "1 Jan 2020": a month by its name or place.
    return (is_digit(text[0]) && slashes == 2) || (letters >= 3 && numbers >= 2);
}

Kind moment_kind(std::string_view text, const GuessRules& rules)
{
    if (!looks_like_moment(text))
        return Kind::String;
    TextCursor cursor(text, true);
    DateTimeParts parts;
    if (plain_date_bytes(text) == text.size())
    {
        int32_t days = 0;
        if (!parse_date(cursor, -1, days) || !cursor.at_end())
            return Kind::String;
        if (rules.dates && days >= 0 && days <= kLastDay)
            return Kind::Date;
        if (!rules.datetimes)
            return Kind::String;
        return days >= 0 && days * kDaySeconds <= kLastSecond ? Kind::DateTime : Kind::DateTime64;
    }
    if (!parse_date_time_best_effort(cursor, true, utc(), false, parts) ||
        !cursor.at_end())
        return Kind::String;
    if (!rules.datetimes)
        return Kind::String;
    if (parts.fraction_digits > 0 || parts.unix_s < 0 || parts.unix_s > kLastSecond)
        return Kind::DateTime64;
    return Kind::DateTime;
}

bool equal_without_case(std::string_view a, std::string_view b)
{
    return a.size() == b.size() && std::equal(a.begin(), a.end(), b.begin(), [](char x, char y)
                                              { return (x >= 'A' && x <= 'Z' ? x + 32 : x) == y; });
}

// The number that all of the text is; String when it is none.
Kind number_kind(std::string_view text, const GuessRules& rules, bool json)
{
    size_t at = !text.empty() && (text[0] == '-' || (text[0] == '+' && !json));
    const bool negative = at && text[0] == '-';
    const size_t whole = digits_at(text, at);
    size_t end = at + whole, fraction = 0;
    bool is_float = false;
    if (end < text.size() && text[end] == '.')
    {
        is_float = true;
        fraction = digits_at(text, end + 1);
        end += 1 + fraction;
    }
    if (whole + fraction == 0)
        return Kind::String;
    if (end < text.size() && (text[end] == 'e' || text[end] == 'E'))
    {
        if (!rules.exponents && !json)
            return Kind::String;
        is_float = true;
        ++end;
        if (end < text.size() && (text[end] == '-' || text[end] == '+'))
            ++end;
        const size_t exponent = digits_at(text, end);
        if (exponent == 0)
            return Kind::String;
        end += exponent;
    }
    if (end != text.size())
        return Kind::String;
    if (is_float || !rules.integers)
        return Kind::Float;
    const char* const digits = text.data() + at;
    uint64_t value = 0;
    if (std::from_chars(digits, text.data() + text.size(), value).ec != std::errc())
        return negative ? Kind::String : Kind::Float;
    constexpr uint64_t kMostNegative = 1ull << 63;
    if (negative)
        return value <= kMostNegative ? Kind::Int : Kind::String;
    return value < kMostNegative ? Kind::Int : Kind::UInt;
}

// A value of an array, tuple or map as its text form has it; false when it is none.
bool guess_item(TextCursor& cursor, const GuessRules& rules, Guess& guess, size_t depth);

bool guess_items(TextCursor& cursor, char close, const GuessRules& rules,
                 std::vector<Guess>& items, size_t depth)
{
    cursor.skip_spaces();
    if (cursor.skip(close))
        return true;
    for (;;)
    {
        Guess item;
        if (!guess_item(cursor, rules, item, depth))
            return false;
        items.push_back(std::move(item));
        cursor.skip_spaces();
        if (cursor.skip(close))
            return true;
        if (!cursor.skip(','))
            return false;
    }
}

bool unite_all(const std::vector<Guess>& items, Guess& into)
{
    for (const Guess& item : items)
        if (!unite_fields(into, item))
            return false;
    return true;
}

bool guess_map(TextCursor& cursor, const GuessRules& rules, Guess& guess, size_t depth)
{
    guess = {Kind::Map, {Guess(), Guess()}};
    cursor.skip_spaces();
    if (cursor.skip('}'))
        return true;
    for (;;)
    {
        Guess key, value;
        if (!guess_item(cursor, rules, key, depth))
            return false;
        cursor.skip_spaces();
        if (!cursor.skip(':') || !guess_item(cursor, rules, value, depth) ||
            !unite_fields(guess.parts[0], key) || !unite_fields(guess.parts[1], value))
            return false;
        cursor.skip_spaces();
        if (cursor.skip('}'))
            return true;
        if (!cursor.skip(','))
            return false;
    }
}

bool guess_item(TextCursor& cursor, const GuessRules& rules, Guess& guess, size_t depth)
{
    cursor.skip_spaces();
    if (depth > kMaxGuessDepth || cursor.at_end())
        return false;
    std::vector<Guess> items;
    switch (*cursor.pos)
    {
    case '\'':
    {
        PodVector<char> text;
        if (!parse_quoted(cursor, text))
            return false;
        guess = guess_text({text.data(), text.size()}, rules);
        return true;
    }
    case '[':
        ++cursor.pos;
        guess = {Kind::Array, {Guess()}};
        return guess_items(cursor, ']', rules, items, depth + 1) &&
               unite_all(items, guess.parts[0]);
    case '(':
        ++cursor.pos;
        guess = {Kind::Tuple};
        return guess_items(cursor, ')', rules, guess.parts, depth + 1) && !guess.parts.empty();
    case '{':
        ++cursor.pos;
        return guess_map(cursor, rules, guess, depth + 1);
    default:
        break;
    }
    const size_t size =
        std::min(cursor.rest().find_first_of(",]):} \t\n"), cursor.left());
    const std::string_view word = cursor.rest().substr(0, size);
    cursor.pos += size;
    if (equal_without_case(word, "null"))
        guess = {};
    else if (equal_without_case(word, "true") || equal_without_case(word, "false"))
        guess = {Kind::Bool};
    else
        guess = {equal_without_case(word, "nan") ? Kind::Float : number_kind(word, rules, false)};
    return guess.kind != Kind::String;
}

bool has_nothing(const Guess& guess)
{
    return guess.kind == Kind::Nothing ||
           std::any_of(guess.parts.begin(), guess.parts.end(), has_nothing);
}

bool is_number(Kind kind)
{
    return kind == Kind::Int || kind == Kind::UInt || kind == Kind::Float;
}

bool is_moment(Kind kind)
{
    return kind == Kind::Date || kind == Kind::DateTime || kind == Kind::DateTime64;
}

bool is_scalar(Kind kind)
{
    return kind < Kind::Array;
}

// Numbers with numbers, moments with moments, moments with text.
bool unite_scalars(Guess& into, const Guess& other)
{
    if ((is_number(into.kind) && is_number(other.kind)) ||
        (is_moment(into.kind) && is_moment(other.kind)))
    {
        into.kind = std::max(into.kind, other.kind);
        return true;
    }
    if ((is_moment(into.kind) && other.kind == Kind::String) ||
        (is_moment(other.kind) && into.kind == Kind::String))
    {
        into.kind = Kind::String;
        return true;
    }
    return false;
}

} // namespace

GuessRules GuessRules::from(const Settings& settings)
{
    GuessRules rules;
    rules.integers = settings.get_bool("input_format_try_infer_integers");
    rules.dates = settings.get_bool("input_format_try_infer_dates");
    rules.datetimes = settings.get_bool("input_format_try_infer_datetimes");
    rules.exponents = settings.get_bool("input_format_try_infer_exponent_floats");
    return rules;
}

Guess guess_text(std::string_view text, const GuessRules& rules)
{
    return {moment_kind(text, rules)};
}

Guess guess_field(std::string_view text, const GuessRules& rules, bool tab_separated)
{
    if (text.empty())
        return {};
    if (equal_without_case(text, "true") || equal_without_case(text, "false"))
        return {Kind::Bool};
    if (equal_without_case(text, "nan") || (!tab_separated && equal_without_case(text, "inf")))
        return {Kind::Float};
    if (const Kind kind = number_kind(text, rules, false); kind != Kind::String)
        return {kind};
    if (text[0] == '[' || text[0] == '{' || (text[0] == '(' && tab_separated))
    {
        TextCursor cursor(text, true);
        Guess guess;
        // What holds nothing, or NULLs alone, tells no type.
        if (guess_item(cursor, rules, guess, 0) && cursor.at_end() && !has_nothing(guess))
            return guess;
        return {Kind::String};
    }
    return guess_text(text, rules);
}

bool guess_json(TextCursor& cursor, const GuessRules& rules, Guess& guess, size_t depth)
{
    cursor.skip_spaces();
    if (depth > kMaxGuessDepth)
        return cursor.fail(error_codes::INCORRECT_DATA, "The value is nested too deeply");
    if (cursor.at_end())
        return cursor.fail_end();
    const auto next = [&](char close)
    {
        cursor.skip_spaces();
        return cursor.skip(',') || (cursor.peek() == close ? false : cursor.expect(','));
    };
    switch (*cursor.pos)
    {
    case '"':
    {
        PodVector<char> text;
        if (!parse_json_string(cursor, text))
            return false;
        guess = guess_text({text.data(), text.size()}, rules);
        return true;
    }
    case '[':
        ++cursor.pos;
        guess = {Kind::Array, {Guess()}};
        cursor.skip_spaces();
        if (cursor.skip(']'))
            return true;
        do
        {
            Guess item;
            if (!guess_json(cursor, rules, item, depth + 1))
                return false;
            if (!unite_json(guess.parts[0], item, false))
                return cursor.fail(error_codes::TYPE_MISMATCH,
                                   "An array of values of different types needs the type Dynamic, "
                                   "which is not implemented");
        } while (next(']'));
        return cursor.code == 0 && cursor.expect(']');
    case '{':
        ++cursor.pos;
        guess = {Kind::Named};
        cursor.skip_spaces();
        if (cursor.skip('}'))
            return true;
        do
        {
            cursor.skip_spaces();
            PodVector<char> name;
            if (!parse_json_string(cursor, name))
                return false;
            cursor.skip_spaces();
            Guess value;
            if (!cursor.expect(':') || !guess_json(cursor, rules, value, depth + 1))
                return false;
            Guess one{Kind::Named, {std::move(value)}, {std::string(name.data(), name.size())}};
            if (!unite_json(guess, one, false))
                return cursor.fail(error_codes::TYPE_MISMATCH,
                                   "A name stands twice in an object, with different types");
        } while (next('}'));
        return cursor.code == 0 && cursor.expect('}');
    default:
        break;
    }
    const size_t size = std::min(cursor.rest().find_first_of(",]} \t\r\n"), cursor.left());
    const std::string_view word = cursor.rest().substr(0, size);
    if (word == "null")
        guess = {};
    else if (word == "true" || word == "false")
        guess = {Kind::Bool};
    else
        guess = {number_kind(word, rules, true)};
    if (guess.kind == Kind::String)
        return cursor.fail(error_codes::INCORRECT_DATA,
                           "Not a JSON value: " + quoted_excerpt(word));
    cursor.pos += size;
    return true;
}

bool unite_fields(Guess& into, const Guess& other)
{
    if (other.kind == Kind::Nothing || into == other)
        return true;
    if (into.kind == Kind::Nothing)
    {
        into = other;
        return true;
    }
    if (into.kind == other.kind && !is_scalar(into.kind) &&
        into.parts.size() == other.parts.size())
    {
        for (size_t i = 0; i < into.parts.size(); ++i)
            if (!unite_fields(into.parts[i], other.parts[i]))
                return false;
        return true;
    }
    return unite_scalars(into, other);
}

bool unite_json(Guess& into, const Guess& other, bool texts_take_scalars)
{
    if (other.kind == Kind::Nothing || into == other)
        return true;
    if (into.kind == Kind::Nothing)
    {
        into = other;
        return true;
    }
    if (into.kind == Kind::Array && other.kind == Kind::Array)
        return unite_json(into.parts[0], other.parts[0], texts_take_scalars);
    if (into.kind == Kind::Named && other.kind == Kind::Named)
    {
        for (size_t i = 0; i < other.names.size(); ++i)
        {
            const auto found = std::find(into.names.begin(), into.names.end(), other.names[i]);
            if (found == into.names.end())
            {
                into.names.push_back(other.names[i]);
                into.parts.push_back(other.parts[i]);
            }
            else if (!unite_json(into.parts[static_cast<size_t>(found - into.names.begin())],
                                 other.parts[i], texts_take_scalars))
                return false;
        }
        return true;
    }
    // A Bool among numbers is a number.
    if (into.kind == Kind::Bool && is_number(other.kind))
    {
        into = other;
        return true;
    }
    if (other.kind == Kind::Bool && is_number(into.kind))
        return true;
    if (unite_scalars(into, other))
        return true;
    if (!texts_take_scalars || !is_scalar(into.kind) || !is_scalar(other.kind))
        return false;
    into.kind = Kind::String;
    return true;
}

TypePtr type_of_guess(const Guess& guess)
{
    const auto nullable = [](TypeId id) { return make_nullable(simple_type(id)); };
    switch (guess.kind)
    {
    case Kind::Bool:
        return nullable(TypeId::Bool);
    case Kind::Int:
        return nullable(TypeId::Int64);
    case Kind::UInt:
        return nullable(TypeId::UInt64);
    case Kind::Float:
        return nullable(TypeId::Float64);
    case Kind::Date:
        return nullable(TypeId::Date);
    case Kind::DateTime:
        return make_nullable(type_from_name("DateTime"));
    case Kind::DateTime64:
        return make_nullable(type_from_name("DateTime64(9)"));
    case Kind::Array:
        return std::make_shared<ArrayType>(type_of_guess(guess.parts[0]));
    case Kind::Map:
    {
        TypePtr key = type_of_guess(guess.parts[0]);
        return std::make_shared<MapType>(remove_nullable(key), type_of_guess(guess.parts[1]));
    }
    case Kind::Tuple:
    case Kind::Named:
    {
        if (guess.parts.empty())
            return nullable(TypeId::String);
        std::vector<TypePtr> types;
        for (const Guess& part : guess.parts)
            types.push_back(type_of_guess(part));
        return std::make_shared<TupleType>(std::move(types), guess.names);
    }
    default:
        return nullable(TypeId::String);
    }
}

} // namespace basalt
