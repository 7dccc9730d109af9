#include "programs/benchmark/report.h"

#include <fmt/format.h>

namespace basalt::benchmark
{

namespace
{

constexpr double kLevels[] = {0, 10, 20, 30, 40, 50, 60, 70, 80, 90, 95, 99, 99.9, 99.99};
constexpr double kMebibyte = 1024 * 1024;

struct Rates
{
    double queries, rows, mebibytes, result_rows, result_mebibytes;
};

double all_latencies(const std::vector<Figures>& servers)
{
    double sum = 0;
    for (const auto& server : servers)
        sum += server.latencies.sum();
    return sum;
}

Rates rates_of(const Figures& server, double elapsed_s, double latencies_of_all)
{
    const double seconds =
        latencies_of_all > 0 ? elapsed_s * server.latencies.sum() / latencies_of_all : elapsed_s;
    const auto rate = [seconds](uint64_t count)
    { return seconds > 0 ? static_cast<double>(count) / seconds : 0; };
    return {rate(server.queries), rate(server.read_rows), rate(server.read_bytes) / kMebibyte,
            rate(server.result_rows), rate(server.result_bytes) / kMebibyte};
}

std::string quoted(const std::string& text)
{
    std::string out = "\"";
    for (const char c : text)
        if (c == '"' || c == '\\')
            out += {'\\', c};
        else if (static_cast<unsigned char>(c) < ' ')
            out += fmt::format("\\u{:04x}", static_cast<unsigned char>(c));
        else
            out += c;
    return out + '"';
}

} // namespace

void Figures::clear()
{
    queries = errors = read_rows = read_bytes = result_rows = result_bytes = 0;
    latencies.clear();
}

std::string text_report(const std::vector<Figures>& servers, double elapsed_s, double confidence,
                        int digits)
{
    const double latencies = all_latencies(servers);
    std::string text = "\n";
    for (const auto& server : servers)
    {
        if (server.queries + server.errors == 0)
            continue;
        const Rates rates = rates_of(server, elapsed_s, latencies);
        text += fmt::format("{}, queries: {}, ", server.server, server.queries);
        if (server.errors)
            text += fmt::format("errors: {}, ", server.errors);
        text += fmt::format("QPS: {:.3f}, RPS: {:.3f}, MiB/s: {:.3f}, result RPS: {:.3f}, "
                            "result MiB/s: {:.3f}.\n",
                            rates.queries, rates.rows, rates.mebibytes, rates.result_rows,
                            rates.result_mebibytes);
    }
    text += "\n";
    for (const double level : kLevels)
    {
        text += fmt::format("{}%\t\t", level);
        for (const auto& server : servers)
            text += fmt::format("{:.{}f} sec.\t", server.latencies.percentile(level), digits);
        text += "\n";
    }
    if (servers.size() == 2 && servers[0].latencies.count() > 1 && servers[1].latencies.count() > 1)
    {
        const Comparison found = compare(servers[0].latencies, servers[1].latencies, confidence);
        const double difference = found.difference_s;
        text += "\n";
        if (found.proven)
            text += fmt::format("With {:g}% confidence {} is slower: its mean is larger by "
                                "{:.6f} sec., give or take {:.6f} sec.\n",
                                confidence * 100, servers[difference > 0 ? 0 : 1].server,
                                difference > 0 ? difference : -difference, found.margin_s);
        else
            text += fmt::format("No difference proven with {:g}% confidence\n", confidence * 100);
    }
    return text;
}

std::string json_report(const std::vector<Figures>& servers, double elapsed_s)
{
    const double latencies = all_latencies(servers);
    std::string text = "{\n";
    for (size_t i = 0; i < servers.size(); ++i)
    {
        const Figures& server = servers[i];
        const Rates rates = rates_of(server, elapsed_s, latencies);
        text += fmt::format("  {}: {{\n    \"statistics\": {{\"num_queries\": {}, \"num_errors\": "
                            "{}, \"QPS\": {}, \"RPS\": {}, \"MiBPS\": {}, \"RPS_result\": {}, "
                            "\"MiBPS_result\": {}}},\n    \"query_time_percentiles\": {{",
                            quoted(server.server), server.queries, server.errors, rates.queries,
                            rates.rows, rates.mebibytes, rates.result_rows,
                            rates.result_mebibytes);
        for (size_t level = 0; level < std::size(kLevels); ++level)
            text += fmt::format("{}\"{}\": {}", level ? ", " : "", kLevels[level],
                                server.latencies.percentile(kLevels[level]));
        text += fmt::format("}}\n  }}{}\n", i + 1 < servers.size() ? "," : "");
    }
    return text + "}\n";
}

} // namespace basalt::benchmark
