#pragma once

// What settings are derived from: memory, cores and the disk under an instance, measured.

#include "base/int_types.h"
#include "io/file_system.h"

#include <string>

namespace basalt::pg
{

class KeyValues;

struct Machine
{
    uint64_t memory_bytes = 0; // granted to us: the cgroup's limit or the machine's memory
    uint64_t cores = 1;
    uint64_t disk_total_bytes = 0;
    uint64_t disk_free_bytes = 0;
    uint64_t huge_pages_free_bytes = 0; // reserved by the administrator and not in use
    bool copy_on_write = false;         // btrfs, zfs, bcachefs
    // Measured in the instance's folder.
    double fsync_us = 0;           // median of fdatasync after an 8 KiB write
    double read_iops_one = 0;      // random direct reads of 8 KiB, one at a time
    double read_iops_parallel = 0; // the same from kProbeThreads threads
    double write_mib_s = 0;        // sequential, with the sync
    // False where the page cache could not be bypassed: read figures are of memory then.
    bool reads_were_direct = false;

    void to(KeyValues& values) const;
    static Machine from(const KeyValues& values);
};

inline constexpr size_t kProbeThreads = 16;
inline constexpr uint64_t kProbeFileBytes = 64 << 20;

struct ProbeOptions
{
    uint64_t memory_bytes = 0; // 0: asked of the system
    uint64_t cores = 0;
    int64_t step_ms = 700; // of each of the measurements
};

// Writes a file of kProbeFileBytes into `folder`, measures and removes it; about two seconds.
// Errors: those of files; NOT_ENOUGH_SPACE if the disk cannot hold the file.
Machine probe_machine(FileSystem& files, const std::string& folder, const ProbeOptions& options);

} // namespace basalt::pg
