#include "encodings/random_uuids.h"

#include "encodings/integer_stream.h"

namespace basalt::inline encodings
{

namespace
{

constexpr size_t kFull = 16;
constexpr size_t kKept = 15; // bytes; and two bits
constexpr uint8_t kDigits = 32;
constexpr size_t kTextHeadBytes = 3; // of a page of HexText, after the page's

uint64_t load_first_highest(const char* from)
{
    return __builtin_bswap64(load<uint64_t>(from));
}
void store_first_highest(char* to, uint64_t value)
{
    store(to, __builtin_bswap64(value));
}

} // namespace

bool write_random_uuids(std::string_view page, std::string& out)
{
    const PageHead head = PageHead::read(page);
    const std::string_view kind = page.substr(kPageHeadBytes, kTextHeadBytes);
    if (kind.size() < kTextHeadBytes || kind[1] != 1 || static_cast<uint8_t>(kind[2]) != kDigits)
        return false;
    const char* const full = page.data() + kPageHeadBytes + kTextHeadBytes;
    const size_t start = out.size();
    out.push_back(kind[0]);
    const size_t kept = out.size();
    out.resize(kept + head.rows * kKept + (head.rows + 3) / 4, 0);
    char* to = out.data() + kept;
    char* const bits = to + head.rows * kKept;
    for (size_t i = 0; i < head.rows; ++i, to += kKept)
    {
        const uint64_t high = load_first_highest(full + i * kFull);
        const uint64_t low = load_first_highest(full + i * kFull + 8);
        if ((high >> 12 & 0xF) != 4 || low >> 62 != 2)
        {
            out.resize(start);
            return false;
        }
        char words[16];
        store_first_highest(words, (high & ~uint64_t{0xFFFF}) | (high & 0xFFF) << 4 |
                                       (low >> 56 & 0xF));
        store_first_highest(words + 8, low << 8);
        std::memcpy(to, words, kKept);
        bits[i / 4] = static_cast<char>(bits[i / 4] | (low >> 60 & 3) << i % 4 * 2);
    }
    return true;
}

std::string read_random_uuids(ByteReader& reader, size_t count)
{
    const uint8_t letters = reader.byte();
    const std::string_view kept = reader.bytes(count * kKept);
    const std::string_view bits = reader.bytes((count + 3) / 4);
    std::string page;
    PageHead head;
    head.encoding = PageEncoding::HexText;
    head.rows = static_cast<uint32_t>(count);
    head.granule_rows = kIntegerBlock;
    head.append_to(page);
    page.push_back(static_cast<char>(letters));
    page.push_back(1);
    page.push_back(static_cast<char>(kDigits));
    const size_t begin = page.size();
    page.resize(begin + count * kFull);
    char* to = page.data() + begin;
    for (size_t i = 0; i < count; ++i, to += kFull)
    {
        char words[16] = {};
        std::memcpy(words, kept.data() + i * kKept, kKept);
        const uint64_t first = load_first_highest(words);
        const uint64_t second = load_first_highest(words + 8);
        const uint64_t variant = 8 | (static_cast<uint64_t>(bits[i / 4]) >> i % 4 * 2 & 3);
        store_first_highest(to, (first & ~uint64_t{0xFFFF}) | 0x4000 | (first >> 4 & 0xFFF));
        store_first_highest(to + 8, variant << 60 | (first & 0xF) << 56 | second >> 8);
    }
    return page;
}

} // namespace basalt::encodings
