#include "io/faulty_file_system.h"

#include "base/error.h"

#include <algorithm>
#include <cerrno>
#include <fmt/core.h>

namespace basalt
{

using namespace error_codes;

namespace
{

struct OperationFacts
{
    std::string_view name;
    int error_code;
};

OperationFacts facts_of(FileOperation operation)
{
    switch (operation)
    {
    case FileOperation::OpenForRead:
        return {"open file", CANNOT_OPEN_FILE};
    case FileOperation::Read:
        return {"read from file", CANNOT_READ_FROM_FILE_DESCRIPTOR};
    case FileOperation::List:
        return {"list directory", CANNOT_OPEN_FILE};
    case FileOperation::Status:
        return {"stat", CANNOT_STAT};
    case FileOperation::OpenForWrite:
        return {"open file for writing", CANNOT_OPEN_FILE};
    case FileOperation::Append:
    case FileOperation::Pwrite:
    case FileOperation::Flush:
        return {"write to file", CANNOT_WRITE_TO_FILE_DESCRIPTOR};
    case FileOperation::Sync:
        return {"sync file", CANNOT_FSYNC};
    case FileOperation::Close:
        return {"close file", CANNOT_CLOSE_FILE};
    case FileOperation::CreateDirectories:
        return {"create directory", CANNOT_CREATE_DIRECTORY};
    case FileOperation::Rename:
        return {"rename", CANNOT_CREATE_FILE};
    case FileOperation::HardLink:
        return {"link", CANNOT_LINK};
    case FileOperation::RemoveFile:
    case FileOperation::RemoveDirectory:
        return {"remove", CANNOT_UNLINK};
    case FileOperation::Truncate:
        return {"truncate file", CANNOT_TRUNCATE_FILE};
    case FileOperation::SyncDirectory:
        return {"sync directory", CANNOT_FSYNC};
    case FileOperation::LockFile:
        return {"lock file", CANNOT_OPEN_FILE};
    case FileOperation::Count_:
        break;
    }
    return {"use", CANNOT_OPEN_FILE};
}

} // namespace

class FaultyFileSystem::Writable : public WritableFile
{
public:
    Writable(FaultyFileSystem& owner, std::unique_ptr<WritableFile> below)
        : owner_(owner), below_(std::move(below))
    {
    }

    void append(const char* data, size_t size) override
    {
        enter(FileOperation::Append);
        const size_t fits = owner_.take_space(size);
        below_->append(data, fits);
        if (fits < size)
            full();
    }
    void pwrite(const char* data, size_t size, uint64_t offset) override
    {
        enter(FileOperation::Pwrite);
        const size_t fits = owner_.take_space(size);
        below_->pwrite(data, fits, offset);
        if (fits < size)
            full();
    }
    void flush() override
    {
        enter(FileOperation::Flush);
        below_->flush();
    }
    void sync() override
    {
        enter(FileOperation::Sync);
        below_->sync();
    }
    void close() override
    {
        enter(FileOperation::Close);
        below_->close();
    }
    uint64_t size() const override { return below_->size(); }
    const std::string& path() const override { return below_->path(); }

private:
    void enter(FileOperation operation)
    {
        if (broken_)
            throw Error(CANNOT_WRITE_TO_FILE_DESCRIPTOR,
                        fmt::format("Cannot write to file {}: an earlier write failed", path()));
        // Stays set if the call fails, as in the real file system.
        broken_ = true;
        owner_.enter(operation, path());
        broken_ = false;
    }
    [[noreturn]] void full()
    {
        broken_ = true;
        below_->flush();
        throw_file_error(NOT_ENOUGH_SPACE, "write to file", path(), ENOSPC);
    }

    FaultyFileSystem& owner_;
    std::unique_ptr<WritableFile> below_;
    bool broken_ = false;
};

class FaultyFileSystem::Readable : public ReadableFile
{
public:
    Readable(FaultyFileSystem& owner, std::unique_ptr<ReadableFile> below)
        : owner_(owner), below_(std::move(below))
    {
    }

    uint64_t size() const override { return below_->size(); }
    size_t pread(char* buffer, size_t size, uint64_t offset) const override
    {
        owner_.enter(FileOperation::Read, path());
        const size_t n = below_->pread(buffer, owner_.read_length(size), offset);
        owner_.damage(buffer, n);
        return n;
    }
    void advise(Advice advice, uint64_t offset, uint64_t size) const override
    {
        below_->advise(advice, offset, size);
    }
    bool is_direct() const override { return below_->is_direct(); }
    const std::string& path() const override { return below_->path(); }

private:
    FaultyFileSystem& owner_;
    std::unique_ptr<ReadableFile> below_;
};

void FaultyFileSystem::set_plan(FaultPlan plan)
{
    const std::lock_guard lock(mutex_);
    plan_ = std::move(plan);
    seen_.assign(plan_.failures.size(), 0);
    changes_ = 0;
}

uint64_t FaultyFileSystem::changes() const
{
    const std::lock_guard lock(mutex_);
    return changes_;
}

bool FaultyFileSystem::stopped() const
{
    const std::lock_guard lock(mutex_);
    return changes_ > plan_.stop_after_changes;
}

void FaultyFileSystem::enter(FileOperation operation, const std::string& path)
{
    const std::lock_guard lock(mutex_);
    const OperationFacts facts = facts_of(operation);
    if (operation >= FileOperation::OpenForWrite && changes_ <= plan_.stop_after_changes)
        ++changes_;
    if (changes_ > plan_.stop_after_changes)
        throw Error(
            facts.error_code,
            fmt::format("Cannot {} {}: the disk has stopped (planned fault)", facts.name, path));
    int code = 0;
    for (size_t i = 0; i < plan_.failures.size(); ++i)
    {
        const auto& failure = plan_.failures[i];
        if (failure.operation != operation || path.find(failure.path_part) == std::string::npos)
            continue;
        ++seen_[i];
        if (seen_[i] >= failure.nth && seen_[i] - failure.nth < failure.count)
            code = failure.error_code ? failure.error_code : facts.error_code;
    }
    if (code)
        throw Error(code, fmt::format("Cannot {} {}: planned fault", facts.name, path));
}

size_t FaultyFileSystem::take_space(size_t size)
{
    const std::lock_guard lock(mutex_);
    if (plan_.space_bytes == UINT64_MAX)
        return size;
    const auto fits = static_cast<size_t>(std::min<uint64_t>(size, plan_.space_bytes));
    plan_.space_bytes -= fits;
    return fits;
}

size_t FaultyFileSystem::read_length(size_t size)
{
    const std::lock_guard lock(mutex_);
    if (plan_.short_read_one_in == 0 || size < 2 ||
        random_.next_u64() % plan_.short_read_one_in != 0)
        return size;
    return 1 + random_.next_u64() % (size - 1);
}

void FaultyFileSystem::damage(char* data, size_t size)
{
    const std::lock_guard lock(mutex_);
    if (plan_.flip_bit_one_in == 0 || size == 0 || random_.next_u64() % plan_.flip_bit_one_in != 0)
        return;
    const uint64_t bit = random_.next_u64() % (size * 8);
    data[bit / 8] = static_cast<char>(data[bit / 8] ^ (1 << bit % 8));
}

std::unique_ptr<WritableFile> FaultyFileSystem::open_for_write(const std::string& path,
                                                               OpenMode mode)
{
    enter(FileOperation::OpenForWrite, path);
    return std::make_unique<Writable>(*this, below_.open_for_write(path, mode));
}

std::unique_ptr<ReadableFile> FaultyFileSystem::open_for_read(const std::string& path,
                                                              ReadOptions options)
{
    enter(FileOperation::OpenForRead, path);
    return std::make_unique<Readable>(*this, below_.open_for_read(path, options));
}

void FaultyFileSystem::create_directories(const std::string& path)
{
    enter(FileOperation::CreateDirectories, path);
    below_.create_directories(path);
}

std::vector<DirectoryEntry> FaultyFileSystem::list(const std::string& path)
{
    enter(FileOperation::List, path);
    return below_.list(path);
}

void FaultyFileSystem::rename(const std::string& from, const std::string& to)
{
    enter(FileOperation::Rename, from);
    below_.rename(from, to);
}

void FaultyFileSystem::hard_link(const std::string& existing, const std::string& link)
{
    enter(FileOperation::HardLink, existing);
    below_.hard_link(existing, link);
}

void FaultyFileSystem::remove_file(const std::string& path)
{
    enter(FileOperation::RemoveFile, path);
    below_.remove_file(path);
}

void FaultyFileSystem::remove_directory_recursive(const std::string& path)
{
    enter(FileOperation::RemoveDirectory, path);
    below_.remove_directory_recursive(path);
}

void FaultyFileSystem::truncate(const std::string& path, uint64_t size_bytes)
{
    enter(FileOperation::Truncate, path);
    below_.truncate(path, size_bytes);
}

std::optional<FileStatus> FaultyFileSystem::status(const std::string& path)
{
    enter(FileOperation::Status, path);
    return below_.status(path);
}

void FaultyFileSystem::sync_directory(const std::string& path)
{
    enter(FileOperation::SyncDirectory, path);
    below_.sync_directory(path);
}

DiskSpace FaultyFileSystem::space(const std::string& path)
{
    DiskSpace space = below_.space(path);
    const std::lock_guard lock(mutex_);
    space.free_bytes = std::min(space.free_bytes, plan_.space_bytes);
    return space;
}

std::unique_ptr<FileLock> FaultyFileSystem::lock_file(const std::string& path,
                                                      std::string_view content)
{
    enter(FileOperation::LockFile, path);
    return below_.lock_file(path, content);
}

} // namespace basalt
