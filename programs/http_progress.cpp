#include "programs/http_progress.h"

#include "base/error.h"
#include "sql/formatter.h"

#include <chrono>
#include <cstdio>
#include <cstdlib>

namespace basalt
{

namespace
{

constexpr auto kFirstAfter = std::chrono::milliseconds(400);
constexpr auto kEvery = std::chrono::milliseconds(250);

// A number out of the summary header's flat JSON.
double number_in(const std::string& json, const std::string& key)
{
    const size_t at = json.find("\"" + key + "\":\"");
    return at == std::string::npos ? 0 : std::atof(json.c_str() + at + key.size() + 4);
}

} // namespace

HttpProgress::HttpProgress(HttpUrl url, ProgressLine& line) : url_(std::move(url)), line_(line)
{
    if (line_.enabled())
        thread_ = std::thread([this] { run(); });
}

HttpProgress::~HttpProgress()
{
    {
        std::lock_guard lock(mutex_);
        quit_ = true;
    }
    wake_.notify_all();
    if (thread_.joinable())
        thread_.join();
}

void HttpProgress::start(const std::string& query_id)
{
    std::lock_guard lock(mutex_);
    query_id_ = query_id;
    running_ = true;
    wake_.notify_all();
}

void HttpProgress::stop()
{
    std::lock_guard lock(mutex_);
    running_ = false;
    wake_.notify_all();
}

void HttpProgress::run()
{
    HttpClient client(url_, 2000);
    std::unique_lock lock(mutex_);
    while (!quit_)
    {
        wake_.wait(lock, [&] { return quit_ || running_; });
        const std::string id = query_id_;
        const auto is_over = [&] { return quit_ || !running_ || query_id_ != id; };
        wake_.wait_for(lock, kFirstAfter, is_over);
        while (!is_over())
        {
            lock.unlock();
            ask(client, id);
            lock.lock();
            wake_.wait_for(lock, kEvery, is_over);
        }
    }
}

void HttpProgress::ask(HttpClient& client, const std::string& query_id)
{
    try
    {
        const std::string answer = client.query(
            "SELECT read_rows + written_rows, read_bytes, total_rows_approx, memory_usage FROM "
            "system.processes WHERE query_id = " +
                quote_string(query_id) + " FORMAT TSV",
            {{"log_queries", "0"}});
        ProgressCounts counts;
        if (std::sscanf(answer.c_str(), "%lf %lf %lf %lf", &counts.rows, &counts.bytes,
                        &counts.total_rows, &counts.memory_bytes) == 4)
            line_.show(counts);
    }
    catch (const Error&)
    {
        // The next round may succeed; a missing progress line is no error.
    }
}

ProgressCounts counts_of(const HttpReply& reply)
{
    ProgressCounts counts;
    const auto it = reply.headers.find("x-clickhouse-summary");
    if (it == reply.headers.end())
        return counts;
    counts.rows = number_in(it->second, "read_rows");
    counts.bytes = number_in(it->second, "read_bytes");
    counts.result_rows = number_in(it->second, "result_rows");
    return counts;
}

} // namespace basalt
