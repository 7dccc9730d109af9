// lower, upper, reverse and their UTF-8 forms, initcap.

#include "functions/scalar/column_rows.h"
#include "functions/scalar/utf8.h"

#include <unicode/uchar.h>
#include <unicode/ucasemap.h>

#include <algorithm>

namespace basalt
{
namespace
{

// Applies f(const char* from, char* to, size_t n) to all bytes of a String or FixedString.
template <class F> ColumnPtr map_bytes(const ColumnPtr& column, F&& f)
{
    if (column->form() == ColumnForm::Constant)
    {
        const auto& constant = column_as<ConstantColumn>(column);
        return std::make_shared<ConstantColumn>(map_bytes(constant.nested(), f), column->size());
    }
    if (column->form() == ColumnForm::FixedString)
    {
        const auto& source = column_as<FixedStringColumn>(column);
        auto result = std::make_shared<FixedStringColumn>(source.width());
        result->chars().resize(source.chars().size());
        f(source.chars().data(), result->chars().data(), source.chars().size());
        return result;
    }
    const auto& source = column_as<StringColumn>(column);
    auto result = std::make_shared<StringColumn>();
    result->chars().resize(source.chars().size());
    result->offsets() = source.offsets();
    f(source.chars().data(), result->chars().data(), source.chars().size());
    return result;
}

// first: 'A' to lower, 'a' to upper: flips bit 5 of the 26 letters from `first`.
template <char kFirst> void flip_case(const char* from, char* to, size_t n)
{
    for (size_t i = 0; i < n; ++i)
    {
        const auto c = static_cast<unsigned char>(from[i]);
        to[i] = static_cast<char>(c ^ (static_cast<unsigned char>(c - kFirst) < 26 ? 0x20 : 0));
    }
}

template <char kFirst> ColumnPtr run_case(const Call& call)
{
    return map_bytes(call.column(0), flip_case<kFirst>);
}

bool all_ascii(std::string_view text)
{
    unsigned char any = 0;
    for (const char c : text)
        any |= static_cast<unsigned char>(c);
    return any < 0x80;
}

template <bool kUpper> ColumnPtr run_case_utf8(const Call& call)
{
    UErrorCode status = U_ZERO_ERROR;
    static const UCaseMap* const map = ucasemap_open("", 0, &status);
    const StringRows rows(call.column(0));
    StringWriter out(call.rows, rows.chars_size());
    for (size_t i = 0; i < call.rows; ++i)
    {
        const std::string_view text = rows[i];
        if (all_ascii(text))
        {
            flip_case<kUpper ? 'a' : 'A'>(text.data(), out.room(text.size()), text.size());
            out.advance(text.size());
            out.end_row();
            continue;
        }
        size_t room = text.size() * 3 + 16;
        for (int attempt = 0; attempt < 2; ++attempt)
        {
            status = U_ZERO_ERROR;
            const int32_t size =
                (kUpper ? ucasemap_utf8ToUpper : ucasemap_utf8ToLower)(
                    map, out.room(room), static_cast<int32_t>(room), text.data(),
                    static_cast<int32_t>(text.size()), &status);
            if (status == U_BUFFER_OVERFLOW_ERROR)
            {
                room = static_cast<size_t>(size) + 1;
                continue;
            }
            out.advance(static_cast<size_t>(size));
            break;
        }
        out.end_row();
    }
    return out.finish();
}

ColumnPtr run_reverse_utf8(const Call& call)
{
    const StringRows rows(call.column(0));
    StringWriter out(call.rows, rows.chars_size());
    for (size_t i = 0; i < call.rows; ++i)
    {
        const std::string_view text = rows[i];
        char* to = out.room(text.size()) + text.size();
        for (size_t at = 0; at < text.size();)
        {
            const size_t n = std::min(utf8_sequence_length(text[at]), text.size() - at);
            to -= n;
            std::memcpy(to, text.data() + at, n);
            at += n;
        }
        out.advance(text.size());
        out.end_row();
    }
    return out.finish();
}

ColumnPtr run_initcap(const Call& call)
{
    const StringRows rows(call.column(0));
    StringWriter out(call.rows, rows.chars_size());
    for (size_t i = 0; i < call.rows; ++i)
    {
        bool inside = false;
        const std::string_view text = rows[i];
        char* to = out.room(text.size());
        for (size_t j = 0; j < text.size(); ++j)
        {
            const char c = text[j];
            const char folded = static_cast<char>(c | 0x20);
            const bool letter = folded >= 'a' && folded <= 'z';
            to[j] = !letter ? c : inside ? folded : static_cast<char>(c & ~0x20);
            inside = letter || (c >= '0' && c <= '9');
        }
        out.advance(text.size());
        out.end_row();
    }
    return out.finish();
}

ColumnPtr run_initcap_utf8(const Call& call)
{
    const StringRows rows(call.column(0));
    StringWriter out(call.rows, rows.chars_size());
    for (size_t i = 0; i < call.rows; ++i)
    {
        bool inside = false;
        const std::string_view text = rows[i];
        for (size_t j = 0; j < text.size();)
        {
            size_t length;
            const uint32_t code = utf8_decode(text, j, length);
            if (code == kUtf8Invalid)
            {
                out.write(text[j]);
                ++j;
                continue;
            }
            const auto c = static_cast<UChar32>(code);
            const bool word = u_isalnum(c);
            char* to = out.room(4);
            out.advance(utf8_encode(
                static_cast<uint32_t>(!word ? c : inside ? u_tolower(c) : u_toupper(c)), to));
            inside = word;
            j += length;
        }
        out.end_row();
    }
    return out.finish();
}

constexpr FunctionSpec kLower{"lower", "s", type_of_first, run_case<'A'>, kCaseInsensitive,
                              "lcase*"};
constexpr FunctionSpec kUpper{"upper", "s", type_of_first, run_case<'a'>, kCaseInsensitive,
                              "ucase*"};
constexpr FunctionSpec kLowerUtf8{"lowerUTF8", "s", type_is<TypeId::String>,
                                  run_case_utf8<false>};
constexpr FunctionSpec kUpperUtf8{"upperUTF8", "s", type_is<TypeId::String>, run_case_utf8<true>};
constexpr FunctionSpec kReverseUtf8{"reverseUTF8", "s", type_is<TypeId::String>,
                                    run_reverse_utf8};
constexpr FunctionSpec kInitcap{"initcap", "s", type_is<TypeId::String>, run_initcap,
                                kCaseInsensitive};
constexpr FunctionSpec kInitcapUtf8{"initcapUTF8", "s", type_is<TypeId::String>,
                                    run_initcap_utf8};

} // namespace

void register_string_case(ScalarRegistry& registry)
{
    add_all<kLower, kUpper, kLowerUtf8, kUpperUtf8, kReverseUtf8, kInitcap, kInitcapUtf8>(
        registry);
}

} // namespace basalt
