#include "programs/bench/k8s_logs.h"

#include <algorithm>
#include <cstdio>
#include <fmt/format.h>

namespace basalt::bench
{

std::string readable_bytes(double bytes)
{
    static constexpr const char* kUnits[] = {"B", "KiB", "MiB", "GiB", "TiB"};
    size_t unit = 0;
    while (bytes >= 1024 && unit + 1 < std::size(kUnits))
    {
        bytes /= 1024;
        ++unit;
    }
    return unit == 0 ? fmt::format("{:.0f} B", bytes) : fmt::format("{:.2f} {}", bytes, kUnits[unit]);
}

std::string readable_seconds(double seconds)
{
    if (seconds <= 0)
        return "-";
    if (seconds < 0.001)
        return fmt::format("{:.2f} ms", seconds * 1e3);
    if (seconds < 1)
        return fmt::format("{:.1f} ms", seconds * 1e3);
    return fmt::format("{:.2f} s", seconds);
}

std::string first_line(const std::string& answer)
{
    std::string line = answer.substr(0, std::min(answer.find('\n'), answer.size()));
    std::replace(line.begin(), line.end(), '\t', ' ');
    return line;
}

namespace
{

std::string count_text(const std::vector<Sample>& samples)
{
    for (const auto& sample : samples)
        if (sample.read_rows)
            return fmt::format("{}", *sample.read_rows);
    return "-";
}

void print_table(const TableFigures& table, uint64_t rows)
{
    std::printf("\n  Table %s, codec %s\n", table.table.c_str(), table.codec.c_str());
    const std::string memory =
        table.load_memory
            ? ", peak memory " + readable_bytes(static_cast<double>(table.load_memory))
            : "";
    if (table.load_s > 0)
        std::printf("    load            %s = %.0f rows/s%s\n",
                    readable_seconds(table.load_s).c_str(),
                    static_cast<double>(rows) / table.load_s,
                    memory.c_str());
    std::printf("    on disk         %s in %llu parts of %llu partitions, %.2f bytes a row\n",
                readable_bytes(static_cast<double>(table.bytes_on_disk)).c_str(),
                static_cast<unsigned long long>(table.parts),
                static_cast<unsigned long long>(table.partitions),
                static_cast<double>(table.bytes_on_disk) / static_cast<double>(rows));
    std::printf("    compression     %s -> %s (%.2fx)\n",
                readable_bytes(static_cast<double>(table.uncompressed)).c_str(),
                readable_bytes(static_cast<double>(table.compressed)).c_str(),
                table.compressed ? static_cast<double>(table.uncompressed) /
                                       static_cast<double>(table.compressed)
                                 : 0);
    std::printf("    %-14s %14s %14s %8s\n", "column", "compressed", "uncompressed", "ratio");
    for (const auto& column : table.columns)
        std::printf("    %-14s %14s %14s %7.2fx\n", column.name.c_str(),
                    readable_bytes(static_cast<double>(column.compressed)).c_str(),
                    readable_bytes(static_cast<double>(column.uncompressed)).c_str(),
                    column.compressed ? static_cast<double>(column.uncompressed) /
                                            static_cast<double>(column.compressed)
                                      : 0);
    if (!table.scan.sql.empty())
        std::printf("    LIKE '%%timeout%%' warm %s, direct %s\n",
                    readable_seconds(table.scan.warm_median()).c_str(),
                    readable_seconds(table.scan.direct_median()).c_str());
}

void print_query(const QueryFigures& query)
{
    if (!query.error.empty())
    {
        std::printf("    %-9s %s\n", query.name.c_str(), query.error.c_str());
        return;
    }
    std::string samples;
    for (const auto& sample : query.warm)
        samples += (samples.empty() ? "" : " ") + readable_seconds(sample.seconds);
    std::printf("    %-9s %-36s %10s %10s %12s   %s\n", query.name.c_str(), query.what.c_str(),
                readable_seconds(query.direct_median()).c_str(),
                readable_seconds(query.warm_median()).c_str(), count_text(query.warm).c_str(),
                samples.c_str());
}

void print_costs(const TargetFigures& target, const K8sOptions& options)
{
    const double days_rows = options.rows_per_day * options.days;
    std::printf("\n  Cost at %.0f rows a day kept %.0f days (volume %.4f a GB-month, node %.3f an "
                "hour)\n",
                options.rows_per_day, options.days, options.volume_per_gb_month,
                options.node_per_hour);
    for (const auto& table : target.tables)
    {
        const double gib = static_cast<double>(table.bytes_on_disk) /
                           static_cast<double>(options.rows) * days_rows / (1 << 30);
        std::printf("    %-10s %9.1f GiB   volume of that size %8.2f a month   fits %.0f GiB: %s\n",
                    table.codec.c_str(), gib, gib * options.volume_per_gb_month,
                    options.volume_gib, gib <= options.volume_gib ? "yes" : "no");
    }
    std::printf("    %-10s %8.2f a month, whatever is stored\n", "node",
                options.node_per_hour * 24 * 365.25 / 12);
}

void print_answer(const QueryFigures& query)
{
    if (!query.warm.empty())
        std::printf("    %-9s %s\n", query.name.c_str(), first_line(query.warm[0].answer).c_str());
}

} // namespace

std::vector<std::string> disagreements(const std::vector<TargetFigures>& targets)
{
    std::vector<std::string> lines;
    for (size_t i = 1; i < targets.size(); ++i)
    {
        const TargetFigures &first = targets[0], &other = targets[i];
        if (!first.error.empty() || !other.error.empty())
            continue;
        auto differ = [&](const std::string& what)
        { lines.push_back(fmt::format("{} and {} differ: {}", first.name, other.name, what)); };
        if (first.rows_hash != other.rows_hash)
            differ("the rows of the table");
        for (size_t q = 0; q < first.queries.size(); ++q)
            if (first.queries[q].comparable != other.queries[q].comparable)
                differ(first.queries[q].name);
        if (first.lookup_with_index.comparable != other.lookup_with_index.comparable)
            differ(first.lookup_with_index.name);
    }
    return lines;
}

void print_figures(const std::vector<TargetFigures>& targets, const K8sOptions& options)
{
    for (const auto& target : targets)
    {
        std::printf("\n%s: %s, version %s, time zone %s, %llu rows\n", target.name.c_str(),
                    target.url.c_str(), target.version.c_str(), target.timezone.c_str(),
                    static_cast<unsigned long long>(options.rows));
        if (!target.error.empty())
        {
            std::printf("  %s\n", target.error.c_str());
            continue;
        }
        std::printf("  rows and their hash: %s\n", target.rows_hash.c_str());
        for (const auto& table : target.tables)
            print_table(table, options.rows);
        std::printf("\n  Queries\n    %-9s %-36s %10s %10s %12s   %s\n", "", "", "direct", "warm",
                    "rows read", "warm samples (the first fills caches)");
        for (const auto& query : target.queries)
            print_query(query);
        print_query(target.lookup_with_index);
        std::printf("    index: %s in %s\n",
                    readable_bytes(static_cast<double>(target.index_bytes)).c_str(),
                    readable_seconds(target.index_s).c_str());
        std::printf("\n  Answers (first line)\n");
        for (const auto& query : target.queries)
            print_answer(query);
        print_costs(target, options);
    }
    for (const auto& line : disagreements(targets))
        std::printf("\nWARNING: %s\n", line.c_str());
    if (targets.size() < 2)
        return;
    std::printf("\nSide by side, warm medians, ratio to %s\n", targets[0].name.c_str());
    for (size_t q = 0; q < targets[0].queries.size(); ++q)
    {
        const double mine = targets[0].queries[q].warm_median();
        std::printf("  %-4s %10s", targets[0].queries[q].name.c_str(),
                    readable_seconds(mine).c_str());
        for (size_t i = 1; i < targets.size(); ++i)
            if (q < targets[i].queries.size())
                std::printf("   %s %10s (%.2fx)", targets[i].name.c_str(),
                            readable_seconds(targets[i].queries[q].warm_median()).c_str(),
                            mine > 0 ? targets[i].queries[q].warm_median() / mine : 0);
        std::printf("\n");
    }
}

} // namespace basalt::bench
