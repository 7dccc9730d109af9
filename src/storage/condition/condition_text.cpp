// Condition::text(). The form of ClickHouse's EXPLAIN indexes = 1.

#include "storage/condition/condition.h"

#include "base/error.h"

#include <fmt/format.h>

namespace basalt
{

struct Condition::KeyTexts
{
    const Expressions& keys;
    const std::vector<std::string>& names;
    const QueryContext& context;
};

namespace
{

using Kind = ConditionAtom::Kind;

// The constant as a value of the key's type; null when it is none.
Value constant_for(const ExpressionPtr& constant, const TypePtr& type, const QueryContext& context)
{
    try
    {
        const auto cast = Expression::call(
            "CAST",
            {constant, Expression::constant(simple_type(TypeId::String), type->name())}, context);
        return cast->is_constant() ? cast->constant_column()->value_at(0) : Value();
    }
    catch (const Error&)
    {
        return {};
    }
}

// Between neighbours of the type there is nothing: bounds can be written as included.
bool is_discrete(const DataType& type)
{
    return type.is_integer() || type.is(TypeId::Date) || type.is(TypeId::DateTime) ||
           type.is(TypeId::Date32);
}

Value moved(const Value& value, int by)
{
    if (const auto* number = value.get_if<uint64_t>(); number && (by > 0 || *number > 0))
        return *number + static_cast<uint64_t>(static_cast<int64_t>(by));
    if (const auto* number = value.get_if<int64_t>())
        return *number + by;
    return value;
}

// The least text that is greater than all that begin with the prefix; empty when there is none.
std::string after_prefix(std::string prefix)
{
    while (!prefix.empty() && prefix.back() == '\xff')
        prefix.pop_back();
    if (!prefix.empty())
        ++prefix.back();
    return prefix;
}

Kind opposite(Kind kind)
{
    switch (kind)
    {
    case Kind::Less:
        return Kind::GreaterOrEquals;
    case Kind::LessOrEquals:
        return Kind::Greater;
    case Kind::Greater:
        return Kind::LessOrEquals;
    default:
        return Kind::Less;
    }
}

std::string range_text(Kind kind, const Value& value, const DataType& type)
{
    const bool discrete = is_discrete(type) &&
                          (value.get_if<uint64_t>() || value.get_if<int64_t>()) &&
                          !(kind == Kind::Less && value == Value(uint64_t{0}));
    switch (kind)
    {
    case Kind::Less:
        return discrete ? fmt::format("(-Inf, {}]", moved(value, -1).to_text())
                        : fmt::format("(-Inf, {})", value.to_text());
    case Kind::LessOrEquals:
        return fmt::format("(-Inf, {}]", value.to_text());
    case Kind::Greater:
        return discrete ? fmt::format("[{}, +Inf)", moved(value, 1).to_text())
                        : fmt::format("({}, +Inf)", value.to_text());
    default:
        return fmt::format("[{}, +Inf)", value.to_text());
    }
}

std::string atom_text(const ConditionAtom& atom, bool negated, const std::string& name,
                      const TypePtr& type, const QueryContext& context)
{
    if (negated && atom.relaxed)
        return {};
    const char* in = negated ? "not in" : "in";
    switch (atom.kind)
    {
    case Kind::InSet:
        return fmt::format("({} {} {}-element set)", name, negated ? "notIn" : "in",
                           atom.set->size());
    case Kind::Prefix:
    {
        const std::string end = after_prefix(atom.prefix);
        return fmt::format("({} {} [{}, {}))", name, in, Value(atom.prefix).to_text(),
                           end.empty() ? "+Inf" : Value(end).to_text());
    }
    case Kind::Equals:
    case Kind::Less:
    case Kind::LessOrEquals:
    case Kind::Greater:
    case Kind::GreaterOrEquals:
    {
        const TypePtr plain = strip_wrappers(type);
        const Value value = constant_for(atom.constant, plain, context);
        if (value.is_null())
            return {};
        if (atom.kind == Kind::Equals)
            return fmt::format("({} {} [{}, {}])", name, in, value.to_text(), value.to_text());
        return fmt::format("({} in {})", name,
                           range_text(negated ? opposite(atom.kind) : atom.kind, value, *plain));
    }
    default:
        return {};
    }
}

} // namespace

std::string Condition::text(const Node& node, bool negated, const KeyTexts& keys) const
{
    switch (node.kind)
    {
    case Node::Kind::Not:
        return text(node.children[0], !negated, keys);
    case Node::Kind::And:
    case Node::Kind::Or:
    {
        const bool is_and = (node.kind == Node::Kind::And) != negated;
        std::string whole;
        for (auto child = node.children.rbegin(); child != node.children.rend(); ++child)
        {
            const std::string one = text(*child, negated, keys);
            if (one.empty() && !is_and)
                return {};
            if (whole.empty())
                whole = one;
            else if (!one.empty())
                whole = fmt::format("{}({}, {})", is_and ? "and" : "or", whole, one);
        }
        return whole;
    }
    case Node::Kind::Atom:
    {
        const ConditionAtom& atom = atoms_[node.atom];
        if (atom.argument)
            for (size_t k = 0; k < keys.keys.size(); ++k)
                if (keys.keys[k]->fingerprint() == atom.argument->fingerprint())
                    return atom_text(atom, negated, keys.names[k], keys.keys[k]->type(),
                                     keys.context);
        return {};
    }
    case Node::Kind::Constant:
        return {};
    }
    return {};
}

std::string Condition::text(const Expressions& keys, const std::vector<std::string>& names,
                            const QueryContext& context) const
{
    const std::string known = text(root_, false, {keys, names, context});
    return known.empty() ? "true" : known;
}

} // namespace basalt
