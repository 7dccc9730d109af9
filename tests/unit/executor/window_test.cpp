#include "plan_fixture.h"

namespace basalt::test
{

namespace
{

const Header kInput = header_of({{"p", "UInt8"}, {"o", "Int64"}, {"n", "UInt64"}});

Rows random_rows(size_t count)
{
    std::mt19937 random(21);
    Rows rows;
    for (size_t i = 0; i < count; ++i)
        rows.push_back({u(random() % 4), Value(int64_t(random() % 30) - 10), u(i)});
    return rows;
}

struct Case
{
    WindowFrame frame;
    bool descending = false;
    bool partitioned = true;
    bool ordered = true;
};

PlanPtr window_of(const Rows& rows, const Case& c, WindowCall call)
{
    auto node = over<WindowNode>(read_rows(kInput, rows, 3, 11));
    if (c.partitioned)
        node->partition_by = {"p"};
    if (c.ordered)
    {
        node->order_by = {"o"};
        node->descending = {c.descending};
        node->nulls_first = {false};
    }
    node->frame = c.frame;
    node->output.push_back({call.name, call.type});
    node->calls.push_back(std::move(call));
    return node;
}

WindowCall aggregate_call(const std::string& function)
{
    WindowCall call;
    call.aggregate = aggregate_functions().get(function, {type("UInt64")}, {});
    call.arguments = {"n"};
    call.type = call.aggregate->result_type();
    call.name = "w";
    return call;
}

// Distance in ORDER BY's direction from row x to row y.
int64_t distance(const Row& x, const Row& y, bool descending)
{
    const int64_t d = y[1].get<int64_t>() - x[1].get<int64_t>();
    return descending ? -d : d;
}

using Bound = WindowFrame::Bound;

// For RANGE: is y at or after the begin bound, at or before the end bound of x's frame?
bool in_range(const Row& x, const Row& y, const Case& c)
{
    const int64_t d = c.ordered ? distance(x, y, c.descending) : 0;
    const auto edge = [](Bound bound, const Value& offset)
    {
        const auto n = offset.is_null() ? 0 : static_cast<int64_t>(offset.get<uint64_t>());
        return bound == Bound::Preceding ? -n : bound == Bound::Following ? n : 0;
    };
    const bool from = c.frame.begin == Bound::UnboundedPreceding ||
                      d >= edge(c.frame.begin, c.frame.begin_offset);
    const bool to =
        c.frame.end == Bound::UnboundedFollowing || d <= edge(c.frame.end, c.frame.end_offset);
    return from && to;
}

WindowFrame frame_of(WindowFrame::Unit unit, Bound begin, uint64_t begin_offset, Bound end,
                     uint64_t end_offset)
{
    return {unit, begin, end, u(begin_offset), u(end_offset)};
}

} // namespace

TEST(Window, RangeFramesAgreeWithTheirDefinition)
{
    const Rows rows = random_rows(150);
    using Unit = WindowFrame::Unit;
    const std::vector<WindowFrame> frames = {
        {},
        frame_of(Unit::Range, Bound::UnboundedPreceding, 0, Bound::UnboundedFollowing, 0),
        frame_of(Unit::Range, Bound::Current, 0, Bound::UnboundedFollowing, 0),
        frame_of(Unit::Range, Bound::Current, 0, Bound::Current, 0),
        frame_of(Unit::Range, Bound::Preceding, 3, Bound::Following, 2),
        frame_of(Unit::Range, Bound::Preceding, 5, Bound::Preceding, 2),
        frame_of(Unit::Range, Bound::Following, 1, Bound::Following, 4),
    };
    for (const auto& frame : frames)
        for (const bool descending : {false, true})
            for (const bool partitioned : {false, true})
            {
                const Case c{frame, descending, partitioned};
                Rows expected;
                for (const Row& x : rows)
                {
                    uint64_t sum = 0;
                    for (const Row& y : rows)
                        if ((!partitioned || x[0] == y[0]) && in_range(x, y, c))
                            sum += y[2].get<uint64_t>();
                    Row row = x;
                    row.push_back(u(sum));
                    expected.push_back(row);
                }
                EXPECT_EQ(run(window_of(rows, c, aggregate_call("sum"))).sorted_lines(),
                          sorted(lines_of(expected)));
            }
}

TEST(Window, RangeOffsetsAreExactForLargeNumbers)
{
    const int64_t base = int64_t{1} << 60;
    Rows rows;
    for (int64_t i = 0; i < 5; ++i)
        rows.push_back({u(0), Value(base + i), u(1)});
    const Case c{frame_of(WindowFrame::Unit::Range, Bound::Preceding, 1, Bound::Current, 0)};
    const Result result = run(window_of(rows, c, aggregate_call("sum")));
    Lines sums;
    for (const Row& row : result.rows)
        sums.push_back(row[3].to_text());
    EXPECT_EQ(sums, (Lines{"1", "2", "2", "2", "2"}));
}

namespace
{

// Rows of each partition in the window's order; "n" tells equal ones apart in `found`.
std::map<std::string, Rows> partitions_of(const Result& result)
{
    std::map<std::string, Rows> partitions;
    for (const Row& row : result.rows)
        partitions[row[0].to_text()].push_back(row);
    return partitions;
}

} // namespace

TEST(Window, RowsFramesCountRows)
{
    const Rows rows = random_rows(120);
    using Unit = WindowFrame::Unit;
    struct Offsets
    {
        Bound begin;
        int64_t from;
        Bound end;
        int64_t to;
    };
    for (const Offsets& o : std::vector<Offsets>{
             {Bound::Preceding, -2, Bound::Following, 1},
             {Bound::Preceding, -5, Bound::Preceding, -2},
             {Bound::Following, 1, Bound::Following, 100},
             {Bound::UnboundedPreceding, -1000, Bound::Current, 0},
             {Bound::Current, 0, Bound::UnboundedFollowing, 1000}})
        for (const char* function : {"sum", "max", "uniqExact", "quantileExact"})
        {
            const Case c{frame_of(Unit::Rows, o.begin, static_cast<uint64_t>(std::abs(o.from)),
                                  o.end, static_cast<uint64_t>(std::abs(o.to)))};
            // The executor's order is taken from the result, rows are distinguished by n.
            const Result result = run(window_of(rows, c, aggregate_call(function)));
            ASSERT_EQ(result.rows.size(), rows.size());
            const auto aggregate = aggregate_call(function).aggregate;
            for (const auto& [key, part] : partitions_of(result))
                for (size_t i = 0; i < part.size(); ++i)
                {
                    ASSERT_GE(distance(part[i ? i - 1 : 0], part[i], false), 0);
                    auto values = type("UInt64")->create_column();
                    for (int64_t k = std::max<int64_t>(0, int64_t(i) + o.from);
                         k <= int64_t(i) + o.to && k < int64_t(part.size()); ++k)
                        values->append_value(part[static_cast<size_t>(k)][2]);
                    Arena arena;
                    char* place =
                        arena.allocate(aggregate->state_size(), aggregate->state_alignment());
                    aggregate->create_state(place);
                    const Column* argument = values.get();
                    aggregate->add_range(place, {&argument, 1}, 0, values->size(), arena);
                    auto out = aggregate->result_type()->create_column();
                    aggregate->append_result(place, *out, arena);
                    aggregate->destroy_state(place);
                    ASSERT_EQ(part[i][3].to_text(), out->value_at(0).to_text())
                        << function << " row " << i;
                }
        }
}

TEST(Window, RanksAndOffsets)
{
    const Rows rows = random_rows(100);
    const auto run_call = [&](const std::string& function, Values constants,
                              const std::string& result_type)
    {
        WindowCall call;
        call.function = function;
        call.constants = std::move(constants);
        call.type = type(result_type);
        call.name = "w";
        call.arguments = {"n"};
        return partitions_of(run(window_of(rows, {}, std::move(call))));
    };
    for (const char* function : {"row_number", "rank", "dense_rank", "ntile", "lag", "lead"})
    {
        const std::string f = function;
        const Values constants = f == "ntile" ? Values{u(3)}
                                 : f[0] == 'l' ? Values{u(2), u(77)}
                                               : Values{};
        for (const auto& [key, part] : run_call(f, constants, "UInt64"))
        {
            uint64_t rank = 0, dense = 0;
            for (size_t i = 0; i < part.size(); ++i)
            {
                if (i == 0 || part[i][1] != part[i - 1][1])
                {
                    rank = i + 1;
                    ++dense;
                }
                uint64_t expected = i + 1;
                if (f == "rank")
                    expected = rank;
                else if (f == "dense_rank")
                    expected = dense;
                else if (f == "lag")
                    expected = i >= 2 ? part[i - 2][2].get<uint64_t>() : 77;
                else if (f == "lead")
                    expected = i + 2 < part.size() ? part[i + 2][2].get<uint64_t>() : 77;
                else if (f == "ntile")
                {
                    // Buckets differ by at most one row, larger ones first.
                    const size_t small = part.size() / 3, large = part.size() % 3;
                    size_t left = i;
                    expected = 1;
                    for (size_t b = 0;; ++b, ++expected)
                    {
                        const size_t size = small + (b < large);
                        if (left < size)
                            break;
                        left -= size;
                    }
                }
                ASSERT_EQ(part[i][3].get<uint64_t>(), expected) << f << " row " << i;
            }
        }
    }
}

TEST(Window, NoRowsAndMemory)
{
    EXPECT_TRUE(run(window_of({}, {}, aggregate_call("sum"))).rows.empty());
    const auto context = make_context({{"max_memory_usage", "1000"}});
    EXPECT_EQ(error_code_of(
                  [&] { run(window_of(random_rows(1000), {}, aggregate_call("sum")), context); }),
              241);
    EXPECT_EQ(context->memory.used_bytes(), 0);
}

} // namespace basalt::test
