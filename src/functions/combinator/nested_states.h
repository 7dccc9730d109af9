#pragma once

// States of an inner function that an outer state points to: made in the arena, destroyed with the
// outer state.

#include "functions/aggregate_function.h"

namespace basalt
{

inline char* new_state(const AggregateFunction& function, Arena& arena)
{
    char* state = arena.allocate(function.state_size(), function.state_alignment());
    function.create_state(state);
    return state;
}

} // namespace basalt
