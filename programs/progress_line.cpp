#include "programs/progress_line.h"

#include "base/error.h"
#include "sql/formatter.h"

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <fmt/format.h>

namespace basalt
{

namespace
{

constexpr auto kFirstAfter = std::chrono::milliseconds(400);
constexpr auto kEvery = std::chrono::milliseconds(250);

std::string readable_rows(double n)
{
    if (n >= 1e9)
        return fmt::format("{:.2f} billion", n / 1e9);
    if (n >= 1e6)
        return fmt::format("{:.2f} million", n / 1e6);
    if (n >= 1e3)
        return fmt::format("{:.2f} thousand", n / 1e3);
    return fmt::format("{:.0f}", n);
}

std::string readable_bytes(double n)
{
    static constexpr const char* kUnits[] = {"B", "KB", "MB", "GB", "TB"};
    size_t unit = 0;
    while (n >= 1000 && unit + 1 < std::size(kUnits))
    {
        n /= 1000;
        ++unit;
    }
    return fmt::format("{:.2f} {}", n, kUnits[unit]);
}

// A number out of the summary header's flat JSON.
double number_in(const std::string& json, const std::string& key)
{
    const size_t at = json.find("\"" + key + "\":\"");
    return at == std::string::npos ? 0 : std::atof(json.c_str() + at + key.size() + 4);
}

} // namespace

ProgressLine::ProgressLine(HttpUrl url, bool enabled) : url_(std::move(url)), enabled_(enabled)
{
    if (enabled_)
        thread_ = std::thread([this] { run(); });
}

ProgressLine::~ProgressLine()
{
    {
        std::lock_guard lock(mutex_);
        quit_ = true;
    }
    wake_.notify_all();
    if (thread_.joinable())
        thread_.join();
}

void ProgressLine::start(const std::string& query_id, HttpClient&)
{
    std::lock_guard lock(mutex_);
    query_id_ = query_id;
    running_ = true;
    wake_.notify_all();
}

void ProgressLine::hide()
{
    std::lock_guard lock(mutex_);
    if (shown_)
        std::fprintf(stderr, "\r\033[K");
    shown_ = false;
    running_ = false;
}

void ProgressLine::stop()
{
    hide();
    wake_.notify_all();
}

void ProgressLine::run()
{
    HttpClient client(url_, 2000);
    std::unique_lock lock(mutex_);
    while (!quit_)
    {
        wake_.wait(lock, [&] { return quit_ || running_; });
        const std::string id = query_id_;
        wake_.wait_for(lock, kFirstAfter, [&] { return quit_ || !running_ || query_id_ != id; });
        while (!quit_ && running_ && query_id_ == id)
        {
            lock.unlock();
            double rows = 0, bytes = 0, total = 0, elapsed = 0, memory = 0;
            int got = 0;
            try
            {
                const std::string answer = client.query(
                    "SELECT read_rows + written_rows, read_bytes, total_rows_approx, elapsed, "
                    "memory_usage FROM system.processes WHERE query_id = " +
                        quote_string(id) + " FORMAT TSV",
                    {{"log_queries", "0"}});
                got = std::sscanf(answer.c_str(), "%lf %lf %lf %lf %lf", &rows, &bytes, &total,
                                  &elapsed, &memory);
            }
            catch (const Error&)
            {
                // The next round may succeed; a missing progress line is no error.
            }
            lock.lock();
            if (got == 5 && running_ && query_id_ == id && elapsed > 0)
            {
                std::string line = fmt::format(
                    "{} rows, {} ({} rows/s., {}/s.) {:.1f} s, {} memory", readable_rows(rows),
                    readable_bytes(bytes), readable_rows(rows / elapsed),
                    readable_bytes(bytes / elapsed), elapsed, readable_bytes(memory));
                if (total >= rows && total > 0)
                    line += fmt::format(" {:.0f}%", 100 * rows / total);
                std::fprintf(stderr, "\r\033[K%s", line.c_str());
                std::fflush(stderr);
                shown_ = true;
            }
            wake_.wait_for(lock, kEvery, [&] { return quit_ || !running_ || query_id_ != id; });
        }
    }
}

std::string ProgressLine::summary(const HttpReply& reply, double elapsed_s) const
{
    std::string text = fmt::format("\nElapsed: {:.3f} sec.", elapsed_s);
    auto it = reply.headers.find("x-clickhouse-summary");
    if (it == reply.headers.end())
        return text + "\n";
    const double rows = number_in(it->second, "read_rows");
    const double bytes = number_in(it->second, "read_bytes");
    const double result = number_in(it->second, "result_rows");
    if (result > 0)
        text = fmt::format("\n{:.0f} row{} in set. Elapsed: {:.3f} sec.", result,
                           result == 1 ? "" : "s", elapsed_s);
    if (rows > 0 && elapsed_s > 0)
        text += fmt::format(" Processed {} rows, {} ({} rows/s., {}/s.)", readable_rows(rows),
                            readable_bytes(bytes), readable_rows(rows / elapsed_s),
                            readable_bytes(bytes / elapsed_s));
    return text + "\n";
}

} // namespace basalt
