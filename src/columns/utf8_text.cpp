#include "columns/string_text.h"

namespace basalt
{

namespace
{

// Length of the well-formed sequence at the start of text, 0 when there is none.
size_t sequence_length(std::string_view text, uint32_t& code)
{
    const auto byte = [&](size_t i) { return static_cast<unsigned char>(text[i]); };
    const auto continues = [&](size_t i) { return i < text.size() && (byte(i) & 0xC0) == 0x80; };
    const uint32_t first = byte(0);
    if (first < 0x80)
    {
        code = first;
        return 1;
    }
    if (first >= 0xC2 && first < 0xE0 && continues(1))
    {
        code = (first & 0x1F) << 6 | (byte(1) & 0x3Fu);
        return 2;
    }
    if (first >= 0xE0 && first < 0xF0 && continues(1) && continues(2))
    {
        code = (first & 0x0F) << 12 | (byte(1) & 0x3Fu) << 6 | (byte(2) & 0x3Fu);
        return code >= 0x800 && (code < 0xD800 || code >= 0xE000) ? 3 : 0;
    }
    if (first >= 0xF0 && first < 0xF5 && continues(1) && continues(2) && continues(3))
    {
        code = (first & 0x07) << 18 | (byte(1) & 0x3Fu) << 12 | (byte(2) & 0x3Fu) << 6 |
               (byte(3) & 0x3Fu);
        return code >= 0x10000 && code < 0x110000 ? 4 : 0;
    }
    return 0;
}

// East Asian wide and fullwidth blocks, emoji (Unicode 15, EastAsianWidth.txt, by block).
bool is_wide(uint32_t c)
{
    return (c >= 0x1100 && c <= 0x115F) || (c >= 0x2E80 && c <= 0x303E) ||
           (c >= 0x3041 && c <= 0x33FF) || (c >= 0x3400 && c <= 0x4DBF) ||
           (c >= 0x4E00 && c <= 0x9FFF) || (c >= 0xA000 && c <= 0xA4CF) ||
           (c >= 0xAC00 && c <= 0xD7A3) || (c >= 0xF900 && c <= 0xFAFF) ||
           (c >= 0xFE30 && c <= 0xFE6F) || (c >= 0xFF00 && c <= 0xFF60) ||
           (c >= 0xFFE0 && c <= 0xFFE6) || (c >= 0x1F300 && c <= 0x1F64F) ||
           (c >= 0x1F680 && c <= 0x1F6FF) || (c >= 0x1F900 && c <= 0x1F9FF) ||
           (c >= 0x20000 && c <= 0x3FFFD);
}

bool is_combining(uint32_t c)
{
    return (c >= 0x0300 && c <= 0x036F) || (c >= 0x0483 && c <= 0x0489) ||
           (c >= 0x0591 && c <= 0x05BD) || (c >= 0x064B && c <= 0x065F) ||
           (c >= 0x1AB0 && c <= 0x1AFF) || (c >= 0x1DC0 && c <= 0x1DFF) ||
           (c >= 0x200B && c <= 0x200F) || (c >= 0x20D0 && c <= 0x20FF) ||
           (c >= 0xFE00 && c <= 0xFE0F) || (c >= 0xFE20 && c <= 0xFE2F) || c == 0xFEFF;
}

} // namespace

std::string valid_utf8(std::string_view text)
{
    std::string out;
    out.reserve(text.size());
    while (!text.empty())
    {
        uint32_t code = 0;
        size_t length = sequence_length(text, code);
        if (length == 0)
        {
            out += "\xEF\xBF\xBD";
            length = 1;
            while (length < text.size() && (static_cast<unsigned char>(text[length]) & 0xC0) == 0x80)
                ++length;
        }
        else
            out += text.substr(0, length);
        text.remove_prefix(length);
    }
    return out;
}

namespace
{

// Calls `take(bytes, columns)` for each character; stops when it returns false.
template <class Take> void for_each_character(std::string_view text, size_t prefix, const Take& take)
{
    constexpr size_t kTabWidth = 8;
    size_t width = 0;
    enum
    {
        Text,
        AfterEscape,
        InSequence, // ESC [ … up to a letter
    } state = Text;
    while (!text.empty())
    {
        uint32_t code = 0;
        size_t length = sequence_length(text, code);
        size_t columns = 1;
        if (length == 0)
        {
            length = 1;
            columns = 0;
        }
        else if (state == AfterEscape)
        {
            state = code == '[' ? InSequence : Text;
            columns = 0;
        }
        else if (state == InSequence)
        {
            if (code >= 0x40 && code <= 0x7E)
                state = Text;
            columns = 0;
        }
        else if (code == 0x1B)
        {
            state = AfterEscape;
            columns = 0;
        }
        else if (code == '\t')
            columns = kTabWidth - (prefix + width) % kTabWidth;
        else if (code == 0x7F || code < 0x20 || is_combining(code))
            columns = 0;
        else if (is_wide(code))
            columns = 2;
        width += columns;
        if (!take(length, columns))
            return;
        text.remove_prefix(length);
    }
}

} // namespace

size_t text_width(std::string_view text, size_t prefix)
{
    size_t width = 0;
    for_each_character(text, prefix,
                       [&](size_t, size_t columns)
                       {
                           width += columns;
                           return true;
                       });
    return width;
}

size_t prefix_of_width(std::string_view text, size_t width)
{
    size_t bytes = 0;
    size_t used = 0;
    for_each_character(text, 0,
                       [&](size_t length, size_t columns)
                       {
                           if (used + columns > width)
                               return false;
                           used += columns;
                           bytes += length;
                           return true;
                       });
    return bytes;
}

} // namespace basalt
