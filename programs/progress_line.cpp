#include "programs/progress_line.h"

#include <algorithm>
#include <cstdio>
#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

namespace basalt
{

namespace
{

constexpr auto kFirstAfter = std::chrono::milliseconds(400);
constexpr auto kEvery = std::chrono::milliseconds(100);

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

// As wide as the terminal at most, with a bar in the room that is left when the end is known.
std::string fitted(std::string line, const ProgressCounts& counts)
{
    winsize size = {};
    const size_t width =
        ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 1 ? size.ws_col - 1 : 79;
    if (counts.total_rows > 0 && counts.total_rows >= counts.rows)
    {
        const double share = counts.rows / counts.total_rows;
        line += fmt::format(" {:.0f}%", 100 * share);
        constexpr size_t kLeastBar = 10, kMostBar = 60;
        if (line.size() + 1 + kLeastBar <= width)
        {
            const size_t bar = std::min(width - line.size() - 1, kMostBar);
            const auto full = static_cast<size_t>(share * static_cast<double>(bar));
            line += ' ';
            for (size_t i = 0; i < bar; ++i)
                line += i < full ? "█" : "░";
            return line;
        }
    }
    if (line.size() > width)
        line.resize(width);
    return line;
}

} // namespace

void ProgressLine::start()
{
    std::lock_guard lock(mutex_);
    started_ = drawn_ = Clock::now();
    running_ = true;
}

double ProgressLine::elapsed_s() const
{
    std::lock_guard lock(mutex_);
    return std::chrono::duration<double>(Clock::now() - started_).count();
}

void ProgressLine::show(const ProgressCounts& counts)
{
    std::lock_guard lock(mutex_);
    const auto now = Clock::now();
    if (!enabled_ || !running_ || now - started_ < kFirstAfter || now - drawn_ < kEvery)
        return;
    drawn_ = now;
    const double elapsed_s = std::chrono::duration<double>(now - started_).count();
    std::string line = fmt::format("{} rows, {} ({} rows/s., {}/s.) {:.1f} s",
                                   readable_rows(counts.rows), readable_bytes(counts.bytes),
                                   readable_rows(counts.rows / elapsed_s),
                                   readable_bytes(counts.bytes / elapsed_s), elapsed_s);
    if (counts.memory_bytes > 0)
        line += fmt::format(", {} memory", readable_bytes(counts.memory_bytes));
    std::fprintf(stderr, "\r\033[K%s", fitted(line, counts).c_str());
    std::fflush(stderr);
    shown_ = true;
}

void ProgressLine::hide()
{
    std::lock_guard lock(mutex_);
    if (shown_)
        std::fprintf(stderr, "\r\033[K");
    shown_ = running_ = false;
}

std::string summary_of(const ProgressCounts& counts, double elapsed_s)
{
    std::string text = fmt::format("\nElapsed: {:.3f} sec.", elapsed_s);
    if (counts.result_rows > 0)
        text = fmt::format("\n{:.0f} row{} in set. Elapsed: {:.3f} sec.", counts.result_rows,
                           counts.result_rows == 1 ? "" : "s", elapsed_s);
    if (counts.rows > 0 && elapsed_s > 0)
        text += fmt::format(" Processed {} rows, {} ({} rows/s., {}/s.)",
                            readable_rows(counts.rows), readable_bytes(counts.bytes),
                            readable_rows(counts.rows / elapsed_s),
                            readable_bytes(counts.bytes / elapsed_s));
    if (counts.memory_bytes > 0)
        text += fmt::format(" Peak memory {}.", readable_bytes(counts.memory_bytes));
    return text + "\n";
}

} // namespace basalt
