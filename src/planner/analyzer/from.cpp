#include "planner/analyzer/select_analyzer.h"

#include "catalog/view.h"
#include "columns/serialization.h"
#include "sql/formatter.h"

#include <algorithm>
#include <fmt/format.h>

namespace basalt
{

void SelectAnalyzer::build_from()
{
    if (select_.from.empty())
    {
        auto node = std::make_unique<BlocksNode>();
        node->blocks.push_back(Block({}, 1));
        current_ = std::move(node);
        return;
    }
    binding_from_ = true;
    for (const AstPtr& ast : select_.from)
    {
        const auto& element = *ast->as<AstTableElement>();
        if (!element.table)
        {
            if (!current_)
                throw Error(error_codes::SYNTAX_ERROR, "ARRAY JOIN needs a table before it");
            array_join(element);
            continue;
        }
        check_alias(element);
        ScopeTable scope;
        PlanPtr plan = plan_table(element, scope);
        if (!current_)
        {
            current_ = std::move(plan);
            from_.tables.push_back(std::move(scope));
        }
        else
            join(element, std::move(plan), std::move(scope));
    }
    binding_from_ = false;
}

// Two tables may have one name, but not one alias.
void SelectAnalyzer::check_alias(const AstTableElement& element) const
{
    const std::string& alias = element.table->alias;
    for (const AstPtr& ast : select_.from)
    {
        const auto& other = *ast->as<AstTableElement>();
        if (&other == &element)
            return;
        if (!alias.empty() && other.table && other.table->alias == alias)
            throw Error(error_codes::MULTIPLE_EXPRESSIONS_FOR_ALIAS,
                        fmt::format("Multiple table expressions with same alias {}.{}", alias,
                                    scope_text()));
    }
}

PlanPtr SelectAnalyzer::plan_table(const AstTableElement& element, ScopeTable& scope)
{
    PlanPtr plan;
    const Ast& table = *element.table;
    if (const auto* identifier = table.as<AstIdentifier>())
        plan = plan_identifier(*identifier, element, scope);
    else if (const auto* subquery = table.as<AstSubquery>())
        plan = plan_subquery(subquery->query, this, {}, scope);
    else if (const auto* call = table.as<AstFunction>())
        plan = plan_table_function(*call, element, scope);
    else
        throw Error(error_codes::UNKNOWN_QUERY_PARAMETER,
                    fmt::format("{} in FROM is not a table", format_query(table)));
    if (!table.alias.empty())
    {
        scope.qualifiers = {{table.alias}};
        scope.label = table.alias;
    }
    if (!element.column_aliases.empty())
    {
        size_t i = 0;
        scope.by_name.clear();
        for (ScopeColumn& column : scope.columns)
        {
            if (!column.hidden && i < element.column_aliases.size())
                column.name = element.column_aliases[i++];
            scope.by_name.emplace(column.name, &column - scope.columns.data());
        }
        if (i < element.column_aliases.size())
            throw Error(error_codes::NUMBER_OF_COLUMNS_DOESNT_MATCH,
                        fmt::format("{} column aliases for {} columns",
                                    element.column_aliases.size(), i));
    }
    return plan;
}

PlanPtr SelectAnalyzer::plan_identifier(const AstIdentifier& identifier,
                                        const AstTableElement& element, ScopeTable& scope)
{
    if (identifier.parts.size() > 2)
        throw Error(error_codes::INVALID_IDENTIFIER,
                    fmt::format("Expected identifier to contain 1 or 2 parts. Actual '{}'",
                                identifier.full_name()));
    const std::string& name = identifier.parts.back();
    if (identifier.parts.size() == 1)
    {
        if (PlanPtr plan = plan_cte(name, scope))
        {
            scope.qualifiers = {{name}};
            scope.label = name;
            return plan;
        }
        if (state_.context.find_temporary)
            if (TablePtr table = state_.context.find_temporary(name))
            {
                PlanPtr plan = plan_stored_table(table, element, scope);
                scope.qualifiers = {{name}};
                scope.label = name;
                return plan;
            }
    }
    const TableName full{identifier.parts.size() == 2 ? identifier.parts[0] : state_.database,
                         name};
    TablePtr table =
        state_.context.replace_table ? state_.context.replace_table(full) : nullptr;
    if (!table)
        table = find_caught_up(full);
    if (!table && identifier.parts.size() == 1)
        table = state_.context.catalog.find_elsewhere(name, *state_.context.context);
    if (!table)
    {
        if (!state_.context.catalog.database_exists(full.database))
            state_.context.catalog.get_table(full); // throws UNKNOWN_DATABASE
        std::vector<std::string> known;
        for (const TablePtr& other : state_.context.catalog.tables(full.database))
            known.push_back(other->table_name().table);
        throw Error(error_codes::UNKNOWN_TABLE,
                    fmt::format("Unknown table expression identifier '{}'{}.{}",
                                identifier.full_name(),
                                " in scope " + format_query(select_),
                                near_names_text(name, known)));
    }
    PlanPtr plan = plan_stored_table(table, element, scope);
    scope.qualifiers = {{full.database, full.table}, {full.table}};
    scope.label = full.table;
    return plan;
}

// A replica's scan waits for the position that the query asks for. It may be copied again
// meanwhile: then another table, of other columns perhaps, has the name.
TablePtr SelectAnalyzer::find_caught_up(const TableName& name)
{
    const Catalog& catalog = state_.context.catalog;
    TablePtr table = catalog.find_table(name);
    if (!context_.settings.changed("postgres_min_lsn"))
        return table;
    while (table && table->engine_name() == "MaterializedPostgreSQL")
    {
        try
        {
            table->scan({}, state_.context.context);
        }
        catch (const Error&)
        {
            if (catalog.find_table(name) == table)
                throw;
        }
        TablePtr now = catalog.find_table(name);
        if (now == table)
            break;
        table = std::move(now);
    }
    return table;
}

PlanPtr SelectAnalyzer::plan_view(const ViewTable& view, ScopeTable& scope)
{
    const std::string database = std::exchange(state_.database, view.view_database());
    PlanPtr plan = plan_subquery(view.view_query(), nullptr, {}, scope);
    state_.database = database;
    const auto metadata = view.metadata();
    // The view's columns are those it was made with.
    if (metadata && !metadata->columns.empty())
    {
        ScopeTable declared;
        for (size_t i = 0; i < metadata->columns.size(); ++i)
        {
            const ColumnDescription& column = metadata->columns[i];
            const ScopeColumn* source = nullptr;
            if (auto it = scope.by_name.find(column.name); it != scope.by_name.end())
                source = &scope.columns[it->second];
            else if (i < scope.columns.size() && scope.columns.size() == metadata->columns.size())
                source = &scope.columns[i];
            if (!source)
                throw Error(error_codes::NOT_FOUND_COLUMN_IN_BLOCK,
                            fmt::format("Column {} of view {} is not in its query", column.name,
                                        view.table_name().full()));
            declared.add({column.name, cast_to(source->value, column.type, context_)});
        }
        scope.columns = std::move(declared.columns);
        scope.by_name = std::move(declared.by_name);
    }
    return plan;
}

PlanPtr SelectAnalyzer::plan_stored_table(const TablePtr& table, const AstTableElement& element,
                                          ScopeTable& scope)
{
    TablePtr source = table;
    if (const auto* view = dynamic_cast<const ViewTable*>(source.get()))
    {
        if (element.is_final || element.sample)
            throw Error(error_codes::ILLEGAL_FINAL, "A view supports neither FINAL nor SAMPLE");
        if (state_.context.on_view)
            state_.context.on_view(*view, nullptr);
        return plan_view(*view, scope);
    }
    if (const auto* view = dynamic_cast<const MaterializedView*>(source.get()))
    {
        const TablePtr target = view->target_table();
        if (state_.context.on_view)
            state_.context.on_view(*view, target);
        source = target;
    }

    auto read = std::make_unique<ReadNode>();
    const std::string prefix = state_.table_prefix();
    const auto metadata = source->metadata();
    const bool star_materialized =
        context_.settings.get_bool("asterisk_include_materialized_columns");
    const bool star_alias = context_.settings.get_bool("asterisk_include_alias_columns");
    std::unordered_map<std::string, ExpressionPtr> by_column;
    for (const ColumnDescription& column : metadata->columns)
    {
        if (column.default_kind == DefaultKind::Ephemeral)
            continue;
        const std::string id = prefix + column.name;
        if (column.default_kind == DefaultKind::Alias)
            continue;
        read->request.columns.push_back(column.name);
        read->output.push_back({id, column.type});
        auto value = Expression::input(id, column.type);
        by_column.emplace(column.name, value);
        scope.add({column.name, std::move(value),
                   column.default_kind == DefaultKind::Materialized && !star_materialized});
    }
    for (const ColumnDescription& column : metadata->columns)
        if (column.default_kind == DefaultKind::Alias)
            scope.add({column.name, Expression::input(prefix + column.name, column.type),
                       !star_alias});
    // ALIAS columns stand for their expressions, which may name other ALIAS columns.
    size_t pending = 1;
    for (size_t round = 0; pending && round <= metadata->columns.size(); ++round)
    {
        pending = 0;
        for (const ColumnDescription& column : metadata->columns)
        {
            if (column.default_kind != DefaultKind::Alias || by_column.contains(column.name))
                continue;
            bool ready = column.default_expression != nullptr;
            if (ready)
                for (const std::string& name : inputs_of({column.default_expression}))
                    ready = ready && by_column.contains(name);
            if (!ready)
            {
                ++pending;
                continue;
            }
            auto value = replace_inputs(column.default_expression, by_column, context_);
            scope.columns[scope.by_name[column.name]].value = value;
            by_column.emplace(column.name, std::move(value));
        }
    }
    for (const NamedType& column : source->virtual_columns())
    {
        if (scope.by_name.contains(column.name))
            continue;
        read->request.columns.push_back(column.name);
        read->output.push_back({prefix + column.name, column.type});
        scope.add({column.name, Expression::input(prefix + column.name, column.type), true});
    }
    read->table = source;
    read->request.max_streams = context_.max_threads();
    read->alias = element.table ? element.table->alias : "";
    read_modifiers(element, *read);
    return apply_row_policy(source->table_name(), std::move(read), scope);
}

PlanPtr SelectAnalyzer::apply_row_policy(const TableName& name, PlanPtr plan,
                                         const ScopeTable& scope)
{
    if (!state_.context.row_policy)
        return plan;
    const AstPtr policy = state_.context.row_policy(name);
    if (!policy)
        return plan;
    Header header;
    std::unordered_map<std::string, ExpressionPtr> values;
    for (const ScopeColumn& column : scope.columns)
    {
        header.push_back({column.name, column.value->type()});
        values.emplace(column.name, column.value);
    }
    auto filter = std::make_unique<FilterNode>();
    filter->output = plan->output;
    filter->condition =
        replace_inputs(bind_expression(*policy, header, context_), values, context_);
    filter->comment = "Row-level security filter";
    filter->inputs.push_back(std::move(plan));
    return filter;
}

void SelectAnalyzer::read_modifiers(const AstTableElement& element, ReadNode& read)
{
    const bool final_setting = context_.settings.get_bool("final");
    if (element.is_final && !read.table->supports_final())
        throw Error(error_codes::ILLEGAL_FINAL,
                    fmt::format("Storage {} doesn't support FINAL", read.table->engine_name()));
    read.request.final = element.is_final || (final_setting && read.table->supports_final());
    if (!element.sample)
        return;
    if (read.table->metadata()->sampling_key_text.empty())
        throw Error(error_codes::SAMPLING_NOT_SUPPORTED,
                    fmt::format("Storage {} doesn't support sampling",
                                read.table->engine_name()));
    if (element.sample_offset)
        throw Error(error_codes::NOT_IMPLEMENTED, "SAMPLE … OFFSET is not implemented");
    const auto bound = bind(*element.sample);
    const auto ratio = bound->is_constant()
                           ? convert_value(bound->constant_column()->value_at(0),
                                           simple_type(TypeId::Float64))
                           : std::nullopt;
    if (!ratio || !ratio->get_if<double>() || ratio->get<double>() < 0)
        throw Error(error_codes::BAD_ARGUMENTS, "SAMPLE needs a constant that is not negative");
    read.request.sample = ratio->get<double>();
    if (read.request.sample > 1)
    {
        const double total = static_cast<double>(read.table->total_rows().value_or(0));
        read.request.sample = total <= read.request.sample ? 0 : read.request.sample / total;
    }
}

PlanPtr SelectAnalyzer::plan_subquery(const AstPtr& query, SelectAnalyzer* parent,
                                      const std::vector<std::string>& column_names,
                                      ScopeTable& scope)
{
    PlannedQuery planned = plan_query(query, state_, parent);
    if (!column_names.empty() && column_names.size() != planned.names.size())
        throw Error(error_codes::NUMBER_OF_COLUMNS_DOESNT_MATCH,
                    fmt::format("{} column names for {} columns", column_names.size(),
                                planned.names.size()));
    auto node = std::make_unique<ProjectNode>();
    const std::string prefix = state_.table_prefix();
    for (size_t i = 0; i < planned.names.size(); ++i)
    {
        const NamedType& source = planned.root->output[i];
        const std::string id = prefix + source.name;
        node->output.push_back({id, source.type});
        node->expressions.push_back(Expression::input(source.name, source.type));
        scope.add({column_names.empty() ? planned.names[i] : column_names[i],
                   Expression::input(id, source.type)});
    }
    node->comment = "Change column names to column identifiers";
    node->inputs.push_back(std::move(planned.root));
    return node;
}

std::vector<TableFunctionArgument>
SelectAnalyzer::table_function_arguments(const AstFunction& call)
{
    std::vector<TableFunctionArgument> arguments;
    for (const AstPtr& ast : call.arguments)
    {
        TableFunctionArgument argument;
        argument.ast = ast;
        if (ast->kind != AstKind::Subquery && ast->kind != AstKind::SelectUnion)
        {
            ExpressionPtr bound;
            const bool identifier = ast->kind == AstKind::Identifier;
            if (!identifier || resolve_identifier(*ast->as<AstIdentifier>()))
                bound = bind_in_stage(*ast, Stage::Rows, "table function arguments");
            if (bound && bound->is_constant() && !bound->type()->is(TypeId::Set))
            {
                argument.value = bound->constant_column()->value_at(0);
                argument.type = bound->type();
            }
            else if (!identifier && ast->kind != AstKind::Function)
                throw Error(error_codes::BAD_ARGUMENTS,
                            fmt::format("Argument {} of table function {} must be constant",
                                        format_query(*ast), call.name));
        }
        arguments.push_back(std::move(argument));
    }
    return arguments;
}

PlanPtr SelectAnalyzer::plan_table_function(const AstFunction& call,
                                            const AstTableElement& element, ScopeTable& scope)
{
    scope.label = element.table->alias;
    if (state_.context.on_table_function)
        state_.context.on_table_function(call.name);
    if (call.name == "view")
    {
        if (call.arguments.size() != 1)
            throw Error(error_codes::BAD_ARGUMENTS, "Table function view takes one query");
        const Ast& query = *call.arguments[0];
        return plan_subquery(query.kind == AstKind::Subquery ? query.as<AstSubquery>()->query
                                                             : call.arguments[0],
                             this, {}, scope);
    }
    if (call.name == "merge")
        return plan_merge(call, scope);
    const TableFunctionFactory* factory = state_.context.catalog.find_table_function(call.name);
    if (!factory)
    {
        const auto known = state_.context.catalog.table_function_names();
        throw Error(error_codes::UNKNOWN_FUNCTION,
                    fmt::format("Unknown table function {}.{}", call.name,
                                near_names_text(call.name, known)));
    }
    const auto arguments = table_function_arguments(call);
    const TablePtr table =
        (*factory)(arguments, state_.context.catalog, state_.context.context);
    PlanPtr plan = plan_stored_table(table, element, scope);
    scope.label = element.table->alias;
    return plan;
}

} // namespace basalt
