// CAST, _CAST, accurateCast and its OrNull and OrDefault forms, toLowCardinality.

#include "base/error.h"
#include "columns/absent_value.h"
#include "functions/cast.h"
#include "functions/cast_order.h"
#include "functions/choose_rows.h"
#include "functions/named_function.h"

#include <fmt/format.h>

namespace basalt
{

namespace
{

enum class Failing : uint8_t
{
    Throws,
    Null,
    Default,
};

class CastFunction final : public NamedFunction
{
public:
    CastFunction(std::string name, bool accurate, Failing failing, bool keep_nullable)
        : NamedFunction(std::move(name)), accurate_(accurate), failing_(failing),
          keep_nullable_(keep_nullable)
    {
    }

    TypePtr return_type(const Arguments& arguments) const override
    {
        check_argument_count(*this, arguments.size(), 2, failing_ == Failing::Default ? 3 : 2);
        const ColumnPtr& name_column = arguments[1].column;
        if (!name_column || !arguments[1].type->is(TypeId::String))
            throw Error(error_codes::ILLEGAL_TYPE_OF_ARGUMENT,
                        fmt::format("Second argument to {} must be a constant string describing "
                                    "type. Instead there is {}",
                                    name(), arguments[1].type->name()));
        TypePtr type = type_from_name(name_column->value_at(0).get<std::string>());
        if (failing_ == Failing::Null ||
            (keep_nullable_ && is_nullable_or_lc_nullable(arguments[0].type) &&
             can_be_inside_nullable(remove_low_cardinality(type))))
            type = make_nullable(type);
        if (arguments.size() == 3 && !same_type(arguments[2].type, type))
            throw Error(error_codes::BAD_ARGUMENTS,
                        fmt::format("Default value type should be same as cast type. Expected {}. "
                                    "Actual {}",
                                    type->name(), arguments[2].type->name()));
        return type;
    }

    ColumnPtr execute(const Arguments& arguments, const TypePtr& result_type, size_t rows,
                      const QueryContext& context) const override
    {
        const Argument& from = arguments[0];
        CastOptions options;
        options.accurate = accurate_;
        if (failing_ == Failing::Throws)
            return cast_column(from.column, from.type, result_type, options, context);
        options.or_null = true;
        if (failing_ == Failing::Null)
            return cast_column(from.column, from.type, result_type, options, context);
        if (!can_be_inside_nullable(remove_nullable(result_type)))
            return cast_column(from.column, from.type, result_type, CastOptions{}, context);
        const TypePtr tried = make_nullable(remove_low_cardinality(result_type));
        const ColumnPtr values =
            to_flat(cast_column(from.column, from.type, tried, options, context));
        if (result_type->is_nullable())
            return values;
        const auto& nullable = column_as<NullableColumn>(values);
        PodVector<uint16_t> which(rows);
        for (size_t i = 0; i < rows; ++i)
            which[i] = nullable.null_map()[i];
        const ColumnPtr fallback = arguments.size() == 3
                                       ? arguments[2].column
                                       : make_constant(result_type, absent_value(*result_type),
                                                       rows);
        return choose_rows(result_type, {{nullable.nested()}, {fallback}}, which);
    }

    bool default_nulls() const override { return false; }
    bool default_low_cardinality() const override { return false; }
    std::vector<size_t> constant_arguments() const override { return {1}; }

    Monotonicity monotonicity(const Arguments& arguments, size_t argument, const Value& left,
                              const Value& right) const override
    {
        if (argument != 0 || failing_ != Failing::Throws)
            return Monotonicity::None;
        return cast_monotonicity(arguments[0].type, return_type(arguments), left, right);
    }

private:
    bool accurate_;
    Failing failing_;
    bool keep_nullable_;
};

class ToLowCardinality final : public NamedFunction
{
public:
    ToLowCardinality() : NamedFunction("toLowCardinality") {}

    TypePtr return_type(const Arguments& arguments) const override
    {
        check_argument_count(*this, arguments.size(), 1);
        if (arguments[0].type->is_low_cardinality())
            return arguments[0].type;
        if (!can_be_inside_low_cardinality(arguments[0].type))
            throw_illegal_type(*this, arguments[0].type);
        return std::make_shared<LowCardinalityType>(arguments[0].type);
    }
    ColumnPtr execute(const Arguments& arguments, const TypePtr&, size_t,
                      const QueryContext&) const override
    {
        return arguments[0].column;
    }
    bool default_nulls() const override { return false; }
    bool default_low_cardinality() const override { return false; }
    bool takes_dictionaries() const override { return true; }
    bool default_dictionary() const override { return false; }
    bool worth_short_circuit() const override { return false; }
};

} // namespace

void register_cast_functions(ScalarRegistry& registry)
{
    registry.add(
        "CAST",
        [](const QueryContext& context) -> ScalarFunctionPtr
        {
            return std::make_shared<CastFunction>("CAST", false, Failing::Throws,
                                                  context.settings.get_bool("cast_keep_nullable"));
        },
        true);
    // What literals and the engine itself use: not touched by settings.
    registry.add(
        "_CAST",
        [](const QueryContext&) -> ScalarFunctionPtr
        { return std::make_shared<CastFunction>("_CAST", false, Failing::Throws, false); },
        true);
    registry.add("accurateCast",
                 [](const QueryContext& context) -> ScalarFunctionPtr
                 {
                     return std::make_shared<CastFunction>(
                         "accurateCast", true, Failing::Throws,
                         context.settings.get_bool("cast_keep_nullable"));
                 });
    registry.add("accurateCastOrNull", [](const QueryContext&) -> ScalarFunctionPtr
                 {
                     return std::make_shared<CastFunction>("accurateCastOrNull", true,
                                                           Failing::Null, false);
                 });
    registry.add("accurateCastOrDefault", [](const QueryContext&) -> ScalarFunctionPtr
                 {
                     return std::make_shared<CastFunction>("accurateCastOrDefault", true,
                                                           Failing::Default, false);
                 });
    registry.add("toLowCardinality", [](const QueryContext&) -> ScalarFunctionPtr
                 { return std::make_shared<ToLowCardinality>(); });
}

} // namespace basalt
