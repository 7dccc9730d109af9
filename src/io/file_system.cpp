#include "io/file_system.h"

#include "base/error.h"

#include <cerrno>
#include <fmt/core.h>
#include <system_error>

namespace basalt
{

void throw_file_error(int code, std::string_view doing, std::string_view path, int errno_value)
{
    using namespace error_codes;
    switch (errno_value)
    {
    case ENOENT:
        code = FILE_DOESNT_EXIST;
        break;
    case EEXIST:
        code = FILE_ALREADY_EXISTS;
        break;
    case ENOSPC:
    case EDQUOT:
        code = NOT_ENOUGH_SPACE;
        break;
    default:
        break;
    }
    throw Error(code, fmt::format("Cannot {} {}: {} (errno {})", doing, path,
                                  std::generic_category().message(errno_value), errno_value));
}

void ReadableFile::read_exact(char* buffer, size_t size, uint64_t offset) const
{
    size_t done = 0;
    while (done < size)
    {
        const size_t n = pread(buffer + done, size - done, offset + done);
        if (n == 0)
            throw Error(error_codes::CANNOT_READ_ALL_DATA,
                        fmt::format("Cannot read all data from {}: {} bytes wanted at offset {}, "
                                    "got {}",
                                    path(), size, offset, done));
        done += n;
    }
}

bool FileSystem::is_directory(const std::string& path)
{
    const auto found = status(path);
    return found && found->is_directory;
}

uint64_t FileSystem::file_size(const std::string& path)
{
    const auto found = status(path);
    if (!found)
        throw_file_error(error_codes::FILE_DOESNT_EXIST, "get size of", path, ENOENT);
    return found->size_bytes;
}

bool FileSystem::remove_file_if_exists(const std::string& path)
{
    if (!exists(path))
        return false;
    try
    {
        remove_file(path);
    }
    catch (const Error& error)
    {
        if (error.code() != error_codes::FILE_DOESNT_EXIST)
            throw;
        return false; // another thread was quicker
    }
    return true;
}

std::string FileSystem::read_whole(const std::string& path, uint64_t max_bytes)
{
    const auto file = open_for_read(path);
    const uint64_t size = file->size();
    if (size > max_bytes)
        throw Error(error_codes::TOO_LARGE_STRING_SIZE,
                    fmt::format("File {} has {} bytes, at most {} are read at once", path, size,
                                max_bytes));
    std::string content(size, '\0');
    file->read_exact(content.data(), size, 0);
    return content;
}

void FileSystem::replace_whole(const std::string& path, std::string_view content)
{
    const std::string temporary = path + ".tmp";
    {
        const auto file = open_for_write(temporary, OpenMode::Truncate);
        file->append(content);
        file->sync();
        file->close();
    }
    rename(temporary, path);
    sync_directory(parent_directory(path));
}

std::string parent_directory(const std::string& path)
{
    size_t end = path.size();
    while (end > 1 && path[end - 1] == '/')
        --end;
    const size_t slash = path.rfind('/', end - 1);
    if (slash == std::string::npos)
        return ".";
    size_t cut = slash;
    while (cut > 0 && path[cut - 1] == '/')
        --cut;
    return cut == 0 ? "/" : path.substr(0, cut);
}

std::string join_path(std::string_view directory, std::string_view name)
{
    std::string path(directory);
    if (!path.empty() && path.back() != '/')
        path += '/';
    path += name;
    return path;
}

} // namespace basalt
