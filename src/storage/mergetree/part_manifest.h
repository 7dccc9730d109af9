#pragma once

// The manifest of a part: what files it has and where everything stands in them. It is the end of
// the part's file part.bin. Layout in docs/format/part.md.

#include "encodings/page.h"
#include "io/file_system.h"

#include <string>
#include <vector>

namespace basalt
{

inline constexpr const char* kPartFileName = "part.bin";
inline constexpr size_t kPartFooterBytes = 32;

struct FileSection
{
    uint32_t file = 0; // index into PartManifest::files
    uint64_t offset = 0;
    uint64_t size = 0; // 0: there is no such section
    uint64_t checksum = 0; // XXH3-64
};

struct PartFile
{
    std::string name;
    uint64_t size = 0;
};

struct ColumnManifest
{
    std::string name;
    std::string type;
    std::string codec; // as it was written; empty: automatic
    uint32_t file = 0; // where its pages are
    FileSection pages; // the page table
    FileSection shared; // the shared section of the encoding
    uint64_t compressed_bytes = 0; // pages and shared section
    uint64_t uncompressed_bytes = 0;
    PageStatistics statistics; // of the whole part; rows and null_count may saturate
    bool has_nulls = false;
};

struct IndexManifest
{
    std::string name;
    std::string type;
    std::string expression;
    std::string arguments;
    uint32_t granularity = 1;
    FileSection section;
    uint64_t uncompressed_bytes = 0;
};

struct PartManifest
{
    uint64_t rows = 0;
    uint32_t granule_rows = 0;
    int64_t created_unix_s = 0;
    uint64_t metadata_version = 0; // of the table when it was written
    Values partition;
    std::vector<PartFile> files; // files[0] is part.bin (its size: without manifest and footer)
    std::vector<ColumnManifest> columns;
    std::vector<IndexManifest> indexes;
    FileSection primary_index;
    std::string sorting_key; // text, for checks
    uint64_t bytes_on_disk = 0; // of all files; not stored

    size_t pages() const { return (rows + kPageRows - 1) / kPageRows; }
    size_t granules() const
    {
        return granule_rows ? (rows + granule_rows - 1) / granule_rows : 0;
    }
    bool packed() const { return files.size() == 1; }
    int find_column(std::string_view name) const; // -1 when absent

    std::string encode() const;
    static PartManifest decode(std::string_view bytes); // throws CORRUPTED_DATA
};

// Reads part.bin's end and checks that every file has its size. Throws CORRUPTED_DATA,
// FILE_DOESNT_EXIST, BAD_SIZE_OF_FILE_IN_DATA_PART, UNKNOWN_FORMAT_VERSION.
PartManifest read_part_manifest(FileSystem& files, const std::string& directory);
// The bytes that end part.bin, whose sections end at `offset`.
std::string part_file_end(const PartManifest& manifest, uint64_t offset);

// One page in a column's page table.
struct PageEntry
{
    uint64_t offset = 0;
    uint32_t size = 0;
    uint64_t checksum = 0;
    uint32_t rows = 0;
    uint32_t null_count = 0;
    uint64_t uncompressed_bytes = 0;
};
struct PageTable
{
    std::vector<PageEntry> entries;
    std::vector<std::optional<Value>> min, max;

    void add(const PageEntry& entry, const PageStatistics& statistics);
    std::string encode() const;
    static PageTable decode(std::string_view bytes);
};

} // namespace basalt
