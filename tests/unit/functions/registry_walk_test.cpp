// Every function with all kinds of arguments in all forms: it may refuse with an Error, never
// crash, and what it returns has the right size.

#include "base/error.h"
#include "functions/scalar_registry.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace basalt
{

namespace
{

Arguments sample_values(size_t rows)
{
    const auto of = [&](const char* type_name, const Value& value) -> Argument
    {
        const TypePtr type = type_from_name(type_name);
        return {make_constant(type, value, rows), type};
    };
    Arguments samples;
    samples.push_back(of("UInt8", Value(uint64_t{3})));
    samples.push_back(of("Int64", Value(int64_t{-7})));
    samples.push_back(of("Float64", Value(1.5)));
    samples.push_back(of("String", Value(std::string("abc"))));
    samples.push_back(of("FixedString(3)", Value(std::string("abc"))));
    samples.push_back(of("Nullable(Int32)", Null{}));
    samples.push_back(of("Nullable(Nothing)", Null{}));
    samples.push_back(of("Nullable(String)", Value(std::string("x"))));
    samples.push_back(of("Date", Value(uint64_t{19000})));
    samples.push_back(of("DateTime", Value(uint64_t{1700000000})));
    samples.push_back(of("DateTime64(3)", Value(int64_t{1700000000123})));
    samples.push_back(of("Decimal(9, 2)", Value(DecimalValue{Int256(150), 2})));
    samples.push_back(of("Array(UInt8)", Value(ArrayValue{{uint64_t{1}, uint64_t{2}}})));
    samples.push_back(of("Tuple(UInt8, String)",
                         Value(TupleValue{{uint64_t{1}, std::string("a")}})));
    samples.push_back(of("LowCardinality(String)", Value(std::string("lc"))));
    samples.push_back(of("UUID", Value(UInt128{5})));
    samples.push_back(of("IntervalDay", Value(int64_t{1})));
    return samples;
}

enum class Form
{
    Constant,
    Flat,
    Dictionary,
    NoRows,
};

Argument in_form(const Argument& argument, Form form, size_t rows)
{
    switch (form)
    {
        case Form::Constant: return argument;
        case Form::Flat: return {argument.column->to_flat(), argument.type};
        case Form::NoRows: return {argument.type->create_column(), argument.type};
        default:
            if (!can_be_inside_low_cardinality(remove_low_cardinality(argument.type)))
                return {argument.column->to_flat(), argument.type};
            return {std::make_shared<DictionaryColumn>(
                        column_as<ConstantColumn>(argument.column).nested(),
                        PodVector<uint32_t>(rows, 0u)),
                    argument.type};
    }
}

void call_with(const ScalarFunction& function, const Arguments& constants, Form form, size_t rows,
               const QueryContext& context)
{
    try
    {
        Arguments for_type;
        Arguments arguments;
        const auto keep = function.constant_arguments();
        for (size_t i = 0; i < constants.size(); ++i)
        {
            const bool kept = form == Form::Constant ||
                              std::find(keep.begin(), keep.end(), i) != keep.end();
            arguments.push_back(kept ? constants[i] : in_form(constants[i], form, rows));
            for_type.push_back({kept ? make_constant(constants[i].type,
                                                     constants[i].column->value_at(0), 1)
                                     : nullptr,
                                constants[i].type});
        }
        const TypePtr type = resolve_type(function, for_type);
        const size_t count = form == Form::NoRows ? 0 : rows;
        const ColumnPtr result = call_function(function, arguments, type, count, context);
        ASSERT_EQ(result->size(), count) << function.name();
        if (count > 0)
        {
            const ColumnPtr flat = result->to_flat();
            ASSERT_EQ(flat->size(), count) << function.name();
            auto copy = type->create_column();
            copy->append_range(*flat, 0, count);
        }
    }
    catch (const Error& error)
    {
        EXPECT_NE(error.code(), error_codes::LOGICAL_ERROR)
            << function.name() << ": " << error.message();
    }
}

bool takes_long(const std::string& name)
{
    return name == "sleep" || name == "sleepEachRow";
}

} // namespace

TEST(ScalarRegistry, EveryFunctionTakesOrRefusesEverything)
{
    constexpr size_t kRows = 2;
    QueryContext context;
    context.start();
    const Arguments samples = sample_values(kRows);
    for (const auto& entry : scalar_functions().entries())
    {
        if (!entry.alias_of.empty() || takes_long(entry.name))
            continue;
        SCOPED_TRACE(entry.name);
        for (const Form form : {Form::Constant, Form::Flat, Form::Dictionary, Form::NoRows})
        {
            const auto fresh = [&] { return scalar_functions().get(entry.name, context); };
            call_with(*fresh(), {}, form, kRows, context);
            for (const auto& first : samples)
            {
                call_with(*fresh(), {first}, form, kRows, context);
                for (const auto& second : samples)
                {
                    call_with(*fresh(), {first, second}, form, kRows, context);
                    call_with(*fresh(), {first, second, samples[0]}, form, kRows, context);
                    call_with(*fresh(), {first, second, samples[3]}, form, kRows, context);
                }
            }
        }
    }
}

TEST(ScalarRegistry, AliasesNameFunctions)
{
    const QueryContext context;
    for (const auto& entry : scalar_functions().entries())
        EXPECT_TRUE(scalar_functions().find(entry.name, context)) << entry.name;
}

} // namespace basalt
