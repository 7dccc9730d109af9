// ARRAY JOIN, gather(), extremes.

#include "plan_fixture.h"

namespace basalt::test
{

namespace
{

const Header kArrays = header_of({{"n", "UInt64"}, {"x", "Array(String)"}, {"y", "Array(UInt8)"}});

Value array_of(size_t n, const auto& item)
{
    ArrayValue array;
    for (size_t i = 0; i < n; ++i)
        array.items.push_back(item(i));
    return array;
}

Rows random_arrays(size_t count, bool equal)
{
    std::mt19937 random(4);
    Rows rows;
    for (uint64_t n = 0; n < count; ++n)
    {
        const size_t length = random() % 4;
        rows.push_back(
            {u(n), array_of(length, [&](size_t i) { return s(std::to_string(n * 10 + i)); }),
             array_of(equal ? length : random() % 4, [](size_t i) { return u(i + 1); })});
    }
    return rows;
}

} // namespace

TEST(ArrayJoin, UnfoldsInStep)
{
    for (const bool left : {false, true})
        for (const bool equal : {false, true})
            for (const bool two : {false, true})
            {
                const Rows rows = random_arrays(100, equal);
                auto node = std::make_unique<ArrayJoinNode>();
                node->inputs.push_back(read_rows(kArrays, rows));
                node->output = header_of({{"n", "UInt64"},
                                          {"x", "String"},
                                          {"y", two ? "UInt8" : "Array(UInt8)"}});
                node->columns = {"x"};
                if (two)
                    node->columns.push_back("y");
                node->left = left;
                Rows expected;
                for (const Row& row : rows)
                {
                    const auto& x = row[1].get<ArrayValue>().items;
                    const auto& y = row[2].get<ArrayValue>().items;
                    size_t length = two ? std::max(x.size(), y.size()) : x.size();
                    if (left)
                        length = std::max<size_t>(length, 1);
                    for (size_t i = 0; i < length; ++i)
                        expected.push_back({row[0], i < x.size() ? x[i] : s(""),
                                            !two             ? row[2]
                                            : i < y.size() ? y[i]
                                                             : u(0)});
                }
                const SettingList unaligned = {{"enable_unaligned_array_join", "1"}};
                if (two && !equal)
                {
                    auto again = std::make_unique<ArrayJoinNode>();
                    again->inputs.push_back(read_rows(kArrays, rows));
                    again->output = node->output;
                    again->columns = node->columns;
                    EXPECT_EQ(error_code_of([&] { run(std::move(again)); }), 190);
                }
                EXPECT_EQ(run(std::move(node), make_context(unaligned)).sorted_lines(),
                          sorted(lines_of(expected)));
            }
}

namespace
{

const Header kNumbers = header_of({{"n", "UInt64"}});

std::shared_ptr<StreamsTable> numbers_table(size_t streams, size_t blocks)
{
    Rows rows;
    for (uint64_t i = 0; i < streams * blocks; ++i)
        rows.push_back({u(i)});
    return std::make_shared<StreamsTable>(kNumbers, dealt(kNumbers, rows, streams, 1));
}

OperatorPtr gathered(PlanNode& plan, const QueryContextPtr& context)
{
    BuildState state;
    state.context = context;
    state.max_threads = 4;
    state.block_rows = 1000;
    return gather(build_operator(plan, state), context);
}

} // namespace

TEST(Gather, ThrowsWhatAStreamThrew)
{
    auto table = numbers_table(4, 20000);
    table->throw_in_stream = 2;
    auto plan = read_node(table, kNumbers);
    const auto context = make_context();
    auto all = gathered(*plan, context);
    EXPECT_EQ(all->stream_count(), 1u);
    EXPECT_EQ(error_code_of(
                  [&]
                  {
                      while (all->next(0).rows() > 0)
                      {
                      }
                  }),
              error_codes::CORRUPTED_DATA);
    EXPECT_EQ(error_code_of([&] { all->next(0); }), error_codes::CORRUPTED_DATA);
    all.reset();
    // The other streams do not go on to their ends.
    EXPECT_LT(table->blocks_given.load(), 80000u);
}

TEST(Gather, MayBeDestroyedEarly)
{
    for (const int pulls : {0, 1, 20})
    {
        auto table = numbers_table(4, 1000);
        auto plan = read_node(table, kNumbers);
        auto all = gathered(*plan, make_context());
        for (int i = 0; i < pulls; ++i)
            EXPECT_EQ(all->next(0).rows(), 1u);
        all.reset();
        EXPECT_LE(table->blocks_given.load(), static_cast<size_t>(pulls) + 8 + 4);
    }
}

TEST(Gather, EndsWithACancelledQuery)
{
    auto plan = read_node(numbers_table(3, 1000), kNumbers);
    const auto context = make_context();
    auto all = gathered(*plan, context);
    all->next(0);
    context->cancel();
    EXPECT_EQ(error_code_of(
                  [&]
                  {
                      while (all->next(0).rows() > 0)
                      {
                      }
                  }),
              error_codes::QUERY_WAS_CANCELLED);
}

TEST(Extremes, SkipNullsAndGoIntoTuples)
{
    const Header header = header_of(
        {{"n", "Nullable(UInt8)"}, {"s", "String"}, {"t", "Tuple(UInt8, Int8)"}, {"f", "Float64"}});
    const auto row = [](Value n, const char* text, uint64_t a, int64_t b, double f)
    { return Row{std::move(n), s(text), TupleValue{{u(a), Value(b)}}, Value(f)}; };
    const Rows rows = {row(Null{}, "b", 1, -1, std::nan("")), row(u(7), "a", 2, -2, 0.5),
                       row(u(3), "c", 0, 0, -1.5)};
    const auto context = make_context({{"extremes", "1"}});
    const Result result = run(read_rows(header, rows, 1, 1), context);
    ASSERT_TRUE(result.extremes);
    EXPECT_EQ(lines_of(*result.extremes),
              lines_of({row(u(3), "a", 0, -2, -1.5), row(u(7), "c", 2, 0, 0.5)}));
    EXPECT_FALSE(run(read_rows(header, {}), context).extremes);
    EXPECT_FALSE(run(read_rows(header, rows)).extremes);
}

} // namespace basalt::test
