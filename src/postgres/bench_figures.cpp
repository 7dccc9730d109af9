#include "postgres/bench_figures.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <string>

namespace basalt::pg
{

namespace
{

constexpr uint64_t kSectorBytes = 512;

// The number behind `label`.
std::optional<double> number_after(std::string_view text, std::string_view label)
{
    const size_t at = text.find(label);
    if (at == std::string_view::npos)
        return std::nullopt;
    const std::string rest(text.substr(at + label.size(), 40));
    char* end = nullptr;
    const double value = std::strtod(rest.c_str(), &end);
    return end == rest.c_str() ? std::nullopt : std::optional(value);
}

} // namespace

uint64_t scale_for(uint64_t memory_bytes, double ratio)
{
    const double bytes = static_cast<double>(memory_bytes) * ratio;
    return std::max<uint64_t>(
        1, static_cast<uint64_t>(std::llround(bytes / static_cast<double>(kBytesPerScale))));
}

std::optional<PgbenchSummary> parse_pgbench(std::string_view output)
{
    const auto tps = number_after(output, "\ntps = ");
    const auto transactions =
        number_after(output, "number of transactions actually processed: ");
    if (!tps || !transactions)
        return std::nullopt;
    PgbenchSummary result;
    result.tps = *tps;
    result.transactions = static_cast<uint64_t>(*transactions);
    result.failed = static_cast<uint64_t>(
        number_after(output, "number of failed transactions: ").value_or(0));
    result.latency_ms = number_after(output, "latency average = ").value_or(0);
    return result;
}

void add_latencies(std::string_view log, std::vector<uint32_t>& latencies_us)
{
    while (!log.empty())
    {
        const size_t end = std::min(log.find('\n'), log.size());
        std::string_view line = log.substr(0, end);
        log.remove_prefix(std::min(end + 1, log.size()));
        for (int word = 0; word < 2; ++word)
        {
            const size_t space = line.find(' ');
            line = space == std::string_view::npos ? std::string_view() : line.substr(space + 1);
        }
        uint64_t value = 0;
        size_t digits = 0;
        while (digits < line.size() && digits < 10 && line[digits] >= '0' && line[digits] <= '9')
            value = value * 10 + static_cast<uint64_t>(line[digits++] - '0');
        // "skipped" and "failed" stand where a latency would.
        if (digits > 0 && digits < line.size() && line[digits] == ' ' && value <= UINT32_MAX)
            latencies_us.push_back(static_cast<uint32_t>(value));
    }
}

Percentiles percentiles_of(std::vector<uint32_t>& latencies_us)
{
    if (latencies_us.empty())
        return {};
    std::sort(latencies_us.begin(), latencies_us.end());
    const auto at = [&](double share)
    {
        const auto index = static_cast<size_t>(
            std::ceil(share * static_cast<double>(latencies_us.size())));
        return latencies_us[std::clamp<size_t>(index, 1, latencies_us.size()) - 1] / 1000.0;
    };
    return {at(0.5), at(0.95), at(0.99), latencies_us.back() / 1000.0};
}

std::optional<DiskCounters> parse_disk_counters(std::string_view stat)
{
    std::vector<uint64_t> numbers;
    const std::string text(stat);
    const char* at = text.c_str();
    for (;;)
    {
        char* end = nullptr;
        const unsigned long long value = std::strtoull(at, &end, 10);
        if (end == at)
            break;
        numbers.push_back(value);
        at = end;
    }
    // reads, merged, sectors, ms, writes, merged, sectors, ms, in flight, ms, ms, then discards
    // (4) and flushes (2) on kernels that have them.
    if (numbers.size() < 11)
        return std::nullopt;
    DiskCounters result;
    result.reads = numbers[0];
    result.read_bytes = numbers[2] * kSectorBytes;
    result.writes = numbers[4];
    result.written_bytes = numbers[6] * kSectorBytes;
    if (numbers.size() > 15)
        result.flushes = numbers[15];
    return result;
}

DiskCounters DiskCounters::since(const DiskCounters& before) const
{
    return {reads - before.reads, writes - before.writes, read_bytes - before.read_bytes,
            written_bytes - before.written_bytes, flushes - before.flushes};
}

double median_of(std::vector<double> values)
{
    if (values.empty())
        return 0;
    std::sort(values.begin(), values.end());
    const size_t middle = values.size() / 2;
    return values.size() % 2 ? values[middle] : (values[middle - 1] + values[middle]) / 2;
}

} // namespace basalt::pg
