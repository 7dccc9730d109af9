#include "plan_fixture.h"

namespace basalt::test
{

namespace
{

const Header kInput = header_of({{"k", "UInt64"}, {"t", "Nullable(String)"}, {"v", "UInt64"}});

Rows random_rows(size_t count, uint64_t groups, uint32_t seed = 7)
{
    std::mt19937 random(seed);
    Rows rows;
    for (size_t i = 0; i < count; ++i)
    {
        const uint64_t k = random() % groups;
        rows.push_back({u(k), k % 3 == 0 ? Value(Null{}) : s("t" + std::to_string(k % 4)),
                        u(random() % 1000)});
    }
    return rows;
}

std::unique_ptr<AggregateNode> group_by(PlanPtr input, std::vector<std::string> keys)
{
    auto node = std::make_unique<AggregateNode>();
    const Header header = input->output;
    node->keys = std::move(keys);
    for (const auto& key : node->keys)
        node->output.push_back(header[position_of(header, key)]);
    node->aggregates.push_back(call_of("sum", {"v"}, header, "sum"));
    node->aggregates.push_back(call_of("count", {}, header, "count"));
    node->aggregates.push_back(call_of("uniqExact", {"v"}, header, "uniq"));
    for (const auto& aggregate : node->aggregates)
        node->output.push_back({aggregate.name, aggregate.function->result_type()});
    node->inputs.push_back(std::move(input));
    return node;
}

struct Group
{
    Row key;
    uint64_t sum = 0, count = 0;
    std::map<std::string, int> seen;

    void add(const Row& row)
    {
        sum += row[2].get<uint64_t>();
        ++count;
        ++seen[row[2].to_text()];
    }
    Row result() const
    {
        Row row = key;
        row.push_back(u(sum));
        row.push_back(u(count));
        row.push_back(u(seen.size()));
        return row;
    }
};

std::map<std::string, Group> model(const Rows& rows, const std::vector<size_t>& keys)
{
    std::map<std::string, Group> groups;
    for (const Row& row : rows)
    {
        Row key;
        for (size_t k : keys)
            key.push_back(row[k]);
        Group& group = groups[line_of(key)];
        group.key = key;
        group.add(row);
    }
    return groups;
}

Lines expected(const Rows& rows, const std::vector<size_t>& keys)
{
    Lines lines;
    for (const auto& [text, group] : model(rows, keys))
        lines.push_back(line_of(group.result()));
    return sorted(lines);
}

} // namespace

TEST(Aggregate, FewGroupsOnSeveralStreams)
{
    const Rows rows = random_rows(1000, 20);
    for (size_t streams : {1, 3, 4})
        for (size_t block : {1, 13, 500})
        {
            EXPECT_EQ(run(group_by(read_rows(kInput, rows, streams, block), {"k"})).sorted_lines(),
                      expected(rows, {0}));
            EXPECT_EQ(run(group_by(read_rows(kInput, rows, streams, block), {"t"})).sorted_lines(),
                      expected(rows, {1}));
            EXPECT_EQ(
                run(group_by(read_rows(kInput, rows, streams, block), {"t", "k"})).sorted_lines(),
                expected(rows, {1, 0}));
        }
}

TEST(Aggregate, ManyGroupsAreMergedInParallel)
{
    const Rows rows = random_rows(60000, 30000);
    EXPECT_EQ(run(group_by(read_rows(kInput, rows, 4, 1000), {"k"})).sorted_lines(),
              expected(rows, {0}));
    EXPECT_EQ(run(group_by(read_rows(kInput, rows, 4, 1000), {"t", "k"})).sorted_lines(),
              expected(rows, {1, 0}));
}

TEST(Aggregate, LongRunsOfOneKey)
{
    Rows rows;
    for (uint64_t i = 0; i < 5000; ++i)
        rows.push_back({u(i / 700), Null{}, u(i)});
    EXPECT_EQ(run(group_by(read_rows(kInput, rows, 2, 1000), {"k"})).sorted_lines(),
              expected(rows, {0}));
}

TEST(Aggregate, WithoutKeys)
{
    const Rows rows = random_rows(100, 5);
    EXPECT_EQ(run(group_by(read_rows(kInput, rows), {})).lines(), expected(rows, {}));
    EXPECT_EQ(run(group_by(read_rows(kInput, {}), {})).lines(), (Lines{"0|0|0"}));
    auto none = group_by(read_rows(kInput, {}), {});
    none->no_keys_returns_row = false;
    EXPECT_TRUE(run(std::move(none)).rows.empty());
    EXPECT_TRUE(run(group_by(read_rows(kInput, {}), {"k"})).rows.empty());
}

TEST(Aggregate, GroupingSets)
{
    const Rows rows = random_rows(500, 9);
    for (const bool with_rows : {true, false})
        for (const bool written : {true, false}) // GROUPING SETS or ROLLUP
        {
            auto node = group_by(read_rows(kInput, with_rows ? rows : Rows{}), {"k", "t"});
            node->grouping_sets = {{0, 1}, {0}, {1}, {}};
            node->no_keys_returns_row = written;
            node->output.push_back({kGroupingColumn, type("UInt64")});
            Lines lines;
            if (with_rows)
            {
                for (const auto& [text, g] : model(rows, {0, 1}))
                    lines.push_back(line_of(g.result()) + "|0");
                for (auto& [text, g] : model(rows, {0}))
                    lines.push_back(line_of({g.key[0], Null{}}) + "|" +
                                    line_of(g.result()).substr(text.size() + 1) + "|2");
                for (auto& [text, g] : model(rows, {1}))
                    lines.push_back("0|" + line_of(g.result()) + "|1");
                for (auto& [text, g] : model(rows, {}))
                    lines.push_back("0|NULL|" + line_of(g.result()) + "|3");
            }
            else if (written)
                lines.push_back("0|NULL|0|0|0|3");
            EXPECT_EQ(run(std::move(node)).sorted_lines(), sorted(lines));
        }
}

TEST(Aggregate, TotalsFollowTheirMode)
{
    const Rows rows = random_rows(2000, 40);
    const auto totals_of = [&](const SettingList& settings)
    {
        auto node = group_by(read_rows(kInput, rows, 3, 50), {"k"});
        node->with_totals = true;
        const Header header = node->output;
        auto filter = over<FilterNode>(std::move(node));
        filter->condition = call("less", {col(header, "k"), lit(10)});
        filter->for_totals_too = true;
        const Result result = run(std::move(filter), make_context(settings));
        EXPECT_EQ(result.rows.size(), 10u);
        EXPECT_TRUE(result.totals && result.totals->size() == 1);
        return line_of(result.totals->at(0));
    };
    Group all, small;
    all.key = small.key = {u(0)};
    for (const Row& row : rows)
    {
        all.add(row);
        if (row[0].get<uint64_t>() < 10)
            small.add(row);
    }
    EXPECT_EQ(totals_of({}), line_of(small.result()));
    EXPECT_EQ(totals_of({{"totals_mode", "after_having_inclusive"}}), line_of(small.result()));
    EXPECT_EQ(totals_of({{"totals_mode", "before_having"}}), line_of(all.result()));
}

TEST(Aggregate, TotalsOverManyGroupsAndOverNone)
{
    for (const Rows& rows : {random_rows(50000, 30000), Rows{}})
    {
        auto node = group_by(read_rows(kInput, rows, 4, 1000), {"k"});
        node->with_totals = true;
        Group all;
        all.key = {u(0)};
        for (const Row& row : rows)
            all.add(row);
        const Result result = run(std::move(node));
        ASSERT_TRUE(result.totals);
        EXPECT_EQ(lines_of(*result.totals), Lines{line_of(all.result())});
    }
}

TEST(Aggregate, RowLimitThrowsBreaksOrKeepsTheFirstGroups)
{
    Rows rows;
    for (uint64_t i = 0; i < 100; ++i)
        rows.push_back({u(i % 10), Null{}, u(1)});
    const auto plan = [&](bool totals)
    {
        auto node = group_by(read_rows(kInput, rows, 1, 2), {"k"});
        node->with_totals = totals;
        return node;
    };
    const auto settings = [](const char* mode)
    {
        return make_context({{"max_rows_to_group_by", "3"}, {"group_by_overflow_mode", mode}});
    };
    EXPECT_EQ(error_code_of([&] { run(plan(false), settings("throw")); }), 158);
    EXPECT_EQ(run(plan(false), settings("break")).sorted_lines(),
              (Lines{"0|1|1|1", "1|1|1|1", "2|1|1|1", "3|1|1|1"}));
    const Result any = run(plan(true), settings("any"));
    EXPECT_EQ(any.sorted_lines(), (Lines{"0|10|10|1", "1|10|10|1", "2|10|10|1", "3|10|10|1"}));
    EXPECT_EQ(lines_of(*any.totals), Lines{"0|100|100|1"});
}

TEST(Aggregate, MemoryLimitEndsTheQueryAndIsGivenBack)
{
    const Rows rows = random_rows(40000, 40000);
    const auto narrow = make_context({{"max_memory_usage", "300000"}});
    EXPECT_EQ(
        error_code_of([&] { run(group_by(read_rows(kInput, rows, 4, 1000), {"k"}), narrow); }),
        241);
    EXPECT_EQ(narrow->memory.used_bytes(), 0);

    // One group with a large state; states on the heap are counted with jemalloc only.
    Rows wide;
    for (uint64_t i = 0; i < 100000; ++i)
        wide.push_back({u(0), Null{}, u(i)});
    const auto context = make_context({{"max_memory_usage", "1000000"}});
    const int code =
        error_code_of([&] { run(group_by(read_rows(kInput, wide, 2, 1000), {"k"}), context); });
    EXPECT_EQ(code, thread_heap_bytes() != 0 ? 241 : 0);
    EXPECT_EQ(context->memory.used_bytes(), 0);
}

} // namespace basalt::test
