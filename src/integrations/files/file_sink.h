#pragma once

// Rows into a file: a new one appears when all of them are in it; to one that exists they are appended
// where the format allows, and taken back when they do not all come. engine_file_truncate_on_insert:
// replaced at the end. One thread.

#include "base/query_context.h"
#include "formats/format.h"
#include "io/file_system.h"
#include "storage/table.h"

#include <memory>
#include <string>

namespace basalt
{

struct FileTarget
{
    std::string path;
    std::string format;
    std::string compression; // as compressing_buffer() takes it; empty: none
    int compression_level = 0; // 0: the usual one
    bool append = false;
    bool truncate = false; // else FILE_ALREADY_EXISTS
};

// Opens a target and writes through a format; for sinks and INTO OUTFILE.
class FileWriter
{
public:
    FileWriter(FileSystem& files, FileTarget target);
    ~FileWriter(); // takes back what was not finished

    bool appends() const { return old_bytes_ > 0; } // behind other rows
    OutputBuffer& out() { return *top_; }
    void finish();

private:
    FileSystem& files_;
    const FileTarget target_;
    std::string path_; // what is written: the file, or one beside it
    uint64_t old_bytes_ = 0;
    std::unique_ptr<WritableFile> file_;
    std::unique_ptr<OutputBuffer> raw_, packed_;
    OutputBuffer* top_ = nullptr;
    bool finished_ = false;
};

// Throws CANNOT_APPEND_TO_FILE for formats that are one document. The format that appends rows: without a
// header.
std::string appending_format(const std::string& format, const std::string& path);

class FileSink final : public TableSink
{
public:
    FileSink(FileSystem& files, FileTarget target, Header header, const QueryContext& context);
    ~FileSink() override;

    void write(Block block) override;
    void finish() override;

private:
    Header header_;
    std::unique_ptr<FileWriter> writer_;
    std::unique_ptr<OutputFormat> format_;
};

} // namespace basalt
