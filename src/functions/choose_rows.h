#pragma once

// Building a column whose rows come from several others: the last step of if, multiIf, coalesce
// and of short-circuit evaluation.

#include "columns/column.h"

namespace basalt
{

struct ChoiceSource
{
    ColumnPtr column; // any form; of the result's physical type
    // Whether `column` holds only the chosen rows, in order (the k-th row that chooses this source
    // takes its value k), or a value for every row.
    bool compact = false;
};

// Row i is taken from sources[which[i]].
ColumnPtr choose_rows(const TypePtr& type, std::vector<ChoiceSource> sources,
                      const PodVector<uint16_t>& which);

} // namespace basalt
