#include "table_fixture.h"

#include "base/error.h"
#include "io/faulty_file_system.h"

namespace basalt::test
{
namespace
{

TEST(MergeTree, SmallInsertsAreVisibleAtOnceAndSurviveAPowerCut)
{
    MemoryFileSystem files;
    const auto expected = lines_of(events(0, 300));
    {
        Tables tables(files);
        tables.open(events_metadata());
        for (int i = 0; i < 30; ++i)
            tables.insert(events(static_cast<uint64_t>(i) * 10, 10));
        EXPECT_EQ(tables.rows(all_columns()), expected);
        EXPECT_TRUE(tables.table->part_infos().empty());
        EXPECT_EQ(*tables.table->total_rows(), 300u);
        files.power_cut();
    }
    Tables tables(files);
    tables.open(events_metadata(), true);
    EXPECT_EQ(tables.rows(all_columns()), expected);
    tables.table->flush(nullptr);
    EXPECT_EQ(tables.rows(all_columns()), expected);
    EXPECT_EQ(tables.table->part_infos().size(), 2u); // days
    EXPECT_EQ(tables.table->live_buffer_info().rows, 0u);
}

TEST(MergeTree, LargeInsertsBecomePartsAndSurvive)
{
    MemoryFileSystem files;
    const auto expected = lines_of(events(0, 20000));
    for (int round = 0; round < 3; ++round)
    {
        Tables tables(files);
        tables.open(events_metadata(), round > 0);
        if (round == 0)
            tables.insert(events(0, 20000));
        EXPECT_EQ(tables.rows(all_columns()), expected);
        EXPECT_EQ(tables.table->part_infos().size(), 8u);
        if (round == 1)
            tables.service->log().checkpoint();
        files.power_cut();
    }
}

TEST(MergeTree, WideAndPackedPartsReadTheSame)
{
    for (const uint64_t packed_bytes : {uint64_t{0}, uint64_t{1} << 30})
    {
        MemoryFileSystem files;
        StorageOptions options = small_options();
        options.packed_part_bytes = packed_bytes;
        options.insert_part_rows = 200000;
        Tables tables(files, options);
        tables.open(events_metadata(8192));
        tables.insert(events(0, 150000, 1));
        EXPECT_EQ(tables.table->part_infos()[0].packed, packed_bytes != 0);
        EXPECT_EQ(tables.rows(all_columns()), lines_of(events(0, 150000, 1)));
    }
}

TEST(MergeTree, PartsOfWholePagesAreFoundByKey)
{
    for (const uint64_t pages : {1, 2, 3})
    {
        MemoryFileSystem files;
        StorageOptions options = small_options();
        options.insert_part_rows = 1000000;
        Tables tables(files, options);
        tables.open(events_metadata(8192));
        const uint64_t rows = pages * 65536;
        {
            const auto transaction = tables.service->begin();
            const auto sink = tables.table->write(*transaction, tables.service->make_context());
            sink->write(events(0, rows, 1));
            sink->finish();
            transaction->commit();
        }
        for (const uint64_t id : {uint64_t{0}, rows / 2, rows - 1})
        {
            ScanRequest request;
            request.columns = {"id"};
            request.filter =
                call("and", {call("equals", {col("host", "LowCardinality(String)"),
                                             lit("host-" + std::to_string(id * 7 % 10))}),
                             call("equals", {col("id", "UInt64"), lit(id)})});
            EXPECT_EQ(tables.rows(request), std::vector<std::string>{std::to_string(id)})
                << pages << " pages";
        }
    }
}

TEST(MergeTree, AbandonedInsertsLeaveNothing)
{
    MemoryFileSystem files;
    Tables tables(files);
    tables.open(events_metadata());
    {
        const auto transaction = tables.service->begin();
        const auto sink = tables.table->write(*transaction, tables.service->make_context());
        sink->write(events(0, 900));
        sink->write(events(900, 9000));
    }
    {
        const auto transaction = tables.service->begin();
        const auto sink = tables.table->write(*transaction, tables.service->make_context());
        sink->write(events(0, 9000));
        sink->finish();
    }
    EXPECT_EQ(tables.count(), 0u);
    for (const auto& entry : files.list(tables.table->data_path()))
        EXPECT_EQ(entry.name, "detached");
}

TEST(MergeTree, StreamsOfOneTransactionInsertTogether)
{
    for (const uint64_t rows_each : {uint64_t{200}, uint64_t{9000}})
    {
        MemoryFileSystem files;
        Tables tables(files);
        tables.open(events_metadata());
        constexpr uint64_t kStreams = 3;
        {
            const auto transaction = tables.service->begin();
            std::vector<std::unique_ptr<TableSink>> sinks;
            for (uint64_t s = 0; s < kStreams; ++s)
                sinks.push_back(tables.table->write(*transaction, tables.service->make_context()));
            run_parallel(kStreams,
                         [&](size_t s)
                         {
                             for (uint64_t at = 0; at < rows_each; at += 100)
                                 sinks[s]->write(events(s * rows_each + at, 100));
                         });
            for (const auto& sink : sinks)
            {
                EXPECT_EQ(tables.count(), 0u);
                sink->finish();
            }
            // A table may be written to again in the same transaction.
            const auto more = tables.table->write(*transaction, tables.service->make_context());
            more->write(events(kStreams * rows_each, 50));
            more->finish();
            transaction->commit();
        }
        EXPECT_EQ(tables.rows(all_columns()), lines_of(events(0, kStreams * rows_each + 50)));
    }
}

TEST(MergeTree, WithoutAKeyRowsStayInTheOrderInWhichTheyCame)
{
    MemoryFileSystem files;
    Tables tables(files);
    auto metadata = std::make_shared<TableMetadata>(*events_metadata());
    metadata->partition_key = metadata->sorting_key = metadata->primary_key = {};
    tables.open(metadata);
    constexpr uint64_t kRows = 40000; // of eight parts
    tables.insert(events(0, kRows));
    ScanRequest request;
    request.columns = {"_part", "_part_offset", "id"};
    std::map<std::pair<uint64_t, uint64_t>, uint64_t> ids; // by block number, place in the part
    for (const auto& line : tables.rows(request)) // 'all_3_3_0'|17|4017
    {
        const size_t offset_at = line.find('|') + 1;
        ids[{std::stoull(line.substr(5)), std::stoull(line.substr(offset_at))}] =
            std::stoull(line.substr(line.find('|', offset_at) + 1));
    }
    ASSERT_EQ(ids.size(), kRows);
    uint64_t expected = 0;
    for (const auto& [place, id] : ids)
        ASSERT_EQ(id, expected++);
}

TEST(MergeTree, FiltersReadOnlyWhatTheyNeed)
{
    MemoryFileSystem files;
    Tables tables(files);
    tables.open(events_metadata());
    tables.insert(events(0, 20000));
    tables.insert(events(20000, 500));
    const auto filter =
        call("and", {call("equals", {col("host", "LowCardinality(String)"), lit("host-3")}),
                     call("less", {col("id", "UInt64"), lit(2000)})});
    ScanRequest request = all_columns();
    request.filter = filter;
    std::vector<std::string> expected;
    const Block block = events(0, 2000);
    Mask mask(2000);
    size_t kept = 0;
    for (size_t i = 0; i < 2000; ++i)
        kept += mask[i] = i * 7 % 10 == 3;
    EXPECT_EQ(tables.rows(request), lines_of(block.filter(mask, kept)));
    request.columns = {"text"};
    request.max_streams = 4;
    EXPECT_EQ(tables.rows(request).size(), kept);
    request.columns.clear();
    EXPECT_EQ(tables.rows(request).size(), kept);
    request.limit = 7;
    EXPECT_EQ(tables.rows(request).size(), 7u);
}

TEST(MergeTree, OrderedStreamsAreSortedBothWays)
{
    MemoryFileSystem files;
    Tables tables(files);
    tables.open(events_metadata());
    tables.insert(events(0, 8000, 3));
    tables.insert(events(8000, 300));
    for (const bool descending : {false, true})
        for (const size_t streams : {1, 2, 5})
        {
            ScanRequest request;
            request.columns = {"host", "id"};
            request.max_streams = streams;
            request.order_prefix = 2;
            request.order_descending = descending;
            const auto scan = tables.table->scan(request, tables.service->make_context());
            size_t total = 0;
            for (size_t stream = 0; stream < scan->stream_count(); ++stream)
            {
                std::optional<std::pair<std::string, uint64_t>> last;
                for (Block block = scan->next(stream); block.rows(); block = scan->next(stream))
                    for (size_t row = 0; row < block.rows(); ++row)
                    {
                        std::pair<std::string, uint64_t> now{
                            block[0].column->value_at(row).get<std::string>(),
                            block[1].column->value_at(row).get<uint64_t>()};
                        if (last)
                        {
                            ASSERT_TRUE(descending ? *last >= now : *last <= now);
                        }
                        last = now;
                        ++total;
                    }
            }
            EXPECT_EQ(total, 8300u);
        }
}

TEST(MergeTree, RowsAreFetchedByTheirIds)
{
    MemoryFileSystem files;
    Tables tables(files);
    tables.open(events_metadata());
    tables.insert(events(0, 9000));
    tables.insert(events(9000, 100));
    ScanRequest request;
    request.columns = {"id"};
    request.with_row_ids = true;
    request.filter = call("equals", {call("modulo", {col("id", "UInt64"), lit(97)}), lit(5)});
    const auto scan = tables.table->scan(request, tables.service->make_context());
    PodVector<uint64_t> ids, wanted;
    for (Block block = scan->next(0); block.rows(); block = scan->next(0))
        for (size_t row = 0; row < block.rows(); ++row)
        {
            wanted.push_back(block[0].column->value_at(row).get<uint64_t>());
            ids.push_back(block[1].column->value_at(row).get<uint64_t>());
        }
    ASSERT_GT(ids.size(), 90u);
    std::reverse(ids.begin(), ids.end());
    std::reverse(wanted.begin(), wanted.end());
    ids.push_back(ids[3]); // twice
    wanted.push_back(wanted[3]);
    const Block fetched = scan->fetch(ids, {"id", "text"});
    ASSERT_EQ(fetched.rows(), ids.size());
    for (size_t row = 0; row < fetched.rows(); ++row)
    {
        EXPECT_EQ(fetched[0].column->value_at(row), Value(wanted[row]));
        EXPECT_EQ(fetched[1].column->value_at(row),
                  Value("message number " + std::to_string(wanted[row] * 31 % 1000)));
    }
}

TEST(MergeTree, VirtualColumnsNameThePart)
{
    MemoryFileSystem files;
    Tables tables(files);
    tables.open(events_metadata());
    tables.insert(events(0, 2000));
    ScanRequest request;
    request.columns = {"_part", "_partition_id", "_part_offset"};
    request.filter =
        call("equals", {col("_part_offset", "UInt64"), lit(10)});
    EXPECT_EQ(tables.rows(request),
              (std::vector<std::string>{"'20241004_1_1_0'|'20241004'|10",
                                        "'20241005_2_2_0'|'20241005'|10"}));
}

// Whatever moment the power fails at: every acknowledged insert is there, whole; a large insert
// that was not acknowledged shows all of its rows or none.
TEST(MergeTree, SurvivesPowerCutsAtEveryStep)
{
    for (uint64_t step = 1; step < 150; step += 1)
    {
        SeededRandom random(step);
        MemoryFileSystem disk;
        FaultyFileSystem files(disk, random);
        uint64_t next = 0;
        std::vector<std::pair<uint64_t, uint64_t>> acknowledged, perhaps; // first, rows
        for (int round = 0; round < 3; ++round)
        {
            FaultPlan plan;
            plan.stop_after_changes = round == 2 ? UINT64_MAX : step;
            files.set_plan(plan);
            try
            {
                Tables tables(files);
                tables.open(events_metadata(), round > 0);
                ScanRequest request;
                request.columns = {"id"};
                std::set<uint64_t> seen;
                for (const auto& line : tables.rows(request))
                    ASSERT_TRUE(seen.insert(std::stoull(line)).second) << "step " << step;
                const auto present = [&](const auto& range)
                {
                    size_t found = 0;
                    for (uint64_t n = 0; n < range.second; ++n)
                        found += seen.erase(range.first + n);
                    return found;
                };
                for (const auto& range : acknowledged)
                    ASSERT_EQ(present(range), range.second) << "step " << step;
                for (const auto& range : perhaps)
                {
                    const size_t found = present(range);
                    ASSERT_TRUE(found == 0 || found == range.second) << "step " << step;
                    if (found)
                        acknowledged.push_back(range);
                }
                perhaps.clear();
                ASSERT_TRUE(seen.empty());
                for (int i = 0; i < 6; ++i)
                {
                    const uint64_t rows = i == 3 ? 6000 : 20;
                    perhaps.emplace_back(next, rows);
                    next += rows;
                    tables.insert(events(perhaps.back().first, rows));
                    acknowledged.push_back(perhaps.back());
                    perhaps.pop_back();
                    if (i == 1)
                        tables.table->flush(nullptr);
                    if (i == 4)
                        tables.service->log().checkpoint();
                }
            }
            catch (const Error&)
            {
            }
            disk.power_cut(&random);
        }
    }
}

} // namespace
} // namespace basalt::test
