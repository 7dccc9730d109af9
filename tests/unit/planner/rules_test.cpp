#include "tests/unit/planner/plan_fixture.h"

namespace basalt
{
namespace
{

using RulesTest = PlanTest;

TEST_F(RulesTest, FiltersReachTheScan)
{
    QueryPlan p = plan("SELECT pod FROM (SELECT pod, ts * 2 AS x FROM logs) WHERE x > 10 AND pod = 'a'");
    const ScanRequest& request = read_of(p)->request;
    ASSERT_TRUE(request.filter);
    EXPECT_EQ(request.filter->fingerprint(),
              "and(greater(multiply(ts, 2_UInt8), 10_UInt8), equals(pod, 'a'_String))")
        << request.filter->fingerprint();
    EXPECT_EQ(request.columns, (std::vector<std::string>{"pod"}));
    EXPECT_EQ(find<FilterNode>(*p.root, PlanKind::Filter), nullptr);
    EXPECT_EQ(steps("SELECT pod FROM logs WHERE ts = 1"),
              "Expression\n  ReadFromMergeTree (default.logs)\n");

    context_->settings.set("query_plan_filter_push_down", "0");
    p = plan("SELECT pod FROM logs WHERE ts = 1");
    EXPECT_FALSE(read_of(p)->request.filter);
    EXPECT_TRUE(find<FilterNode>(*p.root, PlanKind::Filter));
}

TEST_F(RulesTest, FiltersStopWhereTheyMust)
{
    // Behind LIMIT, behind aggregates, behind windows over everything.
    for (const char* query :
         {"SELECT * FROM (SELECT ts FROM logs LIMIT 3) WHERE ts > 1",
          "SELECT * FROM (SELECT pod, count() AS c FROM logs GROUP BY pod) WHERE c > 1",
          "SELECT * FROM (SELECT ts, row_number() OVER (ORDER BY ts) AS r FROM logs) WHERE ts > 1",
          "SELECT l.ts FROM logs l LEFT JOIN pods p ON l.pod = p.pod WHERE p.node = 0"})
    {
        QueryPlan p = plan(query);
        EXPECT_TRUE(find<FilterNode>(*p.root, PlanKind::Filter)) << query;
    }
    // By keys they pass.
    QueryPlan p = plan("SELECT * FROM (SELECT pod, count() AS c FROM logs GROUP BY pod) WHERE pod = 'a'");
    EXPECT_TRUE(read_of(p)->request.filter);
    // Totals are of all groups.
    p = plan("SELECT * FROM (SELECT pod, count() AS c FROM logs GROUP BY pod WITH TOTALS) "
             "WHERE pod = 'a'");
    EXPECT_FALSE(read_of(p)->request.filter);
}

TEST_F(RulesTest, OnlyNeededBytesOfTextsAreRead)
{
    const auto needed = [&](const std::string& query)
    {
        QueryPlan p = plan(query);
        const auto& bytes = read_of(p)->request.prefix_bytes;
        return bytes.empty() ? 0 : bytes.at(0);
    };
    EXPECT_EQ(needed("SELECT substring(message, 1, 20) AS p, count() FROM logs GROUP BY p"), 20u);
    EXPECT_EQ(needed("SELECT left(message, 7), substring(message, 1, 3) FROM logs"), 7u);
    EXPECT_EQ(needed("SELECT countIf(startsWith(message, 'GET')) FROM logs"), 3u);
    EXPECT_EQ(needed("SELECT upper(substring(message, 1, 0)) FROM logs"), 1u);
    for (const char* query :
         {"SELECT substring(message, 2, 20) FROM logs", "SELECT substring(message, 1, -2) FROM logs",
          "SELECT left(message, 7), length(message) FROM logs",
          "SELECT left(message, ts) FROM logs", "SELECT left(concat(message, 'a'), 7) FROM logs",
          "SELECT left(message, 7), message FROM logs",
          "SELECT arrayMap(x -> concat(x, message), [left(message, 7)]) FROM logs",
          "SELECT substring(message, 1, 20) FROM logs ORDER BY pod, ts LIMIT 3"})
        EXPECT_EQ(needed(query), 0u) << query;
    context_->settings.set("basalt_read_text_prefixes", "0");
    EXPECT_EQ(needed("SELECT left(message, 7) FROM logs"), 0u);
}

TEST_F(RulesTest, CrossJoinsBecomeHashJoins)
{
    QueryPlan p = plan("SELECT l.ts FROM logs l, pods p WHERE l.pod = p.pod AND p.node = 3");
    const auto* join = find<JoinNode>(*p.root, PlanKind::Join);
    ASSERT_TRUE(join);
    EXPECT_EQ(join->join, JoinKind::Inner);
    EXPECT_EQ(join->left_keys.size(), 1u);
    EXPECT_EQ(find<FilterNode>(*p.root, PlanKind::Filter), nullptr);
}

TEST_F(RulesTest, OnlyNeededColumnsAreRead)
{
    QueryPlan p = plan("SELECT pod FROM (SELECT * FROM logs) WHERE ts > 1");
    EXPECT_EQ(read_of(p)->request.columns, (std::vector<std::string>{"pod"}));
    p = plan("SELECT 1 FROM logs");
    EXPECT_TRUE(read_of(p)->request.columns.empty());
    p = plan("SELECT c FROM (SELECT count() AS c, sum(ts), max(message) FROM logs WHERE pod = 'a')");
    EXPECT_TRUE(read_of(p)->request.columns.empty());
    EXPECT_EQ(find<AggregateNode>(*p.root, PlanKind::Aggregate)->aggregates.size(), 1u);
}

TEST_F(RulesTest, ConstantConditions)
{
    EXPECT_EQ(steps("SELECT ts FROM logs WHERE 0"), "Expression\n  ReadFromPreparedSource\n");
    QueryPlan p = plan("SELECT ts FROM logs WHERE 1 AND ts > 3");
    EXPECT_EQ(read_of(p)->request.filter->name(), "greater");
}

TEST_F(RulesTest, TrivialCountReadsNothing)
{
    QueryPlan p = plan("SELECT count() FROM logs");
    EXPECT_EQ(read_of(p), nullptr);
    p = plan("SELECT count() FROM logs WHERE ts > 1");
    EXPECT_TRUE(read_of(p));
    p = plan("SELECT count() FROM logs FINAL");
    EXPECT_TRUE(read_of(p));
    context_->settings.set("optimize_trivial_count_query", "0");
    p = plan("SELECT count() FROM logs");
    EXPECT_TRUE(read_of(p));
}

TEST_F(RulesTest, LimitsReachScansAndSorts)
{
    QueryPlan p = plan("SELECT pod FROM logs LIMIT 5 OFFSET 2");
    EXPECT_EQ(read_of(p)->request.limit, 7u);
    p = plan("SELECT pod FROM logs ORDER BY message LIMIT 5");
    EXPECT_EQ(read_of(p)->request.limit, 0u);
    EXPECT_EQ(find<SortNode>(*p.root, PlanKind::Sort)->limit, 5u);
    p = plan("SELECT pod FROM logs ORDER BY message LIMIT 5 WITH TIES");
    EXPECT_EQ(find<SortNode>(*p.root, PlanKind::Sort)->limit, 0u);
    p = plan("SELECT count() FROM (SELECT pod FROM logs LIMIT 5)");
    EXPECT_EQ(read_of(p)->request.limit, 5u);
}

TEST_F(RulesTest, OrderOfTheKeyIsRead)
{
    QueryPlan p = plan("SELECT message FROM logs ORDER BY pod, ts LIMIT 3");
    EXPECT_EQ(read_of(p)->request.order_prefix, 2u);
    EXPECT_FALSE(read_of(p)->request.order_descending);
    p = plan("SELECT message FROM logs ORDER BY pod DESC, ts DESC");
    EXPECT_TRUE(read_of(p)->request.order_descending);
    p = plan("SELECT message FROM logs ORDER BY pod, ts DESC");
    EXPECT_EQ(read_of(p)->request.order_prefix, 0u);
    context_->settings.set("optimize_read_in_order", "0");
    p = plan("SELECT message FROM logs ORDER BY pod, ts LIMIT 3");
    EXPECT_EQ(read_of(p)->request.order_prefix, 0u);
}

TEST_F(RulesTest, ColumnsAreFetchedAfterTheSort)
{
    QueryPlan p = plan("SELECT upper(message), ts FROM logs WHERE pod = 'a' ORDER BY ts DESC LIMIT 3");
    const auto* sort = find<SortNode>(*p.root, PlanKind::Sort);
    ASSERT_TRUE(sort && sort->lazy_read);
    EXPECT_EQ(sort->lazy_columns, (std::vector<std::string>{"message"}));
    const ScanRequest& request = read_of(p)->request;
    EXPECT_EQ(request.columns, (std::vector<std::string>{"ts"}));
    EXPECT_TRUE(request.with_row_ids);
    ASSERT_TRUE(request.top_bound);
    EXPECT_EQ(request.top_bound->column, "ts");
    EXPECT_TRUE(request.top_bound->descending);
    EXPECT_EQ(types("SELECT upper(message), ts FROM logs ORDER BY ts DESC LIMIT 3"),
              "upper(message) String, ts UInt32");
    // The key's own columns are there already; NULLs and floats give no bound.
    p = plan("SELECT n FROM logs ORDER BY n LIMIT 3");
    EXPECT_FALSE(find<SortNode>(*p.root, PlanKind::Sort)->lazy_read);
    EXPECT_FALSE(read_of(p)->request.top_bound);
    p = plan("SELECT message FROM logs ORDER BY ts LIMIT 20000");
    EXPECT_FALSE(find<SortNode>(*p.root, PlanKind::Sort)->lazy_read);
    context_->settings.set("basalt_lazy_materialization", "0");
    p = plan("SELECT message FROM logs ORDER BY ts LIMIT 3");
    EXPECT_FALSE(find<SortNode>(*p.root, PlanKind::Sort)->lazy_read);
}

TEST_F(RulesTest, ExplainShowsSteps)
{
    EXPECT_EQ(steps("SELECT pod, count() FROM logs GROUP BY pod ORDER BY pod LIMIT 3"),
              "Expression\n"
              "  Limit\n"
              "    Sorting\n"
              "      Aggregating\n"
              "        ReadFromMergeTree (default.logs)\n");
}

} // namespace
} // namespace basalt
