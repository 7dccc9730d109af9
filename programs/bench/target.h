#pragma once

// A server under measurement: anything that speaks ClickHouse's HTTP interface.

#include "net/http/client.h"

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace basalt::bench
{

struct Sample
{
    double seconds = 0;
    std::optional<uint64_t> read_rows;
    std::optional<uint64_t> read_bytes;
    std::string answer;
};

class Target
{
public:
    Target(std::string name, std::string url);

    const std::string& name() const { return name_; }
    const std::string& url() const { return url_; }
    bool has_query_log() const { return has_query_log_; }

    // The whole answer in TSV. Throws the server's error.
    std::string ask(const std::string& sql);
    // ask() with blanks trimmed; for one value.
    std::string value(const std::string& sql);
    uint64_t number(const std::string& sql);

    // Runs one query: time at the client (or in the engine, where the server says it: a peer that
    // is run in-process answers with X-Elapsed-Ms), rows and bytes read from system.query_log, else
    // from the statistics of FORMAT JSON of a run of its own.
    Sample measure(const std::string& sql, bool with_reads);

    // ProfileEvents and memory of the last measured query, from system.query_log; may be empty.
    std::map<std::string, std::string> last_log();

private:
    std::string name_, url_;
    HttpClient client_;
    std::string last_query_id_;
    uint64_t serial_ = 0;
    bool has_query_log_ = false;
};

double median(std::vector<double> values);

} // namespace basalt::bench
