// tumble, tumbleStart, tumbleEnd, hop, hopStart, hopEnd, windowID: windows of time.

#include "functions/scalar/function_spec.h"

#include <fmt/core.h>

namespace basalt
{
namespace
{

// tumble(time, size [, zone]), hop(time, step, size [, zone])
struct WindowArguments
{
    Argument time;
    Argument step;
    Argument size;
    Argument zone; // without type when there is none
};

bool is_hop(std::string_view name, const Arguments& arguments)
{
    return name.starts_with("hop") ||
           (name == "windowID" && arguments.size() > 2 &&
            arguments[2].type->is(TypeId::Interval));
}

WindowArguments read_arguments(std::string_view name, const Arguments& arguments)
{
    const bool hops = is_hop(name, arguments);
    WindowArguments result{arguments[0], arguments[1], arguments[hops ? 2 : 1], {}};
    const size_t zone = hops ? 3 : 2;
    if (arguments.size() > zone + 1)
        throw Error(error_codes::NUMBER_OF_ARGUMENTS_DOESNT_MATCH,
                    fmt::format("Function {} takes at most {} arguments here, passed {}", name,
                                zone + 1, arguments.size()));
    if (arguments.size() > zone)
    {
        if (!arguments[zone].type->is(TypeId::String))
            throw_illegal_type(name, arguments, zone, "String with a time zone");
        result.zone = arguments[zone];
    }
    return result;
}

void check_window(std::string_view name, const Arguments& arguments)
{
    if (!arguments[0].type->is(TypeId::DateTime))
        throw_illegal_type(name, arguments, 0, "DateTime");
    const WindowArguments window = read_arguments(name, arguments);
    if (!is_hop(name, arguments))
        return;
    const auto kind = [](const Argument& argument)
    { return type_as<IntervalType>(argument.type).kind(); };
    if (!window.size.type->is(TypeId::Interval))
        throw_illegal_type(name, arguments, 2, "Interval");
    if (kind(window.step) != kind(window.size))
        throw Error(error_codes::ILLEGAL_COLUMN,
                    fmt::format("Illegal type of window and hop column of function {}, must be "
                                "same",
                                name));
}

TypePtr moment_type(const TypeCall& call)
{
    check_window(call.name, call.arguments);
    const WindowArguments window = read_arguments(call.name, call.arguments);
    if (window.zone.type && window.zone.column)
        return std::make_shared<DateTimeType>(
            constant_text(call.name, call.arguments, call.size() - 1));
    return call.type(0);
}

TypePtr pair_type(const TypeCall& call)
{
    const TypePtr moment = moment_type(call);
    return std::make_shared<TupleType>(Types{moment, moment});
}

TypePtr id_type(const TypeCall& call)
{
    check_window(call.name, call.arguments);
    return simple_type(TypeId::UInt32);
}

ColumnPtr call_by_name(const char* name, Arguments arguments, TypePtr& type, const Call& call)
{
    const auto function = scalar_functions().get(name, call.context);
    type = resolve_type(*function, arguments);
    return call_function(*function, arguments, type, call.rows, call.context);
}

struct Bounds
{
    ColumnPtr begin;
    ColumnPtr end;
};

// A tumbling window begins at a multiple of its size; a hopping one ends at the next multiple of
// the step.
Bounds bounds_of(const Call& call, const TypePtr& moment)
{
    const WindowArguments window = read_arguments(call.name, call.arguments);
    Arguments start_arguments{window.time, window.step};
    if (window.zone.type)
        start_arguments.push_back(window.zone);
    TypePtr type;
    const ColumnPtr start = cast_to(
        call_by_name("toStartOfInterval", start_arguments, type, call), type, moment, call.context);
    const auto shifted = [&](const char* function, const ColumnPtr& from, const Argument& by)
    {
        TypePtr shifted_type;
        const ColumnPtr column =
            call_by_name(function, {{from, moment}, by}, shifted_type, call);
        return cast_to(column, shifted_type, moment, call.context);
    };
    const ColumnPtr end = shifted("plus", start, window.step);
    if (!is_hop(call.name, call.arguments))
        return {to_flat(start), to_flat(end)};
    return {to_flat(shifted("minus", end, window.size)), to_flat(end)};
}

ColumnPtr run_pair(const Call& call)
{
    const Bounds bounds =
        bounds_of(call, type_as<TupleType>(call.result_type).elements()[0]);
    return TupleColumn::make({bounds.begin, bounds.end}, call.rows);
}

template <bool kEnd> ColumnPtr run_bound(const Call& call)
{
    const Bounds bounds = bounds_of(call, call.result_type);
    return kEnd ? bounds.end : bounds.begin;
}

// The end of the window in seconds.
ColumnPtr run_id(const Call& call)
{
    const WindowArguments window = read_arguments(call.name, call.arguments);
    const TypePtr moment =
        window.zone.type
            ? std::make_shared<DateTimeType>(
                  constant_text(call.name, call.arguments, call.size() - 1))
            : call.type(0);
    return bounds_of(call, moment).end;
}

constexpr auto kVersions = kNoDictionary;
constexpr FunctionSpec kTumble{"tumble", "D v! [ s!", pair_type, run_pair, kVersions};
constexpr FunctionSpec kTumbleStart{"tumbleStart", "D v! [ s!", moment_type, run_bound<false>,
                                    kVersions, "TUMBLE_START"};
constexpr FunctionSpec kTumbleEnd{"tumbleEnd", "D v! [ s!", moment_type, run_bound<true>,
                                  kVersions, "TUMBLE_END"};
constexpr FunctionSpec kHop{"hop", "D v! v! [ s!", pair_type, run_pair, kVersions};
constexpr FunctionSpec kHopStart{"hopStart", "D v! v! [ s!", moment_type, run_bound<false>,
                                 kVersions, "HOP_START"};
constexpr FunctionSpec kHopEnd{"hopEnd", "D v! v! [ s!", moment_type, run_bound<true>, kVersions,
                               "HOP_END"};
constexpr FunctionSpec kId{"windowID", "D v! [ vs! s!", id_type, run_id, kVersions};

} // namespace

void register_time_window(ScalarRegistry& registry)
{
    add_all<kTumble, kTumbleStart, kTumbleEnd, kHop, kHopStart, kHopEnd, kId>(registry);
}

} // namespace basalt
