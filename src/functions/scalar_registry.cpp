#include "functions/scalar_registry.h"

#include "base/error.h"
#include "functions/near_names.h"

#include <fmt/format.h>

namespace basalt
{

void ScalarRegistry::add(std::string name, ScalarFactory factory, bool case_insensitive)
{
    if (case_insensitive)
        by_lower_name_.emplace(lower_name(name), name);
    const auto [at, inserted] =
        by_name_.emplace(name, Entry{name, std::string(), case_insensitive, factory});
    (void)at;
    BASALT_ASSERT(inserted);
}

void ScalarRegistry::add_alias(std::string name, std::string alias_of, bool case_insensitive)
{
    if (case_insensitive)
        by_lower_name_.emplace(lower_name(name), name);
    const auto [at, inserted] =
        by_name_.emplace(name, Entry{name, std::move(alias_of), case_insensitive, nullptr});
    (void)at;
    BASALT_ASSERT(inserted);
}

ScalarFunctionPtr ScalarRegistry::find(std::string_view name, const QueryContext& context) const
{
    const Entry* entry = find_entry(name);
    // An alias may name another alias only by mistake; two steps end it.
    if (entry && !entry->alias_of.empty())
        entry = find_entry(entry->alias_of);
    return entry && entry->factory ? entry->factory(context) : nullptr;
}

const ScalarRegistry::Entry* ScalarRegistry::find_entry(std::string_view name) const
{
    if (const auto at = by_name_.find(name); at != by_name_.end())
        return &at->second;
    const auto lower = by_lower_name_.find(lower_name(name));
    if (lower == by_lower_name_.end())
        return nullptr;
    return &by_name_.find(lower->second)->second;
}

ScalarFunctionPtr ScalarRegistry::get(std::string_view name, const QueryContext& context) const
{
    if (auto found = find(name, context))
        return found;
    std::vector<std::string_view> known;
    known.reserve(by_name_.size());
    for (const auto& [known_name, entry] : by_name_)
        known.push_back(known_name);
    throw Error(error_codes::UNKNOWN_FUNCTION,
                fmt::format("Function with name `{}` does not exist{}", name,
                            near_names_hint(name, known)));
}

bool ScalarRegistry::exists(std::string_view name) const
{
    return find_entry(name) != nullptr;
}

std::vector<ScalarRegistry::Entry> ScalarRegistry::entries() const
{
    std::vector<Entry> all;
    all.reserve(by_name_.size());
    for (const auto& [name, entry] : by_name_)
        all.push_back(entry);
    return all;
}

const ScalarRegistry& scalar_functions()
{
    static const ScalarRegistry registry = []
    {
        ScalarRegistry filled;
        register_all_scalar(filled);
        return filled;
    }();
    return registry;
}

} // namespace basalt
