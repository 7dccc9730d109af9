// Correlated subqueries: (SELECT … WHERE inner.x = outer.y) and EXISTS of one. The subquery becomes
// a function of the columns that it names of the queries around it; the function plans and runs it
// once for each different row of them. Right for any subquery, and meant for few different rows:
// past kMaxCorrelatedRuns in a block it is an error.

#include "planner/analyzer/select_analyzer.h"

#include "functions/named_function.h"
#include "sql/formatter.h"

#include <algorithm>
#include <fmt/format.h>

namespace basalt
{

namespace
{

constexpr size_t kMaxCorrelatedRuns = 100'000;

class CorrelatedQuery final : public NamedFunction
{
public:
    CorrelatedQuery(AstPtr query, bool exists, TypePtr type, std::vector<std::string> names,
                    AnalyzerContext context, std::string database)
        : NamedFunction((exists ? "exists " : "subquery ") + format_query(*query)),
          query_(std::move(query)), exists_(exists), type_(std::move(type)),
          names_(std::move(names)), context_(std::move(context)), database_(std::move(database))
    {
        // What it reads was checked and told when it was first planned.
        context_.on_read = nullptr;
        context_.on_view = nullptr;
        context_.on_table_function = nullptr;
    }

    TypePtr return_type(const Arguments&) const override { return type_; }
    bool default_nulls() const override { return false; }
    bool default_dictionary() const override { return false; }
    bool default_low_cardinality() const override { return false; }
    bool foldable() const override { return false; }

    ColumnPtr execute(const Arguments& arguments, const TypePtr& type, size_t rows,
                      const QueryContext&) const override
    {
        Columns columns;
        for (const Argument& argument : arguments)
            columns.push_back(argument.column->to_flat());
        auto result = type->create_column();
        std::map<std::string, Value> known;
        for (size_t row = 0; row < rows; ++row)
        {
            PodVector<char> key;
            for (const ColumnPtr& column : columns)
                column->append_key(row, key);
            const std::string text(key.data(), key.size());
            auto found = known.find(text);
            if (found == known.end())
            {
                if (known.size() >= kMaxCorrelatedRuns)
                    throw Error(error_codes::LIMIT_EXCEEDED,
                                fmt::format("A correlated subquery ran {} times for one block; "
                                            "write it as a JOIN",
                                            kMaxCorrelatedRuns));
                found = known.emplace(text, value_for(arguments, columns, row)).first;
            }
            result->append_value(found->second);
        }
        return result;
    }

private:
    Value value_for(const Arguments& arguments, const Columns& columns, size_t row) const
    {
        context_.context->check_alive();
        AnalyzerContext context = context_;
        AnalysisState state{context};
        state.database = database_;
        state.outer = [&](const AstIdentifier& identifier) -> ExpressionPtr
        {
            for (size_t i = 0; i < names_.size(); ++i)
                if (names_[i] == identifier.full_name())
                    return Expression::constant_column(
                        std::make_shared<ConstantColumn>(columns[i]->slice(row, 1), 1),
                        arguments[i].type);
            return nullptr;
        };
        PlannedQuery planned = plan_query(query_, state, nullptr);
        const Block block = run_limited(std::move(planned), exists_ ? 1 : 2, state);
        if (exists_)
            return Value(uint64_t{block.rows() > 0 ? 1u : 0u});
        if (block.rows() > 1)
            throw Error(error_codes::INCORRECT_RESULT_OF_SCALAR_SUBQUERY,
                        "Scalar subquery returned more than one row");
        if (block.rows() == 0)
        {
            if (!is_nullable_or_lc_nullable(type_))
                throw Error(error_codes::INCORRECT_RESULT_OF_SCALAR_SUBQUERY,
                            fmt::format("Scalar subquery returned empty result of type {} which "
                                        "cannot be Nullable.",
                                        type_->name()));
            return Value(Null{});
        }
        const ExpressionPtr value = Expression::constant_column(
            std::make_shared<ConstantColumn>(to_flat(block[0].column)->slice(0, 1), 1),
            block[0].type);
        return cast_to(value, type_, *context_.context)->constant_column()->value_at(0);
    }

    AstPtr query_;
    bool exists_;
    TypePtr type_;
    std::vector<std::string> names_; // of the arguments, as the subquery says them
    AnalyzerContext context_;
    std::string database_;
};

// One row of defaults in place of what a query would give: only types are asked for.
Block default_row(const Header& header)
{
    std::vector<NamedColumn> columns;
    for (const auto& column : header)
    {
        auto values = column.type->create_column();
        values->append_value(column.type->default_value());
        columns.push_back({std::move(values), column.type, column.name});
    }
    return Block(std::move(columns), 1);
}

} // namespace

ExpressionPtr SelectAnalyzer::bind_correlated(const AstPtr& query, bool exists)
{
    AnalyzerContext context = state_.context;
    context.run_subquery = [](QueryPlan&& plan) { return default_row(plan.root->output); };
    AnalysisState state{context};
    state.database = state_.database;
    state.nesting = state_.nesting;
    std::vector<std::string> names;
    Expressions values;
    state.outer = [&](const AstIdentifier& identifier) -> ExpressionPtr
    {
        ExpressionPtr value;
        for (SelectAnalyzer* scope = this; scope && !value; scope = scope->parent_)
        {
            value = scope->outside_lambdas([&] { return scope->resolve_own(identifier); });
            if (value && !value->is_constant() && scope != this)
            {
                // The query around takes both levels at once.
                state_.correlated_with = scope;
                throw Error(error_codes::NOT_IMPLEMENTED,
                            fmt::format("Correlated subqueries are not implemented here: `{}` is "
                                        "a column of the query around.{}",
                                        identifier.full_name(), scope_text()));
            }
        }
        if (!value && state_.outer)
            value = state_.outer(identifier);
        if (!value)
            return nullptr;
        const std::string name = identifier.full_name();
        if (std::find(names.begin(), names.end(), name) == names.end())
        {
            names.push_back(name);
            values.push_back(value);
        }
        const ExpressionPtr stand_in =
            value->is_constant()
                ? value
                : Expression::constant(value->type(), value->type()->default_value());
        return Expression::call("materialize", {stand_in}, context_);
    };
    PlannedQuery planned;
    try
    {
        planned = plan_query(query, state, nullptr);
    }
    catch (const Error& error)
    {
        bool has_ctes = false;
        for (const SelectAnalyzer* scope = this; scope; scope = scope->parent_)
            has_ctes = has_ctes || !scope->ctes_.empty() || !scope->with_aliases_.empty();
        if (has_ctes && (error.code() == error_codes::UNKNOWN_TABLE ||
                         error.code() == error_codes::UNKNOWN_IDENTIFIER))
            throw Error(error_codes::NOT_IMPLEMENTED,
                        "Correlated subqueries that use WITH of the query around are not "
                        "implemented");
        throw;
    }
    const Header header = planned.root->output;
    plan_of(std::move(planned), state); // asks for the rights to read
    TypePtr type = simple_type(TypeId::UInt8);
    if (!exists)
    {
        if (header.size() != 1)
            throw Error(error_codes::NOT_IMPLEMENTED,
                        "Correlated subqueries of several columns are not implemented");
        type = remove_low_cardinality(header[0].type);
        if (can_be_inside_nullable(type))
            type = make_nullable(type);
    }
    return Expression::call(std::make_shared<CorrelatedQuery>(query, exists, type, names,
                                                              state_.context, state.database),
                            values, context_);
}

} // namespace basalt
