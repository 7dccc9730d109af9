#include "storage/mergetree/part_name.h"

#include <algorithm>
#include <iterator>

#include <charconv>
#include <fmt/format.h>
#include <vector>

namespace basalt
{

namespace
{

template <class T> bool parse_number(std::string_view text, T& value)
{
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    return !text.empty() && error == std::errc() && end == text.data() + text.size();
}

} // namespace

std::string PartName::text() const
{
    std::string text = fmt::format("{}_{}_{}_{}", partition_id, min_block, max_block, level);
    if (mutation)
        text += fmt::format("_{}", mutation);
    return text;
}

// Why folders are set aside; ids of partitions are never these.
constexpr std::string_view kSetAsideReasons[] = {"unexpected", "broken", "broken-on-start"};

std::optional<PartName> parse_part_name(std::string_view text)
{
    std::vector<std::string_view> pieces;
    for (size_t at = 0;;)
    {
        const size_t end = text.find('_', at);
        pieces.push_back(text.substr(at, end - at));
        if (end == std::string_view::npos)
            break;
        at = end + 1;
    }
    if (pieces.size() != 4 && pieces.size() != 5)
        return std::nullopt;
    PartName name;
    name.partition_id = pieces[0];
    // detached/<reason>_<part> was set aside: it is no part, though it could be read as one.
    if (std::find(std::begin(kSetAsideReasons), std::end(kSetAsideReasons), name.partition_id) !=
        std::end(kSetAsideReasons))
        return std::nullopt;
    if (name.partition_id.empty() || !parse_number(pieces[1], name.min_block) ||
        !parse_number(pieces[2], name.max_block) || !parse_number(pieces[3], name.level) ||
        (pieces.size() == 5 && !parse_number(pieces[4], name.mutation)) ||
        name.min_block > name.max_block)
        return std::nullopt;
    return name;
}

} // namespace basalt
