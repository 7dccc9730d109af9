#pragma once

// What a MergeTree table writes into the server's log, and its state in checkpoints. Layout in
// docs/format/part.md, "Log".

#include "base/int_types.h"

#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace basalt
{

// Kinds of edits; numbers on disk, never reused.
enum class TableEditKind : uint8_t
{
    Created = 1,
    Rows = 2,      // varint version of the metadata, a block for the live buffer
    Parts = 3,     // PartsEdit
    Columns = 4,   // ColumnEvent
    Mutation = 5,  // MutationEntry, new or changed
    Altered = 6,   // AlteredEntry
};

struct PartsEdit
{
    std::vector<std::string> added;
    std::vector<std::string> removed;
    uint64_t flushed_through = 0; // rows of records up to here are in parts; 0 says nothing
    std::vector<std::string> moved_out; // removed, but the folder is kept (detached)

    std::string encode() const;
    static PartsEdit decode(std::string_view bytes);
};

// What ALTER did to stored columns. Parts written before keep what they have; their columns are
// found through these events.
struct ColumnEvent
{
    enum class Kind : uint8_t // numbers on disk, never reused
    {
        Dropped = 1,
        Renamed = 2,
        Added = 3,
    } kind = Kind::Dropped;
    uint64_t version = 0; // of the table's metadata after it; parts of a lower one are affected
    std::string name;
    std::string new_name; // Renamed

    void append_to(std::string& out) const;
    static ColumnEvent take(std::string_view& bytes);
};

// The table's CREATE statement after an ALTER. The catalog's is written later.
struct AlteredEntry
{
    uint64_t version = 0; // of the table's metadata
    std::string create_text;

    std::string encode() const;
    static AlteredEntry decode(std::string_view bytes);
};

struct MutationEntry
{
    uint64_t version = 0; // parts below it are to be rewritten
    int64_t created_unix_s = 0;
    std::vector<std::string> commands; // text
    bool done = false;
    bool killed = false;
    int64_t done_unix_s = 0;

    std::string encode() const;
    static MutationEntry decode(std::string_view bytes);
};

struct TableLogState
{
    std::set<std::string> parts;
    std::set<std::string> outdated; // removed from the list, perhaps not from the disk
    std::set<std::string> moved_out; // since the checkpoint, perhaps not in detached/ yet; not stored
    uint64_t flushed_through = 0;
    uint64_t next_block = 1;
    uint64_t metadata_version = 0;
    std::vector<ColumnEvent> column_events;
    std::map<uint64_t, MutationEntry> mutations;
    AlteredEntry altered; // the last one

    void apply(const PartsEdit& edit);
    std::string encode() const;
    static TableLogState decode(std::string_view bytes);
};

} // namespace basalt
