#pragma once

// What a measurement changes about the machine, and puts back when the object goes: a volume of
// its own in a file, a limit on that volume's operations, a limit on the server's memory. All need
// root; `why_not` says what is missing and the measurement goes on without.
// Errors: CANNOT_CREATE_CHILD_PROCESS (losetup, mkfs.ext4, mount with their words).

#include "postgres/bench_figures.h"

#include <memory>
#include <optional>
#include <string>

namespace basalt::pg
{

// A file in `folder`, attached as a loop device past the page cache, with ext4 on it.
class LoopVolume
{
public:
    // Empty if a volume can be made.
    static std::string why_not();

    LoopVolume(const std::string& folder, uint64_t bytes);
    ~LoopVolume();
    LoopVolume(const LoopVolume&) = delete;
    LoopVolume& operator=(const LoopVolume&) = delete;

    const std::string& mount_point() const { return mount_point_; }
    const std::string& device() const { return device_; } // "/dev/loop3"

private:
    std::string file_;
    std::string device_;
    std::string mount_point_;
};

// At most this many reads and as many writes a second, for everyone who uses the device. The
// kernel counts the two apart; a cloud volume counts their sum.
class IopsLimit
{
public:
    static std::string why_not();

    IopsLimit(const std::string& device, uint64_t iops);
    ~IopsLimit();
    IopsLimit(const IopsLimit&) = delete;
    IopsLimit& operator=(const IopsLimit&) = delete;

private:
    std::string number_; // "7:3"
};

// A control group for the server: processes started while `Inside` lives are in it, with their
// page cache.
class MemoryLimit
{
public:
    static std::string why_not();

    explicit MemoryLimit(uint64_t bytes);
    ~MemoryLimit();
    MemoryLimit(const MemoryLimit&) = delete;
    MemoryLimit& operator=(const MemoryLimit&) = delete;

    class Inside
    {
    public:
        explicit Inside(const MemoryLimit* limit);
        ~Inside();
        Inside(const Inside&) = delete;
        Inside& operator=(const Inside&) = delete;

    private:
        std::string back_;
    };

private:
    std::string folder_;
};

// Of the disk under `folder`; nothing where the kernel does not show one.
std::optional<DiskCounters> disk_counters(const std::string& folder);
// Writes back and drops every cached page of the files below `folder`.
void drop_cached_pages(const std::string& folder);

} // namespace basalt::pg
