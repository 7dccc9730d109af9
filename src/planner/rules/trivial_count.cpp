#include "planner/rules/rules.h"

namespace basalt
{

namespace
{

const ReadNode* plain_read(const PlanNode& node)
{
    const PlanNode* at = &node;
    while (at->kind == PlanKind::Project)
        at = at->inputs[0].get();
    if (at->kind != PlanKind::Read)
        return nullptr;
    const auto& read = static_cast<const ReadNode&>(*at);
    const ScanRequest& request = read.request;
    if (request.filter || request.prewhere || request.final || request.sample != 0 ||
        request.limit)
        return nullptr;
    return &read;
}

} // namespace

PlanPtr answer_trivial_counts(PlanPtr node, AnalyzerContext& analyzer)
{
    const QueryContext& context = *analyzer.context;
    for (PlanPtr& input : node->inputs)
        input = answer_trivial_counts(std::move(input), analyzer);
    if (node->kind != PlanKind::Aggregate)
        return node;
    const auto& aggregate = static_cast<const AggregateNode&>(*node);
    if (!aggregate.keys.empty() || !aggregate.grouping_sets.empty() || aggregate.with_totals ||
        !aggregate.no_keys_returns_row || aggregate.aggregates.size() != 1)
        return node;
    const AggregateCall& call = aggregate.aggregates[0];
    if (call.function->name() != "count" || !call.arguments.empty())
        return node;
    const ReadNode* read = plain_read(*node->inputs[0]);
    if (!read)
        return node;
    // A scan waits for this position, a count would not.
    if (context.settings.changed("postgres_min_lsn"))
        return node;
    const auto rows = read->table->total_rows();
    if (!rows)
        return node;
    // Rows of a stored table, which knows its bytes, are not read for a count; those of a series
    // are, and limits count them.
    const bool limited = context.settings.get_uint("max_rows_to_read") ||
                         context.settings.get_uint("max_bytes_to_read");
    if (limited && !read->table->total_bytes())
        return node;
    report_read(*read, analyzer);
    auto blocks = std::make_unique<BlocksNode>();
    blocks->output = node->output;
    const NamedType& column = blocks->output[0];
    blocks->blocks.push_back(Block({{make_constant(column.type, Value(*rows), 1), column.type,
                                     column.name}}));
    blocks->comment = "Optimized trivial count";
    return blocks;
}

} // namespace basalt
