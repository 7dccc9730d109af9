#pragma once

// Writes one part from sorted blocks: pages of every column, the key index, skip indexes, the
// manifest. Small parts become one file, larger ones a file per column. Everything is durable when
// finish() returns, except the name of the folder in its parent.
// Memory: one page of every column, and the pages of a small part. One thread.

#include "storage/mergetree/part_manifest.h"
#include "storage/skip_index/skip_index.h"
#include "storage/table.h"

#include <set>

namespace basalt
{

inline constexpr uint64_t kPackedPartBytes = 16 << 20;

struct PartWriterOptions
{
    std::string directory; // made anew
    TableMetadataPtr metadata;
    uint64_t metadata_version = 0;
    ColumnEncodingOptions::Effort effort = ColumnEncodingOptions::Effort::Fast;
    std::string default_codec; // of columns without one; empty: automatic
    uint64_t packed_bytes = kPackedPartBytes;
    bool write_indexes = true;
};

// Columns whose values the writer looks at, or that are stored without templates; the others may
// come compact.
std::set<std::string> values_wanted_by_writer(const TableMetadata& metadata);

class PartWriter
{
public:
    PartWriter(FileSystem& files, PartWriterOptions options, const QueryContext& context);
    ~PartWriter(); // not finished: removes the folder

    // Rows sorted by the sorting key, columns as the table's physical_header(), any forms, compact
    // too but for values_wanted_by_writer().
    void write(const Block& block);
    // At least one row was written.
    PartManifest finish(Values partition, int64_t created_unix_s);

    uint64_t rows() const { return rows_ + waiting_rows_; }
    uint64_t compressed_bytes() const { return compressed_bytes_; }

private:
    struct ColumnState
    {
        std::string file_name;
        std::unique_ptr<WritableFile> file; // of a part that is not packed
        std::string pages;                  // of one that still may be
        uint64_t offset = 0;
        PageTable table;
        ColumnManifest manifest;
    };

    struct IndexState
    {
        IndexDescription description;
        std::unique_ptr<SkipIndexBuilder> builder;
        std::unique_ptr<ExpressionProgram> program;
        size_t entry_rows = 0;
        MutableColumnPtr waiting; // less than an entry
        std::string bytes;
    };

    void write_waiting(size_t least, bool last);
    void write_page(const Block& page);
    void add_index(const IndexDescription& index);
    void add_id_filters(const Block& first_page);
    void add_key_rows(const Block& page, bool last);
    void add_index_rows(IndexState& index, const Block& page);
    void spread(); // from one file to many
    FileSection append_section(const std::string& bytes);
    void finish_column(ColumnState& column, const std::string& shared);
    void finish_index(IndexState& index);
    void write_part_file();
    std::unique_ptr<WritableFile> create(const std::string& name);

    FileSystem& files_;
    PartWriterOptions options_;
    const QueryContext& context_;
    Header header_;
    size_t granule_rows_;
    std::unique_ptr<PartEncoder> encoder_;
    std::vector<ColumnState> columns_;
    std::unique_ptr<ExpressionProgram> key_program_;
    std::vector<MutableColumnPtr> key_columns_;
    std::vector<IndexState> indexes_;
    std::vector<Block> waiting_; // at most a page between calls
    size_t waiting_rows_ = 0;
    PartManifest manifest_;
    uint64_t rows_ = 0; // in pages
    uint64_t compressed_bytes_ = 0;
    bool packed_ = true;
    bool finished_ = false;
    std::string sections_; // of part.bin
};

// Gives the builder the entries that the values complete; the rest waits.
void add_entries(const Column& values, size_t entry_rows, MutableColumnPtr& waiting,
                 SkipIndexBuilder& builder);
// The largest power of two not above index_granularity, at most a page.
size_t granule_rows_of(const TableMetadata& metadata);
// A column's or index's name as a file name.
std::string file_name_of(std::string_view name);

} // namespace basalt
