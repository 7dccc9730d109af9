#include "planner/rules/rules.h"

namespace basalt
{

namespace
{

// Merged expressions stay below this size, counting repetitions.
constexpr size_t kMaxMergedTextBytes = 64 << 10;

void count_uses(const Expression& expression, bool in_lambda,
                std::unordered_map<std::string, size_t>& uses, std::set<std::string>& in_lambdas)
{
    if (expression.kind() == ExpressionKind::Input)
    {
        ++uses[expression.name()];
        if (in_lambda)
            in_lambdas.insert(expression.name());
    }
    const bool inside = in_lambda || expression.kind() == ExpressionKind::Lambda;
    for (const ExpressionPtr& argument : expression.arguments())
        count_uses(*argument, inside, uses, in_lambdas);
}

bool can_merge(const ProjectNode& outer, const ProjectNode& inner)
{
    std::unordered_map<std::string, size_t> uses;
    std::set<std::string> in_lambdas;
    for (const ExpressionPtr& expression : outer.expressions)
        count_uses(*expression, false, uses, in_lambdas);
    size_t bytes = 0;
    for (size_t i = 0; i < inner.expressions.size(); ++i)
    {
        const ExpressionPtr& value = inner.expressions[i];
        auto it = uses.find(inner.output[i].name);
        if (it == uses.end())
            continue;
        if (value->kind() == ExpressionKind::Input || value->is_constant())
            continue;
        // A lambda would compute it for each element.
        if (in_lambdas.contains(it->first))
            return false;
        if (!is_deterministic(value) && it->second > 1)
            return false;
        bytes += it->second * value->fingerprint().size();
    }
    return bytes <= kMaxMergedTextBytes;
}

bool changes_nothing(const ProjectNode& project)
{
    const Header& input = project.inputs[0]->output;
    if (input.size() != project.output.size())
        return false;
    for (size_t i = 0; i < input.size(); ++i)
    {
        const ExpressionPtr& value = project.expressions[i];
        if (value->kind() != ExpressionKind::Input || value->name() != project.output[i].name ||
            input[i].name != project.output[i].name ||
            !same_type(input[i].type, project.output[i].type))
            return false;
    }
    return true;
}

} // namespace

PlanPtr merge_projections(PlanPtr node, const QueryContext& context)
{
    while (node->kind == PlanKind::Project)
    {
        auto& outer = static_cast<ProjectNode&>(*node);
        if (changes_nothing(outer))
        {
            node = std::move(outer.inputs[0]);
            continue;
        }
        if (outer.inputs[0]->kind != PlanKind::Project)
            break;
        auto& inner = static_cast<ProjectNode&>(*outer.inputs[0]);
        if (!can_merge(outer, inner))
            break;
        std::unordered_map<std::string, ExpressionPtr> values;
        for (size_t i = 0; i < inner.expressions.size(); ++i)
            values.emplace(inner.output[i].name, inner.expressions[i]);
        for (ExpressionPtr& expression : outer.expressions)
            expression = replace_inputs(expression, values, context);
        PlanPtr below = std::move(inner.inputs[0]);
        outer.inputs[0] = std::move(below);
    }
    for (PlanPtr& input : node->inputs)
        input = merge_projections(std::move(input), context);
    return node;
}

} // namespace basalt
