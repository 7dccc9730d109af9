// substring, left, right by bytes and code points; substringIndex; overlay.

#include "functions/scalar/column_rows.h"
#include "functions/scalar/utf8.h"

#include <fmt/core.h>

namespace basalt
{
namespace
{

struct Span
{
    size_t begin;
    size_t end;
};

// The part of a text of `size` units that substring(offset, length) means: offset counts from 1,
// or from the end when negative; a negative length drops units at the end.
Span clip(size_t size, int64_t offset, bool has_length, int64_t length)
{
    const auto n = static_cast<int64_t>(size);
    if (offset == 0)
        return {0, 0};
    if (offset > n)
        return {0, 0};
    // Before the beginning the window still counts from where it would stand.
    int64_t begin = offset > 0 ? offset - 1 : std::max(offset, -(int64_t{1} << 62)) + n;
    int64_t end = n;
    if (has_length)
    {
        if (length >= 0)
            end = length > n - begin ? n : begin + length;
        else
            end = length < -n ? 0 : n + length;
    }
    begin = std::max<int64_t>(begin, 0);
    if (end <= begin)
        return {0, 0};
    return {static_cast<size_t>(begin), static_cast<size_t>(end)};
}

// Byte positions of code points `span` of text.
Span to_bytes(std::string_view text, Span span)
{
    const size_t begin = utf8_advance(text, 0, span.begin);
    return {begin, utf8_advance(text, begin, span.end - span.begin)};
}

size_t count_points(std::string_view text)
{
    size_t count = 0;
    for (size_t at = 0; at < text.size(); at += utf8_sequence_length(text[at]))
        ++count;
    return count;
}

template <bool kUtf8, class F> ColumnPtr cut_rows(const Call& call, const ColumnPtr& source, F&& f)
{
    const StringRows rows(source);
    StringWriter out(call.rows);
    for (size_t i = 0; i < call.rows; ++i)
    {
        const std::string_view text = rows[i];
        Span span = f(i, kUtf8 ? count_points(text) : text.size());
        if (kUtf8)
            span = to_bytes(text, span);
        out.row(text.substr(span.begin, span.end - span.begin));
    }
    return out.finish();
}

template <bool kUtf8> ColumnPtr run_substring(const Call& call)
{
    const ColumnPtr source = as_text(call[0], call.context);
    const IntegerRows offsets(call[1]);
    if (call.size() == 2)
        return cut_rows<kUtf8>(call, source, [&](size_t i, size_t size)
                               { return clip(size, offsets[i], false, 0); });
    const IntegerRows lengths(call[2]);
    return cut_rows<kUtf8>(call, source, [&](size_t i, size_t size)
                           { return clip(size, offsets[i], true, lengths[i]); });
}

template <bool kUtf8> ColumnPtr run_left(const Call& call)
{
    const ColumnPtr source = as_text(call[0], call.context);
    const IntegerRows lengths(call[1]);
    return cut_rows<kUtf8>(call, source, [&](size_t i, size_t size)
                           { return clip(size, 1, true, lengths[i]); });
}

template <bool kUtf8> ColumnPtr run_right(const Call& call)
{
    const ColumnPtr source = as_text(call[0], call.context);
    const IntegerRows lengths(call[1]);
    return cut_rows<kUtf8>(call, source,
                           [&](size_t i, size_t size) -> Span
                           {
                               const int64_t n = lengths[i];
                               const size_t keep =
                                   n >= 0 ? std::min<uint64_t>(static_cast<uint64_t>(n), size)
                                          : size - std::min<uint64_t>(
                                                       size, uint64_t{0} - static_cast<uint64_t>(n));
                               return {size - keep, size};
                           });
}

std::string_view before_delimiter(std::string_view text, std::string_view delimiter, int64_t count)
{
    if (count == 0)
        return {};
    if (count > 0)
    {
        size_t at = 0;
        for (int64_t i = 0; i < count; ++i)
        {
            const size_t hit = text.find(delimiter, at);
            if (hit == text.npos)
                return text;
            if (i + 1 == count)
                return text.substr(0, hit);
            at = hit + delimiter.size();
        }
        return text;
    }
    size_t end = text.size();
    for (int64_t i = 0; i > count; --i)
    {
        const size_t hit = end < delimiter.size() ? text.npos
                                                  : text.rfind(delimiter, end - delimiter.size());
        if (hit == text.npos)
            return text;
        if (i - 1 == count)
            return text.substr(hit + delimiter.size());
        end = hit;
    }
    return text;
}

ColumnPtr run_substring_index(const Call& call)
{
    const StringRows rows(call.column(0));
    const std::string delimiter = constant_text(call.name, call.arguments, 1);
    const size_t points = call.name == "substringIndex" ? delimiter.size()
                                                        : utf8_length(delimiter);
    if (points != 1)
        throw Error(error_codes::BAD_ARGUMENTS,
                    fmt::format("The delimiter of {} must be a single character", call.name));
    const IntegerRows counts(call[2]);
    StringWriter out(call.rows);
    for (size_t i = 0; i < call.rows; ++i)
        out.row(before_delimiter(rows[i], delimiter, counts[i]));
    return out.finish();
}

template <bool kUtf8> ColumnPtr run_overlay(const Call& call)
{
    const StringRows rows(call.column(0));
    const StringRows replacements(call.column(1));
    const IntegerRows offsets(call[2]);
    std::optional<IntegerRows> lengths;
    if (call.size() == 4)
        lengths.emplace(call[3]);
    StringWriter out(call.rows);
    for (size_t i = 0; i < call.rows; ++i)
    {
        const std::string_view text = rows[i];
        const std::string_view replacement = replacements[i];
        const size_t size = kUtf8 ? count_points(text) : text.size();
        const int64_t offset = offsets[i];
        size_t begin = 0;
        if (offset > 0)
            begin = std::min<uint64_t>(static_cast<uint64_t>(offset) - 1, size);
        else if (offset < 0)
            begin = size - std::min<uint64_t>(uint64_t{0} - static_cast<uint64_t>(offset), size);
        size_t drop = kUtf8 ? count_points(replacement) : replacement.size();
        if (lengths && (*lengths)[i] >= 0)
            drop = static_cast<size_t>((*lengths)[i]);
        Span span{begin, begin + std::min(drop, size - begin)};
        if (kUtf8)
            span = to_bytes(text, span);
        out.write(text.substr(0, span.begin));
        out.write(replacement);
        out.row(text.substr(span.end));
    }
    return out.finish();
}

constexpr auto kString = type_is<TypeId::String>;
constexpr FunctionSpec kSubstring{"substring", "se i [ i", kString, run_substring<false>,
                                  kCaseInsensitive, "substr* mid* byteSlice*"};
constexpr FunctionSpec kSubstringUtf8{"substringUTF8", "se i [ i", kString, run_substring<true>};
constexpr FunctionSpec kLeft{"left", "se i", kString, run_left<false>, kCaseInsensitive};
constexpr FunctionSpec kLeftUtf8{"leftUTF8", "se i", kString, run_left<true>};
constexpr FunctionSpec kRight{"right", "se i", kString, run_right<false>, kCaseInsensitive};
constexpr FunctionSpec kRightUtf8{"rightUTF8", "se i", kString, run_right<true>};
constexpr FunctionSpec kIndex{"substringIndex", "s s! i", kString, run_substring_index, 0,
                              "SUBSTRING_INDEX*"};
constexpr FunctionSpec kIndexUtf8{"substringIndexUTF8", "s s! i", kString, run_substring_index};
constexpr FunctionSpec kOverlay{"overlay", "s s i [ i", kString, run_overlay<false>,
                                kCaseInsensitive};
constexpr FunctionSpec kOverlayUtf8{"overlayUTF8", "s s i [ i", kString, run_overlay<true>};

} // namespace

void register_substring(ScalarRegistry& registry)
{
    add_all<kSubstring, kSubstringUtf8, kLeft, kLeftUtf8, kRight, kRightUtf8, kIndex, kIndexUtf8,
            kOverlay, kOverlayUtf8>(registry);
}

} // namespace basalt
