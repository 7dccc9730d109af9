// Conditions that encoded pages can decide.

#include "storage/mergetree/filter_steps.h"

#include "columns/serialization.h"
#include "storage/condition/mirrored.h"

#include <map>

namespace basalt
{

namespace
{

using Kind = PagePredicate::Kind;

const std::map<std::string_view, Kind>& kinds()
{
    static const std::map<std::string_view, Kind> by_name = {
        {"equals", Kind::Equals},     {"notEquals", Kind::NotEquals},
        {"less", Kind::Less},         {"lessOrEquals", Kind::LessOrEquals},
        {"greater", Kind::Greater},   {"greaterOrEquals", Kind::GreaterOrEquals},
        {"like", Kind::Like},         {"notLike", Kind::NotLike},
        {"ilike", Kind::ILike},       {"notILike", Kind::NotILike},
        {"startsWith", Kind::Like},   {"endsWith", Kind::Like},
    };
    return by_name;
}

bool is_pattern(Kind kind)
{
    return kind == Kind::Like || kind == Kind::NotLike || kind == Kind::ILike ||
           kind == Kind::NotILike;
}

// The constant as the column holds it; nothing when their types do not compare value by value.
std::optional<Value> exact_constant(const Expression& constant, const TypePtr& column_type)
{
    const TypePtr column = strip_wrappers(column_type);
    const TypePtr given = strip_wrappers(constant.type());
    const Value value = constant.constant_column()->value_at(0);
    if (value.is_null())
        return std::nullopt;
    if (same_type(column, given))
        return value;
    const bool plain_integers = column->is_integer() && given->is_integer() &&
                                !column->is(TypeId::Bool) && !given->is(TypeId::Bool);
    return plain_integers ? convert_value(value, column) : std::nullopt;
}

// A pattern that is the text itself.
std::string escaped(std::string_view text)
{
    std::string pattern;
    for (const char c : text)
    {
        if (c == '%' || c == '_' || c == '\\')
            pattern.push_back('\\');
        pattern.push_back(c);
    }
    return pattern;
}

} // namespace

std::optional<PagePredicate> page_predicate_of(const ExpressionPtr& condition)
{
    if (condition->kind() != ExpressionKind::Call || condition->arguments().size() != 2)
        return std::nullopt;
    const auto found = kinds().find(condition->name());
    if (found == kinds().end())
        return std::nullopt;
    const auto& left = condition->arguments()[0];
    const auto& right = condition->arguments()[1];
    const bool turned = left->is_constant() && !is_pattern(found->second);
    const auto& column = turned ? right : left;
    const auto& constant = turned ? left : right;
    if (column->kind() != ExpressionKind::Input || !constant->is_constant())
        return std::nullopt;
    if (is_pattern(found->second) && !strip_wrappers(column->type())->is(TypeId::String))
        return std::nullopt;
    auto value = exact_constant(*constant, column->type());
    if (!value)
        return std::nullopt;
    if (condition->name() == "startsWith")
        value = Value(escaped(value->get<std::string>()) + "%");
    else if (condition->name() == "endsWith")
        value = Value("%" + escaped(value->get<std::string>()));
    PagePredicate predicate;
    predicate.kind = turned ? mirrored(found->second) : found->second;
    predicate.values.push_back(std::move(*value));
    return predicate;
}

} // namespace basalt
