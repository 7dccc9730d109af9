#include "planner/analyzer/select_analyzer.h"

#include "columns/postgres_type.h"
#include "sql/formatter.h"

#include <fmt/format.h>

namespace basalt
{

SelectAnalyzer::SelectAnalyzer(const AstSelect& select, AnalysisState& state,
                               SelectAnalyzer* parent, const AstList* inherited_with)
    : ExpressionBinder(state.query()), select_(select), state_(state), parent_(parent),
      inherited_with_(inherited_with)
{
    auto add = [&](const AstList& list)
    {
        for (const AstPtr& element : list)
        {
            if (const auto* cte = element->as<AstWithElement>())
                ctes_[cte->name] = cte;
            else if (!element->alias.empty())
                with_aliases_[element->alias] = element;
        }
    };
    if (inherited_with_)
        add(*inherited_with_);
    add(select_.with);
    if (select_.with_recursive)
        for (const AstPtr& element : select_.with)
            if (const auto* cte = element->as<AstWithElement>(); cte)
                recursive_ctes_.insert(cte);
    from_.prefer_left = context_.settings.get_bool("single_join_prefer_left_table");
}

PlannedQuery SelectAnalyzer::run()
{
    collect_aliases();
    build_from();
    expand_projection();
    find_aggregation();

    if (select_.prewhere)
        check_prewhere();
    if (select_.prewhere)
    {
        apply_filter(select_.prewhere, "PREWHERE");
        prewhere_before_final();
    }
    if (select_.where)
        apply_filter(select_.where, "WHERE");
    if (aggregates_)
        collect_keys();

    for (ProjectionItem& item : items_)
        item.value = bind_output(*item.ast, "SELECT");
    bind_order();
    ExpressionPtr having, qualify;
    if (select_.having)
        having = bind_in_stage(*select_.having, aggregates_ ? Stage::Aggregated : Stage::Plain,
                               "HAVING");
    if (having && aggregates_)
        having = finish_aggregated(having);
    if (select_.qualify)
        qualify = bind_output(*select_.qualify, "QUALIFY");

    apply_array_joins(false);
    if (aggregates_)
        build_aggregation();
    if (having)
        keep_if(having, true);
    apply_array_joins(true);
    build_windows();
    if (qualify)
        keep_if(qualify, false);
    build_order_and_limits();
    return finish_projection();
}

void SelectAnalyzer::collect_aliases()
{
    for (const auto& [name, ast] : with_aliases_)
        aliases_[name] = ast;
    auto collect = [&](const AstList& list)
    {
        for (const AstPtr& ast : list)
            collect_aliases_of(ast, false);
    };
    collect(select_.with);
    collect(select_.projection);
    for (const AstPtr& element : select_.from)
    {
        const auto& table = *element->as<AstTableElement>();
        if (table.on)
            collect_aliases_of(table.on, false);
    }
    for (const AstPtr* clause : {&select_.prewhere, &select_.where, &select_.having,
                                 &select_.qualify})
        if (*clause)
            collect_aliases_of(*clause, false);
    collect(select_.group_by);
    collect(select_.order_by);
    collect(select_.limit_by);
}

void SelectAnalyzer::collect_aliases_of(const AstPtr& ast, bool in_lambda)
{
    if (ast->kind == AstKind::WithElement)
        return;
    if (!ast->alias.empty())
    {
        auto [it, added] = aliases_.emplace(ast->alias, ast);
        if (!added && it->second != ast && !same_tree(*it->second, *ast))
            throw Error(error_codes::MULTIPLE_EXPRESSIONS_FOR_ALIAS,
                        fmt::format("Multiple expressions {} and {} for alias {}.{}",
                                    format_query(*it->second), format_query(*ast), ast->alias,
                                    scope_text()));
        if (in_lambda)
            aliases_in_lambdas_.insert(ast->alias);
    }
    if (ast->kind == AstKind::Subquery || ast->kind == AstKind::Asterisk ||
        ast->kind == AstKind::ColumnsMatcher)
        return;
    const bool inside = in_lambda || ast->kind == AstKind::Lambda;
    ast->for_each_child([&](AstPtr& child) { collect_aliases_of(child, inside); });
}

ExpressionPtr SelectAnalyzer::bind_aliased(const Ast& ast)
{
    const bool added = resolving_.insert(ast.alias).second;
    struct Erase
    {
        std::set<std::string>* from;
        const std::string& name;
        ~Erase()
        {
            if (from)
                from->erase(name);
        }
    } erase{added ? &resolving_ : nullptr, ast.alias};
    return bind_node(ast);
}

ExpressionPtr SelectAnalyzer::bind_alias(const std::string& name, const Ast& ast)
{
    auto& cache = alias_cache_[static_cast<size_t>(stage_)];
    const bool local = aliases_in_lambdas_.contains(name);
    if (auto it = cache.find(name); it != cache.end() && !local)
        return it->second;
    const bool cycle_before = std::exchange(cycle_met_, false);
    ExpressionPtr value = local ? bind(ast) : outside_lambdas([&] { return bind(ast); });
    // What was bound while another alias was open may mean something else elsewhere.
    if (!cycle_met_ && !local && !binding_from_ && !in_aggregate_)
        cache[name] = value;
    cycle_met_ = cycle_met_ || cycle_before;
    return value;
}

ExpressionPtr SelectAnalyzer::resolve_alias(const AstIdentifier& identifier)
{
    auto it = aliases_.find(identifier.parts[0]);
    if (it == aliases_.end() || it->second->kind == AstKind::Lambda)
        return nullptr;
    if (resolving_.contains(identifier.parts[0]))
    {
        cycle_met_ = true;
        return nullptr;
    }
    ExpressionPtr value;
    const bool cycle_before = std::exchange(cycle_met_, false);
    try
    {
        value = bind_alias(it->first, *it->second);
    }
    catch (const Error& error)
    {
        // `SELECT a AS x, x AS a`: an alias that leads back to itself gives way to a column.
        if (error.code() != error_codes::UNKNOWN_IDENTIFIER || !cycle_met_ ||
            !resolve_column(identifier))
            throw;
    }
    cycle_met_ = cycle_met_ || cycle_before;
    for (size_t i = 1; i < identifier.parts.size() && value; ++i)
        value = subcolumn_of(value, identifier.parts[i], context_);
    return value;
}

namespace
{

// A column as PostgreSQL's client knows it: what shows as text is compared and ordered as text, and
// the clock of the session stands on every wall.
ExpressionPtr as_postgres(const ExpressionPtr& value, const QueryContext& context)
{
    const TypePtr plain = strip_wrappers(value->type());
    std::string zone;
    if (plain->is(TypeId::DateTime))
        zone = type_as<DateTimeType>(plain).timezone();
    else if (plain->is(TypeId::DateTime64))
        zone = type_as<DateTime64Type>(plain).timezone();
    if (!zone.empty() && zone != context.timezone())
        return Expression::call("toTimeZone",
                                {value, Expression::constant(simple_type(TypeId::String),
                                                             Value(std::string(
                                                                 context.timezone())))},
                                context);
    if (shows_as_postgres_text_only(plain) && !plain->is(TypeId::AggregateFunction))
        return Expression::call("toString", {value}, context);
    return value;
}

} // namespace

ExpressionPtr SelectAnalyzer::resolve_column(const AstIdentifier& identifier)
{
    const auto found = from_.find(identifier.parts, context_);
    if (found.place == ColumnReference::Place::None)
        return nullptr;
    ExpressionPtr value = from_.column(found).value;
    for (size_t i = found.used_parts; i < identifier.parts.size(); ++i)
        value = subcolumn_of(value, identifier.parts[i], context_);
    return value && context_.settings.get_bool("basalt_postgres_semantics")
               ? as_postgres(value, context_)
               : value;
}

ExpressionPtr SelectAnalyzer::resolve_identifier(const AstIdentifier& identifier)
{
    if (const ScopeColumn* column = column_of_node(identifier))
        return column->value;
    const bool column_first = context_.settings.get_bool("prefer_column_name_to_alias");
    if (column_first)
        if (auto value = resolve_column(identifier))
            return value;
    if (auto value = resolve_alias(identifier))
        return value;
    if (!column_first)
        if (auto value = resolve_column(identifier))
            return value;
    // WITH aliases of the queries around this one.
    for (const SelectAnalyzer* outer = parent_; outer; outer = outer->parent_)
        if (const AstPtr* ast = outer->find_with_alias(identifier.parts[0]);
            ast && (*ast)->kind != AstKind::Lambda)
        {
            const bool added = resolving_.insert(identifier.parts[0]).second;
            if (!added)
                continue;
            ExpressionPtr value = outside_lambdas([&] { return bind_node(**ast); });
            resolving_.erase(identifier.parts[0]);
            for (size_t i = 1; i < identifier.parts.size() && value; ++i)
                value = subcolumn_of(value, identifier.parts[i], context_);
            return value;
        }
    return resolve_outer(identifier);
}

// A name of the query around this one: constants may be used, columns make the subquery correlated
// (bind_correlated goes on from the error).
ExpressionPtr SelectAnalyzer::resolve_outer(const AstIdentifier& identifier)
{
    for (SelectAnalyzer* outer = parent_; outer; outer = outer->parent_)
    {
        ExpressionPtr value;
        const Stage stage_before = outer->stage_;
        try
        {
            value = outer->outside_lambdas([&] { return outer->resolve_own(identifier); });
        }
        catch (const Error&)
        {
            outer->stage_ = stage_before;
            throw;
        }
        if (!value)
            continue;
        if (value->is_constant())
            return value;
        state_.correlated_with = outer;
        throw Error(error_codes::NOT_IMPLEMENTED,
                    fmt::format("Correlated subqueries are not implemented here: `{}` is a column "
                                "of the query around.{}",
                                identifier.full_name(), scope_text()));
    }
    return state_.outer ? state_.outer(identifier) : nullptr;
}

ExpressionPtr SelectAnalyzer::resolve_own(const AstIdentifier& identifier)
{
    if (auto value = resolve_alias(identifier))
        return value;
    return resolve_column(identifier);
}

const AstPtr* SelectAnalyzer::find_with_alias(const std::string& name) const
{
    auto it = with_aliases_.find(name);
    return it == with_aliases_.end() ? nullptr : &it->second;
}

SelectAnalyzer::CteReference SelectAnalyzer::find_cte(const std::string& name)
{
    for (SelectAnalyzer* scope = this; scope; scope = scope->parent_)
        if (auto it = scope->ctes_.find(name); it != scope->ctes_.end())
            return {it->second, scope};
    return {};
}

const AstLambda* SelectAnalyzer::find_lambda(std::string_view name)
{
    if (auto it = aliases_.find(name); it != aliases_.end())
        return it->second->as<AstLambda>();
    const std::string text(name);
    for (const SelectAnalyzer* outer = parent_; outer; outer = outer->parent_)
        if (const AstPtr* ast = outer->find_with_alias(text))
            return (*ast)->as<AstLambda>();
    return state_.context.user_function ? state_.context.user_function(text) : nullptr;
}

std::string SelectAnalyzer::scope_text() const
{
    return " In scope " + format_query(select_);
}

std::vector<std::string> SelectAnalyzer::known_names() const
{
    std::vector<std::string> names = from_.names();
    for (const auto& [name, ast] : aliases_)
        names.push_back(name);
    return names;
}

ExpressionPtr SelectAnalyzer::bind_in_stage(const Ast& ast, Stage stage, const char* clause)
{
    const Stage stage_before = std::exchange(stage_, stage);
    const char* clause_before = std::exchange(clause_, clause);
    const std::string_view where = clause;
    windows_allowed_ = where == "SELECT" || where == "ORDER BY" || where == "QUALIFY" ||
                       where == "LIMIT BY";
    ExpressionPtr value = bind(ast);
    stage_ = stage_before;
    clause_ = clause_before;
    return value;
}

ExpressionPtr SelectAnalyzer::bind_output(const Ast& ast, const char* clause)
{
    if (!aggregates_)
        return bind_in_stage(ast, Stage::Plain, clause);
    return finish_aggregated(bind_in_stage(ast, Stage::Aggregated, clause));
}

void SelectAnalyzer::apply_filter(const AstPtr& ast, const char* clause)
{
    const ExpressionPtr condition = bind_in_stage(*ast, Stage::Rows, clause);
    apply_array_joins(false);
    keep_if(condition, false);
}

// An explicit PREWHERE chooses the rows that FINAL combines.
void SelectAnalyzer::prewhere_before_final()
{
    if (current_->kind != PlanKind::Filter ||
        context_.settings.get_bool("apply_prewhere_after_final"))
        return;
    PlanNode* node = current_->inputs[0].get();
    while (node->kind == PlanKind::Filter) // a row policy
        node = node->inputs[0].get();
    if (node->kind != PlanKind::Read)
        return;
    auto& read = static_cast<ReadNode&>(*node);
    if (!read.request.final || read.request.prewhere)
        return;
    std::unordered_map<std::string, ExpressionPtr> names;
    for (size_t i = 0; i < read.output.size(); ++i)
        names.emplace(read.output[i].name,
                      Expression::input(read.request.columns[i], read.output[i].type));
    const auto& condition = static_cast<const FilterNode&>(*current_).condition;
    for (const auto& name : inputs_of({condition}))
        if (!names.contains(name))
            return;
    read.request.prewhere = replace_inputs(condition, names, context_);
    current_ = std::move(current_->inputs[0]);
}

void SelectAnalyzer::check_prewhere() const
{
    const PlanNode* node = current_.get();
    while (node->kind == PlanKind::Filter || node->kind == PlanKind::Project ||
           node->kind == PlanKind::ArrayJoin || node->kind == PlanKind::Join)
        node = node->inputs[0].get();
    const auto* read =
        node->kind == PlanKind::Read ? static_cast<const ReadNode*>(node) : nullptr;
    if (!read || !read->table->supports_prewhere())
        throw Error(error_codes::ILLEGAL_PREWHERE,
                    read ? fmt::format("Storage {} (table {}) does not support PREWHERE",
                                       read->table->engine_name(),
                                       read->table->table_name().full())
                         : "Invalid usage of PREWHERE: the query reads no table that supports it");
}

void SelectAnalyzer::keep_if(ExpressionPtr condition, bool for_totals)
{
    const TypePtr type = strip_wrappers(condition->type());
    if (!type->is_number() && !type->is(TypeId::Nothing))
        throw Error(error_codes::ILLEGAL_TYPE_OF_COLUMN_FOR_FILTER,
                    fmt::format("Invalid type for filter in {}: {}.{}", clause_,
                                condition->type()->name(), scope_text()));
    auto node = std::make_unique<FilterNode>();
    node->output = current_->output;
    node->condition = std::move(condition);
    node->for_totals_too = for_totals;
    node->inputs.push_back(std::move(current_));
    current_ = std::move(node);
}

void SelectAnalyzer::project(const Expressions& values, const std::vector<std::string>& names,
                             bool keep_input)
{
    auto node = std::make_unique<ProjectNode>();
    if (keep_input)
        for (const NamedType& column : current_->output)
        {
            node->output.push_back(column);
            node->expressions.push_back(Expression::input(column.name, column.type));
        }
    for (size_t i = 0; i < values.size(); ++i)
    {
        node->output.push_back({names[i], values[i]->type()});
        node->expressions.push_back(values[i]);
    }
    node->inputs.push_back(std::move(current_));
    current_ = std::move(node);
}

std::string SelectAnalyzer::column_of(const ExpressionPtr& value) const
{
    return value->kind() == ExpressionKind::Input ? value->name() : value->fingerprint();
}

bool SelectAnalyzer::has_current_column(const std::string& name) const
{
    for (const NamedType& column : current_->output)
        if (column.name == name)
            return true;
    return false;
}

std::vector<std::string> SelectAnalyzer::ensure_columns(const Expressions& values)
{
    std::vector<std::string> result;
    std::set<std::string> present;
    for (const NamedType& column : current_->output)
        present.insert(column.name);
    Expressions missing;
    std::vector<std::string> names;
    for (const ExpressionPtr& value : values)
    {
        result.push_back(column_of(value));
        if (!present.insert(result.back()).second)
            continue;
        missing.push_back(value);
        names.push_back(result.back());
    }
    if (!missing.empty())
        project(missing, names, true);
    return result;
}

AstPtr SelectAnalyzer::positional(const AstPtr& ast, const char* clause) const
{
    const auto* literal = ast->as<AstLiteral>();
    if (!literal || !context_.settings.get_bool("enable_positional_arguments"))
        return ast;
    int64_t position = 0;
    if (literal->literal_kind == LiteralKind::UInt64)
        position = static_cast<int64_t>(std::min<uint64_t>(literal->unsigned_value, 1u << 30));
    else if (literal->literal_kind == LiteralKind::Int64)
        position = literal->signed_value;
    else
        return ast;
    const auto count = static_cast<int64_t>(items_.size());
    if (position == 0 || position > count || -position > count)
        throw Error(error_codes::BAD_ARGUMENTS,
                    fmt::format("Positional argument out of bounds: {} in {} (there are {} "
                                "columns).{}",
                                position, clause, count, scope_text()));
    return items_[static_cast<size_t>(position > 0 ? position - 1 : count + position)].ast;
}

PlannedQuery SelectAnalyzer::finish_projection()
{
    PlannedQuery result;
    Expressions values;
    std::vector<std::string> names;
    std::map<std::string, size_t> used;
    for (const ProjectionItem& item : items_)
    {
        values.push_back(has_current_column(item.id)
                             ? Expression::input(item.id, item.value->type())
                             : item.value);
        const size_t repeat = used[item.name]++;
        names.push_back(repeat == 0 ? item.name : fmt::format("{}__{}", item.name, repeat));
        while (repeat != 0 && used.contains(names.back()))
            names.back() += "_";
        if (repeat != 0)
            used[names.back()] = 1;
        result.names.push_back(item.name);
    }
    project(values, names, false);
    result.root = std::move(current_);
    return result;
}

} // namespace basalt
