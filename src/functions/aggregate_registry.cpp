#include "base/error.h"
#include "functions/aggregate_function.h"
#include "functions/combinator/combinator.h"
#include "functions/near_names.h"

namespace basalt
{

namespace
{

// "sum" of "sumIf" and its combinator; null when the name ends with none.
const Combinator* find_combinator(std::string_view name, std::string_view& inner)
{
    for (const Combinator& combinator : all_combinators())
    {
        const std::string_view suffix = combinator.suffix;
        if (name.size() > suffix.size() && name.ends_with(suffix))
        {
            inner = name.substr(0, name.size() - suffix.size());
            return &combinator;
        }
    }
    return nullptr;
}

bool is_of_nothing(const TypePtr& type)
{
    return type->is(TypeId::Nothing) ||
           (type->is_nullable() && type_as<NullableType>(type).nested()->is(TypeId::Nothing));
}

std::shared_ptr<const AggregateStateOps> resolve_state(std::string_view name,
                                                       const Types& arguments,
                                                       const Values& parameters)
{
    return aggregate_functions().find(name, arguments, parameters);
}

} // namespace

void AggregateRegistry::add(std::string name, AggregateFactory factory, Traits traits)
{
    if (traits.case_insensitive)
        by_lower_name_.emplace(lower_name(name), name);
    const bool added = by_name_.emplace(name, Entry{name, "", traits, factory}).second;
    BASALT_ASSERT(added);
}

void AggregateRegistry::add_alias(std::string name, std::string alias_of, bool case_insensitive)
{
    if (case_insensitive)
        by_lower_name_.emplace(lower_name(name), name);
    Traits traits;
    traits.case_insensitive = case_insensitive;
    const bool added =
        by_name_.emplace(name, Entry{name, std::move(alias_of), traits, nullptr}).second;
    BASALT_ASSERT(added);
}

const AggregateRegistry::Entry* AggregateRegistry::lookup(std::string_view name) const
{
    auto at = by_name_.find(name);
    if (at == by_name_.end())
    {
        const auto lower = by_lower_name_.find(lower_name(name));
        if (lower == by_lower_name_.end())
            return nullptr;
        at = by_name_.find(lower->second);
    }
    if (!at->second.alias_of.empty())
        at = by_name_.find(at->second.alias_of);
    return at == by_name_.end() ? nullptr : &at->second;
}

AggregateFunctionPtr AggregateRegistry::make(const Entry& entry, const Types& arguments,
                                             const Values& parameters) const
{
    if (entry.traits.handles_nulls)
        return entry.factory(entry.name, arguments, parameters);
    bool any_nullable = false;
    Types plain;
    for (const TypePtr& type : arguments)
    {
        if (is_of_nothing(type))
            return aggregate_of_nothing(entry.name, arguments, parameters,
                                        entry.traits.default_when_all_null);
        any_nullable = any_nullable || type->is_nullable();
        plain.push_back(remove_nullable(type));
    }
    AggregateFunctionPtr function = entry.factory(entry.name, plain, parameters);
    if (!any_nullable)
        return function;
    return skip_nulls(std::move(function), arguments, entry.traits.default_when_all_null);
}

AggregateFunctionPtr AggregateRegistry::find(std::string_view name, const Types& arguments,
                                             const Values& parameters) const
{
    if (name.size() > kMaxAggregateNameBytes)
        return nullptr;
    Types plain;
    for (const TypePtr& type : arguments)
    {
        TypePtr without = remove_low_cardinality_deep(type);
        if (without->is(TypeId::SimpleAggregateFunction))
            without = remove_low_cardinality_deep(
                type_as<SimpleAggregateFunctionType>(without).nested());
        plain.push_back(std::move(without));
    }
    if (const Entry* entry = lookup(name))
        return make(*entry, plain, parameters);
    std::string_view inner;
    if (const Combinator* combinator = find_combinator(name, inner); combinator && exists(inner))
        return combinator->make(*this, std::string(name), inner, plain, parameters);
    return nullptr;
}

AggregateFunctionPtr AggregateRegistry::get(std::string_view name, const Types& arguments,
                                            const Values& parameters) const
{
    if (AggregateFunctionPtr function = find(name, arguments, parameters))
        return function;
    std::vector<std::string_view> known;
    for (const auto& [known_name, entry] : by_name_)
        known.push_back(known_name);
    throw Error(error_codes::UNKNOWN_AGGREGATE_FUNCTION,
                "Unknown aggregate function " + std::string(name) + near_names_hint(name, known));
}

bool AggregateRegistry::exists(std::string_view name) const
{
    for (;;)
    {
        if (lookup(name))
            return true;
        std::string_view inner;
        if (!find_combinator(name, inner))
            return false;
        name = inner;
    }
}

std::vector<AggregateRegistry::Entry> AggregateRegistry::entries() const
{
    std::vector<Entry> result;
    for (const auto& [name, entry] : by_name_)
        result.push_back(entry);
    return result;
}

std::vector<std::string> AggregateRegistry::combinators()
{
    std::vector<std::string> names;
    for (const Combinator& combinator : all_combinators())
        names.emplace_back(combinator.suffix);
    return names;
}

const AggregateRegistry& aggregate_functions()
{
    static const AggregateRegistry registry = []
    {
        AggregateRegistry made;
        register_all_aggregate(made);
        set_aggregate_resolver(resolve_state);
        return made;
    }();
    return registry;
}

} // namespace basalt
