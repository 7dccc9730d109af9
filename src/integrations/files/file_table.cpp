#include "integrations/files/file_table.h"

#include "base/error.h"
#include "catalog/function_table.h"
#include "formats/compression.h"
#include "formats/file_names.h"
#include "formats/infer.h"
#include "integrations/files/file_pattern.h"
#include "integrations/files/file_sink.h"
#include "io/real_path.h"

#include <algorithm>
#include <fmt/format.h>

namespace basalt
{

namespace
{

constexpr const char* kPathColumn = "_path";
constexpr const char* kFileColumn = "_file";
constexpr const char* kSizeColumn = "_size";
constexpr const char* kTimeColumn = "_time";

Header virtual_header()
{
    const TypePtr text = std::make_shared<LowCardinalityType>(simple_type(TypeId::String));
    return {{kPathColumn, text},
            {kFileColumn, text},
            {kSizeColumn, make_nullable(simple_type(TypeId::UInt64))},
            {kTimeColumn, make_nullable(simple_type(TypeId::DateTime))}};
}

// "/a/./b/../c" as "/a/c": by the text alone.
std::string normal_path(const std::string& path)
{
    std::vector<std::string_view> parts;
    for (size_t at = 0; at < path.size();)
    {
        const size_t end = std::min(path.find('/', at), path.size());
        const std::string_view part(path.data() + at, end - at);
        at = end + 1;
        if (part == ".." && !parts.empty())
            parts.pop_back();
        else if (!part.empty() && part != "." && part != "..")
            parts.push_back(part);
    }
    std::string normal;
    for (const auto& part : parts)
        normal += "/" + std::string(part);
    return normal.empty() ? "/" : normal;
}

bool is_below(const std::string& path, const std::string& root)
{
    return path == root || path.starts_with(root == "/" ? root : root + "/");
}

[[noreturn]] void deny(const std::string& path, const std::string& root)
{
    throw Error(error_codes::DATABASE_ACCESS_DENIED,
                fmt::format("File `{}` is not inside `{}/`", path, root));
}

// Paths and what may be done with them.
class Files
{
public:
    Files(FileSystem& files, std::shared_ptr<const FileAccess> access)
        : files_(files), access_(std::move(access))
    {
    }

    bool is_standard_input(const std::string& path) const
    {
        return access_->standard_input &&
               (path == "-" || path == "stdin" || path == "/dev/stdin" || path == "/dev/fd/0");
    }

    // The path that a user's text means, not yet looked at.
    std::string resolve(const std::string& path) const
    {
        if (access_->root.empty())
            return path.starts_with('/') ? path : join_path(real_path("."), path);
        const std::string root = real_path(access_->root);
        const std::string full = normal_path(path.starts_with('/') ? path : root + "/" + path);
        if (is_below(full, root))
            return full;
        // The root as it was named, with a link in it, is the same place.
        const std::string named = normal_path(access_->root);
        if (access_->root.starts_with('/') && is_below(full, named))
            return root + full.substr(named.size());
        deny(full, root);
    }

    // Follows links: they may lead anywhere.
    void check(const std::string& path) const
    {
        if (access_->root.empty())
            return;
        const std::string root = real_path(access_->root);
        if (!is_below(real_path(path), root))
            deny(path, root);
    }

    // A path without a pattern is given back even if there is no such file.
    std::vector<std::string> find(const std::string& path) const
    {
        const std::string resolved = resolve(path);
        if (!has_pattern(resolved) && !files_.exists(resolved))
            return {resolved};
        std::vector<std::string> found = find_files(files_, resolved);
        for (const auto& one : found)
            check(one);
        return found;
    }

    std::optional<FileStatus> status(const std::string& path) const { return files_.status(path); }
    FileSystem& system() const { return files_; }
    InputBuffer& standard_input() const { return *access_->standard_input; }

private:
    FileSystem& files_;
    std::shared_ptr<const FileAccess> access_;
};

// Bytes of a file, unpacked.
class FileBytes
{
public:
    FileBytes(const Files& files, const std::string& path, const std::string& method)
    {
        const std::string encoding = compression_method(method, path);
        if (files.is_standard_input(path))
            top_ = &files.standard_input();
        else
        {
            files.check(path);
            file_ = files.system().open_for_read(path);
            file_->advise(Advice::Sequential);
            raw_ = std::make_unique<FileInputBuffer>(*file_);
            top_ = raw_.get();
        }
        if (!encoding.empty())
        {
            unpacked_ = decompressing_buffer(encoding, *top_);
            top_ = unpacked_.get();
        }
    }
    InputBuffer& bytes() { return *top_; }

private:
    std::unique_ptr<ReadableFile> file_;
    std::unique_ptr<InputBuffer> raw_, unpacked_;
    InputBuffer* top_ = nullptr;
};

[[noreturn]] void fail_at(const Error& error, const std::string& path)
{
    throw Error(error.code(), fmt::format("{}: (in file/uri {})", error.message(), path));
}

class Reader
{
public:
    Reader(Files files, const std::string& path, bool must_exist, std::string format,
           std::string compression, Header all, Header wanted, size_t block_rows,
           std::shared_ptr<FileBytes> opened, QueryContextPtr context)
        : files_(std::move(files)), format_(std::move(format)),
          compression_(std::move(compression)), all_(std::move(all)), wanted_(std::move(wanted)),
          block_rows_(block_rows), context_(std::move(context)), bytes_(std::move(opened))
    {
        if (files_.is_standard_input(path))
            paths_ = {path};
        else
            paths_ = files_.find(path);
        if (must_exist && paths_.size() == 1 && !files_.is_standard_input(path) &&
            !files_.status(paths_[0]))
            throw Error(error_codes::FILE_DOESNT_EXIST,
                        fmt::format("File {} doesn't exist", paths_[0]));
        options_ = FormatOptions::from(context_->settings, context_->timezone());
    }

    Block next()
    {
        for (;;)
        {
            if (!input_ && !open_next())
                return {};
            InputBlock rows;
            try
            {
                rows = input_->read(block_rows_);
            }
            catch (const Error& error)
            {
                fail_at(error, paths_[at_ - 1]);
            }
            if (rows.block.rows() > 0)
                return choose(rows.block);
            input_.reset();
            bytes_.reset();
        }
    }

private:
    bool open_next()
    {
        if (at_ == paths_.size())
            return false;
        const std::string& path = paths_[at_++];
        try
        {
            if (!bytes_)
                bytes_ = std::make_shared<FileBytes>(files_, path, compression_);
            InputFormatContext format_context;
            format_context.header = all_;
            format_context.options = options_;
            std::string format =
                format_ == "auto" ? format_of_file_name(path).value_or("TSV") : format_;
            // Rows in a file named .json: no document around them.
            if (formats().get_input(format).name == "JSON")
            {
                bytes_->bytes().ensure(kStreamBufferBytes);
                if (!is_json_document(bytes_->bytes().available()))
                    format = "JSONEachRow";
            }
            input_ = formats().get_input(format).input(bytes_->bytes(), std::move(format_context));
        }
        catch (const Error& error)
        {
            fail_at(error, path);
        }
        status_ = files_.is_standard_input(path) ? std::nullopt : files_.status(path);
        return true;
    }

    ColumnPtr virtual_column(const std::string& name, const TypePtr& type, size_t rows) const
    {
        const std::string& path = paths_[at_ - 1];
        Value value;
        if (name == kPathColumn)
            value = Value(path);
        else if (name == kFileColumn)
            value = Value(path.substr(path.find_last_of('/') + 1));
        else if (status_ && name == kSizeColumn)
            value = Value(status_->size_bytes);
        else if (status_)
            value = Value(static_cast<uint64_t>(status_->modified_unix_us / 1'000'000));
        return make_constant(type, value, rows);
    }

    Block choose(const Block& block) const
    {
        Block result;
        for (const auto& [name, type] : wanted_)
            if (const int at = block.find(name); at >= 0)
                result.add(block[static_cast<size_t>(at)]);
            else
                result.add({virtual_column(name, type, block.rows()), type, name});
        result.set_rows(block.rows());
        return result;
    }

    Files files_;
    std::string format_, compression_;
    Header all_, wanted_;
    size_t block_rows_;
    QueryContextPtr context_;
    FormatOptions options_;
    std::vector<std::string> paths_;
    size_t at_ = 0;
    std::shared_ptr<FileBytes> bytes_;
    std::unique_ptr<InputFormat> input_;
    std::optional<FileStatus> status_;
};

class FileTable final : public FunctionTable
{
public:
    // opened: standard input, when something of it was looked at.
    FileTable(Files files, FileDescription description, Header columns,
              std::shared_ptr<FileBytes> opened)
        : FunctionTable("file", "File", std::move(columns)), files_(std::move(files)),
          description_(std::move(description)), opened_(std::move(opened))
    {
    }

    Header virtual_columns() const override { return virtual_header(); }

    std::unique_ptr<Scan> scan(const ScanRequest& request, QueryContextPtr context) override
    {
        std::vector<std::string> names = request.columns;
        for (const auto& condition : {request.filter, request.prewhere})
            if (condition)
                for (const auto& name : inputs_of({condition}))
                    if (std::find(names.begin(), names.end(), name) == names.end())
                        names.push_back(name);
        Header wanted;
        for (const auto& name : names)
        {
            if (const ColumnDescription* column = metadata()->find_column(name))
            {
                wanted.push_back({column->name, column->type});
                continue;
            }
            const Header more = virtual_header();
            const auto found = std::find_if(more.begin(), more.end(), [&](const NamedType& column)
                                            { return column.name == name; });
            if (found == more.end())
                throw Error(error_codes::NOT_FOUND_COLUMN_IN_BLOCK,
                            fmt::format("There is no column {} in table function file", name));
            wanted.push_back(*found);
        }
        const auto reader = std::make_shared<Reader>(
            files_, description_.path,
            !context->settings.get_bool("engine_file_empty_if_not_exists"), description_.format,
            description_.compression, metadata()->physical_header(), wanted,
            std::max<size_t>(request.block_rows, 1), opened_, context);
        return scan_generated([reader] { return reader->next(); }, wanted, request,
                              std::move(context));
    }

    std::unique_ptr<TableSink> write(Transaction&, QueryContextPtr context) override
    {
        if (files_.is_standard_input(description_.path) || has_pattern(description_.path))
            throw Error(error_codes::NOT_IMPLEMENTED,
                        fmt::format("INSERT into '{}' is not implemented: it is no one file",
                                    description_.path));
        FileTarget target;
        target.path = files_.resolve(description_.path);
        files_.check(target.path);
        target.format = description_.format;
        if (target.format == "auto")
            target.format = format_of_file_name(target.path).value_or("");
        target.compression = compression_method(description_.compression, target.path);
        return std::make_unique<FileSink>(files_.system(), std::move(target),
                                          metadata()->physical_header(), *context);
    }

private:
    Files files_;
    const FileDescription description_;
    const std::shared_ptr<FileBytes> opened_;
};

// From the first file that has something in it.
Header guess_columns(const Files& files, const FileDescription& description,
                     const QueryContext& context, std::shared_ptr<FileBytes>& opened)
{
    const FormatOptions options = FormatOptions::from(context.settings, context.timezone());
    const bool is_input = files.is_standard_input(description.path);
    const std::vector<std::string> paths =
        is_input ? std::vector{description.path} : files.find(description.path);
    if (paths.empty())
        throw Error(error_codes::CANNOT_EXTRACT_TABLE_STRUCTURE,
                    fmt::format("No file matches {}, so that its structure cannot be found. You can "
                                "specify it manually",
                                description.path));
    for (const auto& path : paths)
    {
        const auto status = is_input ? std::optional<FileStatus>() : files.status(path);
        if (!is_input && !status)
            throw Error(error_codes::CANNOT_STAT,
                        fmt::format("Cannot stat file {}: there is no such file. You can specify "
                                    "the structure manually: (in file/uri {})",
                                    path, path));
        if (status && status->size_bytes == 0 && &path != &paths.back())
            continue;
        try
        {
            const std::string format = description.format == "auto"
                                           ? format_of_file_name(path).value()
                                           : description.format;
            const auto file = std::make_shared<FileBytes>(files, path, description.compression);
            InputBuffer& bytes = file->bytes();
            const size_t most = inference_bytes(options);
            const bool complete = bytes.ensure(most) < most;
            if (is_input)
                opened = file;
            return infer_header(format, bytes.available().substr(0, most), complete, options);
        }
        catch (const Error& error)
        {
            fail_at(error, path);
        }
    }
    return {};
}

} // namespace

TablePtr make_file_table(FileSystem& system, std::shared_ptr<const FileAccess> access,
                         FileDescription description, const QueryContext& context)
{
    Files files(system, std::move(access));
    if (description.format != "auto")
    {
        if (!formats().find(description.format))
            throw Error(error_codes::UNKNOWN_FORMAT,
                        fmt::format("Unknown format {}", description.format));
    }
    else
    {
        const auto format = format_of_file_name(description.path);
        if (!format)
        {
            const std::string path = files.is_standard_input(description.path)
                                         ? description.path
                                         : files.resolve(description.path);
            throw Error(error_codes::CANNOT_DETECT_FORMAT,
                        fmt::format("The format of {} does not follow from its name. You can "
                                    "specify it manually",
                                    path));
        }
        if (!formats().find(*format))
            throw Error(error_codes::NOT_IMPLEMENTED,
                        fmt::format("Format {} is not implemented", *format));
    }
    std::shared_ptr<FileBytes> opened;
    Header columns = description.structure == "auto"
                         ? guess_columns(files, description, context, opened)
                         : columns_of_structure(description.structure);
    if (columns.empty())
        throw Error(error_codes::EMPTY_LIST_OF_COLUMNS_PASSED, "The structure has no columns");
    if (!files.is_standard_input(description.path))
        files.resolve(description.path); // denies what is outside, also when nothing is read
    return std::make_shared<FileTable>(std::move(files), std::move(description),
                                       std::move(columns), std::move(opened));
}

void register_file_function(Catalog& catalog, FileSystem& files,
                            std::shared_ptr<const FileAccess> access)
{
    catalog.register_table_function(
        "file",
        [&files, access](const std::vector<TableFunctionArgument>& arguments, Catalog&,
                         QueryContextPtr context)
        {
            constexpr size_t kMost = 4;
            if (arguments.empty() || arguments.size() > kMost)
                throw Error(error_codes::NUMBER_OF_ARGUMENTS_DOESNT_MATCH,
                            "Table function file takes a path and perhaps a format, a structure "
                            "and a compression method");
            FileDescription description;
            std::string* const places[] = {&description.path, &description.format,
                                           &description.structure, &description.compression};
            for (size_t i = 0; i < arguments.size(); ++i)
                *places[i] = table_function_text(arguments[i], "file");
            return make_file_table(files, access, std::move(description), *context);
        });
}

} // namespace basalt
