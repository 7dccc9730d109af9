#pragma once

// What all quantile functions share: levels from parameters, one or an array of results.

#include "functions/aggregate/aggregate_of.h"

namespace basalt
{

struct QuantileLevels
{
    std::vector<double> levels;
    bool many = false; // quantiles…(): the result is an array

    // name starts with "quantiles" for many. `skip` parameters come before the levels.
    QuantileLevels(const std::string& name, const Values& parameters, size_t skip = 0)
        : many(name.starts_with("quantiles"))
    {
        for (size_t i = skip; i < parameters.size(); ++i)
            levels.push_back(number_parameter(name, parameters[i]));
        if (many && levels.empty())
            throw Error(error_codes::NUMBER_OF_ARGUMENTS_DOESNT_MATCH,
                        "Aggregate function for calculation of multiple quantiles require at "
                        "least one parameter");
        if (!many && levels.size() > 1)
            throw Error(error_codes::NUMBER_OF_ARGUMENTS_DOESNT_MATCH,
                        "Aggregate function " + name + " requires one level parameter or less");
        if (levels.empty())
            levels.push_back(0.5);
        for (const double level : levels)
            if (!(level >= 0 && level <= 1))
                throw Error(error_codes::PARAMETER_OUT_OF_BOUND,
                            "Quantile level is out of range [0..1]");
    }

    TypePtr result_type(const TypePtr& one) const
    {
        return many ? std::make_shared<ArrayType>(one) : one;
    }

    // Appends value(level) of every level.
    template <class T, class ValueAt> void append(Column& into, ValueAt&& value) const
    {
        if (!many)
        {
            vector_of<T>(into).push_back(static_cast<T>(value(levels[0])));
            return;
        }
        auto& array = column_as<ArrayColumn>(into);
        auto& items = vector_of<T>(array.mutable_items());
        for (const double level : levels)
            items.push_back(static_cast<T>(value(level)));
        array.mutable_offsets().push_back(items.size());
    }
};

inline void register_quantile(AggregateRegistry& registry, const std::string& suffix,
                              AggregateFactory factory)
{
    registry.add("quantile" + suffix, factory);
    registry.add("quantiles" + suffix, factory);
    if (suffix != "ExactInclusive" && suffix != "ExactExclusive")
        registry.add_alias("median" + suffix, "quantile" + suffix);
}

} // namespace basalt
