#include "catalog/catalog.h"

#include "base/error.h"
#include "catalog/function_table.h"
#include "catalog/metadata_files.h"
#include "catalog/view.h"
#include "io/faulty_file_system.h"
#include "io/memory_file_system.h"
#include "sql/ast_create.h"
#include "sql/formatter.h"
#include "sql/parser.h"

#include <gtest/gtest.h>

namespace basalt
{
namespace
{

class StubTable : public Table
{
public:
    explicit StubTable(TableName name, bool* dropped = nullptr)
        : name_(std::move(name)), dropped_(dropped)
    {
    }
    std::string engine_name() const override { return "Stub"; }
    TableMetadataPtr metadata() const override { return std::make_shared<TableMetadata>(); }
    TableName table_name() const override { return name_; }
    std::string uuid() const override { return {}; }
    std::unique_ptr<Scan> scan(const ScanRequest&, QueryContextPtr) override { return nullptr; }
    void rename(const TableName& name) override { name_ = name; }
    void drop() override
    {
        if (dropped_)
            *dropped_ = true;
    }

private:
    TableName name_;
    bool* dropped_;
};

AstPtr create_text(const TableName& name)
{
    return parse_query("CREATE TABLE " + name.database + "." + quote_identifier(name.table) +
                       " (`a` UInt8) ENGINE = Memory");
}
void add(Catalog& catalog, const TableName& name, bool* dropped = nullptr)
{
    catalog.add_table(std::make_shared<StubTable>(name, dropped), create_text(name));
}
TablePtr attach(const std::string& text)
{
    const auto ast = parse_query(text);
    const auto* create = ast->as<AstCreateTable>();
    return std::make_shared<StubTable>(TableName{create->name.database, create->name.table});
}
std::vector<std::string> names(const Catalog& catalog, const std::string& database)
{
    std::vector<std::string> result;
    for (const TablePtr& table : catalog.tables(database))
        result.push_back(table->table_name().table);
    return result;
}
template <class F> int code_of(F&& f)
{
    try
    {
        f();
    }
    catch (const Error& error)
    {
        return error.code();
    }
    return 0;
}

TEST(Catalog, TablesSurviveAPowerCut)
{
    MemoryFileSystem files;
    {
        Catalog catalog(files, "/data");
        catalog.create_database({"shop", "Atomic", "", "it's", false}, false);
        add(catalog, {"default", "plain"});
        add(catalog, {"shop", "with space/and.dot"});
        add(catalog, {"shop", "gone"});
        catalog.drop_table({"shop", "gone"});
    }
    files.power_cut();
    Catalog catalog(files, "/data");
    std::vector<std::string> texts;
    catalog.load(
        [&](const std::string& text)
        {
            texts.push_back(text);
            return attach(text);
        });
    EXPECT_EQ(names(catalog, "default"), (std::vector<std::string>{"plain"}));
    EXPECT_EQ(names(catalog, "shop"), (std::vector<std::string>{"with space/and.dot"}));
    ASSERT_EQ(texts.size(), 2u);
    EXPECT_TRUE(texts[0].starts_with("ATTACH TABLE default.plain"));
    bool found = false;
    for (const DatabaseInfo& database : catalog.databases())
        found = found || (database.name == "shop" && database.comment == "it's");
    EXPECT_TRUE(found);
    EXPECT_TRUE(catalog.load_failures().empty());
    EXPECT_EQ(format_query(*catalog.create_query({"default", "plain"})),
              "CREATE TABLE default.plain (`a` UInt8) ENGINE = Memory");
}

TEST(Catalog, ATableThatCannotBeOpenedIsLeftOutAndListed)
{
    MemoryFileSystem files;
    {
        Catalog catalog(files, "/data");
        add(catalog, {"default", "bad"});
        add(catalog, {"default", "good"});
    }
    Catalog catalog(files, "/data");
    catalog.load(
        [](const std::string& text)
        {
            if (text.find("bad") != std::string::npos)
                throw Error(error_codes::CORRUPTED_DATA, "no");
            return attach(text);
        });
    EXPECT_EQ(names(catalog, "default"), (std::vector<std::string>{"good"}));
    ASSERT_EQ(catalog.load_failures().size(), 1u);
    EXPECT_EQ(catalog.load_failures()[0].name.table, "bad");
}

TEST(Catalog, RenameAndExchangeAreAllOrNothingAtEveryCrashPoint)
{
    for (const bool exchange : {false, true})
        for (uint64_t stop = 0; stop < 64; ++stop)
        {
            MemoryFileSystem memory;
            SeededRandom random(stop);
            FaultyFileSystem files(memory, random);
            Catalog before(files, "/data");
            add(before, {"default", "a"});
            before.create_database({"other", "Atomic", "", "", false}, false);
            before.add_table(std::make_shared<StubTable>(TableName{"other", "b"}),
                             parse_query("CREATE TABLE other.b (`z` String) ENGINE = Memory"));
            FaultPlan plan;
            plan.stop_after_changes = stop;
            files.set_plan(plan);
            bool failed = false;
            try
            {
                if (exchange)
                    before.rename_tables({{{"default", "a"}, {"other", "b"}}}, true);
                else
                    before.rename_tables({{{"default", "a"}, {"default", "a2"}},
                                          {{"other", "b"}, {"default", "b2"}}},
                                         false);
            }
            catch (const Error&)
            {
                failed = true;
            }
            memory.power_cut();
            Catalog after(memory, "/data");
            std::map<std::string, std::string> found;
            after.load(
                [&](const std::string& text)
                {
                    const TablePtr table = attach(text);
                    found[table->table_name().full()] =
                        text.find("`z`") == std::string::npos ? "a" : "b";
                    return table;
                });
            const std::map<std::string, std::string> old{{"default.a", "a"}, {"other.b", "b"}};
            const std::map<std::string, std::string> moved =
                exchange ? std::map<std::string, std::string>{{"default.a", "b"}, {"other.b", "a"}}
                         : std::map<std::string, std::string>{{"default.a2", "a"},
                                                              {"default.b2", "b"}};
            EXPECT_TRUE(found == moved || (failed && found == old)) << "stop " << stop;
            if (!failed)
                break;
            ASSERT_LT(stop, 60u);
        }
}

TEST(Catalog, DroppedDataGoesWhenNobodyReadsIt)
{
    MemoryFileSystem files;
    Catalog catalog(files, "");
    bool dropped = false;
    add(catalog, {"default", "t"}, &dropped);
    TablePtr reader = catalog.get_table({"default", "t"});
    catalog.drop_table({"default", "t"});
    EXPECT_FALSE(dropped);
    EXPECT_EQ(catalog.find_table({"default", "t"}), nullptr);
    reader.reset();
    catalog.sweep_dropped();
    EXPECT_TRUE(dropped);
}

TEST(Catalog, Errors)
{
    MemoryFileSystem files;
    Catalog catalog(files, "");
    add(catalog, {"default", "events"});
    EXPECT_EQ(code_of([&] { catalog.get_table({"nosuch", "t"}); }), error_codes::UNKNOWN_DATABASE);
    EXPECT_EQ(code_of([&] { catalog.get_table({"default", "t"}); }), error_codes::UNKNOWN_TABLE);
    EXPECT_EQ(code_of([&] { add(catalog, {"default", "events"}); }),
              error_codes::TABLE_ALREADY_EXISTS);
    EXPECT_EQ(code_of([&] { catalog.create_database({"default"}, false); }),
              error_codes::DATABASE_ALREADY_EXISTS);
    EXPECT_EQ(code_of([&] { catalog.create_database({std::string(300, 'x')}, false); }),
              error_codes::ARGUMENT_OUT_OF_BOUND);
    EXPECT_EQ(code_of([&] { catalog.drop_database("system", false); }), error_codes::ACCESS_DENIED);
    EXPECT_EQ(code_of([&]
                      { catalog.rename_tables({{{"default", "t"}, {"default", "u"}}}, false); }),
              error_codes::UNKNOWN_TABLE);
    try
    {
        catalog.get_table({"default", "event"});
    }
    catch (const Error& error)
    {
        EXPECT_EQ(error.message(),
                  "Table default.event does not exist. Maybe you meant default.events?");
    }
}

TEST(Catalog, DetachedTablesCanBeFoundAgain)
{
    MemoryFileSystem files;
    Catalog catalog(files, "/data");
    add(catalog, {"default", "t"});
    add(catalog, {"default", "u"});
    catalog.detach_table({"default", "t"}, false);
    catalog.detach_table({"default", "u"}, true);
    EXPECT_EQ(catalog.find_table({"default", "t"}), nullptr);
    EXPECT_EQ(catalog.detached_create_text({"default", "t"}),
              "ATTACH TABLE default.t (`a` UInt8) ENGINE = Memory");
    EXPECT_NE(catalog.detached_create_text({"default", "u"}), "");
    // A restart brings back what was not detached permanently.
    Catalog again(files, "/data");
    again.load(attach);
    EXPECT_EQ(names(again, "default"), (std::vector<std::string>{"t"}));
}

TEST(Catalog, MaterialisedViewsOfATable)
{
    MemoryFileSystem files;
    Catalog catalog(files, "");
    add(catalog, {"default", "src"});
    const AstPtr query = parse_query("SELECT a FROM src");
    EXPECT_EQ(source_of_query(query, "default"), (TableName{"default", "src"}));
    TableCreation creation;
    creation.name = {"default", "mv"};
    creation.metadata = std::make_shared<TableMetadata>();
    catalog.add_table(std::make_shared<MaterializedView>(
                          creation, catalog, query, "default", source_of_query(query, "default"),
                          TableName{"default", "target"}, false),
                      nullptr);
    ASSERT_EQ(catalog.views_of({"default", "src"}).size(), 1u);
    EXPECT_EQ(catalog.views_of({"default", "src"})[0].target.table, "target");
    EXPECT_TRUE(catalog.views_of({"default", "mv"}).empty());
}

TEST(MetadataFiles, NamesAreEscaped)
{
    EXPECT_EQ(escape_file_name("a_B9"), "a_B9");
    EXPECT_EQ(escape_file_name("x/y.z"), "x%2Fy%2Ez");
    for (const std::string name : {"plain", "with space", "../..", "\xD1\x82", "100%"})
        EXPECT_EQ(unescape_file_name(escape_file_name(name)), name);
}

TEST(TableFunctions, SeriesOnOneStreamAndOnMany)
{
    MemoryFileSystem files;
    Catalog catalog(files, "");
    auto context = std::make_shared<QueryContext>();
    auto sum = [&](const std::string& function, std::vector<uint64_t> numbers, size_t streams,
                   uint64_t limit)
    {
        std::vector<TableFunctionArgument> arguments;
        for (const uint64_t number : numbers)
            arguments.push_back({Value(number), simple_type(TypeId::UInt64), nullptr});
        const auto table = (*catalog.find_table_function(function))(arguments, catalog, context);
        ScanRequest request;
        request.columns = {table->metadata()->columns[0].name};
        request.max_streams = streams;
        request.limit = limit;
        auto scan = table->scan(request, context);
        uint64_t total = 0, rows = 0;
        for (size_t stream = 0; stream < scan->stream_count(); ++stream)
            for (Block block = scan->next(stream); block.rows(); block = scan->next(stream))
                for (size_t i = 0; i < block.rows(); ++i, ++rows)
                    total += block[0].column->value_at(i).get<uint64_t>();
        return std::make_pair(total, rows);
    };
    using Pair = std::pair<uint64_t, uint64_t>;
    EXPECT_EQ(sum("numbers", {10}, 4, 0), (Pair{45, 10}));
    EXPECT_EQ(sum("numbers_mt", {200000}, 4, 0), (Pair{19999900000, 200000}));
    EXPECT_EQ(sum("numbers", {5, 10}, 1, 3), (Pair{18, 3}));
    EXPECT_EQ(sum("numbers", {0, 10, 3}, 1, 0), (Pair{18, 4}));
    EXPECT_EQ(sum("NUMBERS", {}, 1, 4), (Pair{6, 4}));
    EXPECT_EQ(sum("zeros", {70000}, 2, 0), (Pair{0, 70000}));
    EXPECT_EQ(sum("generate_series", {3, 9, 3}, 1, 0), (Pair{18, 3}));
    EXPECT_EQ(code_of([&] { sum("numbers", {1, 2, 3, 4}, 1, 0); }),
              error_codes::NUMBER_OF_ARGUMENTS_DOESNT_MATCH);
    EXPECT_EQ(catalog.find_table_function("nosuch"), nullptr);
}

TEST(TableFunctions, SeriesAppliesTheFilterWhole)
{
    MemoryFileSystem files;
    Catalog catalog(files, "");
    auto context = std::make_shared<QueryContext>();
    const auto table = catalog.get_table({"system", "numbers"});
    ScanRequest request;
    request.columns = {"number"};
    request.limit = 5;
    request.filter = Expression::call(
        "greaterOrEquals",
        {Expression::input("number", simple_type(TypeId::UInt64)),
         Expression::constant(simple_type(TypeId::UInt32), Value(uint64_t{100000}))},
        *context);
    auto scan = table->scan(request, context);
    const Block block = scan->next(0);
    ASSERT_EQ(block.width(), 1u);
    ASSERT_GE(block.rows(), 5u); // a block is not cut at the limit
    for (size_t i = 0; i < block.rows(); ++i)
        ASSERT_EQ(block[0].column->value_at(i).get<uint64_t>(), 100000 + i);
    EXPECT_EQ(scan->next(0).rows(), 0u); // the limit is reached
}

} // namespace
} // namespace basalt
