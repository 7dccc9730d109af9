// toInt8 … toDateTime64, toDecimal32 …, toString, toFixedString, toBool, toUUID, toIPv4 and their
// OrZero, OrNull and OrDefault forms; toIntervalDay …, toInterval, toUnixTimestamp.

#include "base/error.h"
#include "columns/absent_value.h"
#include "functions/cast.h"
#include "functions/cast_order.h"
#include "functions/choose_rows.h"
#include "functions/date_arithmetic.h"
#include "functions/named_function.h"

#include <fmt/format.h>

#include <algorithm>

namespace basalt
{

namespace
{

enum class Form : uint8_t
{
    Plain,
    OrZero,
    OrNull,
    OrDefault,
};

struct Target
{
    const char* name; // of the plain function
    TypeId id;
    uint32_t precision = 0; // of decimals
};

constexpr Target kTargets[] = {
    {"toInt8", TypeId::Int8},
    {"toInt16", TypeId::Int16},
    {"toInt32", TypeId::Int32},
    {"toInt64", TypeId::Int64},
    {"toInt128", TypeId::Int128},
    {"toInt256", TypeId::Int256},
    {"toUInt8", TypeId::UInt8},
    {"toUInt16", TypeId::UInt16},
    {"toUInt32", TypeId::UInt32},
    {"toUInt64", TypeId::UInt64},
    {"toUInt128", TypeId::UInt128},
    {"toUInt256", TypeId::UInt256},
    {"toFloat32", TypeId::Float32},
    {"toFloat64", TypeId::Float64},
    {"toDate", TypeId::Date},
    {"toDate32", TypeId::Date32},
    {"toDateTime", TypeId::DateTime},
    {"toDateTime32", TypeId::DateTime},
    {"toDateTime64", TypeId::DateTime64},
    {"toTime", TypeId::Time},
    {"toTime64", TypeId::Time64},
    {"toDecimal32", TypeId::Decimal32, 9},
    {"toDecimal64", TypeId::Decimal64, 18},
    {"toDecimal128", TypeId::Decimal128, 38},
    {"toDecimal256", TypeId::Decimal256, 76},
    {"toUUID", TypeId::UUID},
    {"toIPv4", TypeId::IPv4},
    {"toIPv6", TypeId::IPv6},
    {"toBool", TypeId::Bool},
    {"toString", TypeId::String},
    {"toFixedString", TypeId::FixedString},
};

const char* form_suffix(Form form)
{
    constexpr const char* kSuffixes[] = {"", "OrZero", "OrNull", "OrDefault"};
    return kSuffixes[static_cast<size_t>(form)];
}

bool has_zone(const TypePtr& type)
{
    return type->is(TypeId::DateTime) || type->is(TypeId::DateTime64);
}

// The same instants shown in another zone.
TypePtr in_zone(const TypePtr& type, const std::string& zone)
{
    timezone(zone); // throws for an unknown one
    if (type->is(TypeId::DateTime64))
        return std::make_shared<DateTime64Type>(type_as<DateTime64Type>(type).scale(), zone);
    return std::make_shared<DateTimeType>(zone);
}

TypePtr without_zone(const TypePtr& type)
{
    if (type->is(TypeId::DateTime))
        return simple_type(TypeId::DateTime);
    if (type->is(TypeId::DateTime64))
        return std::make_shared<DateTime64Type>(type_as<DateTime64Type>(type).scale());
    return type;
}

std::string zone_name(const TypePtr& type)
{
    if (type->is(TypeId::DateTime))
        return type_as<DateTimeType>(type).timezone();
    return type->is(TypeId::DateTime64) ? type_as<DateTime64Type>(type).timezone() : "";
}

class Conversion final : public NamedFunction
{
public:
    Conversion(const Target& target, Form form)
        : NamedFunction(std::string(target.name) + form_suffix(form)), target_(target), form_(form)
    {
    }

    TypePtr return_type(const Arguments& arguments) const override
    {
        const size_t parameters = parameter_count(arguments);
        const size_t optional = takes_zone(arguments) ? 1 : 0;
        const size_t defaults = form_ == Form::OrDefault ? 1 : 0;
        const bool scale_optional =
            target_.id == TypeId::DateTime64 || target_.id == TypeId::Time64;
        check_argument_count(*this, arguments.size(),
                             1 + (scale_optional ? 0 : parameters),
                             1 + parameters + optional + defaults);
        const TypePtr& from = arguments[0].type;
        const bool takes_integers =
            form_ == Form::OrNull &&
            (target_.id == TypeId::Date || target_.id == TypeId::DateTime) &&
            from->is_integer();
        if ((form_ == Form::OrZero || form_ == Form::OrNull) && !from->is_string() &&
            !takes_integers)
            throw Error(error_codes::ILLEGAL_TYPE_OF_ARGUMENT,
                        fmt::format("Illegal type {} of first argument of function {}. Conversion "
                                    "functions with postfix 'OrZero' or 'OrNull' should take "
                                    "String argument",
                                    from->name(), name()));
        if (target_.id == TypeId::FixedString && !from->is_string())
            throw_illegal_type(*this, from);
        const bool composite =
            from->is(TypeId::Array) || from->is(TypeId::Tuple) || from->is(TypeId::Map);
        if (composite && target_.id != TypeId::String)
            throw_illegal_type(*this, from);
        const TypePtr type = target_type(arguments);
        if (form_ == Form::OrDefault && has_default(arguments) &&
            !same_type(without_zone(arguments.back().type), without_zone(type)))
            throw Error(error_codes::BAD_ARGUMENTS,
                        fmt::format("Default value type should be same as cast type. Expected {}. "
                                    "Actual {}",
                                    type->name(), arguments.back().type->name()));
        return form_ == Form::OrNull ? make_nullable(type) : type;
    }

    ColumnPtr execute(const Arguments& arguments, const TypePtr& result_type, size_t rows,
                      const QueryContext& context) const override
    {
        Argument from = arguments[0];
        const TypePtr type = remove_nullable(result_type);
        const size_t zone_at = 1 + parameter_count(arguments);
        const bool zone_given = arguments.size() > zone_at &&
                                arguments[zone_at].type->is(TypeId::String) &&
                                takes_zone(arguments);
        if (zone_given && has_zone(from.type))
            from.type = in_zone(from.type, constant_string(*this, arguments, zone_at));
        CastOptions options;
        options.text_or_null = false;
        if (form_ == Form::Plain)
            return cast_column(from.column, from.type, type, options, context);
        options.or_null = true;
        options.accurate = form_ == Form::OrDefault || arguments[0].type->is_integer();
        const ColumnPtr tried =
            cast_column(from.column, from.type, make_nullable(type), options, context);
        if (form_ == Form::OrNull)
            return tried;
        const auto flat = to_flat(tried);
        const auto& nullable = column_as<NullableColumn>(flat);
        PodVector<uint16_t> which(rows);
        for (size_t i = 0; i < rows; ++i)
            which[i] = nullable.null_map()[i];
        const bool given = form_ == Form::OrDefault && has_default(arguments);
        const ColumnPtr fallback =
            given ? arguments.back().column : make_constant(type, absent_value(*type), rows);
        return choose_rows(type, {{nullable.nested()}, {fallback}}, which);
    }

    std::vector<size_t> constant_arguments() const override { return {1, 2}; }
    bool injective(const Arguments& arguments) const override
    {
        return target_.id == TypeId::String && form_ == Form::Plain &&
               !strip_wrappers(arguments[0].type)->is_float();
    }
    bool worth_short_circuit_for(const Arguments& arguments) const override
    {
        const TypePtr from = strip_wrappers(arguments[0].type);
        const bool cheap = from->is_integer() && target_.id <= TypeId::Float64;
        return !cheap;
    }
    Monotonicity monotonicity(const Arguments& arguments, size_t argument, const Value& left,
                              const Value& right) const override
    {
        if (argument != 0 || form_ != Form::Plain || arguments.size() > 1)
            return Monotonicity::None;
        return cast_monotonicity(arguments[0].type, target_type(arguments), left, right);
    }

private:
    // Scale or width.
    size_t parameter_count(const Arguments& arguments) const
    {
        switch (target_.id)
        {
            case TypeId::Decimal32:
            case TypeId::Decimal64:
            case TypeId::Decimal128:
            case TypeId::Decimal256:
            case TypeId::FixedString: return 1;
            case TypeId::DateTime64:
            case TypeId::Time64: return arguments.size() > 1 ? 1 : 0;
            default: return 0;
        }
    }
    bool takes_zone(const Arguments& arguments) const
    {
        switch (target_.id)
        {
            case TypeId::Date:
            case TypeId::Date32:
            case TypeId::DateTime:
            case TypeId::DateTime64: return true;
            case TypeId::String: return !arguments.empty() && has_zone(arguments[0].type);
            default: return false;
        }
    }
    bool has_default(const Arguments& arguments) const
    {
        const size_t parameters = 1 + parameter_count(arguments);
        if (arguments.size() <= parameters)
            return false;
        return !takes_zone(arguments) || !arguments.back().type->is(TypeId::String);
    }
    std::string zone_of(const Arguments& arguments) const
    {
        const size_t at = 1 + parameter_count(arguments);
        if (arguments.size() > at && arguments[at].type->is(TypeId::String))
        {
            const std::string zone = constant_string(*this, arguments, at);
            timezone(zone);
            return zone;
        }
        return zone_name(arguments[0].type);
    }
    uint32_t parameter(const Arguments& arguments, uint32_t otherwise) const
    {
        if (arguments.size() < 2)
            return otherwise;
        const int64_t value = constant_int(*this, arguments, 1);
        if (value < 0 || value > INT32_MAX)
            throw Error(error_codes::ARGUMENT_OUT_OF_BOUND,
                        fmt::format("Argument {} of function {} is out of bounds", value, name()));
        return static_cast<uint32_t>(value);
    }
    TypePtr target_type(const Arguments& arguments) const
    {
        switch (target_.id)
        {
            case TypeId::Decimal32:
            case TypeId::Decimal64:
            case TypeId::Decimal128:
            case TypeId::Decimal256:
                return std::make_shared<DecimalType>(target_.precision, parameter(arguments, 0));
            case TypeId::FixedString:
                return std::make_shared<FixedStringType>(parameter(arguments, 1));
            case TypeId::DateTime: return std::make_shared<DateTimeType>(zone_of(arguments));
            case TypeId::DateTime64:
                return std::make_shared<DateTime64Type>(parameter(arguments, 3),
                                                        zone_of(arguments));
            case TypeId::Time64: return std::make_shared<Time64Type>(parameter(arguments, 3));
            default: return simple_type(target_.id);
        }
    }

    Target target_;
    Form form_;
};

template <size_t kTarget, Form kForm> ScalarFunctionPtr make_conversion(const QueryContext&)
{
    return std::make_shared<Conversion>(kTargets[kTarget], kForm);
}

template <size_t kTarget> void add_target(ScalarRegistry& registry)
{
    const Target& target = kTargets[kTarget];
    registry.add(target.name, make_conversion<kTarget, Form::Plain>);
    if (target.id == TypeId::Bool || target.id == TypeId::String ||
        target.id == TypeId::FixedString || std::string_view(target.name) == "toDateTime32")
        return;
    const std::string name = target.name;
    registry.add(name + "OrZero", make_conversion<kTarget, Form::OrZero>);
    registry.add(name + "OrNull", make_conversion<kTarget, Form::OrNull>);
    if (target.id != TypeId::Time && target.id != TypeId::Time64)
        registry.add(name + "OrDefault", make_conversion<kTarget, Form::OrDefault>);
}

template <size_t... kTarget>
void add_targets(ScalarRegistry& registry, std::index_sequence<kTarget...>)
{
    (add_target<kTarget>(registry), ...);
}

class ToInterval final : public NamedFunction
{
public:
    ToInterval(std::string name, IntervalKind kind) : NamedFunction(std::move(name)), kind_(kind)
    {
    }
    TypePtr return_type(const Arguments& arguments) const override
    {
        check_argument_count(*this, arguments.size(), 1);
        const TypePtr& from = arguments[0].type;
        if (!from->is_number() && !from->is_string() && !from->is(TypeId::Interval))
            throw_illegal_type(*this, from);
        return std::make_shared<IntervalType>(kind_);
    }
    ColumnPtr execute(const Arguments& arguments, const TypePtr& result_type, size_t rows,
                      const QueryContext& context) const override
    {
        CastOptions options;
        options.text_or_null = false;
        return cast_column(arguments[0].column, arguments[0].type, result_type, options, context);
    }
    bool worth_short_circuit() const override { return false; }

private:
    IntervalKind kind_;
};

template <IntervalKind kKind> ScalarFunctionPtr make_interval(const QueryContext&)
{
    return std::make_shared<ToInterval>(std::string("toInterval") + interval_name(kKind), kKind);
}

class ToIntervalByName final : public NamedFunction
{
public:
    ToIntervalByName() : NamedFunction("toInterval") {}
    TypePtr return_type(const Arguments& arguments) const override
    {
        check_argument_count(*this, arguments.size(), 2);
        std::string unit = constant_string(*this, arguments, 1);
        std::transform(unit.begin(), unit.end(), unit.begin(),
                       [](char c) { return c >= 'A' && c <= 'Z' ? char(c + 32) : c; });
        for (size_t i = 0; i <= static_cast<size_t>(IntervalKind::Year); ++i)
        {
            const auto kind = static_cast<IntervalKind>(i);
            std::string known = interval_name(kind);
            known[0] = static_cast<char>(known[0] + 32);
            if (unit == known || unit == known + "s")
                return std::make_shared<IntervalType>(kind);
        }
        throw Error(error_codes::BAD_ARGUMENTS,
                    fmt::format("Unknown interval unit '{}' in function {}", unit, name()));
    }
    ColumnPtr execute(const Arguments& arguments, const TypePtr& result_type, size_t rows,
                      const QueryContext& context) const override
    {
        return cast_column(arguments[0].column, arguments[0].type, result_type, context);
    }
    std::vector<size_t> constant_arguments() const override { return {1}; }
};

class ToUnixTimestamp final : public NamedFunction
{
public:
    ToUnixTimestamp() : NamedFunction("toUnixTimestamp") {}
    TypePtr return_type(const Arguments& arguments) const override
    {
        check_argument_count(*this, arguments.size(), 1, 2);
        const TypePtr& from = arguments[0].type;
        if (!from->is_date_or_time() && !from->is_string() && !from->is_number())
            throw_illegal_type(*this, from);
        return simple_type(TypeId::UInt32);
    }
    ColumnPtr execute(const Arguments& arguments, const TypePtr& result_type, size_t rows,
                      const QueryContext& context) const override
    {
        CastOptions options;
        options.text_or_null = false;
        const Argument& from = arguments[0];
        if (from.type->is_number())
            return cast_column(from.column, from.type, result_type, options, context);
        const std::string zone =
            arguments.size() > 1 ? constant_string(*this, arguments, 1) : zone_name(from.type);
        return cast_column(from.column, from.type, std::make_shared<DateTimeType>(zone), options,
                           context);
    }
    std::vector<size_t> constant_arguments() const override { return {1}; }
    Monotonicity monotonicity(const Arguments& arguments, size_t argument, const Value& left,
                              const Value& right) const override
    {
        if (argument != 0)
            return Monotonicity::None;
        return cast_monotonicity(arguments[0].type, simple_type(TypeId::DateTime), left, right);
    }
};

} // namespace

void register_conversions(ScalarRegistry& registry)
{
    add_targets(registry, std::make_index_sequence<std::size(kTargets)>());
    registry.add("toIntervalNanosecond", make_interval<IntervalKind::Nanosecond>);
    registry.add("toIntervalMicrosecond", make_interval<IntervalKind::Microsecond>);
    registry.add("toIntervalMillisecond", make_interval<IntervalKind::Millisecond>);
    registry.add("toIntervalSecond", make_interval<IntervalKind::Second>);
    registry.add("toIntervalMinute", make_interval<IntervalKind::Minute>);
    registry.add("toIntervalHour", make_interval<IntervalKind::Hour>);
    registry.add("toIntervalDay", make_interval<IntervalKind::Day>);
    registry.add("toIntervalWeek", make_interval<IntervalKind::Week>);
    registry.add("toIntervalMonth", make_interval<IntervalKind::Month>);
    registry.add("toIntervalQuarter", make_interval<IntervalKind::Quarter>);
    registry.add("toIntervalYear", make_interval<IntervalKind::Year>);
    registry.add("toInterval", [](const QueryContext&) -> ScalarFunctionPtr
                 { return std::make_shared<ToIntervalByName>(); });
    registry.add("toUnixTimestamp", [](const QueryContext&) -> ScalarFunctionPtr
                 { return std::make_shared<ToUnixTimestamp>(); });
    registry.add_alias("DATE", "toDate", true);
}

} // namespace basalt
