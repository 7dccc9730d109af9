#pragma once

// The archive of an instance's write-ahead log: a folder with one file per segment, written by
// PostgreSQL's archive_command and read by its restore_command (docs/format/pg_archive.md).
//
// A segment counts as archived once its file was written, synced, read back and compared; only then
// may PostgreSQL recycle the original. Archiving the same bytes again is fine, other bytes under
// the same name are refused: two servers must never share an archive.
// Errors: those of files; CHECKSUM_DOESNT_MATCH (damaged or other content), INCORRECT_FILE_NAME.
// Threads: any, on different segments.

#include "base/int_types.h"
#include "io/file_system.h"

#include <compare>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace basalt::pg
{

inline constexpr uint64_t kSegmentBytes = 16 << 20;
inline constexpr uint64_t kSegmentsPerLog = (1ull << 32) / kSegmentBytes;
// A history or label file is small; a segment could have been made up to 1 GiB large.
inline constexpr uint64_t kMaxArchivedFileBytes = 1ull << 30;
inline constexpr const char* kArchiveSuffix = ".zst";

// A place in the log.
struct Lsn
{
    uint64_t value = 0;

    auto operator<=>(const Lsn&) const = default;
    std::string text() const; // "16/B374D848"
    // Nothing if it is not two hexadecimal numbers of at most 8 digits around a '/'.
    static std::optional<Lsn> parse(std::string_view text);
};

// "00000001000000160000004A": timeline and number of the segment.
struct Segment
{
    uint32_t timeline = 1;
    uint64_t number = 0;

    auto operator<=>(const Segment&) const = default;
    std::string name() const;
    static std::optional<Segment> parse(std::string_view name);
    static Segment of(uint32_t timeline, Lsn lsn) { return {timeline, lsn.value / kSegmentBytes}; }
};

// Segments, "….partial", "….backup" and "….history": what PostgreSQL archives.
bool is_archivable_name(std::string_view name);

void archive_file(FileSystem& files, const std::string& source, const std::string& folder);

// False if the archive does not hold `name`, nor the folder `unfinished` (skipped when empty).
bool fetch_file(FileSystem& files, const std::string& folder, const std::string& unfinished,
                const std::string& name, const std::string& target);

struct ArchiveSummary
{
    std::vector<Segment> segments; // in order
    uint64_t bytes = 0;
    // Names of segments that are missing between two that are there, of the newest timeline they
    // could be of; at most kMaxGaps.
    std::vector<std::string> gaps;
    std::vector<std::string> damaged; // only if contents were checked
};
inline constexpr size_t kMaxGaps = 1000;

// Gaps are looked for from `from` on.
ArchiveSummary look_at_archive(FileSystem& files, const std::string& folder,
                               std::optional<Segment> from, bool check_contents);

// Removes every segment that is older than `oldest`, of any timeline up to its; returns how many.
size_t remove_older_segments(FileSystem& files, const std::string& folder, Segment oldest);

} // namespace basalt::pg
