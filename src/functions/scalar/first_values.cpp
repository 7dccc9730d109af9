// firstNonDefault; countDigits and isDecimalOverflow; profiles, roles and schemas of the user.

#include "functions/choose_rows.h"
#include "functions/numeric_convert.h"
#include "functions/scalar/array_items.h"

#include <fmt/core.h>

namespace basalt
{
namespace
{

TypePtr first_type(const TypeCall& call)
{
    Types types;
    for (const Argument& argument : call.arguments)
        if (!is_null_type(argument.type))
            types.push_back(argument.type);
    if (types.empty())
        return make_nullable(simple_type(TypeId::Nothing));
    const TypePtr type = common_type(types);
    const bool nullable = types.size() < call.size() && can_be_inside_nullable(type);
    return nullable ? make_nullable(type) : type;
}

// The default of a Nullable is NULL: its zero is a value.
ColumnPtr run_first(const Call& call)
{
    if (is_null_type(call.result_type))
        return make_constant(call.result_type, Null{}, call.rows);
    PodVector<uint16_t> which(call.rows, uint16_t{0});
    std::vector<ChoiceSource> sources{
        {make_constant(call.result_type, call.result_type->default_value(), call.rows)}};
    for (const Argument& argument : call.arguments)
    {
        if (is_null_type(argument.type))
            continue;
        const ColumnPtr flat = to_flat(argument.column);
        MutableColumnPtr plain = flat->clone_empty();
        plain->append_default();
        const auto source = static_cast<uint16_t>(sources.size());
        for (size_t i = 0; i < call.rows; ++i)
            if (which[i] == 0 && flat->compare_at(i, *plain, 0, 1) != 0)
                which[i] = source;
        sources.push_back({cast_to(argument, call.result_type, call.context)});
    }
    return choose_rows(call.result_type, std::move(sources), which);
}

ColumnPtr mantissas(const Call& call)
{
    return convert_numbers(call.column(0), call.type(0)->physical(), PhysicalType::Int256);
}

uint8_t digits_of(Int256 value)
{
    uint8_t digits = 0;
    for (; value != Int256(0); value = value / Int256(10))
        ++digits;
    return digits;
}

TypePtr digits_type(const TypeCall& call)
{
    if (!call.type(0)->is_integer() && !call.type(0)->is_decimal())
        throw_illegal_type(call.name, call.arguments, 0, "integer or Decimal");
    return simple_type(TypeId::UInt8);
}

ColumnPtr run_digits(const Call& call)
{
    const ColumnPtr column = mantissas(call);
    const NumberRows<Int256> rows(column);
    return map_rows<uint8_t>(call.rows, [&](size_t i)
                             { return std::max<uint8_t>(digits_of(rows[i]), 1); });
}

TypePtr overflow_type(const TypeCall& call)
{
    if (!call.type(0)->is_decimal())
        throw_illegal_type(call.name, call.arguments, 0, "Decimal");
    return simple_type(TypeId::UInt8);
}

ColumnPtr run_overflow(const Call& call)
{
    const ColumnPtr column = mantissas(call);
    const NumberRows<Int256> rows(column);
    const int64_t precision = call.size() > 1
                                  ? constant_integer(call.name, call.arguments, 1)
                                  : type_as<DecimalType>(call.type(0)).precision();
    return map_rows<uint8_t>(call.rows,
                             [&](size_t i) { return digits_of(rows[i]) > precision; });
}

TypePtr texts_type(const TypeCall&)
{
    return array_of(simple_type(TypeId::String));
}

ColumnPtr run_profiles(const Call& call)
{
    return make_constant(call.result_type, ArrayValue{{Value(std::string("default"))}}, call.rows);
}

ColumnPtr run_roles(const Call& call)
{
    return make_constant(call.result_type, ArrayValue{}, call.rows);
}

ColumnPtr run_schemas(const Call& call)
{
    return make_constant(call.result_type, ArrayValue{{Value(call.context.current_database)}},
                         call.rows);
}

constexpr FunctionSpec kFirst{"firstNonDefault", "*...", first_type, run_first, kKeepNulls};
constexpr FunctionSpec kDigits{"countDigits", "In", digits_type, run_digits};
constexpr FunctionSpec kOverflow{"isDecimalOverflow", "n [ i!", overflow_type, run_overflow};
constexpr FunctionSpec kCurrentProfiles{"currentProfiles", "", texts_type, run_profiles,
                                        kVolatile};
constexpr FunctionSpec kEnabledProfiles{"enabledProfiles", "", texts_type, run_profiles,
                                        kVolatile};
constexpr FunctionSpec kDefaultProfiles{"defaultProfiles", "", texts_type, run_profiles,
                                        kVolatile};
constexpr FunctionSpec kCurrentRoles{"currentRoles", "", texts_type, run_roles, kVolatile};
constexpr FunctionSpec kEnabledRoles{"enabledRoles", "", texts_type, run_roles, kVolatile};
constexpr FunctionSpec kDefaultRoles{"defaultRoles", "", texts_type, run_roles, kVolatile};
constexpr FunctionSpec kSchemas{"currentSchemas", "i!", texts_type, run_schemas,
                                kVolatile | kCaseInsensitive, "current_schemas*"};

} // namespace

void register_first_values(ScalarRegistry& registry)
{
    add_all<kFirst, kDigits, kOverflow, kCurrentProfiles, kEnabledProfiles, kDefaultProfiles,
            kCurrentRoles, kEnabledRoles, kDefaultRoles, kSchemas>(registry);
}

} // namespace basalt
