#include "binder/binder.h"

namespace basalt
{

TypePtr literal_type(const AstLiteral& literal)
{
    if (literal.literal_kind == LiteralKind::Bool)
        return simple_type(TypeId::Bool);
    Value value;
    literal_value(literal, value);
    return type_of_value(value);
}

namespace
{

bool literals_of(const AstList& list, Values& out)
{
    out.reserve(list.size());
    for (const AstPtr& item : list)
    {
        Value value;
        if (!literal_value(*item, value))
            return false;
        out.push_back(std::move(value));
    }
    return true;
}

} // namespace

bool literal_value(const Ast& ast, Value& out)
{
    if (const auto* literal = ast.as<AstLiteral>())
    {
        switch (literal->literal_kind)
        {
        case LiteralKind::Null:
            out = Null{};
            return true;
        case LiteralKind::Bool:
        case LiteralKind::UInt64:
            out = literal->unsigned_value;
            return true;
        case LiteralKind::Int64:
            out = literal->signed_value;
            return true;
        case LiteralKind::Float64:
            out = literal->float_value;
            return true;
        case LiteralKind::String:
            out = literal->text;
            return true;
        }
    }
    const auto* call = ast.as<AstFunction>();
    if (!call || call->has_parameters || call->is_window)
        return false;
    if (call->name == "array")
    {
        ArrayValue array;
        if (!literals_of(call->arguments, array.items))
            return false;
        out = std::move(array);
        return true;
    }
    if (call->name == "tuple")
    {
        TupleValue tuple;
        if (!literals_of(call->arguments, tuple.items))
            return false;
        out = std::move(tuple);
        return true;
    }
    return false;
}

} // namespace basalt
