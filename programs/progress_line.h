#pragma once

// The line on stderr while a query runs: rows, bytes, per second, share done, memory. It asks the
// server's system.processes over a connection of its own, a few times a second.

#include "net/http/client.h"

#include <condition_variable>
#include <memory>
#include <mutex>
#include <string>
#include <thread>

namespace basalt
{

class ProgressLine
{
public:
    ProgressLine(HttpUrl url, bool enabled);
    ~ProgressLine();

    void start(const std::string& query_id, HttpClient& running);
    void hide(); // before rows are printed
    void stop();
    // "3 rows in set. Elapsed: 0.012 sec. Processed 1.00 million rows, …"
    std::string summary(const HttpReply& reply, double elapsed_s) const;

private:
    void run();

    HttpUrl url_;
    bool enabled_;
    std::thread thread_;
    std::mutex mutex_;
    std::condition_variable wake_;
    std::string query_id_;
    bool running_ = false;
    bool shown_ = false;
    bool quit_ = false;
};

} // namespace basalt
