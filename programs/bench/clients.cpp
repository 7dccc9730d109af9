#include "programs/bench/clients.h"

#include "base/clock.h"
#include "base/error.h"
#include "net/http/client.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <fmt/format.h>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

namespace basalt::bench
{

namespace
{

constexpr int64_t kRequestTimeout_ms = 60000;
constexpr int64_t kRetryPause_ms = 100;
// After the last batch: a server that does not come back ends the run.
constexpr int64_t kPatience_s = 300;
constexpr size_t kMaxErrorsKept = 5;

constexpr const char* kNamespaces[] = {"payment", "order",    "user", "search",  "catalog",
                                       "cart",    "shipping", "auth", "gateway", "recommend"};
constexpr const char* kEndpoints[] = {
    "GET /api/v1/orders",      "POST /api/v1/payments", "GET /api/v1/users",
    "GET /api/v1/search",      "POST /api/v1/cart/items", "GET /api/v1/products",
    "POST /api/v1/shipments",  "POST /oauth/token",     "GET /healthz",
    "GET /api/v1/recommendations"};

uint64_t mix(uint64_t x)
{
    x ^= x >> 33;
    x *= 0xff51afd7ed558ccdull;
    x ^= x >> 33;
    x *= 0xc4ceb9fe1a85ec53ull;
    return x ^ (x >> 33);
}

void put_hex(char* to, uint64_t value, size_t digits)
{
    for (size_t i = digits; i-- > 0; value >>= 4)
        to[i] = "0123456789abcdef"[value & 15];
}

// The rows of one client as JSON lines, made once: a batch differs from the one before in its times
// and trace ids, which say client, batch and row (8, 8 and 8 digits) before 8 digits of noise.
class Batch
{
public:
    Batch(uint32_t client, uint32_t rows) : client_(client)
    {
        for (uint32_t i = 0; i < rows; ++i)
        {
            const uint64_t noise = mix((uint64_t(client) << 32) + i + 1);
            const char* name = kNamespaces[noise % 10];
            const double duration = static_cast<double>((noise >> 20) % 2000) / 10;
            Row row;
            text_ += "{\"timestamp\":\"";
            row.time = text_.size();
            text_ += fmt::format("2026-08-25 00:00:00.000\",\"namespace\":\"{}\",\"pod\":"
                                 "\"{}-7c7dd4f9c-{:05x}\",\"container\":\"{}\",\"level\":\"{}\","
                                 "\"message\":\"{} completed status=200 in {:.1f}ms trace_id=",
                                 name, name, mix(noise % 10) & 0xfffff,
                                 noise % 10 < 8 ? "app" : "istio-proxy",
                                 noise % 4 ? "INFO" : "DEBUG", kEndpoints[(noise >> 8) % 10],
                                 duration);
            row.in_message = text_.size();
            text_ += std::string(32, '0') + "\",\"trace_id\":\"";
            row.trace = text_.size();
            text_ += fmt::format("{}\",\"duration_ms\":{:.1f}}}\n", std::string(32, '0'), duration);
            rows_.push_back(row);
        }
    }

    const std::string& text(uint32_t number)
    {
        const int64_t now_ms = system_clock().unix_us() / 1000;
        char time[24];
        const auto seconds = static_cast<time_t>(now_ms / 1000);
        tm parts;
        gmtime_r(&seconds, &parts);
        strftime(time, sizeof time, "%Y-%m-%d %H:%M:%S.", &parts);
        for (size_t i = 0; i < rows_.size(); ++i)
        {
            const int64_t ms = now_ms % 1000;
            time[20] = static_cast<char>('0' + ms / 100);
            time[21] = static_cast<char>('0' + ms / 10 % 10);
            time[22] = static_cast<char>('0' + ms % 10);
            std::memcpy(text_.data() + rows_[i].time, time, 23);
            char* trace = text_.data() + rows_[i].trace;
            put_hex(trace, client_, 8);
            put_hex(trace + 8, number, 8);
            put_hex(trace + 16, i, 8);
            put_hex(trace + 24, mix((uint64_t(number) << 40) ^ (uint64_t(client_) << 20) ^ i), 8);
            std::memcpy(text_.data() + rows_[i].in_message, trace, 32);
        }
        return text_;
    }

private:
    struct Row
    {
        size_t time = 0, in_message = 0, trace = 0; // in text_
    };
    uint32_t client_;
    std::string text_;
    std::vector<Row> rows_;
};

struct Shared
{
    std::mutex mutex;
    std::vector<double> clean_ms;   // acknowledged at the first attempt
    std::vector<double> retried_ms; // from the first attempt on
    std::vector<std::string> errors;
    uint64_t error_count = 0;
    std::atomic<uint64_t> retries{0};
    std::atomic<uint64_t> refused{0}; // answered with an error that asks to try again
    std::vector<uint32_t> acknowledged; // by client

    void fail(const std::string& text)
    {
        std::lock_guard lock(mutex);
        ++error_count;
        if (errors.size() < kMaxErrorsKept)
            errors.push_back(text);
    }
};

using Parameters = std::vector<std::pair<std::string, std::string>>;

Parameters insert_parameters(const ClientsOptions& options)
{
    Parameters parameters = {
        {"query", fmt::format("INSERT INTO {} FORMAT JSONEachRow", options.table)}};
    for (size_t at = 0; at < options.settings.size();)
    {
        const size_t end = std::min(options.settings.find(',', at), options.settings.size());
        const std::string one = options.settings.substr(at, end - at);
        const size_t equals = one.find('=');
        if (equals == std::string::npos)
            throw Error(error_codes::BAD_ARGUMENTS,
                        fmt::format("A setting is name=value, not '{}'", one));
        parameters.emplace_back(one.substr(0, equals), one.substr(equals + 1));
        at = end + 1;
    }
    return parameters;
}

void pause(int64_t ms)
{
    std::this_thread::sleep_for(std::chrono::milliseconds(ms));
}

class Sender
{
public:
    Sender(const ClientsOptions& options, uint32_t client, Shared& shared, int64_t start_ns)
        : options_(options), client_(client), shared_(shared), start_ns_(start_ns),
          batch_(client, options.rows), parameters_(insert_parameters(options)),
          url_(parse_http_url(options.url))
    {
        parameters_.emplace_back("insert_deduplication_token", "");
    }

    void run()
    {
        const int64_t interval_ns = int64_t(options_.interval_ms) * 1000000;
        const int64_t end_ns = start_ns_ + int64_t(options_.seconds) * 1000000000;
        int64_t next_ns = start_ns_ + interval_ns * client_ / options_.clients;
        uint32_t number = 0;
        std::vector<double> clean, retried;
        for (; next_ns < end_ns; ++number)
        {
            if (const int64_t wait_ns = next_ns - system_clock().monotonic_ns(); wait_ns > 0)
                std::this_thread::sleep_for(std::chrono::nanoseconds(wait_ns));
            const std::string& text = batch_.text(number);
            const int64_t sent_ns = system_clock().monotonic_ns();
            bool again = false;
            if (!send(text, number, end_ns, again))
                break;
            const int64_t now_ns = system_clock().monotonic_ns();
            (again ? retried : clean).push_back(static_cast<double>(now_ns - sent_ns) / 1e6);
            // A client that fell behind goes on at its pace, as agents do.
            next_ns = std::max(next_ns + interval_ns, now_ns);
        }
        std::lock_guard lock(shared_.mutex);
        shared_.acknowledged[client_] = number;
        shared_.clean_ms.insert(shared_.clean_ms.end(), clean.begin(), clean.end());
        shared_.retried_ms.insert(shared_.retried_ms.end(), retried.begin(), retried.end());
    }

private:
    // False when the batch was not acknowledged and the client gives up.
    bool send(const std::string& text, uint32_t number, int64_t end_ns, bool& again)
    {
        parameters_.back().second = fmt::format("{}-{}", client_, number);
        for (;; again = true)
        {
            std::string problem;
            try
            {
                if (!http_)
                    http_ = std::make_unique<HttpClient>(url_, kRequestTimeout_ms);
                std::string answer;
                MemoryInputBuffer body(text);
                const HttpReply reply = http_->post(
                    parameters_, &body, [&](std::string_view piece) { answer.append(piece); });
                if (reply.status == 200 && !reply.headers.contains("x-clickhouse-exception-code"))
                    return true;
                problem = error_of_reply(reply, answer).full_text();
                if (reply.status == 503 || reply.status == 429)
                    ++shared_.refused;
                else
                {
                    shared_.fail(problem);
                    return false;
                }
            }
            catch (const Error& error)
            {
                problem = error.full_text();
                http_.reset();
            }
            if (!options_.resend ||
                system_clock().monotonic_ns() > end_ns + kPatience_s * 1000000000)
            {
                shared_.fail(problem);
                return false;
            }
            ++shared_.retries;
            pause(kRetryPause_ms);
        }
    }

    const ClientsOptions& options_;
    const uint32_t client_;
    Shared& shared_;
    const int64_t start_ns_;
    Batch batch_;
    Parameters parameters_;
    HttpUrl url_;
    std::unique_ptr<HttpClient> http_;
};

double percentile(std::vector<double>& values, double share)
{
    if (values.empty())
        return 0;
    const auto at = static_cast<ptrdiff_t>(share * static_cast<double>(values.size() - 1));
    std::nth_element(values.begin(), values.begin() + at, values.end());
    return values[static_cast<size_t>(at)];
}

// What of the table is not one row for each acknowledged one: empty when it is all right.
std::string compare(HttpClient& http, const ClientsOptions& options,
                    const std::vector<uint32_t>& acknowledged)
{
    const uint64_t row_sum = uint64_t(options.rows) * (options.rows - 1) / 2;
    // By client: batches, the last batch's number, batches that are not whole.
    const std::string answer = http.query(fmt::format(
        "SELECT substring(batch, 1, 8) AS client, count(), max(substring(batch, 9, 8)), "
        "countIf(rows != {} OR row_sum != {}) FROM (SELECT substring(trace_id, 1, 16) AS batch, "
        "count() AS rows, sum(reinterpretAsUInt32(reverse(unhex(substring(trace_id, 17, 8))))) AS "
        "row_sum FROM {} GROUP BY batch) GROUP BY client ORDER BY client FORMAT TSV",
        options.rows, row_sum, options.table));
    std::string expected;
    for (size_t client = 0; client < acknowledged.size(); ++client)
        if (acknowledged[client])
            expected += fmt::format("{:08x}\t{}\t{:08x}\t0\n", client, acknowledged[client],
                                    acknowledged[client] - 1);
    if (answer == expected)
        return "";
    size_t line_end = 0, line = 0;
    for (size_t i = 0; i < std::min(answer.size(), expected.size()) && answer[i] == expected[i]; ++i)
        if (answer[i] == '\n')
            line = (line_end = i) + 1;
    const auto line_of = [&](const std::string& text)
    { return text.substr(std::min(line, text.size()), text.find('\n', line) - line); };
    return fmt::format("the table holds [{}] where [{}] was acknowledged", line_of(answer),
                       line_of(expected));
}

} // namespace

int run_clients(const ClientsOptions& options)
{
    if (options.clients == 0 || options.rows == 0 || options.interval_ms == 0)
        throw Error(error_codes::BAD_ARGUMENTS,
                    "--clients, --rows and --interval-ms must be positive");
    HttpClient http(parse_http_url(options.url), 600000);
    http.query(fmt::format(
        "CREATE TABLE IF NOT EXISTS {} (timestamp DateTime64(3), namespace "
        "LowCardinality(String), pod String, container LowCardinality(String), level "
        "LowCardinality(String), message String, trace_id String, duration_ms Float32) ENGINE = "
        "MergeTree PARTITION BY toDate(timestamp) ORDER BY (namespace, timestamp)",
        options.table));
    Shared shared;
    shared.acknowledged.resize(options.clients);
    std::vector<std::unique_ptr<Sender>> senders;
    const int64_t start_ns = system_clock().monotonic_ns() + 200000000;
    for (uint32_t i = 0; i < options.clients; ++i)
        senders.push_back(std::make_unique<Sender>(options, i, shared, start_ns));
    std::vector<std::thread> threads;
    for (auto& sender : senders)
        threads.emplace_back([&sender] { sender->run(); });
    for (auto& thread : threads)
        thread.join();

    std::string difference;
    const int64_t give_up_ns = system_clock().monotonic_ns() + kPatience_s * 1000000000;
    for (;;)
    {
        try
        {
            difference = compare(http, options, shared.acknowledged);
            break;
        }
        catch (const Error& error)
        {
            difference = error.full_text();
            if (!options.resend || system_clock().monotonic_ns() > give_up_ns)
                break;
            pause(1000);
        }
    }
    uint64_t batches = 0;
    for (const uint32_t one : shared.acknowledged)
        batches += one;
    for (const auto& error : shared.errors)
        std::fprintf(stderr, "error: %s\n", error.c_str());
    if (!difference.empty())
        std::fprintf(stderr, "wrong: %s\n", difference.c_str());
    const bool good = difference.empty() && shared.error_count == 0;
    std::printf("{\"batches\":%llu,\"rows\":%llu,\"errors\":%llu,\"retries\":%llu,\"refused\":%llu,"
                "\"p50_ms\":%.1f,\"p99_ms\":%.1f,\"max_ms\":%.1f,\"resent_batches\":%zu,"
                "\"resent_p50_ms\":%.1f,\"exactly_once\":%s}\n",
                static_cast<unsigned long long>(batches),
                static_cast<unsigned long long>(batches * options.rows),
                static_cast<unsigned long long>(shared.error_count),
                static_cast<unsigned long long>(shared.retries.load()),
                static_cast<unsigned long long>(shared.refused.load()),
                percentile(shared.clean_ms, 0.5), percentile(shared.clean_ms, 0.99),
                percentile(shared.clean_ms, 1), shared.retried_ms.size(),
                percentile(shared.retried_ms, 0.5), difference.empty() ? "true" : "false");
    return good ? 0 : 1;
}

} // namespace basalt::bench
