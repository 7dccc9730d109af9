// Answers of the other aggregate functions, as ClickHouse gives them.

#include <gtest/gtest.h>

#include "tests/unit/functions/aggregate_support.h"

namespace basalt
{
namespace
{

using namespace aggregate_test;

const Values kFour = u({1, 2, 3, 10});

std::string of_four(const char* name, const Values& parameters = {})
{
    return run1(name, "UInt8", kFour, parameters);
}

// f(x, x) and f(x, x * x) over 1, 2, 3, 10.
std::string of_pairs(const char* name, bool squared, const Values& parameters = {})
{
    Rows rows;
    for (const Value& value : kFour)
    {
        const uint64_t x = value.get<uint64_t>();
        rows.push_back({x, squared ? x * x : x});
    }
    return run(name, {"UInt8", "UInt64"}, rows, parameters);
}

TEST(Moments, OfOneNumber)
{
    EXPECT_EQ(of_four("stddevPop"), "3.5355339059327378");
    EXPECT_EQ(of_four("stddevSamp"), "4.08248290463863");
    EXPECT_EQ(of_four("varPop"), "12.5");
    EXPECT_EQ(of_four("VAR_SAMP"), "16.666666666666668");
    EXPECT_EQ(of_four("skewPop"), "1.0182337649086284");
    EXPECT_EQ(of_four("skewSamp"), "0.6613622305514579");
    EXPECT_EQ(of_four("kurtPop"), "2.2304");
    EXPECT_EQ(of_four("kurtSamp"), "1.2545999999999997");
    EXPECT_EQ(of_four("stddevPopStable"), "3.5355339059327378");
    EXPECT_EQ(run1("varPop", "UInt8", u({1})), "0.");
    EXPECT_EQ(run1("varSamp", "UInt8", u({1})), "nan");
    EXPECT_EQ(run1("skewPop", "UInt8", u({1})), "nan");
    EXPECT_EQ(run1("stddevPop", "UInt8", {}), "nan");
    EXPECT_EQ(run1("varPop", "Decimal(9, 2)", {int64_t{100}, int64_t{300}}), "1.");
    EXPECT_EQ(function("varPop", {"Float32"})->result_type()->name(), "Float32");
}

TEST(Moments, OfPairs)
{
    EXPECT_EQ(of_pairs("covarPop", true), "145.");
    EXPECT_EQ(of_pairs("covarSamp", true), "193.33333333333334");
    EXPECT_EQ(of_pairs("corr", true), "0.9911272306452977");
    EXPECT_EQ(of_pairs("boundingRatio", true), "11.");
    EXPECT_EQ(of_pairs("avgWeighted", false), "7.125");
    EXPECT_EQ(of_pairs("simpleLinearRegression", false), "(1., 0.)");
    EXPECT_EQ(run("corr", {"UInt8", "UInt8"}, {u({1, 1})}), "nan");
    EXPECT_EQ(run("covarSamp", {"UInt8", "UInt8"}, {u({1, 1})}), "nan");
}

TEST(Kahan, LosesNothing)
{
    EXPECT_EQ(run1("sumKahan", "Float64", {0.1, 0.1, 0.1}), "0.30000000000000004");
    EXPECT_EQ(run1("sumKahan", "Float64", {0.1, 0.2, 0.3}), "0.6");
}

TEST(GroupBit, AndOrXor)
{
    EXPECT_EQ(run1("groupBitAnd", "UInt8", u({5, 6, 7})), "4");
    EXPECT_EQ(run1("BIT_OR", "UInt8", u({5, 6, 7})), "7");
    EXPECT_EQ(run1("groupBitXor", "UInt8", u({5, 6, 7})), "4");
    EXPECT_EQ(run1("groupBitAnd", "Int8", {}), "-1");
}

TEST(Entropy, InBits)
{
    EXPECT_EQ(run1("entropy", "UInt8", u({1, 2, 3, 3})), "1.5");
    EXPECT_EQ(run1("entropy", "String", {}), "0.");
}

TEST(TopK, MostFrequentFirst)
{
    const Values values = u({1, 2, 2, 3, 3, 3, 4});
    EXPECT_EQ(run1("topK", "UInt8", values, {uint64_t{2}}), "[3, 2]");
    EXPECT_EQ(run1("topK", "UInt8", values, {uint64_t{2}, uint64_t{3}, std::string("counts")}),
              "[(3, 3, 0), (2, 2, 0)]");
    EXPECT_EQ(run1("approx_top_count", "UInt8", values, {uint64_t{1}}), "[(3, 3, 0)]");
    EXPECT_EQ(run("topKWeighted", {"UInt8", "UInt8"}, {u({1, 5}), u({2, 1}), u({2, 1})},
                  {uint64_t{1}}),
              "[1]");
    EXPECT_EQ(function("topK", {"UInt8"}, {uint64_t{3}, uint64_t{3}, std::string("counts")})
                  ->result_type()
                  ->name(),
              "Array(Tuple(item UInt8, count UInt64, error UInt64))");
    EXPECT_THROW(function("topK", {"UInt8"}, {uint64_t{0}}), Error);
}

TEST(TopK, ManyValuesKeepTheHeavyOnes)
{
    const auto made = function("topK", {"UInt64"}, {uint64_t{2}});
    auto column = std::make_shared<VectorColumn<uint64_t>>();
    for (uint64_t i = 0; i < 300000; ++i)
        column->data().push_back(i % 3 == 0 ? 7 : (i % 5 == 0 ? 9 : i));
    EXPECT_EQ(run(*made, {column}, column->size()), "[7, 9]");
}

TEST(SumMap, OfArrays)
{
    const Rows rows = {{ArrayValue{u({1, 2})}, ArrayValue{{int64_t{10}, int64_t{20}}}},
                       {ArrayValue{u({2, 3})}, ArrayValue{{int64_t{-5}, int64_t{0}}}}};
    const std::vector<const char*> types = {"Array(UInt8)", "Array(Int8)"};
    EXPECT_EQ(run("sumMap", types, rows), "([1, 2], [10, 15])");
    EXPECT_EQ(run("minMap", types, rows), "([1, 2, 3], [10, -5, 0])");
    EXPECT_EQ(run("maxMappedArrays", types, rows), "([1, 2, 3], [10, 20, 0])");
    EXPECT_EQ(run("sumMap", {"Tuple(Array(UInt8), Array(Int8))"},
                  {{TupleValue{rows[0]}}, {TupleValue{rows[1]}}}),
              "([1, 2], [10, 15])");
    EXPECT_EQ(run("sumMap", {"Array(Nullable(UInt8))", "Array(UInt8)"},
                  {{ArrayValue{{uint64_t{1}, Null{}}}, ArrayValue{u({1, 2})}}}),
              "([NULL, 1], [2, 1])");
    EXPECT_EQ(run("sumMap", {"Array(UInt8)", "Array(Nullable(UInt8))"},
                  {{ArrayValue{u({1})}, ArrayValue{{Null{}}}}}),
              "([], [])");
    EXPECT_EQ(function("sumMap", {"Array(UInt8)", "Array(Float32)"})->result_type()->name(),
              "Tuple(Array(UInt8), Array(Float64))");
    EXPECT_THROW(run("sumMap", types, {{ArrayValue{u({1, 2})}, ArrayValue{{int64_t{1}}}}}), Error);
}

TEST(AnyHeavy, MajorityAndSingleValue)
{
    EXPECT_EQ(run1("anyHeavy", "UInt8", u({1, 2, 2, 3, 2})), "2");
    EXPECT_EQ(of_four("singleValueOrNull"), "NULL");
    EXPECT_EQ(run1("singleValueOrNull", "UInt8", u({5, 5})), "5");
    EXPECT_EQ(run1("singleValueOrNull", "Nullable(UInt8)", {Null{}, uint64_t{5}}), "5");
    EXPECT_EQ(run1("singleValueOrNull", "UInt8", {}), "NULL");
}

TEST(DeltaSum, OfRises)
{
    EXPECT_EQ(run1("deltaSum", "UInt8", u({1, 3, 2, 8})), "8");
    EXPECT_EQ(run1("deltaSum", "Nullable(UInt8)", {uint64_t{1}, Null{}, uint64_t{2}}), "1");
}

TEST(Intervals, Overlaps)
{
    const Rows rows = {u({1, 5}), u({2, 3}), u({3, 6}), u({4, 4})};
    EXPECT_EQ(run("maxIntersections", {"UInt8", "UInt8"}, rows), "2");
    EXPECT_EQ(run("maxIntersectionsPosition", {"UInt8", "UInt8"}, rows), "2");
    EXPECT_EQ(run("intervalLengthSum", {"UInt8", "UInt8"}, {u({1, 5}), u({3, 8}), u({10, 11})}),
              "8");
}

TEST(GroupConcat, WithDelimiterAndLimit)
{
    EXPECT_EQ(of_four("groupConcat"), "'12310'");
    EXPECT_EQ(of_four("group_concat", {std::string(",")}), "'1,2,3,10'");
    EXPECT_EQ(of_four("groupConcat", {std::string(","), uint64_t{2}}), "'1,2'");
    EXPECT_EQ(run1("groupConcat", "Date", u({1, 2}), {std::string("-")}),
              "'1970-01-02-1970-01-03'");
    EXPECT_EQ(run1("groupConcat", "Nullable(String)", {std::string("a"), Null{}, std::string("b")},
                   {std::string(",")}),
              "'a,b'");
}

TEST(GroupArrays, SomeOfTheValues)
{
    EXPECT_EQ(of_four("groupArrayLast", {uint64_t{2}}), "[3, 10]");
    EXPECT_EQ(run1("groupArraySorted", "String",
                   {std::string("c"), std::string("a"), std::string("b")}, {uint64_t{2}}),
              "['a', 'b']");
    EXPECT_EQ(run("groupArrayInsertAt", {"UInt8", "UInt8"}, {u({1, 1}), u({3, 3})}),
              "[0, 1, 0, 3]");
    EXPECT_EQ(run("groupArrayInsertAt", {"String", "UInt8"}, {{std::string("a"), uint64_t{2}}},
                  {std::string("-"), uint64_t{5}}),
              "['-', '-', 'a', '-', '-']");
    EXPECT_EQ(run("groupArrayInsertAt", {"UInt8", "UInt8"}, {u({1, 1}), u({3, 1})}), "[0, 1]");
    EXPECT_EQ(run1("groupArrayIntersect", "Array(UInt8)",
                   {ArrayValue{u({3, 1, 2})}, ArrayValue{u({2, 3, 4})}}),
              "[2, 3]");
    EXPECT_EQ(of_four("groupArrayMovingSum"), "[1, 3, 6, 16]");
    EXPECT_EQ(of_four("groupArrayMovingSum", {uint64_t{2}}), "[1, 3, 5, 13]");
    EXPECT_EQ(of_four("groupArrayMovingAvg"), "[0.25, 0.75, 1.5, 4.]");
    EXPECT_EQ(of_four("groupArrayMovingAvg", {uint64_t{2}}), "[0.5, 1.5, 2.5, 6.5]");
}

TEST(UniqUpTo, StopsCounting)
{
    EXPECT_EQ(of_four("uniqUpTo", {uint64_t{3}}), "4");
    EXPECT_EQ(of_four("uniqUpTo", {uint64_t{10}}), "4");
    EXPECT_EQ(run1("uniqUpTo", "UInt8", u({1, 1}), {uint64_t{3}}), "1");
}

TEST(QuantileWeighted, Rules)
{
    const auto at = [](const char* name, double level) { return of_pairs(name, false, {level}); };
    EXPECT_EQ(at("quantileExactWeighted", 0.5), "10");
    EXPECT_EQ(at("quantileExactWeighted", 0.25), "3");
    EXPECT_EQ(at("quantileExactWeighted", 0), "1");
    EXPECT_EQ(at("quantileInterpolatedWeighted", 0.5), "6");
    EXPECT_EQ(at("quantileInterpolatedWeighted", 0.25), "2");
    EXPECT_EQ(at("quantileInterpolatedWeighted", 0.9), "10");
    EXPECT_EQ(at("quantileExactWeightedInterpolated", 0.25), "3.");
    EXPECT_EQ(at("quantileTimingWeighted", 0.5), "10.");
    EXPECT_EQ(run("quantileExactWeighted", {"Int64", "UInt8"},
                  {{int64_t{INT64_MAX}, uint64_t{1}}, {int64_t{INT64_MIN}, uint64_t{1}}}, {1.0}),
              std::to_string(INT64_MAX));
    EXPECT_EQ(run1("quantileDD", "UInt8", u({0, 1, 2, 3, 4, 5, 6, 7, 8, 9}), {0.01, 0.5}).substr(0, 12),
              "4.0148353330");
    EXPECT_EQ(run1("quantileBFloat16", "UInt8", u({0, 1, 2, 3, 4, 5, 6, 7, 8, 9})), "4.");
}

TEST(Funnel, StepsWithinTheWindow)
{
    const std::vector<const char*> types = {"DateTime", "UInt8", "UInt8", "UInt8"};
    const Rows rows = {u({1, 1, 0, 0}), u({2, 0, 1, 0}), u({3, 1, 0, 0}), u({20, 0, 0, 1})};
    EXPECT_EQ(run("windowFunnel", types, rows, {uint64_t{10}}), "2");
    EXPECT_EQ(run("windowFunnel", types, rows, {uint64_t{100}}), "3");
    EXPECT_EQ(run("windowFunnel", types, {}, {uint64_t{100}}), "0");
    EXPECT_EQ(run("windowFunnel", types, {u({1, 1, 1, 1})}, {uint64_t{100}}), "3");
    EXPECT_EQ(run("windowFunnel", {"DateTime", "UInt8", "UInt8"}, {u({1, 1, 0}), u({1, 0, 1})},
                  {uint64_t{100}, std::string("strict_increase")}),
              "1");
    EXPECT_EQ(run("retention", {"UInt8", "UInt8", "UInt8"}, {u({1, 0, 0}), u({0, 1, 0})}),
              "[1, 1, 0]");
    EXPECT_EQ(run("retention", {"UInt8", "UInt8"}, {u({0, 1})}), "[0, 0]");
}

TEST(ArgCombinators, TakeTheBestRows)
{
    EXPECT_EQ(run("sumArgMax", {"UInt8", "UInt8"}, {u({1, 1}), u({2, 0}), u({3, 1})}), "4");
    EXPECT_EQ(run("countArgMin", {"UInt8"}, {u({3}), u({1}), u({1})}), "2");
    EXPECT_EQ(run("argAndMin", {"String", "UInt8"}, {{std::string("a"), uint64_t{2}},
                                                     {std::string("b"), uint64_t{1}}}),
              "('b', 1)");
    EXPECT_EQ(run1("sumTuple", "Tuple(UInt8, Float64)",
                   {TupleValue{{uint64_t{1}, 2.5}}, TupleValue{{uint64_t{3}, 0.5}}}),
              "(4, 3.)");
    EXPECT_EQ(function("sumTuple", {"Tuple(a UInt8, b UInt8)"})->result_type()->name(),
              "Tuple(a UInt64, b UInt64)");
}

} // namespace
} // namespace basalt
