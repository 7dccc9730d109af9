// TTL of a table: what each element of the list may say.

#include "catalog/create_table.h"

#include "binder/binder.h"
#include "storage/mergetree/ttl_rollup.h"
#include "sql/ast_statements.h"
#include "sql/formatter.h"

#include <algorithm>
#include <fmt/format.h>
#include <set>

namespace basalt
{

namespace
{

// SET column = expression: calls of aggregate functions become columns of their own.
class RollupBinder final : public ExpressionBinder
{
public:
    RollupBinder(Header header, TtlRollup& rollup, const QueryContext& context)
        : ExpressionBinder(context), header_(std::move(header)), rollup_(rollup)
    {
    }
    size_t aggregates() const { return rollup_.aggregates.size(); }

private:
    ExpressionPtr resolve_identifier(const AstIdentifier& identifier) override
    {
        const std::string name = identifier.full_name();
        for (const auto& column : header_)
            if (column.name == name)
                return Expression::input(column.name, column.type);
        return nullptr;
    }

    ExpressionPtr bind_special_call(const AstFunction& call) override
    {
        if (!aggregate_functions().exists(call.name))
            return nullptr;
        if (call.is_window)
            throw Error(error_codes::NOT_IMPLEMENTED,
                        fmt::format("{} in TTL … SET is not implemented", format_query(call)));
        TtlRollup::Aggregate aggregate;
        aggregate.name = fmt::format("__ttl_aggregate_{}", rollup_.aggregates.size());
        Types types;
        for (const AstPtr& argument : call.arguments)
        {
            aggregate.arguments.push_back(bind_expression(*argument, header_, context()));
            types.push_back(aggregate.arguments.back()->type());
        }
        Values parameters;
        for (const AstPtr& parameter : call.parameters)
        {
            const auto bound = bind_expression(*parameter, {}, context());
            if (!bound->is_constant())
                throw Error(error_codes::BAD_ARGUMENTS,
                            "A parameter of an aggregate function must be constant");
            parameters.push_back(bound->constant_column()->value_at(0));
        }
        aggregate.function = aggregate_functions().get(call.name, types, parameters);
        // States take flat values of the function's types.
        for (size_t i = 0; i < aggregate.arguments.size(); ++i)
            if (aggregate.arguments[i]->type()->is(TypeId::LowCardinality))
                aggregate.arguments[i] = Expression::call(
                    "CAST",
                    {aggregate.arguments[i],
                     Expression::constant(
                         simple_type(TypeId::String),
                         Value(remove_low_cardinality(aggregate.arguments[i]->type())->name()))},
                    context());
        const auto result =
            Expression::input(aggregate.name, aggregate.function->result_type());
        rollup_.aggregates.push_back(std::move(aggregate));
        return result;
    }

    Header header_;
    TtlRollup& rollup_;
};

void check_moment(const AstTtlElement& element, const Header& header, const QueryContext& context)
{
    const auto bound = bind_expression(*element.expression, header, context);
    if (bound->is_constant())
        throw Error(error_codes::BAD_ARGUMENTS,
                    fmt::format("TTL expression {} does not depend on any of the columns of "
                                "the table",
                                format_query(*element.expression)));
    if (!remove_low_cardinality(bound->type())->is_date_or_time())
        throw Error(error_codes::BAD_TTL_EXPRESSION,
                    fmt::format("TTL expression result column should have DateTime or Date "
                                "type, but has {}",
                                bound->type()->name()));
}

} // namespace

std::shared_ptr<const TtlRollup> bind_rollup(const AstTtlElement& element,
                                             const TableMetadata& metadata,
                                             const QueryContext& context)
{
    const Header header = header_of_columns(metadata.columns, false);
    auto rollup = std::make_shared<TtlRollup>();
    rollup->key_parts = element.group_by.size();
    std::set<std::string> keys;
    for (const AstPtr& key : element.group_by)
        keys.insert(bind_expression(*key, header, context)->fingerprint());
    const auto& primary = metadata.primary_key.expressions;
    bool is_prefix = keys.size() == rollup->key_parts && keys.size() <= primary.size();
    for (size_t i = 0; i < rollup->key_parts && is_prefix; ++i)
        is_prefix = keys.contains(primary[i]->fingerprint());
    if (!is_prefix)
        throw Error(error_codes::BAD_TTL_EXPRESSION,
                    "TTL Expression GROUP BY key should be a prefix of primary key");
    Expressions all_keys = metadata.sorting_key.expressions;
    all_keys.insert(all_keys.end(), metadata.partition_key.expressions.begin(),
                    metadata.partition_key.expressions.end());
    const auto key_columns = inputs_of(all_keys);
    const Header stored = metadata.physical_header();
    std::set<std::string> set;
    RollupBinder binder(header, *rollup, context);
    for (const AstPtr& ast : element.assignments)
    {
        const auto& assignment = *ast->as<AstAssignment>();
        const auto found =
            std::find_if(stored.begin(), stored.end(), [&](const NamedType& column)
                         { return column.name == assignment.column; });
        if (found == stored.end())
            throw Error(error_codes::NO_SUCH_COLUMN_IN_TABLE,
                        fmt::format("There is no physical column {} in table.",
                                    assignment.column));
        if (!set.insert(assignment.column).second)
            throw Error(error_codes::BAD_TTL_EXPRESSION,
                        "Multiple aggregations set for one column in TTL Expression.");
        const size_t before = binder.aggregates();
        const auto value = binder.bind(*assignment.expression);
        if (binder.aggregates() == before)
            throw Error(error_codes::BAD_TTL_EXPRESSION,
                        fmt::format("Invalid expression for assignment of column {}. Should "
                                    "contain an aggregate function.",
                                    assignment.column));
        if (std::find(key_columns.begin(), key_columns.end(), assignment.column) !=
            key_columns.end())
            throw Error(error_codes::NOT_IMPLEMENTED,
                        fmt::format("TTL … SET of key column {} is not implemented",
                                    assignment.column));
        rollup->updates.emplace_back(
            assignment.column,
            Expression::call("CAST",
                             {value, Expression::constant(simple_type(TypeId::String),
                                                          Value(found->type->name()))},
                             context));
    }
    return rollup;
}

std::string bind_ttl(const AstList& ttl, const TableMetadata& metadata,
                     const QueryContext& context)
{
    const Header header = header_of_columns(metadata.columns, false);
    std::string text;
    for (const AstPtr& ast : ttl)
    {
        const auto& element = *ast->as<AstTtlElement>();
        check_moment(element, header, context);
        switch (element.action)
        {
        case TtlAction::Delete:
            break;
        case TtlAction::Recompress:
            bind_ttl_codec(*element.codec, context);
            break;
        case TtlAction::GroupBy:
            bind_rollup(element, metadata, context);
            break;
        default:
            throw Error(error_codes::NOT_IMPLEMENTED,
                        "TTL … TO DISK and TO VOLUME are not implemented");
        }
        if (element.where)
            bind_expression(*element.where, header, context);
        text += (text.empty() ? "" : ", ") + format_query(element);
    }
    return text;
}

std::string bind_ttl_codec(const Ast& codec, const QueryContext& context)
{
    // What any column can be stored with: bytes.
    return bind_codec(codec, simple_type(TypeId::String), context);
}

} // namespace basalt
