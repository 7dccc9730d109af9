#include "programs/statement_files.h"

#include "base/error.h"
#include "formats/compression.h"
#include "formats/file_names.h"
#include "integrations/files/file_pattern.h"

#include <cstdio>
#include <cstdlib>
#include <fmt/format.h>

namespace basalt
{

ResultFile::ResultFile(const AstQuery& query, const std::string& default_format)
{
    FileTarget target;
    target.path = query.outfile->as<AstLiteral>()->text;
    target.append = query.outfile_append;
    target.truncate = query.outfile_truncate;
    target.compression = compression_method(
        query.compression ? query.compression->as<AstLiteral>()->text : "auto", target.path);
    if (query.compression_level)
        target.compression_level = std::atoi(query.compression_level->as<AstLiteral>()->text.c_str());
    format_ = query.format;
    if (format_.empty())
    {
        const auto by_name = format_of_file_name(target.path);
        format_ = by_name && formats().find(*by_name) && formats().find(*by_name)->output
                      ? *by_name
                      : default_format;
    }
    formats().get_output(format_);
    if (target.append)
    {
        const auto status = real_file_system().status(target.path);
        if (status && status->size_bytes > 0)
            format_ = appending_format(format_, target.path);
    }
    writer_ = std::make_unique<FileWriter>(real_file_system(), std::move(target));
    out_ = &writer_->out();
    if (!query.outfile_stdout)
        return;
    const auto write = [this](std::string_view bytes)
    {
        writer_->out().write(bytes);
        std::fwrite(bytes.data(), 1, bytes.size(), stdout);
    };
    both_ = std::make_unique<CallbackOutputBuffer<decltype(write)>>(write);
    out_ = both_.get();
}

ResultFile::~ResultFile() = default;

void ResultFile::finish()
{
    if (both_)
    {
        both_->finish();
        std::fflush(stdout);
    }
    writer_->finish();
}

AstPtr without_outfile(const AstQuery& query, const std::string& format)
{
    AstPtr plain = query.clone();
    auto& head = *plain->as<AstQuery>();
    head.outfile = head.compression = head.compression_level = nullptr;
    head.outfile_append = head.outfile_truncate = head.outfile_stdout = false;
    head.format = format;
    return plain;
}

InsertFile::InsertFile(const AstInsert& insert)
{
    const std::string pattern = insert.infile->as<AstLiteral>()->text;
    std::string path = pattern;
    if (has_pattern(pattern) && !real_file_system().exists(pattern))
    {
        const auto found = find_files(real_file_system(), pattern);
        if (found.empty())
            throw Error(error_codes::FILE_DOESNT_EXIST,
                        fmt::format("No file matches {}", pattern));
        if (found.size() > 1)
            throw Error(error_codes::NOT_IMPLEMENTED,
                        fmt::format("FROM INFILE of several files is not implemented: {} match {}",
                                    found.size(), pattern));
        path = found[0];
    }
    statement_ = insert.clone();
    auto& head = *statement_->as<AstInsert>();
    head.infile = head.compression = nullptr;
    if (head.format.empty())
    {
        const auto format = format_of_file_name(path);
        if (!format)
            throw Error(error_codes::CANNOT_DETECT_FORMAT,
                        fmt::format("The format of {} does not follow from its name: FORMAT says it",
                                    path));
        head.format = *format;
    }
    file_ = real_file_system().open_for_read(path);
    file_->advise(Advice::Sequential);
    raw_ = std::make_unique<FileInputBuffer>(*file_);
    top_ = raw_.get();
    const std::string method = compression_method(
        insert.compression ? insert.compression->as<AstLiteral>()->text : "auto", path);
    if (!method.empty())
    {
        unpacked_ = decompressing_buffer(method, *top_);
        top_ = unpacked_.get();
    }
}

InsertFile::~InsertFile() = default;

uint64_t InsertFile::size_bytes() const
{
    return file_->size();
}

} // namespace basalt
