#include "plan_fixture.h"

namespace basalt::test
{

namespace
{

const Header kLeft = header_of({{"lk", "Nullable(UInt64)"}, {"ls", "String"}, {"lv", "UInt64"}});
const Header kRight = header_of({{"rk", "Nullable(UInt64)"}, {"rs", "String"}, {"rv", "UInt64"}});

// The third column numbers the rows.
Rows random_rows(size_t count, uint64_t keys, uint32_t seed)
{
    std::mt19937 random(seed);
    Rows rows;
    for (size_t i = 0; i < count; ++i)
        rows.push_back({random() % 8 == 0 ? Value(Null{}) : u(random() % keys),
                        s(std::to_string(random() % 3)), u(i)});
    return rows;
}

struct Case
{
    JoinKind kind = JoinKind::Inner;
    JoinStrictness strictness = JoinStrictness::All;
    bool null_safe = false;
    bool two_keys = false;
    bool condition = false; // lv % 3 <= rv % 3
};

PlanPtr join_of(const Rows& left, const Rows& right, const Case& c, size_t streams)
{
    auto node = std::make_unique<JoinNode>();
    node->inputs.push_back(read_rows(kLeft, left, streams, 5));
    node->inputs.push_back(read_rows(kRight, right, streams, 4));
    node->output = kLeft;
    node->output.insert(node->output.end(), kRight.begin(), kRight.end());
    for (size_t i : {1, 4})
        node->output[i].type = type("Nullable(String)"); // as with join_use_nulls
    node->join = c.kind;
    node->strictness = c.strictness;
    if (c.kind != JoinKind::Cross)
    {
        node->left_keys = {"lk"};
        node->right_keys = {"rk"};
        node->null_safe = {c.null_safe};
        if (c.two_keys)
        {
            node->left_keys.push_back("ls");
            node->right_keys.push_back("rs");
            node->null_safe.push_back(false);
        }
    }
    if (c.condition)
        node->condition =
            call("lessOrEquals", {call("modulo", {col(kLeft, "lv"), lit(3)}),
                                  call("modulo", {col(kRight, "rv"), lit(3)})});
    return node;
}

bool matches(const Row& l, const Row& r, const Case& c)
{
    if (c.condition && l[2].get<uint64_t>() % 3 > r[2].get<uint64_t>() % 3)
        return false;
    if (c.kind == JoinKind::Cross)
        return true;
    if (c.two_keys && l[1] != r[1])
        return false;
    if (l[0].is_null() || r[0].is_null())
        return c.null_safe && l[0].is_null() && r[0].is_null();
    return l[0] == r[0];
}

Row joined(const Row* l, const Row* r)
{
    Row row = l ? *l : Row{Null{}, Null{}, u(0)};
    const Row other = r ? *r : Row{Null{}, Null{}, u(0)};
    row.insert(row.end(), other.begin(), other.end());
    return row;
}

// Everything that ALL gives.
Rows model_all(const Rows& left, const Rows& right, const Case& c)
{
    Rows out;
    std::vector<bool> right_matched(right.size());
    for (const Row& l : left)
    {
        bool matched = false;
        for (size_t r = 0; r < right.size(); ++r)
            if (matches(l, right[r], c))
            {
                out.push_back(joined(&l, &right[r]));
                matched = right_matched[r] = true;
            }
        if (!matched && (c.kind == JoinKind::Left || c.kind == JoinKind::Full))
            out.push_back(joined(&l, nullptr));
    }
    for (size_t r = 0; r < right.size(); ++r)
        if (!right_matched[r] && (c.kind == JoinKind::Right || c.kind == JoinKind::Full))
            out.push_back(joined(nullptr, &right[r]));
    return out;
}

void check_all(const Rows& left, const Rows& right, const Case& c)
{
    for (const size_t streams : {1, 4})
        ASSERT_EQ(run(join_of(left, right, c, streams)).sorted_lines(),
                  sorted(lines_of(model_all(left, right, c))))
            << static_cast<int>(c.kind) << c.null_safe << c.two_keys << c.condition;
}

// Number of the row of the driving side -> lines it may give.
void check_one_partner(const Rows& left, const Rows& right, const Case& c)
{
    const bool from_right = c.kind == JoinKind::Right;
    const Rows& driving = from_right ? right : left;
    const Rows& other = from_right ? left : right;
    for (const size_t streams : {1, 4})
    {
        std::map<uint64_t, Row> got;
        for (const Row& row : run(join_of(left, right, c, streams)).rows)
        {
            const uint64_t n = row[from_right ? 5 : 2].get<uint64_t>();
            ASSERT_TRUE(got.emplace(n, row).second) << "row " << n << " came twice";
        }
        for (const Row& d : driving)
        {
            Lines possible;
            for (const Row& o : other)
                if (from_right ? matches(o, d, c) : matches(d, o, c))
                    possible.push_back(line_of(from_right ? joined(&o, &d) : joined(&d, &o)));
            const bool has_partner = !possible.empty();
            const std::string alone =
                line_of(from_right ? joined(nullptr, &d) : joined(&d, nullptr));
            const auto it = got.find(d[2].get<uint64_t>());
            const bool wanted = c.strictness == JoinStrictness::Any    ? true
                                : c.strictness == JoinStrictness::Semi ? has_partner
                                                                       : !has_partner;
            ASSERT_EQ(it != got.end(), wanted) << line_of(d);
            if (!wanted)
                continue;
            if (c.strictness == JoinStrictness::Anti || !has_partner)
                ASSERT_EQ(line_of(it->second), alone);
            else
                ASSERT_NE(std::find(possible.begin(), possible.end(), line_of(it->second)),
                          possible.end());
        }
    }
}

} // namespace

TEST(Join, AllKindsAgreeWithNestedLoops)
{
    for (const size_t left_rows : {0, 60})
        for (const size_t right_rows : {0, 1, 50})
        {
            const Rows left = random_rows(left_rows, 12, 1), right = random_rows(right_rows, 12, 2);
            for (const JoinKind kind : {JoinKind::Inner, JoinKind::Left, JoinKind::Right,
                                        JoinKind::Full, JoinKind::Cross})
                for (const bool null_safe : {false, true})
                    for (const bool two_keys : {false, true})
                        for (const bool condition : {false, true})
                            ASSERT_NO_FATAL_FAILURE(
                                check_all(left, right,
                                          {kind, JoinStrictness::All, null_safe, two_keys,
                                           condition}));
        }
}

TEST(Join, AnySemiAntiGiveOnePartner)
{
    for (const size_t left_rows : {0, 60})
        for (const size_t right_rows : {0, 50})
        {
            const Rows left = random_rows(left_rows, 12, 3), right = random_rows(right_rows, 12, 4);
            for (const JoinKind kind : {JoinKind::Left, JoinKind::Right})
                for (const auto strictness :
                     {JoinStrictness::Any, JoinStrictness::Semi, JoinStrictness::Anti})
                    for (const bool null_safe : {false, true})
                        for (const bool condition : {false, true})
                            ASSERT_NO_FATAL_FAILURE(
                                check_one_partner(left, right,
                                                  {kind, strictness, null_safe, false, condition}));
        }
}

TEST(Join, AnyInnerGivesEachKeyOnce)
{
    const Rows left = random_rows(60, 12, 5), right = random_rows(50, 12, 6);
    std::map<std::string, int> keys;
    for (const Row& l : left)
        for (const Row& r : right)
            if (matches(l, r, {}))
                keys[l[0].to_text()] = 1;
    for (const size_t streams : {1, 4})
    {
        const Result result =
            run(join_of(left, right, {JoinKind::Inner, JoinStrictness::Any}, streams));
        std::map<std::string, int> got;
        for (const Row& row : result.rows)
        {
            EXPECT_EQ(row[0], row[3]);
            ++got[row[0].to_text()];
        }
        EXPECT_EQ(got, keys);
    }
    EXPECT_EQ(error_code_of(
                  [&] { run(join_of(left, right, {JoinKind::Full, JoinStrictness::Any}, 1)); }),
              48);
}

TEST(Join, ManyPartnersForAKey)
{
    Rows left, right;
    for (uint64_t i = 0; i < 3; ++i)
        left.push_back({u(i % 2), s("l"), u(i)});
    for (uint64_t i = 0; i < 70000; ++i)
        right.push_back({u(0), s("r"), u(i)});
    auto plan = join_of(left, {}, {JoinKind::Full}, 1);
    plan->inputs[1] = read_rows(kRight, right, 2, 5000);
    uint64_t sum = 0, count = 0, alone = 0;
    for (const Row& row : run(std::move(plan)).rows)
    {
        count += !row[3].is_null();
        alone += row[3].is_null();
        sum += row[5].get<uint64_t>();
    }
    EXPECT_EQ(count, 140000u);
    EXPECT_EQ(alone, 1u);
    EXPECT_EQ(sum, uint64_t{70000} * 69999);
}

TEST(Join, ConditionThatDropsWholeBatches)
{
    Rows left = {{u(0), s("l"), u(1)}}, right;
    for (uint64_t i = 0; i < 140000; ++i)
        right.push_back({u(0), s("r"), u(i % 2 == 0 ? i * 3 : i * 3)});
    right.push_back({u(0), s("r"), u(2)}); // the only one with rv % 3 >= 1
    auto plan = join_of(left, {}, {JoinKind::Left, JoinStrictness::All, false, false, true}, 1);
    plan->inputs[1] = read_rows(kRight, right, 2, 5000);
    const Result result = run(std::move(plan));
    ASSERT_EQ(result.rows.size(), 1u);
    EXPECT_EQ(result.rows[0][5], u(2));
}

TEST(Join, AsofFindsTheNearest)
{
    const Header left_header =
        header_of({{"lk", "UInt64"}, {"lt", "Nullable(Int64)"}, {"lv", "UInt64"}});
    const Header right_header =
        header_of({{"rk", "UInt64"}, {"rt", "Nullable(Int64)"}, {"rv", "UInt64"}});
    std::mt19937 random(9);
    const auto make = [&](size_t count)
    {
        Rows rows;
        for (size_t i = 0; i < count; ++i)
            rows.push_back({u(random() % 6),
                            random() % 10 == 0 ? Value(Null{})
                                               : Value(int64_t(random() % 40) - 20),
                            u(i)});
        return rows;
    };
    using Op = JoinNode::AsofOp;
    for (const size_t right_count : {0, 200})
        for (const bool outer : {false, true})
            for (const bool keyed : {true, false})
                for (const Op op : {Op::GreaterOrEquals, Op::Greater, Op::LessOrEquals, Op::Less})
                {
                    const Rows left = make(100), right = make(right_count);
                    auto node = std::make_unique<JoinNode>();
                    node->inputs.push_back(read_rows(left_header, left, 3, 5));
                    node->inputs.push_back(read_rows(right_header, right, 1, 9));
                    node->output = left_header;
                    node->output.insert(node->output.end(), right_header.begin(),
                                        right_header.end());
                    node->join = outer ? JoinKind::Left : JoinKind::Inner;
                    node->strictness = JoinStrictness::Asof;
                    if (keyed)
                    {
                        node->left_keys = {"lk"};
                        node->right_keys = {"rk"};
                    }
                    node->left_keys.push_back("lt");
                    node->right_keys.push_back("rt");
                    node->asof_op = op;
                    Rows expected;
                    for (const Row& l : left)
                    {
                        const Row* best = nullptr;
                        for (const Row& r : right)
                        {
                            if ((keyed && l[0] != r[0]) || l[1].is_null() || r[1].is_null())
                                continue;
                            const int order = order_of(l[1], r[1]);
                            const bool fits = op == Op::GreaterOrEquals ? order >= 0
                                              : op == Op::Greater       ? order > 0
                                              : op == Op::LessOrEquals  ? order <= 0
                                                                        : order < 0;
                            const bool down = op == Op::GreaterOrEquals || op == Op::Greater;
                            if (fits && (!best || (down ? order_of(r[1], (*best)[1]) > 0
                                                        : order_of(r[1], (*best)[1]) < 0)))
                                best = &r;
                        }
                        if (!best && !outer)
                            continue;
                        Row row = l;
                        const Row none = {u(0), Null{}, u(0)};
                        const Row& other = best ? *best : none;
                        row.insert(row.end(), other.begin(), other.end());
                        expected.push_back(row);
                    }
                    EXPECT_EQ(run(std::move(node)).sorted_lines(), sorted(lines_of(expected)))
                        << static_cast<int>(op) << keyed << outer;
                }
}

TEST(Join, LimitsAndMemory)
{
    const Rows left = random_rows(20, 5, 1), right = random_rows(2000, 5, 2);
    const auto with = [&](const SettingList& settings)
    {
        const auto context = make_context(settings);
        const int code = error_code_of([&] { run(join_of(left, right, {}, 4), context); });
        EXPECT_EQ(context->memory.used_bytes(), 0);
        return code;
    };
    EXPECT_EQ(with({{"max_rows_in_join", "100"}}), 191);
    EXPECT_EQ(with({{"max_bytes_in_join", "100"}}), 191);
    EXPECT_EQ(with({{"max_rows_in_join", "100"}, {"join_overflow_mode", "break"}}), 0);
    EXPECT_EQ(with({{"max_memory_usage", "10000"}}), 241);
    EXPECT_EQ(with({}), 0);
}

} // namespace basalt::test
