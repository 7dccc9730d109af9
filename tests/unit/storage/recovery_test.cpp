// What the simulator found, each as a life of one table.

#include "table_fixture.h"

#include "base/error.h"
#include "base/failpoint.h"
#include "io/faulty_file_system.h"

namespace basalt::test
{
namespace
{

PartitionCommand partition_command(PartitionCommand::Kind kind)
{
    PartitionCommand command;
    command.kind = kind;
    command.all = true;
    return command;
}

using Kind = PartitionCommand::Kind;

TEST(Recovery, DroppedDetachedPartsStayDropped)
{
    MemoryFileSystem files;
    {
        Tables tables(files);
        tables.open(events_metadata());
        tables.insert(events(0, 3000));
        tables.table->change_partition(partition_command(Kind::Detach), nullptr);
        EXPECT_EQ(tables.table->detached_part_infos().size(), 2u);
        tables.table->change_partition(partition_command(Kind::DropDetached), nullptr);
        files.power_cut();
    }
    Tables tables(files);
    tables.open(events_metadata(), true);
    EXPECT_TRUE(tables.table->detached_part_infos().empty());
    tables.table->change_partition(partition_command(Kind::Attach), nullptr);
    EXPECT_EQ(tables.count(), 0u);
}

TEST(Recovery, PowerGoesAtEachStepOfDetach)
{
    constexpr uint64_t kMostSteps = 200;
    for (uint64_t steps = 0; steps < kMostSteps; ++steps)
    {
        MemoryFileSystem disk;
        SeededRandom random(1);
        FaultyFileSystem files(disk, random);
        bool stopped = false;
        {
            Tables tables(files);
            tables.open(events_metadata());
            tables.insert(events(0, 10)); // in the log alone
            FaultPlan plan;
            plan.stop_after_changes = steps;
            files.set_plan(plan);
            try
            {
                tables.table->change_partition(partition_command(Kind::Detach), nullptr);
            }
            catch (const Error&)
            {
            }
            stopped = files.stopped();
        }
        disk.power_cut();
        files.set_plan({});
        Tables tables(files);
        tables.open(events_metadata(), true);
        tables.table->change_partition(partition_command(Kind::Attach), nullptr);
        EXPECT_EQ(tables.rows(all_columns()), lines_of(events(0, 10))) << steps;
        if (!stopped)
            return;
    }
    FAIL() << "DETACH never ended";
}

// A folder that was set aside is for people to look at, not for ATTACH PARTITION ALL.
TEST(Recovery, WhatWasSetAsideIsNotAttachedWithTheRest)
{
    for (const char* folder : {"unexpected_0_3_7_1", "broken_20000_1_1_0", "broken-on-start_1_2_2_0_5"})
        EXPECT_FALSE(parse_part_name(folder)) << folder;
    EXPECT_TRUE(parse_part_name("all_1_2_3_4"));
    EXPECT_TRUE(parse_part_name("20261201_1_1_0"));
}

// Flips one bit of a file, where `at` says.
void flip_bit(FileSystem& files, const std::string& path, uint64_t at)
{
    std::string bytes = files.read_whole(path);
    ASSERT_LT(at, bytes.size());
    bytes[at] = static_cast<char>(bytes[at] ^ 4);
    const auto file = files.open_for_write(path, OpenMode::Append);
    file->pwrite(bytes.data() + at, 1, at);
    file->sync();
}

std::string only_segment(FileSystem& files)
{
    std::string found;
    for (const auto& entry : files.list("/data/log"))
        if (entry.name.ends_with(".log"))
            found = "/data/log/" + entry.name;
    return found;
}

TEST(Recovery, DamageInTheMiddleOfTheLogCostsOneRecord)
{
    constexpr uint64_t kInserts = 10;
    for (uint64_t at = 3; at < 1500; at += 7)
    {
        MemoryFileSystem files;
        {
            Tables tables(files);
            tables.open(events_metadata());
            for (uint64_t i = 0; i < kInserts; ++i)
                tables.insert(events(i * 10, 10));
            files.power_cut();
        }
        const std::string segment = only_segment(files);
        if (at >= files.file_size(segment))
            break;
        flip_bit(files, segment, at);
        std::vector<std::string> reports;
        StorageOptions options = small_options();
        options.report = [&](const std::string& text) { reports.push_back(text); };
        for (int start = 0; start < 2; ++start)
        {
            Tables tables(files, options);
            tables.open(events_metadata(), true);
            const size_t rows = tables.count();
            EXPECT_TRUE(rows == 10 * kInserts || rows == 10 * (kInserts - 1)) << at << ": " << rows;
            EXPECT_FALSE(rows < 10 * kInserts && reports.empty()) << at;
            if (start == 0)
                tables.service->log().checkpoint();
            files.power_cut();
        }
    }
}

TEST(Recovery, OneDamagedCheckpointCostsNothing)
{
    for (const char* name : {"checkpoint", "checkpoint.copy"})
    {
        MemoryFileSystem files;
        {
            Tables tables(files);
            tables.open(events_metadata());
            tables.insert(events(0, 3000));
            tables.service->log().checkpoint();
        }
        flip_bit(files, std::string("/data/log/") + name, 30);
        Tables tables(files);
        tables.open(events_metadata(), true);
        EXPECT_EQ(tables.rows(all_columns()), lines_of(events(0, 3000)));
    }
}

TEST(Recovery, WithoutAnyCheckpointPartsAreTakenAsTheyAreFound)
{
    MemoryFileSystem files;
    {
        Tables tables(files);
        tables.open(events_metadata());
        tables.insert(events(0, 3000));
        tables.insert(events(3000, 3000));
        tables.table->optimize({.final = true}, tables.service->make_context());
        tables.service->log().checkpoint();
    }
    for (const char* name : {"checkpoint", "checkpoint.copy"})
        flip_bit(files, std::string("/data/log/") + name, 30);
    Tables tables(files);
    tables.open(events_metadata(), true);
    EXPECT_EQ(tables.rows(all_columns()), lines_of(events(0, 6000)));
}

TEST(Recovery, ALogOfANewerVersionDoesNotStopTheStart)
{
    MemoryFileSystem files;
    {
        Tables tables(files);
        tables.open(events_metadata());
        tables.insert(events(0, 3000));
    }
    std::string head = "BasaltWL";
    head += std::string("\x09\0\0\0\0\0\0\0", 8) + std::string(100, 'x');
    const auto file = files.open_for_write("/data/log/00000000000000ff.log", OpenMode::Truncate);
    file->append(head);
    file->sync();
    std::vector<std::string> reports;
    StorageOptions options = small_options();
    options.report = [&](const std::string& text) { reports.push_back(text); };
    Tables tables(files, options);
    tables.open(events_metadata(), true);
    EXPECT_EQ(tables.rows(all_columns()), lines_of(events(0, 3000)));
    EXPECT_TRUE(std::any_of(reports.begin(), reports.end(), [](const std::string& text)
                            { return text.find("newer version") != std::string::npos; }));
    tables.insert(events(3000, 10));
    EXPECT_EQ(tables.count(), 3010u);
}

TEST(Recovery, ADamagedPartIsNamedThenSetAsideAndTheRestIsServed)
{
    MemoryFileSystem files;
    StorageOptions options = small_options();
    options.packed_part_bytes = 0; // a file for each column
    Tables tables(files, options);
    tables.open(events_metadata());
    tables.insert(events(0, 3000));
    const auto parts = tables.table->part_infos();
    ASSERT_EQ(parts.size(), 2u);
    flip_bit(files, parts[0].path + "/text.bin", 100);
    EXPECT_THROW(tables.rows(all_columns()), Error);
    size_t problems = 0;
    for (const auto& part : tables.table->check_parts("", "", plain_context()))
        problems += !part.problem.empty();
    EXPECT_EQ(problems, 1u);
    tables.service->background().run_until_idle();
    EXPECT_EQ(tables.rows(all_columns()).size(), 1500u);
    const auto aside = tables.table->detached_part_infos();
    ASSERT_EQ(aside.size(), 1u);
    EXPECT_EQ(aside[0].reason, "broken");
    EXPECT_EQ(aside[0].name, "broken_" + parts[0].name);
}

TEST(Recovery, AFailingReadSetsNothingAside)
{
    MemoryFileSystem disk;
    SeededRandom random(1);
    FaultyFileSystem files(disk, random);
    Tables tables(files);
    tables.open(events_metadata());
    tables.insert(events(0, 3000));
    FaultPlan plan;
    plan.failures.push_back({FileOperation::Read, 1, 1, 0, "/store/"});
    files.set_plan(plan);
    EXPECT_THROW(tables.rows(all_columns()), Error);
    tables.service->background().run_until_idle();
    EXPECT_EQ(tables.rows(all_columns()), lines_of(events(0, 3000)));
    EXPECT_TRUE(tables.table->detached_part_infos().empty());
}

TEST(Recovery, AnAbsentFolderIsNotHealedByEmptiness)
{
    MemoryFileSystem files;
    std::string path;
    {
        Tables tables(files);
        tables.open(events_metadata());
        tables.insert(events(0, 3000));
        path = tables.table->data_path();
    }
    files.rename(path, "/away");
    for (int start = 0; start < 2; ++start)
    {
        Tables tables(files);
        tables.open(events_metadata(), true);
        EXPECT_THROW(tables.count(), Error);
        EXPECT_THROW(tables.insert(events(0, 1)), Error);
        EXPECT_FALSE(tables.table->total_rows().has_value());
        tables.service->background().run_until_idle();
        tables.service->log().checkpoint();
        EXPECT_FALSE(files.exists(path));
    }
    files.rename("/away", path);
    Tables tables(files);
    tables.open(events_metadata(), true);
    EXPECT_EQ(tables.rows(all_columns()), lines_of(events(0, 3000)));
}

TEST(Recovery, ATableThatCannotBeOpenedKeepsItsRows)
{
    MemoryFileSystem disk;
    SeededRandom random(1);
    FaultyFileSystem files(disk, random);
    {
        Tables tables(files);
        tables.open(events_metadata());
        tables.insert(events(0, 10)); // in the log alone
        disk.power_cut();
    }
    {
        Tables tables(files);
        FaultPlan plan;
        plan.failures.push_back({FileOperation::List, 1, 1000, 0, "/store/"});
        files.set_plan(plan);
        EXPECT_THROW(tables.open(events_metadata(), true), Error);
        files.set_plan({});
        tables.service->log().checkpoint();
        tables.service->log().checkpoint();
    }
    Tables tables(files);
    tables.open(events_metadata(), true);
    EXPECT_EQ(tables.rows(all_columns()), lines_of(events(0, 10)));
}

// A server that stops on a full disk, and DETACH with ATTACH there: the rows are in the log alone.
TEST(Recovery, RowsThatCouldNotBeFlushedAreKeptWhenTheirTableCloses)
{
    MemoryFileSystem disk;
    SeededRandom random(1);
    FaultyFileSystem files(disk, random);
    for (const bool same_process : {true, false})
    {
        const size_t before = same_process ? 0 : 30;
        {
            Tables tables(files);
            tables.open(events_metadata(), before > 0);
            tables.insert(events(before, 10));
            FaultPlan plan;
            plan.failures.push_back(
                {FileOperation::Append, 1, 1000, error_codes::NOT_ENOUGH_SPACE, "/store/"});
            files.set_plan(plan);
            tables.table->shutdown();
            files.set_plan({});
            tables.service->log().checkpoint();
            if (same_process)
            {
                tables.open(events_metadata(), true);
                EXPECT_EQ(tables.rows(all_columns()), lines_of(events(0, 10)));
                tables.insert(events(10, 20));
            }
        }
        disk.power_cut();
        Tables tables(files);
        tables.open(events_metadata(), true);
        EXPECT_EQ(tables.rows(all_columns()), lines_of(events(0, before + (same_process ? 30 : 10))));
    }
}

TEST(Recovery, FailpointsStopWorkAndLetItGoOn)
{
    MemoryFileSystem files;
    Tables tables(files);
    tables.open(events_metadata());
    for (const auto& info : failpoints())
        EXPECT_FALSE(info.enabled);
    set_failpoint("basalt_log_before_sync", true);
    EXPECT_THROW(tables.insert(events(0, 10)), Error);
    set_failpoint("basalt_log_before_sync", false);
    tables.insert(events(10, 10));
    set_failpoint("basalt_flush_before_commit", true);
    EXPECT_THROW(tables.table->flush(nullptr), Error);
    set_failpoint("basalt_flush_before_commit", false);
    tables.table->flush(nullptr);
    EXPECT_EQ(tables.rows(all_columns()), lines_of(events(10, 10)));
    EXPECT_THROW(set_failpoint("no_such_place", true), Error);
}

} // namespace
} // namespace basalt::test
