// trimLeft, trimRight, trimBoth, leftPad, rightPad, repeat, space, appendTrailingCharIfAbsent,
// startsWith, endsWith.

#include "functions/scalar/column_rows.h"
#include "functions/scalar/utf8.h"

#include <fmt/core.h>

#include <array>

namespace basalt
{

// Most times that repeat() repeats and most characters that space() and the pads give.
inline constexpr int64_t kMaxRepeat = 1'000'000;

namespace
{

enum Side
{
    kLeftSide = 1,
    kRightSide = 2,
};

template <int kSides> ColumnPtr run_trim(const Call& call)
{
    const StringRows rows(call.column(0));
    std::array<bool, 256> drop{};
    if (call.size() == 1)
        drop[static_cast<unsigned char>(' ')] = true;
    else
        for (const char c : constant_text(call.name, call.arguments, 1))
            drop[static_cast<unsigned char>(c)] = true;
    StringWriter out(call.rows, rows.chars_size());
    for (size_t i = 0; i < call.rows; ++i)
    {
        std::string_view text = rows[i];
        if (kSides & kLeftSide)
            while (!text.empty() && drop[static_cast<unsigned char>(text.front())])
                text.remove_prefix(1);
        if (kSides & kRightSide)
            while (!text.empty() && drop[static_cast<unsigned char>(text.back())])
                text.remove_suffix(1);
        out.row(text);
    }
    return out.finish();
}

template <bool kUtf8> void write_padding(StringWriter& out, std::string_view pad, size_t count)
{
    const size_t pad_length = kUtf8 ? utf8_length(pad) : pad.size();
    for (; count >= pad_length; count -= pad_length)
        out.write(pad);
    out.write(pad.substr(0, kUtf8 ? utf8_advance(pad, 0, count) : count));
}

template <bool kLeft, bool kUtf8> ColumnPtr run_pad(const Call& call)
{
    const ColumnPtr source = as_text(call[0], call.context);
    const StringRows rows(source);
    const IntegerRows lengths(call[1]);
    std::string pad = call.size() == 3 ? constant_text(call.name, call.arguments, 2) : " ";
    if (pad.empty())
        pad = " ";
    StringWriter out(call.rows);
    for (size_t i = 0; i < call.rows; ++i)
    {
        const std::string_view text = rows[i];
        const int64_t wanted = lengths[i];
        if (wanted < 0)
            throw Error(error_codes::INDEX_OF_POSITIONAL_ARGUMENT_IS_OUT_OF_RANGE,
                        fmt::format("New padded length ({}) is negative", wanted));
        if (wanted > kMaxRepeat)
            throw Error(error_codes::TOO_LARGE_STRING_SIZE,
                        fmt::format("New padded length ({}) is too big, maximum is: {}", wanted,
                                    kMaxRepeat));
        const auto target = static_cast<size_t>(wanted);
        const size_t length = kUtf8 ? utf8_length(text) : text.size();
        if (target <= length)
        {
            out.row(text.substr(0, kUtf8 ? utf8_advance(text, 0, target) : target));
            continue;
        }
        if (!kLeft)
            out.write(text);
        write_padding<kUtf8>(out, pad, target - length);
        if (kLeft)
            out.write(text);
        out.end_row();
    }
    return out.finish();
}

void check_repeat(int64_t times)
{
    if (times > kMaxRepeat)
        throw Error(error_codes::TOO_LARGE_STRING_SIZE,
                    fmt::format("Too many times to repeat ({}), maximum is: {}", times,
                                kMaxRepeat));
}

ColumnPtr run_repeat(const Call& call)
{
    const StringRows rows(call.column(0));
    const IntegerRows times(call[1]);
    StringWriter out(call.rows);
    for (size_t i = 0; i < call.rows; ++i)
    {
        check_repeat(times[i]);
        const std::string_view text = rows[i];
        if (times[i] > 0)
        {
            const auto n = static_cast<size_t>(times[i]);
            char* to = out.room(text.size() * n);
            for (size_t j = 0; j < n; ++j)
                std::memcpy(to + j * text.size(), text.data(), text.size());
            out.advance(text.size() * n);
        }
        out.end_row();
    }
    return out.finish();
}

ColumnPtr run_space(const Call& call)
{
    const IntegerRows times(call[0]);
    StringWriter out(call.rows);
    for (size_t i = 0; i < call.rows; ++i)
    {
        check_repeat(times[i]);
        if (times[i] > 0)
            out.fill(static_cast<size_t>(times[i]), ' ');
        out.end_row();
    }
    return out.finish();
}

ColumnPtr run_append_trailing(const Call& call)
{
    const StringRows rows(call.column(0));
    const std::string last = constant_text(call.name, call.arguments, 1);
    if (last.size() != 1)
        throw Error(error_codes::BAD_ARGUMENTS,
                    fmt::format("Second argument of function {} must be a one-character string",
                                call.name));
    StringWriter out(call.rows, rows.chars_size() + call.rows);
    for (size_t i = 0; i < call.rows; ++i)
    {
        out.write(rows[i]);
        if (!rows[i].empty() && rows[i].back() != last[0])
            out.write(last[0]);
        out.end_row();
    }
    return out.finish();
}

bool equal_folded(std::string_view a, std::string_view b)
{
    for (size_t i = 0; i < a.size(); ++i)
    {
        const auto fold = [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c | 32) : c; };
        if (fold(a[i]) != fold(b[i]))
            return false;
    }
    return true;
}

// Whether the items of row i of `whole` begin (end) with those of `part`.
template <bool kStart>
bool array_affix(const ArrayRows& whole, const ArrayRows& part, const Column& whole_items,
                 const Column& part_items, size_t i)
{
    const size_t n = part.length(i);
    if (n > whole.length(i))
        return false;
    const size_t from = kStart ? whole.begin(i) : whole.end(i) - n;
    for (size_t j = 0; j < n; ++j)
        if (whole_items.compare_at(from + j, part_items, part.begin(i) + j, 1) != 0)
            return false;
    return true;
}

template <bool kStart, bool kFold> ColumnPtr run_affix(const Call& call)
{
    if (call.type(0)->is(TypeId::Array))
    {
        const TypePtr common = common_type({call.type(0), call.type(1)});
        const ColumnPtr whole_column = cast_to(call[0], common, call.context);
        const ColumnPtr part_column = cast_to(call[1], common, call.context);
        const ArrayRows whole(whole_column);
        const ArrayRows part(part_column);
        return map_rows<uint8_t>(call.rows,
                                 [&](size_t i) {
                                     return array_affix<kStart>(whole, part, *whole.items(),
                                                                *part.items(), i);
                                 });
    }
    const StringRows rows(call.column(0));
    const StringRows parts(call.column(1));
    return map_rows<uint8_t>(
        call.rows,
        [&](size_t i)
        {
            const std::string_view text = rows[i];
            const std::string_view part = parts[i];
            if (part.size() > text.size())
                return false;
            const std::string_view piece =
                kStart ? text.substr(0, part.size()) : text.substr(text.size() - part.size());
            return kFold ? equal_folded(piece, part) : piece == part;
        });
}

TypePtr affix_type(const TypeCall& call)
{
    if (call.type(0)->is(TypeId::Array) != call.type(1)->is(TypeId::Array))
        throw_illegal_type(call.name, call.arguments, 1, "the kind of the first");
    return simple_type(TypeId::UInt8);
}

constexpr auto kString = type_is<TypeId::String>;
constexpr FunctionSpec kTrimLeft{"trimLeft", "s [ s!", kString, run_trim<kLeftSide>, 0, "ltrim"};
constexpr FunctionSpec kTrimRight{"trimRight", "s [ s!", kString, run_trim<kRightSide>, 0,
                                  "rtrim"};
constexpr FunctionSpec kTrimBoth{"trimBoth", "s [ s!", kString,
                                 run_trim<kLeftSide | kRightSide>, 0, "trim"};
constexpr FunctionSpec kLeftPad{"leftPad", "s i [ s!", kString, run_pad<true, false>, 0, "lpad*"};
constexpr FunctionSpec kLeftPadUtf8{"leftPadUTF8", "s i [ s!", kString, run_pad<true, true>};
constexpr FunctionSpec kRightPad{"rightPad", "s i [ s!", kString, run_pad<false, false>, 0,
                                 "rpad*"};
constexpr FunctionSpec kRightPadUtf8{"rightPadUTF8", "s i [ s!", kString, run_pad<false, true>};
constexpr FunctionSpec kRepeat{"repeat", "s i", kString, run_repeat, kCaseInsensitive};
constexpr FunctionSpec kSpace{"space", "i", kString, run_space, kCaseInsensitive};
constexpr FunctionSpec kAppend{"appendTrailingCharIfAbsent", "s s!", kString,
                               run_append_trailing};
constexpr FunctionSpec kStarts{"startsWith", "sa sa", affix_type, run_affix<true, false>};
constexpr FunctionSpec kEnds{"endsWith", "sa sa", affix_type, run_affix<false, false>};
constexpr FunctionSpec kStartsUtf8{"startsWithUTF8", "s s", affix_type, run_affix<true, false>};
constexpr FunctionSpec kEndsUtf8{"endsWithUTF8", "s s", affix_type, run_affix<false, false>};
constexpr FunctionSpec kStartsFold{"startsWithCaseInsensitive", "s s", affix_type,
                                   run_affix<true, true>};
constexpr FunctionSpec kEndsFold{"endsWithCaseInsensitive", "s s", affix_type,
                                 run_affix<false, true>};

} // namespace

void register_string_trim(ScalarRegistry& registry)
{
    add_all<kTrimLeft, kTrimRight, kTrimBoth, kLeftPad, kLeftPadUtf8, kRightPad, kRightPadUtf8,
            kRepeat, kSpace, kAppend, kStarts, kEnds, kStartsUtf8, kEndsUtf8, kStartsFold,
            kEndsFold>(registry);
}

} // namespace basalt
