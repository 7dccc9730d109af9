#pragma once

// Segments: the files of the server's log, log/<first sequence, 16 hex digits>.log, each a head and
// records one after the other. Layout in docs/format/log.md.

#include "io/file_system.h"

#include <functional>
#include <memory>
#include <string>
#include <string_view>

namespace basalt
{

inline constexpr size_t kSegmentHeadBytes = 16;
inline constexpr size_t kRecordHeadBytes = 20; // u32 size, u64 checksum, u64 sequence

std::string segment_name(uint64_t first_sequence);
// False for names that are not a segment's.
bool parse_segment_name(std::string_view name, uint64_t& first_sequence);

// Appends. After an exception the object is of no use; valid_bytes() says where the durable
// records end.
class SegmentWriter
{
public:
    // Creates the file and makes its name durable.
    SegmentWriter(FileSystem& files, const std::string& directory, uint64_t first_sequence);

    void append(uint64_t sequence, std::string_view body);
    void sync();

    const std::string& path() const { return path_; }
    uint64_t bytes() const { return bytes_; }
    uint64_t valid_bytes() const { return synced_bytes_; }

private:
    std::string path_;
    std::unique_ptr<WritableFile> file_;
    uint64_t bytes_ = 0;
    uint64_t synced_bytes_ = 0;
};

struct SegmentScan
{
    uint64_t valid_bytes = 0; // end of the last whole record before anything else
    bool whole = false;       // nothing stands behind it
    // Behind bytes that are no record whole ones of a later sync were found: what stood between
    // was durable once. Otherwise the rest is a torn tail.
    bool damaged = false;
    bool is_newer = false; // written by a newer version; nothing was read
};
// Calls `record` for every whole record in order of sequence, from `first_sequence` (of the
// segment's name) to below `end_sequence` (of the next one's; else UINT64_MAX).
SegmentScan scan_segment(const ReadableFile& file, uint64_t first_sequence, uint64_t end_sequence,
                         const std::function<void(uint64_t sequence, std::string body)>& record);

} // namespace basalt
