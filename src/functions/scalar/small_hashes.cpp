// keccak256 and jumpConsistentHash.

#include "functions/scalar/column_rows.h"

#include <fmt/core.h>

#include <array>
#include <bit>
#include <cstring>

namespace basalt
{
namespace
{

// The permutation of Keccak over 1600 bits (Bertoni, Daemen, Peeters and Van Assche, 2011).
void keccak(std::array<uint64_t, 25>& lanes)
{
    uint8_t lfsr = 1;
    for (int round = 0; round < 24; ++round)
    {
        std::array<uint64_t, 5> parity{};
        for (size_t x = 0; x < 5; ++x)
            for (size_t y = 0; y < 5; ++y)
                parity[x] ^= lanes[x + 5 * y];
        for (size_t x = 0; x < 5; ++x)
        {
            const uint64_t mixed = parity[(x + 4) % 5] ^ std::rotl(parity[(x + 1) % 5], 1);
            for (size_t y = 0; y < 5; ++y)
                lanes[x + 5 * y] ^= mixed;
        }
        size_t x = 1;
        size_t y = 0;
        uint64_t current = lanes[1];
        for (int step = 0; step < 24; ++step)
        {
            const size_t next_y = (2 * x + 3 * y) % 5;
            x = y;
            y = next_y;
            std::swap(current, lanes[x + 5 * y]);
            const int turn = ((step + 1) * (step + 2) / 2) % 64;
            lanes[x + 5 * y] = std::rotl(lanes[x + 5 * y], turn);
        }
        for (size_t line = 0; line < 25; line += 5)
        {
            std::array<uint64_t, 5> old;
            for (size_t i = 0; i < 5; ++i)
                old[i] = lanes[line + i];
            for (size_t i = 0; i < 5; ++i)
                lanes[line + i] = old[i] ^ (~old[(i + 1) % 5] & old[(i + 2) % 5]);
        }
        for (int j = 0; j < 7; ++j)
        {
            if (lfsr & 1)
                lanes[0] ^= uint64_t{1} << ((1 << j) - 1);
            lfsr = static_cast<uint8_t>((lfsr << 1) ^ ((lfsr >> 7) * 0x71));
        }
    }
}

std::array<char, 32> keccak256(std::string_view text)
{
    constexpr size_t kRate = 136;
    std::array<uint64_t, 25> lanes{};
    auto* bytes = reinterpret_cast<unsigned char*>(lanes.data());
    while (text.size() >= kRate)
    {
        for (size_t i = 0; i < kRate; ++i)
            bytes[i] ^= static_cast<unsigned char>(text[i]);
        keccak(lanes);
        text.remove_prefix(kRate);
    }
    for (size_t i = 0; i < text.size(); ++i)
        bytes[i] ^= static_cast<unsigned char>(text[i]);
    bytes[text.size()] ^= 0x01;
    bytes[kRate - 1] ^= 0x80;
    keccak(lanes);
    std::array<char, 32> digest;
    std::memcpy(digest.data(), bytes, digest.size());
    return digest;
}

TypePtr digest_type(const TypeCall&)
{
    return std::make_shared<FixedStringType>(32);
}

ColumnPtr run_keccak(const Call& call)
{
    const StringRows rows(call.column(0));
    auto result = std::make_shared<FixedStringColumn>(32);
    for (size_t i = 0; i < call.rows; ++i)
    {
        const auto digest = keccak256(rows[i]);
        result->append({digest.data(), digest.size()});
    }
    return result;
}

// Lamping and Veach, "A fast, minimal memory, consistent hash algorithm" (2014).
int32_t jump(uint64_t key, int64_t buckets)
{
    int64_t bucket = -1;
    int64_t next = 0;
    while (next < buckets)
    {
        bucket = next;
        key = key * 2862933555777941757ull + 1;
        next = static_cast<int64_t>(static_cast<double>(bucket + 1) *
                                    (static_cast<double>(int64_t{1} << 31) /
                                     static_cast<double>((key >> 33) + 1)));
    }
    return static_cast<int32_t>(bucket);
}

ColumnPtr run_jump(const Call& call)
{
    const ColumnPtr keys = cast_to(call[0], simple_type(TypeId::UInt64), call.context);
    const NumberRows<uint64_t> rows(keys);
    const int64_t buckets = constant_integer(call.name, call.arguments, 1);
    if (buckets <= 0 || buckets > INT32_MAX)
        throw Error(error_codes::BAD_ARGUMENTS,
                    fmt::format("The second argument of function {} (number of buckets) must be "
                                "positive number",
                                call.name));
    return map_rows<int32_t>(call.rows, [&](size_t i) { return jump(rows[i], buckets); });
}

constexpr FunctionSpec kKeccak{"keccak256", "s", digest_type, run_keccak};
constexpr FunctionSpec kJump{"jumpConsistentHash", "i i!", type_is<TypeId::Int32>, run_jump};

} // namespace

void register_small_hashes(ScalarRegistry& registry)
{
    add_all<kKeccak, kJump>(registry);
}

} // namespace basalt
