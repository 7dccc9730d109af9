#pragma once

// Progress of a query over HTTP: asks the server's system.processes over a connection of its own, a
// few times a second.

#include "net/http/client.h"
#include "programs/progress_line.h"

#include <condition_variable>
#include <string>
#include <thread>

namespace basalt
{

class HttpProgress
{
public:
    HttpProgress(HttpUrl url, ProgressLine& line);
    ~HttpProgress();

    void start(const std::string& query_id);
    void stop();

private:
    void run();
    void ask(HttpClient& client, const std::string& query_id);

    HttpUrl url_;
    ProgressLine& line_;
    std::thread thread_;
    std::mutex mutex_;
    std::condition_variable wake_;
    std::string query_id_;
    bool running_ = false;
    bool quit_ = false;
};

// From the X-ClickHouse-Summary header.
ProgressCounts counts_of(const HttpReply& reply);

} // namespace basalt
