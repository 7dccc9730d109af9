#include "storage/engines/engines.h"

#include "base/error.h"
#include "table_fixture.h"

namespace basalt::test
{
namespace
{

void insert(StorageService& service, const TablePtr& table, const Block& block)
{
    const auto transaction = service.begin();
    const auto sink = table->write(*transaction, service.make_context());
    sink->write(block);
    sink->finish();
    transaction->commit();
}

std::vector<std::string> read(StorageService& service, const TablePtr& table,
                              ScanRequest request = all_columns())
{
    const auto scan = table->scan(request, service.make_context());
    std::vector<std::string> lines;
    for (size_t stream = 0; stream < scan->stream_count(); ++stream)
        for (Block block = scan->next(stream); block.rows(); block = scan->next(stream))
            Tables::append_lines(block, lines);
    return lines;
}

std::vector<std::string> in_order(const Block& block)
{
    std::vector<std::string> lines;
    Tables::append_lines(block, lines);
    return lines;
}

TEST(Engines, MemoryKeepsRowsUntilTruncated)
{
    MemoryFileSystem files;
    StorageService service(files, small_options());
    const auto table = make_memory_table({"d", "m"}, "u", events_metadata());
    insert(service, table, events(0, 100));
    {
        const auto dropped = service.begin();
        const auto sink = table->write(*dropped, service.make_context());
        sink->write(events(0, 5));
        sink->finish();
    }
    EXPECT_EQ(read(service, table), in_order(events(0, 100)));
    EXPECT_EQ(*table->total_rows(), 100u);
    ScanRequest request;
    request.columns = {"id"};
    request.filter = call("less", {col("id", "UInt64"), lit(10)});
    request.block_rows = 3;
    EXPECT_EQ(read(service, table, request).size(), 10u);
    request.limit = 4;
    EXPECT_EQ(read(service, table, request).size(), 4u);
    table->truncate(nullptr);
    EXPECT_TRUE(read(service, table).empty());
    EXPECT_THROW(table->optimize({}, nullptr), Error);
}

TEST(Engines, NullForgets)
{
    MemoryFileSystem files;
    StorageService service(files, small_options());
    const auto table = make_null_table({"d", "n"}, "u", events_metadata());
    insert(service, table, events(0, 100));
    EXPECT_TRUE(read(service, table).empty());
}

TEST(Engines, LogKeepsTheOrderOfRows)
{
    MemoryFileSystem files;
    auto metadata = events_metadata();
    metadata->partition_key = metadata->sorting_key = metadata->primary_key = {};
    for (int round = 0; round < 2; ++round)
    {
        StorageService service(files, small_options());
        const auto table =
            open_log_table(service, "TinyLog", {"d", "l"}, "log-uuid", metadata, round > 0);
        if (round == 0)
        {
            insert(service, table, events(50, 20));
            table->flush(nullptr);
            insert(service, table, events(0, 20));
            insert(service, table, events(500, 3000));
        }
        auto expected = in_order(events(50, 20));
        for (const Block& block : {events(0, 20), events(500, 3000)})
            for (const auto& line : in_order(block))
                expected.push_back(line);
        EXPECT_EQ(read(service, table), expected);
        files.power_cut();
        if (round == 0)
            continue;
        EXPECT_EQ(table->engine_name(), "TinyLog");
    }
}

TEST(Engines, MergeTreeRefusesWhatItDoesNotKnow)
{
    MemoryFileSystem files;
    StorageService service(files, small_options());
    const auto refused = [&](const std::shared_ptr<TableMetadata>& metadata)
    {
        try
        {
            open_merge_tree_table(service, "MergeTree", {"d", "x"}, "x-uuid", metadata, false);
        }
        catch (const Error& error)
        {
            return error.code();
        }
        return 0;
    };
    auto metadata = events_metadata();
    metadata->settings.emplace_back("no_such_setting", "1");
    EXPECT_EQ(refused(metadata), error_codes::UNKNOWN_SETTING);
    metadata = events_metadata();
    metadata->columns[0].ttl_text = "day + INTERVAL 1 DAY"; // of a key column
    EXPECT_EQ(refused(metadata), error_codes::ILLEGAL_COLUMN);
    metadata = events_metadata(0);
    EXPECT_EQ(refused(metadata), error_codes::BAD_ARGUMENTS);
    metadata = events_metadata();
    metadata->indexes.push_back({"i", "id", col("id", "UInt64"), "no_such_index", {}, 1});
    EXPECT_EQ(refused(metadata), error_codes::INCORRECT_QUERY);
    EXPECT_EQ(refused(events_metadata()), 0);
}

} // namespace
} // namespace basalt::test
