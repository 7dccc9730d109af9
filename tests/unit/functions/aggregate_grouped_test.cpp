// Blocks of few groups: add_grouped() gives what add_rows() gives, also for arguments that come as
// dictionaries; sums of floats do not depend on how rows were cut.

#include <gtest/gtest.h>

#include "functions/physical_dispatch.h"
#include "tests/unit/functions/aggregate_support.h"

#include <cmath>

namespace basalt
{
namespace
{

using namespace aggregate_test;

struct Groups
{
    std::vector<std::unique_ptr<OwnedState>> states;
    PodVector<char*> places;

    Groups(const AggregateFunction& function, size_t count)
    {
        for (size_t g = 0; g < count; ++g)
        {
            states.push_back(std::make_unique<OwnedState>(function));
            places.push_back(states.back()->place);
        }
    }
    std::vector<std::string> results()
    {
        std::vector<std::string> texts;
        for (const auto& state : states)
            texts.push_back(state->result_text());
        return texts;
    }
};

PodVector<uint16_t> random_codes(size_t rows, size_t groups, std::mt19937& random)
{
    PodVector<uint16_t> codes;
    for (size_t i = 0; i < rows; ++i)
        codes.push_back(static_cast<uint16_t>(i < groups ? i : random() % groups));
    return codes;
}

std::vector<std::string> by_rows(const AggregateFunction& function,
                                 const PodVector<uint16_t>& codes, size_t groups,
                                 const std::vector<const Column*>& arguments)
{
    Groups made(function, groups);
    PodVector<char*> places;
    for (const uint16_t code : codes)
        places.push_back(made.places[code]);
    Arena arena;
    function.add_rows({places.data(), places.size()}, 0, arguments, arena);
    return made.results();
}

std::vector<std::string> by_groups(const AggregateFunction& function,
                                   const PodVector<uint16_t>& codes, size_t groups,
                                   const std::vector<const Column*>& arguments)
{
    Groups made(function, groups);
    Arena arena;
    function.add_grouped({codes.data(), codes.size()}, {made.places.data(), groups}, 0, arguments,
                         arena);
    return made.results();
}

template <class T> ColumnPtr random_column(size_t rows, std::mt19937& random, bool with_nan)
{
    auto column = std::make_shared<VectorColumn<T>>(rows);
    for (T& value : column->data())
    {
        value = static_cast<T>(static_cast<int>(random() % 2000) - (std::is_signed_v<T> ? 500 : 0));
        if (with_nan && random() % 3 == 0)
            value = std::numeric_limits<T>::quiet_NaN();
    }
    return column;
}

TEST(AggregateGrouped, EqualsRowByRow)
{
    std::mt19937 random(3);
    const size_t rows = 5000;
    const std::vector<std::pair<const char*, Values>> functions = {
        {"sum", {}}, {"avg", {}}, {"min", {}}, {"max", {}}, {"sumCount", {}}, {"uniqExact", {}},
        {"quantiles", {0.1, 0.5, 0.99}}, {"quantileExact", {0.5}}};
    for (const char* type : {"UInt16", "Int64", "Float32", "Float64"})
        for (const size_t groups : {1, 2, 7, 60, 900})
            for (const auto& [name, parameters] : functions)
            {
                const AggregateFunctionPtr made = function(name, {type}, parameters);
                ColumnPtr column;
                dispatch_vector(made->argument_types()[0]->physical(), [&](auto tag)
                                {
                                    using T = typename decltype(tag)::type;
                                    if constexpr (sizeof(T) <= 8)
                                        column = random_column<T>(rows, random, false);
                                });
                const auto codes = random_codes(rows, groups, random);
                EXPECT_EQ(by_groups(*made, codes, groups, {column.get()}),
                          by_rows(*made, codes, groups, {column.get()}))
                    << name << " of " << type << " in " << groups;
            }
    const AggregateFunctionPtr count = function("count", {});
    for (const size_t groups : {1, 5, 300})
    {
        const auto codes = random_codes(rows, groups, random);
        EXPECT_EQ(by_groups(*count, codes, groups, {}), by_rows(*count, codes, groups, {}));
    }
}

TEST(AggregateGrouped, NanLosesInEveryGroup)
{
    std::mt19937 random(5);
    const ColumnPtr column = random_column<float>(3000, random, true);
    for (const char* name : {"min", "max"})
        for (const size_t groups : {1, 9, 1500})
        {
            const AggregateFunctionPtr made = function(name, {"Float32"});
            const auto codes = random_codes(3000, groups, random);
            EXPECT_EQ(by_groups(*made, codes, groups, {column.get()}),
                      by_rows(*made, codes, groups, {column.get()}));
        }
}

TEST(AggregateGrouped, QuantilesCountCodesOfADictionary)
{
    std::mt19937 random(11);
    const size_t rows = 20000;
    for (const bool ordered : {true, false})
    {
        auto values = std::make_shared<VectorColumn<float>>(3000);
        for (size_t i = 0; i < 3000; ++i)
            values->data()[i] =
                ordered ? static_cast<float>(i) / 10 : static_cast<float>(random() % 999);
        auto other = std::make_shared<VectorColumn<float>>(values->data());
        const auto coded = [&](const ColumnPtr& dictionary)
        {
            PodVector<uint32_t> codes;
            for (size_t i = 0; i < rows; ++i)
                codes.push_back(static_cast<uint32_t>(random() % 3000));
            return std::make_shared<DictionaryColumn>(dictionary, std::move(codes));
        };
        const AggregateFunctionPtr made =
            function("quantiles", {"Float32"}, {0.0, 0.3, 0.5, 0.99, 1.0});
        ASSERT_TRUE(made->takes_dictionaries());
        const ColumnPtr first = coded(values), second = coded(other);
        const ColumnPtr first_flat = to_flat(first), second_flat = to_flat(second);
        for (const size_t groups : {1, 4, 700})
        {
            const auto codes = random_codes(rows, groups, random);
            EXPECT_EQ(by_groups(*made, codes, groups, {first.get()}),
                      by_rows(*made, codes, groups, {first_flat.get()}));
            EXPECT_EQ(by_rows(*made, codes, groups, {first.get()}),
                      by_rows(*made, codes, groups, {first_flat.get()}));
        }
        // Of two dictionaries, with plain values before, merged, written and read.
        OwnedState plain(*made), a(*made), b(*made), merged(*made);
        const std::vector<const Column*> one{first.get()}, two{second.get()};
        const std::vector<const Column*> one_flat{first_flat.get()}, two_flat{second_flat.get()};
        made->add_range(plain.place, one_flat, 0, rows, *plain.arena);
        made->add_range(plain.place, two_flat, 0, rows, *plain.arena);
        made->add_range(a.place, one_flat, 0, 100, *a.arena);
        made->add_range(a.place, one, 100, rows, *a.arena);
        made->add_range(b.place, two, 0, rows, *b.arena);
        made->merge_state(merged.place, a.place, *merged.arena);
        made->merge_state(merged.place, b.place, *merged.arena);
        const std::string bytes = merged.bytes();
        OwnedState again(*made);
        EXPECT_EQ(made->read_state(again.place, bytes.data(), bytes.size(), *again.arena),
                  bytes.size());
        const std::string expected = plain.result_text();
        EXPECT_EQ(merged.result_text(), expected);
        EXPECT_EQ(again.result_text(), expected);
    }
}

TEST(FloatSums, AreTheSameInAnyOrderOfBlocks)
{
    std::mt19937 random(17);
    const size_t rows = 4096, block = 64;
    auto column = std::make_shared<VectorColumn<double>>(rows);
    for (double& value : column->data())
        value = static_cast<double>(random()) / 7 * (random() % 5 ? 1e-9 : 1e6);
    for (const char* name : {"sum", "avg"})
    {
        const AggregateFunctionPtr made = function(name, {"Float64"});
        std::string expected;
        for (int round = 0; round < 20; ++round)
        {
            std::vector<size_t> order(rows / block);
            for (size_t i = 0; i < order.size(); ++i)
                order[i] = i;
            std::shuffle(order.begin(), order.end(), random);
            OwnedState left(*made), right(*made);
            for (const size_t at : order)
            {
                OwnedState& state = random() % 2 ? left : right;
                const std::vector<const Column*> arguments{column.get()};
                made->add_range(state.place, arguments, at * block, (at + 1) * block,
                                *state.arena);
            }
            made->merge_state(left.place, right.place, *left.arena);
            const std::string result = left.result_text();
            if (round == 0)
                expected = result;
            EXPECT_EQ(result, expected) << name;
        }
    }
}

TEST(FloatSums, KeepInfinityAndNan)
{
    const double infinity = std::numeric_limits<double>::infinity();
    EXPECT_EQ(run1("sum", "Float64", {Value(1.0), Value(infinity), Value(2.0)}), "inf");
    EXPECT_EQ(run1("sum", "Float64", {Value(infinity), Value(-infinity)}), "nan");
    EXPECT_EQ(run1("avg", "Float64", {Value(1.0), Value(std::nan(""))}), "nan");
}

} // namespace
} // namespace basalt
