#include "planner/explain_tree.h"

#include <fmt/format.h>

namespace basalt
{

namespace
{

struct Infix
{
    const char* function;
    const char* text;
    int strength; // binds stronger than those of a lower one
};

constexpr int kOr = 1, kAnd = 2, kNot = 3, kComparison = 4, kSum = 5, kProduct = 6, kWhole = 9;

constexpr Infix kInfixes[] = {
    {"or", "OR", kOr},
    {"and", "AND", kAnd},
    {"equals", "=", kComparison},
    {"notEquals", "!=", kComparison},
    {"less", "<", kComparison},
    {"greater", ">", kComparison},
    {"lessOrEquals", "<=", kComparison},
    {"greaterOrEquals", ">=", kComparison},
    {"like", "LIKE", kComparison},
    {"ilike", "ILIKE", kComparison},
    {"notLike", "NOT LIKE", kComparison},
    {"notILike", "NOT ILIKE", kComparison},
    {"in", "IN", kComparison},
    {"notIn", "NOT IN", kComparison},
    {"globalIn", "GLOBAL IN", kComparison},
    {"plus", "+", kSum},
    {"minus", "-", kSum},
    {"multiply", "*", kProduct},
    {"divide", "/", kProduct},
    {"modulo", "%", kProduct},
};

const Infix* find_infix(const std::string& function)
{
    for (const auto& infix : kInfixes)
        if (function == infix.function)
            return &infix;
    return nullptr;
}

std::string text_of(const Expression& expression, int outer);

std::string constant_text(const Expression& expression)
{
    const std::string& known = expression.fingerprint();
    if (expression.type()->is(TypeId::Set))
        return known;
    if (strip_wrappers(expression.type())->is_number())
        return expression.constant_column()->value_at(0).to_text();
    const Value value = expression.constant_column()->value_at(0);
    if (value.get_if<std::string>() || value.is_null())
        return value.to_text();
    return known;
}

std::string call_text(const Expression& call, int outer)
{
    const Infix* infix = find_infix(call.name());
    std::string text;
    if (infix && call.arguments().size() >= 2)
    {
        for (const auto& argument : call.arguments())
            text += (text.empty() ? "" : fmt::format(" {} ", infix->text)) +
                    text_of(*argument, infix->strength + (infix->strength > kAnd));
        return infix->strength < outer ? "(" + text + ")" : text;
    }
    if (call.name() == "not" && call.arguments().size() == 1)
    {
        text = "NOT " + text_of(*call.arguments()[0], kNot);
        return kNot < outer ? "(" + text + ")" : text;
    }
    for (const auto& argument : call.arguments())
        text += (text.empty() ? "" : ", ") + text_of(*argument, 0);
    return call.name() + "(" + text + ")";
}

std::string text_of(const Expression& expression, int outer)
{
    switch (expression.kind())
    {
    case ExpressionKind::Input:
        return column_without_table(expression.name());
    case ExpressionKind::Constant:
        return constant_text(expression);
    case ExpressionKind::Call:
        return call_text(expression, outer);
    case ExpressionKind::Lambda:
    {
        std::string names;
        for (const auto& parameter : expression.parameters())
            names += (names.empty() ? "" : ", ") + parameter.name;
        return fmt::format("({}) -> {}", names, text_of(*expression.body(), kWhole));
    }
    }
    return {};
}

} // namespace

std::string column_without_table(const std::string& name)
{
    constexpr std::string_view kTable = "__table";
    std::string text;
    for (size_t i = 0; i < name.size();)
    {
        size_t end = i + kTable.size();
        if (name.compare(i, kTable.size(), kTable) == 0)
        {
            while (end < name.size() && name[end] >= '0' && name[end] <= '9')
                ++end;
            if (end < name.size() && name[end] == '.' && end > i + kTable.size())
            {
                i = end + 1;
                continue;
            }
        }
        text += name[i++];
    }
    return text;
}

std::string expression_as_sql(const Expression& expression)
{
    return text_of(expression, 0);
}

} // namespace basalt
