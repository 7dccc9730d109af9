// convertCharset, parseTimeDelta, prettyPrintJSON, JSONMergePatch.

#include "functions/scalar/json_values.h"

#include <fmt/format.h>
#include <simdjson.h>
#include <unicode/ucnv.h>

#include <charconv>
#include <map>
#include <memory>

namespace basalt
{
namespace
{

struct ConverterCloser
{
    void operator()(UConverter* converter) const { ucnv_close(converter); }
};
using Converter = std::unique_ptr<UConverter, ConverterCloser>;

Converter open_converter(const std::string& name)
{
    UErrorCode status = U_ZERO_ERROR;
    Converter converter(ucnv_open(name.c_str(), &status));
    if (U_FAILURE(status))
        throw Error(error_codes::CANNOT_CREATE_CHARSET_CONVERTER,
                    fmt::format("Cannot create UConverter with charset {}, error: {}", name,
                                u_errorName(status)));
    return converter;
}

ColumnPtr run_convert(const Call& call)
{
    const StringRows rows(call.column(0));
    const Converter from = open_converter(constant_text(call.name, call.arguments, 1));
    const Converter to = open_converter(constant_text(call.name, call.arguments, 2));
    StringWriter out(call.rows, rows.chars_size());
    std::u16string middle;
    for (size_t i = 0; i < call.rows; ++i)
    {
        const std::string_view text = rows[i];
        if (text.size() > INT32_MAX / 8)
            throw Error(error_codes::TOO_LARGE_STRING_SIZE,
                        fmt::format("A text of function {} is too long", call.name));
        UErrorCode status = U_ZERO_ERROR;
        middle.resize(text.size() + 1);
        const int32_t units = ucnv_toUChars(from.get(), middle.data(),
                                            static_cast<int32_t>(middle.size()), text.data(),
                                            static_cast<int32_t>(text.size()), &status);
        const size_t room = static_cast<size_t>(units) * 8 + 16;
        int32_t bytes = 0;
        if (U_SUCCESS(status))
            bytes = ucnv_fromUChars(to.get(), out.room(room), static_cast<int32_t>(room),
                                    middle.data(), units, &status);
        if (U_FAILURE(status))
            throw Error(error_codes::CANNOT_CONVERT_CHARSET,
                        fmt::format("Cannot convert charset: {}", u_errorName(status)));
        out.advance(static_cast<size_t>(bytes));
        out.end_row();
    }
    return out.finish();
}

// Seconds by the names of units.
const std::map<std::string_view, double>& time_units()
{
    static const std::map<std::string_view, double> units = [] {
        std::map<std::string_view, double> made;
        const auto add = [&](double seconds, std::initializer_list<std::string_view> names)
        {
            for (const std::string_view name : names)
                made[name] = seconds;
        };
        add(31536000, {"years", "year", "yr", "y"});
        add(2635200, {"months", "month", "mo"});
        add(604800, {"weeks", "week", "w"});
        add(86400, {"days", "day", "d"});
        add(3600, {"hours", "hour", "hr", "h"});
        add(60, {"minutes", "minute", "min", "m"});
        add(1, {"seconds", "second", "sec", "s"});
        add(1e-3, {"milliseconds", "millisecond", "millisec", "ms"});
        add(1e-6, {"microseconds", "microsecond", "microsec", "μs", "µs", "us"});
        add(1e-9, {"nanoseconds", "nanosecond", "nanosec", "ns"});
        return made;
    }();
    return units;
}

double parse_delta(std::string_view name, std::string_view text)
{
    const auto refuse = [&](std::string_view why, std::string_view what)
    {
        throw Error(error_codes::BAD_ARGUMENTS,
                    fmt::format("Invalid argument of function {}, {}: \"{}\"", name, why, what));
    };
    const std::string_view whole = text;
    const auto skip = [&](std::string_view characters)
    {
        while (!text.empty() && characters.find(text[0]) != characters.npos)
            text.remove_prefix(1);
    };
    const auto digits = [&]
    {
        size_t n = 0;
        while (n < text.size() && text[n] >= '0' && text[n] <= '9')
            ++n;
        return n;
    };
    double total = 0;
    skip(" ");
    while (!text.empty() && text.back() == ' ')
        text.remove_suffix(1);
    if (text.empty())
        refuse("no valid characters, str", whole);
    while (!text.empty())
    {
        size_t n = digits();
        if (n == 0)
            refuse("number not found, str", whole);
        const std::string_view number = text;
        text.remove_prefix(n);
        if (!text.empty() && text[0] == '.')
        {
            text.remove_prefix(1);
            n = digits();
            if (n == 0)
                refuse("number after '.' not found, str", whole);
            text.remove_prefix(n);
        }
        double value = 0;
        std::from_chars(number.data(), text.data(), value);
        skip(" ");
        size_t letters = 0;
        while (letters < text.size() &&
               ((text[letters] | 0x20) >= 'a' ? (text[letters] | 0x20) <= 'z'
                                              : static_cast<unsigned char>(text[letters]) >= 0x80))
            ++letters;
        while (letters < text.size() && static_cast<unsigned char>(text[letters]) >= 0x80)
            ++letters;
        if (letters == 0)
            refuse("unit not found, str", whole);
        const auto unit = time_units().find(text.substr(0, letters));
        if (unit == time_units().end())
            refuse("can't parse the unit", text.substr(0, letters));
        total += value * unit->second;
        text.remove_prefix(letters);
        // One separator, with blanks around it; a dot may close the unit.
        skip(".");
        skip(" ");
        if (!text.empty() && std::string_view(";-+,:").find(text[0]) != std::string_view::npos)
            text.remove_prefix(1);
        skip(".");
        skip(" ");
    }
    return total;
}

ColumnPtr run_time_delta(const Call& call)
{
    const StringRows rows(call.column(0));
    return map_rows<double>(call.rows, [&](size_t i) { return parse_delta(call.name, rows[i]); });
}

using Json = JsonElement;

void write_text(std::string_view text, StringWriter& out)
{
    write_json_string(out, text, HexCase::Upper);
}

void write_scalar(const Json& json, StringWriter& out)
{
    switch (json.type())
    {
        case simdjson::dom::element_type::INT64:
            out.write(fmt::to_string(int64_t(json)));
            break;
        case simdjson::dom::element_type::UINT64:
            out.write(fmt::to_string(uint64_t(json)));
            break;
        case simdjson::dom::element_type::DOUBLE:
            out.write(fmt::to_string(double(json)));
            break;
        case simdjson::dom::element_type::STRING:
            write_text(std::string_view(json), out);
            break;
        case simdjson::dom::element_type::BOOL: out.write(bool(json) ? "true" : "false"); break;
        default: out.write("null");
    }
}

// indent < 0: on one line.
void write_json(const Json& json, int64_t indent, int64_t depth, StringWriter& out)
{
    const auto line = [&](int64_t at)
    {
        if (indent < 0)
            return;
        out.write('\n');
        out.fill(static_cast<size_t>(indent * at), ' ');
    };
    bool first = true;
    if (json.is_array())
    {
        out.write('[');
        for (const Json item : json.get_array())
        {
            if (!first)
                out.write(',');
            first = false;
            line(depth + 1);
            write_json(item, indent, depth + 1, out);
        }
        if (!first)
            line(depth);
        out.write(']');
    }
    else if (json.is_object())
    {
        out.write('{');
        for (const auto member : json.get_object())
        {
            if (!first)
                out.write(',');
            first = false;
            line(depth + 1);
            write_text(member.key, out);
            out.write(indent < 0 ? ":" : ": ");
            write_json(member.value, indent, depth + 1, out);
        }
        if (!first)
            line(depth);
        out.write('}');
    }
    else
        write_scalar(json, out);
}

ColumnPtr run_pretty(const Call& call)
{
    constexpr int64_t kDefaultIndent = 4;
    constexpr int64_t kMaxIndent = 255;
    const StringRows rows(call.column(0));
    const int64_t indent =
        call.size() > 1 ? constant_integer(call.name, call.arguments, 1) : kDefaultIndent;
    if (indent < 0 || indent > kMaxIndent)
        throw Error(error_codes::BAD_ARGUMENTS,
                    fmt::format("The indent of function {} must be from 0 to {}", call.name,
                                kMaxIndent));
    simdjson::dom::parser parser;
    StringWriter out(call.rows);
    for (size_t i = 0; i < call.rows; ++i)
    {
        Json json;
        if (const auto error = parser.parse(rows[i].data(), rows[i].size()).get(json))
            throw Error(error_codes::BAD_ARGUMENTS,
                        fmt::format("Invalid JSON string in function {}: {}", call.name,
                                    simdjson::error_message(error)));
        write_json(json, indent, 0, out);
        out.end_row();
    }
    return out.finish();
}

// Members of the patch take the place of the target's, objects are merged. ClickHouse keeps a null
// as a value, where RFC 7396 would remove the member.
void write_merged(const Json* target, const Json& patch, StringWriter& out)
{
    if (!patch.is_object())
    {
        write_json(patch, -1, 0, out);
        return;
    }
    const simdjson::dom::object changes = patch.get_object();
    out.write('{');
    bool first = true;
    const auto begin = [&](std::string_view key)
    {
        if (!first)
            out.write(',');
        first = false;
        write_text(key, out);
        out.write(':');
    };
    const bool has_target = target && target->is_object();
    if (has_target)
        for (const auto member : target->get_object())
        {
            Json change;
            if (changes.at_key(member.key).get(change))
            {
                begin(member.key);
                write_json(member.value, -1, 0, out);
            }
            else
            {
                begin(member.key);
                write_merged(&member.value, change, out);
            }
        }
    for (const auto member : changes)
    {
        Json known;
        if (has_target && !target->get_object().at_key(member.key).get(known))
            continue;
        begin(member.key);
        write_merged(nullptr, member.value, out);
    }
    out.write('}');
}

ColumnPtr run_merge(const Call& call)
{
    std::vector<StringRows> texts;
    for (size_t i = 0; i < call.size(); ++i)
        texts.emplace_back(call.column(i));
    simdjson::dom::parser target_parser;
    simdjson::dom::parser patch_parser;
    const auto parse = [](simdjson::dom::parser& parser, std::string_view text)
    {
        Json json;
        if (const auto error = parser.parse(text.data(), text.size()).get(json))
            throw Error(error_codes::BAD_ARGUMENTS, fmt::format("Wrong JSON string to merge: {}",
                                                                simdjson::error_message(error)));
        if (!json.is_object())
            throw Error(error_codes::BAD_ARGUMENTS,
                        "Wrong JSON string to merge. Expected JSON object");
        return json;
    };
    StringWriter out(call.rows);
    std::string merged;
    for (size_t i = 0; i < call.rows; ++i)
    {
        StringWriter first(1);
        write_json(parse(target_parser, texts[0][i]), -1, 0, first);
        first.end_row();
        merged = first.column().at(0);
        for (size_t k = 1; k < texts.size(); ++k)
        {
            StringWriter next(1);
            const Json target = parse(target_parser, merged);
            write_merged(&target, parse(patch_parser, texts[k][i]), next);
            next.end_row();
            merged = next.column().at(0);
        }
        out.row(merged);
    }
    return out.finish();
}

constexpr auto kString = type_is<TypeId::String>;
constexpr FunctionSpec kConvert{"convertCharset", "s s! s!", kString, run_convert};
constexpr FunctionSpec kDelta{"parseTimeDelta", "s", type_is<TypeId::Float64>, run_time_delta};
constexpr FunctionSpec kPretty{"prettyPrintJSON", "s [ i!", kString, run_pretty};
constexpr FunctionSpec kMerge{"JSONMergePatch", "s...", kString, run_merge, kCaseInsensitive};

} // namespace

void register_text_tools(ScalarRegistry& registry)
{
    add_all<kConvert, kDelta, kPretty, kMerge>(registry);
}

} // namespace basalt
