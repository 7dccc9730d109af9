#pragma once

// Lines to try templates on: like logs, and as odd as they come.

#include "base/clock.h"
#include "columns/column.h"

#include <cstdio>
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

inline std::string nginx_line(SeededRandom& random)
{
    static const char* const kPaths[] = {"/", "/index.html", "/api/v2/items?id=%d", "/static/app.js",
                                         "/login?next=/cart_items", "/img/100%25.png"};
    static const char* const kAgents[] = {
        "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36", "curl/7.88.1", "kube-probe/1.29",
        "Go-http-client/1.1"};
    const auto below = [&](uint64_t n) { return random.next_u64() % n; };
    std::string path = kPaths[below(6)];
    if (const size_t at = path.find("%d"); at != std::string::npos)
        path.replace(at, 2, std::to_string(below(5000)));
    char head[96];
    std::snprintf(head, sizeof head, "10.%d.%d.%d - - [%02d/Aug/2026:%02d:%02d:%02d +0000] \"",
                  static_cast<int>(below(4)), static_cast<int>(below(256)),
                  static_cast<int>(below(256)), static_cast<int>(1 + below(28)),
                  static_cast<int>(below(24)), static_cast<int>(below(60)),
                  static_cast<int>(below(60)));
    return head + std::string(below(4) ? "GET " : "POST ") + path + " HTTP/1.1\" " +
           (below(9) ? "200 " : "503 ") + std::to_string(below(90000)) + " \"-\" \"" +
           kAgents[below(4)] + "\" 0.0" + std::to_string(10 + below(90)) + " " +
           hex_digits(random, 32);
}

inline std::string syslog_line(SeededRandom& random)
{
    const auto below = [&](uint64_t n) { return random.next_u64() % n; };
    static const char* const kUsers[] = {"root", "admin", "Ubuntu", "git"};
    char head[64];
    std::snprintf(head, sizeof head, "%s %2d %02d:%02d:%02d node-%d ", below(2) ? "Aug" : "Sep",
                  static_cast<int>(1 + below(30)), static_cast<int>(below(24)),
                  static_cast<int>(below(60)), static_cast<int>(below(60)),
                  static_cast<int>(below(12)));
    const std::string pid = "[" + std::to_string(100 + below(30000)) + "]: ";
    switch (below(4))
    {
    case 0:
        return head + ("sshd" + pid) + "Failed password for invalid user " + kUsers[below(4)] +
               " from 192.0.2." + std::to_string(below(256)) + " port " +
               std::to_string(1024 + below(60000)) + " ssh2";
    case 1:
        return head + ("kubelet" + pid) + "E0825 Error syncing pod " + hex_digits(random, 8) + "-" +
               hex_digits(random, 4) + "-" + hex_digits(random, 4) + "-" + hex_digits(random, 4) +
               "-" + hex_digits(random, 12) + ", skipping: TIMEOUT after " +
               std::to_string(below(60)) + "s";
    case 2:
        return head + ("kernel: [" + std::to_string(below(100000)) + "." +
                       std::to_string(100000 + below(900000)) + "] eth0: link up, 0x") +
               hex_digits(random, 4) + ", flow control " + (below(2) ? "RX_TX" : "none");
    default:
        return head + ("CRON" + pid) + "(root) CMD (run-parts --report /etc/cron.hourly)";
    }
}

// One head before messages of many kinds, with paths and quoted texts of many kinds.
inline std::string service_line(SeededRandom& random)
{
    const auto below = [&](uint64_t n) { return random.next_u64() % n; };
    const auto number = [&](uint64_t n) { return std::to_string(random.next_u64() % n); };
    static const char* const kNames[] = {"orders", "users", "cart", "search", "billing"};
    char head[80];
    std::snprintf(head, sizeof head, "2026-08-25T12:%02d:%02d.%03dZ [%d] ",
                  static_cast<int>(below(60)), static_cast<int>(below(60)),
                  static_cast<int>(below(1000)), static_cast<int>(100 + below(300)));
    const std::string name = kNames[below(5)];
    std::string path = "com.example." + name + "." + kNames[below(5)] + "." + kNames[below(5)];
    for (uint64_t i = below(3); i > 0; --i)
        path += "$Part" + number(40);
    switch (below(10))
    {
    case 0:
        return head + ("INFO loading " + path + " from /srv/" + name + "/lib/" + number(90) + ".jar");
    case 1:
        return head + ("WARN slow query \"SELECT " + name + " FROM " + kNames[below(5)] +
                       " WHERE id = " + number(100000) + "\" took " + number(900) + "." +
                       number(10) + " ms");
    case 2:
        return head + ("DEBUG cache " + std::string(below(2) ? "hit" : "miss") + " key=" +
                       hex_digits(random, 16));
    case 3:
        return head + ("INFO user \"" + (below(9) ? name + number(50) : "") + "\" came from 10.0.0." +
                       number(256) + ":" + number(65536));
    case 4:
        return head + ("ERROR " + path + ": not found (attempt " + number(5) + " of 5)");
    case 5:
        return head + ("INFO GET \"/api/v1/" + name + "/" + number(100000) + "?page=" + number(9) +
                       "&limit=20\" -> " + number(600));
    case 6:
        return head + ("DEBUG pool " + name + ": " + number(10) + "/" + number(50) + " busy, " +
                       number(9) + " waiting");
    case 7:
        return head + ("INFO done " + hex_digits(random, 8) + "-" + hex_digits(random, 4) + "-4" +
                       hex_digits(random, 3) + "-" + "89ab"[below(4)] + hex_digits(random, 3) + "-" +
                       hex_digits(random, 12));
    case 8:
        return std::string("\tat ") + path + ".run(" + name + ".java:" + number(900) + ")";
    default:
        return head + ("TRACE [" + name + "] " + number(100) + "% of " + number(1000000) + " rows");
    }
}

inline std::string json_line(SeededRandom& random)
{
    const auto below = [&](uint64_t n) { return random.next_u64() % n; };
    static const char* const kLevels[] = {"info", "warn", "error"};
    static const char* const kMessages[] = {"request done", "slow query", "cache_miss", "50% full"};
    std::string line = "{\"level\":\"" + std::string(kLevels[below(3)]) + "\",\"ts\":1787616" +
                       std::to_string(100 + below(900)) + "." + std::to_string(100 + below(900)) +
                       ",\"msg\":\"" + kMessages[below(4)] + "\"";
    if (below(3))
        line += ",\"user\":\"u" + std::to_string(below(300)) + "\"";
    if (below(2))
        line += ",\"span\":\"" + hex_digits(random, 16) + "\"";
    return line + ",\"took\":" + std::to_string(below(900)) + "." + std::to_string(1 + below(9)) +
           "}";
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
