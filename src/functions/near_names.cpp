#include "functions/near_names.h"

#include <algorithm>
#include <vector>

namespace basalt
{

namespace
{

constexpr size_t kMaxHints = 2;

size_t edit_distance(std::string_view a, std::string_view b)
{
    std::vector<size_t> row(b.size() + 1);
    for (size_t j = 0; j <= b.size(); ++j)
        row[j] = j;
    for (size_t i = 1; i <= a.size(); ++i)
    {
        size_t diagonal = row[0];
        row[0] = i;
        for (size_t j = 1; j <= b.size(); ++j)
        {
            const size_t replaced = diagonal + (a[i - 1] != b[j - 1]);
            diagonal = row[j];
            row[j] = std::min({replaced, row[j] + 1, row[j - 1] + 1});
        }
    }
    return row[b.size()];
}

} // namespace

std::string lower_name(std::string_view name)
{
    std::string lower(name);
    for (char& c : lower)
        if (c >= 'A' && c <= 'Z')
            c = static_cast<char>(c - 'A' + 'a');
    return lower;
}

std::string near_names_hint(std::string_view name, std::span<const std::string_view> known)
{
    // Long garbage is not a typing mistake.
    constexpr size_t kMaxNameForHints = 128;
    if (name.empty() || name.size() > kMaxNameForHints)
        return "";
    const size_t limit = (name.size() + 2) / 3;
    const std::string wanted = lower_name(name);
    std::vector<std::pair<size_t, std::string_view>> near;
    for (const auto candidate : known)
    {
        const size_t longer = std::max(candidate.size(), name.size());
        if (longer - std::min(candidate.size(), name.size()) > limit)
            continue;
        const size_t distance = edit_distance(wanted, lower_name(candidate));
        if (distance <= limit)
            near.emplace_back(distance, candidate);
    }
    if (near.empty())
        return "";
    std::stable_sort(near.begin(), near.end(),
                     [](const auto& a, const auto& b) { return a.first < b.first; });
    std::string hint = ". Maybe you meant: [";
    for (size_t i = 0; i < std::min(kMaxHints, near.size()); ++i)
    {
        if (i > 0)
            hint += ',';
        hint += '\'';
        hint += near[i].second;
        hint += '\'';
    }
    return hint + "]";
}

} // namespace basalt
