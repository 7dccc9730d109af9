#include "table_fixture.h"

#include "base/error.h"
#include "io/faulty_file_system.h"
#include "storage/mergetree/merge_selector.h"

namespace basalt::test
{
namespace
{

TEST(MergeSelector, TakesEqualNeighboursAndLeavesUnequalOnes)
{
    const auto part = [](uint64_t megabytes, int64_t age_s, size_t run = 0)
    { return MergeCandidate{megabytes << 20, age_s, run}; };
    EXPECT_FALSE(choose_merge({part(1, 0)}, UINT64_MAX));
    EXPECT_FALSE(choose_merge({part(1000, 0), part(1, 0)}, UINT64_MAX));
    EXPECT_FALSE(choose_merge({part(1, 0, 0), part(1, 0, 1)}, UINT64_MAX));
    const auto six = choose_merge(std::vector<MergeCandidate>(6, part(1, 1)), UINT64_MAX);
    ASSERT_TRUE(six);
    EXPECT_EQ(six->end - six->begin, 6u);
    // The small ones, not the large neighbour.
    const auto tail =
        choose_merge({part(5000, 9), part(1, 9), part(1, 9), part(1, 9), part(1, 9), part(1, 9)},
                     UINT64_MAX);
    ASSERT_TRUE(tail);
    EXPECT_EQ(tail->begin, 1u);
    EXPECT_FALSE(choose_merge({part(100, 0), part(100, 0)}, 150 << 20));
    EXPECT_TRUE(choose_merge({part(4, 100000), part(1, 100000)}, UINT64_MAX));
    // Many parts: always something to do.
    EXPECT_TRUE(choose_merge(std::vector<MergeCandidate>(200, part(3, 0)), UINT64_MAX));
    const auto most = choose_merge(std::vector<MergeCandidate>(200, part(1, 0)), UINT64_MAX);
    EXPECT_LE(most->end - most->begin, kMaxMergedParts);
}

TEST(MergeSelector, TakesFewerPartsWhereMemoryIsShort)
{
    MergeCandidate part{1 << 20, 0, 0, 1000};
    const std::vector<MergeCandidate> parts(16, part);
    const auto all = choose_merge(parts, UINT64_MAX);
    ASSERT_TRUE(all);
    EXPECT_EQ(all->end - all->begin, 16u);
    const auto fewer = choose_merge(parts, UINT64_MAX, merge_working_bytes(1000, 7));
    ASSERT_TRUE(fewer);
    EXPECT_EQ(fewer->end - fewer->begin, 7u);
    const auto two = choose_merge(parts, UINT64_MAX, 1);
    ASSERT_TRUE(two);
    EXPECT_EQ(two->end - two->begin, 2u);
}

TEST(Merges, OptimizeFinalMakesOnePartAPartitionAndKeepsEveryRow)
{
    MemoryFileSystem files;
    std::vector<std::string> expected;
    {
        Tables tables(files);
        tables.open(events_metadata());
        for (int i = 0; i < 30; ++i)
        {
            tables.insert(events(static_cast<uint64_t>(i) * 400, 400));
            tables.table->flush(nullptr);
        }
        expected = lines_of(events(0, 12000));
        EXPECT_EQ(tables.table->part_infos().size(), 60u);
        tables.table->optimize({.partition_id = "20241004", .final = true}, tables.service->make_context());
        EXPECT_EQ(tables.table->part_infos().size(), 31u);
        tables.table->optimize({.final = true}, tables.service->make_context());
        const auto infos = tables.table->part_infos();
        ASSERT_EQ(infos.size(), 2u);
        EXPECT_EQ(infos[0].rows + infos[1].rows, 12000u);
        EXPECT_GE(infos[0].level, 1u);
        EXPECT_EQ(tables.rows(all_columns()), expected);
        tables.service->background().run_until_idle();
        // The replaced folders are gone.
        EXPECT_EQ(files.list(tables.table->data_path()).size(), 3u);
        files.power_cut();
    }
    Tables tables(files);
    tables.open(events_metadata(), true);
    EXPECT_EQ(tables.rows(all_columns()), expected);
    EXPECT_EQ(tables.table->part_infos().size(), 2u);
}

TEST(Merges, MergedPartsAreSorted)
{
    MemoryFileSystem files;
    Tables tables(files);
    tables.open(events_metadata());
    for (int i = 0; i < 5; ++i)
        tables.insert(events(static_cast<uint64_t>(i % 3) * 900, 3000, 1));
    tables.table->optimize({.final = true}, tables.service->make_context());
    ScanRequest request;
    request.columns = {"host", "id"};
    auto lines = tables.rows_in_order(request);
    EXPECT_EQ(lines.size(), 15000u);
    std::pair<std::string, uint64_t> last;
    for (const auto& line : lines)
    {
        const size_t bar = line.find('|');
        std::pair<std::string, uint64_t> now{line.substr(0, bar),
                                             std::stoull(line.substr(bar + 1))};
        ASSERT_LE(last, now);
        last = now;
    }
}

TEST(Merges, DeduplicateDropsEqualRowsOnly)
{
    MemoryFileSystem files;
    Tables tables(files);
    tables.open(events_metadata());
    for (int i = 0; i < 3; ++i)
        tables.insert(events(0, 1500));
    tables.insert(events(1000, 1500));
    tables.table->optimize({.final = true, .deduplicate = true}, tables.service->make_context());
    EXPECT_EQ(tables.rows(all_columns()), lines_of(events(0, 2500)));
}

TEST(Merges, BackgroundMergesKeepThePartsFew)
{
    MemoryFileSystem files;
    Tables tables(files);
    tables.open(events_metadata());
    for (int i = 0; i < 60; ++i)
    {
        tables.insert(events(static_cast<uint64_t>(i) * 50, 50, 1));
        tables.table->flush(nullptr);
        tables.service->background().run_until_idle();
    }
    EXPECT_LT(tables.table->part_infos().size(), 15u);
    EXPECT_EQ(tables.rows(all_columns()), lines_of(events(0, 3000, 1)));
}

TEST(Merges, AScanKeepsThePartsItBeganWith)
{
    MemoryFileSystem files;
    Tables tables(files);
    tables.open(events_metadata());
    for (int i = 0; i < 4; ++i)
        tables.insert(events(static_cast<uint64_t>(i) * 2000, 2000, 1));
    const auto scan = tables.table->scan(all_columns(), tables.service->make_context());
    tables.table->optimize({.final = true}, tables.service->make_context());
    tables.service->background().run_until_idle();
    std::vector<std::string> lines;
    for (Block block = scan->next(0); block.rows(); block = scan->next(0))
        Tables::append_lines(block, lines);
    std::sort(lines.begin(), lines.end());
    EXPECT_EQ(lines, lines_of(events(0, 8000, 1)));
}

TEST(Merges, PowerCutsDuringMergesLoseNothing)
{
    for (uint64_t step = 1; step < 90; step += 2)
    {
        SeededRandom random(step);
        MemoryFileSystem disk;
        FaultyFileSystem files(disk, random);
        const auto expected = lines_of(events(0, 1500, 1));
        {
            Tables tables(files);
            tables.open(events_metadata());
            for (int i = 0; i < 5; ++i)
            {
                tables.insert(events(static_cast<uint64_t>(i) * 300, 300, 1));
                tables.table->flush(nullptr);
            }
            FaultPlan plan;
            plan.stop_after_changes = step;
            files.set_plan(plan);
            try
            {
                tables.table->optimize({.final = true}, tables.service->make_context());
                tables.service->log().checkpoint();
                tables.service->background().run_until_idle();
                tables.service->log().checkpoint();
            }
            catch (const Error&)
            {
            }
        }
        disk.power_cut(&random);
        files.set_plan({});
        Tables tables(files);
        tables.open(events_metadata(), true);
        ASSERT_EQ(tables.rows(all_columns()), expected) << "step " << step;
        for (const auto& entry : files.list(tables.table->data_path()))
            ASSERT_FALSE(entry.name.starts_with("tmp_")) << entry.name;
        ASSERT_TRUE(tables.table->detached_part_infos().empty()) << "step " << step;
    }
}

TEST(Merges, AFullDiskFailsTheMergeAndNothingElse)
{
    SeededRandom random(1);
    MemoryFileSystem disk;
    FaultyFileSystem files(disk, random);
    Tables tables(files);
    tables.open(events_metadata());
    for (int i = 0; i < 4; ++i)
        tables.insert(events(static_cast<uint64_t>(i) * 2000, 2000, 1));
    FaultPlan plan;
    plan.space_bytes = 2000;
    files.set_plan(plan);
    EXPECT_THROW(tables.table->optimize({.final = true}, tables.service->make_context()), Error);
    EXPECT_EQ(tables.rows(all_columns()), lines_of(events(0, 8000, 1)));
    EXPECT_THROW(tables.insert(events(0, 500)), Error);
    files.set_plan({});
    tables.insert(events(8000, 500, 1));
    tables.table->optimize({.final = true}, tables.service->make_context());
    EXPECT_EQ(tables.table->part_infos().size(), 1u);
    EXPECT_EQ(tables.rows(all_columns()), lines_of(events(0, 8500, 1)));
}

} // namespace
} // namespace basalt::test
