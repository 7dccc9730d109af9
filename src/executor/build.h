#pragma once

// Turns a plan into running operators. QueryExecution owns the plan and everything it needs.

#include "executor/operator.h"
#include "planner/plan.h"

namespace basalt
{

class QueryExecution
{
public:
    QueryExecution(QueryPlan plan, QueryContextPtr context);
    ~QueryExecution();
    QueryExecution(QueryExecution&&) noexcept;

    // Types and the names that the client sees.
    const Header& header() const { return header_; }

    // The next block in the result's order; zero rows at the end. One thread. Columns may be in
    // any form.
    Block next();

    // For INSERT … SELECT: reads the streams of the result on several threads at once, order
    // between them free (one stream when the query has ORDER BY or LIMIT).
    void drain_parallel(const std::function<void(size_t stream, Block&&)>& consume);
    size_t stream_count() const;

    // After the end: the WITH TOTALS row, the extremes (two rows: minimum, maximum).
    std::optional<Block> totals();
    std::optional<Block> extremes() const;

    // Rows before LIMIT was applied, when the query has one.
    std::optional<uint64_t> rows_before_limit() const;

private:
    Block renamed(Block block) const;
    void note_extremes(const Block& block);

    QueryContextPtr context_;
    QueryPlan plan_;
    Header header_;
    std::shared_ptr<std::atomic<uint64_t>> rows_before_limit_;
    OperatorPtr root_;
    OperatorPtr gathered_;
    std::optional<Block> extremes_;
    bool with_extremes_ = false;
};

// Shared by the operators' files. -------------------------------------------------------------

struct BuildState
{
    QueryContextPtr context;
    size_t max_threads;
    size_t block_rows; // max_block_size
    // Rows that went into the outermost LIMIT, or into the ORDER BY right below it; null until a
    // LIMIT is met.
    std::shared_ptr<std::atomic<uint64_t>> rows_before_limit;
    const PlanNode* counts_before_limit = nullptr; // the LimitNode or SortNode that counts them
};

OperatorPtr build_operator(PlanNode& node, BuildState& state);

OperatorPtr build_read(ReadNode& node, BuildState& state);
OperatorPtr build_blocks(BlocksNode& node, BuildState& state);
OperatorPtr build_project(ProjectNode& node, OperatorPtr input, BuildState& state);
OperatorPtr build_filter(FilterNode& node, OperatorPtr input, BuildState& state);
OperatorPtr build_aggregate(AggregateNode& node, OperatorPtr input, BuildState& state);
OperatorPtr build_window(WindowNode& node, OperatorPtr input, BuildState& state);
OperatorPtr build_sort(SortNode& node, OperatorPtr input, BuildState& state);
OperatorPtr build_limit(LimitNode& node, OperatorPtr input, BuildState& state);
OperatorPtr build_limit_by(LimitByNode& node, OperatorPtr input, BuildState& state);
OperatorPtr build_distinct(DistinctNode& node, OperatorPtr input, BuildState& state);
OperatorPtr build_union(UnionNode& node, std::vector<OperatorPtr> inputs, BuildState& state);
OperatorPtr build_set_operation(SetOperationNode& node, std::vector<OperatorPtr> inputs,
                                BuildState& state);
OperatorPtr build_join(JoinNode& node, OperatorPtr left, OperatorPtr right, BuildState& state);
OperatorPtr build_array_join(ArrayJoinNode& node, OperatorPtr input, BuildState& state);
OperatorPtr build_fill(FillNode& node, OperatorPtr input, BuildState& state);

// Position of a column in a header; a missing one is a bug.
size_t position_of(const Header& header, std::string_view name);
SortKeys sort_keys_of(const Header& header, const std::vector<OrderKey>& keys);

} // namespace basalt
