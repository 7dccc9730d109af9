#include "binder/binder.h"

#include <algorithm>
#include <fmt/format.h>

namespace basalt
{

TableBinder::TableBinder(const QueryContext& context, const Header& columns,
                         std::vector<std::string> qualifiers)
    : ExpressionBinder(context), qualifiers_(std::move(qualifiers))
{
    for (const NamedType& column : columns)
        columns_.emplace(column.name, column.type);
}

ExpressionPtr TableBinder::resolve_identifier(const AstIdentifier& identifier)
{
    struct Lookup : ColumnLookup
    {
        const std::map<std::string, TypePtr, std::less<>>& columns;
        explicit Lookup(const std::map<std::string, TypePtr, std::less<>>& c) : columns(c) {}
        ExpressionPtr find(const std::string& name) const override
        {
            auto it = columns.find(name);
            return it == columns.end() ? nullptr : Expression::input(name, it->second);
        }
    } lookup(columns_);
    if (auto found = resolve_with_subcolumns(identifier.parts, 0, lookup, context_))
        return found;
    if (identifier.parts.size() > 1 &&
        std::find(qualifiers_.begin(), qualifiers_.end(), identifier.parts[0]) !=
            qualifiers_.end())
        return resolve_with_subcolumns(identifier.parts, 1, lookup, context_);
    return nullptr;
}

std::vector<std::string> TableBinder::known_names() const
{
    std::vector<std::string> names;
    for (const auto& [name, type] : columns_)
        names.push_back(name);
    return names;
}

ExpressionPtr bind_expression(const Ast& ast, const Header& columns, const QueryContext& context)
{
    return TableBinder(context, columns).bind(ast);
}

ConstantValue bind_constant(const Ast& ast, const QueryContext& context, std::string_view what)
{
    ExpressionPtr bound;
    try
    {
        bound = bind_expression(ast, {}, context);
    }
    catch (const Error& error)
    {
        if (error.code() != error_codes::UNKNOWN_IDENTIFIER)
            throw;
    }
    if (!bound || !bound->is_constant())
        throw Error(error_codes::BAD_ARGUMENTS, fmt::format("{} must be a constant", what));
    return {bound->constant_column()->value_at(0), bound->type()};
}

ExpressionPtr resolve_with_subcolumns(const std::vector<std::string>& parts, size_t first,
                                      const ColumnLookup& columns, const QueryContext& context)
{
    for (size_t end = parts.size(); end > first; --end)
    {
        std::string name = parts[first];
        for (size_t i = first + 1; i < end; ++i)
            name += "." + parts[i];
        ExpressionPtr found = columns.find(name);
        for (size_t i = end; found && i < parts.size(); ++i)
            found = subcolumn_of(found, parts[i], context);
        if (found)
            return found;
    }
    return nullptr;
}

namespace
{

ExpressionPtr tuple_part(const ExpressionPtr& expression, const TypePtr& tuple,
                         const std::string& part, const QueryContext& context)
{
    const auto& type = type_as<TupleType>(tuple);
    if (type.find(part) >= 0)
        return Expression::call(
            "tupleElement",
            {expression, Expression::constant(simple_type(TypeId::String), Value(part))}, context);
    const bool number = !part.empty() && part.size() < 6 &&
                        std::all_of(part.begin(), part.end(),
                                    [](char c) { return c >= '0' && c <= '9'; });
    if (!number)
        return nullptr;
    const uint64_t index = std::stoull(part);
    if (index == 0 || index > type.elements().size())
        return nullptr;
    return Expression::call(
        "tupleElement",
        {expression, Expression::constant(type_of_value(Value(index)), Value(index))}, context);
}

} // namespace

ExpressionPtr subcolumn_of(const ExpressionPtr& expression, const std::string& part,
                           const QueryContext& context)
{
    const TypePtr type = remove_low_cardinality(expression->type());
    if (part == "null" && type->is_nullable())
        return Expression::call("isNull", {expression}, context);
    const TypePtr bare = remove_nullable(type);
    switch (bare->id())
    {
    case TypeId::Tuple:
        return tuple_part(expression, bare, part, context);
    case TypeId::Array:
    {
        if (part == "size0")
            return Expression::call("length", {expression}, context);
        const TypePtr& item = type_as<ArrayType>(bare).nested();
        if (item->is(TypeId::Tuple))
            return tuple_part(expression, item, part, context);
        return nullptr;
    }
    case TypeId::Map:
        if (part == "keys")
            return Expression::call("mapKeys", {expression}, context);
        if (part == "values")
            return Expression::call("mapValues", {expression}, context);
        if (part == "size0")
            return Expression::call("length", {expression}, context);
        return nullptr;
    case TypeId::String:
        return part == "size" ? Expression::call("length", {expression}, context) : nullptr;
    default:
        return nullptr;
    }
}

ExpressionPtr cast_to(const ExpressionPtr& expression, const TypePtr& type,
                      const QueryContext& context)
{
    if (same_type(expression->type(), type))
        return expression;
    return Expression::call(
        "CAST",
        {expression, Expression::constant(simple_type(TypeId::String), Value(type->name()))},
        context);
}

std::vector<std::string> near_names(std::string_view name, const std::vector<std::string>& known)
{
    constexpr size_t kMaxHints = 3;
    auto lower = [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; };
    const size_t limit = name.size() < 4 ? 1 : 2;
    std::vector<std::pair<size_t, std::string>> found;
    std::vector<size_t> row;
    for (const std::string& candidate : known)
    {
        const size_t difference = candidate.size() > name.size() ? candidate.size() - name.size()
                                                                 : name.size() - candidate.size();
        if (difference > limit || candidate.size() > 256)
            continue;
        row.resize(candidate.size() + 1);
        for (size_t j = 0; j <= candidate.size(); ++j)
            row[j] = j;
        for (size_t i = 0; i < name.size(); ++i)
        {
            size_t diagonal = row[0];
            row[0] = i + 1;
            for (size_t j = 0; j < candidate.size(); ++j)
            {
                const size_t change = diagonal + (lower(name[i]) != lower(candidate[j]) ? 1 : 0);
                diagonal = row[j + 1];
                row[j + 1] = std::min({change, row[j] + 1, row[j + 1] + 1});
            }
        }
        if (row.back() <= limit)
            found.emplace_back(row.back(), candidate);
    }
    std::stable_sort(found.begin(), found.end());
    std::vector<std::string> result;
    for (size_t i = 0; i < found.size() && i < kMaxHints; ++i)
        result.push_back(found[i].second);
    return result;
}

std::string near_names_text(std::string_view name, const std::vector<std::string>& known)
{
    const auto names = near_names(name, known);
    if (names.empty())
        return {};
    std::string text = " Maybe you meant: [";
    for (size_t i = 0; i < names.size(); ++i)
        text += (i ? ", '" : "'") + names[i] + "'";
    return text + "]";
}

} // namespace basalt
