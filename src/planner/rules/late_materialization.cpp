#include "planner/rules/rules.h"

#include <algorithm>

namespace basalt
{

namespace
{

// A sort over a scan, perhaps with a projection between them.
struct SortedScan
{
    SortNode* sort = nullptr;
    ProjectNode* project = nullptr;
    ReadNode* read = nullptr;

    // What a column of the sort's input is over the scan's output.
    ExpressionPtr value(const std::string& column) const
    {
        if (!project)
        {
            for (const NamedType& source : read->output)
                if (source.name == column)
                    return Expression::input(source.name, source.type);
            return nullptr;
        }
        for (size_t i = 0; i < project->output.size(); ++i)
            if (project->output[i].name == column)
                return project->expressions[i];
        return nullptr;
    }
};

std::optional<SortedScan> sorted_scan(PlanNode& node)
{
    if (node.kind != PlanKind::Sort)
        return std::nullopt;
    SortedScan found;
    found.sort = &static_cast<SortNode&>(node);
    PlanNode* below = node.inputs[0].get();
    if (below->kind == PlanKind::Project)
    {
        found.project = static_cast<ProjectNode*>(below);
        below = below->inputs[0].get();
    }
    if (below->kind != PlanKind::Read || !found.sort->limit || found.sort->sorted_prefix)
        return std::nullopt;
    found.read = static_cast<ReadNode*>(below);
    return found;
}

void bound_scan(const SortedScan& scan)
{
    const OrderKey& key = scan.sort->keys[0];
    const ExpressionPtr value = scan.value(key.column);
    if (!value || value->kind() != ExpressionKind::Input || !key.collation.empty())
        return;
    const TypePtr& type = value->type();
    if (type->is_nullable() || type->is_low_cardinality() || type->is_float())
        return;
    for (size_t i = 0; i < scan.read->output.size(); ++i)
    {
        if (scan.read->output[i].name != value->name())
            continue;
        const std::string& column = scan.read->request.columns[i];
        const auto metadata = scan.read->table->metadata();
        if (!metadata->find_column(column))
            return; // virtual
        auto bound = std::make_shared<TopBound>();
        bound->column = column;
        bound->descending = key.descending;
        scan.read->request.top_bound = std::move(bound);
    }
}

PlanPtr fetch_late(PlanPtr node, const SortedScan& scan)
{
    SortNode& sort = *scan.sort;
    ReadNode& read = *scan.read;
    std::set<std::string> key_columns;
    Expressions key_values, other_values;
    std::vector<std::string> others;
    for (const OrderKey& key : sort.keys)
        if (key_columns.insert(key.column).second)
            key_values.push_back(scan.value(key.column));
    for (const NamedType& column : sort.output)
        if (!key_columns.contains(column.name))
        {
            others.push_back(column.name);
            other_values.push_back(scan.value(column.name));
            if (!other_values.back() || !is_deterministic(other_values.back()))
                return node;
        }
    const auto eager_list = inputs_of(key_values);
    const std::set<std::string> eager(eager_list.begin(), eager_list.end());
    std::set<std::string> late, kept;
    for (const std::string& name : inputs_of(other_values))
        (eager.contains(name) ? kept : late).insert(name);
    if (late.empty())
        return node;

    // The scan reads the keys only; the rest is fetched after the sort.
    Header output;
    std::vector<std::string> columns;
    Header lazy_output;
    std::vector<std::string> lazy_columns;
    for (size_t i = 0; i < read.output.size(); ++i)
    {
        const bool is_late = late.contains(read.output[i].name);
        (is_late ? lazy_output : output).push_back(read.output[i]);
        (is_late ? lazy_columns : columns).push_back(read.request.columns[i]);
    }
    // Virtual columns belong to the scan: they are not fetched.
    const auto metadata = read.table->metadata();
    for (const std::string& column : lazy_columns)
        if (!metadata->find_column(column))
            return node;
    auto below = std::make_unique<ProjectNode>();
    for (const OrderKey& key : sort.keys)
    {
        if (std::any_of(below->output.begin(), below->output.end(),
                        [&](const NamedType& column) { return column.name == key.column; }))
            continue;
        const ExpressionPtr value = scan.value(key.column);
        below->output.push_back({key.column, value->type()});
        below->expressions.push_back(value);
    }
    for (const NamedType& column : output)
        if (kept.contains(column.name) && !key_columns.contains(column.name))
        {
            below->output.push_back(column);
            below->expressions.push_back(Expression::input(column.name, column.type));
        }
    auto above = std::make_unique<ProjectNode>();
    above->output = sort.output;
    for (const NamedType& column : sort.output)
        above->expressions.push_back(key_columns.contains(column.name)
                                         ? Expression::input(column.name, column.type)
                                         : scan.value(column.name));
    Header sorted = below->output;
    sorted.insert(sorted.end(), lazy_output.begin(), lazy_output.end());

    const TypePtr& id_type = simple_type(TypeId::UInt64);
    read.output = std::move(output);
    read.output.push_back({kRowIdColumn, id_type});
    read.request.columns = std::move(columns);
    read.request.with_row_ids = true;
    below->output.push_back({kRowIdColumn, id_type});
    below->expressions.push_back(Expression::input(kRowIdColumn, id_type));
    PlanPtr read_node = scan.project ? std::move(scan.project->inputs[0])
                                     : std::move(sort.inputs[0]);
    below->inputs.push_back(std::move(read_node));
    sort.inputs[0] = std::move(below);
    sort.output = std::move(sorted);
    sort.lazy_read = &read;
    sort.lazy_columns = std::move(lazy_columns);
    sort.lazy_output = std::move(lazy_output);
    above->comment = "Lazily read columns";
    above->inputs.push_back(std::move(node));
    return above;
}

} // namespace

PlanPtr materialize_late(PlanPtr node, const QueryContext& context)
{
    for (PlanPtr& input : node->inputs)
        input = materialize_late(std::move(input), context);
    const auto scan = sorted_scan(*node);
    if (!scan)
        return node;
    const Settings& settings = context.settings;
    if (settings.get_bool("basalt_bound_top_scans") && !scan->read->request.final)
        bound_scan(*scan);
    const uint64_t most =
        settings.get_uint("query_plan_max_limit_for_lazy_materialization");
    if (!settings.get_bool("basalt_lazy_materialization") ||
        !settings.get_bool("query_plan_optimize_lazy_materialization") ||
        (most && scan->sort->limit > most) || !scan->read->table->supports_row_ids() ||
        scan->read->request.final)
        return node;
    return fetch_late(std::move(node), *scan);
}

} // namespace basalt
