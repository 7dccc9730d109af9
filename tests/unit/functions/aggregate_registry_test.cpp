// Every aggregate function over every kind of argument it takes: parts merged equal one pass,
// states survive being written and read, and broken states are refused without harm.

#include <gtest/gtest.h>

#include "tests/unit/functions/aggregate_support.h"

#include <cmath>

namespace basalt
{
namespace
{

using namespace aggregate_test;
using Random = std::mt19937_64;

const char* const kArgumentTypes[] = {
    "UInt8",  "Int32",           "UInt64",           "Float32",       "Float64",
    "Int128", "UInt256",         "Decimal(9, 2)",    "Decimal(30, 3)", "Date",
    "DateTime", "DateTime64(3)", "Bool",             "Enum8('a' = 1, 'b' = 2)",
    "String", "FixedString(3)",  "UUID",             "IPv6",          "Array(UInt8)",
    "Array(String)", "Tuple(UInt8, String)", "Map(String, UInt64)",
};

// Parameters that functions without a default need.
std::vector<Values> parameters_to_try()
{
    return {{},
            {uint64_t{3}},
            {0.5},
            {0.25, 0.75},
            {std::string(",")},
            {uint64_t{3}, uint64_t{2}},
            {uint64_t{100}, 0.5}};
}

Value random_value(const TypePtr& type, Random& random)
{
    switch (type->physical())
    {
    case PhysicalType::UInt8: return uint64_t{type->is(TypeId::Bool) ? random() % 2 : random() % 50};
    case PhysicalType::Int8: return int64_t{static_cast<int64_t>(1 + random() % 2)};
    case PhysicalType::UInt16:
    case PhysicalType::UInt32:
    case PhysicalType::UInt64: return uint64_t{random() % 200};
    case PhysicalType::Int16:
    case PhysicalType::Int32:
    case PhysicalType::Int64: return static_cast<int64_t>(random() % 100) - 50;
    case PhysicalType::UInt128: return UInt128{random() % 50};
    case PhysicalType::Int128: return static_cast<Int128>(random() % 50) - 25;
    case PhysicalType::UInt256: return UInt256(random() % 50);
    case PhysicalType::Int256: return Int256(random() % 50);
    case PhysicalType::Float32:
    case PhysicalType::Float64: return static_cast<double>(random() % 100) - 20;
    case PhysicalType::String: return std::string(random() % 4, 'x') + std::to_string(random() % 9);
    case PhysicalType::FixedString:
    {
        std::string text = std::to_string(random() % 999);
        text.resize(type->default_value().get<std::string>().size());
        return text;
    }
    case PhysicalType::Nullable:
        return random() % 3 == 0 ? Value() : random_value(remove_nullable(type), random);
    case PhysicalType::Array:
    {
        const TypePtr nested =
            type->is(TypeId::Map) ? type_as<ArrayType>(type_as<MapType>(type).entries()).nested()
                                  : type_as<ArrayType>(type).nested();
        ArrayValue value;
        for (size_t i = 0; i < 2; ++i)
            value.items.push_back(random_value(nested, random));
        return value;
    }
    case PhysicalType::Tuple:
    {
        TupleValue value;
        for (const TypePtr& element : type_as<TupleType>(type).elements())
            value.items.push_back(random_value(element, random));
        return value;
    }
    default: return Null{};
    }
}

bool near(const Value& a, const Value& b)
{
    const auto* x = a.get_if<double>();
    const auto* y = b.get_if<double>();
    if (x && y)
        return (std::isnan(*x) && std::isnan(*y)) || *x == *y ||
               std::abs(*x - *y) <= 1e-6 * (1 + std::abs(*x));
    const auto all_near = [](const Values& p, const Values& q)
    {
        bool same = p.size() == q.size();
        for (size_t i = 0; same && i < p.size(); ++i)
            same = near(p[i], q[i]);
        return same;
    };
    if (a.get_if<ArrayValue>() && b.get_if<ArrayValue>())
        return all_near(a.get<ArrayValue>().items, b.get<ArrayValue>().items);
    if (a.get_if<TupleValue>() && b.get_if<TupleValue>())
        return all_near(a.get<TupleValue>().items, b.get<TupleValue>().items);
    return a == b;
}

Value result_of(const AggregateFunction& function, OwnedState& state)
{
    MutableColumnPtr column = function.result_type()->create_column();
    function.append_result(state.place, *column, *state.arena);
    EXPECT_EQ(column->size(), 1u);
    return column->value_at(0);
}

// Approximate by nature: what they answer depends on how the rows were split.
bool depends_on_split(const std::string& name)
{
    return name == "anyHeavy" || name == "deltaSumTimestamp";
}

class Walk
{
public:
    explicit Walk(AggregateFunctionPtr function) : function_(std::move(function)) {}

    void check(Random& random)
    {
        const size_t rows = 60;
        Rows values;
        for (size_t i = 0; i < rows; ++i)
        {
            values.emplace_back();
            for (const TypePtr& type : function_->argument_types())
                values.back().push_back(random_value(type, random));
        }
        const Columns columns = columns_of(function_->argument_types(), values);
        const auto arguments = pointers(columns);

        OwnedState whole(*function_);
        function_->add_range(whole.place, arguments, 0, rows, *whole.arena);
        const std::string whole_bytes = whole.bytes();
        const Value expected = result_of(*function_, whole);

        expect_same("add_rows", expected, [&](OwnedState& state)
                    {
                        PodVector<char*> places(rows, state.place);
                        function_->add_rows({places.data(), rows}, 0, arguments, *state.arena);
                    });
        expect_same("add_grouped", expected, [&](OwnedState& state)
                    {
                        PodVector<uint16_t> codes;
                        for (size_t i = 0; i < rows; ++i)
                            codes.push_back(static_cast<uint16_t>(i % 3));
                        PodVector<char*> places(3, state.place);
                        function_->add_grouped({codes.data(), rows}, {places.data(), 3}, 0,
                                               arguments, *state.arena);
                    });
        expect_same("add_masked of all", expected, [&](OwnedState& state)
                    {
                        const Mask mask(rows, 1);
                        function_->add_masked(state.place, arguments, mask.data(), rows,
                                              *state.arena);
                    });
        if (!depends_on_split(function_->name()))
            expect_same("merge of parts", expected, [&](OwnedState& state)
                    {
                        OwnedState middle(*function_);
                        OwnedState empty(*function_);
                        OwnedState last(*function_);
                        function_->add_range(state.place, arguments, 0, 17, *state.arena);
                        function_->add_range(middle.place, arguments, 17, 40, *middle.arena);
                        function_->add_range(last.place, arguments, 40, rows, *last.arena);
                        function_->merge_state(state.place, empty.place, *state.arena);
                        function_->merge_state(state.place, middle.place, *state.arena);
                        function_->merge_state(state.place, last.place, *state.arena);
                        keep_alive(std::move(middle));
                        keep_alive(std::move(last));
                    });
        expect_same("merge into an empty state", expected, [&](OwnedState& state)
                    {
                        OwnedState all(*function_);
                        function_->add_range(all.place, arguments, 0, rows, *all.arena);
                        function_->merge_state(state.place, all.place, *state.arena);
                        keep_alive(std::move(all));
                    });
        expect_same("written and read", expected, [&](OwnedState& state)
                    {
                        ASSERT_EQ(function_->read_state(state.place, whole_bytes.data(),
                                                        whole_bytes.size(), *state.arena),
                                  whole_bytes.size());
                    });
        check_mask(arguments, rows, random);
        check_empty();
        check_broken(whole_bytes, random);
    }

private:
    void keep_alive(OwnedState state) { kept_.push_back(std::move(state)); }

    template <class Fill> void expect_same(const char* what, const Value& expected, Fill&& fill)
    {
        OwnedState state(*function_);
        fill(state);
        const Value actual = result_of(*function_, state);
        EXPECT_TRUE(near(expected, actual))
            << what << ": " << expected.to_text() << " and " << actual.to_text();
    }

    void check_mask(const std::vector<const Column*>& arguments, size_t rows, Random& random)
    {
        Mask mask;
        OwnedState expected(*function_);
        for (size_t i = 0; i < rows; ++i)
        {
            mask.push_back(random() % 3 == 0 ? 0 : 5);
            if (mask[i])
                function_->add_range(expected.place, arguments, i, i + 1, *expected.arena);
        }
        const Value value = result_of(*function_, expected);
        expect_same("add_masked of some", value, [&](OwnedState& state)
                    {
                        function_->add_masked(state.place, arguments, mask.data(), rows,
                                              *state.arena);
                    });
    }

    void check_empty()
    {
        OwnedState empty(*function_);
        const std::string bytes = empty.bytes();
        const Value expected = result_of(*function_, empty);
        expect_same("empty, written and read", expected, [&](OwnedState& state)
                    {
                        ASSERT_EQ(function_->read_state(state.place, bytes.data(), bytes.size(),
                                                        *state.arena),
                                  bytes.size());
                    });
    }

    // Cut off anywhere: an error, or a shorter state that is whole. Bits flipped: no crash.
    void check_broken(const std::string& bytes, Random& random)
    {
        const size_t step = 1 + bytes.size() / 200;
        for (size_t size = 0; size < bytes.size(); size += step)
            read_quietly(bytes.substr(0, size));
        for (int i = 0; i < 40 && !bytes.empty(); ++i)
        {
            std::string broken = bytes;
            broken[random() % broken.size()] ^= static_cast<char>(1 << random() % 8);
            read_quietly(broken);
        }
    }
    void read_quietly(const std::string& bytes)
    {
        // Exactly as large as the bytes, so that a sanitizer sees a read past the end.
        const std::unique_ptr<char[]> copy(new char[bytes.size()]);
        std::copy(bytes.begin(), bytes.end(), copy.get());
        OwnedState state(*function_);
        try
        {
            const size_t used =
                function_->read_state(state.place, copy.get(), bytes.size(), *state.arena);
            EXPECT_LE(used, bytes.size());
            result_of(*function_, state);
        }
        catch (const Error&)
        {
        }
    }

    AggregateFunctionPtr function_;
    std::vector<OwnedState> kept_;
};

AggregateFunctionPtr try_make(const std::string& name, const Types& types, const Values& parameters)
{
    try
    {
        return aggregate_functions().find(name, types, parameters);
    }
    catch (const Error&)
    {
        return nullptr;
    }
}

std::vector<Types> argument_lists()
{
    std::vector<Types> lists = {{}};
    for (const char* name : kArgumentTypes)
    {
        const TypePtr type = type_from_name(name);
        lists.push_back({type});
        if (can_be_inside_nullable(type))
            lists.push_back({make_nullable(type)});
        lists.push_back({type, t("UInt8")});
        lists.push_back({type, type});
    }
    lists.push_back({t("String"), t("Nullable(Int32)")});
    lists.push_back({t("Array(UInt8)"), t("Array(Float64)")});
    lists.push_back({t("Array(String)"), t("Array(UInt64)")});
    lists.push_back({t("Array(Nullable(Int32))")});
    lists.push_back({t("Nullable(Nothing)")});
    lists.push_back({t("DateTime"), t("UInt8"), t("Bool")});
    lists.push_back({t("UInt8"), t("UInt8"), t("UInt8")});
    lists.push_back({t("Tuple(UInt8, Float64)")});
    lists.push_back({t("Tuple(UInt8, Float64)"), t("Tuple(UInt8, Float64)")});
    return lists;
}

class EveryFunction : public testing::TestWithParam<std::string>
{
};

TEST_P(EveryFunction, MergesAndSurvivesStorage)
{
    Random random(7);
    size_t made = 0;
    for (const Types& types : argument_lists())
        for (const Values& parameters : parameters_to_try())
            if (const AggregateFunctionPtr function = try_make(GetParam(), types, parameters))
            {
                std::string text = GetParam() + "(";
                for (const TypePtr& type : types)
                    text += type->name() + ", ";
                SCOPED_TRACE(text + ")");
                ++made;
                Walk(function).check(random);
                if (testing::Test::HasFailure())
                    return;
            }
    EXPECT_GT(made, 0u);
}

std::vector<std::string> names_to_walk()
{
    std::vector<std::string> names;
    for (const auto& entry : aggregate_functions().entries())
        if (entry.alias_of.empty())
            names.push_back(entry.name);
    for (const char* name :
         {"sumIf", "countIf", "groupArrayIf", "minOrNull", "sumOrDefault", "avgOrNullIf",
          "sumDistinct", "groupArrayDistinct", "uniqArray", "sumArrayIf", "sumForEach",
          "groupArrayForEach", "sumMap", "maxMap", "quantileIf", "anyLastOrNull", "argMinIf",
          "uniqExactIf", "countOrNull", "sumOrNullForEach", "sumArgMax", "countArgMin",
          "groupArrayArgMin", "sumTuple", "corrTuple", "minMapOrNull"})
        names.emplace_back(name);
    return names;
}

INSTANTIATE_TEST_SUITE_P(Aggregates, EveryFunction, testing::ValuesIn(names_to_walk()),
                         [](const auto& info) { return info.param; });

TEST(AggregateRegistry, FindsNamesInTheCaseClickHouseTakes)
{
    EXPECT_TRUE(aggregate_functions().exists("COUNT"));
    EXPECT_TRUE(aggregate_functions().exists("Sum"));
    EXPECT_TRUE(aggregate_functions().exists("MAX_BY"));
    EXPECT_TRUE(aggregate_functions().exists("sumIfState"));
    EXPECT_FALSE(aggregate_functions().exists("UNIQ"));
    EXPECT_FALSE(aggregate_functions().exists("If"));
    EXPECT_FALSE(aggregate_functions().exists("plus"));
    EXPECT_EQ(function("first_value", {"UInt8"})->name(), "any");
    try
    {
        aggregate_functions().get("summ", {t("UInt8")}, {});
        FAIL();
    }
    catch (const Error& error)
    {
        EXPECT_EQ(error.code(), error_codes::UNKNOWN_AGGREGATE_FUNCTION);
    }
}

TEST(AggregateRegistry, ResultTypes)
{
    const auto type = [](const char* name, const std::vector<const char*>& types,
                         const Values& parameters = {})
    { return function(name, types, parameters)->result_type()->name(); };
    EXPECT_EQ(type("count", {}), "UInt64");
    EXPECT_EQ(type("count", {"Nullable(String)"}), "UInt64");
    EXPECT_EQ(type("sum", {"UInt8"}), "UInt64");
    EXPECT_EQ(type("sum", {"Int8"}), "Int64");
    EXPECT_EQ(type("sum", {"Float32"}), "Float64");
    EXPECT_EQ(type("sum", {"UInt128"}), "UInt128");
    EXPECT_EQ(type("sum", {"Decimal(9, 2)"}), "Decimal(38, 2)");
    EXPECT_EQ(type("sum", {"Nullable(Int64)"}), "Nullable(Int64)");
    EXPECT_EQ(type("sum", {"Nullable(Nothing)"}), "Nullable(Nothing)");
    EXPECT_EQ(type("sum", {"Bool"}), "UInt64");
    EXPECT_EQ(type("sumWithOverflow", {"Int8"}), "Int8");
    EXPECT_EQ(type("sumCount", {"Nullable(Int64)"}), "Tuple(Int64, UInt64)");
    EXPECT_EQ(type("avg", {"Decimal(9, 2)"}), "Float64");
    EXPECT_EQ(type("avg", {"DateTime('UTC')"}), "DateTime('UTC')");
    EXPECT_EQ(type("min", {"LowCardinality(String)"}), "String");
    EXPECT_EQ(type("min", {"LowCardinality(Nullable(String))"}), "Nullable(String)");
    EXPECT_EQ(type("argMin", {"String", "Nullable(UInt8)"}), "Nullable(String)");
    EXPECT_EQ(type("uniq", {"Nullable(String)"}), "UInt64");
    EXPECT_EQ(type("uniqCombined", {"Nullable(String)"}), "Nullable(UInt64)");
    EXPECT_EQ(type("quantile", {"Decimal(9, 2)"}), "Decimal(9, 2)");
    EXPECT_EQ(type("quantile", {"UInt8"}), "Float64");
    EXPECT_EQ(type("quantiles", {"Nullable(UInt8)"}, {0.5}), "Array(Float64)");
    EXPECT_EQ(type("quantileExact", {"Bool"}), "Bool");
    EXPECT_EQ(type("quantileTiming", {"UInt8"}), "Float32");
    EXPECT_EQ(type("quantileTDigest", {"Date"}), "Date");
    EXPECT_EQ(type("groupArray", {"Nullable(String)"}), "Array(String)");
    EXPECT_EQ(type("sumIf", {"UInt8", "Nullable(UInt8)"}), "UInt64");
    EXPECT_EQ(type("sumState", {"Nullable(UInt8)"}), "AggregateFunction(sum, Nullable(UInt8))");
    EXPECT_EQ(type("sumStateIf", {"UInt64", "UInt8"}), "AggregateFunction(sum, UInt64)");
    EXPECT_EQ(type("sumIfState", {"UInt64", "UInt8"}), "AggregateFunction(sumIf, UInt64, UInt8)");
    EXPECT_EQ(type("quantilesState", {"UInt64"}, {0.5}), "AggregateFunction(quantiles(0.5), UInt64)");
    EXPECT_EQ(type("sumSimpleState", {"UInt64"}), "SimpleAggregateFunction(sum, UInt64)");
    EXPECT_EQ(type("sumOrNull", {"UInt64"}), "Nullable(UInt64)");
    EXPECT_EQ(type("sumOrDefault", {"UInt64"}), "UInt64");
    EXPECT_EQ(type("sumForEach", {"Array(Nullable(UInt8))"}), "Array(Nullable(UInt64))");
    EXPECT_EQ(type("sumMap", {"Map(String, UInt8)"}), "Map(String, UInt64)");
    EXPECT_EQ(type("countState", {}), "AggregateFunction(count)");
    EXPECT_EQ(type("sumMerge", {"AggregateFunction(sum, UInt8)"}), "UInt64");
}

int error_of(const char* name, const std::vector<const char*>& types, const Values& parameters = {})
{
    try
    {
        function(name, types, parameters);
        return 0;
    }
    catch (const Error& error)
    {
        return error.code();
    }
}

TEST(AggregateRegistry, Errors)
{
    EXPECT_EQ(error_of("sum", {}), error_codes::NUMBER_OF_ARGUMENTS_DOESNT_MATCH);
    EXPECT_EQ(error_of("sum", {"String"}), error_codes::ILLEGAL_TYPE_OF_ARGUMENT);
    EXPECT_EQ(error_of("sum", {"UInt8"}, {uint64_t{2}}),
              error_codes::AGGREGATE_FUNCTION_DOESNT_ALLOW_PARAMETERS);
    EXPECT_EQ(error_of("count", {"UInt8", "UInt8"}), error_codes::NUMBER_OF_ARGUMENTS_DOESNT_MATCH);
    EXPECT_EQ(error_of("avg", {"String"}), error_codes::ILLEGAL_TYPE_OF_ARGUMENT);
    EXPECT_EQ(error_of("quantile", {"UInt8"}, {1.5}), error_codes::PARAMETER_OUT_OF_BOUND);
    EXPECT_EQ(error_of("quantiles", {"UInt8"}), error_codes::NUMBER_OF_ARGUMENTS_DOESNT_MATCH);
    EXPECT_EQ(error_of("uniqExact", {}), error_codes::NUMBER_OF_ARGUMENTS_DOESNT_MATCH);
    EXPECT_EQ(error_of("uniqCombined", {"UInt8"}, {uint64_t{25}}),
              error_codes::ARGUMENT_OUT_OF_BOUND);
    EXPECT_EQ(error_of("sumIf", {"UInt8", "UInt64"}), error_codes::ILLEGAL_TYPE_OF_ARGUMENT);
    EXPECT_EQ(error_of("sumMerge", {"UInt8"}), error_codes::ILLEGAL_TYPE_OF_ARGUMENT);
    EXPECT_EQ(error_of("avgMerge", {"AggregateFunction(sum, UInt8)"}),
              error_codes::ILLEGAL_TYPE_OF_ARGUMENT);
    EXPECT_EQ(error_of("sumResample", {"UInt8", "UInt8"}), error_codes::NOT_IMPLEMENTED);
}

} // namespace
} // namespace basalt
