#pragma once

// What system tables show of MergeTree tables: plain copies of the state at one moment.

#include "base/int_types.h"
#include "columns/value.h"

#include <string>
#include <vector>

namespace basalt
{

struct PartColumnInfo
{
    std::string name;
    std::string type;
    std::string codec;
    uint64_t compressed_bytes = 0;
    uint64_t uncompressed_bytes = 0;
    uint64_t marks_bytes = 0; // its page table
};

struct PartIndexInfo
{
    std::string name;
    uint64_t compressed_bytes = 0;
    uint64_t uncompressed_bytes = 0;
};

struct PartInfo
{
    std::string name;
    std::string partition;    // text: 2026-08-25
    std::string partition_id; // 20260825
    bool active = true;       // otherwise replaced, waiting to be removed
    bool packed = false;      // Compact in ClickHouse's words
    uint64_t rows = 0;
    uint64_t marks = 0;
    uint64_t bytes_on_disk = 0;
    uint64_t compressed_bytes = 0;
    uint64_t uncompressed_bytes = 0;
    uint64_t marks_bytes = 0;
    uint64_t primary_key_bytes_in_memory = 0;
    uint64_t primary_key_size = 0;
    int64_t modification_unix_s = 0;
    uint64_t min_block = 0, max_block = 0, data_version = 0;
    uint32_t level = 0;
    size_t references = 0;
    std::string path;
    // Of the first Date or DateTime column of the partition key's inputs; 0 when there is none.
    int64_t min_time_unix_s = 0, max_time_unix_s = 0;
    std::vector<PartColumnInfo> columns;
    std::vector<PartIndexInfo> indexes;
};

struct MergeInfo
{
    std::vector<std::string> source_parts;
    std::string result_part;
    std::string partition_id;
    int64_t started_unix_us = 0;
    double progress = 0;
    bool is_mutation = false;
    uint64_t total_rows = 0;
    uint64_t total_bytes = 0;
    uint64_t rows_read = 0;
    uint64_t rows_written = 0;
    uint64_t bytes_written = 0;
};

// What happened to a part: a row of system.part_log.
struct PartEvent
{
    enum class Type : uint8_t // ClickHouse's numbers
    {
        NewPart = 1,
        MergeParts = 2,
        RemovePart = 4,
        MutatePart = 5,
    } type = Type::NewPart;
    int64_t unix_us = 0;
    uint64_t duration_ms = 0; // of merges and mutations
    std::string part;
    std::string partition_id;
    std::string path;
    std::vector<std::string> merged_from;
    uint64_t rows = 0;
    uint64_t read_rows = 0; // of merges and mutations
    uint64_t bytes_on_disk = 0;
    uint64_t uncompressed_bytes = 0;
    bool packed = false;
};
// Of each table so many are remembered, the oldest go first; none outlives the server.
inline constexpr size_t kMaxPartEvents = 2000;

struct MutationInfo
{
    std::string id; // mutation_40.txt
    std::string command;
    int64_t created_unix_s = 0;
    uint64_t version = 0;
    std::vector<std::string> parts_to_do;
    bool is_done = false;
    bool is_killed = false;
    std::string latest_failed_part;
    int64_t latest_fail_unix_s = 0;
    std::string latest_fail_reason;
};

struct DetachedPartInfo
{
    std::string name;
    std::string reason; // empty: by the user
    uint64_t bytes_on_disk = 0;
    std::string path;
};

// What CHECK TABLE says of a part.
struct CheckedPart
{
    std::string name;
    std::string problem; // empty: whole
};

struct LiveBufferInfo
{
    uint64_t rows = 0;
    uint64_t bytes = 0;
};

} // namespace basalt
