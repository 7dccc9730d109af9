#pragma once

// Tables of type names, for type_parser.cpp.

#include "columns/type.h"

#include <optional>
#include <string>
#include <string_view>

namespace basalt
{

// The canonical family of a name that ClickHouse takes in any case; empty when it is not one.
std::string_view find_type_alias(const std::string& words);
// The id of a type without parameters, by its exact name.
std::optional<TypeId> find_simple_type(const std::string& name);
std::optional<IntervalKind> find_interval_kind(const std::string& name);
// Families that ClickHouse has and we do not.
bool is_known_unsupported_type(const std::string& name);
// The family that differs by case only; empty when there is none.
std::string near_type_name(const std::string& name);
// Functions that SimpleAggregateFunction takes.
bool is_simple_aggregate_function(const std::string& name);

} // namespace basalt
