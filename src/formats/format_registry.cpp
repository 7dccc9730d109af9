#include "formats/format.h"

#include "base/error.h"

#include <algorithm>
#include <fmt/format.h>

namespace basalt
{

namespace
{

std::string lower(std::string_view name)
{
    std::string out(name);
    std::transform(out.begin(), out.end(), out.begin(),
                   [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; });
    return out;
}

} // namespace

void FormatRegistry::add(FormatEntry entry)
{
    std::string key = lower(entry.name);
    BASALT_ASSERT(!by_lower_name_.contains(key));
    by_lower_name_.emplace(std::move(key), std::move(entry));
}

const FormatEntry* FormatRegistry::find(std::string_view name) const
{
    auto it = by_lower_name_.find(lower(name));
    return it == by_lower_name_.end() ? nullptr : &it->second;
}

const FormatEntry& FormatRegistry::get_output(std::string_view name) const
{
    const FormatEntry* entry = find(name);
    if (!entry)
        throw Error(error_codes::UNKNOWN_FORMAT, fmt::format("Unknown format {}", name));
    if (!entry->output)
        throw Error(error_codes::FORMAT_IS_NOT_SUITABLE_FOR_OUTPUT,
                    fmt::format("Format {} is not suitable for output", name));
    return *entry;
}

const FormatEntry& FormatRegistry::get_input(std::string_view name) const
{
    const FormatEntry* entry = find(name);
    if (!entry)
        throw Error(error_codes::UNKNOWN_FORMAT, fmt::format("Unknown format {}", name));
    if (!entry->input)
        throw Error(error_codes::FORMAT_IS_NOT_SUITABLE_FOR_INPUT,
                    fmt::format("Format {} is not suitable for input", name));
    return *entry;
}

std::vector<const FormatEntry*> FormatRegistry::entries() const
{
    std::vector<const FormatEntry*> list;
    for (const auto& [key, entry] : by_lower_name_)
        list.push_back(&entry);
    std::sort(list.begin(), list.end(),
              [](const auto* a, const auto* b) { return a->name < b->name; });
    return list;
}

const FormatRegistry& formats()
{
    static const FormatRegistry registry = []
    {
        FormatRegistry all;
        register_all_format(all);
        return all;
    }();
    return registry;
}

} // namespace basalt
