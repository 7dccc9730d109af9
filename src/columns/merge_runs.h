#pragma once

// Making one column of stretches of several.

#include "columns/column.h"

namespace basalt
{

struct MergeRun
{
    uint32_t source;
    uint32_t begin;
    uint32_t count;
};

// The rows of the runs, one after the other. sources: columns of one type, any form. A dictionary
// column when all are over one dictionary or over small ones, else flat.
ColumnPtr join_runs(const Columns& sources, const std::vector<MergeRun>& runs, size_t rows);

} // namespace basalt
