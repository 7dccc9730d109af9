#include "planner/analyzer/select_analyzer.h"

#include "columns/serialization.h"
#include "sql/formatter.h"

#include <fmt/format.h>

namespace basalt
{

void SelectAnalyzer::bind_order()
{
    for (const AstPtr& ast : select_.order_by)
    {
        const auto* element = ast->as<AstOrderByElement>();
        if (select_.order_by_all)
        {
            for (const ProjectionItem& item : items_)
                order_.push_back({item.value, element, {}});
            continue;
        }
        AstList expanded;
        const AstPtr written = positional(element->expression, "ORDER BY");
        if (!expand_argument(*written, expanded))
            expanded = {written};
        for (const AstPtr& one : expanded)
            order_.push_back({bind_output(*one, "ORDER BY"), element, {}});
    }
    auto bind_list = [&](const AstList& list, Expressions& out, const char* clause)
    {
        for (const AstPtr& ast : list)
        {
            AstList expanded;
            const AstPtr written = positional(ast, clause);
            if (!expand_argument(*written, expanded))
                expanded = {written};
            for (const AstPtr& one : expanded)
                out.push_back(bind_output(*one, clause));
        }
    };
    bind_list(select_.limit_by, limit_by_, "LIMIT BY");
    if (select_.limit_by_all)
        for (const ProjectionItem& item : items_)
            limit_by_.push_back(item.value);
}

uint64_t SelectAnalyzer::constant_count(const Ast& ast, const char* clause)
{
    const ExpressionPtr bound = bind_in_stage(ast, Stage::Rows, clause);
    if (!bound->is_constant())
        throw Error(error_codes::INVALID_LIMIT_EXPRESSION,
                    fmt::format("{} expression must be constant. Actual {}.{}", clause,
                                format_query(ast), scope_text()));
    const Value value = bound->constant_column()->value_at(0);
    if (const auto* number = value.get_if<uint64_t>())
        return *number;
    if (const auto* number = value.get_if<int64_t>())
    {
        if (*number < 0)
            throw Error(error_codes::NOT_IMPLEMENTED,
                        fmt::format("A negative {} is not implemented", clause));
        return static_cast<uint64_t>(*number);
    }
    if (const auto* number = value.get_if<double>())
        if (*number > 0 && *number < 1)
            throw Error(error_codes::NOT_IMPLEMENTED,
                        fmt::format("A fractional {} is not implemented", clause));
    throw Error(error_codes::INVALID_LIMIT_EXPRESSION,
                fmt::format("{} expression must be constant with numeric type. Actual {}.{}",
                            clause, format_query(ast), scope_text()));
}

void SelectAnalyzer::build_order_and_limits()
{
    Expressions values;
    for (const ProjectionItem& item : items_)
        values.push_back(item.value);
    for (const OrderItem& item : order_)
        values.push_back(item.value);
    values.insert(values.end(), limit_by_.begin(), limit_by_.end());
    const std::vector<std::string> ids = ensure_columns(values);
    size_t at = 0;
    for (ProjectionItem& item : items_)
        item.id = ids[at++];
    for (OrderItem& item : order_)
        item.id = ids[at++];
    const std::vector<std::string> limit_by_ids(ids.begin() + static_cast<ptrdiff_t>(at),
                                                ids.end());

    uint64_t limit = 0, offset = 0;
    if (select_.limit)
        limit = constant_count(*select_.limit, "LIMIT");
    if (select_.offset)
        offset = constant_count(*select_.offset, "OFFSET");
    const uint64_t needed =
        !select_.limit || limit > ~offset ? 0 : std::max<uint64_t>(limit + offset, 1);

    bool fill = false;
    for (const OrderItem& item : order_)
        fill = fill || item.element->with_fill;
    const bool limit_by = !limit_by_ids.empty();

    if (select_.distinct)
    {
        auto node = std::make_unique<DistinctNode>();
        node->output = current_->output;
        std::set<std::string> seen;
        for (const ProjectionItem& item : items_)
            if (seen.insert(item.id).second)
                node->keys.push_back(item.id);
        if (order_.empty() && !limit_by && !select_.with_ties)
            node->limit = needed;
        node->inputs.push_back(std::move(current_));
        current_ = std::move(node);
    }

    std::vector<OrderKey> keys;
    std::set<std::string> seen;
    for (const OrderItem& item : order_)
    {
        if (item.value->is_constant() || !seen.insert(item.id).second)
            continue;
        OrderKey key;
        key.column = item.id;
        key.descending = item.element->descending;
        key.nulls_first = item.element->explicit_nulls && item.element->nulls_first;
        if (item.element->collation)
            key.collation = item.element->collation->as<AstLiteral>()->text;
        keys.push_back(std::move(key));
    }
    if (!keys.empty())
    {
        auto node = std::make_unique<SortNode>();
        node->output = current_->output;
        node->keys = keys;
        if (!limit_by && !select_.with_ties && !fill)
            node->limit = needed;
        node->inputs.push_back(std::move(current_));
        current_ = std::move(node);
    }
    if (select_.limit_by_limit)
    {
        auto node = std::make_unique<LimitByNode>();
        node->output = current_->output;
        node->keys = limit_by_ids;
        node->limit = constant_count(*select_.limit_by_limit, "LIMIT");
        if (select_.limit_by_offset)
            node->offset = constant_count(*select_.limit_by_offset, "OFFSET");
        node->inputs.push_back(std::move(current_));
        current_ = std::move(node);
    }
    if (fill)
        build_fill();
    if (select_.limit || select_.offset)
    {
        if (select_.with_ties && keys.empty())
            throw Error(error_codes::LOGICAL_ERROR, "LIMIT WITH TIES without ORDER BY");
        auto node = std::make_unique<LimitNode>();
        node->output = current_->output;
        node->limit = limit;
        node->offset = offset;
        node->has_limit = select_.limit != nullptr;
        if (select_.with_ties)
            node->with_ties = keys;
        node->inputs.push_back(std::move(current_));
        current_ = std::move(node);
    }
}

void SelectAnalyzer::build_fill()
{
    auto node = std::make_unique<FillNode>();
    node->output = current_->output;
    bool filled = false;
    for (const OrderItem& item : order_)
    {
        if (!item.element->with_fill)
        {
            if (!filled && !item.value->is_constant())
                node->sort_prefix.push_back(item.id);
            continue;
        }
        filled = true;
        FillNode::Key key;
        key.column = item.id;
        key.descending = item.element->descending;
        const TypePtr type = strip_wrappers(item.value->type());
        auto constant = [&](const Ast& ast, const char* what)
        {
            ExpressionPtr value = bind_in_stage(ast, Stage::Rows, "WITH FILL");
            const TypePtr bare = strip_wrappers(value->type());
            if (!value->is_constant() || (!bare->is_number() && !bare->is_date_or_time() &&
                                          !bare->is(TypeId::Interval)))
                throw Error(error_codes::INVALID_WITH_FILL_EXPRESSION,
                            fmt::format("Sort FILL {} expression must be constant with numeric "
                                        "type. Actual: {}.{}",
                                        what, format_query(ast), scope_text()));
            return type->is_float() && bare->is_number()
                       ? cast_to(value, simple_type(TypeId::Float64), context_)
                       : value;
        };
        auto bound = [&](const AstPtr& ast, const char* what) -> Value
        {
            if (!ast)
                return Null{};
            ExpressionPtr value = constant(*ast, what);
            const TypePtr bare = strip_wrappers(value->type());
            if (type->is_date_or_time())
            {
                if (!bare->is_integer() && bare->id() != type->id())
                    throw Error(error_codes::INVALID_WITH_FILL_EXPRESSION,
                                fmt::format("Incompatible types of WITH FILL expression values "
                                            "with column type {}",
                                            item.value->type()->name()));
                value = cast_to(value, type, context_);
            }
            return value->constant_column()->value_at(0);
        };
        auto step = [&](const AstPtr& ast, const char* what,
                        std::optional<IntervalKind>& interval) -> Value
        {
            if (!ast)
                return Null{};
            const ExpressionPtr value = constant(*ast, what);
            if (value->type()->is(TypeId::Interval))
                interval = type_as<IntervalType>(value->type()).kind();
            return value->constant_column()->value_at(0);
        };
        key.from = bound(item.element->fill_from, "FROM");
        key.to = bound(item.element->fill_to, "TO");
        key.step = step(item.element->fill_step, "STEP", key.step_interval);
        key.staleness = step(item.element->fill_staleness, "STALENESS", key.staleness_interval);
        node->keys.push_back(std::move(key));
    }
    if (select_.has_interpolate)
    {
        Header names;
        std::unordered_map<std::string, ExpressionPtr> ids;
        for (const ProjectionItem& item : items_)
        {
            names.push_back({item.name, item.value->type()});
            ids.emplace(item.name, Expression::input(item.id, item.value->type()));
        }
        auto add = [&](const std::string& name, const Ast& expression)
        {
            const ProjectionItem* target = nullptr;
            for (const ProjectionItem& item : items_)
                if (item.name == name)
                    target = &item;
            if (!target)
                throw Error(error_codes::UNKNOWN_IDENTIFIER,
                            fmt::format("INTERPOLATE column {} is not in SELECT", name));
            for (const OrderItem& item : order_)
                if (item.id == target->id)
                    throw Error(error_codes::INVALID_WITH_FILL_EXPRESSION,
                                fmt::format("Column '{}' is participating in ORDER BY expression "
                                            "and can't be INTERPOLATE output",
                                            name));
            node->interpolate.push_back(target->id);
            node->interpolate_expressions.push_back(
                cast_to(replace_inputs(bind_expression(expression, names, context_), ids,
                                       context_),
                        target->value->type(), context_));
        };
        if (select_.interpolate.empty())
        {
            std::set<std::string> ordered;
            for (const OrderItem& item : order_)
                ordered.insert(item.id);
            for (const ProjectionItem& item : items_)
                if (!ordered.contains(item.id))
                    add(item.name, AstIdentifier(item.name));
        }
        for (const AstPtr& ast : select_.interpolate)
        {
            const auto& element = *ast->as<AstInterpolateElement>();
            if (element.expression)
                add(element.name, *element.expression);
            else
                add(element.name, AstIdentifier(element.name));
        }
    }
    node->inputs.push_back(std::move(current_));
    current_ = std::move(node);
}

} // namespace basalt
