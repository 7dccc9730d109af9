#include "functions/scalar/utf8.h"

#include "base/unaligned.h"

namespace basalt
{

uint32_t utf8_decode(std::string_view text, size_t at, size_t& length)
{
    length = 1;
    const auto byte = [&](size_t i) -> uint32_t { return static_cast<unsigned char>(text[at + i]); };
    const auto continues = [&](size_t i)
    { return at + i < text.size() && utf8_is_continuation(text[at + i]); };
    const uint32_t lead = byte(0);
    if (lead < 0x80)
        return lead;
    if (lead >= 0xC2 && lead < 0xE0 && continues(1))
    {
        length = 2;
        return (lead & 0x1F) << 6 | (byte(1) & 0x3F);
    }
    if (lead >= 0xE0 && lead < 0xF0 && continues(1) && continues(2))
    {
        const uint32_t code = (lead & 0x0F) << 12 | (byte(1) & 0x3F) << 6 | (byte(2) & 0x3F);
        if (code < 0x800 || (code >= 0xD800 && code < 0xE000))
            return kUtf8Invalid;
        length = 3;
        return code;
    }
    if (lead >= 0xF0 && lead < 0xF5 && continues(1) && continues(2) && continues(3))
    {
        const uint32_t code = (lead & 0x07) << 18 | (byte(1) & 0x3F) << 12 |
                              (byte(2) & 0x3F) << 6 | (byte(3) & 0x3F);
        if (code < 0x10000 || code > 0x10FFFF)
            return kUtf8Invalid;
        length = 4;
        return code;
    }
    return kUtf8Invalid;
}

size_t utf8_encode(uint32_t code, char* out)
{
    if (code < 0x80)
    {
        out[0] = static_cast<char>(code);
        return 1;
    }
    if (code < 0x800)
    {
        out[0] = static_cast<char>(0xC0 | code >> 6);
        out[1] = static_cast<char>(0x80 | (code & 0x3F));
        return 2;
    }
    if (code < 0x10000)
    {
        out[0] = static_cast<char>(0xE0 | code >> 12);
        out[1] = static_cast<char>(0x80 | (code >> 6 & 0x3F));
        out[2] = static_cast<char>(0x80 | (code & 0x3F));
        return 3;
    }
    out[0] = static_cast<char>(0xF0 | code >> 18);
    out[1] = static_cast<char>(0x80 | (code >> 12 & 0x3F));
    out[2] = static_cast<char>(0x80 | (code >> 6 & 0x3F));
    out[3] = static_cast<char>(0x80 | (code & 0x3F));
    return 4;
}

bool utf8_valid(std::string_view text)
{
    size_t at = 0;
    while (at < text.size())
    {
        if (at + 8 <= text.size() &&
            (load<uint64_t>(text.data() + at) & 0x8080808080808080ull) == 0)
        {
            at += 8;
            continue;
        }
        size_t length;
        if (utf8_decode(text, at, length) == kUtf8Invalid)
            return false;
        at += length;
    }
    return true;
}

} // namespace basalt
