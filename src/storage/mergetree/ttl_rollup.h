#pragma once

// TTL … GROUP BY … SET: neighbouring rows whose time has come and that agree in the first parts of
// the sorting key become one, made of aggregates over them and the first row's other values.

#include "functions/aggregate_function.h"
#include "functions/expression.h"
#include "storage/table.h"

#include <functional>
#include <memory>

namespace basalt
{

struct TtlRollup
{
    struct Aggregate
    {
        std::string name; // what `updates` call its result
        AggregateFunctionPtr function;
        Expressions arguments; // over the table's columns
    };
    size_t key_parts = 0; // of the sorting key; 0: all rows are one group
    std::vector<Aggregate> aggregates;
    // New values over the first row's columns and the aggregates; no columns of a key.
    std::vector<std::pair<std::string, ExpressionPtr>> updates;
};

// A stream over rows in the order of the sorting key. A row whose time has not come ends a group:
// so the order stays. Memory: a block and the states of one group.
class RowRollup
{
public:
    // command: of kind Rollup. Blocks: the table's physical columns.
    RowRollup(const MutationCommand& command, const TableMetadata& metadata,
              const QueryContext& context);
    ~RowRollup();
    RowRollup(const RowRollup&) = delete;
    RowRollup& operator=(const RowRollup&) = delete;

    using Emit = std::function<void(Block)>;
    void add(const Block& block, const Emit& emit);
    void finish(const Emit& emit);

private:
    class States;
    void add_rows(const Block& block, const Mask& due, const Columns& arguments, size_t begin,
                  size_t end);
    void put(const Block& block, size_t begin, size_t count);
    void close_group();
    void flush(const Emit& emit);

    std::shared_ptr<const TtlRollup> rollup_;
    const QueryContext& context_;
    Header header_;
    TypePtr due_type_;
    std::unique_ptr<ExpressionProgram> due_, arguments_, updates_;
    std::unique_ptr<ExpressionProgram> key_; // null: one group
    SortKeys key_order_;
    std::vector<size_t> argument_begin_; // of each aggregate in `arguments_`
    Block last_key_;                     // one row; empty: no group is open
    std::unique_ptr<States> states_;     // of the rows that become one; null: there are none
    // Rows that go out with the next block.
    std::vector<MutableColumnPtr> ready_;   // by physical column
    std::vector<MutableColumnPtr> results_; // by aggregate, of rolled rows
    Mask rolled_;
};

} // namespace basalt
