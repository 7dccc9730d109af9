// simpleJSON*: values found by their name anywhere in the text, without parsing the rest.
// Names must be written without spaces around the colon: "name":value.

#include "base/substring_search.h"
#include "functions/scalar/column_rows.h"
#include "functions/scalar/utf8.h"

#include <charconv>

namespace basalt
{
namespace
{

// The text after `"name":`; nullopt when it does not occur.
std::optional<std::string_view> value_of(std::string_view text, const SubstringSearcher& name)
{
    const size_t hit = name.find(text);
    if (hit == text.npos)
        return std::nullopt;
    return text.substr(hit + name.needle().size());
}

SubstringSearcher searcher_of(const Call& call)
{
    return SubstringSearcher("\"" + constant_text(call.name, call.arguments, 1) + "\":");
}

template <class T, T (*kRead)(std::string_view)> ColumnPtr run_number(const Call& call)
{
    const StringRows rows(call.column(0));
    const SubstringSearcher name = searcher_of(call);
    return map_rows<T>(call.rows,
                       [&](size_t i) -> T
                       {
                           const auto value = value_of(rows[i], name);
                           return value ? kRead(*value) : T(0);
                       });
}

std::string_view without_quote(std::string_view text)
{
    return text.starts_with('"') ? text.substr(1) : text;
}

int64_t read_int(std::string_view text)
{
    text = without_quote(text);
    int64_t value = 0;
    std::from_chars(text.data(), text.data() + text.size(), value);
    return value;
}

uint64_t read_uint(std::string_view text)
{
    text = without_quote(text);
    uint64_t value = 0;
    std::from_chars(text.data(), text.data() + text.size(), value);
    return value;
}

double read_float(std::string_view text)
{
    text = without_quote(text);
    double value = 0;
    std::from_chars(text.data(), text.data() + text.size(), value);
    return value;
}

uint8_t read_bool(std::string_view text)
{
    return text.starts_with("true");
}

ColumnPtr run_has(const Call& call)
{
    const StringRows rows(call.column(0));
    const SubstringSearcher name = searcher_of(call);
    return map_rows<uint8_t>(call.rows, [&](size_t i) { return name.in(rows[i]); });
}

// The end of the string that begins with the quote at 0; npos when it does not end.
size_t string_end(std::string_view text)
{
    for (size_t i = 1; i < text.size(); ++i)
    {
        if (text[i] == '\\')
            ++i;
        else if (text[i] == '"')
            return i + 1;
    }
    return text.npos;
}

std::string_view raw_value(std::string_view text)
{
    int depth = 0;
    for (size_t i = 0; i < text.size(); ++i)
    {
        switch (text[i])
        {
            case '"':
            {
                const size_t end = string_end(text.substr(i));
                if (end == text.npos)
                    return {};
                i += end - 1;
                break;
            }
            case '{':
            case '[': ++depth; break;
            case '}':
            case ']':
                if (depth == 0)
                    return text.substr(0, i);
                --depth;
                break;
            case ',':
                if (depth == 0)
                    return text.substr(0, i);
                break;
            default: break;
        }
    }
    return text;
}

ColumnPtr run_raw(const Call& call)
{
    const StringRows rows(call.column(0));
    const SubstringSearcher name = searcher_of(call);
    StringWriter out(call.rows);
    for (size_t i = 0; i < call.rows; ++i)
    {
        if (const auto value = value_of(rows[i], name))
            out.write(raw_value(*value));
        out.end_row();
    }
    return out.finish();
}

int hex_of(char c)
{
    if (c >= '0' && c <= '9')
        return c - '0';
    const char lower = static_cast<char>(c | 32);
    return lower >= 'a' && lower <= 'f' ? lower - 'a' + 10 : -1;
}

// The four digits after \u; -1 when they are not.
int32_t read_unit(std::string_view text)
{
    if (text.size() < 4)
        return -1;
    int32_t unit = 0;
    for (int i = 0; i < 4; ++i)
    {
        const int digit = hex_of(text[static_cast<size_t>(i)]);
        if (digit < 0)
            return -1;
        unit = unit * 16 + digit;
    }
    return unit;
}

// Writes the string whose quote stands at 0, unescaped; false when it is broken.
bool write_unescaped(std::string_view text, StringWriter& out)
{
    for (size_t i = 1; i < text.size(); ++i)
    {
        const char c = text[i];
        if (c == '"')
            return true;
        if (c != '\\')
        {
            out.write(c);
            continue;
        }
        if (++i == text.size())
            return false;
        switch (text[i])
        {
            case 'b': out.write('\b'); break;
            case 'f': out.write('\f'); break;
            case 'n': out.write('\n'); break;
            case 'r': out.write('\r'); break;
            case 't': out.write('\t'); break;
            case 'u':
            {
                int32_t unit = read_unit(text.substr(i + 1));
                if (unit < 0)
                    return false;
                i += 4;
                auto code = static_cast<uint32_t>(unit);
                if (unit >= 0xD800 && unit < 0xDC00)
                {
                    // The second half of a surrogate pair.
                    if (text.substr(i + 1, 2) != "\\u")
                        return false;
                    const int32_t low = read_unit(text.substr(i + 3));
                    if (low < 0xDC00 || low > 0xDFFF)
                        return false;
                    i += 6;
                    code = 0x10000 + ((code - 0xD800) << 10) + static_cast<uint32_t>(low - 0xDC00);
                }
                out.advance(utf8_encode(code, out.room(4)));
                break;
            }
            default: out.write(text[i]);
        }
    }
    return false;
}

ColumnPtr run_string(const Call& call)
{
    const StringRows rows(call.column(0));
    const SubstringSearcher name = searcher_of(call);
    StringWriter out(call.rows);
    for (size_t i = 0; i < call.rows; ++i)
    {
        const auto value = value_of(rows[i], name);
        if (value && value->starts_with('"') && !write_unescaped(*value, out))
            out.column().chars().resize(out.row_begin());
        out.end_row();
    }
    return out.finish();
}

constexpr std::string_view kArguments = "s s!";
constexpr FunctionSpec kInt{"simpleJSONExtractInt", kArguments, type_is<TypeId::Int64>,
                            run_number<int64_t, read_int>, 0, "visitParamExtractInt"};
constexpr FunctionSpec kUInt{"simpleJSONExtractUInt", kArguments, type_is<TypeId::UInt64>,
                             run_number<uint64_t, read_uint>, 0, "visitParamExtractUInt"};
constexpr FunctionSpec kFloat{"simpleJSONExtractFloat", kArguments, type_is<TypeId::Float64>,
                              run_number<double, read_float>, 0, "visitParamExtractFloat"};
constexpr FunctionSpec kBool{"simpleJSONExtractBool", kArguments, type_is<TypeId::UInt8>,
                             run_number<uint8_t, read_bool>, 0, "visitParamExtractBool"};
constexpr FunctionSpec kHas{"simpleJSONHas", kArguments, type_is<TypeId::UInt8>, run_has, 0,
                            "visitParamHas"};
constexpr FunctionSpec kRaw{"simpleJSONExtractRaw", kArguments, type_is<TypeId::String>, run_raw,
                            0, "visitParamExtractRaw"};
constexpr FunctionSpec kString{"simpleJSONExtractString", kArguments, type_is<TypeId::String>,
                               run_string, 0, "visitParamExtractString"};

} // namespace

void register_simple_json(ScalarRegistry& registry)
{
    add_all<kInt, kUInt, kFloat, kBool, kHas, kRaw, kString>(registry);
}

} // namespace basalt
