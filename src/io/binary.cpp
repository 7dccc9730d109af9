#include "io/binary.h"

#include "base/error.h"

#include <algorithm>
#include <fmt/core.h>

namespace basalt
{

uint64_t read_varint_slow(InputBuffer& in)
{
    uint64_t value = 0;
    for (unsigned shift = 0; shift < 64; shift += 7)
    {
        const auto byte = static_cast<unsigned char>(in.read_byte());
        if (shift == 63 && byte > 1)
            break;
        value |= static_cast<uint64_t>(byte & 0x7F) << shift;
        if (byte < 0x80)
            return value;
    }
    throw Error(error_codes::INCORRECT_DATA, "Variable-length integer is longer than 64 bits");
}

std::string read_string(InputBuffer& in, uint64_t max_bytes)
{
    uint64_t left = read_varint(in);
    if (left > max_bytes)
        throw Error(error_codes::TOO_LARGE_STRING_SIZE,
                    fmt::format("Too large string size: {} bytes, at most {}", left, max_bytes));
    std::string text;
    while (left > 0)
    {
        constexpr uint64_t kPiece = 1 << 20;
        const size_t n = static_cast<size_t>(std::min(left, kPiece));
        const size_t old_size = text.size();
        text.resize(old_size + n);
        in.read_exact(text.data() + old_size, n);
        left -= n;
    }
    return text;
}

} // namespace basalt
