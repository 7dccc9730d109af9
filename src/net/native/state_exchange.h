#pragma once

// Which states of aggregate functions ClickHouse reads as we write them. Pure functions.

#include "columns/block.h"

namespace basalt
{

// Throws NOT_IMPLEMENTED for a column of states, also inside of other types, that ClickHouse lays out
// differently: it would read other values, or wait for bytes that do not come.
void check_exchanged_states(const Header& header);

} // namespace basalt
