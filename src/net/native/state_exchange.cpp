#include "net/native/state_exchange.h"

#include "base/error.h"

#include <algorithm>
#include <fmt/format.h>
#include <string_view>

namespace basalt
{

namespace
{

// Compared byte by byte with ClickHouse 26.7 (tests/e2e/native_peers.py).
constexpr std::string_view kSame[] = {
    "any", "anyLast", "avg", "corr", "count", "groupBitAnd", "groupBitOr", "groupBitXor",
    "groupBitmap", "max", "min", "stddevPop", "stddevSamp", "sum", "sumCount", "sumKahan",
    "varPop", "varSamp"};
// Where the arguments are numbers.
constexpr std::string_view kSameOfNumbers[] = {"groupArray", "groupUniqArray", "uniq",
                                               "uniqExact"};

template <size_t n> bool among(const std::string_view (&names)[n], std::string_view name)
{
    return std::find(std::begin(names), std::end(names), name) != std::end(names);
}

bool is_number(const TypePtr& type)
{
    switch (type->id())
    {
    case TypeId::UInt8:
    case TypeId::UInt16:
    case TypeId::UInt32:
    case TypeId::UInt64:
    case TypeId::Int8:
    case TypeId::Int16:
    case TypeId::Int32:
    case TypeId::Int64:
        return true;
    default:
        return false;
    }
}

void check_type(const TypePtr& type)
{
    switch (type->id())
    {
    case TypeId::Array:
        return check_type(type_as<ArrayType>(type).nested());
    case TypeId::Map:
        return check_type(type_as<MapType>(type).value());
    case TypeId::Tuple:
        for (const auto& element : type_as<TupleType>(type).elements())
            check_type(element);
        return;
    case TypeId::AggregateFunction:
        break;
    default:
        return;
    }
    const auto& states = type_as<AggregateFunctionType>(type);
    // "AggregateFunction(sumIf, UInt64, UInt8)"
    std::string_view name = type->name();
    name.remove_prefix(name.find('(') + 1);
    name = name.substr(0, name.find_first_of("(,) "));
    Types arguments = states.arguments();
    if (name.ends_with("If") && !arguments.empty())
    {
        name.remove_suffix(2);
        arguments.pop_back();
    }
    const bool numbers = std::all_of(arguments.begin(), arguments.end(), is_number);
    if (among(kSame, name) || (numbers && arguments.size() == 1 && among(kSameOfNumbers, name)))
        return;
    throw Error(error_codes::NOT_IMPLEMENTED,
                fmt::format("States of type {} are laid out differently than in ClickHouse and are "
                            "not exchanged: finalizeAggregation() or -Merge gives their values",
                            type->name()));
}

} // namespace

void check_exchanged_states(const Header& header)
{
    for (const auto& column : header)
        check_type(column.type);
}

} // namespace basalt
