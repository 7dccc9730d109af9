#pragma once

// "Maybe you meant: ['plus']": names near to a mistyped one.

#include <span>
#include <string>
#include <string_view>

namespace basalt
{

std::string lower_name(std::string_view name); // ASCII

// ". Maybe you meant: ['a','b']" with at most two names, or "" when none is near.
std::string near_names_hint(std::string_view name, std::span<const std::string_view> known);

} // namespace basalt
