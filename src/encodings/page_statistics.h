#pragma once

#include "encodings/page.h"

namespace basalt::inline encodings
{

// Whether pages of the type carry min and max: numbers, dates and times, enums, UUID, IPs, String,
// FixedString, and these inside Nullable and LowCardinality.
bool has_order_statistics(const TypePtr& type);

// Of rows [begin, begin + count) of a column in any form. Floats with a NaN get no min and max,
// because NaN is neither below nor above them.
PageStatistics statistics_of(const Column& column, const TypePtr& type, size_t begin,
                             size_t count);

// <0, 0, >0 for two values of one column; nullopt when they are not comparable.
std::optional<int> compare_values(const Value& a, const Value& b);

} // namespace basalt::encodings
