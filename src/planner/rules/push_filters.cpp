#include "planner/rules/rules.h"

#include "binder/binder.h"

#include <algorithm>

namespace basalt
{

namespace
{

class FilterPusher
{
public:
    explicit FilterPusher(const QueryContext& context)
        : context_(context),
          enabled_(context.settings.get_bool("query_plan_enable_optimizations") &&
                   context.settings.get_bool("query_plan_filter_push_down"))
    {
    }

    // The node with the conditions applied, as deep as they go.
    PlanPtr push(PlanPtr node, Expressions conditions)
    {
        Expressions kept;
        for (ExpressionPtr& condition : conditions)
        {
            const auto constant = constant_condition(condition);
            if (!constant)
                kept.push_back(std::move(condition));
            else if (!*constant)
                return empty_rows(node->output);
        }
        switch (node->kind)
        {
        case PlanKind::Filter:
            return push_filter(std::move(node), std::move(kept));
        case PlanKind::Project:
            return push_project(std::move(node), std::move(kept));
        case PlanKind::Read:
            return push_read(std::move(node), std::move(kept));
        case PlanKind::Join:
            return push_join(std::move(node), std::move(kept));
        case PlanKind::Union:
            return push_union(std::move(node), std::move(kept));
        default:
            return push_unary(std::move(node), std::move(kept));
        }
    }

private:
    PlanPtr above(PlanPtr node, const Expressions& conditions)
    {
        if (conditions.empty())
            return node;
        auto filter = std::make_unique<FilterNode>();
        filter->output = node->output;
        filter->condition = conjunction(conditions, context_);
        filter->inputs.push_back(std::move(node));
        return filter;
    }

    PlanPtr push_filter(PlanPtr node, Expressions conditions)
    {
        auto& filter = static_cast<FilterNode&>(*node);
        const bool barrier = filter.for_totals_too && has_totals(*filter.inputs[0]);
        if (barrier || !enabled_)
        {
            if (!barrier && constant_condition(filter.condition) == false)
                return empty_rows(node->output);
            filter.inputs[0] = push(std::move(filter.inputs[0]), {});
            return above(std::move(node), conditions);
        }
        Expressions all = split_conjuncts(filter.condition);
        all.insert(all.end(), conditions.begin(), conditions.end());
        return push(std::move(filter.inputs[0]), std::move(all));
    }

    static bool has_totals(const PlanNode& node)
    {
        if (node.kind == PlanKind::Aggregate)
            return static_cast<const AggregateNode&>(node).with_totals;
        for (const PlanPtr& input : node.inputs)
            if (has_totals(*input))
                return true;
        return false;
    }

    PlanPtr push_project(PlanPtr node, Expressions conditions)
    {
        auto& project = static_cast<ProjectNode&>(*node);
        std::unordered_map<std::string, ExpressionPtr> values;
        for (size_t i = 0; i < project.expressions.size(); ++i)
            values.emplace(project.output[i].name, project.expressions[i]);
        Expressions below, kept;
        for (ExpressionPtr& condition : conditions)
        {
            bool pure = is_deterministic(condition);
            for (const std::string& name : inputs_of({condition}))
                pure = pure && values.contains(name) && is_deterministic(values[name]);
            if (pure)
                below.push_back(replace_inputs(condition, values, context_));
            else
                kept.push_back(std::move(condition));
        }
        project.inputs[0] = push(std::move(project.inputs[0]), std::move(below));
        return above(std::move(node), kept);
    }

    PlanPtr push_read(PlanPtr node, Expressions conditions)
    {
        auto& read = static_cast<ReadNode&>(*node);
        std::unordered_map<std::string, ExpressionPtr> names;
        for (size_t i = 0; i < read.output.size(); ++i)
            names.emplace(read.output[i].name,
                          Expression::input(read.request.columns[i], read.output[i].type));
        Expressions below, kept;
        if (read.request.filter)
            below = split_conjuncts(read.request.filter);
        for (ExpressionPtr& condition : conditions)
        {
            if (is_deterministic(condition) && reads_only_columns(condition, read.output))
                below.push_back(replace_inputs(condition, names, context_));
            else
                kept.push_back(std::move(condition));
        }
        read.request.filter = conjunction(below, context_);
        return above(std::move(node), kept);
    }

    PlanPtr push_join(PlanPtr node, Expressions conditions)
    {
        auto& join = static_cast<JoinNode&>(*node);
        const bool all = join.strictness == JoinStrictness::All;
        const bool inner = (join.join == JoinKind::Inner || join.join == JoinKind::Cross) && all;
        const bool to_left = inner || join.join == JoinKind::Left;
        const bool to_right = inner || (join.join == JoinKind::Right);
        const bool plain_types = same_types(join);
        Expressions left, right, kept, across;
        for (ExpressionPtr& condition : conditions)
        {
            const bool pure = is_deterministic(condition);
            const bool only_left = reads_only_columns(condition, join.inputs[0]->output);
            const bool only_right = reads_only_columns(condition, join.inputs[1]->output);
            if (pure && only_left && to_left)
                left.push_back(std::move(condition));
            else if (pure && only_right && to_right)
                right.push_back(std::move(condition));
            else if (pure && inner && !only_left && !only_right && plain_types)
                across.push_back(std::move(condition));
            else
                kept.push_back(std::move(condition));
        }
        for (const ExpressionPtr& condition : across)
            add_to_join(join, condition);
        join.inputs[0] = push(std::move(join.inputs[0]), std::move(left));
        join.inputs[1] = push(std::move(join.inputs[1]), std::move(right));
        return above(std::move(node), kept);
    }

    // Types of the output are those of the inputs (no NULLs added).
    static bool same_types(const JoinNode& join)
    {
        for (const NamedType& column : join.output)
            for (const PlanPtr& input : join.inputs)
                for (const NamedType& source : input->output)
                    if (source.name == column.name && !same_type(source.type, column.type))
                        return false;
        return true;
    }

    void add_to_join(JoinNode& join, const ExpressionPtr& condition)
    {
        if (condition->is_call("equals") && condition->arguments().size() == 2)
        {
            ExpressionPtr left = condition->arguments()[0], right = condition->arguments()[1];
            if (reads_only_columns(left, join.inputs[1]->output) &&
                reads_only_columns(right, join.inputs[0]->output))
                std::swap(left, right);
            const TypePtr type = try_common_type({remove_low_cardinality(left->type()),
                                                  remove_low_cardinality(right->type())});
            if (type && reads_only_columns(left, join.inputs[0]->output) &&
                reads_only_columns(right, join.inputs[1]->output) && !left->is_constant() &&
                !right->is_constant())
            {
                join.left_keys.push_back(
                    key_column(join.inputs[0], cast_to(left, type, context_)));
                join.right_keys.push_back(
                    key_column(join.inputs[1], cast_to(right, type, context_)));
                join.null_safe.push_back(false);
                if (join.join == JoinKind::Cross)
                    join.join = JoinKind::Inner;
                return;
            }
        }
        if (join.join == JoinKind::Cross)
            join.join = JoinKind::Inner;
        join.condition = join.condition
                             ? Expression::call("and", {join.condition, condition}, context_)
                             : condition;
    }

    static std::string key_column(PlanPtr& side, const ExpressionPtr& key)
    {
        if (key->kind() == ExpressionKind::Input)
            return key->name();
        const std::string& name = key->fingerprint();
        for (const NamedType& column : side->output)
            if (column.name == name)
                return name;
        auto project = std::make_unique<ProjectNode>();
        for (const NamedType& column : side->output)
        {
            project->output.push_back(column);
            project->expressions.push_back(Expression::input(column.name, column.type));
        }
        project->output.push_back({name, key->type()});
        project->expressions.push_back(key);
        project->inputs.push_back(std::move(side));
        side = std::move(project);
        return name;
    }

    PlanPtr push_union(PlanPtr node, Expressions conditions)
    {
        Expressions below, kept;
        for (ExpressionPtr& condition : conditions)
            (is_deterministic(condition) ? below : kept).push_back(std::move(condition));
        for (PlanPtr& input : node->inputs)
        {
            std::unordered_map<std::string, ExpressionPtr> names;
            for (size_t i = 0; i < node->output.size(); ++i)
                names.emplace(node->output[i].name,
                              Expression::input(input->output[i].name, input->output[i].type));
            Expressions renamed;
            for (const ExpressionPtr& condition : below)
                renamed.push_back(replace_inputs(condition, names, context_));
            input = push(std::move(input), std::move(renamed));
        }
        return above(std::move(node), kept);
    }

    // Columns that a condition may read to commute with the node; nothing: none may pass.
    static std::optional<std::set<std::string>> passing_columns(const PlanNode& node)
    {
        std::set<std::string> names;
        switch (node.kind)
        {
        case PlanKind::Sort:
        {
            if (static_cast<const SortNode&>(node).limit)
                return std::nullopt;
            for (const NamedType& column : node.output)
                names.insert(column.name);
            return names;
        }
        case PlanKind::Distinct:
        {
            const auto& distinct = static_cast<const DistinctNode&>(node);
            if (distinct.limit)
                return std::nullopt;
            names.insert(distinct.keys.begin(), distinct.keys.end());
            if (distinct.keys.empty())
                for (const NamedType& column : node.output)
                    names.insert(column.name);
            return names;
        }
        case PlanKind::Aggregate:
        {
            const auto& aggregate = static_cast<const AggregateNode&>(node);
            if (!aggregate.grouping_sets.empty() || aggregate.with_totals)
                return std::nullopt;
            names.insert(aggregate.keys.begin(), aggregate.keys.end());
            return names;
        }
        case PlanKind::Window:
        {
            const auto& window = static_cast<const WindowNode&>(node);
            names.insert(window.partition_by.begin(), window.partition_by.end());
            return names;
        }
        case PlanKind::ArrayJoin:
        {
            const auto& join = static_cast<const ArrayJoinNode&>(node);
            for (const NamedType& column : node.output)
                if (std::find(join.columns.begin(), join.columns.end(), column.name) ==
                    join.columns.end())
                    names.insert(column.name);
            return names;
        }
        default:
            return std::nullopt;
        }
    }

    PlanPtr push_unary(PlanPtr node, Expressions conditions)
    {
        const auto passing = passing_columns(*node);
        Expressions below, kept;
        for (ExpressionPtr& condition : conditions)
        {
            bool passes = passing && is_deterministic(condition);
            const auto inputs = inputs_of({condition});
            for (const std::string& name : inputs)
                passes = passes && passing->contains(name);
            (passes && !inputs.empty() ? below : kept).push_back(std::move(condition));
        }
        for (size_t i = 0; i < node->inputs.size(); ++i)
            node->inputs[i] =
                push(std::move(node->inputs[i]), i == 0 ? std::move(below) : Expressions{});
        return above(std::move(node), kept);
    }

    const QueryContext& context_;
    bool enabled_;
};

} // namespace

PlanPtr push_filters(PlanPtr node, const QueryContext& context)
{
    return FilterPusher(context).push(std::move(node), {});
}

} // namespace basalt
