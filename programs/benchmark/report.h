#pragma once

// Reports of `basalt benchmark`: text for people, JSON for programs.

#include "programs/benchmark/statistics.h"

#include <string>
#include <vector>

namespace basalt::benchmark
{

struct Figures // of one server
{
    std::string server; // "127.0.0.1:9000"
    uint64_t queries = 0, errors = 0;
    uint64_t read_rows = 0, read_bytes = 0, result_rows = 0, result_bytes = 0;
    Latencies latencies;

    void clear();
};

// elapsed_s: of the interval that the figures cover. Servers that are compared take turns: each is
// given the share of the time that its queries took.
std::string text_report(const std::vector<Figures>& servers, double elapsed_s, double confidence,
                        int digits);
std::string json_report(const std::vector<Figures>& servers, double elapsed_s);

} // namespace basalt::benchmark
