#include "columns/value.h"

#include "columns/value_text.h"

#include <charconv>
#include <cmath>

namespace basalt
{

namespace
{

void write_items(std::string& out, const Values& items)
{
    bool first = true;
    for (const Value& item : items)
    {
        if (!first)
            out += ", ";
        first = false;
        out += item.to_text();
    }
}

void write_map(std::string& out, const MapValue& map)
{
    out += '{';
    bool first = true;
    for (const Value& item : map.items)
    {
        if (!first)
            out += ", ";
        first = false;
        const Values& pair = item.get<TupleValue>().items;
        out += pair.at(0).to_text() + ": " + pair.at(1).to_text();
    }
    out += '}';
}

} // namespace

std::string quoted_text(std::string_view text, char quote)
{
    std::string out;
    out.reserve(text.size() + 2);
    out += quote;
    for (const char c : text)
    {
        switch (c)
        {
        case '\b': out += "\\b"; break;
        case '\f': out += "\\f"; break;
        case '\n': out += "\\n"; break;
        case '\r': out += "\\r"; break;
        case '\t': out += "\\t"; break;
        case '\0': out += "\\0"; break;
        case '\\': out += "\\\\"; break;
        default:
            if (c == quote)
                out += '\\';
            out += c;
        }
    }
    out += quote;
    return out;
}

std::string float_text(double value)
{
    if (std::isnan(value))
        return "nan";
    if (std::isinf(value))
        return value < 0 ? "-inf" : "inf";
    char buffer[64];
    const auto end = std::to_chars(buffer, buffer + sizeof(buffer), value,
                                   std::chars_format::scientific);
    const std::string_view text(buffer, static_cast<size_t>(end.ptr - buffer));
    const size_t e = text.find('e');
    std::string out;
    std::string digits;
    for (const char c : text.substr(0, e))
        if (c == '-')
            out += '-';
        else if (c != '.')
            digits += c;
    int exponent = 0;
    const char* exponent_begin = text.data() + e + 1;
    if (*exponent_begin == '+')
        ++exponent_begin;
    std::from_chars(exponent_begin, text.data() + text.size(), exponent);

    const int count = static_cast<int>(digits.size());
    if (exponent < -6 || exponent >= 21)
    {
        out += digits[0];
        if (count > 1)
            out += "." + digits.substr(1);
        return out + "e" + std::to_string(exponent);
    }
    if (exponent < 0)
        return out + "0." + std::string(static_cast<size_t>(-exponent - 1), '0') + digits;
    if (count <= exponent + 1)
        return out + digits + std::string(static_cast<size_t>(exponent + 1 - count), '0');
    return out + digits.substr(0, static_cast<size_t>(exponent) + 1) + "." +
           digits.substr(static_cast<size_t>(exponent) + 1);
}

std::string decimal_text(const DecimalValue& value)
{
    std::string digits = to_text(value.mantissa);
    const bool negative = !digits.empty() && digits[0] == '-';
    if (negative)
        digits.erase(0, 1);
    if (value.scale > 0)
    {
        if (digits.size() <= value.scale)
            digits.insert(0, value.scale + 1 - digits.size(), '0');
        digits.insert(digits.size() - value.scale, ".");
        while (digits.back() == '0')
            digits.pop_back();
        if (digits.back() == '.')
            digits.pop_back();
    }
    return negative ? "-" + digits : digits;
}

std::string Value::to_text() const
{
    if (is_null())
        return "NULL";
    if (const auto* unsigned_value = get_if<uint64_t>())
        return std::to_string(*unsigned_value);
    if (const auto* signed_value = get_if<int64_t>())
        return std::to_string(*signed_value);
    if (const auto* float_value = get_if<double>())
    {
        // A float literal keeps a mark of being one: 1. reads back as a float.
        std::string text = float_text(*float_value);
        if (text.find_first_not_of("-0123456789") == std::string::npos)
            text += '.';
        return text;
    }
    if (const auto* wide = get_if<UInt128>())
        return basalt::to_text(*wide);
    if (const auto* wide = get_if<Int128>())
        return basalt::to_text(*wide);
    if (const auto* wide = get_if<UInt256>())
        return basalt::to_text(*wide);
    if (const auto* wide = get_if<Int256>())
        return basalt::to_text(*wide);
    if (const auto* decimal = get_if<DecimalValue>())
        return decimal_text(*decimal);
    if (const auto* text = get_if<std::string>())
        return quoted_text(*text, '\'');
    std::string out;
    if (const auto* array = get_if<ArrayValue>())
    {
        out += '[';
        write_items(out, array->items);
        out += ']';
    }
    else if (const auto* tuple = get_if<TupleValue>())
    {
        out += '(';
        write_items(out, tuple->items);
        // One item in parentheses alone would read back as that item.
        out += tuple->items.size() == 1 ? ",)" : ")";
    }
    else
        write_map(out, get<MapValue>());
    return out;
}

} // namespace basalt
