#include "postgres/bench.h"

#include "postgres/control.h"

#include <algorithm>
#include <fmt/core.h>

namespace basalt::pg
{

namespace
{

constexpr const char* kTests[] = {"read-write", "read-only", "in-memory"};
constexpr const char* kArms[] = {"tuned", "default", "capped"};
constexpr const char* kColours[] = {"#2f6f9f", "#8a8a8a", "#d08730"};

std::string html_text(const std::string& text)
{
    std::string out;
    for (const char c : text)
        out += c == '<'   ? std::string("&lt;")
               : c == '>' ? std::string("&gt;")
               : c == '&' ? std::string("&amp;")
                          : std::string(1, c);
    return out;
}

// Medians over the runs of one test in one arm.
struct Medians
{
    double tps = 0, average_ms = 0, p50_ms = 0, p95_ms = 0, p99_ms = 0;
    double reads = 0, writes = 0, kib = 0, operations_s = 0; // a transaction; a second
    bool has_disk = false;
};

Medians medians_of(const std::vector<const BenchRun*>& runs)
{
    const auto over = [&](const auto& value)
    {
        std::vector<double> values;
        for (const auto* run : runs)
            values.push_back(value(*run));
        return median_of(std::move(values));
    };
    const auto per_transaction = [](const BenchRun& run, uint64_t value)
    {
        return static_cast<double>(value) /
               static_cast<double>(std::max<uint64_t>(1, run.summary.transactions));
    };
    Medians result;
    result.tps = over([](const auto& run) { return run.summary.tps; });
    result.average_ms = over([](const auto& run) { return run.summary.latency_ms; });
    result.p50_ms = over([](const auto& run) { return run.latency.p50_ms; });
    result.p95_ms = over([](const auto& run) { return run.latency.p95_ms; });
    result.p99_ms = over([](const auto& run) { return run.latency.p99_ms; });
    result.reads = over([&](const auto& run) { return per_transaction(run, run.disk.reads); });
    result.writes = over([&](const auto& run) { return per_transaction(run, run.disk.writes); });
    result.kib = over([&](const auto& run)
                      { return per_transaction(run, run.disk.read_bytes + run.disk.written_bytes) /
                               1024; });
    result.operations_s = result.tps * (result.reads + result.writes);
    result.has_disk = !runs.empty() && runs[0]->has_disk;
    return result;
}

std::string ratio_text(const BenchReport& report, const char* test, const char* fast,
                       const char* slow)
{
    const double above = report.median_tps(test, fast), below = report.median_tps(test, slow);
    if (above <= 0 || below <= 0)
        return {};
    return fmt::format("{}: {} is {:.2f} times {}\n", test, fast, above / below, slow);
}

std::string ratios(const BenchReport& report)
{
    std::string out;
    for (const char* test : kTests)
    {
        out += ratio_text(report, test, "tuned", "capped");
        out += ratio_text(report, test, "tuned", "default");
    }
    return out;
}

std::string head_text(const BenchReport& report)
{
    const Machine& machine = report.machine;
    std::string out = fmt::format(
        "PostgreSQL {}, {} cores, memory {}\nvolume: {}\n"
        "  fdatasync {:.2f} ms; {:.0f} random reads/s alone, {:.0f} from {} threads; {:.0f} MiB/s\n"
        "data: scale {} (about {}), in-memory test: scale {}\n",
        report.version, machine.cores, report.memory, report.volume, machine.fsync_us / 1000,
        machine.read_iops_one, machine.read_iops_parallel, kProbeThreads, machine.write_mib_s,
        report.scale, readable_size(report.scale * kBytesPerScale), report.fit_scale);
    out += fmt::format("capped: a simulated network volume, {} reads and {} writes a second\n",
                       report.iops, report.iops);
    for (const auto& refused : report.refused)
        out += "left out: " + refused + "\n";
    return out + "Clients run on the same cores as the server; the archive is off in every arm.\n";
}

// A bar for each arm of each test, a dot for each run.
std::string tps_plot(const BenchReport& report, const char* test)
{
    double highest = 0;
    for (const auto& run : report.runs)
        if (run.test == test)
            highest = std::max(highest, run.summary.tps);
    if (highest <= 0)
        return {};
    constexpr double kLeft = 90, kWidth = 560, kLine = 30;
    std::string bars;
    double y = 18;
    for (size_t arm = 0; arm < std::size(kArms); ++arm)
    {
        const auto runs = report.of(test, kArms[arm]);
        if (runs.empty())
            continue;
        const double median = report.median_tps(test, kArms[arm]);
        bars += fmt::format(
            "<text x='{:.0f}' y='{:.1f}' text-anchor='end'>{}</text>"
            "<rect x='{:.0f}' y='{:.1f}' width='{:.1f}' height='16' fill='{}' opacity='.45'/>"
            "<text x='{:.1f}' y='{:.1f}'>{:.0f} TPS</text>",
            kLeft - 8, y + 5, kArms[arm], kLeft, y - 8, median / highest * kWidth, kColours[arm],
            kLeft + kWidth + 12, y + 5, median);
        for (const auto* run : runs)
            bars += fmt::format("<circle cx='{:.1f}' cy='{:.1f}' r='4' fill='{}'/>",
                                kLeft + run->summary.tps / highest * kWidth, y, kColours[arm]);
        y += kLine;
    }
    return fmt::format("<h3>{}</h3><svg viewBox='0 0 {:.0f} {:.0f}' role='img'>{}</svg>", test,
                       kLeft + kWidth + 110, y, bars);
}

// Why Basalt's settings gain less than they do on a larger machine or in a longer run.
std::string why_small_gain(const BenchReport& report)
{
    constexpr double kExpectedGain = 1.3;
    constexpr uint64_t kDefaultBuffersBytes = 128ull << 20;
    constexpr int64_t kDefaultCheckpointSeconds = 300;
    const double tuned = report.median_tps("read-write", "tuned");
    const double plain = report.median_tps("read-write", "default");
    if (tuned <= 0 || plain <= 0 || tuned >= plain * kExpectedGain)
        return {};
    std::string out = fmt::format("read-write gains less than {} times from Basalt's settings",
                                  kExpectedGain);
    if (report.machine.memory_bytes / 4 <= kDefaultBuffersBytes)
        out += "; a quarter of this memory is no more than the default's 128 MB of shared buffers";
    if (report.io_seconds < 2 * kDefaultCheckpointSeconds)
        out += fmt::format("; runs of {} s end before the default's checkpoints (5 min) matter",
                           report.io_seconds);
    return out + "\n";
}

} // namespace

std::string bench_text(const BenchReport& report)
{
    std::string out = head_text(report) + "\n";
    out += fmt::format("{:<11} {:<8} {:>9} {:>8} {:>8} {:>8} {:>8} {:>8} {:>8} {:>9}\n", "test",
                       "arm", "TPS", "avg ms", "p50", "p95", "p99", "reads/t", "writes/t", "I/O per s");
    for (const char* test : kTests)
        for (const char* arm : kArms)
        {
            const auto runs = report.of(test, arm);
            if (runs.empty())
                continue;
            const Medians median = medians_of(runs);
            out += fmt::format(
                "{:<11} {:<8} {:>9.0f} {:>8.2f} {:>8.2f} {:>8.2f} {:>8.2f} {:>8} {:>8} {:>9}\n",
                test, arm, median.tps, median.average_ms, median.p50_ms, median.p95_ms,
                median.p99_ms, median.has_disk ? fmt::format("{:.2f}", median.reads) : "-",
                median.has_disk ? fmt::format("{:.2f}", median.writes) : "-",
                median.has_disk ? fmt::format("{:.0f}", median.operations_s) : "-");
        }
    return out + "\n" + ratios(report) + why_small_gain(report);
}

std::string bench_samples(const BenchReport& report)
{
    std::string out;
    for (const auto& run : report.runs)
        out += fmt::format(
            "{{\"test\": {}, \"arm\": {}, \"run\": {}, \"tps\": {:.3f}, \"transactions\": {}, "
            "\"failed\": {}, \"latency_ms\": {:.3f}, \"p50_ms\": {:.3f}, \"p95_ms\": {:.3f}, "
            "\"p99_ms\": {:.3f}, \"max_ms\": {:.3f}, \"latency_sampling\": {}, \"disk_reads\": {}, "
            "\"disk_writes\": {}, \"disk_read_bytes\": {}, \"disk_written_bytes\": {}, "
            "\"disk_flushes\": {}, \"command\": {}}}\n",
            json_string(run.test), json_string(run.arm), run.run, run.summary.tps,
            run.summary.transactions, run.summary.failed, run.summary.latency_ms,
            run.latency.p50_ms, run.latency.p95_ms, run.latency.p99_ms, run.latency.max_ms,
            run.latency_sampling, run.disk.reads, run.disk.writes, run.disk.read_bytes,
            run.disk.written_bytes, run.disk.flushes, json_string(run.command));
    return out;
}

std::string bench_html(const BenchReport& report)
{
    std::string html =
        "<!doctype html><meta charset='utf-8'><title>basalt pg bench</title><style>"
        "body{font:15px/1.45 system-ui,sans-serif;max-width:860px;margin:2rem auto;padding:0 1rem;"
        "color:#222}svg{width:100%;font-size:13px}pre{background:#f4f4f2;padding:.8rem;overflow:auto;"
        "font-size:12.5px}summary{cursor:pointer;margin:.6rem 0}</style><h1>basalt pg bench</h1>";
    html += "<pre>" + html_text(bench_text(report)) + "</pre>";
    for (const char* test : kTests)
        html += tps_plot(report, test);
    html += "<p>Bars are medians, dots are runs. The volume of the arm <i>capped</i> is simulated: "
            "the local one with a limit on operations, without the latency of a network.</p>";
    std::string commands;
    for (const auto& command : report.commands)
        commands += command + "\n";
    html += "<details><summary>Commands, in order</summary><pre>" + html_text(commands) +
            "</pre></details>";
    for (const char* arm : {"tuned", "default"})
        if (const auto found = report.settings.find(arm); found != report.settings.end())
            html += fmt::format("<details><summary>Settings of the arm {}</summary><pre>{}</pre>"
                                "</details>",
                                arm, html_text(found->second));
    return html + "<details><summary>Samples</summary><pre>" + html_text(bench_samples(report)) +
           "</pre></details>";
}

void write_bench_report(const std::string& folder, const BenchReport& report)
{
    FileSystem& files = real_file_system();
    files.create_directories(folder);
    files.replace_whole(folder + "/report.html", bench_html(report));
    files.replace_whole(folder + "/samples.jsonl", bench_samples(report));
    std::string commands;
    for (const auto& command : report.commands)
        commands += command + "\n";
    files.replace_whole(folder + "/commands.txt", commands);
    for (const auto& [arm, settings] : report.settings)
        files.replace_whole(folder + "/settings-" + arm + ".conf", settings);
}

} // namespace basalt::pg
