#include "planner/explain_tree.h"

#include <fmt/format.h>

namespace basalt
{

namespace
{

template <class Names> std::string joined(const Names& names)
{
    std::string text;
    for (const std::string& name : names)
        text += (text.empty() ? "" : ", ") + column_without_table(name);
    return text;
}

std::vector<std::string> names_of(const Header& header)
{
    std::vector<std::string> names;
    for (const NamedType& column : header)
        names.push_back(column.name);
    return names;
}

std::string order_text(const std::vector<OrderKey>& keys, size_t count)
{
    std::string text;
    for (size_t i = 0; i < count && i < keys.size(); ++i)
        text += (text.empty() ? "" : ", ") + column_without_table(keys[i].column) +
                (keys[i].descending ? " DESC" : " ASC");
    return text;
}

std::string join_text(const JoinNode& join)
{
    constexpr const char* kKinds[] = {"inner", "left", "right", "full", "cross"};
    constexpr const char* kStrictness[] = {"all", "any", "semi", "anti", "asof"};
    return fmt::format("Type: {} | Strictness: {} | Algorithm: HashJoin",
                       kKinds[static_cast<size_t>(join.join)],
                       kStrictness[static_cast<size_t>(join.strictness)]);
}

// A step: its title, what is said of it, the steps below.
struct Step
{
    std::string title;
    std::vector<std::string> details;
    std::vector<const PlanNode*> inputs;
};

class TreePrinter
{
public:
    TreePrinter(const ExplainOptions& options, QueryContextPtr context)
        : options_(options), context_(std::move(context))
    {
    }

    // first: before the title; rest: before everything below it.
    void print(const PlanNode& node, const std::string& first, const std::string& rest)
    {
        if (node.kind == PlanKind::Project && node.inputs.size() == 1)
            return print(*node.inputs[0], first, rest);
        const Step step = describe(node);
        lines.push_back(first + step.title);
        const bool leaf = step.inputs.empty();
        if (options_.header)
            detail(rest, leaf, "Header: " + header_text(node));
        for (const auto& text : step.details)
            detail(rest, leaf, text);
        for (size_t i = 0; i < step.inputs.size(); ++i)
        {
            const bool last = i + 1 == step.inputs.size();
            print(*step.inputs[i], rest + (last ? "└──" : "├──"), rest + (last ? "   " : "│  "));
        }
    }

    std::vector<std::string> lines;

private:
    void detail(const std::string& rest, bool leaf, const std::string& text)
    {
        lines.push_back(rest + (leaf ? "   " : "│  ") + text);
    }

    static std::string header_text(const PlanNode& node)
    {
        std::string text;
        for (const NamedType& column : node.output)
            text += (text.empty() ? "" : ", ") + column_without_table(column.name) + " " +
                    column.type->name();
        return text.empty() ? "Empty" : text;
    }

    Step describe(const PlanNode& node)
    {
        Step step;
        for (const PlanPtr& input : node.inputs)
            step.inputs.push_back(input.get());
        const std::string note = node.comment.empty() ? "" : " (" + node.comment + ")";
        auto& details = step.details;
        switch (node.kind)
        {
        case PlanKind::Read:
            read(static_cast<const ReadNode&>(node), step);
            break;
        case PlanKind::Blocks:
            step.title = note.empty() ? "ReadFromSystemOne" : "ReadFromPreparedSource" + note;
            break;
        case PlanKind::Project:
            step.title = "Expression" + note;
            break;
        case PlanKind::Filter:
            step.title = static_cast<const FilterNode&>(node).for_totals_too ||
                                 above_aggregation(node)
                             ? "Filter (HAVING)"
                             : "Filter ((WHERE + Change column names to column identifiers))";
            details.push_back("Filter column: " +
                              expression_as_sql(*static_cast<const FilterNode&>(node).condition));
            break;
        case PlanKind::Aggregate:
        {
            const auto& aggregate = static_cast<const AggregateNode&>(node);
            std::vector<std::string> calls;
            for (const AggregateCall& call : aggregate.aggregates)
                calls.push_back(call.name);
            step.title = "Aggregating" + note;
            details.push_back(aggregate.keys.empty() ? "Keys:" : "Keys: " + joined(aggregate.keys));
            details.push_back("Aggregates: " + joined(calls));
            details.push_back("Skip merging: 0");
            break;
        }
        case PlanKind::Window:
        {
            const auto& window = static_cast<const WindowNode&>(node);
            std::vector<std::string> calls;
            for (const WindowCall& call : window.calls)
                calls.push_back(call.name);
            step.title = "Window" + note;
            details.push_back("Functions: " + joined(calls));
            break;
        }
        case PlanKind::Sort:
        {
            const auto& sort = static_cast<const SortNode&>(node);
            step.title = "Sorting" + (note.empty() ? " (Sorting for ORDER BY)" : note);
            if (sort.sorted_prefix)
                details.push_back("Prefix sort description: " +
                                  order_text(sort.keys, sort.sorted_prefix));
            details.push_back(
                (sort.sorted_prefix ? "Result sort description: " : "Sort description: ") +
                order_text(sort.keys, sort.keys.size()));
            if (sort.limit)
                details.push_back(fmt::format("Limit {}", sort.limit));
            if (sort.lazy_read)
                details.push_back("Lazily read columns: " + joined(sort.lazy_columns));
            break;
        }
        case PlanKind::Limit:
        {
            const auto& limit = static_cast<const LimitNode&>(node);
            step.title = (limit.has_limit ? "Limit" : "Offset") + note;
            if (limit.has_limit)
                details.push_back(fmt::format("Limit {}", limit.limit));
            details.push_back(fmt::format("Offset {}", limit.offset));
            break;
        }
        case PlanKind::LimitBy:
        {
            const auto& limit = static_cast<const LimitByNode&>(node);
            step.title = "LimitBy" + note;
            details.push_back("Columns: " + joined(limit.keys));
            details.push_back(fmt::format("Length {}", limit.limit));
            details.push_back(fmt::format("Offset {}", limit.offset));
            break;
        }
        case PlanKind::Distinct:
        {
            const auto& distinct = static_cast<const DistinctNode&>(node);
            step.title = "Distinct (DISTINCT)";
            details.push_back("Columns: " + joined(distinct.keys.empty() ? names_of(node.output)
                                                                         : distinct.keys));
            break;
        }
        case PlanKind::Union:
            step.title = "Union" + note;
            break;
        case PlanKind::SetOperation:
            step.title = static_cast<const SetOperationNode&>(node).except ? "Except" : "Intersect";
            break;
        case PlanKind::Join:
            join(static_cast<const JoinNode&>(node), step);
            break;
        case PlanKind::ArrayJoin:
            step.title = "ArrayJoin (ARRAY JOIN)";
            details.push_back("ARRAY JOIN " +
                              joined(static_cast<const ArrayJoinNode&>(node).columns));
            break;
        case PlanKind::Fill:
            step.title = "Filling" + note;
            break;
        }
        return step;
    }

    static bool above_aggregation(const PlanNode& node)
    {
        const PlanNode* below = node.inputs[0].get();
        while (below->kind == PlanKind::Project)
            below = below->inputs[0].get();
        return below->kind == PlanKind::Aggregate;
    }

    static void join(const JoinNode& node, Step& step)
    {
        step.title = "Join (JOIN FillRightFirst)";
        step.details.push_back(join_text(node));
        std::string conditions;
        for (size_t i = 0; i < node.left_keys.size(); ++i)
            conditions += (i ? " AND " : "") + column_without_table(node.left_keys[i]) + " = " +
                          column_without_table(node.right_keys[i]);
        if (!conditions.empty())
            step.details.push_back("Join conditions: " + conditions);
        if (node.condition)
            step.details.push_back("Residual filter: " + expression_as_sql(*node.condition));
    }

    void read(const ReadNode& node, Step& step)
    {
        const std::string engine = node.table->engine_name();
        const TableName name = node.table->table_name();
        auto& details = step.details;
        step.title = "ReadFrom" + engine +
                     (name.database == "_table_function" ? "" : " (" + name.full() + ")");
        const std::string output = node.request.columns.empty() ? std::string("Empty")
                                                                : joined(node.request.columns);
        if (!engine.ends_with("MergeTree"))
        {
            details.push_back("Output: " + output);
            if (node.request.filter)
                details.push_back("Filter column: " + expression_as_sql(*node.request.filter));
            return;
        }
        const auto scan = node.table->scan(node.request, context_);
        const auto estimate = scan->estimate();
        details.push_back(std::string("Read type: ") +
                          (!node.request.order_prefix     ? "Default"
                           : node.request.order_descending ? "InReverseOrder"
                                                           : "InOrder"));
        details.push_back(
            fmt::format("Parts: {} | Granules: {}", estimate.parts, estimate.marks));
        details.push_back("Output: " + output);
        for (const auto& filter : {node.request.prewhere, node.request.filter})
            if (filter)
            {
                details.push_back("Prewhere filter");
                details.push_back("Prewhere filter column:  " + expression_as_sql(*filter));
            }
        if (!options_.indexes)
            return;
        const auto uses = scan->index_use();
        if (!uses.empty())
            details.push_back("Indexes:");
        for (const IndexUse& use : uses)
            index(use, details);
    }

    static void index(const IndexUse& use, std::vector<std::string>& details)
    {
        details.push_back("  " + use.type);
        const auto add = [&](const std::string& text) { details.push_back("    " + text); };
        if (!use.name.empty())
            add("Name: " + use.name);
        if (!use.description.empty())
            add("Description: " + use.description);
        if (!use.keys.empty())
        {
            add("Keys:");
            for (const std::string& key : use.keys)
                add("  " + key);
        }
        if (!use.condition.empty())
            add("Condition: " + use.condition);
        add(fmt::format("Parts: {}/{}", use.parts_after, use.parts_before));
        add(fmt::format("Granules: {}/{}", use.granules_after, use.granules_before));
    }

    const ExplainOptions& options_;
    QueryContextPtr context_;
};

} // namespace

std::vector<std::string> explain_plan_tree(const QueryPlan& plan, const ExplainOptions& options,
                                           QueryContextPtr context)
{
    TreePrinter printer(options, std::move(context));
    printer.lines.push_back("Output: " + joined(plan.result_names));
    printer.lines.push_back("");
    printer.print(*plan.root, "", "");
    return std::move(printer.lines);
}

} // namespace basalt
