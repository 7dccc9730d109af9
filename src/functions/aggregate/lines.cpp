// Functions of two numbers a row: avgWeighted, simpleLinearRegression, boundingRatio; and sumKahan
// of one.

#include "functions/aggregate/over_doubles.h"

#include <cmath>

namespace basalt
{

namespace
{

struct WeightedState
{
    double sum = 0;
    double weights = 0;
};

class AvgWeighted final : public OverDoubles<WeightedState, AvgWeighted, 2>
{
public:
    using OverDoubles::OverDoubles;

    void add_numbers(WeightedState& state, const double* values) const
    {
        state.sum += values[0] * values[1];
        state.weights += values[1];
    }
    void merge(WeightedState& into, const WeightedState& from, Arena&) const
    {
        into.sum += from.sum;
        into.weights += from.weights;
    }
    void write(const WeightedState& from, std::string& out) const { put_fixed(out, from); }
    void read(WeightedState& into, StateReader& in, Arena&) const
    {
        into = in.fixed<WeightedState>();
    }
    void result(WeightedState& from, Column& into, Arena&) const
    {
        vector_of<double>(into).push_back(from.sum / from.weights);
    }
};

struct LineState
{
    double count = 0;
    double x = 0;
    double y = 0;
    double xx = 0;
    double xy = 0;
};

class LinearRegression final : public OverDoubles<LineState, LinearRegression, 2>
{
public:
    using OverDoubles::OverDoubles;

    void add_numbers(LineState& state, const double* values) const
    {
        ++state.count;
        state.x += values[0];
        state.y += values[1];
        state.xx += values[0] * values[0];
        state.xy += values[0] * values[1];
    }
    void merge(LineState& into, const LineState& from, Arena&) const
    {
        into.count += from.count;
        into.x += from.x;
        into.y += from.y;
        into.xx += from.xx;
        into.xy += from.xy;
    }
    void write(const LineState& from, std::string& out) const { put_fixed(out, from); }
    void read(LineState& into, StateReader& in, Arena&) const { into = in.fixed<LineState>(); }
    void result(LineState& s, Column& into, Arena&) const
    {
        const double divisor = s.count * s.xx - s.x * s.x;
        const double slope =
            divisor == 0 || s.count == 0 ? NAN : (s.count * s.xy - s.x * s.y) / divisor;
        auto& tuple = column_as<TupleColumn>(into);
        vector_of<double>(tuple.mutable_element(0)).push_back(slope);
        vector_of<double>(tuple.mutable_element(1)).push_back((s.y - slope * s.x) / s.count);
        tuple.set_rows(tuple.element(0)->size());
    }
};

struct BoundsState
{
    uint64_t has = 0;
    double left_x = 0;
    double left_y = 0;
    double right_x = 0;
    double right_y = 0;
};

class BoundingRatio final : public OverDoubles<BoundsState, BoundingRatio, 2>
{
public:
    using OverDoubles::OverDoubles;

    void add_numbers(BoundsState& state, const double* values) const
    {
        if (!state.has || values[0] < state.left_x)
        {
            state.left_x = values[0];
            state.left_y = values[1];
        }
        if (!state.has || values[0] > state.right_x)
        {
            state.right_x = values[0];
            state.right_y = values[1];
        }
        state.has = 1;
    }
    void merge(BoundsState& into, const BoundsState& from, Arena&) const
    {
        if (!from.has)
            return;
        const double left[] = {from.left_x, from.left_y};
        const double right[] = {from.right_x, from.right_y};
        add_numbers(into, left);
        add_numbers(into, right);
    }
    void write(const BoundsState& from, std::string& out) const { put_fixed(out, from); }
    void read(BoundsState& into, StateReader& in, Arena&) const
    {
        into = in.fixed<BoundsState>();
        into.has = into.has ? 1 : 0;
    }
    void result(BoundsState& s, Column& into, Arena&) const
    {
        vector_of<double>(into).push_back(
            s.has ? (s.right_y - s.left_y) / (s.right_x - s.left_x) : NAN);
    }
};

struct KahanState
{
    double sum = 0;
    double lost = 0; // what rounding took away so far
};

class SumKahan final : public OverDoubles<KahanState, SumKahan, 1>
{
public:
    using OverDoubles::OverDoubles;

    void add_numbers(KahanState& state, const double* values) const
    {
        const double wanted = values[0] - state.lost;
        const double sum = state.sum + wanted;
        state.lost = (sum - state.sum) - wanted;
        state.sum = sum;
    }
    void merge(KahanState& into, const KahanState& from, Arena&) const
    {
        add_numbers(into, &from.sum);
        into.lost += from.lost;
    }
    void write(const KahanState& from, std::string& out) const { put_fixed(out, from); }
    void read(KahanState& into, StateReader& in, Arena&) const { into = in.fixed<KahanState>(); }
    void result(KahanState& from, Column& into, Arena&) const
    {
        vector_of<double>(into).push_back(from.sum);
    }
};

} // namespace

void register_lines(AggregateRegistry& registry)
{
    registry.add("avgWeighted",
                 [](const std::string& name, const Types& arguments,
                    const Values& parameters) -> AggregateFunctionPtr
                 {
                     expect_no_parameters(name, parameters);
                     expect_numbers(name, arguments, 2, false, true);
                     return std::make_shared<AvgWeighted>(name, arguments, parameters,
                                                          simple_type(TypeId::Float64));
                 });
    registry.add("simpleLinearRegression",
                 [](const std::string& name, const Types& arguments,
                    const Values& parameters) -> AggregateFunctionPtr
                 {
                     expect_no_parameters(name, parameters);
                     expect_numbers(name, arguments, 2, true, true);
                     const TypePtr& number = simple_type(TypeId::Float64);
                     const auto result = std::make_shared<TupleType>(
                         Types{number, number}, std::vector<std::string>{"k", "b"});
                     return std::make_shared<LinearRegression>(name, arguments, parameters, result);
                 });
    registry.add("boundingRatio",
                 [](const std::string& name, const Types& arguments,
                    const Values& parameters) -> AggregateFunctionPtr
                 {
                     expect_no_parameters(name, parameters);
                     expect_arguments(name, arguments, 2);
                     for (const TypePtr& type : arguments)
                         if (type->physical() > PhysicalType::Float64 || type->is(TypeId::UUID) ||
                             type->is(TypeId::IPv4))
                             throw Error(error_codes::BAD_ARGUMENTS,
                                         "Illegal types of arguments of aggregate function " +
                                             name + ", must have number representation.");
                     return std::make_shared<BoundingRatio>(name, arguments, parameters,
                                                            simple_type(TypeId::Float64));
                 });
    registry.add("sumKahan",
                 [](const std::string& name, const Types& arguments,
                    const Values& parameters) -> AggregateFunctionPtr
                 {
                     expect_no_parameters(name, parameters);
                     expect_numbers(name, arguments, 1, true, true, true);
                     // Sums of decimals lose nothing.
                     if (arguments[0]->is_decimal())
                         return aggregate_functions().get("sum", arguments, parameters);
                     return std::make_shared<SumKahan>(name, arguments, parameters,
                                                       simple_type(TypeId::Float64));
                 });
}

} // namespace basalt
