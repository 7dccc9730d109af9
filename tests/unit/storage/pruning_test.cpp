#include "table_fixture.h"

#include "base/error.h"

namespace basalt::test
{
namespace
{

std::shared_ptr<TableMetadata> indexed_metadata(size_t granule)
{
    auto metadata = events_metadata(granule);
    metadata->columns.push_back({"at", type_from_name("DateTime64(3)")});
    metadata->columns.push_back({"tags", type_from_name("Array(String)")});
    metadata->partition_key = {
        "toYYYYMM(at)", {call("toYYYYMM", {col("at", "DateTime64(3)")})}, {}};
    metadata->sorting_key = {"host, toStartOfHour(at), id",
                             {col("host", "LowCardinality(String)"),
                              call("toStartOfHour", {col("at", "DateTime64(3)")}),
                              col("id", "UInt64")},
                             {}};
    metadata->primary_key = metadata->sorting_key;
    metadata->indexes = {
        {"by_text", "text", col("text", "String"), "bloom_filter", {Value(0.01)}, 1},
        {"by_value", "value", col("value", "Nullable(Float64)"), "minmax", {}, 2},
        {"by_day", "day", col("day", "Date"), "set", {Value(uint64_t{3})}, 1},
        {"by_length", "length(text)", call("length", {col("text", "String")}), "set",
         {Value(uint64_t{10})}, 3},
        {"by_tags", "tags", col("tags", "Array(String)"), "bloom_filter", {}, 2}};
    return metadata;
}

Block random_rows(SeededRandom& random, size_t rows)
{
    Block block = events(random.next_u64() % 3000, rows, 5);
    auto at = std::make_shared<VectorColumn<int64_t>>();
    auto tags = type_from_name("Array(String)")->create_column();
    for (size_t i = 0; i < rows; ++i)
    {
        at->data().push_back(static_cast<int64_t>(1700000000000 + random.next_u64() % 8000000000));
        ArrayValue array;
        for (uint64_t n = random.next_u64() % 3; n > 0; --n)
            array.items.push_back(Value("tag" + std::to_string(random.next_u64() % 50)));
        tags->append_value(array);
    }
    block.add({at, type_from_name("DateTime64(3)"), "at"});
    block.add({tags, type_from_name("Array(String)"), "tags"});
    return block;
}

class Predicates
{
public:
    explicit Predicates(SeededRandom& random) : random_(random) {}

    ExpressionPtr make(size_t depth)
    {
        const uint64_t what = pick(depth ? 10 : 6);
        if (what == 6)
            return call("not", {make(depth - 1)});
        if (what >= 7)
            return call(what == 7 ? "or" : "and", {make(depth - 1), make(depth - 1)});
        return leaf();
    }

private:
    uint64_t pick(uint64_t n) { return random_.next_u64() % n; }
    std::string comparison()
    {
        static const char* const kNames[] = {"equals", "notEquals",     "less",
                                             "greater", "lessOrEquals", "greaterOrEquals"};
        return kNames[pick(6)];
    }
    ExpressionPtr set_of(const std::string& type, const Values& values)
    {
        const TypePtr member = type_from_name(type);
        auto column = member->create_column();
        for (const auto& value : values)
            column->append_value(value);
        return Expression::constant_column(
            std::make_shared<SetColumn>(make_value_set({member}, {column}, nullptr)),
            simple_type(TypeId::Set), "set");
    }
    std::string time_text()
    {
        return "2023-1" + std::to_string(pick(3)) + "-" + std::to_string(10 + pick(19)) + " 0" +
               std::to_string(pick(9)) + ":00:00";
    }
    ExpressionPtr leaf()
    {
        const auto host = col("host", "LowCardinality(String)");
        const auto id = col("id", "UInt64");
        const auto text = col("text", "String");
        const auto value = col("value", "Nullable(Float64)");
        const auto day = col("day", "Date");
        const auto at = col("at", "DateTime64(3)");
        const auto message = "message number " + std::to_string(pick(1100));
        switch (pick(20))
        {
        case 0:
            return call(comparison(), {host, lit("host-" + std::to_string(pick(11)))});
        case 1:
            return call(comparison(), {id, lit(pick(4000))});
        case 2:
            return call(comparison(), {lit(pick(4000)), id});
        case 3:
            return call(pick(2) ? "equals" : "notEquals", {text, lit(message)});
        case 4:
            return call(comparison(), {value, lit(pick(110))});
        case 5:
            return call(comparison(), {day, lit("2024-10-0" + std::to_string(3 + pick(7)))});
        case 6:
            return call(comparison(), {at, lit(time_text())});
        case 7:
            return call("like", {text, lit("message number " + std::to_string(pick(99)) + "%")});
        case 8:
            return call(pick(2) ? "like" : "notLike", {host, lit("host-%")});
        case 9:
            return call("startsWith", {host, lit("host-" + std::to_string(pick(9)))});
        case 10:
            return call(pick(2) ? "in" : "notIn",
                        {id, set_of("UInt64", {Value(pick(3000)), Value(pick(3000)),
                                               Value(pick(9000))})});
        case 11:
            return call(pick(2) ? "in" : "notIn",
                        {text, set_of("String", {Value(message), Value(std::string("other"))})});
        case 12:
            return call(pick(2) ? "isNull" : "isNotNull", {value});
        case 13:
            return call("has", {col("tags", "Array(String)"),
                                lit("tag" + std::to_string(pick(60)))});
        case 14:
            return call(comparison(), {call("length", {text}), lit(15 + pick(5))});
        case 15:
            return call(comparison(), {call("toDate", {at}), lit("2023-1" +
                                                                 std::to_string(pick(3)) + "-15")});
        case 16:
            return call(comparison(), {call("toYYYYMM", {at}), lit(202310 + pick(4))});
        case 17:
            return call(comparison(), {call("minus", {id, lit(pick(2000))}), lit(pick(2000))});
        case 18:
            return call(comparison(), {call("intDiv", {id, lit(1 + pick(9))}), lit(pick(900))});
        default:
            return call(comparison(),
                        {call("toStartOfHour", {at}), lit(time_text())});
        }
    }

    SeededRandom& random_;
};

QueryContextPtr without_pruning(const StorageService& service)
{
    auto context = service.make_context();
    context->settings.set("basalt_enable_key_pruning", "0");
    context->settings.set("basalt_enable_page_statistics", "0");
    context->settings.set("use_skip_indexes", "0");
    return context;
}

// Pruning never changes an answer: random conditions give the same rows with and without it.
TEST(Pruning, NeverChangesAnAnswer)
{
    for (uint64_t seed = 1; seed <= 6; ++seed)
    {
        SeededRandom random(seed);
        MemoryFileSystem files;
        StorageOptions options = small_options();
        options.packed_part_bytes = seed % 2 ? 0 : 1 << 20;
        Tables tables(files, options);
        tables.open(indexed_metadata(seed % 3 ? 16 : 128));
        for (int i = 0; i < 3; ++i)
            tables.insert(random_rows(random, 2500));
        tables.insert(random_rows(random, 100)); // live
        Predicates predicates(random);
        size_t pruned = 0;
        for (int i = 0; i < 150; ++i)
        {
            ScanRequest request;
            request.columns = {"id", "text", "at"};
            request.filter = predicates.make(i % 4);
            const auto plain = tables.rows(request, without_pruning(*tables.service));
            const auto context = tables.service->make_context();
            ASSERT_EQ(tables.rows(request, context), plain)
                << "seed " << seed << " " << request.filter->fingerprint();
            pruned += context->read_rows < 7600;
        }
        EXPECT_GT(pruned, 30u) << "seed " << seed;
    }
}

TEST(Pruning, CountOverAKeyRangeReadsTwoGranulesAtMost)
{
    MemoryFileSystem files;
    StorageOptions options = small_options();
    options.insert_part_rows = 100000;
    Tables tables(files, options);
    tables.open(events_metadata(128));
    tables.insert(events(0, 60000, 1));
    ScanRequest request;
    request.filter =
        call("and", {call("equals", {col("host", "LowCardinality(String)"), lit("host-7")}),
                     call("and", {call("greaterOrEquals", {col("id", "UInt64"), lit(10000)}),
                                  call("less", {col("id", "UInt64"), lit(50000)})})});
    const auto context = tables.service->make_context();
    EXPECT_EQ(tables.rows(request, context).size(), 4000u);
    EXPECT_LE(context->read_rows.load(), 257u);
    EXPECT_GT(context->read_rows.load(), 0u);
}

TEST(Pruning, ExplainsEachIndex)
{
    MemoryFileSystem files;
    Tables tables(files);
    auto metadata = events_metadata(64);
    metadata->indexes = {
        {"by_text", "text", col("text", "String"), "bloom_filter", {Value(0.001)}, 2}};
    tables.open(metadata);
    tables.insert(events(0, 4000, 4));
    ScanRequest request;
    request.filter =
        call("and", {call("equals", {col("day", "Date"), lit("2024-10-05")}),
                     call("and", {call("equals", {col("host", "LowCardinality(String)"),
                                                  lit("host-7")}),
                                  call("equals", {col("text", "String"),
                                                  lit("message number 31")})})});
    const auto scan = tables.table->scan(request, tables.service->make_context());
    const auto uses = scan->index_use();
    ASSERT_EQ(uses.size(), 4u);
    EXPECT_EQ(uses[0].type, "Min-Max");
    EXPECT_EQ(uses[0].condition, "(day in [20001, 20001])");
    EXPECT_EQ(uses[0].parts_before, 4u);
    EXPECT_EQ(uses[0].parts_after, 1u);
    EXPECT_EQ(uses[0].keys, std::vector<std::string>{"day"});
    EXPECT_EQ(uses[1].type, "Partition");
    EXPECT_EQ(uses[2].type, "PrimaryKey");
    EXPECT_EQ(uses[2].condition, "(host in ['host-7', 'host-7'])");
    EXPECT_EQ(uses[2].keys, std::vector<std::string>{"host"});
    EXPECT_LT(uses[2].granules_after, uses[2].granules_before);
    EXPECT_EQ(uses[3].type, "Skip");
    EXPECT_EQ(uses[3].name, "by_text");
    EXPECT_EQ(uses[3].description, "bloom_filter GRANULARITY 2");
    EXPECT_LE(uses[3].granules_after, uses[3].granules_before);
    EXPECT_EQ(scan->estimate().marks, uses[3].granules_after);
}

TEST(Pruning, ForcedKeysMustBeUsed)
{
    MemoryFileSystem files;
    Tables tables(files);
    tables.open(events_metadata());
    tables.insert(events(0, 2000));
    const auto code_of = [&](const char* setting, const ExpressionPtr& filter)
    {
        auto context = tables.service->make_context();
        context->settings.set(setting, "1");
        ScanRequest request;
        request.filter = filter;
        try
        {
            tables.table->scan(request, context);
        }
        catch (const Error& error)
        {
            return error.code();
        }
        return 0;
    };
    const auto by_text = call("equals", {col("text", "String"), lit("x")});
    const auto by_host = call("equals", {col("host", "LowCardinality(String)"), lit("x")});
    const auto by_day = call("equals", {col("day", "Date"), lit("2024-10-05")});
    EXPECT_EQ(code_of("force_primary_key", by_text), error_codes::INDEX_NOT_USED);
    EXPECT_EQ(code_of("force_primary_key", by_host), 0);
    EXPECT_EQ(code_of("force_index_by_date", by_host), error_codes::INDEX_NOT_USED);
    EXPECT_EQ(code_of("force_index_by_date", by_day), 0);
}

TEST(Pruning, BoundOfATopQuerySkipsPages)
{
    MemoryFileSystem files;
    StorageOptions options = small_options();
    options.insert_part_rows = 70000;
    Tables tables(files, options);
    auto metadata = events_metadata(8192);
    tables.open(metadata);
    for (int i = 0; i < 4; ++i)
        tables.insert(events(static_cast<uint64_t>(i) * 70000, 70000, 1));
    ScanRequest request;
    request.columns = {"id"};
    request.top_bound = std::make_shared<TopBound>();
    request.top_bound->column = "id";
    request.top_bound->descending = true;
    const auto context = tables.service->make_context();
    const auto scan = tables.table->scan(request, context);
    uint64_t best = 0;
    for (Block block = scan->next(0); block.rows(); block = scan->next(0))
    {
        for (size_t row = 0; row < block.rows(); ++row)
            best = std::max(best, block[0].column->value_at(row).get<uint64_t>());
        std::lock_guard lock(request.top_bound->mutex);
        request.top_bound->value = Value(best);
        request.top_bound->is_set = true;
    }
    EXPECT_EQ(best, 279999u);
    EXPECT_LT(context->read_rows.load(), 150000u);
}

// What a scan returns under a bound that is tightened as rows come, both directions, with blocks of
// any size: at least the best rows, and of a merged part few others.
TEST(Pruning, BoundOfATopQueryReadsGranules)
{
    MemoryFileSystem files;
    StorageOptions options = small_options();
    options.insert_part_rows = 400000;
    Tables tables(files, options);
    tables.open(events_metadata(1024));
    tables.insert(events(0, 300000, 1));
    constexpr size_t kBest = 20;
    for (const bool descending : {false, true})
        for (const size_t block_rows : {size_t{65409}, size_t{100}, size_t{3}})
        {
            ScanRequest request;
            request.columns = {"id"};
            request.block_rows = block_rows;
            request.top_bound = std::make_shared<TopBound>();
            request.top_bound->column = "id";
            request.top_bound->descending = descending;
            const auto context = tables.service->make_context();
            const auto scan = tables.table->scan(request, context);
            std::vector<uint64_t> best;
            size_t returned = 0;
            for (Block block = scan->next(0); block.rows(); block = scan->next(0))
            {
                const ColumnPtr ids = to_flat(block[0].column);
                for (size_t row = 0; row < block.rows(); ++row)
                    best.push_back(ids->value_at(row).get<uint64_t>());
                returned += block.rows();
                std::sort(best.begin(), best.end());
                if (descending)
                    std::reverse(best.begin(), best.end());
                if (best.size() < kBest)
                    continue;
                best.resize(kBest);
                std::lock_guard lock(request.top_bound->mutex);
                request.top_bound->value = Value(best.back());
                request.top_bound->is_set = true;
            }
            ASSERT_EQ(best.size(), kBest);
            for (size_t i = 0; i < kBest; ++i)
                EXPECT_EQ(best[i], descending ? 299999 - i : i);
            EXPECT_LT(returned, 5000u);
            EXPECT_LT(context->read_rows.load(), 40000u);
        }
}

} // namespace
} // namespace basalt::test
