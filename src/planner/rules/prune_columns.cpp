#include "planner/rules/rules.h"

#include <algorithm>

namespace basalt
{

namespace
{

using Names = std::set<std::string>;

void add_inputs(const Expressions& expressions, Names& names)
{
    for (const std::string& name : inputs_of(expressions))
        names.insert(name);
}

void prune(PlanNode& node, const Names& needed);

void keep_columns(Header& header, const Names& needed)
{
    std::erase_if(header, [&](const NamedType& column) { return !needed.contains(column.name); });
}

// For nodes that pass their input's columns on.
void prune_through(PlanNode& node, Names needed)
{
    prune(*node.inputs[0], needed);
    node.output = node.inputs[0]->output;
}

void prune_read(ReadNode& read, const Names& needed)
{
    Header output;
    std::vector<std::string> columns;
    for (size_t i = 0; i < read.output.size(); ++i)
        if (needed.contains(read.output[i].name))
        {
            output.push_back(read.output[i]);
            columns.push_back(read.request.columns[i]);
        }
    read.output = std::move(output);
    read.request.columns = std::move(columns);
}

void prune_project(ProjectNode& project, const Names& needed)
{
    Header output;
    Expressions expressions;
    for (size_t i = 0; i < project.output.size(); ++i)
        if (needed.contains(project.output[i].name))
        {
            output.push_back(project.output[i]);
            expressions.push_back(project.expressions[i]);
        }
    project.output = std::move(output);
    project.expressions = std::move(expressions);
    Names below;
    add_inputs(project.expressions, below);
    prune(*project.inputs[0], below);
}

void prune_blocks(BlocksNode& blocks, const Names& needed)
{
    keep_columns(blocks.output, needed);
    for (Block& block : blocks.blocks)
    {
        Block kept(std::vector<NamedColumn>{}, block.rows());
        for (const NamedColumn& column : block.columns())
            if (needed.contains(column.name))
                kept.add(column);
        kept.set_rows(block.rows());
        block = std::move(kept);
    }
}

void prune_aggregate(AggregateNode& aggregate, const Names& needed)
{
    std::vector<AggregateCall> calls;
    Names dropped;
    for (AggregateCall& call : aggregate.aggregates)
    {
        const bool last_resort = aggregate.keys.empty() && calls.empty() &&
                                 &call == &aggregate.aggregates.back();
        if (needed.contains(call.name) || last_resort)
            calls.push_back(std::move(call));
        else
            dropped.insert(call.name);
    }
    aggregate.aggregates = std::move(calls);
    std::erase_if(aggregate.output,
                  [&](const NamedType& column) { return dropped.contains(column.name); });
    Names below(aggregate.keys.begin(), aggregate.keys.end());
    for (const AggregateCall& call : aggregate.aggregates)
        below.insert(call.arguments.begin(), call.arguments.end());
    prune(*aggregate.inputs[0], below);
}

void prune_window(WindowNode& window, const Names& needed)
{
    std::vector<WindowCall> calls;
    for (WindowCall& call : window.calls)
        if (needed.contains(call.name) ||
            (calls.empty() && &call == &window.calls.back()))
            calls.push_back(std::move(call));
    window.calls = std::move(calls);
    Names below = needed;
    below.insert(window.partition_by.begin(), window.partition_by.end());
    below.insert(window.order_by.begin(), window.order_by.end());
    for (const WindowCall& call : window.calls)
    {
        below.erase(call.name);
        below.insert(call.arguments.begin(), call.arguments.end());
    }
    prune(*window.inputs[0], below);
    window.output = window.inputs[0]->output;
    for (const WindowCall& call : window.calls)
        window.output.push_back({call.name, call.type});
}

// The input's columns in exactly this order.
PlanPtr exactly(PlanPtr input, const std::vector<std::string>& names)
{
    bool same = input->output.size() == names.size();
    for (size_t i = 0; same && i < names.size(); ++i)
        same = input->output[i].name == names[i];
    if (same)
        return input;
    auto project = std::make_unique<ProjectNode>();
    for (const std::string& name : names)
        for (const NamedType& column : input->output)
            if (column.name == name)
            {
                project->output.push_back(column);
                project->expressions.push_back(Expression::input(name, column.type));
                break;
            }
    project->inputs.push_back(std::move(input));
    return project;
}

void prune_union(UnionNode& node, const Names& needed)
{
    std::vector<size_t> kept;
    for (size_t i = 0; i < node.output.size(); ++i)
        if (needed.contains(node.output[i].name))
            kept.push_back(i);
    for (PlanPtr& input : node.inputs)
    {
        std::vector<std::string> names;
        for (const size_t i : kept)
            names.push_back(input->output[i].name);
        prune(*input, Names(names.begin(), names.end()));
        input = exactly(std::move(input), names);
    }
    keep_columns(node.output, needed);
}

void prune_join(JoinNode& join, const Names& needed)
{
    Names all = needed;
    all.insert(join.left_keys.begin(), join.left_keys.end());
    all.insert(join.right_keys.begin(), join.right_keys.end());
    if (join.condition)
        add_inputs({join.condition}, all);
    prune(*join.inputs[0], all);
    prune(*join.inputs[1], all);
    keep_columns(join.output, needed);
}

void prune_array_join(ArrayJoinNode& join, Names needed)
{
    needed.insert(join.columns.begin(), join.columns.end());
    prune(*join.inputs[0], needed);
    Header output = join.inputs[0]->output;
    for (NamedType& column : output)
        for (const NamedType& before : join.output)
            if (before.name == column.name)
                column.type = before.type;
    join.output = std::move(output);
}

void prune_fill(FillNode& fill, Names needed)
{
    for (const FillNode::Key& key : fill.keys)
        needed.insert(key.column);
    needed.insert(fill.sort_prefix.begin(), fill.sort_prefix.end());
    needed.insert(fill.interpolate.begin(), fill.interpolate.end());
    add_inputs(fill.interpolate_expressions, needed);
    prune_through(fill, std::move(needed));
}

void prune(PlanNode& node, const Names& needed)
{
    Names more = needed;
    switch (node.kind)
    {
    case PlanKind::Read:
        return prune_read(static_cast<ReadNode&>(node), needed);
    case PlanKind::Blocks:
        return prune_blocks(static_cast<BlocksNode&>(node), needed);
    case PlanKind::Project:
        return prune_project(static_cast<ProjectNode&>(node), needed);
    case PlanKind::Filter:
        add_inputs({static_cast<FilterNode&>(node).condition}, more);
        return prune_through(node, std::move(more));
    case PlanKind::Aggregate:
        return prune_aggregate(static_cast<AggregateNode&>(node), needed);
    case PlanKind::Window:
        return prune_window(static_cast<WindowNode&>(node), needed);
    case PlanKind::Sort:
        for (const OrderKey& key : static_cast<SortNode&>(node).keys)
            more.insert(key.column);
        return prune_through(node, std::move(more));
    case PlanKind::Limit:
        for (const OrderKey& key : static_cast<LimitNode&>(node).with_ties)
            more.insert(key.column);
        return prune_through(node, std::move(more));
    case PlanKind::LimitBy:
        more.insert(static_cast<LimitByNode&>(node).keys.begin(),
                    static_cast<LimitByNode&>(node).keys.end());
        return prune_through(node, std::move(more));
    case PlanKind::Distinct:
    {
        const auto& keys = static_cast<DistinctNode&>(node).keys;
        more.insert(keys.begin(), keys.end());
        if (keys.empty())
            for (const NamedType& column : node.output)
                more.insert(column.name);
        return prune_through(node, std::move(more));
    }
    case PlanKind::Union:
        return prune_union(static_cast<UnionNode&>(node), needed);
    case PlanKind::SetOperation:
        for (PlanPtr& input : node.inputs)
        {
            Names all;
            for (const NamedType& column : input->output)
                all.insert(column.name);
            prune(*input, all);
        }
        return;
    case PlanKind::Join:
        return prune_join(static_cast<JoinNode&>(node), needed);
    case PlanKind::ArrayJoin:
        return prune_array_join(static_cast<ArrayJoinNode&>(node), needed);
    case PlanKind::Fill:
        return prune_fill(static_cast<FillNode&>(node), needed);
    }
}

} // namespace

void prune_columns(PlanNode& root)
{
    Names all;
    for (const NamedType& column : root.output)
        all.insert(column.name);
    prune(root, all);
}

} // namespace basalt
