#include "planner/analyzer/select_analyzer.h"

#include "planner/rules/rules.h"
#include "sql/formatter.h"

#include <fmt/format.h>

namespace basalt
{

namespace
{

// Equal subqueries run once; the database counts because names resolve in it.
std::string subquery_key(const Ast& query, const AnalysisState& state)
{
    return state.database + "\n" + format_query(query);
}

// A constant tuple whose elements are named as the subquery's columns, if their names differ.
ExpressionPtr tuple_of(const Expressions& values, const std::vector<std::string>& names,
                       const QueryContext& context)
{
    const ExpressionPtr plain = Expression::call("tuple", values, context);
    const std::set<std::string> distinct(names.begin(), names.end());
    if (distinct.size() != names.size() || distinct.contains("") || !plain->is_constant())
        return plain;
    Types types;
    for (const ExpressionPtr& value : values)
        types.push_back(value->type());
    return Expression::constant_column(plain->constant_column(),
                                       std::make_shared<TupleType>(std::move(types), names));
}

} // namespace

QueryPlan plan_of(PlannedQuery planned, AnalysisState& state)
{
    QueryPlan plan;
    plan.root = std::move(planned.root);
    plan.result_names = std::move(planned.names);
    optimize(plan, state.context);
    return plan;
}

Block run_limited(PlannedQuery planned, uint64_t rows, AnalysisState& state)
{
    auto limit = std::make_unique<LimitNode>();
    limit->limit = rows;
    limit->output = planned.root->output;
    limit->inputs.push_back(std::move(planned.root));
    planned.root = std::move(limit);
    return state.context.run_subquery(plan_of(std::move(planned), state));
}

std::optional<PlannedQuery> SelectAnalyzer::plan_alone(const AstPtr& query)
{
    const auto open_ctes = state_.open_ctes;
    try
    {
        return plan_query(query, state_, this);
    }
    catch (const Error&)
    {
        if (state_.correlated_with != this)
            throw;
    }
    state_.correlated_with = nullptr;
    state_.open_ctes = open_ctes;
    return std::nullopt;
}

ExpressionPtr SelectAnalyzer::bind_subquery(const AstSubquery& subquery)
{
    const std::string key = subquery_key(*subquery.query, state_);
    if (auto it = state_.scalars.find(key); it != state_.scalars.end())
        return it->second;
    auto alone = plan_alone(subquery.query);
    if (!alone)
        return bind_correlated(subquery.query, false);
    PlannedQuery planned = std::move(*alone);
    const Header header = planned.root->output;
    const std::vector<std::string> names = planned.names;
    const Block block = run_limited(std::move(planned), 2, state_);
    if (block.rows() > 1)
        throw Error(error_codes::INCORRECT_RESULT_OF_SCALAR_SUBQUERY,
                    "Scalar subquery returned more than one row");
    Expressions values;
    for (size_t i = 0; i < header.size(); ++i)
    {
        TypePtr type = header[i].type;
        const bool nullable = can_be_inside_nullable(remove_low_cardinality(type)) ||
                              is_nullable_or_lc_nullable(type);
        if (block.rows() == 0)
        {
            if (header.size() > 1)
            {
                values.clear();
                break;
            }
            if (!nullable)
                throw Error(error_codes::INCORRECT_RESULT_OF_SCALAR_SUBQUERY,
                            fmt::format("Scalar subquery returned empty result of type {} which "
                                        "cannot be Nullable.",
                                        type->name()));
            values.push_back(Expression::constant(make_nullable(type), Value(Null{})));
            continue;
        }
        const ColumnPtr flat = to_flat(block[i].column);
        ColumnPtr row = flat->size() == 1 ? flat : flat->slice(0, 1);
        ExpressionPtr value = Expression::constant_column(
            std::make_shared<ConstantColumn>(row, 1), type,
            row->form() == ColumnForm::AggregateState ? key : std::string());
        if (header.size() == 1 && nullable && !is_nullable_or_lc_nullable(type))
            value = cast_to(value, make_nullable(type), context_);
        values.push_back(std::move(value));
    }
    ExpressionPtr result;
    if (values.size() == 1)
        result = values[0];
    else if (values.empty())
        result = Expression::constant(type_of_value(Value(Null{})), Value(Null{}));
    else
        result = tuple_of(values, names, context_);
    state_.scalars[key] = result;
    return result;
}

ExpressionPtr SelectAnalyzer::bind_exists(const AstFunction& call)
{
    const auto& subquery = *call.arguments[0]->as<AstSubquery>();
    const std::string key = "exists\n" + subquery_key(*subquery.query, state_);
    if (auto it = state_.scalars.find(key); it != state_.scalars.end())
        return it->second;
    auto alone = plan_alone(subquery.query);
    if (!alone)
        return bind_correlated(subquery.query, true);
    const Block block = run_limited(std::move(*alone), 1, state_);
    auto result = Expression::constant(simple_type(TypeId::UInt8),
                                       Value(uint64_t{block.rows() > 0 ? 1u : 0u}));
    state_.scalars[key] = result;
    return result;
}

ExpressionPtr SelectAnalyzer::bind_query_set(const ExpressionPtr& left, const Ast& right)
{
    AstPtr query;
    if (const auto* subquery = right.as<AstSubquery>())
        query = subquery->query;
    else
    {
        // IN table: all its columns.
        const auto& name = *right.as<AstIdentifier>();
        const TableName table{name.parts.size() == 2 ? name.parts[0] : state_.database,
                              name.parts.back()};
        const bool known = (name.parts.size() == 1 &&
                            (find_cte(name.parts[0]).element ||
                             (state_.context.find_temporary &&
                              state_.context.find_temporary(name.parts[0])))) ||
                           (name.parts.size() <= 2 && state_.context.catalog.find_table(table));
        if (!known)
            throw_unknown_identifier(name);
        auto select = std::make_shared<AstSelect>();
        auto element = std::make_shared<AstTableElement>();
        element->table = std::make_shared<AstIdentifier>(*right.as<AstIdentifier>());
        element->table->alias.clear();
        select->projection = {std::make_shared<AstAsterisk>()};
        select->from = {element};
        auto members = std::make_shared<AstSelectUnion>();
        members->selects = {select};
        query = members;
    }
    const std::string text = subquery_key(*query, state_);
    auto it = state_.set_blocks.find(text);
    if (it == state_.set_blocks.end())
    {
        PlannedQuery planned = plan_query(query, state_, this);
        Header header = planned.root->output;
        Block block = state_.context.run_subquery(plan_of(std::move(planned), state_));
        if (block.width() == 0)
            block = Block::empty_of(header);
        it = state_.set_blocks.emplace(text, std::move(block)).first;
    }
    Columns members;
    Types types;
    for (const NamedColumn& column : it->second.columns())
    {
        members.push_back(column.column);
        types.push_back(column.type);
    }
    return make_set_expression(left, members, types, context_, text);
}

} // namespace basalt
