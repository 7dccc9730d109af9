#pragma once

// Lines to try templates on: like logs, and as odd as they come.

#include "base/clock.h"
#include "columns/column.h"

#include <string>
#include <vector>

namespace basalt
{

inline std::string hex_digits(SeededRandom& random, size_t digits)
{
    std::string text;
    for (size_t i = 0; i < digits; ++i)
        text.push_back("0123456789abcdef"[random.next_u64() % 16]);
    return text;
}

inline std::string log_line(SeededRandom& random)
{
    static const char* const kPaths[] = {"orders", "users", "cart/items", "search"};
    static const char* const kUsers[] = {"alice", "bob", "carol", "dave", "erin"};
    const uint64_t x = random.next_u64();
    const auto number = [&](uint64_t below) { return std::to_string(random.next_u64() % below); };
    switch (x % 10)
    {
    case 0:
        return "2026-08-25 12:" + std::to_string(10 + random.next_u64() % 50) + ":0" + number(10) +
               "." + std::to_string(100 + random.next_u64() % 900) + " INFO user" + number(500) +
               " logged in from 10.0." + number(256) + "." + number(256);
    case 1:
        return "GET /api/v1/" + std::string(kPaths[random.next_u64() % 4]) + " 200 in " +
               number(200) + "." + std::to_string(1 + random.next_u64() % 9) + "ms trace=" +
               hex_digits(random, 32);
    case 2:
        return "session " + hex_digits(random, 8) + "-" + hex_digits(random, 4) + "-4" +
               hex_digits(random, 3) + "-a" + hex_digits(random, 3) + "-" +
               hex_digits(random, 12) + " of " + kUsers[random.next_u64() % 5] + " closed";
    case 3:
        return "temperature=-" + std::to_string(1 + random.next_u64() % 30) + " offset=0x" +
               hex_digits(random, 1 + random.next_u64() % 8) + " id=" + hex_digits(random, 16);
    case 4:
        return "worker-" + number(8) + ": job 000" + number(100) + " done, " + number(1000000) +
               " rows, ratio 0." + std::to_string(1 + random.next_u64() % 999) + "1";
    default:
        return "connection from 192.168.1." + number(256) + " port " + number(65536) +
               (x % 3 ? " accepted" : " refused");
    }
}

inline std::string odd_line(SeededRandom& random)
{
    static const char* const kPieces[] = {
        "",      "0",    "-0",   "01.5", "1.50", "-0.0", "+1",   ".5",   "1e10", "-5",
        "--5",   "12",   "007",  "1.2.3", "1.2.3.4", "256.1.1.1", "01.1.1.1", "0x",
        "0xDEADbeef",    "0x2600d", "abcdef12", "ABCDEF12", "aBcDeF12", "deadbeef",
        "99999999999999999999", "123456789012345678", "1234567890123456789",
        "-123456789012345678", "0.123456789", "0.1234567890", "9223372036854775808",
        "\"quoted text\"", "\"", "key=value", "caf\xc3\xa9", "\xff\xfe", "[ERROR]", "user42",
        "a1b2c3d4e5", "00000000-0000-4000-8000-000000000000",
        "00000000-0000-4000-8000-00000000000A", "12:34:56.789", "2026-02-30", "24:00:00", "2026-08-25 12:00:00.5", "25/Aug/2026:12:00:00", "Aug  5 12:00:00", "%", "_",
        "100%", "a", "Z", "\t", "\n"};
    std::string line;
    const size_t pieces = random.next_u64() % 8;
    for (size_t i = 0; i < pieces; ++i)
    {
        line += kPieces[random.next_u64() % std::size(kPieces)];
        const uint64_t gap = random.next_u64() % 8;
        if (gap == 0)
            line.push_back('\0');
        else if (gap < 5)
            line.push_back(" :=/-,.\""[random.next_u64() % 8]);
    }
    if (random.next_u64() % 2000 == 0)
        line += std::string(1 + random.next_u64() % 20000, 'x');
    if (random.next_u64() % 3 == 0)
        line += hex_digits(random, random.next_u64() % 40);
    return line;
}

template <class F> ColumnPtr lines_of(size_t rows, uint64_t seed, F&& line)
{
    SeededRandom random(seed);
    auto column = std::make_shared<StringColumn>();
    for (size_t i = 0; i < rows; ++i)
        column->append(line(random));
    return column;
}

} // namespace basalt
