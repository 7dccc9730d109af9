#include "planner/rules/rules.h"

namespace basalt
{

namespace
{

// The scan below projections and filters, with what a column of `node` is in the table's terms.
ReadNode* scan_below(PlanNode& node, std::unordered_map<std::string, ExpressionPtr>& values,
                     const QueryContext& context)
{
    PlanNode* at = &node;
    auto substitute = [&](const std::unordered_map<std::string, ExpressionPtr>& by_name)
    {
        for (auto& [name, value] : values)
            value = replace_inputs(value, by_name, context);
    };
    for (const NamedType& column : node.output)
        values[column.name] = Expression::input(column.name, column.type);
    for (;;)
    {
        if (at->kind == PlanKind::Filter)
            at = at->inputs[0].get();
        else if (at->kind == PlanKind::Project)
        {
            const auto& project = static_cast<const ProjectNode&>(*at);
            std::unordered_map<std::string, ExpressionPtr> by_name;
            for (size_t i = 0; i < project.output.size(); ++i)
                by_name.emplace(project.output[i].name, project.expressions[i]);
            substitute(by_name);
            at = at->inputs[0].get();
        }
        else
            break;
    }
    if (at->kind != PlanKind::Read)
        return nullptr;
    auto& read = static_cast<ReadNode&>(*at);
    std::unordered_map<std::string, ExpressionPtr> by_name;
    for (size_t i = 0; i < read.output.size(); ++i)
        by_name.emplace(read.output[i].name,
                        Expression::input(read.request.columns[i], read.output[i].type));
    substitute(by_name);
    return &read;
}

void order_scan(SortNode& sort, const QueryContext& context)
{
    std::unordered_map<std::string, ExpressionPtr> values;
    ReadNode* read = scan_below(*sort.inputs[0], values, context);
    if (!read || !read->table->supports_order() || read->request.order_prefix)
        return;
    const TableMetadataPtr metadata = read->table->metadata();
    const KeyDescription& key = metadata->sorting_key;
    size_t prefix = 0;
    bool reversed = false;
    for (; prefix < sort.keys.size() && prefix < key.expressions.size(); ++prefix)
    {
        const OrderKey& wanted = sort.keys[prefix];
        const ExpressionPtr& value = values[wanted.column];
        if (!value || value->fingerprint() != key.expressions[prefix]->fingerprint() ||
            !wanted.collation.empty() || is_nullable_or_lc_nullable(value->type()) ||
            strip_wrappers(value->type())->is_float())
            break;
        const bool stored_descending =
            prefix < key.descending.size() && key.descending[prefix];
        const bool turn = stored_descending != wanted.descending;
        if (prefix == 0)
            reversed = turn;
        else if (turn != reversed)
            break;
    }
    // A part of the order would save nothing: the sort takes it whole or not at all.
    if (prefix == 0 || prefix < sort.keys.size())
        return;
    // FINAL merges first to last, and then one stream cannot keep partitions apart.
    if (read->request.final &&
        (reversed || context.settings.get_bool("do_not_merge_across_partitions_select_final")))
        return;
    read->request.order_prefix = prefix;
    read->request.order_descending = reversed;
    sort.sorted_prefix = prefix;
}

} // namespace

void read_in_order(PlanNode& node, const QueryContext& context)
{
    if (node.kind == PlanKind::Sort)
        order_scan(static_cast<SortNode&>(node), context);
    for (PlanPtr& input : node.inputs)
        read_in_order(*input, context);
}

} // namespace basalt
