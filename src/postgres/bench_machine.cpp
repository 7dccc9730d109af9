#include "postgres/bench_machine.h"

#include "base/error.h"
#include "io/file_system.h"
#include "io/process.h"

#include <chrono>
#include <fcntl.h>
#include <filesystem>
#include <fmt/core.h>
#include <fstream>
#include <sstream>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <thread>
#include <unistd.h>
#include <vector>

namespace basalt::pg
{

using namespace error_codes;

namespace
{

constexpr int64_t kToolTimeoutMs = 120000;
constexpr int kRemovalTries = 50;

constexpr const char* kMemoryV1 = "/sys/fs/cgroup/memory";
constexpr const char* kMemoryV2 = "/sys/fs/cgroup";
constexpr const char* kReadLimit = "/sys/fs/cgroup/blkio/blkio.throttle.read_iops_device";
constexpr const char* kWriteLimit = "/sys/fs/cgroup/blkio/blkio.throttle.write_iops_device";

std::string run_tool(std::vector<std::string> arguments)
{
    ProcessOptions options;
    options.arguments = std::move(arguments);
    const ProcessResult result = run_process(options, {}, kToolTimeoutMs);
    if (!result.status.ok())
        throw Error(CANNOT_CREATE_CHILD_PROCESS,
                    fmt::format("{} failed ({}): {}", options.arguments[0], result.status.text(),
                                result.errors));
    std::string text = result.output;
    while (!text.empty() && text.back() == '\n')
        text.pop_back();
    return text;
}

// For destructors: what cannot be put back is told and left.
template <typename Job>
void try_to(const char* what, const Job& job)
{
    try
    {
        job();
    }
    catch (const std::exception& error)
    {
        std::fprintf(stderr, "Cannot %s: %s\n", what, error.what());
    }
}

bool write_text(const std::string& path, const std::string& text)
{
    const int fd = ::open(path.c_str(), O_WRONLY | O_CLOEXEC);
    if (fd < 0)
        return false;
    const bool good = ::write(fd, text.data(), text.size()) == static_cast<ssize_t>(text.size());
    ::close(fd);
    return good;
}

std::string read_text(const std::string& path)
{
    std::ifstream file(path);
    std::stringstream text;
    text << file.rdbuf();
    return text.str();
}

bool has_memory_v1()
{
    return ::access((std::string(kMemoryV1) + "/memory.limit_in_bytes").c_str(), F_OK) == 0;
}

bool has_memory_v2()
{
    return read_text(std::string(kMemoryV2) + "/cgroup.controllers").find("memory") !=
           std::string::npos;
}

// The folder of our own group. MemoryLimit's is made inside it where the kernel allows that (v1), so
// that a limit above us holds for the server too.
std::string own_group()
{
    std::ifstream file("/proc/self/cgroup");
    for (std::string line; std::getline(file, line);)
    {
        const size_t first = line.find(':');
        const size_t second = line.find(':', first + 1);
        if (second == std::string::npos)
            continue;
        const std::string controllers = line.substr(first + 1, second - first - 1);
        if (has_memory_v1() ? controllers == "memory" : controllers.empty())
            return (has_memory_v1() ? kMemoryV1 : kMemoryV2) + line.substr(second + 1);
    }
    return has_memory_v1() ? kMemoryV1 : kMemoryV2;
}

bool is_root()
{
    return ::geteuid() == 0;
}

} // namespace

std::string LoopVolume::why_not()
{
    if (!is_root())
        return "only root can attach a volume";
    if (::access("/dev/loop-control", F_OK) != 0)
        return "this kernel has no loop devices";
    return {};
}

LoopVolume::LoopVolume(const std::string& folder, uint64_t bytes)
    : file_(folder + "/volume.img"), mount_point_(folder + "/volume")
{
    FileSystem& files = real_file_system();
    files.create_directories(mount_point_);
    files.open_for_write(file_, OpenMode::Truncate)->close();
    files.truncate(file_, bytes);
    try
    {
        device_ = run_tool({"losetup", "--find", "--show", "--direct-io=on", file_});
        run_tool({"mkfs.ext4", "-q", "-F", "-E", "lazy_itable_init=0,lazy_journal_init=0", device_});
        run_tool({"mount", "-o", "noatime", device_, mount_point_});
    }
    catch (...)
    {
        if (!device_.empty())
            try_to("detach the loop device", [&] { run_tool({"losetup", "-d", device_}); });
        files.remove_file_if_exists(file_);
        throw;
    }
}

LoopVolume::~LoopVolume()
{
    try_to("unmount the volume", [&] { run_tool({"umount", mount_point_}); });
    try_to("detach the loop device", [&] { run_tool({"losetup", "-d", device_}); });
    try_to("remove the volume's file", [&] { real_file_system().remove_file_if_exists(file_); });
}

std::string IopsLimit::why_not()
{
    if (!is_root())
        return "only root can limit a volume";
    if (::access(kReadLimit, W_OK) != 0 || ::access(kWriteLimit, W_OK) != 0)
        return fmt::format("this kernel has no {}", kReadLimit);
    return {};
}

IopsLimit::IopsLimit(const std::string& device, uint64_t iops)
{
    struct stat info;
    if (::stat(device.c_str(), &info) != 0)
        throw_file_error(CANNOT_FSTAT, "stat", device, errno);
    number_ = fmt::format("{}:{}", ::major(info.st_rdev), ::minor(info.st_rdev));
    const std::string line = fmt::format("{} {}", number_, iops);
    if (!write_text(kReadLimit, line) || !write_text(kWriteLimit, line))
        throw Error(CANNOT_OPEN_FILE, fmt::format("Cannot write '{}' to {}", line, kReadLimit));
}

IopsLimit::~IopsLimit()
{
    write_text(kReadLimit, number_ + " 0");
    write_text(kWriteLimit, number_ + " 0");
}

std::string MemoryLimit::why_not()
{
    if (!is_root())
        return "only root can limit the server's memory";
    if (!has_memory_v1() && !has_memory_v2())
        return "there is no memory control group";
    return {};
}

MemoryLimit::MemoryLimit(uint64_t bytes)
{
    folder_ = fmt::format("{}/basalt-bench-{}", has_memory_v1() ? own_group() : kMemoryV2,
                          ::getpid());
    if (::mkdir(folder_.c_str(), 0755) != 0)
        throw_file_error(CANNOT_CREATE_DIRECTORY, "create control group", folder_, errno);
    const char* limit = has_memory_v1() ? "/memory.limit_in_bytes" : "/memory.max";
    if (!write_text(folder_ + limit, std::to_string(bytes)))
    {
        ::rmdir(folder_.c_str());
        throw Error(CANNOT_OPEN_FILE, fmt::format("Cannot limit the memory of {}", folder_));
    }
}

MemoryLimit::~MemoryLimit()
{
    // Busy until the last process of it has been reaped.
    for (int i = 0; i < kRemovalTries && ::rmdir(folder_.c_str()) != 0; ++i)
        std::this_thread::sleep_for(std::chrono::milliseconds(100));
}

MemoryLimit::Inside::Inside(const MemoryLimit* limit)
{
    if (!limit)
        return;
    back_ = own_group();
    if (!write_text(limit->folder_ + "/cgroup.procs", "0"))
        throw Error(CANNOT_OPEN_FILE, fmt::format("Cannot enter {}", limit->folder_));
}

MemoryLimit::Inside::~Inside()
{
    if (!back_.empty() && !write_text(back_ + "/cgroup.procs", "0"))
        std::fprintf(stderr, "Cannot go back to the control group %s\n", back_.c_str());
}

std::optional<DiskCounters> disk_counters(const std::string& folder)
{
    struct stat info;
    if (::stat(folder.c_str(), &info) != 0)
        return std::nullopt;
    return parse_disk_counters(read_text(fmt::format("/sys/dev/block/{}:{}/stat",
                                                     ::major(info.st_dev), ::minor(info.st_dev))));
}

void drop_cached_pages(const std::string& folder)
{
    std::error_code error;
    for (auto at = std::filesystem::recursive_directory_iterator(folder, error);
         !error && at != std::filesystem::recursive_directory_iterator(); at.increment(error))
    {
        std::error_code ignored;
        if (!at->is_regular_file(ignored))
            continue;
        const int fd = ::open(at->path().c_str(), O_RDONLY | O_CLOEXEC);
        if (fd < 0)
            continue;
        ::fdatasync(fd);
        ::posix_fadvise(fd, 0, 0, POSIX_FADV_DONTNEED);
        ::close(fd);
    }
}

} // namespace basalt::pg
