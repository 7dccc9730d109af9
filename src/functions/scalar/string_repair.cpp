// toValidUTF8, isValidUTF8, isValidASCII, soundex, printf, normalizeUTF8*, XML, firstLine,
// visibleWidth, toStringCutToZero.

#include "functions/scalar/column_rows.h"
#include "functions/scalar/utf8.h"

#include <fmt/core.h>
#include <fmt/printf.h>
#include <unicode/unorm2.h>
#include <unicode/ustring.h>

#include <cmath>

namespace basalt
{
namespace
{

ColumnPtr run_to_valid(const Call& call)
{
    const StringRows rows(call.column(0));
    StringWriter out(call.rows, rows.chars_size());
    for (size_t i = 0; i < call.rows; ++i)
    {
        const std::string_view text = rows[i];
        bool broken = false; // a run of bad bytes gives one replacement
        size_t good_from = 0;
        for (size_t at = 0; at < text.size();)
        {
            size_t length;
            if (utf8_decode(text, at, length) != kUtf8Invalid)
            {
                if (broken)
                    good_from = at;
                broken = false;
                at += length;
                continue;
            }
            if (!broken)
            {
                out.write(text.substr(good_from, at - good_from));
                out.write("\xEF\xBF\xBD");
            }
            broken = true;
            ++at;
        }
        if (!broken)
            out.write(text.substr(good_from));
        out.end_row();
    }
    return out.finish();
}

ColumnPtr run_is_valid(const Call& call)
{
    const StringRows rows(call.column(0));
    return map_rows<uint8_t>(call.rows, [&](size_t i) { return utf8_valid(rows[i]); });
}

ColumnPtr run_is_ascii(const Call& call)
{
    const StringRows rows(call.column(0));
    return map_rows<uint8_t>(call.rows,
                             [&](size_t i)
                             {
                                 for (const char c : rows[i])
                                     if (static_cast<unsigned char>(c) >= 0x80)
                                         return 0;
                                 return 1;
                             });
}

ColumnPtr run_soundex(const Call& call)
{
    // Codes of A … Z; '0' ends a run of equal codes.
    constexpr std::string_view kCodes = "01230120022455012623010202";
    const StringRows rows(call.column(0));
    StringWriter out(call.rows, call.rows * 4);
    for (size_t i = 0; i < call.rows; ++i)
    {
        char code[4];
        size_t size = 0;
        char last = '0';
        for (const char c : rows[i])
        {
            const char upper = static_cast<char>(c & ~0x20);
            if (upper < 'A' || upper > 'Z' || static_cast<unsigned char>(c) >= 0x80)
                continue;
            const char digit = kCodes[static_cast<size_t>(upper - 'A')];
            if (size == 0)
                code[size++] = upper;
            else if (digit != '0' && digit != last && size < 4)
                code[size++] = digit;
            last = digit;
        }
        while (size < 4)
            code[size++] = '0';
        out.row({code, 4});
    }
    return out.finish();
}

// One conversion of printf: its text up to and with the letter.
std::string format_one(const std::string& spec, const Argument& argument, size_t row,
                       const QueryContext& context)
{
    const Value value = argument.column->value_at(row);
    const char letter = spec.back();
    const auto bad = [&]() -> std::string
    {
        throw Error(error_codes::BAD_ARGUMENTS,
                    fmt::format("Bad format {} in function printf with an argument of type {}",
                                spec, argument.type->name()));
    };
    const bool integer_letter = std::string_view("dixXouc").find(letter) != std::string_view::npos;
    const bool float_letter = std::string_view("fFeEgGaA").find(letter) != std::string_view::npos;
    if (const auto* text = value.get_if<std::string>())
        return letter == 's' ? fmt::sprintf(spec, *text) : bad();
    if (const auto* number = value.get_if<double>())
        return float_letter ? fmt::sprintf(spec, *number) : bad();
    if (const auto* number = value.get_if<int64_t>())
        return integer_letter ? fmt::sprintf(spec, *number) : bad();
    if (const auto* number = value.get_if<uint64_t>())
        return integer_letter ? fmt::sprintf(spec, *number) : bad();
    return bad();
}

ColumnPtr run_printf(const Call& call)
{
    const StringRows formats(call.column(0));
    StringWriter out(call.rows);
    for (size_t i = 0; i < call.rows; ++i)
    {
        const std::string_view format = formats[i];
        size_t next = 1;
        for (size_t at = 0; at < format.size();)
        {
            if (format[at] != '%')
            {
                out.write(format[at++]);
                continue;
            }
            if (at + 1 < format.size() && format[at + 1] == '%')
            {
                out.write('%');
                at += 2;
                continue;
            }
            const size_t end = format.find_first_of("diouxXfFeEgGaAcsp", at + 1);
            if (end == format.npos)
                throw Error(error_codes::BAD_ARGUMENTS,
                            fmt::format("Bad format {} in function printf", format.substr(at)));
            if (next >= call.size())
                throw Error(error_codes::BAD_ARGUMENTS,
                            "Function printf has fewer arguments than conversions");
            out.write(format_one(std::string(format.substr(at, end + 1 - at)), call[next++], i,
                                 call.context));
            at = end + 1;
        }
        out.end_row();
    }
    return out.finish();
}

using Normalizer = const UNormalizer2* (*)(UErrorCode*);

template <Normalizer kNormalizer> ColumnPtr run_normalize(const Call& call)
{
    UErrorCode status = U_ZERO_ERROR;
    const UNormalizer2* normalizer = kNormalizer(&status);
    const auto check = [&]
    {
        if (U_FAILURE(status))
            throw Error(error_codes::CANNOT_NORMALIZE_STRING,
                        fmt::format("Cannot normalize a text: {}", u_errorName(status)));
    };
    const StringRows rows(call.column(0));
    StringWriter out(call.rows, rows.chars_size());
    std::vector<UChar> wide;
    std::vector<UChar> normal;
    for (size_t i = 0; i < call.rows; ++i)
    {
        const std::string_view text = rows[i];
        wide.resize(text.size() + 1);
        int32_t wide_size = 0;
        status = U_ZERO_ERROR;
        u_strFromUTF8(wide.data(), static_cast<int32_t>(wide.size()), &wide_size, text.data(),
                      static_cast<int32_t>(text.size()), &status);
        check();
        normal.resize(static_cast<size_t>(wide_size) * 18 + 8); // the most that NFKD grows
        const int32_t size =
            unorm2_normalize(normalizer, wide.data(), wide_size, normal.data(),
                             static_cast<int32_t>(normal.size()), &status);
        check();
        int32_t bytes = 0;
        const size_t room = static_cast<size_t>(size) * 3 + 1;
        u_strToUTF8(out.room(room), static_cast<int32_t>(room), &bytes, normal.data(), size,
                    &status);
        check();
        out.advance(static_cast<size_t>(bytes));
        out.end_row();
    }
    return out.finish();
}

ColumnPtr run_encode_xml(const Call& call)
{
    const StringRows rows(call.column(0));
    StringWriter out(call.rows, rows.chars_size());
    for (size_t i = 0; i < call.rows; ++i)
    {
        for (const char c : rows[i])
            switch (c)
            {
                case '<': out.write("&lt;"); break;
                case '>': out.write("&gt;"); break;
                case '&': out.write("&amp;"); break;
                case '"': out.write("&quot;"); break;
                case '\'': out.write("&apos;"); break;
                default: out.write(c);
            }
        out.end_row();
    }
    return out.finish();
}

// The character of &#123; or &#x7B; ; kUtf8Invalid when it is none.
uint32_t numeric_entity(std::string_view name)
{
    const bool hex = name.size() > 1 && (name[1] == 'x' || name[1] == 'X');
    const std::string_view digits = name.substr(hex ? 2 : 1);
    if (digits.empty() || digits.size() > 8)
        return kUtf8Invalid;
    uint64_t code = 0;
    for (const char c : digits)
    {
        const char lower = static_cast<char>(c | 0x20);
        if (c >= '0' && c <= '9')
            code = code * (hex ? 16 : 10) + static_cast<uint64_t>(c - '0');
        else if (hex && lower >= 'a' && lower <= 'f')
            code = code * 16 + static_cast<uint64_t>(lower - 'a' + 10);
        else
            return kUtf8Invalid;
    }
    return code > 0x10FFFF ? kUtf8Invalid : static_cast<uint32_t>(code);
}

ColumnPtr run_decode_xml(const Call& call)
{
    static constexpr std::pair<std::string_view, char> kNames[] = {
        {"lt", '<'}, {"gt", '>'}, {"amp", '&'}, {"quot", '"'}, {"apos", '\''}};
    const StringRows rows(call.column(0));
    StringWriter out(call.rows, rows.chars_size());
    for (size_t i = 0; i < call.rows; ++i)
    {
        const std::string_view text = rows[i];
        for (size_t at = 0; at < text.size();)
        {
            const size_t end = text[at] == '&' ? text.find(';', at) : text.npos;
            if (end == text.npos)
            {
                out.write(text[at++]);
                continue;
            }
            const std::string_view name = text.substr(at + 1, end - at - 1);
            bool done = false;
            if (name.starts_with('#'))
            {
                const uint32_t code = numeric_entity(name);
                if (code != kUtf8Invalid)
                {
                    out.advance(utf8_encode(code, out.room(4)));
                    done = true;
                }
            }
            else
                for (const auto& [known, c] : kNames)
                    if (name == known)
                    {
                        out.write(c);
                        done = true;
                    }
            if (done)
                at = end + 1;
            else
                out.write(text[at++]);
        }
        out.end_row();
    }
    return out.finish();
}

ColumnPtr run_first_line(const Call& call)
{
    const StringRows rows(call.column(0));
    StringWriter out(call.rows);
    for (size_t i = 0; i < call.rows; ++i)
        out.row(rows[i].substr(0, rows[i].find_first_of("\r\n")));
    return out.finish();
}

ColumnPtr run_cut_to_zero(const Call& call)
{
    const StringRows rows(call.column(0));
    StringWriter out(call.rows);
    for (size_t i = 0; i < call.rows; ++i)
        out.row(rows[i].substr(0, rows[i].find('\0')));
    return out.finish();
}

constexpr auto kString = type_is<TypeId::String>;
constexpr auto kFlag = type_is<TypeId::UInt8>;
constexpr FunctionSpec kToValid{"toValidUTF8", "s", kString, run_to_valid};
constexpr FunctionSpec kIsValid{"isValidUTF8", "s", kFlag, run_is_valid};
constexpr FunctionSpec kIsAscii{"isValidASCII", "s", kFlag, run_is_ascii, 0, "isASCII"};
constexpr FunctionSpec kSoundex{"soundex", "s", kString, run_soundex, kCaseInsensitive};
constexpr FunctionSpec kPrintf{"printf", "s [ sn...", kString, run_printf};
constexpr FunctionSpec kNfc{"normalizeUTF8NFC", "s", kString, run_normalize<unorm2_getNFCInstance>};
constexpr FunctionSpec kNfd{"normalizeUTF8NFD", "s", kString, run_normalize<unorm2_getNFDInstance>};
constexpr FunctionSpec kNfkc{"normalizeUTF8NFKC", "s", kString,
                             run_normalize<unorm2_getNFKCInstance>};
constexpr FunctionSpec kNfkd{"normalizeUTF8NFKD", "s", kString,
                             run_normalize<unorm2_getNFKDInstance>};
constexpr FunctionSpec kNfkcFold{"normalizeUTF8NFKCCasefold", "s", kString,
                                 run_normalize<unorm2_getNFKCCasefoldInstance>};
constexpr FunctionSpec kEncodeXml{"encodeXMLComponent", "s", kString, run_encode_xml};
constexpr FunctionSpec kDecodeXml{"decodeXMLComponent", "s", kString, run_decode_xml};
constexpr FunctionSpec kFirstLine{"firstLine", "s", kString, run_first_line};
constexpr FunctionSpec kCutToZero{"toStringCutToZero", "s", kString, run_cut_to_zero};

} // namespace

void register_string_repair(ScalarRegistry& registry)
{
    add_all<kToValid, kIsValid, kIsAscii, kSoundex, kPrintf, kNfc, kNfd, kNfkc, kNfkd, kNfkcFold,
            kEncodeXml, kDecodeXml, kFirstLine, kCutToZero>(registry);
}

} // namespace basalt
