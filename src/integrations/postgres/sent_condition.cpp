#include "integrations/postgres/foreign_table.h"

#include "columns/serialization.h"

#include <fmt/core.h>

namespace basalt::pg
{

namespace
{

// What comparisons with constants mean the same on both sides.
enum class Comparable : uint8_t
{
    Nothing,
    Integers, // any comparison
    Texts,    // equality: order depends on collations, and padded characters are not texts
    Uuids,    // equality: the order of ours is another
};

Comparable comparable(const SourceColumn& column)
{
    if (column.type.array_depth > 0 || column.type.is_enum)
        return Comparable::Nothing;
    switch (column.type.oid)
    {
    case 20:
    case 21:
    case 23:
        return Comparable::Integers;
    case 25:
    case 1043:
        return Comparable::Texts;
    case 2950:
        return Comparable::Uuids;
    default:
        return Comparable::Nothing;
    }
}

const SourceColumn* column_of(const Expression& expression, const SourceTable& source)
{
    if (expression.kind() != ExpressionKind::Input)
        return nullptr;
    for (const SourceColumn& column : source.columns)
        if (column.name == expression.name())
            return &column;
    return nullptr;
}

// A constant as PostgreSQL reads it for such a column; empty if it has no such form.
std::string literal(Comparable kind, const Value& value, const TypePtr& type)
{
    const TypePtr bare = strip_wrappers(type);
    switch (kind)
    {
    case Comparable::Integers:
        if (!bare->is_integer() || bare->is(TypeId::Bool))
            return {};
        // As integers, or an index would not serve.
        if (const auto* number = value.get_if<uint64_t>())
            return fmt::format("'{}'::{}", *number, *number > INT64_MAX ? "numeric" : "int8");
        if (const auto* number = value.get_if<int64_t>())
            return fmt::format("'{}'::int8", *number);
        return {};
    case Comparable::Texts:
        if (const auto* text = value.get_if<std::string>();
            text && bare->is(TypeId::String) && text->find('\0') == std::string::npos)
            return quote_text(*text) + "::text";
        return {};
    case Comparable::Uuids:
    {
        if (!bare->is(TypeId::UUID))
            return {};
        const auto column = bare->create_column();
        column->append_value(value);
        return quote_text(value_text(*column, 0, bare)) + "::uuid";
    }
    default:
        return {};
    }
}

const char* operator_of(const std::string& function)
{
    if (function == "equals")
        return "=";
    if (function == "notEquals")
        return "<>";
    if (function == "less")
        return "<";
    if (function == "lessOrEquals")
        return "<=";
    if (function == "greater")
        return ">";
    if (function == "greaterOrEquals")
        return ">=";
    return nullptr;
}

const char* mirrored(const std::string& sign)
{
    if (sign == "<")
        return ">";
    if (sign == "<=")
        return ">=";
    if (sign == ">")
        return "<";
    if (sign == ">=")
        return "<=";
    return sign == "=" ? "=" : "<>";
}

std::string comparison(const Expression& call, const SourceTable& source)
{
    const char* sign = operator_of(call.name());
    if (!sign || call.arguments().size() != 2)
        return {};
    const Expression* left = call.arguments()[0].get();
    const Expression* right = call.arguments()[1].get();
    if (left->is_constant())
    {
        std::swap(left, right);
        sign = mirrored(sign);
    }
    const SourceColumn* column = column_of(*left, source);
    if (!column || !right->is_constant())
        return {};
    const Comparable kind = comparable(*column);
    const bool is_equality = std::string_view(sign) == "=";
    if (!is_equality && kind != Comparable::Integers)
        return {};
    const Value value = right->constant_column()->value_at(0);
    if (value.is_null())
        return {};
    const std::string constant = literal(kind, value, right->type());
    return constant.empty() ? std::string()
                            : fmt::format("{} {} {}", quote_name(column->name), sign, constant);
}

std::string membership(const Expression& call, const SourceTable& source)
{
    if (call.name() != "in" || call.arguments().size() != 2)
        return {};
    const SourceColumn* column = column_of(*call.arguments()[0], source);
    const Expression& right = *call.arguments()[1];
    if (!column || !right.is_constant())
        return {};
    ColumnPtr constant = right.constant_column();
    if (is_constant(*constant))
        constant = column_as<ConstantColumn>(constant).nested();
    if (constant->form() != ColumnForm::Set)
        return {};
    const ValueSet& set = column_as<SetColumn>(constant).set();
    if (set.key_types().size() != 1 || set.size() == 0 || set.size() > kMaxSentMembers ||
        set.has_null())
        return {};
    std::string list;
    for (size_t i = 0; i < set.size(); ++i)
    {
        const std::string member =
            literal(comparable(*column), set.members()[0]->value_at(i), set.key_types()[0]);
        if (member.empty())
            return {};
        list += (i ? ", " : "") + member;
    }
    return fmt::format("{} IN ({})", quote_name(column->name), list);
}

std::string null_test(const Expression& call, const SourceTable& source)
{
    if ((call.name() != "isNull" && call.name() != "isNotNull") || call.arguments().size() != 1)
        return {};
    const SourceColumn* column = column_of(*call.arguments()[0], source);
    if (!column || column->type.array_depth > 0)
        return {};
    return quote_name(column->name) + (call.name() == "isNull" ? " IS NULL" : " IS NOT NULL");
}

} // namespace

std::string sent_condition(const ExpressionPtr& condition, const SourceTable& source,
                           bool& complete)
{
    complete = true;
    std::string sql;
    if (!condition)
        return sql;
    for (const ExpressionPtr& part : split_conjuncts(condition))
    {
        std::string sent;
        if (part->kind() == ExpressionKind::Call)
            for (const auto translate : {comparison, membership, null_test})
                if (sent.empty())
                    sent = translate(*part, source);
        if (sent.empty())
            complete = false;
        else
            sql += (sql.empty() ? "" : " AND ") + sent;
    }
    return sql;
}

} // namespace basalt::pg
