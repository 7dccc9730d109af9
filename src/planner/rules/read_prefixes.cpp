#include "planner/rules/rules.h"

#include <algorithm>

namespace basalt
{

namespace
{

constexpr size_t kWhole = SIZE_MAX;
constexpr uint64_t kMaxPrefixBytes = 4096; // past it the whole text is as cheap

std::optional<uint64_t> whole_number(const Expression& expression)
{
    if (!expression.is_constant() || !strip_wrappers(expression.type())->is_integer())
        return std::nullopt;
    const Value value = expression.constant_column()->value_at(0);
    if (const auto* number = value.get_if<uint64_t>())
        return *number;
    if (const auto* number = value.get_if<int64_t>(); number && *number >= 0)
        return static_cast<uint64_t>(*number);
    return std::nullopt;
}

// How many bytes of its first argument a call looks at; kWhole when all.
size_t prefix_of_call(const Expression& call)
{
    const Expressions& arguments = call.arguments();
    std::optional<uint64_t> bytes;
    if (call.is_call("substring") && arguments.size() == 3)
    {
        if (whole_number(*arguments[1]) == uint64_t{1})
            bytes = whole_number(*arguments[2]);
    }
    else if (call.is_call("left") && arguments.size() == 2)
        bytes = whole_number(*arguments[1]);
    else if (call.is_call("startsWith") && arguments.size() == 2 && arguments[1]->is_constant() &&
             arguments[1]->type()->is(TypeId::String))
        bytes = arguments[1]->constant_column()->value_at(0).get<std::string>().size();
    if (!bytes || *bytes > kMaxPrefixBytes)
        return kWhole;
    return std::max<size_t>(static_cast<size_t>(*bytes), 1);
}

// The bytes that the expression looks at of the column's texts, 0 when it does not read it.
size_t prefix_needed(const Expression& expression, const std::string& column)
{
    if (expression.kind() == ExpressionKind::Input)
        return expression.name() == column ? kWhole : 0;
    if (expression.kind() == ExpressionKind::Constant)
        return 0;
    const Expressions& arguments = expression.arguments();
    size_t needed = 0;
    for (size_t i = 0; i < arguments.size(); ++i)
    {
        const bool is_first_text = i == 0 && expression.kind() == ExpressionKind::Call &&
                                   arguments[0]->kind() == ExpressionKind::Input &&
                                   arguments[0]->name() == column;
        needed = std::max(needed, is_first_text ? prefix_of_call(expression)
                                                : prefix_needed(*arguments[i], column));
    }
    return needed;
}

void mark_prefixes(const ProjectNode& project, ReadNode& read)
{
    ScanRequest& request = read.request;
    if (request.order_prefix || request.with_row_ids || request.top_bound || request.final)
        return;
    for (size_t i = 0; i < read.output.size(); ++i)
    {
        if (!read.output[i].type->is(TypeId::String))
            continue;
        size_t needed = 0;
        for (const auto& expression : project.expressions)
            needed = std::max(needed, prefix_needed(*expression, read.output[i].name));
        if (needed == 0 || needed == kWhole)
            continue;
        request.prefix_bytes.resize(request.columns.size(), 0);
        request.prefix_bytes[i] = needed;
    }
}

} // namespace

void read_prefixes(PlanNode& node, const QueryContext& context)
{
    for (PlanPtr& input : node.inputs)
        read_prefixes(*input, context);
    if (node.kind == PlanKind::Project && node.inputs[0]->kind == PlanKind::Read)
        mark_prefixes(static_cast<const ProjectNode&>(node),
                      static_cast<ReadNode&>(*node.inputs[0]));
}

} // namespace basalt
