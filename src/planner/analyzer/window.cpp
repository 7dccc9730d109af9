#include "planner/analyzer/select_analyzer.h"

#include "columns/serialization.h"
#include "sql/formatter.h"

#include <algorithm>
#include <fmt/format.h>

namespace basalt
{

namespace
{

bool is_ranking(std::string_view name)
{
    for (const char* known : {"row_number", "rank", "dense_rank", "denseRank", "percent_rank",
                              "percentRank", "cume_dist", "ntile", "lag", "lead", "lagInFrame",
                              "leadInFrame", "nth_value"})
        if (name == known)
            return true;
    return false;
}

WindowFrame::Bound plan_bound(FrameBound bound)
{
    switch (bound)
    {
    case FrameBound::UnboundedPreceding:
        return WindowFrame::Bound::UnboundedPreceding;
    case FrameBound::Preceding:
        return WindowFrame::Bound::Preceding;
    case FrameBound::CurrentRow:
        return WindowFrame::Bound::Current;
    case FrameBound::Following:
        return WindowFrame::Bound::Following;
    default:
        return WindowFrame::Bound::UnboundedFollowing;
    }
}

} // namespace

ExpressionPtr SelectAnalyzer::bind_window(const AstFunction& call)
{
    if (in_aggregate_ || in_window_ || !windows_allowed_ || inside_lambda())
        throw Error(error_codes::ILLEGAL_AGGREGATION,
                    fmt::format("Window function {} is found in {} in query.{}",
                                format_query(call),
                                in_aggregate_ ? "an aggregate function"
                                : in_window_  ? "another window function"
                                              : clause_,
                                scope_text()));
    struct Guard
    {
        bool& flag;
        explicit Guard(bool& f) : flag(f) { flag = true; }
        ~Guard() { flag = false; }
    } guard(in_window_);
    auto bind_part = [&](const Ast& ast)
    {
        const ExpressionPtr value = bind(ast);
        return aggregates_ ? finish_aggregated(value) : value;
    };

    // The definition, with what it takes from a named parent.
    auto named = [&](const std::string& name) -> const AstWindowDefinition*
    {
        for (const AstPtr& ast : select_.windows)
            if (ast->as<AstWindowDefinition>()->name == name)
                return ast->as<AstWindowDefinition>();
        throw Error(error_codes::BAD_ARGUMENTS,
                    fmt::format("Window '{}' does not exist.{}", name, scope_text()));
    };
    const AstWindowDefinition* definition =
        call.window ? call.window->as<AstWindowDefinition>() : named(call.window_name);
    const AstList* partition_by = &definition->partition_by;
    const AstList* order_by = &definition->order_by;
    const AstWindowDefinition* frame = definition->has_frame ? definition : nullptr;
    for (size_t depth = 0; !definition->parent.empty() && depth < 16; ++depth)
    {
        definition = named(definition->parent);
        if (partition_by->empty())
            partition_by = &definition->partition_by;
        if (order_by->empty())
            order_by = &definition->order_by;
        if (!frame && definition->has_frame)
            frame = definition;
    }

    PendingWindow window;
    std::string key = "PARTITION BY";
    for (const AstPtr& ast : *partition_by)
    {
        window.partition_by.push_back(bind_part(*ast));
        key += " " + column_of(window.partition_by.back()) + ",";
    }
    key += " ORDER BY";
    for (const AstPtr& ast : *order_by)
    {
        const auto& element = *ast->as<AstOrderByElement>();
        window.order_by.push_back(bind_part(*element.expression));
        window.descending.push_back(element.descending);
        window.nulls_first.push_back(element.explicit_nulls && element.nulls_first);
        key += " " + column_of(window.order_by.back()) + (element.descending ? " DESC" : " ASC") +
               (window.nulls_first.back() ? " NULLS FIRST," : ",");
    }
    if (frame)
    {
        window.frame.unit = frame->frame == FrameKind::Rows    ? WindowFrame::Unit::Rows
                            : frame->frame == FrameKind::Range ? WindowFrame::Unit::Range
                                                               : WindowFrame::Unit::Groups;
        window.frame.begin = plan_bound(frame->frame_begin);
        window.frame.end = plan_bound(frame->frame_end);
        auto offset = [&](const AstPtr& ast) -> Value
        {
            if (!ast)
                return Null{};
            const ExpressionPtr bound = bind(*ast);
            if (!bound->is_constant())
                throw Error(error_codes::BAD_ARGUMENTS,
                            fmt::format("Window frame offset {} must be constant",
                                        format_query(*ast)));
            return bound->constant_column()->value_at(0);
        };
        window.frame.begin_offset = offset(frame->begin_offset);
        window.frame.end_offset = offset(frame->end_offset);
        key += fmt::format(" FRAME {} {} {} {} {}", static_cast<int>(window.frame.unit),
                           static_cast<int>(window.frame.begin),
                           window.frame.begin_offset.to_text(),
                           static_cast<int>(window.frame.end), window.frame.end_offset.to_text());
    }

    PendingWindow::Call pending;
    Expressions arguments;
    AstList expanded;
    const bool star = call.arguments.size() == (call.name == "countIf" ? 2 : 1) &&
                      (call.name == "count" || call.name == "countIf") &&
                      call.arguments[0]->kind == AstKind::Asterisk;
    for (const AstPtr& argument : call.arguments)
    {
        if (star && argument == call.arguments[0])
            continue;
        expanded.clear();
        if (!expand_argument(*argument, expanded))
            expanded = {argument};
        for (const AstPtr& one : expanded)
            arguments.push_back(bind_part(*one));
    }
    std::string text = call.name + "(";
    for (size_t i = 0; i < arguments.size(); ++i)
        text += (i ? ", " : "") + column_of(arguments[i]);

    if (is_ranking(call.name))
    {
        pending.call.function = call.name;
        const bool takes_value = call.name.starts_with("lag") || call.name.starts_with("lead") ||
                                 call.name == "nth_value";
        const size_t constants_from = takes_value ? 1 : 0;
        const size_t maximum = takes_value ? (call.name == "nth_value" ? 2 : 3)
                                           : (call.name == "ntile" ? 1 : 0);
        const size_t minimum = call.name == "nth_value" ? 2 : maximum == 0 ? 0 : 1;
        if (arguments.size() < minimum || arguments.size() > maximum)
            throw Error(error_codes::NUMBER_OF_ARGUMENTS_DOESNT_MATCH,
                        fmt::format("Window function {} expects from {} to {} arguments, got {}",
                                    call.name, minimum, maximum, arguments.size()));
        pending.call.type = takes_value                   ? arguments[0]->type()
                            : call.name == "percent_rank" ? simple_type(TypeId::Float64)
                            : call.name == "percentRank"  ? simple_type(TypeId::Float64)
                            : call.name == "cume_dist"    ? simple_type(TypeId::Float64)
                                                          : simple_type(TypeId::UInt64);
        if (arguments.size() == 3)
            arguments[2] = cast_to(arguments[2], pending.call.type, context_);
        for (size_t i = constants_from; i < arguments.size(); ++i)
        {
            if (!arguments[i]->is_constant())
                throw Error(error_codes::NOT_IMPLEMENTED,
                            fmt::format("Argument {} of window function {} must be a constant",
                                        i + 1, call.name));
            pending.call.constants.push_back(arguments[i]->constant_column()->value_at(0));
        }
        arguments.resize(std::min(arguments.size(), constants_from));
    }
    else
    {
        if (call.name == "count" && arguments.size() == 1 &&
            !is_nullable_or_lc_nullable(arguments[0]->type()))
            arguments.clear();
        pending.call.aggregate = make_aggregate(call, arguments);
        pending.call.type = pending.call.aggregate->result_type();
        for (const Value& parameter : pending.call.aggregate->parameters())
            text += "; " + parameter.to_text();
    }
    const std::string id = text + ") OVER (" + key + ")";
    pending.call.name = id;
    pending.arguments = std::move(arguments);
    const TypePtr type = pending.call.type;
    if (kept_inputs_.insert(id).second)
    {
        auto [it, added] = windows_.emplace(key, std::move(window));
        if (added)
            window_order_.push_back(key);
        it->second.calls.push_back(std::move(pending));
    }
    return Expression::input(id, type);
}

void SelectAnalyzer::build_windows()
{
    for (const std::string& key : window_order_)
    {
        PendingWindow& window = windows_[key];
        auto node = std::make_unique<WindowNode>();
        node->partition_by = ensure_columns(window.partition_by);
        node->order_by = ensure_columns(window.order_by);
        node->descending = window.descending;
        node->nulls_first = window.nulls_first;
        node->frame = window.frame;
        for (PendingWindow::Call& pending : window.calls)
            pending.call.arguments = ensure_columns(pending.arguments);
        node->output = current_->output;
        for (PendingWindow::Call& pending : window.calls)
        {
            node->output.push_back({pending.call.name, pending.call.type});
            node->calls.push_back(std::move(pending.call));
        }
        node->inputs.push_back(std::move(current_));
        current_ = std::move(node);
    }
}

} // namespace basalt
