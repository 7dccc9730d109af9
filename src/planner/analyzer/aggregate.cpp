#include "planner/analyzer/select_analyzer.h"

#include "sql/formatter.h"

#include <algorithm>
#include <fmt/format.h>

namespace basalt
{

namespace
{

// More sets than this are refused: CUBE doubles them with each key.
constexpr size_t kMaxGroupingSets = 4096;

std::string lower_case(std::string text)
{
    for (char& c : text)
        if (c >= 'A' && c <= 'Z')
            c = static_cast<char>(c + 32);
    return text;
}

} // namespace

bool SelectAnalyzer::is_aggregate_name(const std::string& name) const
{
    if (aggregate_functions().exists(name))
        return !scalar_functions().exists(name);
    return lower_case(name).starts_with("countdistinct");
}

bool SelectAnalyzer::holds_aggregate(const Ast& ast, std::set<std::string>& seen) const
{
    if (ast.kind == AstKind::Subquery)
        return false;
    if (const auto* call = ast.as<AstFunction>())
    {
        if (!call->is_window && (is_aggregate_name(call->name) || call->name == "grouping"))
            return true;
        if (auto it = aliases_.find(call->name);
            it != aliases_.end() && it->second->kind == AstKind::Lambda &&
            seen.insert(call->name).second && holds_aggregate(*it->second, seen))
            return true;
    }
    if (const auto* identifier = ast.as<AstIdentifier>())
    {
        auto it = aliases_.find(identifier->parts[0]);
        if (it != aliases_.end() && it->second.get() != &ast &&
            seen.insert(identifier->parts[0]).second)
            return holds_aggregate(*it->second, seen);
        return false;
    }
    bool found = false;
    const_cast<Ast&>(ast).for_each_child(
        [&](AstPtr& child) { found = found || holds_aggregate(*child, seen); });
    return found;
}

void SelectAnalyzer::find_aggregation()
{
    auto holds = [&](const Ast& ast)
    {
        std::set<std::string> seen;
        return holds_aggregate(ast, seen);
    };
    aggregates_ = !select_.group_by.empty() || select_.group_by_all || select_.with_totals ||
                  select_.group_by_mode != GroupByMode::Plain;
    for (const ProjectionItem& item : items_)
        aggregates_ = aggregates_ || holds(*item.ast);
    if (select_.having)
        aggregates_ = aggregates_ || holds(*select_.having);
    if (select_.qualify)
        aggregates_ = aggregates_ || holds(*select_.qualify);
    for (const AstList* list : {&select_.order_by, &select_.limit_by})
        for (const AstPtr& ast : *list)
            aggregates_ = aggregates_ || holds(*ast);
}

void SelectAnalyzer::add_key(const AstPtr& written, std::vector<size_t>* set)
{
    const AstPtr ast = positional(written, "GROUP BY");
    if (const auto* call = ast->as<AstFunction>();
        call && call->name == "tuple" && call->is_operator && ast == written)
    {
        for (const AstPtr& element : call->arguments)
            add_key(element, set);
        return;
    }
    const ExpressionPtr key = bind_in_stage(*ast, Stage::Rows, "GROUP BY");
    // A constant makes no groups, but in grouping sets it has a place of its own.
    if (key->is_constant() && !set)
        return;
    auto [it, added] = key_by_text_.emplace(column_of(key), keys_.size());
    if (added)
        keys_.push_back(key);
    if (set && std::find(set->begin(), set->end(), it->second) == set->end())
        set->push_back(it->second);
}

void SelectAnalyzer::collect_group_by_all(const AstPtr& ast)
{
    std::set<std::string> seen;
    if (!holds_aggregate(*ast, seen))
        return add_key(ast, nullptr);
    if (const auto* call = ast->as<AstFunction>())
    {
        if (!call->is_window && (is_aggregate_name(call->name) || call->name == "grouping"))
            return;
        for (const AstPtr& argument : call->arguments)
            collect_group_by_all(argument);
    }
}

void SelectAnalyzer::collect_keys()
{
    const GroupByMode mode = select_.group_by_mode;
    std::vector<size_t> all;
    if (select_.group_by_all)
        for (const ProjectionItem& item : items_)
            collect_group_by_all(item.ast);
    else if (mode == GroupByMode::GroupingSets)
        for (const AstPtr& ast : select_.group_by)
        {
            std::vector<size_t> set;
            if (const auto* list = ast->as<AstExpressionList>())
                for (const AstPtr& key : list->expressions)
                    add_key(key, &set);
            else
                add_key(ast, &set);
            grouping_sets_.push_back(std::move(set));
        }
    else
        for (const AstPtr& ast : select_.group_by)
            add_key(ast, mode == GroupByMode::Plain ? nullptr : &all);
    if (mode == GroupByMode::Rollup)
        for (size_t n = all.size() + 1; n-- > 0;)
            grouping_sets_.emplace_back(all.begin(), all.begin() + static_cast<ptrdiff_t>(n));
    if (mode == GroupByMode::Cube)
    {
        if (all.size() > 12 || (size_t{1} << all.size()) > kMaxGroupingSets)
            throw Error(error_codes::BAD_ARGUMENTS,
                        fmt::format("CUBE of {} keys makes more than {} grouping sets",
                                    all.size(), kMaxGroupingSets));
        for (size_t bits = size_t{1} << all.size(); bits-- > 0;)
        {
            std::vector<size_t> set;
            for (size_t i = 0; i < all.size(); ++i)
                if (bits >> (all.size() - 1 - i) & 1)
                    set.push_back(all[i]);
            grouping_sets_.push_back(std::move(set));
        }
    }
    grouping_sets_used_ = mode != GroupByMode::Plain;
    if (select_.with_totals && grouping_sets_used_)
        throw Error(error_codes::NOT_IMPLEMENTED,
                    "WITH TOTALS and WITH ROLLUP, CUBE or GROUPING SETS are not supported "
                    "together");
}

AggregateFunctionPtr SelectAnalyzer::make_aggregate(const AstFunction& call,
                                                    const Expressions& arguments)
{
    std::string name = call.name;
    const std::string lower = lower_case(name);
    if (lower.starts_with("countdistinct"))
        name = std::string(context_.settings.get("count_distinct_implementation")) +
               name.substr(std::string_view("countDistinct").size());
    if (call.nulls_action == NullsAction::RespectNulls)
    {
        if (aggregate_functions().exists(name + "_respect_nulls"))
            name += "_respect_nulls";
        else
            throw Error(error_codes::NOT_IMPLEMENTED,
                        fmt::format("RESPECT NULLS for {} is not implemented", name));
    }
    Types types;
    for (const ExpressionPtr& argument : arguments)
        types.push_back(argument->type());
    Values parameters;
    for (const AstPtr& ast : call.parameters)
    {
        const ExpressionPtr bound = bind(*ast);
        if (!bound->is_constant())
            throw Error(error_codes::BAD_ARGUMENTS,
                        fmt::format("Parameter for function '{}' expected to have constant "
                                    "value. Actual: {}.{}",
                                    name, format_query(*ast), scope_text()));
        parameters.push_back(bound->constant_column()->value_at(0));
    }
    if (!aggregate_functions().exists(name))
    {
        std::vector<std::string> known;
        for (const auto& entry : aggregate_functions().entries())
            known.push_back(entry.name);
        throw Error(error_codes::UNKNOWN_AGGREGATE_FUNCTION,
                    fmt::format("Aggregate function with name `{}` does not exist.{}{}", name,
                                scope_text(), near_names_text(name, known)));
    }
    return aggregate_functions().get(name, types, parameters);
}

ExpressionPtr SelectAnalyzer::bind_aggregate(const AstFunction& call)
{
    if (in_aggregate_)
        throw Error(error_codes::ILLEGAL_AGGREGATION,
                    fmt::format("Aggregate function {} is found inside another aggregate "
                                "function in query.{}",
                                format_query(call), scope_text()));
    if (stage_ != Stage::Aggregated)
        throw Error(error_codes::ILLEGAL_AGGREGATION,
                    fmt::format("Aggregate function {} is found in {} in query.{}",
                                format_query(call), clause_, scope_text()));
    const Stage stage_before = std::exchange(stage_, Stage::Rows);
    in_aggregate_ = true;
    Expressions arguments;
    std::string lower = lower_case(call.name);
    // count(*), and count(*) FILTER (WHERE …) as countIf(*, …): rows are counted.
    const bool star = call.arguments.size() == (lower == "countif" ? 2 : 1) &&
                      (lower == "count" || lower == "countif") &&
                      call.arguments[0]->kind == AstKind::Asterisk;
    AggregateFunctionPtr function;
    try
    {
        AstList expanded;
        for (const AstPtr& argument : call.arguments)
        {
            if (star && argument == call.arguments[0])
                continue;
            expanded.clear();
            if (!expand_argument(*argument, expanded))
                expanded = {argument};
            for (const AstPtr& one : expanded)
                arguments.push_back(bind(*one));
        }
        // Without NULLs to skip, count(x) is count().
        if (lower == "count" && arguments.size() == 1 &&
            !is_nullable_or_lc_nullable(arguments[0]->type()) &&
            !arguments[0]->type()->is(TypeId::Nothing))
            arguments.clear();
        function = make_aggregate(call, arguments);
    }
    catch (...)
    {
        in_aggregate_ = false;
        stage_ = stage_before;
        throw;
    }
    in_aggregate_ = false;
    stage_ = stage_before;

    std::string id = function->name();
    if (!function->parameters().empty())
    {
        id += "(";
        for (size_t i = 0; i < function->parameters().size(); ++i)
            id += (i ? ", " : "") + function->parameters()[i].to_text();
        id += ")";
    }
    id += "(";
    for (size_t i = 0; i < arguments.size(); ++i)
        id += (i ? ", " : "") + column_of(arguments[i]);
    id += ")";
    if (kept_inputs_.insert(id).second)
        aggregate_calls_.push_back({id, function, arguments});
    return Expression::input(id, function->result_type());
}

ExpressionPtr SelectAnalyzer::bind_grouping(const AstFunction& call)
{
    if (stage_ != Stage::Aggregated || in_aggregate_)
        throw Error(error_codes::ILLEGAL_AGGREGATION,
                    fmt::format("GROUPING function {} is found in {} in query.{}",
                                format_query(call), clause_, scope_text()));
    if (select_.group_by.empty() && !select_.group_by_all)
        throw Error(error_codes::ILLEGAL_AGGREGATION,
                    fmt::format("GROUPING function {} is found in {} without GROUP BY in query.{}",
                                format_query(call), clause_, scope_text()));
    if (call.arguments.empty())
        throw Error(error_codes::NUMBER_OF_ARGUMENTS_DOESNT_MATCH,
                    "Function GROUPING expects at least one argument");
    const bool standard = context_.settings.get_bool("force_grouping_standard_compatibility");
    const TypePtr type = simple_type(TypeId::UInt64);
    auto number = [&](uint64_t value) { return Expression::constant(type, Value(value)); };
    ExpressionPtr result;
    for (const AstPtr& ast : call.arguments)
    {
        const Stage stage_before = std::exchange(stage_, Stage::Rows);
        const ExpressionPtr key = bind(*positional(ast, "GROUPING"));
        stage_ = stage_before;
        auto it = key_by_text_.find(column_of(key));
        if (it == key_by_text_.end())
            throw Error(error_codes::BAD_ARGUMENTS,
                        fmt::format("GROUPING function argument {} is not in GROUP BY keys.{}",
                                    format_query(*ast), scope_text()));
        // 1 when the key does not belong to the set of the row.
        ExpressionPtr bit = number(0);
        if (grouping_sets_used_)
        {
            kept_inputs_.insert(kGroupingColumn);
            bit = Expression::call(
                "bitAnd",
                {Expression::call("bitShiftRight",
                                  {Expression::input(kGroupingColumn, type), number(it->second)},
                                  context_),
                 number(1)},
                context_);
        }
        if (!standard)
            bit = Expression::call("bitXor", {bit, number(1)}, context_);
        result = result ? Expression::call(
                              "bitOr",
                              {Expression::call("bitShiftLeft", {result, number(1)}, context_),
                               bit},
                              context_)
                        : bit;
    }
    return cast_to(result, type, context_);
}

ExpressionPtr SelectAnalyzer::finish_aggregated(const ExpressionPtr& value)
{
    if (value->is_constant())
        return value;
    if (auto it = key_by_text_.find(column_of(value)); it != key_by_text_.end())
    {
        TypePtr type = keys_[it->second]->type();
        if (grouping_sets_used_ && context_.settings.get_bool("group_by_use_nulls") &&
            can_be_inside_nullable(remove_low_cardinality(type)))
            type = make_nullable(type);
        return Expression::input(it->first, type);
    }
    switch (value->kind())
    {
    case ExpressionKind::Input:
    {
        if (kept_inputs_.contains(value->name()) || value->name().starts_with("__lambda_"))
            return value;
        std::string name = value->name();
        for (size_t t = 0; t < from_.tables.size(); ++t)
            for (size_t c = 0; c < from_.tables[t].columns.size(); ++c)
                if (column_of(from_.tables[t].columns[c].value) == value->name())
                {
                    const auto parts = from_.shortest_name(t, c, context_);
                    name = parts.size() == 1 ? parts[0] : parts[0] + "." + parts[1];
                }
        throw Error(error_codes::NOT_AN_AGGREGATE,
                    fmt::format("Column '{}' is not under aggregate function and not in GROUP "
                                "BY keys. In query {}",
                                name, format_query(select_)));
    }
    case ExpressionKind::Call:
    {
        Expressions arguments;
        bool changed = false;
        for (const ExpressionPtr& argument : value->arguments())
        {
            arguments.push_back(finish_aggregated(argument));
            changed = changed || arguments.back() != argument;
        }
        return changed ? Expression::call(value->name(), std::move(arguments), context_) : value;
    }
    case ExpressionKind::Lambda:
    {
        ExpressionPtr body = finish_aggregated(value->body());
        return body == value->body() ? value : Expression::lambda(value->parameters(), body);
    }
    default:
        return value;
    }
}

void SelectAnalyzer::build_aggregation()
{
    auto node = std::make_unique<AggregateNode>();
    Expressions values;
    std::vector<std::string> names;
    std::set<std::string> present;
    auto add = [&](const ExpressionPtr& value)
    {
        const std::string name = column_of(value);
        if (present.insert(name).second)
        {
            values.push_back(value);
            names.push_back(name);
        }
        return name;
    };
    const bool use_nulls =
        grouping_sets_used_ && context_.settings.get_bool("group_by_use_nulls");
    for (const ExpressionPtr& key : keys_)
    {
        node->keys.push_back(add(key));
        TypePtr type = key->type();
        if (use_nulls && can_be_inside_nullable(remove_low_cardinality(type)))
            type = make_nullable(type);
        node->output.push_back({node->keys.back(), type});
    }
    for (const PendingAggregate& pending : aggregate_calls_)
    {
        AggregateCall call;
        call.function = pending.function;
        call.name = pending.id;
        for (const ExpressionPtr& argument : pending.arguments)
            call.arguments.push_back(add(argument));
        node->output.push_back({call.name, call.function->result_type()});
        node->aggregates.push_back(std::move(call));
    }
    node->grouping_sets = grouping_sets_;
    if (grouping_sets_used_)
        node->output.push_back({kGroupingColumn, simple_type(TypeId::UInt64)});
    node->with_totals = select_.with_totals;
    const bool has_group_by = !select_.group_by.empty() || select_.group_by_all;
    // An empty set that was written gives a row over no rows, those of ROLLUP and CUBE do not.
    node->no_keys_returns_row =
        (!has_group_by || select_.group_by_mode == GroupByMode::GroupingSets) &&
        !context_.settings.get_bool("empty_result_for_aggregation_by_empty_set");
    project(values, names, false);
    node->inputs.push_back(std::move(current_));
    current_ = std::move(node);
}

ExpressionPtr SelectAnalyzer::bind_array_join_call(const AstFunction& call)
{
    if (call.arguments.size() != 1)
        throw Error(error_codes::NUMBER_OF_ARGUMENTS_DOESNT_MATCH,
                    fmt::format("Function 'arrayJoin' expects 1 argument, got {}",
                                call.arguments.size()));
    if (inside_lambda())
        throw Error(error_codes::BAD_ARGUMENTS,
                    "Function 'arrayJoin' cannot stand inside a lambda");
    ExpressionPtr argument = bind(*call.arguments[0]);
    const TypePtr bare = remove_low_cardinality(argument->type());
    TypePtr item;
    if (bare->is(TypeId::Array))
        item = type_as<ArrayType>(bare).nested();
    else if (bare->is(TypeId::Map))
        item = type_as<ArrayType>(type_as<MapType>(bare).entries()).nested();
    else
        throw Error(error_codes::ILLEGAL_TYPE_OF_ARGUMENT,
                    "Argument for function arrayJoin must be Array or Map");
    const std::string id = "arrayJoin(" + column_of(argument) + ")";
    for (const ArrayJoinCall& known : array_joins_)
        if (known.id == id)
            return Expression::input(id, item);
    ArrayJoinCall join;
    join.id = id;
    join.after_aggregation = stage_ == Stage::Aggregated;
    if (join.after_aggregation)
    {
        argument = finish_aggregated(argument);
        kept_inputs_.insert(id);
    }
    join.argument = argument;
    array_joins_.push_back(std::move(join));
    return Expression::input(id, item);
}

void SelectAnalyzer::apply_array_joins(bool after_aggregation)
{
    for (ArrayJoinCall& join : array_joins_)
    {
        if (join.applied || join.after_aggregation != after_aggregation)
            continue;
        join.applied = true;
        project({join.argument}, {join.id}, true);
        auto node = std::make_unique<ArrayJoinNode>();
        node->columns = {join.id};
        node->output = current_->output;
        const TypePtr bare = remove_low_cardinality(join.argument->type());
        node->output.back().type =
            bare->is(TypeId::Array)
                ? type_as<ArrayType>(bare).nested()
                : type_as<ArrayType>(type_as<MapType>(bare).entries()).nested();
        node->inputs.push_back(std::move(current_));
        current_ = std::move(node);
    }
}

ExpressionPtr SelectAnalyzer::bind_special_call(const AstFunction& call)
{
    if (call.is_window)
        return bind_window(call);
    if (call.name == "arrayJoin")
        return bind_array_join_call(call);
    if (call.name == "grouping" || call.name == "GROUPING")
        return bind_grouping(call);
    if (is_aggregate_name(call.name))
        return bind_aggregate(call);
    return nullptr;
}

} // namespace basalt
