#include "postgres/settings.h"

#include "base/error.h"
#include "postgres/key_values.h"

#include <gtest/gtest.h>

namespace basalt::pg
{
namespace
{

constexpr uint64_t kMiB = 1ull << 20, kGiB = 1ull << 30;

Machine node()
{
    Machine machine;
    machine.memory_bytes = 16 * kGiB;
    machine.cores = 4;
    machine.disk_total_bytes = 200 * kGiB;
    machine.disk_free_bytes = 150 * kGiB;
    machine.fsync_us = 300;
    machine.read_iops_one = 8000;
    machine.read_iops_parallel = 40000;
    machine.reads_were_direct = true;
    return machine;
}

std::string value_of(const Machine& machine, const char* name, ServerFeatures features = {})
{
    const DerivedSettings settings = derive_settings(machine, features);
    const DerivedSetting* setting = settings.find(name);
    return setting ? setting->value : "(absent)";
}

TEST(PgSettings, ComeFromTheMachine)
{
    const Machine machine = node();
    EXPECT_EQ(value_of(machine, "shared_buffers"), "4GB");
    EXPECT_EQ(value_of(machine, "effective_cache_size"), "12GB");
    EXPECT_EQ(value_of(machine, "maintenance_work_mem"), "1GB");
    EXPECT_EQ(value_of(machine, "work_mem"), "41943kB" /* 12 GiB / 300 */);
    EXPECT_EQ(value_of(machine, "max_connections"), "100");
    EXPECT_EQ(value_of(machine, "max_wal_size"), "8GB");
    EXPECT_EQ(value_of(machine, "random_page_cost"), "1.1");
    EXPECT_EQ(value_of(machine, "effective_io_concurrency"), "256");
    EXPECT_EQ(value_of(machine, "max_parallel_workers_per_gather"), "2");
    EXPECT_EQ(value_of(machine, "commit_delay"), "(absent)");
    EXPECT_EQ(value_of(machine, "wal_init_zero"), "(absent)");
}

TEST(PgSettings, FollowSlowAndSmallMachines)
{
    Machine machine = node();
    machine.memory_bytes = 512 * kMiB;
    machine.cores = 1;
    machine.disk_free_bytes = 2 * kGiB;
    machine.fsync_us = 4600;
    machine.read_iops_one = 120;
    machine.copy_on_write = true;
    EXPECT_EQ(value_of(machine, "shared_buffers"), "128MB");
    EXPECT_EQ(value_of(machine, "work_mem"), "4MB");
    EXPECT_EQ(value_of(machine, "maintenance_work_mem"), "32MB");
    EXPECT_EQ(value_of(machine, "max_wal_size"), "512MB");
    EXPECT_EQ(value_of(machine, "max_slot_wal_keep_size"), "1GB");
    EXPECT_EQ(value_of(machine, "random_page_cost"), "4");
    EXPECT_EQ(value_of(machine, "commit_delay"), "1150");
    EXPECT_EQ(value_of(machine, "wal_recycle"), "off");
    EXPECT_EQ(value_of(machine, "autovacuum_vacuum_cost_limit"), "(absent)");
    EXPECT_EQ(value_of(machine, "max_parallel_workers_per_gather"), "1");
    machine.memory_bytes = 0;
    EXPECT_EQ(value_of(machine, "shared_buffers"), "16MB");
}

TEST(PgSettings, KeepDataSafeAndExplainThemselves)
{
    for (const uint64_t memory : {128 * kMiB, 4 * kGiB, 1024 * kGiB})
        for (const uint64_t cores : {1, 4, 192})
        {
            Machine machine = node();
            machine.memory_bytes = memory;
            machine.cores = cores;
            const DerivedSettings settings = derive_settings(machine, {});
            for (const char* name : {"fsync", "full_page_writes", "synchronous_commit"})
                EXPECT_EQ(settings.find(name)->value, "on");
            for (const auto& setting : settings.settings)
            {
                EXPECT_FALSE(setting.why.empty()) << setting.name;
                EXPECT_FALSE(setting.source.empty()) << setting.name;
                EXPECT_EQ(settings.find(setting.name), &setting) << setting.name << " stands twice";
                EXPECT_NO_THROW(KeyValues().set(setting.name, setting.value));
            }
        }
}

TEST(PgSettings, UseWhatTheServerWasBuiltWith)
{
    ServerFeatures plain;
    plain.wal_lz4 = plain.toast_lz4 = plain.pg_stat_statements = false;
    EXPECT_EQ(value_of(node(), "wal_compression", plain), "on");
    EXPECT_EQ(value_of(node(), "default_toast_compression", plain), "(absent)");
    EXPECT_EQ(value_of(node(), "shared_preload_libraries", plain), "(absent)");
    EXPECT_EQ(value_of(node(), "wal_compression"), "lz4");
}

TEST(PgSettings, RefuseWhatWouldLoseData)
{
    for (const char* off : {"off", "OFF", "false", "f", "0", "no", "of"})
    {
        EXPECT_THROW(check_user_setting("fsync", off), Error) << off;
        EXPECT_THROW(check_user_setting("full_page_writes", off), Error) << off;
    }
    EXPECT_NO_THROW(check_user_setting("fsync", "on"));
    EXPECT_NO_THROW(check_user_setting("work_mem", "8MB"));
    EXPECT_NO_THROW(check_user_setting("pg_stat_statements.max", "1000"));
    for (const char* owned : {"port", "archive_command", "ssl_key_file", "zero_damaged_pages"})
        EXPECT_THROW(check_user_setting(owned, "x"), Error) << owned;
    for (const char* odd : {"", "Work_Mem", "a b", "x'; --"})
        EXPECT_THROW(check_user_setting(odd, "x"), Error) << odd;
}

TEST(PgSettings, WriteSizes)
{
    EXPECT_EQ(postgres_size(3 * kGiB), "3GB");
    EXPECT_EQ(postgres_size(1536 * kMiB), "1536MB");
    EXPECT_EQ(postgres_size(100 << 10), "100kB");
    EXPECT_EQ(readable_size(24696061952), "23.0 GiB");
    EXPECT_EQ(readable_size(5 * kMiB), "5 MiB");
}

} // namespace
} // namespace basalt::pg
