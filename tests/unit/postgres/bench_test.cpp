#include "postgres/bench.h"
#include "postgres/bench_figures.h"

#include <gtest/gtest.h>

namespace basalt::pg
{
namespace
{

TEST(PgBench, KeepsTheRatios)
{
    // 64 GB of memory give about the 500 GB of the original, at its scale.
    EXPECT_NEAR(static_cast<double>(scale_for(64ull << 30, kDataToMemory)), 34247, 200);
    EXPECT_NEAR(static_cast<double>(scale_for(8ull << 30, kFittingDataToMemory)), 136, 2);
    EXPECT_EQ(scale_for(1 << 20, kFittingDataToMemory), 1u);
}

TEST(PgBench, ReadsPgbench)
{
    const auto summary = parse_pgbench(
        "pgbench (15.20)\ntransaction type: <builtin: select only>\nscaling factor: 10\n"
        "number of transactions actually processed: 78660\n"
        "number of failed transactions: 2 (0.003%)\nlatency average = 6.101 ms\n"
        "latency stddev = 4 ms\ninitial connection time = 35.9 ms\n"
        "tps = 5244.123456 (without initial connection time)\n");
    ASSERT_TRUE(summary);
    EXPECT_DOUBLE_EQ(summary->tps, 5244.123456);
    EXPECT_EQ(summary->transactions, 78660u);
    EXPECT_EQ(summary->failed, 2u);
    EXPECT_DOUBLE_EQ(summary->latency_ms, 6.101);
    EXPECT_FALSE(parse_pgbench("pgbench: error: connection failed"));
    EXPECT_FALSE(parse_pgbench(""));
}

TEST(PgBench, CountsLatencies)
{
    std::vector<uint32_t> latencies;
    add_latencies("0 1 1500 0 1764504000 12\n1 1 skipped 0 1 2\n2 9 2500 0 1 2\nbroken\n\n3 1 77",
                  latencies);
    EXPECT_EQ(latencies, (std::vector<uint32_t>{1500, 2500}));
    std::vector<uint32_t> hundred;
    for (uint32_t i = 100; i > 0; --i)
        hundred.push_back(i * 1000);
    const Percentiles percentiles = percentiles_of(hundred);
    EXPECT_DOUBLE_EQ(percentiles.p50_ms, 50);
    EXPECT_DOUBLE_EQ(percentiles.p95_ms, 95);
    EXPECT_DOUBLE_EQ(percentiles.p99_ms, 99);
    EXPECT_DOUBLE_EQ(percentiles.max_ms, 100);
    std::vector<uint32_t> none;
    EXPECT_DOUBLE_EQ(percentiles_of(none).p99_ms, 0);
}

TEST(PgBench, ReadsDiskCounters)
{
    const auto before = parse_disk_counters("  10 1 80 5 20 2 160 9 0 3 14 0 0 0 0 7 3\n");
    const auto after = parse_disk_counters("30 1 240 5 25 2 200 9 0 3 14 0 0 0 0 9 3");
    ASSERT_TRUE(before && after);
    const DiskCounters moved = after->since(*before);
    EXPECT_EQ(moved.reads, 20u);
    EXPECT_EQ(moved.writes, 5u);
    EXPECT_EQ(moved.read_bytes, 160u * 512);
    EXPECT_EQ(moved.written_bytes, 40u * 512);
    EXPECT_EQ(moved.flushes, 2u);
    EXPECT_TRUE(parse_disk_counters("1 2 3 4 5 6 7 8 9 10 11"));
    EXPECT_FALSE(parse_disk_counters("1 2 3"));
    EXPECT_FALSE(parse_disk_counters(""));
}

TEST(PgBench, ReportsMediansAndRatios)
{
    EXPECT_DOUBLE_EQ(median_of({3, 1, 2}), 2);
    EXPECT_DOUBLE_EQ(median_of({4, 1, 2, 3}), 2.5);
    BenchReport report;
    report.refused = {"arm 'x': <because>"};
    for (const auto& [arm, tps] : {std::pair("tuned", 900.0), std::pair("tuned", 1000.0),
                                   std::pair("tuned", 1100.0), std::pair("capped", 250.0)})
    {
        BenchRun run;
        run.test = "read-only";
        run.arm = arm;
        run.summary.tps = tps;
        run.summary.transactions = 100;
        run.has_disk = true;
        run.disk.reads = 150;
        report.runs.push_back(run);
    }
    EXPECT_DOUBLE_EQ(report.median_tps("read-only", "tuned"), 1000);
    const std::string text = bench_text(report);
    EXPECT_NE(text.find("read-only: tuned is 4.00 times capped"), std::string::npos) << text;
    EXPECT_NE(text.find("1.50"), std::string::npos) << text;
    EXPECT_EQ(text.find("read-write"), std::string::npos) << text;
    const std::string html = bench_html(report);
    EXPECT_NE(html.find("<svg"), std::string::npos);
    EXPECT_NE(html.find("&lt;because&gt;"), std::string::npos);
    EXPECT_EQ(std::count(html.begin(), html.end(), '\0'), 0);
    const std::string samples = bench_samples(report);
    EXPECT_EQ(std::count(samples.begin(), samples.end(), '\n'), 4);
}

} // namespace
} // namespace basalt::pg
