// arrayReduce, arrayReduceInRanges: aggregate functions over the items of arrays.

#include "functions/aggregate_function.h"
#include "functions/scalar/array_items.h"

#include <fmt/core.h>

#include <algorithm>
#include <charconv>

namespace basalt
{
namespace
{

// A literal of a parameter list: number, 'text' or nothing else.
Value parse_parameter(std::string_view text)
{
    while (!text.empty() && text.front() == ' ')
        text.remove_prefix(1);
    while (!text.empty() && text.back() == ' ')
        text.remove_suffix(1);
    if (text.size() >= 2 && text.front() == '\'' && text.back() == '\'')
        return std::string(text.substr(1, text.size() - 2));
    uint64_t whole;
    const char* end = text.data() + text.size();
    if (auto [at, error] = std::from_chars(text.data(), end, whole);
        error == std::errc() && at == end)
        return whole;
    double number;
    if (auto [at, error] = std::from_chars(text.data(), end, number);
        error == std::errc() && at == end)
        return number;
    throw Error(error_codes::BAD_ARGUMENTS,
                fmt::format("Parameter '{}' of an aggregate function must be a literal", text));
}

// "quantile(0.5)" to name and parameters.
std::string parse_aggregate(std::string_view text, Values& parameters)
{
    const size_t open = text.find('(');
    if (open == text.npos)
        return std::string(text);
    if (text.back() != ')')
        throw Error(error_codes::BAD_ARGUMENTS,
                    fmt::format("Incorrect parameters of aggregate function '{}'", text));
    std::string_view rest = text.substr(open + 1, text.size() - open - 2);
    while (!rest.empty())
    {
        const size_t comma = rest.find(',');
        parameters.push_back(parse_parameter(rest.substr(0, comma)));
        rest = comma == rest.npos ? std::string_view() : rest.substr(comma + 1);
    }
    return std::string(text.substr(0, open));
}

AggregateFunctionPtr aggregate_of(std::string_view name, const Arguments& arguments, size_t first)
{
    Values parameters;
    const std::string aggregate =
        parse_aggregate(constant_text(name, arguments, 0), parameters);
    Types types;
    for (size_t i = first; i < arguments.size(); ++i)
    {
        if (!arguments[i].type->is(TypeId::Array))
            throw_illegal_type(name, arguments, i, "Array");
        types.push_back(item_type(arguments[i].type));
    }
    return aggregate_functions().get(aggregate, types, parameters);
}

// A state in aligned memory, made anew for each use.
class State
{
public:
    explicit State(const AggregateFunction& function)
        : function_(function),
          memory_(static_cast<char*>(::operator new(std::max<size_t>(function.state_size(), 1),
                                                    std::align_val_t(function.state_alignment()))))
    {
        try
        {
            function_.create_state(memory_);
        }
        catch (...)
        {
            free();
            throw;
        }
    }
    ~State()
    {
        function_.destroy_state(memory_);
        free();
    }
    State(const State&) = delete;
    State& operator=(const State&) = delete;
    char* get() { return memory_; }

private:
    void free()
    {
        ::operator delete(memory_, std::align_val_t(function_.state_alignment()));
    }
    const AggregateFunction& function_;
    char* memory_;
};

// Calls f(append) where append(begin, end) aggregates items and appends the result.
struct Reducer
{
    AggregateFunctionPtr function;
    std::vector<ArrayRows> arrays;
    Columns owners;
    std::vector<const Column*> items;
    MutableColumnPtr result;

    Reducer(const Call& call, size_t first)
        : function(aggregate_of(call.name, call.arguments, first)),
          result(function->result_type()->create_column())
    {
        for (size_t i = first; i < call.size(); ++i)
        {
            owners.push_back(to_flat(call.column(i)));
            arrays.emplace_back(owners.back());
            items.push_back(arrays.back().items().get());
        }
        check_equal_lengths(call.name, arrays, call.rows);
    }
    void append(size_t begin, size_t end)
    {
        Arena arena;
        State state(*function);
        function->add_range(state.get(), items, begin, end, arena);
        function->append_result(state.get(), *result, arena);
    }
};

TypePtr reduce_type(const TypeCall& call)
{
    return aggregate_of(call.name, call.arguments, 1)->result_type();
}

ColumnPtr run_reduce(const Call& call)
{
    Reducer reducer(call, 1);
    for (size_t i = 0; i < call.rows; ++i)
        reducer.append(reducer.arrays[0].begin(i), reducer.arrays[0].end(i));
    return reducer.result;
}

TypePtr reduce_ranges_type(const TypeCall& call)
{
    const TypePtr& range = item_type(call.type(1));
    const bool good = range->is(TypeId::Tuple) &&
                      type_as<TupleType>(range).elements().size() == 2 &&
                      type_as<TupleType>(range).elements()[0]->is_integer() &&
                      type_as<TupleType>(range).elements()[1]->is_integer();
    if (!good)
        throw_illegal_type(call.name, call.arguments, 1, "Array of (index, length)");
    return array_of(aggregate_of(call.name, call.arguments, 2)->result_type());
}

ColumnPtr run_reduce_ranges(const Call& call)
{
    Reducer reducer(call, 2);
    const ColumnPtr flat = to_flat(call.column(1));
    const ArrayRows ranges(flat);
    const auto& pairs = column_as<TupleColumn>(ranges.items());
    const Types& types = type_as<TupleType>(item_type(call.type(1))).elements();
    const IntegerRows indexes({pairs.element(0), types[0]});
    const IntegerRows lengths({pairs.element(1), types[1]});
    for (size_t i = 0; i < call.rows; ++i)
    {
        const auto size = static_cast<int64_t>(reducer.arrays[0].length(i));
        const size_t base = reducer.arrays[0].begin(i);
        for (size_t j = ranges.begin(i); j < ranges.end(i); ++j)
        {
            // Positions count from 1, or from the end when negative; ranges are cut to the array.
            const int64_t begin = indexes[j] > 0   ? indexes[j] - 1
                                  : indexes[j] < 0 ? size + indexes[j]
                                                   : 0;
            const int64_t end = begin + lengths[j];
            const int64_t from = std::clamp<int64_t>(begin, 0, size);
            const int64_t to = std::clamp<int64_t>(end, from, size);
            reducer.append(base + static_cast<size_t>(from), base + static_cast<size_t>(to));
        }
    }
    return ArrayColumn::make(reducer.result, ranges.array().offsets_column());
}

constexpr FunctionSpec kReduce{"arrayReduce", "s! a...", reduce_type, run_reduce};
constexpr FunctionSpec kReduceRanges{"arrayReduceInRanges", "s! a a...", reduce_ranges_type,
                                     run_reduce_ranges};

} // namespace

void register_array_reduce(ScalarRegistry& registry)
{
    add_all<kReduce, kReduceRanges>(registry);
}

} // namespace basalt
