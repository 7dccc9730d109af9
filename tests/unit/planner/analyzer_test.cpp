#include "tests/unit/planner/plan_fixture.h"

namespace basalt
{
namespace
{

using AnalyzerTest = PlanTest;

TEST_F(AnalyzerTest, NamesAndTypesOfResults)
{
    EXPECT_EQ(types("SELECT 1, 'x' AS s, ts + 1, pod FROM logs"),
              "1 UInt8, s String, plus(ts, 1) UInt64, pod String");
    EXPECT_EQ(types("SELECT count(), count(*), sum(ts) FROM logs"),
              "count() UInt64, count() UInt64, sum(ts) UInt64");
    EXPECT_EQ(types("SELECT l.ts, logs2.ts FROM logs AS l JOIN logs AS logs2 ON l.ts = logs2.ts"),
              "ts UInt32, logs2.ts UInt32");
    EXPECT_EQ(types("SELECT * FROM logs AS a JOIN pods AS b USING (pod)"),
              "pod String, ts UInt32, message String, n Nullable(Int32), tags Array(String), "
              "node UInt64");
    EXPECT_EQ(types("SELECT * EXCEPT (message, tags, n) REPLACE (ts * 2 AS ts) FROM logs"),
              "ts UInt64, pod String");
    EXPECT_EQ(types("SELECT COLUMNS('^t') FROM logs"), "ts UInt32, tags Array(String)");
    EXPECT_EQ(types("SELECT t.* FROM (SELECT 1 AS a, 2 AS b) AS t"), "a UInt8, b UInt8");
    EXPECT_EQ(types("SELECT untuple((1, 'a')) AS t"), "t.1 UInt8, t.2 String");
}

TEST_F(AnalyzerTest, AliasesStandAnywhere)
{
    EXPECT_EQ(types("SELECT ts * 2 AS x, x + 1 AS y FROM logs WHERE y > 3 ORDER BY x"),
              "x UInt64, y UInt64");
    EXPECT_EQ(types("WITH 1 AS one SELECT one + ts FROM logs"), "plus(one, ts) UInt64");
    EXPECT_EQ(types("SELECT ts + 1 AS ts FROM logs"), "ts UInt64");
    EXPECT_EQ(types("WITH x -> x + 1 AS f SELECT f(ts) FROM logs"), "f(ts) UInt64");
    EXPECT_EQ(error("SELECT 1 AS a, 2 AS a, a"), error_codes::MULTIPLE_EXPRESSIONS_FOR_ALIAS);
    EXPECT_EQ(error("SELECT nosuch FROM logs"), error_codes::UNKNOWN_IDENTIFIER);
}

TEST_F(AnalyzerTest, TablesAndTheirErrors)
{
    EXPECT_EQ(error("SELECT 1 FROM nosuch"), error_codes::UNKNOWN_TABLE);
    EXPECT_EQ(error("SELECT 1 FROM nosuch.t"), error_codes::UNKNOWN_DATABASE);
    EXPECT_EQ(error("SELECT 1 FROM nosuch(1)"), error_codes::UNKNOWN_FUNCTION);
    EXPECT_EQ(error("SELECT a FROM (SELECT 1 AS a) x, (SELECT 1 AS a) y, (SELECT 1 AS a) z"),
              error_codes::AMBIGUOUS_IDENTIFIER);
    EXPECT_EQ(types("SELECT logs.ts, default.logs.pod, _part FROM default.logs"),
              "ts UInt32, pod String, _part String");
    EXPECT_EQ(error("SELECT * FROM numbers(3) PREWHERE number > 1"), error_codes::ILLEGAL_PREWHERE);
    EXPECT_EQ(error("SELECT * FROM logs SAMPLE 0.1"), error_codes::SAMPLING_NOT_SUPPORTED);
    EXPECT_EQ(error("SELECT * FROM numbers(3) FINAL"), error_codes::ILLEGAL_FINAL);
    QueryPlan final_plan = plan("SELECT ts FROM logs FINAL");
    EXPECT_TRUE(read_of(final_plan)->request.final);
}

TEST_F(AnalyzerTest, Aggregation)
{
    EXPECT_EQ(types("SELECT pod, count() AS c FROM logs GROUP BY pod HAVING c > 1 ORDER BY c"),
              "pod String, c UInt64");
    EXPECT_EQ(types("SELECT upper(pod) AS p, max(ts) FROM logs GROUP BY p"),
              "p String, max(ts) UInt32");
    EXPECT_EQ(types("SELECT pod, ts % 2, sum(ts) + 1 FROM logs GROUP BY ALL"),
              "pod String, modulo(ts, 2) UInt8, plus(sum(ts), 1) UInt64");
    EXPECT_EQ(error("SELECT pod, count() FROM logs"), error_codes::NOT_AN_AGGREGATE);
    EXPECT_EQ(error("SELECT sum(sum(ts)) FROM logs"), error_codes::ILLEGAL_AGGREGATION);
    EXPECT_EQ(error("SELECT pod FROM logs WHERE count() > 1"), error_codes::ILLEGAL_AGGREGATION);
    EXPECT_EQ(error("SELECT pod FROM logs GROUP BY 7"), error_codes::BAD_ARGUMENTS);
    QueryPlan p = plan("SELECT pod, grouping(pod), count() FROM logs GROUP BY ROLLUP(pod)");
    const auto* aggregate = find<AggregateNode>(*p.root, PlanKind::Aggregate);
    ASSERT_TRUE(aggregate);
    EXPECT_EQ(aggregate->grouping_sets.size(), 2u);
    // An argument without NULLs is not read for its count.
    p = plan("SELECT count(pod), count(n) FROM logs");
    EXPECT_EQ(read_of(p)->request.columns, (std::vector<std::string>{"n"}));
}

TEST_F(AnalyzerTest, WindowFunctions)
{
    EXPECT_EQ(types("SELECT row_number() OVER (PARTITION BY pod ORDER BY ts) AS r, "
                    "lag(message) OVER (ORDER BY ts) AS p, sum(ts) OVER w FROM logs "
                    "WINDOW w AS (PARTITION BY pod)"),
              "r UInt64, p String, sum(ts) OVER w UInt64");
    QueryPlan p = plan("SELECT sum(ts) OVER w, count() OVER w FROM logs WINDOW w AS (ORDER BY ts)");
    EXPECT_EQ(find<WindowNode>(*p.root, PlanKind::Window)->calls.size(), 2u);
    EXPECT_EQ(error("SELECT 1 FROM logs WHERE row_number() OVER () = 1"),
              error_codes::ILLEGAL_AGGREGATION);
    EXPECT_EQ(error("SELECT sum(ts) OVER nosuch FROM logs"), error_codes::BAD_ARGUMENTS);
    EXPECT_EQ(types("SELECT rank() OVER (ORDER BY sum(ts)) AS r FROM logs GROUP BY pod QUALIFY r = 1"),
              "r UInt64");
}

TEST_F(AnalyzerTest, SubqueriesRunOnce)
{
    EXPECT_EQ(types("SELECT (SELECT max(ts) FROM logs) AS m, (SELECT max(ts) FROM logs) + 1"),
              "m Nullable(UInt32), plus(_subquery_1, 1) Nullable(UInt64)");
    EXPECT_EQ(subqueries_, 1u);
    EXPECT_EQ(types("SELECT ts IN (SELECT ts FROM logs) AS x FROM logs"), "x UInt8");
    EXPECT_EQ(subqueries_, 2u);
    subquery_rows_ = 2;
    EXPECT_EQ(error("SELECT (SELECT ts FROM logs)"),
              error_codes::INCORRECT_RESULT_OF_SCALAR_SUBQUERY);
    subquery_rows_ = 0;
    EXPECT_EQ(types("SELECT (SELECT ts FROM logs) AS x"), "x Nullable(UInt32)");
    EXPECT_EQ(error("SELECT (SELECT tags FROM logs)"),
              error_codes::INCORRECT_RESULT_OF_SCALAR_SUBQUERY);
    // A correlated one runs with the rows, not before them.
    EXPECT_EQ(types("SELECT (SELECT p.node FROM pods AS p WHERE p.pod = l.pod) AS x FROM logs AS l"),
              "x Nullable(UInt64)");
    EXPECT_EQ(subqueries_, 5u);
    EXPECT_EQ(types("WITH t AS (SELECT ts AS x FROM logs) SELECT a.x FROM t a JOIN t b USING x"),
              "x UInt32");
}

TEST_F(AnalyzerTest, JoinsAndTheirTypes)
{
    QueryPlan p = plan("SELECT l.ts, p.node FROM logs l LEFT JOIN pods p ON l.pod = p.pod AND "
                       "p.node > 3 AND l.ts > 5");
    auto* join = find<JoinNode>(*p.root, PlanKind::Join);
    ASSERT_TRUE(join);
    EXPECT_EQ(join->left_keys.size(), 1u);
    EXPECT_TRUE(join->condition); // l.ts > 5 decides a match, not a row
    EXPECT_TRUE(find<ReadNode>(*join->inputs[1], PlanKind::Read)->request.filter);
    EXPECT_FALSE(find<ReadNode>(*join->inputs[0], PlanKind::Read)->request.filter);
    context_->settings.set("join_use_nulls", "1");
    EXPECT_EQ(types("SELECT l.ts, p.node FROM logs l LEFT JOIN pods p ON l.pod = p.pod"),
              "ts UInt32, node Nullable(UInt64)");
    EXPECT_EQ(error("SELECT 1 FROM logs l JOIN pods p ON l.pod = p.node"),
              error_codes::NO_COMMON_TYPE);
    EXPECT_EQ(error("SELECT 1 FROM logs l JOIN pods p USING (ts)"),
              error_codes::UNKNOWN_IDENTIFIER);
    EXPECT_EQ(error("SELECT 1 FROM logs JOIN numbers(3) ON ts = number"),
              error_codes::ALIAS_REQUIRED);
}

TEST_F(AnalyzerTest, UnionsAndLimits)
{
    EXPECT_EQ(types("SELECT 1 AS a UNION ALL SELECT 300"), "a UInt16");
    EXPECT_EQ(error("SELECT 1 UNION SELECT 2"), error_codes::EXPECTED_ALL_OR_DISTINCT);
    EXPECT_EQ(error("SELECT 1 UNION ALL SELECT 1, 2"),
              error_codes::UNION_ALL_RESULT_STRUCTURES_MISMATCH);
    EXPECT_EQ(error("SELECT ts FROM logs LIMIT ts"), error_codes::INVALID_LIMIT_EXPRESSION);
    EXPECT_EQ(error("SELECT ts FROM logs LIMIT 'x'"), error_codes::INVALID_LIMIT_EXPRESSION);
    EXPECT_EQ(error("SELECT ts FROM logs WHERE pod"),
              error_codes::ILLEGAL_TYPE_OF_COLUMN_FOR_FILTER);
    EXPECT_EQ(types("SELECT arrayJoin(tags) AS t FROM logs"), "t String");
    EXPECT_EQ(types("SELECT ts, t FROM logs ARRAY JOIN tags AS t"), "ts UInt32, t String");
    EXPECT_EQ(error("SELECT ts FROM logs ARRAY JOIN ts"), error_codes::TYPE_MISMATCH);
}

} // namespace
} // namespace basalt
