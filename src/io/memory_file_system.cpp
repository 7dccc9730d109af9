#include "io/memory_file_system.h"

#include "base/error.h"
#include "base/profile_events.h"

#include <algorithm>
#include <cerrno>
#include <fmt/core.h>
#include <map>
#include <mutex>
#include <set>

namespace basalt
{

using namespace error_codes;

namespace
{

constexpr size_t kSectorBytes = 512;
constexpr uint64_t kTotalBytes = 1ull << 40;

// "/a//b/." is {"a", "b"}; relative paths start at the root too.
std::vector<std::string> split_path(const std::string& path)
{
    std::vector<std::string> parts;
    size_t at = 0;
    while (at < path.size())
    {
        const size_t slash = std::min(path.find('/', at), path.size());
        std::string part = path.substr(at, slash - at);
        if (part == "..")
            throw Error(INCORRECT_FILE_NAME, fmt::format("'..' in path {}", path));
        if (!part.empty() && part != ".")
            parts.push_back(std::move(part));
        at = slash + 1;
    }
    return parts;
}

} // namespace

struct MemoryFileSystem::Node
{
    using Children = std::map<std::string, std::shared_ptr<Node>>;

    bool is_directory = false;
    int64_t modified_unix_us = 0;
    bool locked = false;
    // Directories.
    Children children;
    Children durable_children;
    // Files. Bytes in [dirty_from, dirty_to) may differ from the durable ones.
    std::string content;
    std::string durable;
    size_t dirty_from = SIZE_MAX;
    size_t dirty_to = 0;

    void mark_dirty(size_t from, size_t to)
    {
        dirty_from = std::min(dirty_from, from);
        dirty_to = std::max(dirty_to, to);
    }

    void write(const char* data, size_t size, uint64_t offset)
    {
        const size_t old_size = content.size();
        if (offset + size > old_size)
            content.resize(offset + size);
        std::copy_n(data, size, content.data() + offset);
        mark_dirty(std::min<size_t>(offset, old_size), offset + size);
    }

    void resize(size_t size)
    {
        mark_dirty(std::min(size, content.size()), std::max(size, content.size()));
        content.resize(size);
    }

    void sync()
    {
        durable.resize(content.size());
        const size_t end = std::min(dirty_to, content.size());
        if (dirty_from < end)
            std::copy(content.begin() + static_cast<ptrdiff_t>(dirty_from),
                      content.begin() + static_cast<ptrdiff_t>(end),
                      durable.begin() + static_cast<ptrdiff_t>(dirty_from));
        dirty_from = SIZE_MAX;
        dirty_to = 0;
    }

    // What the disk holds after power was lost.
    void lose(RandomSource* torn)
    {
        if (torn && dirty_from != SIZE_MAX)
        {
            std::string mixture = durable;
            const size_t sizes[] = {durable.size(), content.size()};
            mixture.resize(sizes[torn->next_u64() % 2]);
            for (size_t at = dirty_from / kSectorBytes * kSectorBytes;
                 at < std::min(content.size(), mixture.size()); at += kSectorBytes)
            {
                const size_t n = std::min({kSectorBytes, content.size() - at, mixture.size() - at});
                if (torn->next_u64() % 2)
                    mixture.replace(at, n, content, at, n);
            }
            durable = std::move(mixture);
        }
        content = durable;
        dirty_from = SIZE_MAX;
        dirty_to = 0;
        locked = false;
    }
};

struct MemoryFileSystem::State
{
    explicit State(Clock& c) : clock(c), root(std::make_shared<Node>())
    {
        root->is_directory = true;
    }

    std::shared_ptr<Node> find(const std::vector<std::string>& parts, size_t count) const
    {
        std::shared_ptr<Node> node = root;
        for (size_t i = 0; i < count; ++i)
        {
            const auto child = node->children.find(parts[i]);
            if (child == node->children.end())
                return nullptr;
            node = child->second;
        }
        return node;
    }
    std::shared_ptr<Node> find(const std::string& path) const
    {
        const auto parts = split_path(path);
        return find(parts, parts.size());
    }

    // The directory that holds (or would hold) the last part of a path, and that part.
    std::pair<std::shared_ptr<Node>, std::string> parent_of(const std::string& path,
                                                            std::string_view doing) const
    {
        const auto parts = split_path(path);
        if (parts.empty())
            throw_file_error(CANNOT_OPEN_FILE, doing, path, EISDIR);
        auto parent = find(parts, parts.size() - 1);
        if (!parent)
            throw_file_error(FILE_DOESNT_EXIST, doing, path, ENOENT);
        if (!parent->is_directory)
            throw_file_error(CANNOT_OPEN_FILE, doing, path, ENOTDIR);
        return {std::move(parent), parts.back()};
    }

    std::shared_ptr<Node> make_node(bool is_directory) const
    {
        auto node = std::make_shared<Node>();
        node->is_directory = is_directory;
        node->modified_unix_us = clock.unix_us();
        return node;
    }

    void check_power(uint64_t opened_epoch, const std::string& path) const
    {
        if (opened_epoch != epoch)
            throw Error(CANNOT_WRITE_TO_FILE_DESCRIPTOR,
                        fmt::format("Cannot use file {}: power was cut since it was opened", path));
    }

    std::mutex mutex;
    Clock& clock;
    std::shared_ptr<Node> root;
    uint64_t epoch = 0; // number of power cuts
};

class MemoryFileSystem::Writable : public WritableFile
{
public:
    Writable(std::shared_ptr<State> state, std::shared_ptr<Node> node, std::string path)
        : state_(std::move(state)), node_(std::move(node)), path_(std::move(path)),
          epoch_(state_->epoch), flushed_(node_->content.size())
    {
    }

    void append(const char* data, size_t size) override
    {
        check_open();
        buffer_.append(data, size);
        if (buffer_.size() >= kWriteBufferBytes)
            flush();
    }

    void pwrite(const char* data, size_t size, uint64_t offset) override
    {
        flush();
        const std::lock_guard lock(state_->mutex);
        write(data, size, offset);
        flushed_ = std::max(flushed_, offset + size);
    }

    void flush() override
    {
        const std::lock_guard lock(state_->mutex);
        flush_locked();
    }

    void sync() override
    {
        const std::lock_guard lock(state_->mutex);
        flush_locked();
        node_->sync();
    }

    void close() override
    {
        flush();
        closed_ = true;
    }

    uint64_t size() const override { return flushed_ + buffer_.size(); }
    const std::string& path() const override { return path_; }

private:
    void check_open() const
    {
        if (closed_)
            throw Error(CANNOT_WRITE_TO_FILE_DESCRIPTOR,
                        fmt::format("Cannot write to file {}: it is closed", path_));
    }

    void flush_locked()
    {
        check_open();
        state_->check_power(epoch_, path_);
        if (buffer_.empty())
            return;
        write(buffer_.data(), buffer_.size(), flushed_);
        flushed_ += buffer_.size();
        buffer_.clear();
    }

    void write(const char* data, size_t size, uint64_t offset)
    {
        state_->check_power(epoch_, path_);
        server_profile_counters().add(ProfileEvent::OSWriteBytes, size);
        node_->write(data, size, offset);
        node_->modified_unix_us = state_->clock.unix_us();
    }

    std::shared_ptr<State> state_;
    std::shared_ptr<Node> node_;
    std::string path_;
    uint64_t epoch_;
    uint64_t flushed_;
    std::string buffer_;
    bool closed_ = false;
};

class MemoryFileSystem::Readable : public ReadableFile
{
public:
    Readable(std::shared_ptr<State> state, std::shared_ptr<Node> node, std::string path)
        : state_(std::move(state)), node_(std::move(node)), path_(std::move(path)),
          epoch_(state_->epoch)
    {
    }

    uint64_t size() const override
    {
        const std::lock_guard lock(state_->mutex);
        return node_->content.size();
    }

    size_t pread(char* buffer, size_t size, uint64_t offset) const override
    {
        const std::lock_guard lock(state_->mutex);
        state_->check_power(epoch_, path_);
        if (offset >= node_->content.size())
            return 0;
        const size_t n = std::min<size_t>(size, node_->content.size() - offset);
        std::copy_n(node_->content.data() + offset, n, buffer);
        server_profile_counters().add(ProfileEvent::OSReadBytes, n);
        return n;
    }

    void advise(Advice, uint64_t, uint64_t) const override {}
    const std::string& path() const override { return path_; }

private:
    std::shared_ptr<State> state_;
    std::shared_ptr<Node> node_;
    std::string path_;
    uint64_t epoch_;
};

class MemoryFileSystem::Lock : public FileLock
{
public:
    Lock(std::shared_ptr<State> state, std::shared_ptr<Node> node)
        : state_(std::move(state)), node_(std::move(node)), epoch_(state_->epoch)
    {
    }
    ~Lock() override
    {
        const std::lock_guard lock(state_->mutex);
        if (state_->epoch == epoch_)
            node_->locked = false;
    }

private:
    std::shared_ptr<State> state_;
    std::shared_ptr<Node> node_;
    uint64_t epoch_;
};

MemoryFileSystem::MemoryFileSystem(Clock& clock) : state_(std::make_shared<State>(clock)) {}
MemoryFileSystem::~MemoryFileSystem() = default;

std::unique_ptr<WritableFile> MemoryFileSystem::open_for_write(const std::string& path,
                                                               OpenMode mode)
{
    const std::lock_guard lock(state_->mutex);
    constexpr std::string_view kDoing = "open file for writing";
    const auto [parent, name] = state_->parent_of(path, kDoing);
    auto& node = parent->children[name];
    if (node && node->is_directory)
        throw_file_error(CANNOT_OPEN_FILE, kDoing, path, EISDIR);
    if (node && mode == OpenMode::Exclusive)
        throw_file_error(CANNOT_OPEN_FILE, kDoing, path, EEXIST);
    if (!node)
        node = state_->make_node(false);
    else if (mode == OpenMode::Truncate)
        node->resize(0);
    server_profile_counters().add(ProfileEvent::FileOpen);
    return std::make_unique<Writable>(state_, node, path);
}

std::unique_ptr<ReadableFile> MemoryFileSystem::open_for_read(const std::string& path, ReadOptions)
{
    const std::lock_guard lock(state_->mutex);
    const auto node = state_->find(path);
    if (!node)
        throw_file_error(CANNOT_OPEN_FILE, "open file", path, ENOENT);
    if (node->is_directory)
        throw_file_error(CANNOT_OPEN_FILE, "open file", path, EISDIR);
    server_profile_counters().add(ProfileEvent::FileOpen);
    return std::make_unique<Readable>(state_, node, path);
}

void MemoryFileSystem::create_directories(const std::string& path)
{
    const std::lock_guard lock(state_->mutex);
    std::shared_ptr<Node> node = state_->root;
    for (const auto& part : split_path(path))
    {
        auto& child = node->children[part];
        if (!child)
            child = state_->make_node(true);
        else if (!child->is_directory)
            throw_file_error(CANNOT_CREATE_DIRECTORY, "create directory", path, ENOTDIR);
        node = child;
    }
}

std::vector<DirectoryEntry> MemoryFileSystem::list(const std::string& path)
{
    const std::lock_guard lock(state_->mutex);
    const auto node = state_->find(path);
    if (!node || !node->is_directory)
        throw Error(DIRECTORY_DOESNT_EXIST, fmt::format("Directory {} doesn't exist", path));
    std::vector<DirectoryEntry> entries;
    for (const auto& [name, child] : node->children)
        entries.push_back({name, child->is_directory});
    return entries;
}

void MemoryFileSystem::rename(const std::string& from, const std::string& to)
{
    const std::lock_guard lock(state_->mutex);
    const std::string both = from + " to " + to;
    const auto [from_parent, from_name] = state_->parent_of(from, "rename");
    const auto [to_parent, to_name] = state_->parent_of(to, "rename");
    const auto source = from_parent->children.find(from_name);
    if (source == from_parent->children.end())
        throw_file_error(CANNOT_CREATE_FILE, "rename", both, ENOENT);
    const auto node = source->second;
    const auto from_parts = split_path(from);
    const auto to_parts = split_path(to);
    if (node->is_directory && to_parts.size() > from_parts.size() &&
        std::equal(from_parts.begin(), from_parts.end(), to_parts.begin()))
        throw_file_error(CANNOT_CREATE_FILE, "rename", both, EINVAL);
    const auto target = to_parent->children.find(to_name);
    if (target != to_parent->children.end())
    {
        if (target->second == node)
            return;
        if (target->second->is_directory != node->is_directory)
            throw_file_error(CANNOT_CREATE_FILE, "rename", both,
                             node->is_directory ? ENOTDIR : EISDIR);
        if (node->is_directory && !target->second->children.empty())
            throw_file_error(CANNOT_CREATE_FILE, "rename", both, ENOTEMPTY);
    }
    from_parent->children.erase(source);
    to_parent->children[to_name] = node;
}

void MemoryFileSystem::hard_link(const std::string& existing, const std::string& link)
{
    const std::lock_guard lock(state_->mutex);
    const std::string both = existing + " to " + link;
    const auto node = state_->find(existing);
    if (!node)
        throw_file_error(CANNOT_LINK, "link", both, ENOENT);
    if (node->is_directory)
        throw_file_error(CANNOT_LINK, "link", both, EPERM);
    const auto [parent, name] = state_->parent_of(link, "link");
    if (!parent->children.emplace(name, node).second)
        throw_file_error(CANNOT_LINK, "link", both, EEXIST);
}

void MemoryFileSystem::remove_file(const std::string& path)
{
    const std::lock_guard lock(state_->mutex);
    const auto [parent, name] = state_->parent_of(path, "remove file");
    const auto found = parent->children.find(name);
    if (found == parent->children.end())
        throw_file_error(CANNOT_UNLINK, "remove file", path, ENOENT);
    if (found->second->is_directory)
        throw_file_error(CANNOT_UNLINK, "remove file", path, EISDIR);
    parent->children.erase(found);
}

void MemoryFileSystem::remove_directory_recursive(const std::string& path)
{
    const std::lock_guard lock(state_->mutex);
    const auto node = state_->find(path);
    if (!node)
        return;
    if (!node->is_directory)
        throw_file_error(CANNOT_UNLINK, "remove directory", path, ENOTDIR);
    const auto [parent, name] = state_->parent_of(path, "remove directory");
    parent->children.erase(name);
}

void MemoryFileSystem::truncate(const std::string& path, uint64_t size_bytes)
{
    const std::lock_guard lock(state_->mutex);
    const auto node = state_->find(path);
    if (!node || node->is_directory)
        throw_file_error(CANNOT_TRUNCATE_FILE, "truncate file", path, node ? EISDIR : ENOENT);
    node->resize(size_bytes);
}

std::optional<FileStatus> MemoryFileSystem::status(const std::string& path)
{
    const std::lock_guard lock(state_->mutex);
    const auto node = state_->find(path);
    if (!node)
        return std::nullopt;
    return FileStatus{node->content.size(), node->modified_unix_us, node->is_directory};
}

void MemoryFileSystem::sync_directory(const std::string& path)
{
    const std::lock_guard lock(state_->mutex);
    const auto node = state_->find(path);
    if (!node || !node->is_directory)
        throw_file_error(CANNOT_OPEN_FILE, "open directory", path, node ? ENOTDIR : ENOENT);
    node->durable_children = node->children;
}

DiskSpace MemoryFileSystem::space(const std::string&)
{
    return {kTotalBytes, kTotalBytes};
}

std::unique_ptr<FileLock> MemoryFileSystem::lock_file(const std::string& path,
                                                      std::string_view content)
{
    const std::lock_guard lock(state_->mutex);
    const auto [parent, name] = state_->parent_of(path, "open lock file");
    auto& node = parent->children[name];
    if (!node)
        node = state_->make_node(false);
    if (node->locked)
        throw Error(CANNOT_OPEN_FILE, fmt::format("Cannot lock file {}. Another process holds it: "
                                                  "is a server running in the same directory?",
                                                  path));
    node->locked = true;
    node->resize(0);
    node->write(content.data(), content.size(), 0);
    return std::make_unique<Lock>(state_, node);
}

void MemoryFileSystem::power_cut(RandomSource* torn)
{
    const std::lock_guard lock(state_->mutex);
    ++state_->epoch;
    const bool names_survive = torn && torn->next_u64() % 2;
    std::set<Node*> done;
    std::vector<std::shared_ptr<Node>> left = {state_->root};
    while (!left.empty())
    {
        const auto node = left.back();
        left.pop_back();
        if (!done.insert(node.get()).second)
            continue;
        if (!node->is_directory)
        {
            node->lose(torn);
            continue;
        }
        if (names_survive)
            node->durable_children = node->children;
        else
            node->children = node->durable_children;
        for (const auto& [name, child] : node->children)
            left.push_back(child);
    }
}

} // namespace basalt
