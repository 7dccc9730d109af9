#include "functions/expression.h"

#include "base/error.h"
#include "codecs/hash.h"

#include <fmt/format.h>

#include <algorithm>
#include <unordered_set>

namespace basalt
{

namespace
{

std::string bounded_fingerprint(std::string text)
{
    if (text.size() <= Expression::kMaxFingerprintBytes)
        return text;
    const Hash128 hash = sip_hash128(text);
    return fmt::format("#{:016x}{:016x}", hash.high, hash.low);
}

Arguments arguments_for_types(const Expressions& expressions)
{
    Arguments arguments;
    arguments.reserve(expressions.size());
    for (const auto& expression : expressions)
        arguments.push_back({expression->is_constant() ? expression->constant_column() : nullptr,
                             expression->type()});
    return arguments;
}

} // namespace

void Expression::finish()
{
    switch (kind_)
    {
        case ExpressionKind::Input:
            fingerprint_ = name_;
            break;
        case ExpressionKind::Constant:
            if (fingerprint_.empty())
            {
                const auto& one = column_as<ConstantColumn>(constant_).nested();
                fingerprint_ = one->form() == ColumnForm::Set ||
                                       one->form() == ColumnForm::AggregateState
                                   ? fmt::format("{}@{}", type_->name(),
                                                 static_cast<const void*>(one.get()))
                                   : one->value_at(0).to_text() + "_" + type_->name();
            }
            break;
        case ExpressionKind::Call:
        case ExpressionKind::Lambda:
        {
            std::string text = name_ + "(";
            for (size_t i = 0; i < parameters_.size(); ++i)
                text += (i ? ", " : "") + parameters_[i].name;
            if (kind_ == ExpressionKind::Lambda)
                text += ") -> (";
            deterministic_ = !function_ || function_->deterministic_in_query();
            for (size_t i = 0; i < arguments_.size(); ++i)
            {
                text += (i ? ", " : "") + arguments_[i]->fingerprint_;
                deterministic_ = deterministic_ && arguments_[i]->deterministic_;
            }
            fingerprint_ = text + ")";
            break;
        }
    }
    fingerprint_ = bounded_fingerprint(std::move(fingerprint_));
}

ExpressionPtr Expression::input(std::string name, TypePtr type)
{
    auto made = std::shared_ptr<Expression>(new Expression());
    made->kind_ = ExpressionKind::Input;
    made->name_ = std::move(name);
    made->type_ = std::move(type);
    made->finish();
    return made;
}

ExpressionPtr Expression::constant(const TypePtr& type, const Value& value)
{
    return constant_column(make_constant(type, value, 1), type);
}

ExpressionPtr Expression::constant_column(ColumnPtr one_row_constant, TypePtr type,
                                          std::string text)
{
    auto made = std::shared_ptr<Expression>(new Expression());
    made->kind_ = ExpressionKind::Constant;
    if (!basalt::is_constant(*one_row_constant))
        one_row_constant = std::make_shared<ConstantColumn>(to_flat(one_row_constant), 1);
    made->constant_ = std::move(one_row_constant);
    made->type_ = std::move(type);
    made->fingerprint_ = std::move(text);
    made->finish();
    return made;
}

ExpressionPtr Expression::call(ScalarFunctionPtr function, Expressions arguments,
                               const QueryContext& context)
{
    const Arguments for_types = arguments_for_types(arguments);
    TypePtr type = resolve_type(*function, for_types);
    const bool all_constant =
        std::all_of(arguments.begin(), arguments.end(),
                    [](const ExpressionPtr& argument) { return argument->is_constant(); });
    if (all_constant && function->foldable())
    {
        const ColumnPtr result = call_function(*function, for_types, type, 1, context);
        return constant_column(std::make_shared<ConstantColumn>(to_flat(result), 1), type);
    }
    if (const ColumnPtr known = function->constant_result(for_types, type, context))
        return constant_column(std::make_shared<ConstantColumn>(known, 1), type);
    auto made = std::shared_ptr<Expression>(new Expression());
    made->kind_ = ExpressionKind::Call;
    made->name_ = function->name();
    made->function_ = std::move(function);
    made->type_ = std::move(type);
    made->arguments_ = std::move(arguments);
    made->finish();
    return made;
}

ExpressionPtr Expression::call(std::string_view function_name, Expressions arguments,
                               const QueryContext& context)
{
    return call(scalar_functions().get(function_name, context), std::move(arguments), context);
}

ExpressionPtr Expression::lambda(std::vector<NamedType> parameters, ExpressionPtr body)
{
    auto made = std::shared_ptr<Expression>(new Expression());
    made->kind_ = ExpressionKind::Lambda;
    Types types;
    for (const auto& parameter : parameters)
        types.push_back(parameter.type);
    made->type_ = std::make_shared<FunctionType>(std::move(types), body->type());
    made->parameters_ = std::move(parameters);
    made->arguments_.push_back(std::move(body));
    made->finish();
    return made;
}

namespace
{

class InputCollector
{
public:
    void visit(const Expression& expression)
    {
        if (!seen_.insert(&expression).second)
            return;
        if (expression.kind() == ExpressionKind::Input)
        {
            if (found_.insert(expression.name()).second)
                names.push_back(expression.name());
            return;
        }
        for (const auto& parameter : expression.parameters())
            parameters_.insert(parameter.name);
        for (const auto& argument : expression.arguments())
            visit(*argument);
    }
    void drop_parameters()
    {
        std::erase_if(names, [&](const std::string& name) { return parameters_.count(name) > 0; });
    }

    std::vector<std::string> names;

private:
    std::unordered_set<const Expression*> seen_;
    std::unordered_set<std::string> found_;
    std::unordered_set<std::string> parameters_;
};

void split_into(const ExpressionPtr& condition, Expressions& out)
{
    if (!condition->is_call("and"))
    {
        out.push_back(condition);
        return;
    }
    for (const auto& argument : condition->arguments())
        split_into(argument, out);
}

class Replacer
{
public:
    Replacer(const std::unordered_map<std::string, ExpressionPtr>& by_name,
             const QueryContext& context)
        : by_name_(by_name), context_(context)
    {
    }

    ExpressionPtr replace(const ExpressionPtr& expression)
    {
        if (expression->kind() == ExpressionKind::Constant)
            return expression;
        if (expression->kind() == ExpressionKind::Input)
        {
            const auto at = by_name_.find(expression->name());
            return at == by_name_.end() ? expression : at->second;
        }
        if (const auto at = done_.find(expression.get()); at != done_.end())
            return at->second;
        bool changed = false;
        Expressions arguments;
        for (const auto& argument : expression->arguments())
        {
            arguments.push_back(replace(argument));
            changed = changed || arguments.back() != argument;
        }
        ExpressionPtr result = expression;
        if (changed && expression->kind() == ExpressionKind::Lambda)
            result = Expression::lambda(expression->parameters(), arguments[0]);
        else if (changed)
            result = Expression::call(expression->function(), std::move(arguments), context_);
        done_.emplace(expression.get(), result);
        return result;
    }

private:
    const std::unordered_map<std::string, ExpressionPtr>& by_name_;
    const QueryContext& context_;
    std::unordered_map<const Expression*, ExpressionPtr> done_;
};

} // namespace

std::vector<std::string> inputs_of(const Expressions& expressions)
{
    InputCollector collector;
    for (const auto& expression : expressions)
        collector.visit(*expression);
    collector.drop_parameters();
    return std::move(collector.names);
}

Expressions split_conjuncts(const ExpressionPtr& condition)
{
    Expressions conjuncts;
    split_into(condition, conjuncts);
    return conjuncts;
}

ExpressionPtr replace_inputs(const ExpressionPtr& expression,
                             const std::unordered_map<std::string, ExpressionPtr>& by_name,
                             const QueryContext& context)
{
    return Replacer(by_name, context).replace(expression);
}

} // namespace basalt
