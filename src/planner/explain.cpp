#include "planner/analyzer.h"

#include "sql/formatter.h"

#include <fmt/format.h>

namespace basalt
{

namespace
{

std::string list_text(const std::vector<std::string>& names)
{
    std::string text;
    for (const std::string& name : names)
        text += (text.empty() ? "" : ", ") + name;
    return text;
}

std::string order_text(const std::vector<OrderKey>& keys, size_t count)
{
    std::string text;
    for (size_t i = 0; i < count && i < keys.size(); ++i)
        text += (text.empty() ? "" : ", ") + keys[i].column +
                (keys[i].descending ? " DESC" : " ASC");
    return text;
}

const char* join_type(JoinKind kind)
{
    switch (kind)
    {
    case JoinKind::Inner:
        return "INNER";
    case JoinKind::Left:
        return "LEFT";
    case JoinKind::Right:
        return "RIGHT";
    case JoinKind::Full:
        return "FULL";
    default:
        return "CROSS";
    }
}

const char* strictness_text(JoinStrictness strictness)
{
    switch (strictness)
    {
    case JoinStrictness::All:
        return "ALL";
    case JoinStrictness::Any:
        return "ANY";
    case JoinStrictness::Semi:
        return "SEMI";
    case JoinStrictness::Anti:
        return "ANTI";
    default:
        return "ASOF";
    }
}

class PlanPrinter
{
public:
    PlanPrinter(const ExplainOptions& options, QueryContextPtr context)
        : options_(options), context_(std::move(context))
    {
    }

    void print(const PlanNode& node, size_t depth)
    {
        depth_ = depth;
        const std::string note =
            options_.description && !node.comment.empty() ? " (" + node.comment + ")" : "";
        step(node, note);
        if (options_.header)
            print_header(node);
        for (const PlanPtr& input : node.inputs)
            print(*input, depth + 1);
    }

    std::vector<std::string> lines;

private:
    void line(const std::string& text, size_t more = 0)
    {
        lines.push_back(std::string((depth_ + more) * 2, ' ') + text);
    }
    void action(const std::string& text)
    {
        if (options_.actions)
            line(text);
    }

    void print_header(const PlanNode& node)
    {
        std::string prefix = "Header: ";
        if (node.output.empty())
            line(prefix + "Empty");
        for (const NamedType& column : node.output)
        {
            line(prefix + column.name + " " + column.type->name());
            prefix = "        ";
        }
    }

    void step(const PlanNode& node, const std::string& note)
    {
        switch (node.kind)
        {
        case PlanKind::Read:
            return read(static_cast<const ReadNode&>(node));
        case PlanKind::Blocks:
            return line(node.comment == "Optimized trivial count"
                            ? "ReadFromPreparedSource" + note
                            : "ReadFromPreparedSource" + note);
        case PlanKind::Project:
        {
            line("Expression" + note);
            const auto& project = static_cast<const ProjectNode&>(node);
            for (size_t i = 0; i < project.expressions.size(); ++i)
                if (project.expressions[i]->kind() != ExpressionKind::Input)
                    action("Action: " + project.expressions[i]->fingerprint() + " -> " +
                           project.output[i].name);
            return;
        }
        case PlanKind::Filter:
            line((static_cast<const FilterNode&>(node).for_totals_too ? "Filter (HAVING)"
                                                                      : "Filter") +
                 note);
            return action("Filter column: " +
                          static_cast<const FilterNode&>(node).condition->fingerprint());
        case PlanKind::Aggregate:
        {
            const auto& aggregate = static_cast<const AggregateNode&>(node);
            line("Aggregating" + note);
            action("Keys: " + list_text(aggregate.keys));
            if (options_.actions)
            {
                line("Aggregates:");
                for (const AggregateCall& call : aggregate.aggregates)
                {
                    line(call.name, 2);
                    line(fmt::format("Function: {}", call.function->name()), 3);
                    line("Arguments: " +
                             (call.arguments.empty() ? "none" : list_text(call.arguments)),
                         3);
                }
            }
            return;
        }
        case PlanKind::Window:
        {
            const auto& window = static_cast<const WindowNode&>(node);
            line("Window" + note);
            std::vector<std::string> names;
            for (const WindowCall& call : window.calls)
                names.push_back(call.name);
            return action("Functions: " + list_text(names));
        }
        case PlanKind::Sort:
            return sort(static_cast<const SortNode&>(node), note);
        case PlanKind::Limit:
        {
            const auto& limit = static_cast<const LimitNode&>(node);
            line((limit.has_limit ? "Limit" : "Offset") + note);
            if (limit.has_limit)
                action(fmt::format("Limit {}", limit.limit));
            return action(fmt::format("Offset {}", limit.offset));
        }
        case PlanKind::LimitBy:
        {
            const auto& limit = static_cast<const LimitByNode&>(node);
            line("LimitBy" + note);
            action("Columns: " + list_text(limit.keys));
            return action(fmt::format("Length {}", limit.limit));
        }
        case PlanKind::Distinct:
        {
            const auto& distinct = static_cast<const DistinctNode&>(node);
            line("Distinct" + note);
            return action("Columns: " + list_text(distinct.keys));
        }
        case PlanKind::Union:
            return line("Union" + note);
        case PlanKind::SetOperation:
            return line("IntersectOrExcept" + note);
        case PlanKind::Join:
            return join(static_cast<const JoinNode&>(node), note);
        case PlanKind::ArrayJoin:
            line("ArrayJoin" + note);
            return action("Columns: " +
                          list_text(static_cast<const ArrayJoinNode&>(node).columns));
        case PlanKind::Fill:
            return line("Filling" + note);
        }
    }

    void sort(const SortNode& node, const std::string& note)
    {
        line("Sorting" + (note.empty() && options_.description ? " (Sorting for ORDER BY)" : note));
        if (node.sorted_prefix)
            action("Prefix sort description: " + order_text(node.keys, node.sorted_prefix));
        action((node.sorted_prefix ? "Result sort description: " : "Sort description: ") +
               order_text(node.keys, node.keys.size()));
        if (node.limit)
            action(fmt::format("Limit {}", node.limit));
        if (node.lazy_read)
            action("Lazily read columns: " + list_text(node.lazy_columns));
    }

    void join(const JoinNode& node, const std::string& note)
    {
        line("Join (JOIN FillRightFirst)" + note);
        action(std::string("Type: ") + join_type(node.join));
        action(std::string("Strictness: ") + strictness_text(node.strictness));
        std::string clauses;
        for (size_t i = 0; i < node.left_keys.size(); ++i)
            clauses += (i ? ", " : "") + node.left_keys[i] + " = " + node.right_keys[i];
        action("Clauses: [" + clauses + "]");
        if (node.condition)
            action("Residual filter: " + node.condition->fingerprint());
    }

    void read(const ReadNode& node)
    {
        const std::string engine = node.table->engine_name();
        const TableName name = node.table->table_name();
        const bool function = name.database == "_table_function";
        line("ReadFrom" + engine + (function ? "" : " (" + name.full() + ")"));
        if (!engine.ends_with("MergeTree"))
        {
            if (node.request.filter)
                action("Filter column: " + node.request.filter->fingerprint());
            return;
        }
        if (options_.actions)
        {
            line(std::string("ReadType: ") +
                 (node.request.order_prefix ? (node.request.order_descending ? "InReverseOrder"
                                                                             : "InOrder")
                                            : "Default"));
            if (node.request.filter)
            {
                line("Prewhere info");
                line("Need filter: 1");
                line("Prewhere filter", 1);
                line("Prewhere filter column: " + node.request.filter->fingerprint(), 1);
            }
        }
        if (options_.indexes)
            indexes(node);
    }

    void indexes(const ReadNode& node)
    {
        const auto uses = node.table->scan(node.request, context_)->index_use();
        if (uses.empty())
            return;
        line("Indexes:");
        for (const IndexUse& use : uses)
        {
            line(use.type, 1);
            if (!use.name.empty())
                line("Name: " + use.name, 2);
            if (!use.description.empty())
                line("Description: " + use.description, 2);
            if (!use.keys.empty())
            {
                line("Keys:", 2);
                for (const std::string& key : use.keys)
                    line(key, 3);
            }
            if (!use.condition.empty())
                line("Condition: " + use.condition, 2);
            line(fmt::format("Parts: {}/{}", use.parts_after, use.parts_before), 2);
            line(fmt::format("Granules: {}/{}", use.granules_after, use.granules_before), 2);
        }
    }

    const ExplainOptions& options_;
    QueryContextPtr context_;
    size_t depth_ = 0;
};

} // namespace

std::vector<std::string> explain_plan(const QueryPlan& plan, const ExplainOptions& options,
                                      QueryContextPtr context)
{
    PlanPrinter printer(options, std::move(context));
    printer.print(*plan.root, 0);
    return std::move(printer.lines);
}

} // namespace basalt
