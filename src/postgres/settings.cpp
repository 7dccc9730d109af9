#include "postgres/settings.h"

#include "base/error.h"

#include <algorithm>
#include <cctype>
#include <fmt/core.h>

namespace basalt::pg
{

using namespace error_codes;

namespace
{

constexpr uint64_t kKiB = 1ull << 10, kMiB = 1ull << 20, kGiB = 1ull << 30;
// Above this many random reads a second, one at a time, a disk has no moving head.
constexpr double kFlashReadIops = 1000;
// A commit that waits longer than this for the disk is worth sharing.
constexpr double kSlowFsyncUs = 1000;

class Derivation
{
public:
    Derivation(const Machine& machine, const ServerFeatures& features)
        : machine_(machine), features_(features), flash_(machine.read_iops_one >= kFlashReadIops)
    {
    }

    DerivedSettings run()
    {
        connections();
        memory();
        write_ahead_log();
        disk();
        parallelism();
        autovacuum();
        durability();
        replication();
        observing();
        return std::move(result_);
    }

private:
    void add(std::string name, std::string value, std::string otherwise, std::string source,
             std::string why)
    {
        result_.settings.push_back({std::move(name), std::move(value), std::move(otherwise),
                                    std::move(source), std::move(why)});
    }

    std::string memory_source() const { return "memory: " + readable_size(machine_.memory_bytes); }
    std::string cores_source() const { return fmt::format("cores: {}", machine_.cores); }
    std::string disk_source() const
    {
        return fmt::format("disk: {}, {} free", readable_size(machine_.disk_total_bytes),
                           readable_size(machine_.disk_free_bytes));
    }
    std::string fsync_source() const
    {
        return fmt::format("measured: fdatasync {:.2f} ms", machine_.fsync_us / 1000);
    }
    std::string reads_source() const
    {
        return fmt::format("measured: {:.0f} random reads/s alone, {:.0f} from {} threads{}",
                           machine_.read_iops_one, machine_.read_iops_parallel, kProbeThreads,
                           machine_.reads_were_direct ? "" : " (through the page cache)");
    }

    void connections()
    {
        max_connections_ = std::clamp<uint64_t>(25 * machine_.cores, 100, 500);
        add("max_connections", std::to_string(max_connections_), "100", cores_source(),
            "25 for each core, between 100 and 500: more that are busy at once wait for a core and "
            "take memory meanwhile");
    }

    void memory()
    {
        const uint64_t total = machine_.memory_bytes;
        const uint64_t shared = std::max(total / 4 / kMiB * kMiB, 16 * kMiB);
        add("shared_buffers", postgres_size(shared), "128MB", memory_source(),
            "a quarter of memory; the rest serves the operating system's cache, which holds what "
            "does not fit here");
        // PostgreSQL needs somewhat more than shared_buffers.
        const uint64_t wanted = shared + shared / 20 + 16 * kMiB;
        add("huge_pages", "try", "try",
            fmt::format("free huge pages: {}", readable_size(machine_.huge_pages_free_bytes)),
            machine_.huge_pages_free_bytes >= wanted
                ? "enough are reserved, so shared memory uses them: fewer page-table misses"
                : fmt::format("not enough are reserved for shared memory: sysctl "
                              "vm.nr_hugepages={} and a restart would let it use them; never 'on', "
                              "which would refuse to start",
                              (wanted + 2 * kMiB - 1) / (2 * kMiB)));
        add("effective_cache_size", postgres_size(std::max(total / 4 * 3 / kMiB * kMiB, 64 * kMiB)),
            "4GB", memory_source(),
            "three quarters of memory: what the planner may expect to find cached here or by the "
            "operating system; nothing is allocated");
        const uint64_t work = std::clamp<uint64_t>((total - std::min(total, shared)) /
                                                       (3 * max_connections_) / kKiB * kKiB,
                                                   4 * kMiB, 64 * kMiB);
        add("work_mem", postgres_size(work), "4MB", memory_source(),
            "what shared_buffers leaves, divided by three sorts or hashes for every connection; at "
            "least the default, at most 64MB");
        add("maintenance_work_mem",
            postgres_size(std::clamp<uint64_t>(total / 16 / kMiB * kMiB, 32 * kMiB, 2 * kGiB)),
            "64MB", memory_source(),
            "a sixteenth of memory, at most 2GB: index builds and VACUUM go through the table "
            "fewer times");
    }

    void write_ahead_log()
    {
        // Never more than a fifth of what is free now, whatever the size of the disk.
        const uint64_t share = std::min(machine_.disk_total_bytes / 25, machine_.disk_free_bytes / 5);
        const uint64_t max_wal = std::clamp<uint64_t>(share / kMiB * kMiB, 512 * kMiB, 256 * kGiB);
        add("max_wal_size", postgres_size(max_wal), "1GB", disk_source(),
            "4% of the disk, at most a fifth of what is free: checkpoints come by time and not by "
            "volume, so fewer pages are logged whole");
        add("min_wal_size", postgres_size(std::clamp<uint64_t>(max_wal / 8 / (16 * kMiB) * 16 * kMiB,
                                                               80 * kMiB, 8 * kGiB)),
            "80MB", disk_source(), "an eighth of max_wal_size is kept for reuse between checkpoints");
        add("checkpoint_timeout", "15min", "5min", "Basalt",
            "fewer checkpoints, so fewer whole pages in the log; a crash is replayed in minutes at "
            "the longest");
        add("checkpoint_completion_target", "0.9", "0.9", "Basalt",
            "spreads a checkpoint's writes over the time until the next");
        if (features_.wal_lz4)
            add("wal_compression", "lz4", "off", "server program",
                "whole pages in the log shrink by half or more for little CPU");
        else
            add("wal_compression", "on", "off", "server program",
                "whole pages in the log shrink; this server program was built without lz4");
        if (machine_.cores >= 8)
            add("wal_buffers", "64MB", "-1", cores_source(),
                "many cores fill the default of 16MB between two writes of the log");
        if (machine_.fsync_us >= kSlowFsyncUs)
        {
            const auto delay = std::min(machine_.fsync_us / 4, 2000.0);
            add("commit_delay", fmt::format("{:.0f}", delay), "0", fsync_source(),
                "a commit waits for this many microseconds (a quarter of a sync) when at least "
                "commit_siblings others are under way, so that one sync serves more of them");
            add("commit_siblings", "8", "5", fsync_source(),
                "a few clients alone are never made to wait by commit_delay");
        }
        if (machine_.copy_on_write)
        {
            add("wal_init_zero", "off", "on", "file system",
                "a file system that copies on write gains nothing from files written in advance");
            add("wal_recycle", "off", "on", "file system",
                "a file system that copies on write makes new files as cheaply as renamed ones");
        }
    }

    void disk()
    {
        if (flash_)
            add("random_page_cost", "1.1", "4", reads_source(),
                "random reads cost nearly what sequential ones do on this disk");
        else
            add("random_page_cost", "4", "4", reads_source(),
                "this disk is slow at random reads: the default for disks with moving heads");
        const double ahead = flash_ ? std::clamp(machine_.read_iops_parallel / 100, 32.0, 256.0) : 2;
        add("effective_io_concurrency", fmt::format("{:.0f}", ahead),
            features_.major >= 18 ? "16" : "1", reads_source(),
            "how many reads are asked for ahead: what this disk answers in 10 ms, between 32 and "
            "256; 2 for a disk with moving heads");
        add("maintenance_io_concurrency", fmt::format("{:.0f}", std::max(ahead, 10.0)),
            features_.major >= 18 ? "16" : "10", reads_source(),
            "the same for VACUUM, ANALYZE and recovery");
        if (flash_)
        {
            add("bgwriter_delay", "50ms", "200ms", reads_source(),
                "pages are written ahead often, so that a query seldom writes one itself");
            add("bgwriter_lru_maxpages", "1000", "100", reads_source(),
                "and many at a time: the disk bears it");
        }
    }

    void parallelism()
    {
        const uint64_t cores = machine_.cores;
        add("max_worker_processes", std::to_string(std::max<uint64_t>(8, cores + 8)), "8",
            cores_source(), "a core's worth of parallel workers and room for replication");
        add("max_parallel_workers", std::to_string(std::max<uint64_t>(2, cores)), "8",
            cores_source(), "no more than there are cores");
        add("max_parallel_workers_per_gather",
            std::to_string(std::clamp<uint64_t>(cores / 2, 1, 4)), "2", cores_source(),
            "one query takes half of the cores at most");
        add("max_parallel_maintenance_workers",
            std::to_string(std::clamp<uint64_t>(cores / 2, 1, 4)), "2", cores_source(),
            "one index build takes half of the cores at most");
    }

    void autovacuum()
    {
        add("autovacuum_max_workers", std::to_string(std::clamp<uint64_t>(machine_.cores, 3, 8)),
            "3", cores_source(), "one for each core, between 3 and 8");
        if (flash_)
            add("autovacuum_vacuum_cost_limit",
                std::to_string(std::clamp<uint64_t>(200 * machine_.cores, 400, 2400)), "200",
                reads_source(),
                "VACUUM keeps up with many small updates: the default is meant for slow disks");
    }

    void durability()
    {
        add("fsync", "on", "on", "safety", "off loses the whole database at a power cut");
        add("full_page_writes", "on", "on", "safety",
            "off loses pages that a power cut tears in the middle");
        add("synchronous_commit", "on", "on", "safety",
            "a commit that was answered is on the disk");
        add("password_encryption", "scram-sha-256", "scram-sha-256", "safety",
            "passwords are never stored or sent in a form that can be used again");
        add("ssl_min_protocol_version", "TLSv1.3", "TLSv1.2", "safety",
            "what every client of the last years speaks");
    }

    void replication()
    {
        add("wal_level", "logical", "replica", "Basalt",
            "tables can be followed into the column store without a restart");
        add("max_wal_senders", "10", "10", "Basalt", "backups, links and standbys");
        add("max_replication_slots", "10", "10", "Basalt", "links and standbys");
        const uint64_t kept = std::clamp<uint64_t>(machine_.disk_free_bytes / 10 / kMiB * kMiB,
                                                   kGiB, 200 * kGiB);
        add("max_slot_wal_keep_size", postgres_size(kept), "-1", disk_source(),
            "a reader that stopped may hold back the log up to a tenth of what is free; with the "
            "default it fills the disk and stops the server");
        add("archive_mode", "on", "off", "Basalt",
            "each finished segment of the log goes to the archive, for restores to any time");
        add("archive_timeout", "60s", "0", "Basalt",
            "a segment is finished after a minute at the latest: what a lost disk can cost");
    }

    void observing()
    {
        if (features_.pg_stat_statements)
            add("shared_preload_libraries", "pg_stat_statements", "", "Basalt",
                "time and I/O of each kind of statement are counted");
        add("track_io_timing", "on", "off", "Basalt", "EXPLAIN and statistics show time spent on I/O");
        add("log_checkpoints", "on", "on", "Basalt", "what each checkpoint wrote stands in the log");
        add("log_lock_waits", "on", "off", "Basalt",
            "who waits for a lock longer than deadlock_timeout stands in the log");
        add("log_temp_files", "10MB", "-1", "Basalt",
            "sorts and hashes that did not fit in work_mem stand in the log");
        if (features_.toast_lz4)
            add("default_toast_compression", "lz4", "pglz", "server program",
                "long values are packed and unpacked several times faster");
    }

    const Machine& machine_;
    const ServerFeatures& features_;
    const bool flash_;
    uint64_t max_connections_ = 100;
    DerivedSettings result_;
};

struct OwnedSetting
{
    std::string_view name;
    std::string_view instead;
};

constexpr OwnedSetting kOwned[] = {
    {"port", "make the instance with --port"},
    {"data_directory", "make the instance with --path"},
    {"config_file", "settings stand in data/user.conf"},
    {"hba_file", "data/pg_hba.conf can be edited"},
    {"ident_file", "data/pg_ident.conf can be edited"},
    {"external_pid_file", "data/postmaster.pid is read"},
    {"unix_socket_directories", "the socket stands in the folder run/"},
    {"archive_mode", "restores to a time need it"},
    {"archive_command", "restores to a time need it"},
    {"archive_library", "restores to a time need archive_command"},
    {"restore_command", "basalt pg restore sets it"},
    {"ssl", "TLS stays on"},
    {"ssl_cert_file", "replace tls/server.crt"},
    {"ssl_key_file", "replace tls/server.key"},
    {"ssl_ca_file", "replace tls/root.crt"},
    {"logging_collector", "basalt pg logs needs it"},
    {"log_directory", "basalt pg logs needs it"},
    {"log_filename", "basalt pg logs needs it"},
    {"log_destination", "basalt pg logs needs it"},
};

bool is_off(std::string value)
{
    for (char& c : value)
        c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    // As PostgreSQL reads booleans: unique beginnings of the words, and 0.
    return value == "0" || value == "n" || value == "no" || value == "of" || value == "off" ||
           (!value.empty() && std::string_view("false").starts_with(value));
}

} // namespace

const DerivedSetting* DerivedSettings::find(std::string_view name) const
{
    for (const auto& setting : settings)
        if (setting.name == name)
            return &setting;
    return nullptr;
}

DerivedSettings derive_settings(const Machine& machine, const ServerFeatures& features)
{
    return Derivation(machine, features).run();
}

void check_user_setting(const std::string& name, const std::string& value)
{
    bool plain = !name.empty() && name.size() < 64;
    for (const char c : name)
        plain = plain && (std::islower(static_cast<unsigned char>(c)) ||
                          std::isdigit(static_cast<unsigned char>(c)) || c == '_' || c == '.');
    if (!plain)
        throw Error(BAD_ARGUMENTS, fmt::format("'{}' cannot be the name of a setting", name));
    if ((name == "fsync" || name == "full_page_writes") && is_off(value))
        throw Error(BAD_ARGUMENTS,
                    fmt::format("{} stays on: without it a power cut loses committed data", name));
    if (name == "zero_damaged_pages" || name == "ignore_checksum_failure" ||
        name == "ignore_invalid_pages")
        throw Error(BAD_ARGUMENTS,
                    fmt::format("{} hides damage instead of telling it; restore a backup", name));
    for (const auto& owned : kOwned)
        if (owned.name == name)
            throw Error(BAD_ARGUMENTS, fmt::format("{} is set by Basalt: {}", name, owned.instead));
}

std::string readable_size(uint64_t bytes)
{
    const auto value = static_cast<double>(bytes);
    if (bytes >= kGiB)
        return fmt::format("{:.1f} GiB", value / static_cast<double>(kGiB));
    if (bytes >= kMiB)
        return fmt::format("{:.0f} MiB", value / static_cast<double>(kMiB));
    return fmt::format("{:.0f} KiB", value / static_cast<double>(kKiB));
}

std::string postgres_size(uint64_t bytes)
{
    if (bytes % kGiB == 0 && bytes > 0)
        return fmt::format("{}GB", bytes / kGiB);
    if (bytes % kMiB == 0 && bytes > 0)
        return fmt::format("{}MB", bytes / kMiB);
    return fmt::format("{}kB", bytes / kKiB);
}

} // namespace basalt::pg
