// Answers of the core functions, as ClickHouse gives them.

#include <gtest/gtest.h>

#include "tests/unit/functions/aggregate_support.h"

#include <algorithm>
#include <cmath>

namespace basalt
{
namespace
{

using namespace aggregate_test;

std::string text(double value)
{
    return Value(value).to_text();
}

TEST(Count, RowsAndValues)
{
    EXPECT_EQ(run1("count", "Nullable(UInt8)", {Null{}, uint64_t{1}, uint64_t{2}}), "2");
    EXPECT_EQ(run1("countIf", "UInt8", u({1, 0, 1})), "2");
    const auto count = function("count", {});
    OwnedState state(*count);
    count->add_range(state.place, {}, 0, 5, *state.arena);
    EXPECT_EQ(state.result_text(), "5");
}

TEST(Sum, WrapsWidensAndKeepsScale)
{
    EXPECT_EQ(run1("sum", "UInt8", u({200, 200})), "400");
    EXPECT_EQ(run1("sumWithOverflow", "UInt8", u({200, 100})), "44");
    EXPECT_EQ(run1("sum", "Float64", {1.5, -0.25}), "1.25");
    EXPECT_EQ(run1("sum", "Nullable(UInt8)", {Null{}, Null{}}), "NULL");
    EXPECT_EQ(run1("sum", "Nullable(UInt8)", {Null{}, uint64_t{4}}), "4");
    EXPECT_EQ(run1("sum", "UInt64", {}), "0");
    EXPECT_EQ(run1("sumCount", "Nullable(UInt8)", {Null{}, uint64_t{1}, uint64_t{2}}), "(3, 2)");
    Values many;
    for (uint64_t i = 0; i < 1003; ++i)
        many.emplace_back(static_cast<double>(i));
    EXPECT_EQ(run1("sum", "Float64", many), "502503.");
}

TEST(Avg, OfNumbersAndDates)
{
    EXPECT_EQ(run1("avg", "UInt8", u({1, 2})), "1.5");
    EXPECT_EQ(run1("avg", "UInt64", {}), "nan");
    EXPECT_EQ(run1("avg", "Decimal(9, 2)", {int64_t{125}, int64_t{250}}), "1.875");
    EXPECT_EQ(run1("avg", "Date", u({1, 2})), "2");
    EXPECT_EQ(run1("avg", "UInt64", {UINT64_MAX, UINT64_MAX}), text(9223372036854775807.0));
}

TEST(MinMax, OfEverythingWithNanLast)
{
    const Values floats = {std::nan(""), 1.0, 2.0, std::nan("")};
    EXPECT_EQ(run1("min", "Float64", floats), "1.");
    EXPECT_EQ(run1("max", "Float64", floats), "2.");
    EXPECT_EQ(run1("max", "Float64", {std::nan("")}), "nan");
    EXPECT_EQ(run1("min", "String", {std::string("b"), std::string("ab"), std::string("abc")}),
              "'ab'");
    EXPECT_EQ(run1("max", "String", {}), "''");
    EXPECT_EQ(run1("max", "Array(UInt8)", {ArrayValue{u({1, 2})}, ArrayValue{u({1, 3})}}),
              "[1, 3]");
    EXPECT_EQ(run1("min", "Int8", {int64_t{5}, int64_t{-5}}), "-5");
    EXPECT_EQ(run("argMin", {"String", "Float64"},
                  {{std::string("a"), std::nan("")}, {std::string("b"), 2.0},
                   {std::string("c"), 2.0}}),
              "'b'");
    EXPECT_EQ(run("argMax", {"Nullable(UInt8)", "UInt8"},
                  {{Null{}, uint64_t{9}}, {uint64_t{7}, uint64_t{3}}}),
              "7");
}

TEST(Any, FirstAndLast)
{
    const Values values = {Null{}, uint64_t{1}, uint64_t{2}, Null{}};
    EXPECT_EQ(run1("any", "Nullable(UInt8)", values), "1");
    EXPECT_EQ(run1("anyLast", "Nullable(UInt8)", values), "2");
    EXPECT_EQ(run1("any_respect_nulls", "Nullable(UInt8)", values), "NULL");
    EXPECT_EQ(run1("last_value_respect_nulls", "Nullable(UInt8)", values), "NULL");
    EXPECT_EQ(run1("FIRST_VALUE", "Nullable(UInt8)", values), "1");
}

std::string state_hex(const char* name, const std::vector<const char*>& types, const Values& row)
{
    const auto made = function(name, types);
    const Columns columns = columns_of(made->argument_types(), {row});
    OwnedState state(*made);
    made->add_range(state.place, pointers(columns), 0, 1, *state.arena);
    std::string hex;
    for (const char c : state.bytes())
    {
        constexpr char digits[] = "0123456789ABCDEF";
        hex += digits[static_cast<uint8_t>(c) >> 4];
        hex += digits[c & 15];
    }
    return hex;
}

TEST(AggregateStates, HaveClickHousesLayoutWhereItIsSimple)
{
    EXPECT_EQ(state_hex("sum", {"UInt8"}, {uint64_t{3}}), "0300000000000000");
    EXPECT_EQ(state_hex("sum", {"Nullable(UInt8)"}, {uint64_t{3}}), "010300000000000000");
    EXPECT_EQ(state_hex("avg", {"UInt8"}, {uint64_t{3}}), "030000000000000001");
    EXPECT_EQ(state_hex("min", {"UInt64"}, {uint64_t{0}}), "010000000000000000");
    EXPECT_EQ(state_hex("any", {"String"}, {std::string("abc")}), "0400000061626300");
    EXPECT_EQ(state_hex("groupArray", {"UInt64"}, {uint64_t{2}}), "010200000000000000");
    EXPECT_EQ(state_hex("uniq", {"UInt64"}, {uint64_t{5}}), "000175554CD5");
    EXPECT_EQ(state_hex("uniq", {"String"}, {std::string("abc")}), "0001C936B55B");
    EXPECT_EQ(state_hex("uniq", {"Int8"}, {int64_t{-1}}), "0001215F824B");
    EXPECT_EQ(state_hex("uniq", {"Float64"}, {1.5}), "0001F0B6754E");
    EXPECT_EQ(state_hex("uniq", {"Float32"}, {1.5}), "00019CB0147A");
    EXPECT_EQ(state_hex("uniq", {"UInt128"}, {UInt128{5}}), "00016650AFD8");
    EXPECT_EQ(state_hex("uniq", {"Decimal(9, 0)"}, {int64_t{5}}), "0001EB5DC48B");
    EXPECT_EQ(state_hex("uniq", {"UInt8", "UInt8"}, u({5, 6})), "000148DB907E");
    EXPECT_EQ(state_hex("uniq", {"Tuple(UInt8, UInt8)"}, {TupleValue{u({5, 6})}}), "000148DB907E");
    EXPECT_EQ(state_hex("uniq", {"String", "String"}, {std::string("a"), std::string("b")}),
              "0001EDCA04AF");
    EXPECT_EQ(state_hex("uniq", {"UInt64"}, {uint64_t{0}}), "000100000000");
}

std::string of_numbers(const char* name, uint64_t count, const Values& parameters = {})
{
    const auto made = function(name, {"UInt64"}, parameters);
    auto column = std::make_shared<VectorColumn<uint64_t>>(count);
    for (uint64_t i = 0; i < count; ++i)
        column->data()[i] = i;
    return run(*made, {column}, count);
}

TEST(Uniq, IsExactWhileSmallAndThenClickHousesEstimate)
{
    EXPECT_EQ(of_numbers("uniq", 0), "0");
    EXPECT_EQ(of_numbers("uniq", 60000), "60000");
    EXPECT_EQ(of_numbers("uniq", 70000), "70359");
    EXPECT_EQ(of_numbers("uniq", 1000000), "1001943");
    EXPECT_EQ(of_numbers("uniqExact", 1000000), "1000000");
    const auto made = function("uniq", {"String"});
    auto texts = std::make_shared<StringColumn>();
    for (int i = 0; i < 300000; ++i)
        texts->append(std::to_string(i));
    EXPECT_EQ(run(*made, {texts}, 300000), "301320");
    EXPECT_EQ(run(*function("uniqExact", {"String"}), {texts}, 300000), "300000");
}

TEST(Uniq, HyperLogLogIsNear)
{
    for (const auto& [name, error] :
         {std::pair{"uniqCombined", 0.01}, {"uniqCombined64", 0.01}, {"uniqHLL12", 0.05}})
        for (const uint64_t count : {100, 5000, 30000, 100000, 1000000})
        {
            const double estimate = std::stod(of_numbers(name, count));
            EXPECT_NEAR(estimate / static_cast<double>(count), 1, error) << name << " " << count;
        }
    EXPECT_EQ(of_numbers("uniqCombined", 10000), "10000");
}

TEST(Quantile, Rules)
{
    const Values four = u({10, 1, 3, 2});
    const auto at = [&](const char* name, double level)
    { return run1(name, "UInt8", four, {level}); };
    EXPECT_EQ(at("quantile", 0.5), "2.5");
    EXPECT_EQ(at("quantile", 0.25), "1.75");
    EXPECT_EQ(at("quantileExact", 0.5), "3");
    EXPECT_EQ(at("quantileExact", 0.25), "2");
    EXPECT_EQ(at("quantileExact", 0.9), "10");
    EXPECT_EQ(at("quantileExact", 0), "1");
    EXPECT_EQ(at("quantileExact", 1), "10");
    EXPECT_EQ(at("quantileExactLow", 0.5), "2");
    EXPECT_EQ(at("quantileExactHigh", 0.5), "3");
    EXPECT_EQ(at("quantileExactLow", 0.25), "2");
    EXPECT_EQ(at("quantileExactExclusive", 0.25), "1.25");
    EXPECT_EQ(at("quantileExactExclusive", 0.1), "1.");
    EXPECT_EQ(at("quantileExactExclusive", 0.9), "10.");
    EXPECT_EQ(at("quantileExactInclusive", 0.25), "1.75");
    EXPECT_EQ(at("quantileTDigest", 0.5), "2.");
    EXPECT_EQ(at("quantileTDigest", 0.25), "1.");
    EXPECT_EQ(at("quantileTDigest", 0.6), "3.");
    EXPECT_EQ(at("quantileTDigest", 0.9), "10.");
    EXPECT_EQ(at("quantileTiming", 0.5), "3.");
    EXPECT_EQ(run1("quantileTiming", "Float64", {-5.0}), "nan");
    EXPECT_EQ(run1("quantileTiming", "Float64", {2.7}), "2.");
    EXPECT_EQ(run1("quantileTiming", "UInt64", u({100000})), "30000.");
    EXPECT_EQ(run1("median", "Float64", {std::nan(""), 1.0, 2.0, 3.0}), "2.");
    EXPECT_EQ(run1("quantile", "Date", u({1, 2})), "1");
    EXPECT_EQ(run1("quantile", "Decimal(9, 2)", {int64_t{125}, int64_t{250}}, {0.3}), "162");
    EXPECT_EQ(run1("quantile", "UInt8", {}), "nan");
    EXPECT_EQ(run1("quantileExact", "UInt8", {}), "0");
    EXPECT_EQ(run1("quantiles", "UInt8", four, {0.5, 0.25}), "[2.5, 1.75]");
    EXPECT_EQ(run1("quantilesExact", "UInt8", four, {0.9, 0.5, 0.5}), "[10, 3, 3]");
    EXPECT_THROW(at("quantileExactExclusive", 1), Error);
}

// A column of durations: spread over five orders of magnitude.
std::shared_ptr<VectorColumn<double>> durations(size_t rows)
{
    std::mt19937_64 random(5);
    std::lognormal_distribution<double> spread(3, 2);
    auto column = std::make_shared<VectorColumn<double>>(rows);
    for (double& value : column->data())
        value = spread(random);
    return column;
}

TEST(Quantile, LargeInputsKeepTheirRankInAnyOrderAndSplit)
{
    const size_t rows = 600000;
    const auto column = durations(rows);
    const auto made = function("quantiles", {"Float64"}, {0.01, 0.5, 0.9, 0.99, 0.999});
    const std::string one_pass = run(*made, {column}, rows);

    // In another order, from parts of unequal sizes merged in another order.
    RowIndexes order(rows);
    for (uint32_t i = 0; i < rows; ++i)
        order[i] = i;
    std::shuffle(order.begin(), order.end(), std::mt19937_64(6));
    const ColumnPtr shuffled = column->take(order);
    const Columns columns = {shuffled};
    std::vector<OwnedState> parts;
    const std::vector<size_t> ends = {0, 10, 70000, 70001, 400000, rows};
    for (size_t i = 1; i < ends.size(); ++i)
    {
        parts.emplace_back(*made);
        made->add_range(parts.back().place, pointers(columns), ends[i - 1], ends[i],
                        *parts.back().arena);
    }
    OwnedState merged(*made);
    for (const size_t i : {3, 0, 4, 2, 1})
        made->merge_state(merged.place, parts[i].place, *merged.arena);
    EXPECT_EQ(merged.result_text(), one_pass);

    std::vector<double> sorted(column->data().begin(), column->data().end());
    std::sort(sorted.begin(), sorted.end());
    MutableColumnPtr result = made->result_type()->create_column();
    made->append_result(merged.place, *result, *merged.arena);
    const Values values = result->value_at(0).get<ArrayValue>().items;
    size_t i = 0;
    for (const double level : {0.01, 0.5, 0.9, 0.99, 0.999})
    {
        const double value = values[i++].get<double>();
        const auto rank = static_cast<double>(
            std::lower_bound(sorted.begin(), sorted.end(), value) - sorted.begin());
        EXPECT_NEAR(rank / rows, level, 0.0001);
    }
}

TEST(Quantile, FewDistinctValuesStayExact)
{
    const size_t rows = 300000;
    auto column = std::make_shared<VectorColumn<uint64_t>>(rows);
    for (size_t i = 0; i < rows; ++i)
        column->data()[i] = (i * 7919) % 50000 + (uint64_t{1} << 60);
    EXPECT_EQ(run(*function("quantileExact", {"UInt64"}, {0.5}), {column}, rows),
              std::to_string(25000 + (uint64_t{1} << 60)));
    for (uint64_t& value : column->data())
        value -= uint64_t{1} << 60;
    EXPECT_EQ(run(*function("quantile", {"UInt64"}, {0.5}), {column}, rows), "24999.5");
}

TEST(GroupArray, KeepsOrderAndLimit)
{
    EXPECT_EQ(run1("groupArray", "UInt8", u({3, 1, 2})), "[3, 1, 2]");
    EXPECT_EQ(run1("groupArray", "UInt8", u({3, 1, 2}), {uint64_t{2}}), "[3, 1]");
    EXPECT_EQ(run1("groupArray", "Nullable(String)", {Null{}, std::string("a")}), "['a']");
    EXPECT_EQ(run1("groupArray", "Array(UInt8)", {ArrayValue{u({1})}, ArrayValue{}}), "[[1], []]");
    EXPECT_EQ(run1("groupUniqArray", "UInt8", u({3, 1, 3})), "[3, 1]");
    EXPECT_EQ(run1("groupArrayArray", "Array(UInt8)", {ArrayValue{u({1, 2})}, ArrayValue{u({3})}}),
              "[1, 2, 3]");
}

TEST(Combinators, DoWhatTheirNamesSay)
{
    const Rows pairs = {{uint64_t{1}, uint64_t{1}}, {uint64_t{2}, uint64_t{0}},
                        {uint64_t{4}, uint64_t{1}}};
    EXPECT_EQ(run("sumIf", {"UInt8", "UInt8"}, pairs), "5");
    EXPECT_EQ(run("sumIf", {"UInt8", "Nullable(UInt8)"},
                  {{uint64_t{1}, Null{}}, {uint64_t{2}, uint64_t{1}}}),
              "2");
    EXPECT_EQ(run("sumIf", {"UInt8", "Nullable(Nothing)"}, {{uint64_t{1}, Null{}}}), "0");
    EXPECT_EQ(run("avgIf", {"UInt8", "UInt8"}, {{uint64_t{1}, uint64_t{0}}}), "nan");
    EXPECT_EQ(run("sumOrNullIf", {"UInt8", "UInt8"}, {{uint64_t{1}, uint64_t{0}}}), "NULL");
    EXPECT_EQ(run("sumIfOrNull", {"UInt8", "UInt8"}, {{uint64_t{1}, uint64_t{0}}}), "NULL");
    EXPECT_EQ(run("sumIfOrNull", {"UInt8", "UInt8"}, pairs), "5");
    EXPECT_EQ(run1("sumOrNull", "UInt8", {}), "NULL");
    EXPECT_EQ(run1("sumOrDefault", "UInt8", {}), "0");
    EXPECT_EQ(run1("sumDistinct", "UInt8", u({3, 3, 4})), "7");
    EXPECT_EQ(run1("sumDistinct", "Nullable(UInt8)", {Null{}, uint64_t{3}, uint64_t{3}}), "3");
    EXPECT_EQ(run1("sumArray", "Array(UInt8)", {ArrayValue{u({1, 2})}, ArrayValue{u({3})}}), "6");
    EXPECT_EQ(run1("sumForEach", "Array(UInt8)", {ArrayValue{u({1, 2})}, ArrayValue{u({3})}}),
              "[4, 2]");
    EXPECT_EQ(run1("sumForEach", "Array(Nullable(UInt8))", {ArrayValue{{Null{}}}}), "[NULL]");
    const Value map = ArrayValue{{TupleValue{{std::string("b"), uint64_t{1}}},
                                  TupleValue{{std::string("a"), uint64_t{2}}}}};
    EXPECT_EQ(run1("sumMap", "Map(String, UInt8)", {map, map}), "[('a', 4), ('b', 2)]");
}

TEST(Combinators, StatesMergeAcrossColumns)
{
    const auto state = function("quantilesStateIf", {"UInt8", "UInt8"}, {0.5});
    const Columns columns = columns_of(
        state->argument_types(), {{uint64_t{1}, uint64_t{1}}, {uint64_t{2}, uint64_t{0}},
                                  {uint64_t{4}, uint64_t{1}}});
    MutableColumnPtr states = state->result_type()->create_column();
    for (int i = 0; i < 2; ++i)
    {
        OwnedState one(*state);
        state->add_range(one.place, pointers(columns), 0, 3, *one.arena);
        state->append_result(one.place, *states, *one.arena);
    }
    // Through bytes and back, as a table would keep them.
    MutableColumnPtr stored = state->result_type()->create_column();
    for (size_t i = 0; i < states->size(); ++i)
        stored->append_value(states->value_at(i));

    const Types types = {state->result_type()};
    EXPECT_EQ(types[0]->name(), "AggregateFunction(quantiles(0.5), UInt8)");
    EXPECT_EQ(type_from_name(types[0]->name())->name(), types[0]->name());
    const auto merge = aggregate_functions().get("quantilesMerge", types, {});
    EXPECT_EQ(run(*merge, {stored}, 2), "[2.5]");
    const auto merge_state = aggregate_functions().get("quantilesMergeState", types, {});
    EXPECT_EQ(merge_state->result_type()->name(), types[0]->name());
    OwnedState merged(*merge_state);
    const Columns stored_columns = {stored};
    merge_state->add_range(merged.place, pointers(stored_columns), 0, 2, *merged.arena);
    MutableColumnPtr merged_states = merge_state->result_type()->create_column();
    merge_state->append_result(merged.place, *merged_states, *merged.arena);
    EXPECT_EQ(run(*merge, {merged_states}, 1), "[2.5]");
}

} // namespace
} // namespace basalt
