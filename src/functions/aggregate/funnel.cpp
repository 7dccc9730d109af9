// windowFunnel and retention.

#include "functions/aggregate/aggregate_of.h"

#include <algorithm>

namespace basalt
{

namespace
{

constexpr size_t kMaxConditions = 32;

bool holds(const Column& column, size_t row)
{
    return vector_of<uint8_t>(column)[row] != 0;
}

void expect_conditions(const std::string& name, const Types& arguments, size_t from)
{
    if (arguments.size() < from + 1 || arguments.size() > from + kMaxConditions)
        throw Error(error_codes::NUMBER_OF_ARGUMENTS_DOESNT_MATCH,
                    "Incorrect number of arguments for aggregate function " + name);
    for (size_t i = from; i < arguments.size(); ++i)
        if (arguments[i]->physical() != PhysicalType::UInt8)
            throw Error(error_codes::ILLEGAL_TYPE_OF_ARGUMENT,
                        "Illegal type " + arguments[i]->name() + " of argument " +
                            std::to_string(i + 1) + " of aggregate function " + name +
                            ", must be UInt8");
}

struct Event
{
    uint64_t time;
    uint32_t step; // number of the condition, from 1
};

struct FunnelState
{
    PodVector<Event> events;
};

// The longest chain of conditions 1, 2, … met in order within the window.
class WindowFunnel final : public AggregateOf<FunnelState, WindowFunnel>
{
public:
    WindowFunnel(const std::string& name, const Types& arguments, const Values& parameters,
                 uint64_t window, bool strict_increase)
        : AggregateOf(name, arguments, parameters, simple_type(TypeId::UInt8)), window_(window),
          strict_increase_(strict_increase)
    {
        dispatch_vector(arguments[0]->physical(),
                        [&](auto tag)
                        {
                            using T = typename decltype(tag)::type;
                            if constexpr (std::is_unsigned_v<T> && sizeof(T) <= 8)
                                time_at_ = [](const Column& column, size_t row)
                                { return static_cast<uint64_t>(vector_of<T>(column)[row]); };
                        });
        BASALT_ASSERT(time_at_);
    }

    void add(FunnelState& state, std::span<const Column* const> arguments, size_t row, Arena&) const
    {
        const uint64_t time = time_at_(*arguments[0], row);
        // A row may be several steps at once.
        for (size_t i = 1; i < arguments.size(); ++i)
            if (holds(*arguments[i], row))
                state.events.push_back({time, static_cast<uint32_t>(i)});
    }
    void merge(FunnelState& into, const FunnelState& from, Arena&) const
    {
        into.events.append(from.events.data(), from.events.size());
    }
    void write(const FunnelState& from, std::string& out) const
    {
        put_count(out, from.events.size());
        for (const Event& event : from.events)
        {
            put_fixed(out, event.time);
            out += static_cast<char>(event.step);
        }
    }
    void read(FunnelState& into, StateReader& in, Arena&) const
    {
        into.events.clear();
        for (size_t left = in.count_of(sizeof(uint64_t) + 1); left > 0; --left)
        {
            const auto time = in.fixed<uint64_t>();
            const uint32_t step = in.fixed<uint8_t>();
            if (step == 0 || step >= argument_types().size())
                StateReader::corrupted();
            into.events.push_back({time, step});
        }
    }
    void result(FunnelState& from, Column& into, Arena&) const
    {
        vector_of<uint8_t>(into).push_back(static_cast<uint8_t>(longest(from.events)));
    }

private:
    size_t longest(PodVector<Event>& events) const
    {
        std::sort(events.begin(), events.end(), [](const Event& a, const Event& b)
                  { return a.time != b.time ? a.time < b.time : a.step < b.step; });
        // Per step: when its chain began and when it was reached.
        struct Chain
        {
            bool reached = false;
            uint64_t begin = 0;
            uint64_t last = 0;
        };
        std::vector<Chain> chains(argument_types().size());
        size_t best = 0;
        for (const Event& event : events)
        {
            if (event.step == 1)
                chains[1] = {true, event.time, event.time};
            else
            {
                const Chain& before = chains[event.step - 1];
                const bool in_time =
                    before.reached && event.time <= before.begin + window_ &&
                    (!strict_increase_ || before.last < event.time);
                if (!in_time)
                    continue;
                chains[event.step] = {true, before.begin, event.time};
            }
            best = std::max<size_t>(best, event.step);
        }
        return best;
    }

    uint64_t window_;
    bool strict_increase_;
    uint64_t (*time_at_)(const Column&, size_t) = nullptr;
};

AggregateFunctionPtr make_funnel(const std::string& name, const Types& arguments,
                                 const Values& parameters)
{
    expect_conditions(name, arguments, 1);
    const TypePtr& time = arguments[0];
    const bool taken = time->is(TypeId::Date) || time->is(TypeId::DateTime) ||
                       (time->is_unsigned() && time->physical() <= PhysicalType::UInt64);
    if (!taken)
        throw Error(error_codes::ILLEGAL_TYPE_OF_ARGUMENT,
                    "Illegal type " + time->name() + " of first argument of aggregate function " +
                        name + ", must be Unsigned Number, Date, DateTime");
    if (parameters.empty())
        throw Error(error_codes::NUMBER_OF_ARGUMENTS_DOESNT_MATCH,
                    "Aggregate function " + name + " requires at least one parameter: window");
    bool strict_increase = false;
    for (size_t i = 1; i < parameters.size(); ++i)
    {
        const auto* mode = parameters[i].get_if<std::string>();
        if (mode && *mode == "strict_increase")
            strict_increase = true;
        else if (mode && (*mode == "strict_once" || *mode == "strict_order" ||
                          *mode == "strict_deduplication" || *mode == "allow_reentry"))
            throw Error(error_codes::NOT_IMPLEMENTED,
                        "Mode " + *mode + " of aggregate function " + name + " is not supported");
        else
            throw Error(error_codes::BAD_ARGUMENTS, "Aggregate function " + name +
                                                        " doesn't support a parameter: " +
                                                        parameters[i].to_text());
    }
    return std::make_shared<WindowFunnel>(name, arguments, parameters,
                                          unsigned_parameter(name, parameters[0]),
                                          strict_increase);
}

struct RetentionState
{
    uint32_t met = 0; // bit i: condition i held in some row
};

class Retention final : public AggregateOf<RetentionState, Retention>
{
public:
    using AggregateOf::AggregateOf;

    void add(RetentionState& state, std::span<const Column* const> arguments, size_t row,
             Arena&) const
    {
        for (size_t i = 0; i < arguments.size(); ++i)
            state.met |= static_cast<uint32_t>(holds(*arguments[i], row)) << i;
    }
    void merge(RetentionState& into, const RetentionState& from, Arena&) const
    {
        into.met |= from.met;
    }
    void write(const RetentionState& from, std::string& out) const { put_fixed(out, from.met); }
    void read(RetentionState& into, StateReader& in, Arena&) const
    {
        into.met = in.fixed<uint32_t>();
    }
    void result(RetentionState& from, Column& into, Arena&) const
    {
        auto& array = column_as<ArrayColumn>(into);
        auto& items = vector_of<uint8_t>(array.mutable_items());
        for (size_t i = 0; i < argument_types().size(); ++i)
            items.push_back((from.met & 1) & (from.met >> i));
        array.mutable_offsets().push_back(items.size());
    }
};

AggregateFunctionPtr make_retention(const std::string& name, const Types& arguments,
                                    const Values& parameters)
{
    expect_no_parameters(name, parameters);
    expect_conditions(name, arguments, 0);
    if (arguments.size() < 2)
        throw Error(error_codes::NUMBER_OF_ARGUMENTS_DOESNT_MATCH,
                    "Not enough event arguments for aggregate function " + name);
    return std::make_shared<Retention>(
        name, arguments, parameters, std::make_shared<ArrayType>(simple_type(TypeId::UInt8)));
}

} // namespace

void register_funnel(AggregateRegistry& registry)
{
    registry.add("windowFunnel", make_funnel, {.default_when_all_null = true});
    registry.add("retention", make_retention, {.default_when_all_null = true});
}

} // namespace basalt
