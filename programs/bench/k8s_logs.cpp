#include "programs/bench/k8s_logs.h"

#include "programs/programs.h"

#include "base/clock.h"
#include "base/error.h"

#include <cstdio>
#include <fmt/format.h>
#include <memory>
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

// How answers of two servers are held against each other.
enum class Agreement : uint8_t
{
    Exact,
    Counts, // the last column only: which of the rows with equal counts come is free
    None,   // approximate by definition
};

struct QueryText
{
    const char* name;
    const char* what;
    std::string sql; // {} is the table
    Agreement agreement = Agreement::Exact;
};

constexpr uint64_t kRowMs = 6;                        // time from one row to the next
constexpr uint64_t kDayMs = 24 * 3600 * 1000;
constexpr const char* kFirstDay = "2026-08-25 00:00:00";

std::string time_literal(uint64_t offset_ms)
{
    return fmt::format("toDateTime64('{}', 3) + toIntervalMillisecond({})", kFirstDay, offset_ms);
}

// The five questions. Q1 and Q2 ask for 26 August; a table that ends before 28 August is asked for
// the same kind of window at the same place of its own span.
std::vector<QueryText> queries_for(uint64_t rows)
{
    const uint64_t span_ms = rows * kRowMs;
    std::string hour_from = "toDateTime64('2026-08-26 00:00:00', 3)";
    std::string hour_to = "toDateTime64('2026-08-26 01:00:00', 3)";
    std::string days_from = hour_from, days_to = "toDateTime64('2026-08-28 00:00:00', 3)";
    const char* hour_name = "count of one namespace in one hour";
    const char* days_name = "errors per pod over two days";
    if (span_ms < 3 * kDayMs)
    {
        hour_from = time_literal(span_ms / 7);
        hour_to = time_literal(span_ms / 7 + span_ms / 168);
        days_from = time_literal(span_ms / 7);
        days_to = time_literal(span_ms / 7 * 3);
        hour_name = "one namespace in 1/168 of the time";
        days_name = "errors per pod over 2/7 of the time";
    }
    return {
        {"Q1", hour_name,
         "SELECT count() FROM {} WHERE namespace = 'payment' AND timestamp >= " + hour_from +
             " AND timestamp < " + hour_to},
        {"Q2", days_name,
         "SELECT namespace, pod, count() AS errors FROM {} WHERE level = 'ERROR' AND timestamp "
         ">= " +
             days_from + " AND timestamp < " + days_to +
             " GROUP BY namespace, pod ORDER BY errors DESC LIMIT 10",
         Agreement::Counts},
        {"Q3", "LIKE '%timeout%' over everything",
         "SELECT count() FROM {} WHERE message LIKE '%timeout%'"},
        {"Q4", "p50 and p99 per namespace",
         "SELECT namespace, quantiles(0.5, 0.99)(duration_ms) AS p50_p99 FROM {} GROUP BY "
         "namespace ORDER BY namespace",
         Agreement::None},
        {"Q5", "one trace id, no index",
         "SELECT * FROM {} WHERE trace_id = lower(hex(sipHash128(toUInt64(42))))"},
    };
}

// What of an answer is compared between servers.
std::string comparable(const std::string& answer, Agreement agreement)
{
    if (agreement == Agreement::None)
        return "";
    if (agreement == Agreement::Exact)
        return answer;
    std::string counts;
    for (size_t begin = 0; begin < answer.size();)
    {
        const size_t end = std::min(answer.find('\n', begin), answer.size());
        const size_t tab = answer.rfind('\t', end);
        const size_t from = tab == std::string::npos || tab < begin ? begin : tab + 1;
        counts += answer.substr(from, end - from) + "\n";
        begin = end + 1;
    }
    return counts;
}

constexpr const char* kDirect = "min_bytes_to_use_direct_io = 1";

// One server: its figures so far. A server that failed to load is left out of the rest.
class Subject
{
public:
    Subject(Target& target, const K8sOptions& options, Transcript& transcript)
        : target_(target), options_(options), transcript_(transcript)
    {
        figures.name = target_.name();
        figures.url = target_.url();
    }

    TargetFigures figures;

    bool alive() const { return figures.error.empty(); }
    const std::string& table() const { return figures.tables[0].table; }

    void note(const std::string& text)
    {
        std::fprintf(stderr, "[%s] %s\n", target_.name().c_str(), text.c_str());
    }

    void describe()
    {
        figures.version = target_.value("SELECT version()");
        figures.timezone = target_.value("SELECT timezone()");
        read_settings();
    }

    void load_all()
    {
        figures.tables.push_back(load("default", "", table_name("")));
        figures.rows_hash = target_.value(
            fmt::format("SELECT count(), sum(cityHash64(timestamp, namespace, pod, container, "
                        "level, message, trace_id, duration_ms)) FROM {}",
                        table()));
        if (!options_.codecs)
            return;
        figures.tables.push_back(load("LZ4", " CODEC(LZ4)", table_name("_lz4")));
        figures.tables.push_back(load("ZSTD(3)", " CODEC(ZSTD(3))", table_name("_zstd3")));
    }

    void add_index()
    {
        note("bloom filter index");
        run_statement(fmt::format("ALTER TABLE {} ADD INDEX IF NOT EXISTS trace_bf trace_id TYPE "
                                  "bloom_filter(0.01) GRANULARITY 4",
                                  table()));
        const int64_t start = system_clock().monotonic_ns();
        run_statement(fmt::format(
            "ALTER TABLE {} MATERIALIZE INDEX trace_bf SETTINGS mutations_sync = 2", table()));
        figures.index_s = static_cast<double>(system_clock().monotonic_ns() - start) / 1e9;
        figures.index_bytes = target_.number(
            fmt::format("SELECT sum(data_compressed_bytes) FROM system.data_skipping_indices WHERE "
                        "table = '{}' AND name = 'trace_bf'",
                        table()));
    }

    void drop_index()
    {
        run_statement(fmt::format("ALTER TABLE {} DROP INDEX trace_bf SETTINGS mutations_sync = 2",
                                  table()));
    }

    // From disk, with the server's caches dropped.
    void run_direct(QueryFigures& query)
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
        query.direct.push_back(
            run_measured(query.sql + kSettings + ", min_bytes_to_use_direct_io = 1", true));
    }

    void run_warm(QueryFigures& query)
    {
        const bool with_reads = query.warm.size() == 1;
        if (query.warm.empty())
            transcript_.statements.push_back(query.sql + kSettings);
        query.warm.push_back(target_.measure(query.sql + kSettings, with_reads));
    }

private:
    // The condition cache would answer the second run from the first one's notes.
    static constexpr const char* kSettings = " SETTINGS use_query_condition_cache = 0";

    Sample run_measured(const std::string& sql, bool with_reads)
    {
        transcript_.statements.push_back(sql);
        return target_.measure(sql, with_reads);
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

    void read_settings()
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

namespace
{

void fail(Subject& subject, const Error& error)
{
    subject.figures.error = error.full_text();
    subject.figures.exit_code = exit_code_of(error);
}

// Runs `step` on every server that is alive; a failure ends that server's part.
template <typename Step>
void on_each(std::vector<Subject>& subjects, Step step)
{
    for (auto& subject : subjects)
        if (subject.alive())
            try
            {
                step(subject);
            }
            catch (const Error& error)
            {
                fail(subject, error);
            }
}

// One query on all servers in turn: from disk once each, then warm, alternating. `place` says where
// a server's figures of it go.
template <typename Place>
void alternate(std::vector<Subject>& subjects, size_t runs, const QueryText& text, Place place)
{
    auto one = [&](void (Subject::*run)(QueryFigures&))
    {
        for (auto& subject : subjects)
        {
            if (!subject.alive() || !place(subject).error.empty())
                continue;
            try
            {
                (subject.*run)(place(subject));
            }
            catch (const Error& error)
            {
                place(subject).error = error.full_text();
            }
        }
    };
    std::fprintf(stderr, "%s %s\n", text.name, text.what);
    one(&Subject::run_direct);
    for (size_t run = 0; run <= runs; ++run)
        one(&Subject::run_warm);
    for (auto& subject : subjects)
        if (subject.alive() && place(subject).error.empty())
            place(subject).comparable = comparable(place(subject).warm[0].answer, text.agreement);
}

QueryFigures query_figures(const QueryText& text, const std::string& table)
{
    QueryFigures figures;
    figures.name = text.name;
    figures.what = text.what;
    figures.sql = fmt::format(fmt::runtime(text.sql), table);
    return figures;
}

} // namespace

std::vector<TargetFigures> run_k8s_logs(std::vector<std::unique_ptr<Target>>& targets,
                                        const K8sOptions& options, Transcript& transcript)
{
    std::vector<Subject> subjects;
    for (auto& target : targets)
        subjects.emplace_back(*target, options, transcript);
    on_each(subjects, [](Subject& subject) { subject.describe(); });
    on_each(subjects, [](Subject& subject) { subject.load_all(); });

    const std::vector<QueryText> queries = queries_for(options.rows);
    for (size_t q = 0; q < queries.size(); ++q)
    {
        on_each(subjects,
                [&](Subject& subject) {
                    subject.figures.queries.push_back(query_figures(queries[q], subject.table()));
                });
        alternate(subjects, options.runs, queries[q],
                  [q](Subject& subject) -> QueryFigures& { return subject.figures.queries[q]; });
    }
    const QueryText& scan = queries[2];
    for (size_t t = 1; t < (options.codecs ? 3u : 1u); ++t)
    {
        on_each(subjects,
                [&](Subject& subject)
                {
                    TableFigures& table = subject.figures.tables[t];
                    table.scan = query_figures(scan, table.table);
                });
        alternate(subjects, options.runs, scan,
                  [t](Subject& subject) -> QueryFigures& { return subject.figures.tables[t].scan; });
    }
    const QueryText lookup{"Q5 bloom", "one trace id, bloom_filter(0.01)", queries[4].sql};
    on_each(subjects,
            [&](Subject& subject)
            {
                subject.add_index();
                subject.figures.lookup_with_index = query_figures(lookup, subject.table());
            });
    alternate(subjects, options.runs, lookup,
              [](Subject& subject) -> QueryFigures& { return subject.figures.lookup_with_index; });
    on_each(subjects, [](Subject& subject) { subject.drop_index(); });

    std::vector<TargetFigures> figures;
    for (auto& subject : subjects)
        figures.push_back(std::move(subject.figures));
    return figures;
}

} // namespace basalt::bench
