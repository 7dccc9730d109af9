#include "programs/bench/k8s_logs.h"

#include "base/clock.h"
#include "base/error.h"

#include <cstdio>
#include <fmt/format.h>
#include <unistd.h>

namespace basalt::bench
{

namespace
{

constexpr const char* kSchema = R"(CREATE TABLE {}
(
    timestamp DateTime64(3){},
    namespace LowCardinality(String){},
    pod String{},
    container LowCardinality(String){},
    level LowCardinality(String){},
    message String{},
    trace_id String{},
    duration_ms Float32{}
)
ENGINE = MergeTree
PARTITION BY toDate(timestamp)
ORDER BY (namespace, timestamp))";

constexpr const char* kInsert =
    R"(INSERT INTO {} (timestamp, namespace, pod, container, level, trace_id, duration_ms, message)
WITH
['payment','order','user','search','catalog','cart','shipping','auth','gateway','recommend'] AS nss,
['GET /api/v1/orders','POST /api/v1/payments','GET /api/v1/users','GET /api/v1/search',
'POST /api/v1/cart/items','GET /api/v1/products','POST /api/v1/shipments','POST /oauth/token',
'GET /healthz','GET /api/v1/recommendations'] AS eps
SELECT
toDateTime64('2026-08-25 00:00:00', 3) + toIntervalMillisecond(number * 6) AS timestamp,
nss[(cityHash64(number) % 10) + 1] AS namespace,
concat(namespace, '-7c7dd4f9c-', substring(lower(hex(sipHash64(cityHash64(number) % 10))), 1, 5)) AS pod,
if(cityHash64(number + 2) % 10 < 8, 'app', 'istio-proxy') AS container,
multiIf(cityHash64(number + 3) % 1000 < 8, 'ERROR',
cityHash64(number + 3) % 1000 < 50, 'WARN',
cityHash64(number + 3) % 1000 < 300, 'DEBUG', 'INFO') AS level,
lower(hex(sipHash128(number))) AS trace_id,
round(if(level = 'ERROR', 2000 + (cityHash64(number + 4) % 30000) / 10,
(cityHash64(number + 4) % 20000) / 100), 1) AS duration_ms,
multiIf(
level = 'ERROR', concat('upstream request timeout after ', toString(round(duration_ms)),
'ms endpoint=', eps[(cityHash64(number + 5) % 10) + 1],
' status=503 trace_id=', trace_id),
concat(eps[(cityHash64(number + 5) % 10) + 1], ' completed status=200 in ',
toString(duration_ms), 'ms trace_id=', trace_id)
) AS message
FROM numbers_mt({})
SETTINGS max_threads = 3, max_insert_threads = 2, max_memory_usage = 9000000000)";

struct QueryText
{
    const char* name;
    const char* what;
    const char* sql; // {} is the table
};

constexpr QueryText kQueries[] = {
    {"Q1", "count of one namespace in one hour",
     "SELECT count() FROM {} WHERE namespace = 'payment' AND timestamp >= "
     "toDateTime64('2026-08-26 00:00:00', 3) AND timestamp < toDateTime64('2026-08-26 01:00:00', "
     "3)"},
    {"Q2", "errors per pod over two days",
     "SELECT namespace, pod, count() AS errors FROM {} WHERE level = 'ERROR' AND timestamp >= "
     "toDateTime64('2026-08-26 00:00:00', 3) AND timestamp < toDateTime64('2026-08-28 00:00:00', "
     "3) GROUP BY namespace, pod ORDER BY errors DESC LIMIT 10"},
    {"Q3", "LIKE '%timeout%' over everything",
     "SELECT count() FROM {} WHERE message LIKE '%timeout%'"},
    {"Q4", "p50 and p99 per namespace",
     "SELECT namespace, quantiles(0.5, 0.99)(duration_ms) AS p50_p99 FROM {} GROUP BY namespace "
     "ORDER BY namespace"},
    {"Q5", "one trace id, no index",
     "SELECT * FROM {} WHERE trace_id = lower(hex(sipHash128(toUInt64(42))))"},
};

constexpr const char* kDirect = "min_bytes_to_use_direct_io = 1";

class Runner
{
public:
    Runner(Target& target, const K8sOptions& options, Transcript& transcript)
        : target_(target), options_(options), transcript_(transcript)
    {
    }

    TargetFigures run()
    {
        TargetFigures figures;
        figures.name = target_.name();
        figures.url = target_.url();
        figures.version = target_.value("SELECT version()");
        figures.timezone = target_.value("SELECT timezone()");
        read_settings(figures);
        figures.tables.push_back(load("default", "", table_name("")));
        const std::string table = figures.tables[0].table; // tables grows below
        figures.rows_hash = target_.value(
            fmt::format("SELECT count(), sum(cityHash64(timestamp, namespace, pod, container, "
                        "level, message, trace_id, duration_ms)) FROM {}",
                        table));
        for (const auto& query : kQueries)
        {
            note(fmt::format("{} {}", query.name, query.what));
            figures.queries.push_back(
                measure(query.name, query.what, fmt::format(fmt::runtime(query.sql), table), ""));
        }
        if (options_.codecs)
            for (const char* codec : {"LZ4", "ZSTD(3)"})
            {
                TableFigures other = load(codec, fmt::format(" CODEC({})", codec),
                                          table_name(codec[0] == 'L' ? "_lz4" : "_zstd3"));
                other.scan = measure("Q3", "LIKE '%timeout%'",
                                     fmt::format(fmt::runtime(kQueries[2].sql), other.table), "");
                figures.tables.push_back(std::move(other));
            }
        with_index(figures, table);
        return figures;
    }

private:
    void note(const std::string& text)
    {
        std::fprintf(stderr, "[%s] %s\n", target_.name().c_str(), text.c_str());
    }

    std::string table_name(const char* suffix) const
    {
        return fmt::format("bench_logs_{}{}", options_.rows, suffix);
    }

    std::string run_statement(const std::string& sql)
    {
        transcript_.statements.push_back(sql);
        return target_.ask(sql);
    }

    void read_settings(TargetFigures& figures)
    {
        const std::string text =
            target_.ask("SELECT name, value FROM system.settings WHERE changed");
        size_t begin = 0;
        while (begin < text.size())
        {
            const size_t end = std::min(text.find('\n', begin), text.size());
            const std::string line = text.substr(begin, end - begin);
            const size_t tab = line.find('\t');
            if (tab != std::string::npos)
                figures.settings.emplace_back(line.substr(0, tab), line.substr(tab + 1));
            begin = end + 1;
        }
    }

    TableFigures load(const std::string& codec, const std::string& codec_clause,
                      const std::string& table)
    {
        TableFigures figures;
        figures.codec = codec;
        figures.table = table;
        const bool exists =
            options_.keep && target_.value("EXISTS TABLE " + table) == "1" &&
            target_.number("SELECT count() FROM " + table) == options_.rows;
        if (!exists)
        {
            note(fmt::format("loading {} rows into {} (codec {})", options_.rows, table, codec));
            run_statement("DROP TABLE IF EXISTS " + table);
            const auto& c = codec_clause;
            run_statement(
                fmt::format(fmt::runtime(kSchema), table, c, c, c, c, c, c, c, c));
            const std::string insert =
                codec == "default"
                    ? fmt::format(fmt::runtime(kInsert), table, options_.rows)
                    : fmt::format("INSERT INTO {} SELECT * FROM {}", table, table_name(""));
            transcript_.statements.push_back(insert);
            figures.load_s = target_.measure(insert, false).seconds;
            const auto log = target_.last_log();
            if (auto it = log.find("memory_usage"); it != log.end())
                figures.load_memory = std::strtoull(it->second.c_str(), nullptr, 10);
            settle(table);
        }
        read_sizes(figures);
        return figures;
    }

    // Waits until every row stands in a part and merges have ended, at most ten minutes.
    void settle(const std::string& table)
    {
        for (int i = 0; i < 1200; ++i)
        {
            const uint64_t merges = target_.number(
                fmt::format("SELECT count() FROM system.merges WHERE table = '{}'", table));
            const uint64_t rows = target_.number(fmt::format(
                "SELECT sum(rows) FROM system.parts WHERE table = '{}' AND active", table));
            if (merges == 0 && rows == options_.rows)
                return;
            usleep(500000);
        }
    }

    void read_sizes(TableFigures& figures)
    {
        const std::string where =
            fmt::format(" FROM system.parts WHERE table = '{}' AND active", figures.table);
        figures.parts = target_.number("SELECT count()" + where);
        figures.partitions = target_.number("SELECT uniqExact(partition)" + where);
        figures.bytes_on_disk = target_.number("SELECT sum(bytes_on_disk)" + where);
        figures.compressed = target_.number("SELECT sum(data_compressed_bytes)" + where);
        figures.uncompressed = target_.number("SELECT sum(data_uncompressed_bytes)" + where);
        const std::string text = target_.ask(fmt::format(
            "SELECT column, sum(column_data_compressed_bytes) AS c, "
            "sum(column_data_uncompressed_bytes) AS u FROM system.parts_columns WHERE table = "
            "'{}' AND active GROUP BY column ORDER BY c DESC",
            figures.table));
        size_t begin = 0;
        while (begin < text.size())
        {
            const size_t end = std::min(text.find('\n', begin), text.size());
            char name[256] = {};
            unsigned long long compressed = 0, uncompressed = 0;
            if (std::sscanf(text.c_str() + begin, "%255[^\t]\t%llu\t%llu", name, &compressed,
                            &uncompressed) == 3)
                figures.columns.push_back({name, compressed, uncompressed});
            begin = end + 1;
        }
    }

    void drop_caches()
    {
        for (const char* sql : {"SYSTEM DROP MARK CACHE", "SYSTEM DROP UNCOMPRESSED CACHE"})
            try
            {
                target_.ask(sql);
            }
            catch (const Error&)
            {
                // A peer without that cache, or without the right to drop it.
            }
    }

    QueryFigures measure(const std::string& name, const std::string& what, const std::string& sql,
                         const std::string& settings)
    {
        QueryFigures figures;
        figures.name = name;
        figures.what = what;
        figures.sql = sql;
        // The condition cache would answer the second run from the first one's notes.
        const std::string base = "use_query_condition_cache = 0" +
                                 (settings.empty() ? "" : ", " + settings);
        const std::string direct = sql + " SETTINGS " + base + ", " + kDirect;
        const std::string warm = sql + " SETTINGS " + base;
        transcript_.statements.push_back(direct);
        transcript_.statements.push_back(warm);
        try
        {
            drop_caches();
            figures.direct.push_back(target_.measure(direct, true));
            figures.warm.push_back(target_.measure(warm, false));
            for (size_t i = 0; i < options_.runs; ++i)
                figures.warm.push_back(target_.measure(warm, i == 0));
        }
        catch (const Error& error)
        {
            figures.error = error.full_text();
        }
        return figures;
    }

    void with_index(TargetFigures& figures, const std::string& table)
    {
        note("bloom filter index");
        run_statement(fmt::format("ALTER TABLE {} ADD INDEX IF NOT EXISTS trace_bf trace_id TYPE "
                                  "bloom_filter(0.01) GRANULARITY 4",
                                  table));
        const int64_t start = system_clock().monotonic_ns();
        run_statement(fmt::format(
            "ALTER TABLE {} MATERIALIZE INDEX trace_bf SETTINGS mutations_sync = 2", table));
        figures.index_s = static_cast<double>(system_clock().monotonic_ns() - start) / 1e9;
        figures.index_bytes = target_.number(
            fmt::format("SELECT sum(data_compressed_bytes) FROM system.data_skipping_indices WHERE "
                        "table = '{}' AND name = 'trace_bf'",
                        table));
        figures.lookup_with_index =
            measure("Q5 bloom", "one trace id, bloom_filter(0.01)",
                    fmt::format(fmt::runtime(kQueries[4].sql), table), "");
        run_statement(fmt::format("ALTER TABLE {} DROP INDEX trace_bf SETTINGS mutations_sync = 2",
                                  table));
    }

    Target& target_;
    const K8sOptions& options_;
    Transcript& transcript_;
};

double median_of(const std::vector<Sample>& samples, size_t skip)
{
    std::vector<double> seconds;
    for (size_t i = skip; i < samples.size(); ++i)
        seconds.push_back(samples[i].seconds);
    return median(seconds);
}

} // namespace

double QueryFigures::direct_median() const
{
    return median_of(direct, 0);
}

double QueryFigures::warm_median() const
{
    return median_of(warm, 1);
}

TargetFigures run_k8s_logs(Target& target, const K8sOptions& options, Transcript& transcript)
{
    return Runner(target, options, transcript).run();
}

} // namespace basalt::bench
