#pragma once

// How the values of a column become one for each group of rows. Reducing what is reduced already,
// together with more rows, gives the same as reducing all rows at once.

#include "columns/column.h"

#include <memory>

namespace basalt
{

class ColumnReducer
{
public:
    virtual ~ColumnReducer() = default;
    // column: flat. Group g is the rows from starts[g] to the next start.
    virtual ColumnPtr reduce(const ColumnPtr& column, const RowIndexes& starts) const = 0;
    // Rows that are one group each stay as they are.
    virtual bool keeps_single_rows() const { return true; }
    // Sets mask where a sum is not zero, or not NULL. column: what reduce() returned.
    virtual void mark_not_zero(const Column& column, Mask& mask) const {}
};

std::unique_ptr<ColumnReducer> first_of_group();
std::unique_ptr<ColumnReducer> last_of_group();
std::unique_ptr<ColumnReducer> last_not_null_of_group(); // of Nullable
// Numbers wrap; NULL does not count. Null when values of the type have no sum.
std::unique_ptr<ColumnReducer> sum_of_group(const TypePtr& type);
// AggregateFunction and SimpleAggregateFunction columns.
std::unique_ptr<ColumnReducer> merged_states_of_group(const TypePtr& type);
std::unique_ptr<ColumnReducer> simple_aggregate_of_group(const TypePtr& type);

} // namespace basalt
