#include "programs/bench/target.h"

#include "base/clock.h"
#include "base/error.h"

#include <algorithm>
#include <cstdlib>
#include <fmt/format.h>
#include <unistd.h>

namespace basalt::bench
{

namespace
{

// A number out of the statistics of FORMAT JSON.
std::optional<uint64_t> statistic(const std::string& json, const std::string& key)
{
    const size_t at = json.rfind("\"" + key + "\":");
    if (at == std::string::npos)
        return std::nullopt;
    return std::strtoull(json.c_str() + at + key.size() + 3, nullptr, 10);
}

} // namespace

double median(std::vector<double> values)
{
    if (values.empty())
        return 0;
    std::sort(values.begin(), values.end());
    const size_t n = values.size();
    return n % 2 ? values[n / 2] : (values[n / 2 - 1] + values[n / 2]) / 2;
}

Target::Target(std::string name, std::string url)
    : name_(std::move(name)), url_(std::move(url)), client_(parse_http_url(url_), 3600000)
{
    has_query_log_ = value("SELECT count() FROM system.tables WHERE database = 'system' AND name = "
                           "'query_log'") != "0";
}

std::string Target::ask(const std::string& sql)
{
    return client_.query(sql, {{"default_format", "TSV"}});
}

std::string Target::value(const std::string& sql)
{
    std::string text = ask(sql);
    while (!text.empty() && (text.back() == '\n' || text.back() == ' '))
        text.pop_back();
    return text;
}

uint64_t Target::number(const std::string& sql)
{
    return std::strtoull(value(sql).c_str(), nullptr, 10);
}

Sample Target::measure(const std::string& sql, bool with_reads)
{
    Sample sample;
    last_query_id_ = fmt::format("bench-{}-{}-{}", getpid(), name_, ++serial_);
    MemoryInputBuffer body(sql);
    const int64_t start = system_clock().monotonic_ns();
    const HttpReply reply =
        client_.post({{"default_format", "TSV"}, {"query_id", last_query_id_}}, &body,
                     [&](std::string_view piece) { sample.answer.append(piece); });
    sample.seconds = static_cast<double>(system_clock().monotonic_ns() - start) / 1e9;
    if (reply.status != 200)
        throw error_of_reply(reply, sample.answer);
    if (auto it = reply.headers.find("x-elapsed-ms"); it != reply.headers.end())
        sample.seconds = std::atof(it->second.c_str()) / 1e3;
    if (!with_reads)
        return sample;
    if (has_query_log_)
    {
        const auto log = last_log();
        if (auto it = log.find("read_rows"); it != log.end())
            sample.read_rows = std::strtoull(it->second.c_str(), nullptr, 10);
        if (auto it = log.find("read_bytes"); it != log.end())
            sample.read_bytes = std::strtoull(it->second.c_str(), nullptr, 10);
        return sample;
    }
    const std::string json = client_.query(sql, {{"default_format", "JSON"}});
    sample.read_rows = statistic(json, "rows_read");
    sample.read_bytes = statistic(json, "bytes_read");
    return sample;
}

std::map<std::string, std::string> Target::last_log()
{
    std::map<std::string, std::string> log;
    if (!has_query_log_ || last_query_id_.empty())
        return log;
    ask("SYSTEM FLUSH LOGS");
    const std::string line =
        value(fmt::format("SELECT read_rows, read_bytes, result_rows, memory_usage, "
                          "query_duration_ms, toString(ProfileEvents) FROM system.query_log WHERE "
                          "query_id = '{}' AND type = 'QueryFinish' LIMIT 1",
                          last_query_id_));
    static constexpr const char* kNames[] = {"read_rows",    "read_bytes",        "result_rows",
                                             "memory_usage", "query_duration_ms", "ProfileEvents"};
    size_t begin = 0;
    for (const char* name : kNames)
    {
        if (begin >= line.size())
            break;
        const size_t end = std::min(line.find('\t', begin), line.size());
        log[name] = line.substr(begin, end - begin);
        begin = end + 1;
    }
    return log;
}

} // namespace basalt::bench
