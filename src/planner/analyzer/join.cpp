#include "planner/analyzer/select_analyzer.h"

#include "sql/formatter.h"

#include <algorithm>
#include <fmt/format.h>

namespace basalt
{

namespace
{

JoinKind plan_kind(const AstTableElement& element)
{
    const bool one_sided = element.strictness == AstJoinStrictness::Semi ||
                           element.strictness == AstJoinStrictness::Anti;
    switch (element.join)
    {
    case AstJoinKind::Inner:
        return one_sided ? JoinKind::Left : JoinKind::Inner;
    case AstJoinKind::Left:
        return JoinKind::Left;
    case AstJoinKind::Right:
        return JoinKind::Right;
    case AstJoinKind::Full:
        return JoinKind::Full;
    case AstJoinKind::Cross:
    case AstJoinKind::Comma:
        return JoinKind::Cross;
    default:
        throw Error(error_codes::NOT_IMPLEMENTED, "PASTE JOIN is not implemented");
    }
}

JoinStrictness plan_strictness(const AstTableElement& element, const QueryContext& context)
{
    switch (element.strictness)
    {
    case AstJoinStrictness::Any:
        return JoinStrictness::Any;
    case AstJoinStrictness::Semi:
        return JoinStrictness::Semi;
    case AstJoinStrictness::Anti:
        return JoinStrictness::Anti;
    case AstJoinStrictness::Asof:
        return JoinStrictness::Asof;
    case AstJoinStrictness::Unspecified:
        if (context.settings.get("join_default_strictness") == "ANY")
            return JoinStrictness::Any;
        return JoinStrictness::All;
    default:
        return JoinStrictness::All;
    }
}

std::set<std::string> names_of(const Header& header)
{
    std::set<std::string> names;
    for (const NamedType& column : header)
        names.insert(column.name);
    return names;
}

bool reads_only(const ExpressionPtr& expression, const std::set<std::string>& names)
{
    for (const std::string& name : inputs_of({expression}))
        if (!names.contains(name))
            return false;
    return true;
}

PlanPtr filtered(PlanPtr input, ExpressionPtr condition)
{
    auto node = std::make_unique<FilterNode>();
    node->output = input->output;
    node->condition = std::move(condition);
    node->inputs.push_back(std::move(input));
    return node;
}

} // namespace

struct SelectAnalyzer::JoinSides
{
    PlanPtr left, right;
    std::set<std::string> left_names, right_names;
    std::string prefix;
    std::vector<std::pair<ExpressionPtr, ExpressionPtr>> keys;
    Expressions left_filters, right_filters, rest;

    // The key as a column of its side, appended unless it is one already.
    static std::string key_column(PlanPtr& side, const ExpressionPtr& key, const std::string& name,
                                  bool always_new)
    {
        if (!always_new && key->kind() == ExpressionKind::Input)
            return key->name();
        auto node = std::make_unique<ProjectNode>();
        for (const NamedType& column : side->output)
        {
            node->output.push_back(column);
            node->expressions.push_back(Expression::input(column.name, column.type));
        }
        node->output.push_back({name, key->type()});
        node->expressions.push_back(key);
        node->inputs.push_back(std::move(side));
        side = std::move(node);
        return name;
    }
    void add_key(JoinNode& node, ExpressionPtr left_key, ExpressionPtr right_key, bool null_safe,
                 bool always_new, const QueryContext& context)
    {
        const TypePtr type = try_common_type({remove_low_cardinality(left_key->type()),
                                              remove_low_cardinality(right_key->type())});
        if (!type)
            throw Error(error_codes::NO_COMMON_TYPE,
                        fmt::format("JOIN cannot infer common type in ON section for keys of "
                                    "types {} and {}",
                                    left_key->type()->name(), right_key->type()->name()));
        left_key = cast_to(left_key, type, context);
        right_key = cast_to(right_key, type, context);
        const size_t number = node.left_keys.size();
        node.left_keys.push_back(
            key_column(left, left_key, fmt::format("{}left_key{}", prefix, number), always_new));
        node.right_keys.push_back(key_column(
            right, right_key, fmt::format("{}right_key{}", prefix, number), always_new));
        node.null_safe.push_back(null_safe);
    }
};

void SelectAnalyzer::split_on(const AstPtr& on, JoinNode& node, JoinSides& sides)
{
    const ExpressionPtr condition = bind_in_stage(*on, Stage::Rows, "JOIN ON");
    const bool inner = node.join == JoinKind::Inner || node.join == JoinKind::Cross;
    const bool filter_right = inner || node.join == JoinKind::Left;
    const bool filter_left =
        inner || node.join == JoinKind::Right ||
        (node.join == JoinKind::Left && node.strictness == JoinStrictness::Semi);
    bool has_asof = false;
    ExpressionPtr asof_left, asof_right;
    for (const ExpressionPtr& part : split_conjuncts(condition))
    {
        if (part->is_constant())
        {
            Mask mask;
            const size_t kept = column_to_mask(part->constant_column(), part->type(), mask);
            if (kept == 0)
                sides.rest.push_back(part);
            continue;
        }
        const bool only_left = reads_only(part, sides.left_names);
        const bool only_right = reads_only(part, sides.right_names);
        if (only_left || only_right)
        {
            if (only_right && filter_right)
                sides.right_filters.push_back(part);
            else if (only_left && filter_left)
                sides.left_filters.push_back(part);
            else
                sides.rest.push_back(part);
            continue;
        }
        if (part->kind() == ExpressionKind::Call && part->arguments().size() == 2)
        {
            ExpressionPtr left = part->arguments()[0], right = part->arguments()[1];
            const bool straight =
                reads_only(left, sides.left_names) && reads_only(right, sides.right_names);
            const bool swapped =
                reads_only(left, sides.right_names) && reads_only(right, sides.left_names);
            if (swapped)
                std::swap(left, right);
            if (straight || swapped)
            {
                if (part->is_call("equals") || part->is_call("isNotDistinctFrom"))
                {
                    sides.add_key(node, left, right, part->is_call("isNotDistinctFrom"), false,
                                  context_);
                    continue;
                }
                using Op = JoinNode::AsofOp;
                const std::pair<const char*, std::pair<Op, Op>> operators[] = {
                    {"greaterOrEquals", {Op::GreaterOrEquals, Op::LessOrEquals}},
                    {"greater", {Op::Greater, Op::Less}},
                    {"lessOrEquals", {Op::LessOrEquals, Op::GreaterOrEquals}},
                    {"less", {Op::Less, Op::Greater}},
                };
                bool taken = false;
                for (const auto& [name, op] : operators)
                    if (node.strictness == JoinStrictness::Asof && part->is_call(name))
                    {
                        if (has_asof)
                            throw Error(error_codes::INVALID_JOIN_ON_EXPRESSION,
                                        "ASOF JOIN takes one inequality in ON");
                        has_asof = taken = true;
                        asof_left = left;
                        asof_right = right;
                        node.asof_op = swapped ? op.second : op.first;
                    }
                if (taken)
                    continue;
            }
        }
        sides.rest.push_back(part);
    }
    if (node.strictness == JoinStrictness::Asof)
    {
        if (!has_asof || node.left_keys.empty())
            throw Error(error_codes::INVALID_JOIN_ON_EXPRESSION,
                        fmt::format("ASOF JOIN needs equalities and one inequality in ON, got {}",
                                    format_query(*on)));
        sides.add_key(node, asof_left, asof_right, false, false, context_);
    }
}

void SelectAnalyzer::join(const AstTableElement& element, PlanPtr right, ScopeTable right_scope)
{
    if (context_.settings.get_bool("joined_subquery_requires_alias"))
        if (from_.tables.back().qualifiers.empty() || right_scope.qualifiers.empty())
            throw Error(error_codes::ALIAS_REQUIRED,
                        fmt::format("JOIN has no alias for a subquery or table function.{} "
                                    "(set joined_subquery_requires_alias = 0 to disable "
                                    "restriction)",
                                    scope_text()));
    auto node = std::make_unique<JoinNode>();
    node->join = plan_kind(element);
    node->strictness = plan_strictness(element, context_);
    JoinSides sides;
    sides.left = std::move(current_);
    sides.right = std::move(right);
    sides.left_names = names_of(sides.left->output);
    sides.right_names = names_of(sides.right->output);
    sides.prefix = fmt::format("__join{}.", state_.next_table++);

    AstList using_columns = element.using_columns;
    const bool has_using = element.has_using || element.natural;
    if (element.natural)
        for (const ScopeColumn& column : right_scope.columns)
            if (!column.hidden && from_.find({column.name}, context_).place !=
                                      ColumnReference::Place::None)
                using_columns.push_back(std::make_shared<AstIdentifier>(column.name));

    std::vector<ScopeColumn> merged; // value filled in after the join is known
    if (has_using)
    {
        for (const AstPtr& ast : using_columns)
        {
            const auto* identifier = ast->as<AstIdentifier>();
            if (!identifier)
                throw Error(error_codes::UNSUPPORTED_METHOD, "USING takes names of columns only");
            const std::string& name = identifier->short_name();
            const auto left = from_.find({name}, context_);
            const auto right_column = right_scope.by_name.find(name);
            if (left.place == ColumnReference::Place::None ||
                right_column == right_scope.by_name.end())
                throw Error(error_codes::UNKNOWN_IDENTIFIER,
                            fmt::format("JOIN USING identifier '{}' cannot be resolved from {} "
                                        "table expression.{}",
                                        name,
                                        left.place == ColumnReference::Place::None ? "left"
                                                                                   : "right",
                                        scope_text()));
            sides.add_key(*node, from_.column(left).value,
                          right_scope.columns[right_column->second].value, false, true, context_);
            merged.push_back({name, nullptr});
        }
        from_.tables.push_back(std::move(right_scope));
    }
    else
    {
        from_.tables.push_back(std::move(right_scope));
        if (element.on)
            split_on(element.on, *node, sides);
        else if (node->join != JoinKind::Cross)
            throw Error(error_codes::INVALID_JOIN_ON_EXPRESSION,
                        fmt::format("JOIN needs ON or USING.{}", scope_text()));
    }
    for (ExpressionPtr& filter : sides.left_filters)
        sides.left = filtered(std::move(sides.left), filter);
    for (ExpressionPtr& filter : sides.right_filters)
        sides.right = filtered(std::move(sides.right), filter);
    if (sides.rest.size() == 1)
        node->condition = sides.rest[0];
    else if (!sides.rest.empty())
        node->condition = Expression::call("and", sides.rest, context_);
    if (node->strictness == JoinStrictness::Asof && node->condition)
        throw Error(error_codes::NOT_IMPLEMENTED,
                    "ASOF JOIN with further conditions is not implemented");

    // Types of the side that may have no partner.
    const bool use_nulls = context_.settings.get_bool("join_use_nulls");
    const bool semi = node->strictness == JoinStrictness::Semi;
    const bool left_nullable =
        use_nulls && !semi && (node->join == JoinKind::Right || node->join == JoinKind::Full);
    const bool right_nullable =
        use_nulls && !semi && (node->join == JoinKind::Left || node->join == JoinKind::Full);
    std::unordered_map<std::string, ExpressionPtr> changed;
    auto add_side = [&](const Header& side, bool nullable)
    {
        for (const NamedType& column : side)
        {
            TypePtr type = column.type;
            if (nullable && can_be_inside_nullable(remove_low_cardinality(type)))
                type = make_nullable(type);
            if (!same_type(type, column.type))
                changed.emplace(column.name, Expression::input(column.name, type));
            node->output.push_back({column.name, type});
        }
    };
    add_side(sides.left->output, left_nullable);
    add_side(sides.right->output, right_nullable);
    if (!changed.empty())
        from_.replace_values(changed, context_);

    auto output_type = [&](const std::string& name) -> NamedType&
    {
        for (NamedType& column : node->output)
            if (column.name == name)
                return column;
        BASALT_ASSERT(!"a join key is not a column");
        return node->output[0];
    };
    for (size_t i = 0; i < merged.size(); ++i)
    {
        NamedType& left_key = output_type(node->left_keys[i]);
        NamedType& right_key = output_type(node->right_keys[i]);
        if (node->join == JoinKind::Full)
        {
            // NULL on the left tells that only the right has the row.
            left_key.type = make_nullable(left_key.type);
            merged[i].value = Expression::call("ifNull",
                                               {Expression::input(left_key.name, left_key.type),
                                                Expression::input(right_key.name, right_key.type)},
                                               context_);
        }
        else
        {
            const NamedType& side = node->join == JoinKind::Right ? right_key : left_key;
            merged[i].value = Expression::input(side.name, side.type);
        }
        std::erase_if(from_.using_columns, [&](const ScopeColumn& column)
                      { return column.name == merged[i].name; });
    }
    from_.using_columns.insert(from_.using_columns.end(), merged.begin(), merged.end());
    node->inputs.push_back(std::move(sides.left));
    node->inputs.push_back(std::move(sides.right));
    current_ = std::move(node);
}

namespace
{

TypePtr unfolded_type(const TypePtr& type)
{
    const TypePtr bare = remove_low_cardinality(type);
    if (bare->is(TypeId::Array))
        return type_as<ArrayType>(bare).nested();
    if (bare->is(TypeId::Map))
        return type_as<ArrayType>(type_as<MapType>(bare).entries()).nested();
    return nullptr;
}

} // namespace

void SelectAnalyzer::array_join(const AstTableElement& element)
{
    struct Unfolded
    {
        std::string name;
        ExpressionPtr array;
        ColumnReference replaces; // a column of the scope that becomes its item
    };
    std::vector<Unfolded> arrays;
    for (const AstPtr& ast : element.array_join)
    {
        const auto* identifier = ast->as<AstIdentifier>();
        ColumnReference reference;
        if (identifier)
            reference = from_.find(identifier->parts, context_);
        if (identifier && reference.place == ColumnReference::Place::None)
        {
            // ARRAY JOIN n for the columns n.x of a Nested.
            const std::string& nested = identifier->short_name();
            bool any = false;
            for (size_t t = 0; t < from_.tables.size(); ++t)
                for (size_t c = 0; c < from_.tables[t].columns.size(); ++c)
                {
                    const ScopeColumn& column = from_.tables[t].columns[c];
                    if (!column.name.starts_with(nested + ".") || column.hidden)
                        continue;
                    any = true;
                    Unfolded one{column.name, column.value, {}};
                    if (!ast->alias.empty())
                        one.name = ast->alias + column.name.substr(nested.size());
                    else
                    {
                        one.replaces.place = ColumnReference::Place::Table;
                        one.replaces.table = t;
                        one.replaces.column = c;
                    }
                    arrays.push_back(std::move(one));
                }
            if (any)
                continue;
        }
        Unfolded one{display_name(*ast), bind_in_stage(*ast, Stage::Rows, "ARRAY JOIN"), {}};
        if (identifier && ast->alias.empty() &&
            reference.place != ColumnReference::Place::None &&
            reference.used_parts == identifier->parts.size())
            one.replaces = reference;
        arrays.push_back(std::move(one));
    }
    auto node = std::make_unique<ArrayJoinNode>();
    node->left = element.join == AstJoinKind::LeftArrayJoin;
    const std::string prefix = fmt::format("__array_join{}.", state_.next_table++);
    Expressions values;
    for (const Unfolded& one : arrays)
    {
        if (!unfolded_type(one.array->type()))
            throw Error(error_codes::TYPE_MISMATCH,
                        fmt::format("ARRAY JOIN requires array argument. Actual {} with type {}",
                                    one.name, one.array->type()->name()));
        node->columns.push_back(fmt::format("{}{}", prefix, node->columns.size()));
        values.push_back(one.array);
    }
    project(values, node->columns, true);
    node->output = current_->output;
    const size_t first = node->output.size() - arrays.size();
    for (size_t i = 0; i < arrays.size(); ++i)
    {
        node->output[first + i].type = unfolded_type(arrays[i].array->type());
        ScopeColumn column{arrays[i].name,
                           Expression::input(node->columns[i], node->output[first + i].type)};
        if (arrays[i].replaces.place != ColumnReference::Place::None)
            from_.column(arrays[i].replaces).value = column.value;
        else
            from_.array_joined.push_back(std::move(column));
    }
    node->inputs.push_back(std::move(current_));
    current_ = std::move(node);
}

} // namespace basalt
