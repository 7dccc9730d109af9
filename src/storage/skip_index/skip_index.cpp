#include "storage/skip_index/skip_index.h"

#include "base/error.h"

#include <fmt/format.h>

namespace basalt
{

std::string SkipIndexSource::read(uint64_t at, uint64_t bytes) const
{
    if (at > size || bytes > size - at)
        throw Error(error_codes::CORRUPTED_DATA, "A skip index is cut off");
    std::string result(bytes, '\0');
    file->read_exact(result.data(), bytes, offset + at);
    return result;
}

void SkipIndexRegistry::add(std::unique_ptr<SkipIndexKind> kind)
{
    std::string name = kind->name();
    kinds_.emplace(std::move(name), std::move(kind));
}

const SkipIndexKind* SkipIndexRegistry::find(std::string_view name) const
{
    const auto found = kinds_.find(name);
    return found == kinds_.end() ? nullptr : found->second.get();
}

const SkipIndexKind& SkipIndexRegistry::get(std::string_view name) const
{
    if (const auto* kind = find(name))
        return *kind;
    std::string known;
    for (const auto& [one, kind] : kinds_)
        known += (known.empty() ? "" : ", ") + one;
    throw Error(error_codes::INCORRECT_QUERY,
                fmt::format("Unknown Index type '{}'. Available index types: {}", name, known));
}

std::vector<std::string> SkipIndexRegistry::names() const
{
    std::vector<std::string> names;
    for (const auto& [name, kind] : kinds_)
        names.push_back(name);
    return names;
}

const SkipIndexRegistry& skip_index_kinds()
{
    static const SkipIndexRegistry registry = []
    {
        SkipIndexRegistry made;
        register_all_skip_index(made);
        return made;
    }();
    return registry;
}

} // namespace basalt
