// financialNetPresentValue, financialInternalRateOfReturn and their Extended forms with dates.

#include "functions/scalar/array_items.h"

#include <fmt/core.h>

#include <cmath>
#include <optional>

namespace basalt
{

// Steps of Newton's method, then of bisection, before a rate counts as not to be found.
inline constexpr int kMaxRateSteps = 100;

namespace
{

struct Flow
{
    double amount;
    double years;
};

// The flows of one row; days of a dated call are counted from the first date.
struct FlowRows
{
    ColumnPtr owner;
    ArrayRows amounts;
    DoubleRows values;
    ColumnPtr dates_owner;
    std::optional<ArrayRows> dates;
    std::optional<IntegerRows> days;
    double year = 365;

    FlowRows(const Call& call, size_t argument, bool dated)
        : owner(to_flat(call.column(argument))), amounts(owner),
          values(amounts.items(), item_type(call.type(argument)))
    {
        if (!dated)
            return;
        dates_owner = to_flat(call.column(argument + 1));
        dates.emplace(dates_owner);
        const TypePtr& type = item_type(call.type(argument + 1));
        days.emplace(Argument{dates->items(), type->is(TypeId::Date)
                                                  ? simple_type(TypeId::UInt16)
                                                  : simple_type(TypeId::Int32)});
    }
    std::vector<Flow> at(std::string_view name, size_t row) const
    {
        std::vector<Flow> flows;
        const size_t begin = amounts.begin(row);
        for (size_t i = 0; i < amounts.length(row); ++i)
            flows.push_back({values[begin + i], static_cast<double>(i)});
        if (!dates)
            return flows;
        if (dates->length(row) != flows.size())
            throw Error(error_codes::BAD_ARGUMENTS,
                        fmt::format("Cashflow and date arrays of function {} must have the same "
                                    "size",
                                    name));
        const size_t first = dates->begin(row);
        for (size_t i = 0; i < flows.size(); ++i)
            flows[i].years =
                static_cast<double>((*days)[first + i] - (*days)[first]) / year;
        return flows;
    }
};

double present_value(const std::vector<Flow>& flows, double rate)
{
    double sum = 0;
    for (const Flow& flow : flows)
        sum += flow.amount / std::pow(1 + rate, flow.years);
    return sum;
}

double slope(const std::vector<Flow>& flows, double rate)
{
    double sum = 0;
    for (const Flow& flow : flows)
        sum -= flow.years * flow.amount / std::pow(1 + rate, flow.years + 1);
    return sum;
}

// NaN when no rate is found.
double rate_of_return(const std::vector<Flow>& flows, double guess)
{
    bool income = false;
    bool expense = false;
    for (const Flow& flow : flows)
    {
        income |= flow.amount > 0;
        expense |= flow.amount < 0;
    }
    if (!income || !expense)
        return NAN;
    double rate = guess;
    for (int step = 0; step < kMaxRateSteps && rate > -1; ++step)
    {
        const double next = rate - present_value(flows, rate) / slope(flows, rate);
        if (!std::isfinite(next))
            break;
        if (std::fabs(next - rate) < 1e-14 * std::max(1.0, std::fabs(next)))
            return next;
        rate = next;
    }
    double low = -0.999999;
    double high = 1e6;
    if ((present_value(flows, low) > 0) == (present_value(flows, high) > 0))
        return NAN;
    for (int step = 0; step < 2 * kMaxRateSteps; ++step)
    {
        const double middle = (low + high) / 2;
        if ((present_value(flows, middle) > 0) == (present_value(flows, low) > 0))
            low = middle;
        else
            high = middle;
    }
    return (low + high) / 2;
}

void check_numbers(const TypeCall& call, size_t argument)
{
    const TypePtr& type = item_type(call.type(argument));
    if (!type->is_number() || type->is_decimal())
        throw_illegal_type(call.name, call.arguments, argument, "array of numbers");
}

void check_dates(const TypeCall& call, size_t argument)
{
    const TypePtr& type = item_type(call.type(argument));
    if (!type->is(TypeId::Date) && !type->is(TypeId::Date32))
        throw_illegal_type(call.name, call.arguments, argument, "array of Date or Date32");
}

double days_of_year(const Call& call, size_t argument)
{
    if (call.size() <= argument)
        return 365;
    const std::string name = constant_text(call.name, call.arguments, argument);
    if (name == "ACT_365F")
        return 365;
    if (name == "ACT_365_25")
        return 365.25;
    throw Error(error_codes::BAD_ARGUMENTS,
                fmt::format("Unknown day count '{}' of function {}, must be 'ACT_365F' or "
                            "'ACT_365_25'",
                            name, call.name));
}

double number_at(const Argument& argument)
{
    return DoubleRows(argument)[0];
}

TypePtr value_type(const TypeCall& call)
{
    check_numbers(call, 1);
    if (call.name.ends_with("Extended"))
        check_dates(call, 2);
    return simple_type(TypeId::Float64);
}

template <bool kDated> ColumnPtr run_value(const Call& call)
{
    const DoubleRows rates(call[0]);
    FlowRows rows(call, 1, kDated);
    if (kDated)
        rows.year = days_of_year(call, 3);
    const bool from_zero =
        kDated || call.size() < 3 || constant_integer(call.name, call.arguments, 2) != 0;
    return map_rows<double>(call.rows,
                            [&](size_t i)
                            {
                                const double value =
                                    present_value(rows.at(call.name, i), rates[i]);
                                return from_zero ? value : value / (1 + rates[i]);
                            });
}

TypePtr rate_type(const TypeCall& call)
{
    check_numbers(call, 0);
    if (call.name.ends_with("Extended"))
        check_dates(call, 1);
    return simple_type(TypeId::Float64);
}

template <bool kDated> ColumnPtr run_rate(const Call& call)
{
    FlowRows rows(call, 0, kDated);
    const size_t guess_at = kDated ? 2 : 1;
    if (kDated)
        rows.year = days_of_year(call, 3);
    const double guess =
        call.size() > guess_at && call.rows > 0 ? number_at(call[guess_at]) : 0.1;
    return map_rows<double>(call.rows, [&](size_t i)
                            { return rate_of_return(rows.at(call.name, i), guess); });
}

constexpr FunctionSpec kValue{"financialNetPresentValue", "n a [ i!", value_type,
                              run_value<false>};
constexpr FunctionSpec kValueDated{"financialNetPresentValueExtended", "n a a [ s!", value_type,
                                   run_value<true>};
constexpr FunctionSpec kRate{"financialInternalRateOfReturn", "a [ n!", rate_type,
                             run_rate<false>};
constexpr FunctionSpec kRateDated{"financialInternalRateOfReturnExtended", "a a [ n! s!",
                                  rate_type, run_rate<true>};

} // namespace

void register_financial(ScalarRegistry& registry)
{
    add_all<kValue, kValueDated, kRate, kRateDated>(registry);
}

} // namespace basalt
