#pragma once

// The checkpoint: what the log's older segments came to. Written whole and atomically, twice: one
// damaged file must not cost the list of parts.

#include "io/file_system.h"
#include "storage/log/record.h"

#include <map>
#include <optional>
#include <string>

namespace basalt
{

struct LogCheckpoint
{
    // Everything up to here is contained, except rows of live buffers.
    uint64_t sequence = 0;
    // Some of the states may know of records up to here; numbers go on behind it.
    uint64_t last_sequence = 0;
    struct Edit
    {
        uint64_t sequence = 0;
        uint8_t kind = 0;
        std::string payload;
    };
    struct Table
    {
        std::string state;
        std::vector<Edit> edits; // behind the state, of tables that could not be opened
    };
    std::map<std::string, Table> tables; // by uuid
    std::map<std::string, std::string> values;
    std::vector<DeduplicationToken> tokens; // oldest first
};

// Two files of the same content, one after the other.
void write_checkpoint(FileSystem& files, const std::string& directory,
                      const LogCheckpoint& checkpoint);

struct CheckpointRead
{
    std::optional<LogCheckpoint> checkpoint; // nothing when there is none that can be read
    std::vector<std::string> problems;       // of files that cannot
};
// Files that cannot be read get the ending .damaged.
CheckpointRead read_checkpoint(FileSystem& files, const std::string& directory);

} // namespace basalt
