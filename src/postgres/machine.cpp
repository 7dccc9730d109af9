#include "postgres/machine.h"

#include "base/clock.h"
#include "base/error.h"
#include "base/threads.h"
#include "postgres/key_values.h"

#include <algorithm>
#include <atomic>
#include <fmt/core.h>
#include <fstream>
#include <sys/vfs.h>
#include <vector>

namespace basalt::pg
{

namespace
{

constexpr size_t kBlockBytes = 8192; // PostgreSQL's
constexpr size_t kChunkBytes = 1 << 20;
constexpr size_t kMaxSyncs = 400;

uint64_t free_huge_page_bytes()
{
    std::ifstream file("/proc/meminfo");
    uint64_t pages = 0, page_kib = 0;
    for (std::string line; std::getline(file, line);)
    {
        if (line.starts_with("HugePages_Free:"))
            pages = std::strtoull(line.c_str() + 15, nullptr, 10);
        else if (line.starts_with("Hugepagesize:"))
            page_kib = std::strtoull(line.c_str() + 13, nullptr, 10);
    }
    return pages * page_kib * 1024;
}

bool is_copy_on_write(const std::string& folder)
{
    constexpr uint32_t kBtrfs = 0x9123683E, kZfs = 0x2FC12FC1, kBcachefs = 0xCA451A4E;
    struct statfs info;
    if (::statfs(folder.c_str(), &info) != 0)
        return false;
    const auto type = static_cast<uint32_t>(info.f_type);
    return type == kBtrfs || type == kZfs || type == kBcachefs;
}

// Bytes that no disk can compress.
std::string noise(size_t bytes)
{
    SeededRandom random(42);
    std::string out(bytes, '\0');
    for (size_t i = 0; i + 8 <= bytes; i += 8)
    {
        const uint64_t word = random.next_u64();
        std::copy_n(reinterpret_cast<const char*>(&word), 8, out.data() + i);
    }
    return out;
}

double median(std::vector<double> values)
{
    if (values.empty())
        return 0;
    std::nth_element(values.begin(), values.begin() + static_cast<ptrdiff_t>(values.size() / 2),
                     values.end());
    return values[values.size() / 2];
}

double measure_writes(FileSystem& files, const std::string& path)
{
    const std::string chunk = noise(kChunkBytes);
    const int64_t start_ns = system_clock().monotonic_ns();
    const auto file = files.open_for_write(path, OpenMode::Truncate);
    for (uint64_t done = 0; done < kProbeFileBytes; done += kChunkBytes)
        file->append(chunk);
    file->sync();
    file->close();
    const auto ns = static_cast<double>(system_clock().monotonic_ns() - start_ns);
    return static_cast<double>(kProbeFileBytes >> 20) / (ns / 1e9);
}

// Overwrites blocks of an existing file in turn, as the log of PostgreSQL is written.
double measure_syncs(FileSystem& files, const std::string& path, int64_t step_ms)
{
    const std::string block = noise(kBlockBytes);
    const auto file = files.open_for_write(path, OpenMode::Append);
    std::vector<double> times_us;
    const int64_t end_ns = system_clock().monotonic_ns() + step_ms * 1000000;
    for (uint64_t offset = 0; times_us.size() < kMaxSyncs; offset += kBlockBytes)
    {
        file->pwrite(block.data(), block.size(), offset % kProbeFileBytes);
        const int64_t before_ns = system_clock().monotonic_ns();
        file->sync();
        const int64_t after_ns = system_clock().monotonic_ns();
        times_us.push_back(static_cast<double>(after_ns - before_ns) / 1000);
        if (after_ns >= end_ns)
            break;
    }
    file->close();
    return median(std::move(times_us));
}

double measure_reads(FileSystem& files, const std::string& path, size_t threads, int64_t step_ms,
                     bool& direct)
{
    const auto file = files.open_for_read(path, {.direct = true});
    direct = file->is_direct();
    std::atomic<uint64_t> reads{0};
    const int64_t start_ns = system_clock().monotonic_ns();
    const int64_t end_ns = start_ns + step_ms * 1000000;
    run_parallel(threads,
                 [&](size_t thread)
                 {
                     SeededRandom random(thread + 1);
                     std::string block(kBlockBytes, '\0');
                     uint64_t mine = 0;
                     while (system_clock().monotonic_ns() < end_ns)
                     {
                         const uint64_t at = random.next_u64() % (kProbeFileBytes / kBlockBytes);
                         file->read_exact(block.data(), kBlockBytes, at * kBlockBytes);
                         ++mine;
                     }
                     reads += mine;
                 });
    const auto ns = static_cast<double>(system_clock().monotonic_ns() - start_ns);
    return static_cast<double>(reads.load()) / (ns / 1e9);
}

} // namespace

void Machine::to(KeyValues& values) const
{
    const auto whole = [&](const char* name, uint64_t value)
    { values.set(name, static_cast<int64_t>(value)); };
    whole("memory_bytes", memory_bytes);
    whole("cores", cores);
    whole("disk_total_bytes", disk_total_bytes);
    whole("disk_free_bytes", disk_free_bytes);
    whole("huge_pages_free_bytes", huge_pages_free_bytes);
    whole("copy_on_write", copy_on_write);
    whole("reads_were_direct", reads_were_direct);
    values.set("fsync_us", fmt::format("{:.1f}", fsync_us));
    values.set("read_iops_one", fmt::format("{:.0f}", read_iops_one));
    values.set("read_iops_parallel", fmt::format("{:.0f}", read_iops_parallel));
    values.set("write_mib_s", fmt::format("{:.1f}", write_mib_s));
}

Machine Machine::from(const KeyValues& values)
{
    const auto whole = [&](const char* name)
    { return static_cast<uint64_t>(std::max<int64_t>(0, values.number(name))); };
    Machine result;
    result.memory_bytes = whole("memory_bytes");
    result.cores = std::max<uint64_t>(1, whole("cores"));
    result.disk_total_bytes = whole("disk_total_bytes");
    result.disk_free_bytes = whole("disk_free_bytes");
    result.huge_pages_free_bytes = whole("huge_pages_free_bytes");
    result.copy_on_write = values.number("copy_on_write") != 0;
    result.reads_were_direct = values.number("reads_were_direct") != 0;
    result.fsync_us = values.real("fsync_us");
    result.read_iops_one = values.real("read_iops_one");
    result.read_iops_parallel = values.real("read_iops_parallel");
    result.write_mib_s = values.real("write_mib_s");
    return result;
}

Machine probe_machine(FileSystem& files, const std::string& folder, const ProbeOptions& options)
{
    Machine result;
    result.memory_bytes = options.memory_bytes ? options.memory_bytes : granted_memory_bytes();
    result.cores = options.cores ? options.cores : granted_cores();
    const DiskSpace space = files.space(folder);
    result.disk_total_bytes = space.total_bytes;
    result.disk_free_bytes = space.free_bytes;
    result.huge_pages_free_bytes = free_huge_page_bytes();
    result.copy_on_write = is_copy_on_write(folder);

    const std::string path = folder + "/probe.tmp";
    struct RemoveFile
    {
        FileSystem& files;
        const std::string& path;
        ~RemoveFile()
        {
            try
            {
                files.remove_file_if_exists(path);
            }
            catch (const Error&)
            {
            }
        }
    } remove{files, path};
    result.write_mib_s = measure_writes(files, path);
    result.fsync_us = measure_syncs(files, path, options.step_ms);
    result.read_iops_one = measure_reads(files, path, 1, options.step_ms, result.reads_were_direct);
    result.read_iops_parallel =
        measure_reads(files, path, kProbeThreads, options.step_ms, result.reads_were_direct);
    return result;
}

} // namespace basalt::pg
