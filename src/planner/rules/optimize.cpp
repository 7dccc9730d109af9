#include "planner/rules/rules.h"

#include <algorithm>

namespace basalt
{

void report_read(const ReadNode& read, AnalyzerContext& context)
{
    const std::string name = read.table->table_name().full();
    auto& used = context.used_tables;
    if (std::find(used.begin(), used.end(), name) == used.end())
        used.push_back(name);
    if (!context.on_read)
        return;
    std::vector<std::string> columns = read.request.columns;
    Expressions conditions;
    if (read.request.filter)
        conditions.push_back(read.request.filter);
    if (read.request.prewhere)
        conditions.push_back(read.request.prewhere);
    for (const std::string& column : inputs_of(conditions))
        columns.push_back(column);
    context.on_read(read.table, columns);
}

void report_reads(const PlanNode& node, AnalyzerContext& context)
{
    if (node.kind == PlanKind::Read)
        report_read(static_cast<const ReadNode&>(node), context);
    for (const PlanPtr& input : node.inputs)
        report_reads(*input, context);
}

void optimize(QueryPlan& plan, AnalyzerContext& context)
{
    const QueryContext& query = *context.context;
    plan.root = push_filters(std::move(plan.root), query);
    plan.root = merge_projections(std::move(plan.root), query);
    prune_columns(*plan.root);
    plan.root = merge_projections(std::move(plan.root), query);
    const bool enabled = query.settings.get_bool("query_plan_enable_optimizations");
    if (enabled && query.settings.get_bool("optimize_trivial_count_query"))
        plan.root = answer_trivial_counts(std::move(plan.root), context);
    if (enabled && query.settings.get_bool("query_plan_push_down_limit"))
        push_limits(*plan.root, query);
    if (enabled && query.settings.get_bool("optimize_read_in_order"))
        read_in_order(*plan.root, query);
    if (enabled)
        plan.root = materialize_late(std::move(plan.root), query);
    if (enabled && query.settings.get_bool("basalt_read_text_prefixes"))
        read_prefixes(*plan.root, query);
    report_reads(*plan.root, context);
}

bool reads_only_columns(const ExpressionPtr& expression, const Header& header)
{
    for (const std::string& name : inputs_of({expression}))
    {
        bool found = false;
        for (const NamedType& column : header)
            found = found || column.name == name;
        if (!found)
            return false;
    }
    return true;
}

bool is_deterministic(const ExpressionPtr& expression)
{
    return expression->deterministic();
}

ExpressionPtr conjunction(const Expressions& parts, const QueryContext& context)
{
    if (parts.empty())
        return nullptr;
    return parts.size() == 1 ? parts[0] : Expression::call("and", parts, context);
}

std::optional<bool> constant_condition(const ExpressionPtr& condition)
{
    if (!condition->is_constant())
        return std::nullopt;
    const TypePtr type = strip_wrappers(condition->type());
    if (!type->is_number() && !type->is(TypeId::Nothing))
        return std::nullopt;
    Mask mask;
    return column_to_mask(condition->constant_column(), condition->type(), mask) > 0;
}

PlanPtr empty_rows(const Header& header)
{
    auto node = std::make_unique<BlocksNode>();
    node->output = header;
    return node;
}

} // namespace basalt
