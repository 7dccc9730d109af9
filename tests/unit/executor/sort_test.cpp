#include "plan_fixture.h"

namespace basalt::test
{

namespace
{

const Header kInput = header_of({{"a", "Nullable(UInt8)"}, {"b", "UInt64"}, {"c", "String"}});

Rows random_rows(size_t count, uint32_t seed)
{
    std::mt19937 random(seed);
    Rows rows;
    for (size_t i = 0; i < count; ++i)
        rows.push_back({random() % 6 == 0 ? Value(Null{}) : u(random() % 5), u(random() % 50),
                        s("c" + std::to_string(random() % 3))});
    return rows;
}

int compare(const Value& x, const Value& y, const OrderKey& key)
{
    if (x.is_null() || y.is_null())
        return x.is_null() && y.is_null() ? 0 : x.is_null() == key.nulls_first ? -1 : 1;
    const int order = order_of(x, y);
    return key.descending ? -order : order;
}

const std::vector<OrderKey> kKeys = {
    {"a", false, false, ""}, {"b", true, false, ""}, {"c", false, false, ""}};

bool before(const Row& x, const Row& y, const std::vector<OrderKey>& keys)
{
    for (const auto& key : keys)
        if (const size_t c = position_of(kInput, key.column); int order = compare(x[c], y[c], key))
            return order < 0;
    return false;
}

Rows model_sorted(Rows rows, const std::vector<OrderKey>& keys)
{
    std::stable_sort(rows.begin(), rows.end(),
                     [&](const Row& x, const Row& y) { return before(x, y, keys); });
    return rows;
}

PlanPtr sort_of(PlanPtr input, std::vector<OrderKey> keys, uint64_t limit)
{
    auto node = over<SortNode>(std::move(input));
    node->keys = std::move(keys);
    node->limit = limit;
    return node;
}

std::unique_ptr<LimitNode> limit_of(PlanPtr input, uint64_t limit, uint64_t offset)
{
    auto node = over<LimitNode>(std::move(input));
    node->limit = limit;
    node->offset = offset;
    return node;
}

Rows cut(const Rows& rows, size_t offset, size_t limit)
{
    Rows out;
    for (size_t i = offset; i < rows.size() && out.size() < limit; ++i)
        out.push_back(rows[i]);
    return out;
}

} // namespace

TEST(Sort, WithAndWithoutLimit)
{
    for (const size_t count : {0, 1, 100, 3000})
        for (const uint64_t limit : {0, 1, 10, 500, 5000})
            for (const bool nulls_first : {false, true})
            {
                const Rows rows = random_rows(count, 5);
                auto keys = kKeys; // all columns: one right answer
                keys[0].nulls_first = nulls_first;
                keys[0].descending = nulls_first;
                const Rows expected =
                    cut(model_sorted(rows, keys), 0, limit ? limit : SIZE_MAX);
                const auto context = make_context({{"max_block_size", "100"}});
                auto plan = sort_of(read_rows(kInput, rows, 4, 64), keys, limit);
                EXPECT_EQ(run(std::move(plan), context).lines(), lines_of(expected));
                EXPECT_EQ(context->memory.used_bytes(), 0);
            }
}

TEST(Sort, SortedStreamsAreMerged)
{
    Rows rows = model_sorted(random_rows(500, 6), kKeys);
    Streams streams(3); // every third row, so each stream is in order
    for (size_t start = 0; start < 3; ++start)
    {
        Rows part;
        for (size_t i = start; i < rows.size(); i += 3)
            part.push_back(rows[i]);
        streams[start] = dealt(kInput, part, 1, 20)[0];
    }
    auto table = std::make_shared<StreamsTable>(kInput, streams);
    auto node = over<SortNode>(read_node(table, kInput));
    node->keys = kKeys;
    node->sorted_prefix = 3;
    node->limit = 100;
    EXPECT_EQ(run(std::move(node)).lines(), lines_of(cut(rows, 0, 100)));
}

TEST(Sort, TellsTheScanItsBound)
{
    const Header header = header_of({{"n", "UInt64"}});
    for (const bool descending : {false, true})
    {
        Rows rows;
        std::mt19937 random(3);
        for (size_t i = 0; i < 5000; ++i)
            rows.push_back({u(random() % 100000)});
        auto read = read_rows(header, rows, 4, 100);
        auto bound = std::make_shared<TopBound>();
        bound->column = "n";
        bound->descending = descending;
        static_cast<ReadNode&>(*read).request.top_bound = bound;
        auto node = over<SortNode>(std::move(read));
        node->keys = {{"n", descending, false, ""}};
        node->limit = 20;
        const Result result = run(std::move(node));
        std::sort(rows.begin(), rows.end(),
                  [&](const Row& x, const Row& y)
                  { return descending ? order_of(y[0], x[0]) < 0 : order_of(x[0], y[0]) < 0; });
        EXPECT_EQ(result.lines(), lines_of(cut(rows, 0, 20)));
        ASSERT_TRUE(bound->is_set.load());
        // At worst the bound of the best stream: never inside the answer.
        const uint64_t value = bound->value.get<uint64_t>();
        const uint64_t last = rows[19][0].get<uint64_t>();
        EXPECT_TRUE(descending ? value <= last : value >= last);
    }
}

TEST(Limit, OffsetsAndTies)
{
    const Rows rows = model_sorted(random_rows(300, 8), kKeys);
    const std::vector<OrderKey> tie_keys = {kKeys[0]};
    for (const uint64_t limit : {0, 1, 10, 299, 1000})
        for (const uint64_t offset : {0, 1, 50, 299, 300, 400})
        {
            auto sorted_input = [&] { return read_rows(kInput, rows, 1, 7); };
            EXPECT_EQ(run(limit_of(sorted_input(), limit, offset)).lines(),
                      lines_of(cut(rows, offset, limit)));
            auto only_offset = limit_of(sorted_input(), 0, offset);
            only_offset->has_limit = false;
            EXPECT_EQ(run(std::move(only_offset)).lines(),
                      lines_of(cut(rows, offset, SIZE_MAX)));
            auto ties = limit_of(sorted_input(), limit, offset);
            ties->with_ties = tie_keys;
            Rows expected = cut(rows, offset, limit);
            for (size_t i = offset + limit; limit && i < rows.size(); ++i)
                if (compare(rows[i][0], expected.back()[0], tie_keys[0]) == 0)
                    expected.push_back(rows[i]);
                else
                    break;
            EXPECT_EQ(run(std::move(ties)).lines(), lines_of(expected))
                << limit << " " << offset;
        }
}

TEST(Limit, CountsTheRowsBeforeTheOutermost)
{
    const Rows rows = random_rows(100, 9);
    const auto inner = [&] { return limit_of(read_rows(kInput, rows, 1, 100), 30, 0); };
    EXPECT_EQ(run(inner()).rows_before_limit, 100u);
    EXPECT_EQ(run(limit_of(inner(), 2, 0)).rows_before_limit, 30u);
    EXPECT_EQ(run(limit_of(sort_of(read_rows(kInput, rows), kKeys, 3), 3, 0)).rows_before_limit,
              100u);
    EXPECT_EQ(run(read_rows(kInput, rows)).rows_before_limit, std::nullopt);
}

TEST(LimitBy, KeepsTheFirstOfEachKey)
{
    const Rows rows = random_rows(400, 10);
    for (const uint64_t limit : {0, 1, 3})
        for (const uint64_t offset : {0, 2})
        {
            auto node = over<LimitByNode>(read_rows(kInput, rows, 1, 9));
            node->keys = {"a", "c"};
            node->limit = limit;
            node->offset = offset;
            std::map<std::string, uint64_t> seen;
            Rows expected;
            for (const Row& row : rows)
            {
                const uint64_t n = seen[line_of({row[0], row[2]})]++;
                if (n >= offset && n < offset + limit)
                    expected.push_back(row);
            }
            EXPECT_EQ(run(std::move(node)).lines(), lines_of(expected));
        }
}

TEST(Distinct, AllColumnsAndKeys)
{
    const Rows rows = random_rows(3000, 11);
    std::map<std::string, int> whole, keys;
    for (const Row& row : rows)
    {
        ++whole[line_of(row)];
        ++keys[line_of({row[0], row[2]})];
    }
    Lines expected;
    for (const auto& [line, n] : whole)
        expected.push_back(line);
    EXPECT_EQ(run(over<DistinctNode>(read_rows(kInput, rows, 4, 50))).sorted_lines(),
              sorted(expected));
    auto by_keys = over<DistinctNode>(read_rows(kInput, rows, 4, 50));
    by_keys->keys = {"c", "a"};
    std::map<std::string, int> got;
    const Result result = run(std::move(by_keys));
    for (const Row& row : result.rows)
        ++got[line_of({row[0], row[2]})];
    EXPECT_EQ(got.size(), keys.size());
    EXPECT_EQ(result.rows.size(), keys.size());
    auto limited = over<DistinctNode>(read_rows(kInput, rows, 1, 1));
    limited->limit = 5;
    EXPECT_EQ(run(std::move(limited)).rows.size(), 5u);
}

TEST(Union, ByPositionFromAllStreams)
{
    const Rows x = random_rows(50, 12), y = random_rows(70, 13);
    auto node = std::make_unique<UnionNode>();
    node->output = header_of({{"p", "Nullable(UInt8)"}, {"q", "UInt64"}, {"r", "String"}});
    node->inputs.push_back(read_rows(kInput, x, 4, 3));
    node->inputs.push_back(read_rows(kInput, y, 3, 3));
    node->inputs.push_back(read_rows(kInput, {}, 2));
    Rows all = x;
    all.insert(all.end(), y.begin(), y.end());
    EXPECT_EQ(run(std::move(node)).sorted_lines(), sorted(lines_of(all)));
}

TEST(SetOperations, AllAndDistinct)
{
    for (const size_t left_count : {0, 200})
        for (const size_t right_count : {0, 60})
            for (const bool except : {false, true})
                for (const bool all : {false, true})
                {
                    const Rows left = random_rows(left_count, 14);
                    const Rows right = random_rows(right_count, 15);
                    const Header one = header_of({{"a", "Nullable(UInt8)"}, {"c", "String"}});
                    const auto part = [](const Rows& rows)
                    {
                        Rows out;
                        for (const Row& row : rows)
                            out.push_back({row[0], row[2]});
                        return out;
                    };
                    auto node = std::make_unique<SetOperationNode>();
                    node->output = one;
                    node->except = except;
                    node->all = all;
                    node->inputs.push_back(read_rows(one, part(left)));
                    node->inputs.push_back(read_rows(one, part(right)));
                    std::map<std::string, std::pair<size_t, size_t>> counts;
                    for (const Row& row : part(left))
                        ++counts[line_of(row)].first;
                    for (const Row& row : part(right))
                        ++counts[line_of(row)].second;
                    Lines expected;
                    for (const auto& [line, n] : counts)
                    {
                        size_t times = except ? n.first - std::min(n.first, n.second)
                                              : std::min(n.first, n.second);
                        if (!all)
                            times = n.first && (n.second == 0) == except;
                        expected.insert(expected.end(), times, line);
                    }
                    EXPECT_EQ(run(std::move(node)).sorted_lines(), sorted(expected));
                }
}

TEST(SizeLimits, SortAndDistinctThrowOrBreak)
{
    const Header header = header_of({{"n", "UInt64"}});
    Rows rows;
    for (uint64_t i = 0; i < 100; ++i)
        rows.push_back({u(i)});
    const auto sort_with = [&](const SettingList& settings)
    {
        auto node = over<SortNode>(read_rows(header, rows, 1, 2));
        node->keys = {{"n", true, false, ""}};
        return run(std::move(node), make_context(settings)).lines();
    };
    const auto distinct_with = [&](const SettingList& settings)
    {
        return run(over<DistinctNode>(read_rows(header, rows, 1, 2)), make_context(settings))
            .lines();
    };
    EXPECT_EQ(error_code_of([&] { sort_with({{"max_rows_to_sort", "3"}}); }), 396);
    EXPECT_EQ(error_code_of([&] { sort_with({{"max_bytes_to_sort", "3"}}); }), 396);
    EXPECT_EQ(sort_with({{"max_rows_to_sort", "3"}, {"sort_overflow_mode", "break"}}),
              (Lines{"3", "2", "1", "0"}));
    EXPECT_EQ(error_code_of([&] { distinct_with({{"max_rows_in_distinct", "3"}}); }), 191);
    EXPECT_EQ(error_code_of([&] { distinct_with({{"max_bytes_in_distinct", "3"}}); }), 191);
    EXPECT_EQ(distinct_with({{"max_rows_in_distinct", "3"}, {"distinct_overflow_mode", "break"}}),
              (Lines{"0", "1", "2", "3"}));
    EXPECT_EQ(error_code_of([&] { sort_with({{"max_memory_usage", "500"}}); }), 241);
    EXPECT_EQ(error_code_of([&] { distinct_with({{"max_memory_usage", "500"}}); }), 241);
}

} // namespace basalt::test
