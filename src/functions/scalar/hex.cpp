// hex, unhex, bin, unbin, char, ascii.

#include "encodings/hex_text.h"
#include "functions/scalar/column_rows.h"

#include <algorithm>

namespace basalt
{
namespace
{

constexpr char kDigits[] = "0123456789ABCDEF";

// How hex (4 bits a digit) and bin (1 bit a digit) write one byte.
template <bool kHex> struct ByteDigits
{
    static constexpr size_t kWidth = kHex ? 2 : 8;
    static void write(unsigned char byte, char* to)
    {
        if (kHex)
        {
            to[0] = kDigits[byte >> 4];
            to[1] = kDigits[byte & 15];
        }
        else
            for (int bit = 7; bit >= 0; --bit)
                *to++ = static_cast<char>('0' + (byte >> bit & 1));
    }
};

// How a type's bytes become digits.
enum class Layout
{
    Integer, // most significant byte first, leading zero bytes dropped
    Whole,   // most significant byte first, all bytes
    Memory,  // as in memory
};

Layout layout_of(const DataType& type)
{
    if (type.is_float() || type.is_decimal())
        return Layout::Memory;
    if (type.is(TypeId::UUID) || type.is(TypeId::IPv4))
        return Layout::Whole;
    return Layout::Integer;
}

template <bool kHex> void write_all(const char* bytes, size_t count, char* to)
{
    if constexpr (kHex)
        write_hex(bytes, count, HexCase::Upper, to);
    else
        for (size_t i = 0; i < count; ++i)
            ByteDigits<kHex>::write(static_cast<unsigned char>(bytes[i]),
                                    to + i * ByteDigits<kHex>::kWidth);
}

// Texts lie one after the other, so their digits do too.
template <bool kHex> ColumnPtr digits_of_texts(const StringRows& rows, size_t count)
{
    constexpr size_t kWidth = ByteDigits<kHex>::kWidth;
    auto result = std::make_shared<StringColumn>();
    const bool constant = rows.constant();
    const size_t bytes = constant ? rows[0].size() * count : rows.chars_size();
    result->chars().resize_exact(bytes * kWidth);
    result->offsets().resize_exact(count);
    char* to = result->chars().data();
    if (!constant)
        write_all<kHex>(rows.chars(), bytes, to);
    for (size_t i = 0; i < count; ++i)
    {
        if (constant)
            write_all<kHex>(rows[i].data(), rows[i].size(), to + i * rows[i].size() * kWidth);
        result->offsets()[i] =
            (rows.offsets() ? rows.offsets()[i] : (i + 1) * rows[i].size()) * kWidth;
    }
    return result;
}

template <bool kHex> ColumnPtr run_digits(const Call& call)
{
    constexpr size_t kWidth = ByteDigits<kHex>::kWidth;
    const DataType& type = *call.type(0);
    if (type.is_string() || type.is(TypeId::IPv6))
        return digits_of_texts<kHex>(StringRows(call.column(0)), call.rows);
    const Layout layout = layout_of(type);
    auto result = std::make_shared<StringColumn>();
    result->offsets().resize_exact(call.rows);
    visit_vector(type.physical(),
                 [&](auto tag)
                 {
                     using T = decltype(tag);
                     const NumberRows<T> rows(call.column(0));
                     result->chars().resize_exact(call.rows * sizeof(T) * kWidth);
                     char* const begin = result->chars().data();
                     char* to = begin;
                     for (size_t i = 0; i < call.rows; ++i)
                     {
                         char bytes[sizeof(T)];
                         std::memcpy(bytes, &rows[i], sizeof(T));
                         if (layout != Layout::Memory)
                             std::reverse(bytes, bytes + sizeof(T));
                         size_t skip = 0;
                         if (layout == Layout::Integer)
                             while (skip + 1 < sizeof(T) && bytes[skip] == 0)
                                 ++skip;
                         write_all<kHex>(bytes + skip, sizeof(T) - skip, to);
                         to += (sizeof(T) - skip) * kWidth;
                         result->offsets()[i] = static_cast<uint64_t>(to - begin);
                     }
                     result->chars().resize(static_cast<size_t>(to - begin));
                 });
    return result;
}

TypePtr digits_type(const TypeCall& call)
{
    const DataType& type = *call.type(0);
    if (type.is(TypeId::DateTime64))
        throw Error(error_codes::ILLEGAL_COLUMN, "Illegal column " + type.name() +
                                                     " of argument of function " +
                                                     std::string(call.name));
    return simple_type(TypeId::String);
}

int hex_value(char c)
{
    if (c >= '0' && c <= '9')
        return c - '0';
    const char lower = static_cast<char>(c | 0x20);
    return lower >= 'a' && lower <= 'f' ? lower - 'a' + 10 : 15;
}

// Digits in groups from the end: a short group stands at the beginning.
template <bool kHex> ColumnPtr run_undigits(const Call& call)
{
    constexpr size_t kWidth = ByteDigits<kHex>::kWidth;
    const StringRows rows(call.column(0));
    StringWriter out(call.rows, rows.chars_size() / kWidth + call.rows);
    for (size_t i = 0; i < call.rows; ++i)
    {
        const std::string_view text = rows[i];
        size_t at = 0;
        size_t take = text.size() % kWidth ? text.size() % kWidth : kWidth;
        while (at < text.size())
        {
            unsigned value = 0;
            for (size_t j = 0; j < take; ++j)
                value = kHex ? value << 4 | static_cast<unsigned>(hex_value(text[at + j]))
                             : value << 1 | (text[at + j] != '0');
            out.write(static_cast<char>(value));
            at += take;
            take = kWidth;
        }
        out.end_row();
    }
    return out.finish();
}

ColumnPtr run_char(const Call& call)
{
    std::vector<DoubleRows> doubles;
    std::vector<IntegerRows> integers;
    std::vector<std::pair<bool, size_t>> order; // (is integer, index)
    doubles.reserve(call.size());
    integers.reserve(call.size());
    for (size_t i = 0; i < call.size(); ++i)
    {
        if (call.type(i)->is_integer())
        {
            order.emplace_back(true, integers.size());
            integers.emplace_back(call[i]);
        }
        else
        {
            order.emplace_back(false, doubles.size());
            doubles.emplace_back(call[i]);
        }
    }
    StringWriter out(call.rows, call.rows * call.size());
    for (size_t i = 0; i < call.rows; ++i)
    {
        for (const auto& [is_integer, index] : order)
            out.write(static_cast<char>(is_integer ? integers[index][i]
                                                   : static_cast<int64_t>(doubles[index][i])));
        out.end_row();
    }
    return out.finish();
}

ColumnPtr run_ascii(const Call& call)
{
    const StringRows rows(call.column(0));
    return map_rows<int32_t>(call.rows, [&](size_t i)
                             { return rows[i].empty() ? 0 : static_cast<signed char>(rows[i][0]); });
}

constexpr auto kString = type_is<TypeId::String>;
constexpr FunctionSpec kHex{"hex", "snIdDu46e", digits_type, run_digits<true>,
                            kCaseInsensitive | kInjective};
constexpr FunctionSpec kBin{"bin", "snIdDu46e", digits_type, run_digits<false>,
                            kCaseInsensitive | kInjective};
constexpr FunctionSpec kUnhex{"unhex", "s", kString, run_undigits<true>, kCaseInsensitive};
constexpr FunctionSpec kUnbin{"unbin", "s", kString, run_undigits<false>, kCaseInsensitive};
constexpr FunctionSpec kChar{"char", "n...", kString, run_char, kCaseInsensitive};
constexpr FunctionSpec kAscii{"ascii", "s", type_is<TypeId::Int32>, run_ascii, kCaseInsensitive};

} // namespace

void register_hex(ScalarRegistry& registry)
{
    add_all<kHex, kBin, kUnhex, kUnbin, kChar, kAscii>(registry);
}

} // namespace basalt
