#pragma once

// The Kubernetes-log benchmark: what is measured, and the figures of one server.

#include "programs/bench/target.h"

#include <string>
#include <vector>

namespace basalt::bench
{

struct K8sOptions
{
    uint64_t rows = 1000000;
    size_t runs = 3;             // warm runs of each query
    bool codecs = true;          // also the LZ4 and ZSTD(3) tables
    bool keep = false;           // use tables that exist with the right number of rows
    double node_per_hour = 0.236;
    double volume_per_gb_month = 0.0912;
    double volume_gib = 100;
    double rows_per_day = 100e6;
    double days = 30;
};

struct QueryFigures
{
    std::string name, what, sql;
    std::vector<Sample> direct; // min_bytes_to_use_direct_io = 1, caches dropped
    std::vector<Sample> warm;   // the first one fills the caches and is not in the median
    std::string comparable; // what of the answer must be equal on every server; empty: nothing
    std::string error;
    double direct_median() const;
    double warm_median() const;
};

struct ColumnSize
{
    std::string name;
    uint64_t compressed = 0, uncompressed = 0;
};

struct TableFigures
{
    std::string codec; // "default", "LZ4", "ZSTD(3)"
    std::string table;
    double load_s = 0; // 0: kept from before
    uint64_t load_memory = 0;
    uint64_t parts = 0, partitions = 0;
    uint64_t bytes_on_disk = 0, compressed = 0, uncompressed = 0;
    std::vector<ColumnSize> columns;
    QueryFigures scan; // LIKE '%timeout%'
};

struct TargetFigures
{
    std::string name, url, version, timezone;
    std::vector<std::pair<std::string, std::string>> settings; // changed ones
    std::vector<TableFigures> tables; // [0] is the default codec's
    std::vector<QueryFigures> queries; // Q1 … Q5 over the default table
    QueryFigures lookup_with_index;
    double index_s = 0;
    uint64_t index_bytes = 0;
    std::string rows_hash; // proof that targets hold the same rows
    std::string error;
    int exit_code = 0;
};

// Every statement that was run, in order, for queries.sql.
struct Transcript
{
    std::vector<std::string> statements;
};

// Loads each server in turn, then asks every question of all of them alternately. A server's error
// stands in its figures; the others go on.
std::vector<TargetFigures> run_k8s_logs(std::vector<std::unique_ptr<Target>>& targets,
                                        const K8sOptions& options, Transcript& transcript);

// Names of the questions that two servers answered differently, one line each.
std::vector<std::string> disagreements(const std::vector<TargetFigures>& targets);

// Text tables to stdout; files into a folder.
void print_figures(const std::vector<TargetFigures>& targets, const K8sOptions& options);
void write_report(const std::string& directory, const std::vector<TargetFigures>& targets,
                  const K8sOptions& options, const Transcript& transcript);
std::string report_html(const std::vector<TargetFigures>& targets, const K8sOptions& options,
                        const Transcript& transcript);

// The first line of an answer, tabs as blanks.
std::string first_line(const std::string& answer);
std::string readable_bytes(double bytes);
std::string readable_seconds(double seconds);

} // namespace basalt::bench
