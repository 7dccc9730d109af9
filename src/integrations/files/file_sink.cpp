#include "integrations/files/file_sink.h"

#include "base/error.h"
#include "formats/compression.h"

#include <fmt/format.h>

namespace basalt
{

namespace
{

constexpr int kGzipLevel = 6, kZstdLevel = 3, kBrotliLevel = 5;

int usual_level(const std::string& compression)
{
    return compression == "zstd" ? kZstdLevel : compression == "br" ? kBrotliLevel : kGzipLevel;
}

} // namespace

FileWriter::FileWriter(FileSystem& files, FileTarget target)
    : files_(files), target_(std::move(target)), path_(target_.path)
{
    const auto status = files_.status(path_);
    if (status && status->is_directory)
        throw Error(error_codes::CANNOT_OPEN_FILE, fmt::format("{} is a directory", path_));
    if (status && !target_.append && !target_.truncate)
        throw Error(error_codes::FILE_ALREADY_EXISTS,
                    fmt::format("File {} exists; APPEND or TRUNCATE behind its name say what to do "
                                "with it",
                                path_));
    if (target_.append && status)
    {
        old_bytes_ = status->size_bytes;
        file_ = files_.open_for_write(path_, OpenMode::Append);
    }
    else
    {
        path_ += ".tmp";
        file_ = files_.open_for_write(path_, OpenMode::Truncate);
    }
    raw_ = std::make_unique<FileOutputBuffer>(*file_);
    top_ = raw_.get();
    if (target_.compression.empty())
        return;
    packed_ = compressing_buffer(target_.compression, *top_,
                                 target_.compression_level ? target_.compression_level
                                                           : usual_level(target_.compression));
    top_ = packed_.get();
}

FileWriter::~FileWriter()
{
    if (finished_)
        return;
    try
    {
        packed_.reset();
        raw_.reset();
        file_.reset();
        if (path_ == target_.path)
            files_.truncate(path_, old_bytes_);
        else
            files_.remove_file_if_exists(path_);
    }
    catch (const Error&)
    {
        // The disk that failed fails here, too: the reason is on its way already.
    }
}

void FileWriter::finish()
{
    if (packed_)
        packed_->finish();
    raw_->finish();
    file_->close();
    if (path_ != target_.path)
        files_.rename(path_, target_.path);
    finished_ = true;
}

std::string appending_format(const std::string& format, const std::string& path)
{
    std::string name = formats().get_output(format).name;
    for (const std::string_view end : {"WithNamesAndTypes", "WithNames"})
        if (name.ends_with(end) && !name.starts_with("RowBinary"))
        {
            name.resize(name.size() - end.size());
            break;
        }
    for (const char* known : {"CSV", "TSV", "TabSeparated", "TSVRaw", "TabSeparatedRaw", "Raw",
                              "JSONEachRow", "JSONLines", "JSONL", "NDJSON", "JSONStringsEachRow",
                              "JSONCompactEachRow", "JSONCompactStringsEachRow", "Native",
                              "RowBinary", "TSKV", "LineAsString", "RawBLOB", "SQLInsert"})
        if (name == known)
            return name;
    throw Error(error_codes::CANNOT_APPEND_TO_FILE,
                fmt::format("File {} exists, and rows cannot be appended to it in format {}. The "
                            "setting engine_file_truncate_on_insert replaces it",
                            path, format));
}

FileSink::FileSink(FileSystem& files, FileTarget target, Header header,
                   const QueryContext& context)
    : header_(std::move(header))
{
    target.truncate = context.settings.get_bool("engine_file_truncate_on_insert");
    target.append = !target.truncate;
    std::string format_name = formats().get_output(target.format).name;
    const auto status = files.status(target.path);
    if (target.append && status && status->size_bytes > 0)
        format_name = appending_format(format_name, target.path);
    // ClickHouse makes the folders that are missing.
    files.create_directories(parent_directory(target.path));
    writer_ = std::make_unique<FileWriter>(files, std::move(target));
    format_ = formats().get_output(format_name)
                  .output(writer_->out(),
                          FormatOptions::from(context.settings, context.timezone()));
    format_->begin(header_);
}

FileSink::~FileSink() = default;

void FileSink::write(Block block)
{
    format_->write(block);
}

void FileSink::finish()
{
    format_->finish({});
    writer_->finish();
}

} // namespace basalt
