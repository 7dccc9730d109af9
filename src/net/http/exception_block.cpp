#include "net/http/exception_block.h"

#include <fmt/format.h>

namespace basalt
{

std::string random_exception_tag(RandomSource& random)
{
    std::string tag;
    uint64_t bits = 0;
    for (size_t i = 0; i < kExceptionTagBytes; ++i)
    {
        if (i % 8 == 0)
            bits = random.next_u64();
        tag += static_cast<char>('a' + (bits & 0xff) % 26);
        bits >>= 8;
    }
    return tag;
}

std::string exception_block(std::string_view tag, std::string_view text)
{
    constexpr std::string_view kMark = "__exception__";
    constexpr size_t kMaxLengthDigits = 10;
    const size_t around = 2 * kMark.size() + 2 * tag.size() + 4 * 2 + 1 + 1 + 2 + kMaxLengthDigits;
    if (text.size() + around > kMaxExceptionBlockBytes)
    {
        size_t end = kMaxExceptionBlockBytes - around;
        while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xc0) == 0x80)
            --end; // not in the middle of a character
        text = text.substr(0, end);
    }
    // The length counts the line end behind the text.
    return fmt::format("\r\n{0}\r\n{1}\r\n{2}\n{3} {1}\r\n{0}\r\n", kMark, tag, text,
                       text.size() + 1);
}

} // namespace basalt
