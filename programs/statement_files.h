#pragma once

// Files that statements name and that this program opens, not the server: INTO OUTFILE and FROM INFILE.
// One thread.

#include "integrations/files/file_sink.h"
#include "io/buffer.h"
#include "sql/ast_select.h"
#include "sql/ast_statements.h"

#include <memory>
#include <string>

namespace basalt
{

// SELECT … INTO OUTFILE 'f.csv.gz' [APPEND | TRUNCATE] [AND STDOUT] [COMPRESSION 'gzip' [LEVEL 6]].
class ResultFile
{
public:
    // FILE_ALREADY_EXISTS unless the statement says what to do with it. default_format: where neither
    // FORMAT nor the file's name tells it.
    ResultFile(const AstQuery& query, const std::string& default_format);
    ~ResultFile(); // takes back what was not finished

    const std::string& format() const { return format_; }
    OutputBuffer& out() { return *out_; }
    void finish();

private:
    std::string format_;
    std::unique_ptr<FileWriter> writer_;
    std::unique_ptr<OutputBuffer> both_; // the file and standard output
    OutputBuffer* out_ = nullptr;
};

// The statement as the server may see it.
AstPtr without_outfile(const AstQuery& query, const std::string& format);

// INSERT INTO t FROM INFILE 'f.csv.gz' [COMPRESSION 'gzip'] [FORMAT CSV].
class InsertFile
{
public:
    explicit InsertFile(const AstInsert& insert);
    ~InsertFile();

    InputBuffer& bytes() { return *top_; }
    uint64_t size_bytes() const; // on the disk
    // The statement as one whose rows follow: INSERT INTO t FORMAT CSV.
    const AstPtr& statement() const { return statement_; }

private:
    AstPtr statement_;
    std::unique_ptr<ReadableFile> file_;
    std::unique_ptr<InputBuffer> raw_, unpacked_;
    InputBuffer* top_ = nullptr;
};

} // namespace basalt
