#include "functions/combinator/combinator.h"

namespace basalt
{

std::span<const Combinator> all_combinators()
{
    static constexpr Combinator kCombinators[] = {
        {"SimpleState", combine_simple_state},
        {"OrDefault", combine_or_default},
        {"OrNull", combine_or_null},
        {"Distinct", combine_distinct},
        {"Resample", combine_resample},
        {"ForEach", combine_for_each},
        {"ArgMax", combine_arg_max},
        {"ArgMin", combine_arg_min},
        {"Array", combine_array},
        {"Merge", combine_merge},
        {"State", combine_state},
        {"Tuple", combine_tuple},
        {"Map", combine_map},
        {"If", combine_if},
    };
    return kCombinators;
}

std::string state_type_name(const AggregateFunction& function)
{
    std::string text = "AggregateFunction(" + function.name();
    if (!function.parameters().empty())
    {
        text += '(';
        for (size_t i = 0; i < function.parameters().size(); ++i)
            text += (i ? ", " : "") + function.parameters()[i].to_text();
        text += ')';
    }
    for (const TypePtr& type : function.argument_types())
        text += ", " + type->name();
    return text + ")";
}

void WrappedAggregate::add_rows_masked(std::span<char* const> places, size_t offset,
                                       std::span<const Column* const> arguments, const Mask& mask,
                                       Arena& arena) const
{
    const size_t kept = count_kept(mask);
    if (kept == 0)
        return;
    if (kept == mask.size())
    {
        inner_->add_rows(places, offset + prefix_, arguments, arena);
        return;
    }
    PodVector<char*> kept_places(kept);
    size_t at = 0;
    for (size_t i = 0; i < mask.size(); ++i)
        if (mask[i])
            kept_places[at++] = places[i];
    Columns filtered;
    std::vector<const Column*> columns;
    for (const Column* argument : arguments)
    {
        filtered.push_back(argument->filter(mask, kept));
        columns.push_back(filtered.back().get());
    }
    inner_->add_rows({kept_places.data(), kept}, offset + prefix_, columns, arena);
}

} // namespace basalt
