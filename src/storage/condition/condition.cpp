#include "storage/condition/condition.h"

#include "base/error.h"
#include "storage/condition/mirrored.h"

#include <optional>

namespace basalt
{

namespace
{

using Kind = ConditionAtom::Kind;

std::optional<Kind> comparison_kind(const std::string& name)
{
    if (name == "equals" || name == "notEquals")
        return Kind::Equals;
    if (name == "less")
        return Kind::Less;
    if (name == "lessOrEquals")
        return Kind::LessOrEquals;
    if (name == "greater")
        return Kind::Greater;
    if (name == "greaterOrEquals")
        return Kind::GreaterOrEquals;
    return std::nullopt;
}

std::optional<std::string> constant_text(const ExpressionPtr& expression)
{
    if (!expression->is_constant() || !strip_wrappers(expression->type())->is(TypeId::String))
        return std::nullopt;
    const Value value = expression->constant_column()->value_at(0);
    const auto* text = value.get_if<std::string>();
    return text ? std::optional(*text) : std::nullopt;
}

// The text that every match of a LIKE pattern begins with; exact when the rest is just %.
std::string like_prefix(std::string_view pattern, bool& exact)
{
    std::string prefix;
    for (size_t i = 0; i < pattern.size(); ++i)
    {
        if (pattern[i] == '%')
        {
            exact = pattern.find_first_not_of('%', i) == std::string_view::npos;
            return prefix;
        }
        if (pattern[i] == '_')
        {
            exact = false;
            return prefix;
        }
        if (pattern[i] == '\\' && i + 1 < pattern.size())
        {
            const char next = pattern[i + 1];
            if (next == '%' || next == '_' || next == '\\')
                ++i;
        }
        prefix.push_back(pattern[i]);
    }
    exact = false; // no % at all: an equality
    return prefix;
}

} // namespace

Condition::Condition(const ExpressionPtr& filter)
{
    if (filter)
        root_ = build(filter);
    else
        root_.constant = {true, false, false};
}

Condition::Condition(ConditionAtom atom)
{
    root_ = atom_node(std::move(atom), false);
}

Condition::Node Condition::atom_node(ConditionAtom atom, bool negated)
{
    Node node;
    node.kind = Node::Kind::Atom;
    node.atom = atoms_.size();
    atoms_.push_back(std::move(atom));
    if (!negated)
        return node;
    Node outer;
    outer.kind = Node::Kind::Not;
    outer.children.push_back(std::move(node));
    return outer;
}

bool Condition::comparison(const ExpressionPtr& expression, Node& node)
{
    const auto kind = comparison_kind(expression->name());
    if (!kind || expression->arguments().size() != 2)
        return false;
    const auto& left = expression->arguments()[0];
    const auto& right = expression->arguments()[1];
    if (left->is_constant() == right->is_constant())
        return false;
    ConditionAtom atom;
    atom.kind = right->is_constant() ? *kind : mirrored(*kind);
    atom.argument = right->is_constant() ? left : right;
    atom.constant = right->is_constant() ? right : left;
    const bool negated = expression->name() == "notEquals";
    atom.source = expression;
    atom.negated = negated;
    node = atom_node(std::move(atom), negated);
    return true;
}

bool Condition::membership(const ExpressionPtr& expression, Node& node)
{
    const std::string& name = expression->name();
    const bool negated = name == "notIn" || name == "globalNotIn";
    if ((!negated && name != "in" && name != "globalIn") || expression->arguments().size() != 2)
        return false;
    const auto& left = expression->arguments()[0];
    const auto& right = expression->arguments()[1];
    if (!right->is_constant())
        return false;
    ColumnPtr column = right->constant_column();
    if (column->form() == ColumnForm::Constant)
        column = column_as<ConstantColumn>(column).nested();
    const auto* set_column = dynamic_cast<const SetColumn*>(column.get());
    if (!set_column || left->is_constant())
        return false;
    ConditionAtom atom;
    atom.kind = Kind::InSet;
    atom.source = expression;
    atom.negated = negated;
    atom.set = set_column->set_ptr();
    if (atom.set->key_types().size() == 1)
    {
        atom.argument = left;
        node = atom_node(std::move(atom), negated);
        return true;
    }
    // (a, b) IN …: a is among the first elements and b among the second; the reverse is not so.
    if (!left->is_call("tuple") || left->arguments().size() != atom.set->key_types().size())
        return false;
    node.kind = Node::Kind::And;
    atom.relaxed = true;
    for (size_t i = 0; i < left->arguments().size(); ++i)
    {
        if (left->arguments()[i]->is_constant())
            continue;
        ConditionAtom element = atom;
        element.argument = left->arguments()[i];
        element.set_column = i;
        node.children.push_back(atom_node(std::move(element), false));
    }
    if (negated)
    {
        Node outer;
        outer.kind = Node::Kind::Not;
        outer.children.push_back(std::move(node));
        node = std::move(outer);
    }
    return true;
}

bool Condition::pattern(const ExpressionPtr& expression, Node& node)
{
    const std::string& name = expression->name();
    const bool like = name == "like" || name == "notLike";
    if ((!like && name != "startsWith") || expression->arguments().size() != 2)
        return false;
    const auto& argument = expression->arguments()[0];
    const auto text = constant_text(expression->arguments()[1]);
    if (!text || argument->is_constant() ||
        !strip_wrappers(argument->type())->is(TypeId::String))
        return false;
    ConditionAtom atom;
    atom.kind = Kind::Prefix;
    atom.argument = argument;
    atom.source = expression;
    atom.negated = name == "notLike";
    bool exact = true;
    atom.prefix = like ? like_prefix(*text, exact) : *text;
    atom.relaxed = !exact;
    if (atom.prefix.empty())
        atom.kind = Kind::Other;
    node = atom_node(std::move(atom), name == "notLike");
    return true;
}

Condition::Node Condition::build(const ExpressionPtr& expression)
{
    Node node;
    if (expression->is_constant())
    {
        Mask mask;
        const size_t kept =
            column_to_mask(expression->constant_column(), expression->type(), mask);
        const bool null = expression->constant_column()->is_null_at(0);
        node.constant = {kept > 0, kept == 0 && !null, null};
        return node;
    }
    if (expression->kind() == ExpressionKind::Call)
    {
        const bool is_and = expression->is_call("and");
        if (is_and || expression->is_call("or"))
        {
            node.kind = is_and ? Node::Kind::And : Node::Kind::Or;
            for (const auto& argument : expression->arguments())
                node.children.push_back(build(argument));
            return node;
        }
        if (expression->is_call("not"))
        {
            node.kind = Node::Kind::Not;
            node.children.push_back(build(expression->arguments()[0]));
            return node;
        }
        if (comparison(expression, node) || membership(expression, node) ||
            pattern(expression, node))
            return node;
        const auto& arguments = expression->arguments();
        if (expression->is_call("isNull") || expression->is_call("isNotNull"))
        {
            ConditionAtom atom;
            atom.kind = Kind::IsNull;
            atom.argument = arguments[0];
            const bool negated = expression->is_call("isNotNull");
            atom.source = expression;
            atom.negated = negated;
            return atom_node(std::move(atom), negated);
        }
        if (expression->is_call("has") && arguments.size() == 2 && arguments[1]->is_constant() &&
            !arguments[0]->is_constant())
        {
            ConditionAtom atom;
            atom.kind = Kind::Has;
            atom.source = expression;
            atom.argument = arguments[0];
            atom.constant = arguments[1];
            return atom_node(std::move(atom), false);
        }
    }
    ConditionAtom atom;
    const bool negated = expression->is_call("notILike");
    atom.source = expression;
    atom.negated = negated;
    return atom_node(std::move(atom), negated);
}

Outcomes Condition::evaluate(const std::function<Outcomes(size_t)>& of_atom) const
{
    return evaluate(root_, of_atom);
}

Outcomes Condition::evaluate(const Node& node, const std::function<Outcomes(size_t)>& of_atom)
{
    switch (node.kind)
    {
    case Node::Kind::Constant:
        return node.constant;
    case Node::Kind::Atom:
        return of_atom(node.atom);
    case Node::Kind::Not:
    {
        const Outcomes inner = evaluate(node.children[0], of_atom);
        return {inner.can_be_false, inner.can_be_true, inner.can_be_null};
    }
    case Node::Kind::And:
    {
        Outcomes all{true, false, false};
        for (const auto& child : node.children)
        {
            const Outcomes one = evaluate(child, of_atom);
            all.can_be_true &= one.can_be_true;
            all.can_be_false |= one.can_be_false;
            all.can_be_null |= one.can_be_null;
        }
        return all;
    }
    case Node::Kind::Or:
    {
        Outcomes any{false, true, false};
        for (const auto& child : node.children)
        {
            const Outcomes one = evaluate(child, of_atom);
            any.can_be_true |= one.can_be_true;
            any.can_be_false &= one.can_be_false;
            any.can_be_null |= one.can_be_null;
        }
        return any;
    }
    }
    return Outcomes::anything();
}

} // namespace basalt
