#include "table_fixture.h"

#include "base/error.h"
#include "io/faulty_file_system.h"
#include "storage/mergetree/part_rewriter.h"

namespace basalt::test
{
namespace
{

int code_of(const std::function<void()>& action)
{
    try
    {
        action();
    }
    catch (const Error& error)
    {
        return error.code();
    }
    return 0;
}

MutationCommand delete_where(const ExpressionPtr& predicate)
{
    MutationCommand command;
    command.kind = MutationCommand::Kind::Delete;
    command.predicate = predicate;
    command.text = "DELETE WHERE " + predicate->fingerprint();
    return command;
}

MutationCommand update(const std::string& name, const ExpressionPtr& value,
                       const ExpressionPtr& predicate)
{
    MutationCommand command;
    command.kind = MutationCommand::Kind::Update;
    command.updates = {{name, value}};
    command.predicate = predicate;
    command.text = "UPDATE " + name;
    return command;
}

class AlterTest : public ::testing::Test
{
protected:
    void start(uint64_t packed_bytes = 16 << 20)
    {
        options_ = small_options();
        options_.packed_part_bytes = packed_bytes;
        tables_ = std::make_unique<Tables>(files_, options_);
        metadata_ = events_metadata();
        tables_->open(metadata_);
        tables_->insert(events(0, 3000));
        tables_->insert(events(3000, 200));
    }
    // The table as a new server would see it after a power cut.
    void restart()
    {
        files_.power_cut();
        tables_.reset();
        tables_ = std::make_unique<Tables>(files_, options_);
        tables_->open(metadata_, true);
    }
    static std::vector<MutationCommand> column_commands(const TableMetadata& before,
                                                        const TableMetadata& after)
    {
        std::vector<MutationCommand> commands;
        const auto note = [&](MutationCommand::Kind kind, const std::string& name)
        {
            commands.emplace_back();
            commands.back().kind = kind;
            commands.back().name = name;
        };
        for (const auto& column : before.columns)
            if (!after.find_column(column.name))
                note(MutationCommand::Kind::DropColumn, column.name);
        for (const auto& column : after.columns)
            if (!before.find_column(column.name))
                note(MutationCommand::Kind::AddColumn, column.name);
        return commands;
    }
    void alter(const std::function<void(TableMetadata&)>& change,
               std::vector<MutationCommand> commands = {}, const std::string& create_text = "")
    {
        auto changed = std::make_shared<TableMetadata>(*metadata_);
        change(*changed);
        if (commands.empty())
            commands = column_commands(*metadata_, *changed);
        const auto rest = tables_->table->alter_to(changed, commands, create_text,
                                                   tables_->service->make_context());
        if (!rest.empty())
            tables_->table->mutate(rest, true, tables_->service->make_context());
        metadata_ = changed;
    }
    std::vector<std::string> read(std::vector<std::string> columns, ExpressionPtr filter = nullptr)
    {
        ScanRequest request;
        request.columns = std::move(columns);
        request.filter = std::move(filter);
        return tables_->rows(request);
    }
    void mutate(MutationCommand command)
    {
        tables_->table->mutate({std::move(command)}, true, tables_->service->make_context());
    }
    std::vector<std::string> column(std::function<std::string(uint64_t)> of, uint64_t rows = 3200)
    {
        std::vector<std::string> lines;
        for (uint64_t n = 0; n < rows; ++n)
            if (const std::string line = of(n); !line.empty())
                lines.push_back(line);
        std::sort(lines.begin(), lines.end());
        return lines;
    }

    MemoryFileSystem files_;
    StorageOptions options_;
    std::unique_ptr<Tables> tables_;
    std::shared_ptr<TableMetadata> metadata_;
};

TEST_F(AlterTest, AddedColumnsHaveTheirDefaults)
{
    start();
    alter(
        [](TableMetadata& metadata)
        {
            metadata.columns.push_back({"level", type_from_name("String")});
            ColumnDescription twice{"twice", type_from_name("UInt64")};
            twice.default_kind = DefaultKind::Default;
            twice.default_expression =
                call("CAST", {call("multiply", {col("id", "UInt64"), lit(2)}), lit("UInt64")});
            metadata.columns.push_back(twice);
        });
    for (int round = 0; round < 2; ++round)
    {
        EXPECT_EQ(read({"level", "twice"}),
                  column([](uint64_t n) { return "''|" + std::to_string(2 * n); }));
        EXPECT_EQ(read({"id"}, call("equals", {col("twice", "UInt64"), lit(600)})),
                  std::vector<std::string>{"300"});
        tables_->table->optimize({.final = true}, tables_->service->make_context());
        restart();
    }
}

TEST_F(AlterTest, DroppedColumnsDoNotComeBackWithTheirOldValues)
{
    start();
    alter([](TableMetadata& metadata) { metadata.columns.erase(metadata.columns.begin() + 3); });
    EXPECT_EQ(code_of([&] { read({"text"}); }), error_codes::NOT_FOUND_COLUMN_IN_BLOCK);
    restart();
    alter([](TableMetadata& metadata)
          { metadata.columns.push_back({"text", type_from_name("String")}); });
    restart();
    EXPECT_EQ(read({"text"}), column([](uint64_t) { return "''"; }));
}

TEST_F(AlterTest, RenamedColumnsKeepTheirValues)
{
    start();
    MutationCommand rename;
    rename.kind = MutationCommand::Kind::RenameColumn;
    rename.name = "text";
    rename.new_name = "body";
    alter([](TableMetadata& metadata) { metadata.columns[3].name = "body"; }, {rename});
    alter([](TableMetadata& metadata)
          { metadata.columns.push_back({"text", type_from_name("UInt8")}); });
    const auto expected = column([](uint64_t n) {
        return "'message number " + std::to_string(n * 31 % 1000) + "'|0";
    });
    EXPECT_EQ(read({"body", "text"}), expected);
    restart();
    EXPECT_EQ(read({"body", "text"}), expected);
    tables_->table->optimize({.final = true}, tables_->service->make_context());
    EXPECT_EQ(read({"body", "text"}), expected);
}

TEST_F(AlterTest, AColumnDroppedAndAddedByOneAlterIsNew)
{
    start();
    MutationCommand drop, add;
    drop.kind = MutationCommand::Kind::DropColumn;
    drop.name = "text";
    add.kind = MutationCommand::Kind::AddColumn;
    add.name = "text";
    alter([](TableMetadata&) {}, {drop, add});
    const auto expected = column([](uint64_t) { return "''"; });
    EXPECT_EQ(read({"text"}), expected);
    restart();
    EXPECT_EQ(read({"text"}), expected);
    tables_->table->optimize({.final = true}, tables_->service->make_context());
    EXPECT_EQ(read({"text"}), expected);
    tables_->insert(events(0, 200));
    EXPECT_NE(read({"text"}).back(), "''");
}

TEST_F(AlterTest, AnAlterThatWasCutOffIsKnownFromTheLog)
{
    start();
    const auto before = metadata_;
    EXPECT_EQ(tables_->table->logged_create_text(), "");
    MutationCommand rename;
    rename.kind = MutationCommand::Kind::RenameColumn;
    rename.name = "text";
    rename.new_name = "body";
    alter([](TableMetadata& metadata) { metadata.columns[3].name = "body"; }, {rename},
          "CREATE 1");
    alter([](TableMetadata&) {}, {}, "CREATE 2");
    const auto rows = read({"body"});
    const auto after = metadata_;
    for (int i = 0; i < 2; ++i)
    {
        metadata_ = before; // the description was not written before the cut
        restart();
        EXPECT_EQ(tables_->table->logged_create_text(), "CREATE 2");
        tables_->table->finish_alter(after);
        EXPECT_EQ(read({"body"}), rows);
        tables_->service->shutdown(); // with a checkpoint
    }
}

TEST_F(AlterTest, ColumnsThatAMutationNeedsCannotGo)
{
    start();
    const auto failing = call(
        "equals",
        {call("intDiv", {lit(1), call("minus", {col("id", "UInt64"), lit(5)})}), lit(1)});
    EXPECT_EQ(code_of([&] { mutate(update("value", lit(1), failing)); }),
              error_codes::UNFINISHED);
    EXPECT_EQ(code_of([&] { alter([](TableMetadata& m) { m.columns.pop_back(); }); }),
              error_codes::BAD_ARGUMENTS);
    alter([](TableMetadata& m) { m.columns.erase(m.columns.begin() + 3); });
}

TEST_F(AlterTest, ModifiedTypesConvertOnRead)
{
    start();
    alter([](TableMetadata& metadata)
          { metadata.columns[4].type = type_from_name("Nullable(String)"); });
    const auto expected = column(
        [](uint64_t n) { return n % 5 == 0 ? "NULL" : "'" + std::to_string(n % 100) + "'"; });
    EXPECT_EQ(read({"value"}), expected);
    EXPECT_EQ(read({"id"}, call("equals", {col("value", "Nullable(String)"), lit("7")})).size(),
              32u);
    tables_->insert(events(0, 0));
    tables_->table->optimize({.final = true}, tables_->service->make_context());
    restart();
    EXPECT_EQ(read({"value"}), expected);
}

TEST_F(AlterTest, KeysAreProtected)
{
    start();
    EXPECT_EQ(code_of([&] { alter([](TableMetadata& m) { m.columns.erase(m.columns.begin()); }); }),
              error_codes::ALTER_OF_COLUMN_IS_FORBIDDEN);
    EXPECT_EQ(code_of([&] {
                  alter([](TableMetadata& m) { m.columns[2].type = type_from_name("String"); });
              }),
              error_codes::ALTER_OF_COLUMN_IS_FORBIDDEN);
    EXPECT_EQ(code_of([&] { mutate(update("id", lit(1), lit(1))); }),
              error_codes::CANNOT_UPDATE_COLUMN);
    EXPECT_EQ(code_of([&] {
                  alter([](TableMetadata& m)
                        { m.settings = {{"index_granularity", "128"}}; });
              }),
              error_codes::READONLY_SETTING);
}

TEST_F(AlterTest, DeleteAndUpdateRewriteRows)
{
    for (const uint64_t packed : {uint64_t{0}, uint64_t{1} << 30})
    {
        files_.remove_directory_recursive("/data");
        start(packed);
        mutate(delete_where(call("less", {col("id", "UInt64"), lit(1000)})));
        mutate(update("text", lit("changed"),
                      call("equals", {col("host", "LowCardinality(String)"), lit("host-3")})));
        const auto expected = column(
            [](uint64_t n)
            {
                if (n < 1000)
                    return std::string();
                const bool changed = n * 7 % 10 == 3;
                return std::to_string(n) + "|" +
                       (changed ? "'changed'"
                                : "'message number " + std::to_string(n * 31 % 1000) + "'");
            });
        EXPECT_EQ(read({"id", "text"}), expected);
        restart();
        EXPECT_EQ(read({"id", "text"}), expected);
        const auto mutations = tables_->table->mutation_infos();
        ASSERT_EQ(mutations.size(), 2u);
        EXPECT_TRUE(mutations[0].is_done && mutations[1].is_done);
        EXPECT_TRUE(mutations[0].parts_to_do.empty());
        for (const auto& part : tables_->table->part_infos())
            EXPECT_EQ(part.data_version, mutations[1].version);
        // New rows are not touched by old mutations, and merge with the others.
        tables_->insert(events(0, 100));
        tables_->table->optimize({.final = true}, tables_->service->make_context());
        EXPECT_EQ(tables_->table->part_infos().size(), 2u);
        EXPECT_EQ(tables_->count(), 2300u);
        mutate(delete_where(lit(1)));
        EXPECT_EQ(tables_->count(), 0u);
        tables_.reset();
    }
}

TEST_F(AlterTest, AFailingMutationIsReportedAndCanBeKilled)
{
    start();
    const auto failing = call("equals", {call("intDiv", {lit(1), call("minus", {col("id", "UInt64"),
                                                                                lit(5)})}),
                                         lit(1)});
    EXPECT_EQ(code_of([&] { mutate(delete_where(failing)); }), error_codes::UNFINISHED);
    auto infos = tables_->table->mutation_infos();
    ASSERT_EQ(infos.size(), 1u);
    EXPECT_FALSE(infos[0].is_done);
    EXPECT_FALSE(infos[0].latest_fail_reason.empty());
    EXPECT_FALSE(infos[0].parts_to_do.empty());
    EXPECT_FALSE(tables_->table->kill_mutation("mutation_9999.txt"));
    EXPECT_TRUE(tables_->table->kill_mutation(infos[0].id));
    EXPECT_FALSE(tables_->table->kill_mutation(infos[0].id));
    restart();
    EXPECT_TRUE(tables_->table->mutation_infos()[0].is_killed);
    mutate(delete_where(call("less", {col("id", "UInt64"), lit(10)})));
    EXPECT_EQ(tables_->count(), 3190u);
}

TEST_F(AlterTest, MutationsGoOnAfterARestart)
{
    start();
    const auto predicate = call("less", {col("id", "UInt64"), lit(100)});
    tables_->table->mutate({delete_where(predicate)}, false, tables_->service->make_context());
    EXPECT_EQ(tables_->count(), 3200u); // nothing runs in the background here
    restart();
    tables_->service->background().run_until_idle();
    EXPECT_EQ(tables_->count(), 3200u);
    EXPECT_FALSE(tables_->table->mutation_infos()[0].is_done);
    tables_->service->set_mutation_binder(
        [&](const Table&, const std::string& text, QueryContextPtr)
        {
            EXPECT_EQ(text, "DELETE WHERE " + predicate->fingerprint());
            return std::vector<MutationCommand>{delete_where(predicate)};
        });
    tables_->service->background().run_until_idle();
    EXPECT_EQ(tables_->count(), 3100u);
    EXPECT_TRUE(tables_->table->mutation_infos()[0].is_done);
}

TEST_F(AlterTest, MaterializedIndexesWriteOnlyThemselves)
{
    for (const uint64_t packed : {uint64_t{0}, uint64_t{1} << 30})
    {
        files_.remove_directory_recursive("/data");
        start(packed);
        tables_->table->flush(nullptr);
        const auto find = [&](uint64_t* marks)
        {
            ScanRequest request;
            request.columns = {"id"};
            request.filter = call("equals", {col("text", "String"), lit("message number 31")});
            auto context = tables_->service->make_context();
            context->settings.set("basalt_enable_page_statistics", "0");
            const auto scan = tables_->table->scan(request, context);
            *marks = scan->estimate().marks;
            return tables_->rows(request, context);
        };
        uint64_t before = 0, after = 0;
        const auto expected = find(&before);
        alter(
            [](TableMetadata& metadata)
            {
                metadata.indexes = {{"by_text", "text", col("text", "String"), "bloom_filter",
                                     {Value(0.001)}, 1}};
            });
        EXPECT_EQ(find(&after), expected);
        EXPECT_EQ(after, before);
        MutationCommand materialize;
        materialize.kind = MutationCommand::Kind::MaterializeIndex;
        materialize.name = "by_text";
        materialize.text = "MATERIALIZE INDEX by_text";
        const auto size_before = tables_->table->part_infos()[0].columns;
        mutate(materialize);
        EXPECT_EQ(find(&after), expected);
        EXPECT_LT(after, before / 4);
        restart();
        EXPECT_EQ(find(&after), expected);
        EXPECT_LT(after, before / 4);
        EXPECT_EQ(tables_->table->part_infos()[0].indexes.size(), 1u);
        EXPECT_EQ(tables_->rows(all_columns()), lines_of(events(0, 3200)));
        MutationCommand drop = materialize;
        drop.kind = MutationCommand::Kind::DropIndex;
        alter([](TableMetadata& metadata) { metadata.indexes.clear(); }, {drop});
        EXPECT_TRUE(tables_->table->part_infos()[0].indexes.empty());
        EXPECT_EQ(find(&after), expected);
        EXPECT_EQ(tables_->rows(all_columns()), lines_of(events(0, 3200)));
        tables_.reset();
    }
}

TEST_F(AlterTest, PartitionsAreDroppedDetachedAndAttached)
{
    start();
    PartitionCommand command;
    command.partition_id = "20241004";
    command.kind = PartitionCommand::Kind::Detach;
    tables_->table->change_partition(command, nullptr);
    EXPECT_EQ(tables_->count(), 1600u);
    EXPECT_EQ(tables_->table->detached_part_infos().size(), 2u);
    EXPECT_TRUE(tables_->table->detached_part_infos()[0].reason.empty());
    restart();
    EXPECT_EQ(tables_->count(), 1600u);
    command.kind = PartitionCommand::Kind::Attach;
    tables_->table->change_partition(command, nullptr);
    EXPECT_EQ(tables_->count(), 3200u);
    EXPECT_EQ(tables_->rows(all_columns()), lines_of(events(0, 3200)));
    EXPECT_TRUE(tables_->table->detached_part_infos().empty());
    restart();
    EXPECT_EQ(tables_->rows(all_columns()), lines_of(events(0, 3200)));
    command.kind = PartitionCommand::Kind::Drop;
    tables_->table->change_partition(command, nullptr);
    EXPECT_EQ(tables_->count(), 1600u);
    command.is_part = true;
    command.partition_id = "20241004_1_1_0";
    EXPECT_EQ(code_of([&] { tables_->table->change_partition(command, nullptr); }),
              error_codes::NO_SUCH_DATA_PART);
    command.partition_id = tables_->table->part_infos()[0].name;
    const uint64_t rows = tables_->table->part_infos()[0].rows;
    tables_->table->change_partition(command, nullptr);
    EXPECT_EQ(tables_->count(), 1600u - rows);
    tables_->insert(events(0, 50));
    tables_->table->truncate(nullptr);
    EXPECT_EQ(tables_->count(), 0u);
    restart();
    EXPECT_EQ(tables_->count(), 0u);
}

TEST_F(AlterTest, FrozenPartsOutliveTheTable)
{
    start();
    const auto change = [&](PartitionCommand::Kind kind, const std::string& partition)
    {
        PartitionCommand command;
        command.kind = kind;
        command.all = partition.empty();
        command.partition_id = partition;
        command.backup_name = "monday";
        tables_->table->change_partition(command, nullptr);
    };
    change(PartitionCommand::Kind::Freeze, ""); // with the rows of the live buffer
    EXPECT_EQ(code_of([&] { change(PartitionCommand::Kind::Freeze, "20241004"); }),
              error_codes::DIRECTORY_ALREADY_EXISTS);
    change(PartitionCommand::Kind::Drop, "20241004");
    restart();
    EXPECT_EQ(tables_->count(), 1600u);
    // Brought back by hand, as ATTACH of a copy.
    const std::string frozen = "/data/shadow/monday/store/012/0123-uuid";
    const std::string detached = join_path(tables_->table->data_path(), "detached");
    size_t parts = 0;
    for (const auto& entry : files_.list(frozen))
    {
        ++parts;
        if (entry.name.starts_with("20241004"))
            link_folder(files_, join_path(frozen, entry.name), join_path(detached, entry.name));
    }
    EXPECT_EQ(parts, 4u);
    change(PartitionCommand::Kind::Attach, "20241004");
    EXPECT_EQ(tables_->rows(all_columns()), lines_of(events(0, 3200)));
    change(PartitionCommand::Kind::Unfreeze, "20241004");
    EXPECT_EQ(files_.list(frozen).size(), 2u);
    change(PartitionCommand::Kind::Unfreeze, "");
    EXPECT_FALSE(files_.exists("/data/shadow/monday"));
    EXPECT_EQ(tables_->service->next_shadow_name(), "1");
    EXPECT_EQ(tables_->service->next_shadow_name(), "2");
}

// Whatever point the power goes at, the partition is attached or detached, never both: a second ATTACH
// would give its rows twice.
TEST(Partitions, PowerCutsDuringAttachLeaveOneOfTwoStates)
{
    PartitionCommand command;
    command.partition_id = "20241004";
    command.kind = PartitionCommand::Kind::Attach;
    const auto all = lines_of(events(0, 400));
    size_t attached = 0, detached = 0;
    for (uint64_t step = 0; step < 60; ++step)
    {
        SeededRandom random(step);
        MemoryFileSystem disk;
        FaultyFileSystem files(disk, random);
        {
            Tables tables(files);
            tables.open(events_metadata());
            tables.insert(events(0, 400));
            PartitionCommand detach = command;
            detach.kind = PartitionCommand::Kind::Detach;
            tables.table->change_partition(detach, nullptr);
            FaultPlan plan;
            plan.stop_after_changes = step;
            files.set_plan(plan);
            try
            {
                tables.table->change_partition(command, nullptr);
            }
            catch (const Error&)
            {
            }
        }
        disk.power_cut(&random);
        files.set_plan({});
        Tables tables(files);
        tables.open(events_metadata(), true);
        const uint64_t rows = tables.count();
        const auto left = tables.table->detached_part_infos();
        ASSERT_TRUE((rows == 200 && left.size() == 1) || (rows == 400 && left.empty()))
            << "step " << step << ": " << rows << " rows, " << left.size() << " detached";
        ++(rows == 400 ? attached : detached);
        tables.table->change_partition(command, nullptr);
        ASSERT_EQ(tables.rows(all_columns()), all) << "step " << step;
        ASSERT_TRUE(tables.table->detached_part_infos().empty());
    }
    EXPECT_GT(attached, 0u);
    EXPECT_GT(detached, 0u);
}

TEST_F(AlterTest, BrokenPartsAreSetAsideAtStart)
{
    start();
    tables_->table->flush(nullptr);
    const auto infos = tables_->table->part_infos();
    const std::string broken = infos[0].path + kPartFileName;
    const std::string path = tables_->table->data_path();
    tables_->table->shutdown();
    const std::string bytes = files_.read_whole(broken);
    files_.replace_whole(broken, bytes.substr(0, bytes.size() / 2));
    restart();
    EXPECT_EQ(tables_->count(), 3200u - infos[0].rows);
    const auto detached = tables_->table->detached_part_infos();
    ASSERT_EQ(detached.size(), 1u);
    EXPECT_EQ(detached[0].reason, "broken-on-start");
    // A table that the log does not know takes the parts that it finds.
    tables_->table->shutdown();
    files_.remove_directory_recursive("/data/log");
    restart();
    EXPECT_EQ(tables_->count(), 3200u - infos[0].rows);
}

TEST_F(AlterTest, DropRemovesTheDataAndTheLog)
{
    start();
    const std::string path = tables_->table->data_path();
    tables_->table->drop();
    EXPECT_FALSE(files_.exists(path));
    tables_.reset();
    tables_ = std::make_unique<Tables>(files_, options_);
    tables_->open(metadata_);
    EXPECT_EQ(tables_->count(), 0u);
}

} // namespace
} // namespace basalt::test
