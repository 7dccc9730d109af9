// visibleWidth, stringBytesUniq, stringBytesEntropy, compareSubstrings, reverseBySeparator,
// caseFoldUTF8, removeDiacriticsUTF8, startsWith/endsWith in any case of UTF-8.

#include "functions/scalar/column_rows.h"
#include "functions/scalar/utf8.h"

#include <fmt/core.h>
#include <unicode/ucasemap.h>
#include <unicode/uchar.h>
#include <unicode/unorm2.h>
#include <unicode/ustring.h>

#include <array>
#include <cmath>

namespace basalt
{
namespace
{

// Columns on a terminal: wide characters take two, tabs go to the next eighth column.
uint64_t width_of(std::string_view text)
{
    uint64_t width = 0;
    for (size_t at = 0; at < text.size();)
    {
        size_t length;
        const uint32_t code = utf8_decode(text, at, length);
        at += length;
        if (code == '\t')
        {
            width = (width / 8 + 1) * 8;
            continue;
        }
        if (code == kUtf8Invalid)
        {
            ++width;
            continue;
        }
        const auto c = static_cast<UChar32>(code);
        const int kind = u_charType(c);
        if (kind == U_NON_SPACING_MARK || kind == U_ENCLOSING_MARK || kind == U_FORMAT_CHAR ||
            kind == U_CONTROL_CHAR)
            continue;
        const int east = u_getIntPropertyValue(c, UCHAR_EAST_ASIAN_WIDTH);
        width += east == U_EA_FULLWIDTH || east == U_EA_WIDE ? 2 : 1;
    }
    return width;
}

ColumnPtr run_width(const Call& call)
{
    const ColumnPtr text = as_text(call[0], call.context);
    const StringRows rows(text);
    return map_rows<uint64_t>(call.rows, [&](size_t i) { return width_of(rows[i]); });
}

std::array<uint32_t, 256> byte_counts(std::string_view text)
{
    std::array<uint32_t, 256> counts{};
    for (const char c : text)
        ++counts[static_cast<unsigned char>(c)];
    return counts;
}

ColumnPtr run_bytes_uniq(const Call& call)
{
    const StringRows rows(call.column(0));
    return map_rows<uint16_t>(call.rows,
                              [&](size_t i)
                              {
                                  uint16_t uniq = 0;
                                  for (const uint32_t count : byte_counts(rows[i]))
                                      uniq += count != 0;
                                  return uniq;
                              });
}

ColumnPtr run_bytes_entropy(const Call& call)
{
    const StringRows rows(call.column(0));
    return map_rows<double>(call.rows,
                            [&](size_t i)
                            {
                                double entropy = 0;
                                const auto total = static_cast<double>(rows[i].size());
                                for (const uint32_t count : byte_counts(rows[i]))
                                    if (count != 0)
                                    {
                                        const double p = count / total;
                                        entropy -= p * std::log2(p);
                                    }
                                return entropy;
                            });
}

ColumnPtr run_compare(const Call& call)
{
    const StringRows lefts(call.column(0));
    const StringRows rights(call.column(1));
    const IntegerRows left_at(call[2]);
    const IntegerRows right_at(call[3]);
    const IntegerRows sizes(call[4]);
    return map_rows<int8_t>(
        call.rows,
        [&](size_t i)
        {
            if (left_at[i] < 0 || right_at[i] < 0 || sizes[i] < 0)
                throw Error(error_codes::BAD_ARGUMENTS,
                            "Offsets and size of compareSubstrings must not be negative");
            const auto piece = [&](std::string_view text, int64_t at)
            {
                return text.substr(std::min<size_t>(static_cast<size_t>(at), text.size()),
                                   static_cast<size_t>(sizes[i]));
            };
            const int order = piece(lefts[i], left_at[i]).compare(piece(rights[i], right_at[i]));
            return order < 0 ? -1 : order > 0 ? 1 : 0;
        });
}

ColumnPtr run_reverse_by(const Call& call)
{
    const std::string separator =
        call.size() > 1 ? constant_text(call.name, call.arguments, 1) : ".";
    if (separator.empty())
    {
        // Every byte is a piece of its own.
        const StringRows rows(call.column(0));
        StringWriter out(call.rows, rows.chars_size());
        for (size_t i = 0; i < call.rows; ++i)
        {
            const std::string_view text = rows[i];
            for (size_t j = text.size(); j > 0; --j)
                out.write(text[j - 1]);
            out.end_row();
        }
        return out.finish();
    }
    const StringRows rows(call.column(0));
    StringWriter out(call.rows, rows.chars_size());
    for (size_t i = 0; i < call.rows; ++i)
    {
        std::string_view rest = rows[i];
        for (;;)
        {
            const size_t hit = rest.rfind(separator);
            if (hit == rest.npos)
                break;
            out.write(rest.substr(hit + separator.size()));
            out.write(separator);
            rest = rest.substr(0, hit);
        }
        out.row(rest);
    }
    return out.finish();
}

// Writes the text folded; invalid UTF-8 becomes replacement characters.
void write_folded(StringWriter& out, std::string_view text)
{
    UErrorCode status = U_ZERO_ERROR;
    static const UCaseMap* const map = ucasemap_open("", U_FOLD_CASE_DEFAULT, &status);
    size_t room = text.size() * 3 + 16;
    for (int attempt = 0; attempt < 2; ++attempt)
    {
        status = U_ZERO_ERROR;
        const int32_t size = ucasemap_utf8FoldCase(map, out.room(room), static_cast<int32_t>(room),
                                                   text.data(), static_cast<int32_t>(text.size()),
                                                   &status);
        if (status == U_BUFFER_OVERFLOW_ERROR)
        {
            room = static_cast<size_t>(size) + 1;
            continue;
        }
        out.advance(static_cast<size_t>(size));
        return;
    }
}

ColumnPtr folded(const ColumnPtr& column, size_t rows_count)
{
    const StringRows rows(column);
    const size_t count = rows.constant() ? 1 : rows_count;
    StringWriter out(count, rows.chars_size());
    for (size_t i = 0; i < count; ++i)
    {
        write_folded(out, rows[i]);
        out.end_row();
    }
    const ColumnPtr result = out.finish();
    return rows.constant() ? std::make_shared<ConstantColumn>(result, rows_count) : result;
}

ColumnPtr run_fold(const Call& call)
{
    return folded(call.column(0), call.rows);
}

template <bool kStart> ColumnPtr run_affix(const Call& call)
{
    const ColumnPtr texts = folded(call.column(0), call.rows);
    const ColumnPtr parts = folded(call.column(1), call.rows);
    const StringRows rows(texts);
    const StringRows affixes(parts);
    return map_rows<uint8_t>(call.rows,
                             [&](size_t i) {
                                 return kStart ? rows[i].starts_with(affixes[i])
                                               : rows[i].ends_with(affixes[i]);
                             });
}

// Decomposed, marks dropped, composed again.
ColumnPtr run_remove_diacritics(const Call& call)
{
    UErrorCode status = U_ZERO_ERROR;
    const UNormalizer2* decompose = unorm2_getNFDInstance(&status);
    const UNormalizer2* compose = unorm2_getNFCInstance(&status);
    const StringRows rows(call.column(0));
    StringWriter out(call.rows, rows.chars_size());
    std::vector<UChar> wide, apart, kept;
    const auto check = [&]
    {
        if (U_FAILURE(status))
            throw Error(error_codes::CANNOT_NORMALIZE_STRING,
                        fmt::format("Cannot normalize a text: {}", u_errorName(status)));
    };
    for (size_t i = 0; i < call.rows; ++i)
    {
        const std::string_view text = rows[i];
        status = U_ZERO_ERROR;
        int32_t wide_size = 0;
        wide.resize(text.size() + 1);
        u_strFromUTF8(wide.data(), static_cast<int32_t>(wide.size()), &wide_size, text.data(),
                      static_cast<int32_t>(text.size()), &status);
        check();
        apart.resize(static_cast<size_t>(wide_size) * 4 + 8);
        const int32_t apart_size =
            unorm2_normalize(decompose, wide.data(), wide_size, apart.data(),
                             static_cast<int32_t>(apart.size()), &status);
        check();
        int32_t kept_size = 0;
        for (int32_t j = 0; j < apart_size;)
        {
            const int32_t begin = j;
            UChar32 c;
            U16_NEXT(apart.data(), j, apart_size, c);
            if (u_charType(c) == U_NON_SPACING_MARK)
                continue;
            for (int32_t k = begin; k < j; ++k)
                apart[static_cast<size_t>(kept_size++)] = apart[static_cast<size_t>(k)];
        }
        kept.resize(static_cast<size_t>(kept_size) + 8);
        const int32_t size = unorm2_normalize(compose, apart.data(), kept_size, kept.data(),
                                              static_cast<int32_t>(kept.size()), &status);
        check();
        int32_t bytes = 0;
        const size_t room = static_cast<size_t>(size) * 3 + 1;
        u_strToUTF8(out.room(room), static_cast<int32_t>(room), &bytes, kept.data(), size, &status);
        check();
        out.advance(static_cast<size_t>(bytes));
        out.end_row();
    }
    return out.finish();
}

constexpr auto kString = type_is<TypeId::String>;
constexpr auto kFlag = type_is<TypeId::UInt8>;
constexpr FunctionSpec kWidth{"visibleWidth", "*", type_is<TypeId::UInt64>, run_width,
                              kKeepNulls};
constexpr FunctionSpec kUniq{"stringBytesUniq", "s", type_is<TypeId::UInt16>, run_bytes_uniq};
constexpr FunctionSpec kEntropy{"stringBytesEntropy", "s", type_is<TypeId::Float64>,
                                run_bytes_entropy};
constexpr FunctionSpec kCompare{"compareSubstrings", "s s i i i", type_is<TypeId::Int8>,
                                run_compare};
constexpr FunctionSpec kReverseBy{"reverseBySeparator", "s [ s!", kString, run_reverse_by};
constexpr FunctionSpec kFold{"caseFoldUTF8", "s", kString, run_fold};
constexpr FunctionSpec kDiacritics{"removeDiacriticsUTF8", "s", kString, run_remove_diacritics, 0,
                                   "removeAccentsUTF8"};
constexpr FunctionSpec kStarts{"startsWithCaseInsensitiveUTF8", "s s", kFlag, run_affix<true>};
constexpr FunctionSpec kEnds{"endsWithCaseInsensitiveUTF8", "s s", kFlag, run_affix<false>};

} // namespace

void register_string_measure(ScalarRegistry& registry)
{
    add_all<kWidth, kUniq, kEntropy, kCompare, kReverseBy, kFold, kDiacritics, kStarts, kEnds>(
        registry);
}

} // namespace basalt
