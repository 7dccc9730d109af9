#include "binder/binder.h"

#include "columns/serialization.h"
#include "sql/formatter.h"

#include <fmt/format.h>

namespace basalt
{

ExpressionPtr ExpressionBinder::bind(const Ast& ast)
{
    struct Depth
    {
        size_t& depth;
        explicit Depth(size_t& d) : depth(d) { ++depth; }
        ~Depth() { --depth; }
    } depth(depth_);
    if (depth_ > kMaxBindDepth)
        throw Error(error_codes::TOO_DEEP_RECURSION,
                    fmt::format("Expression is nested deeper than {} levels", kMaxBindDepth));
    if (++bound_nodes_ > kMaxBoundNodes)
        throw Error(error_codes::TOO_BIG_AST,
                    fmt::format("Expression grows beyond {} nodes when its aliases are expanded",
                                kMaxBoundNodes));
    return ast.alias.empty() ? bind_node(ast) : bind_aliased(ast);
}

ExpressionPtr ExpressionBinder::bind_node(const Ast& ast)
{
    switch (ast.kind)
    {
    case AstKind::Literal:
    {
        Value value;
        literal_value(ast, value);
        return Expression::constant(literal_type(*ast.as<AstLiteral>()), value);
    }
    case AstKind::Identifier:
        return bind_identifier(*ast.as<AstIdentifier>());
    case AstKind::Function:
        return bind_function(*ast.as<AstFunction>());
    case AstKind::Subquery:
        return bind_subquery(*ast.as<AstSubquery>());
    case AstKind::Lambda:
        throw Error(error_codes::BAD_ARGUMENTS,
                    fmt::format("Lambda {} is not allowed in expression context.{}",
                                format_query(ast), scope_text()));
    case AstKind::QueryParameter:
        throw Error(error_codes::UNKNOWN_QUERY_PARAMETER,
                    fmt::format("Substitution `{}` is not set",
                                ast.as<AstQueryParameter>()->name));
    case AstKind::Asterisk:
    case AstKind::ColumnsMatcher:
        throw Error(error_codes::UNSUPPORTED_METHOD,
                    fmt::format("Matcher {} is not allowed here.{}", format_query(ast),
                                scope_text()));
    default:
        throw Error(error_codes::BAD_ARGUMENTS,
                    fmt::format("{} is not an expression.{}", format_query(ast), scope_text()));
    }
}

namespace
{

// Functions that the SQL standard and MySQL call by their bare names, in any case, where no column
// has the name.
std::optional<std::string> function_without_parentheses(const std::string& name)
{
    static constexpr std::string_view kNames[] = {
        "now",       "today",          "curdate",   "current_date", "current_timestamp",
        "localtime", "localtimestamp", "user",      "current_user", "session_user",
        "database",  "current_database"};
    std::string lower;
    for (const char c : name)
        lower += c >= 'A' && c <= 'Z' ? static_cast<char>(c | 0x20) : c;
    for (const std::string_view known : kNames)
        if (lower == known && scalar_functions().exists(lower))
            return lower;
    return std::nullopt;
}

} // namespace

ExpressionPtr ExpressionBinder::bind_identifier(const AstIdentifier& identifier)
{
    for (auto scope = lambdas_.rbegin(); scope != lambdas_.rend(); ++scope)
    {
        auto it = scope->parameters.find(identifier.parts[0]);
        if (it == scope->parameters.end())
            continue;
        ExpressionPtr result = it->second;
        for (size_t i = 1; i < identifier.parts.size() && result; ++i)
            result = subcolumn_of(result, identifier.parts[i], context_);
        if (!result)
            throw_unknown_identifier(identifier);
        return result;
    }
    if (auto found = resolve_identifier(identifier))
        return found;
    if (identifier.parts.size() == 1)
        if (const auto function = function_without_parentheses(identifier.parts[0]))
            return Expression::call(*function, {}, context_);
    throw_unknown_identifier(identifier);
}

void ExpressionBinder::throw_unknown_identifier(const AstIdentifier& identifier) const
{
    const std::string scope = scope_text();
    throw Error(error_codes::UNKNOWN_IDENTIFIER,
                fmt::format("Unknown expression identifier `{}`{}.{}", identifier.full_name(),
                            scope.empty() ? std::string() : " in scope " + scope.substr(10),
                            near_names_text(identifier.full_name(), known_names())));
}

ExpressionPtr ExpressionBinder::bind_function(const AstFunction& call)
{
    if (!call.is_window)
    {
        const std::string& name = call.name;
        if (name == "in" || name == "notIn" || name == "globalIn" || name == "globalNotIn" ||
            name == "nullIn" || name == "notNullIn" || name == "globalNullIn" ||
            name == "globalNotNullIn")
            return bind_in(call);
        if ((name == "exists" || name == "EXISTS") && call.arguments.size() == 1 &&
            call.arguments[0]->kind == AstKind::Subquery)
            return bind_exists(call);
        if (const AstLambda* lambda = find_lambda(name))
            return bind_lambda_call(call, *lambda);
        if (name == "caseWithExpression" && call.arguments.size() >= 3)
            return bind_case(call);
    }
    if (auto special = bind_special_call(call))
        return special;
    return bind_scalar_call(call);
}

ExpressionPtr ExpressionBinder::bind_scalar_call(const AstFunction& call)
{
    if (call.is_window)
        throw Error(error_codes::UNKNOWN_AGGREGATE_FUNCTION,
                    fmt::format("Aggregate function with name `{}` does not exist.{}", call.name,
                                scope_text()));
    auto function = scalar_functions().find(call.name, context_);
    if (!function)
    {
        std::vector<std::string> names;
        for (const auto& entry : scalar_functions().entries())
            names.push_back(entry.name);
        throw Error(error_codes::UNKNOWN_FUNCTION,
                    fmt::format("Function with name `{}` does not exist.{}{}", call.name,
                                scope_text(), near_names_text(call.name, names)));
    }
    if (call.has_parameters)
        throw Error(error_codes::FUNCTION_CANNOT_HAVE_PARAMETERS,
                    fmt::format("Function {} is not parametric.{}", call.name, scope_text()));

    AstList expanded;
    bool expands = false;
    for (const AstPtr& argument : call.arguments)
    {
        const size_t before = expanded.size();
        if (expand_argument(*argument, expanded))
            expands = true;
        else
        {
            expanded.resize(before);
            expanded.push_back(argument);
        }
    }
    const AstList& arguments = expands ? expanded : call.arguments;
    if (function->takes_lambda())
        for (const AstPtr& argument : arguments)
            if (as_lambda(*argument))
                return bind_higher_order(std::move(function), arguments);

    Expressions bound;
    bound.reserve(arguments.size());
    for (const AstPtr& argument : arguments)
        bound.push_back(bind(*argument));
    return Expression::call(std::move(function), std::move(bound), context_);
}

const AstLambda* ExpressionBinder::as_lambda(const Ast& ast)
{
    if (ast.kind == AstKind::Lambda)
        return ast.as<AstLambda>();
    if (const auto* identifier = ast.as<AstIdentifier>())
        if (identifier->parts.size() == 1)
            return find_lambda(identifier->parts[0]);
    return nullptr;
}

ExpressionPtr ExpressionBinder::bind_higher_order(ScalarFunctionPtr function,
                                                  const AstList& arguments)
{
    Expressions bound(arguments.size());
    Arguments known(arguments.size());
    for (size_t i = 0; i < arguments.size(); ++i)
    {
        if (const AstLambda* lambda = as_lambda(*arguments[i]))
        {
            Types unknown(lambda->parameters.size(), simple_type(TypeId::Nothing));
            known[i].type = std::make_shared<FunctionType>(std::move(unknown), nullptr);
            continue;
        }
        bound[i] = bind(*arguments[i]);
        known[i].type = bound[i]->type();
        if (bound[i]->is_constant())
            known[i].column = bound[i]->constant_column();
    }
    const std::vector<Types> lambda_types = function->lambda_argument_types(known);
    for (size_t i = 0, lambda_index = 0; i < arguments.size(); ++i)
    {
        const AstLambda* lambda = as_lambda(*arguments[i]);
        if (!lambda)
            continue;
        // One entry per argument, or one per lambda: functions take either.
        const size_t at = lambda_types.size() == arguments.size() ? i : lambda_index;
        ++lambda_index;
        if (at >= lambda_types.size())
            throw Error(error_codes::ILLEGAL_TYPE_OF_ARGUMENT,
                        fmt::format("Argument {} of function {} cannot be a lambda", i + 1,
                                    function->name()));
        bound[i] = bind_lambda(*lambda, lambda_types[at]);
    }
    return Expression::call(std::move(function), std::move(bound), context_);
}

ExpressionPtr ExpressionBinder::bind_lambda(const AstLambda& lambda, const Types& types)
{
    Types parameter_types = types;
    // One array of tuples may be taken apart by a lambda of several parameters.
    if (lambda.parameters.size() != types.size())
        throw Error(error_codes::BAD_ARGUMENTS,
                    fmt::format("Function expects {} arguments of a lambda, but {} has {}.{}",
                                types.size(), format_query(lambda), lambda.parameters.size(),
                                scope_text()));
    std::vector<NamedType> parameters;
    LambdaScope scope;
    for (size_t i = 0; i < parameter_types.size(); ++i)
    {
        // Named by depth and place, so that equal lambdas are equal expressions; an inner lambda
        // of the same depth (through an alias) shadows, as it must.
        std::string name = fmt::format("__lambda_{}_{}", lambdas_.size(), i);
        scope.parameters[lambda.parameters[i]] = Expression::input(name, parameter_types[i]);
        parameters.push_back({std::move(name), parameter_types[i]});
    }
    lambdas_.push_back(std::move(scope));
    struct Pop
    {
        std::vector<LambdaScope>& lambdas;
        ~Pop() { lambdas.pop_back(); }
    } pop{lambdas_};
    return Expression::lambda(std::move(parameters), bind(*lambda.body));
}

ExpressionPtr ExpressionBinder::bind_lambda_call(const AstFunction& call, const AstLambda& lambda)
{
    if (call.arguments.size() != lambda.parameters.size())
        throw Error(error_codes::BAD_ARGUMENTS,
                    fmt::format("Lambda {} expects {} arguments, but {} are given.{}",
                                format_query(lambda), lambda.parameters.size(),
                                call.arguments.size(), scope_text()));
    LambdaScope scope;
    for (size_t i = 0; i < call.arguments.size(); ++i)
        scope.parameters[lambda.parameters[i]] = bind(*call.arguments[i]);
    // The body may hold lambdas of its own, whose parameters are named by depth: it is bound
    // deeper than every lambda in the arguments' reach.
    lambdas_.push_back(std::move(scope));
    struct Pop
    {
        std::vector<LambdaScope>& lambdas;
        ~Pop() { lambdas.pop_back(); }
    } pop{lambdas_};
    return bind(*lambda.body);
}

ExpressionPtr ExpressionBinder::bind_case(const AstFunction& call)
{
    // CASE x WHEN a THEN r … ELSE e: the comparisons in order.
    const ExpressionPtr subject = bind(*call.arguments[0]);
    Expressions branches;
    size_t i = 1;
    for (; i + 1 < call.arguments.size(); i += 2)
    {
        branches.push_back(
            Expression::call("equals", {subject, bind(*call.arguments[i])}, context_));
        branches.push_back(bind(*call.arguments[i + 1]));
    }
    if (i < call.arguments.size())
        branches.push_back(bind(*call.arguments[i]));
    else
        branches.push_back(
            Expression::constant(type_of_value(Value(Null{})), Value(Null{})));
    return Expression::call("multiIf", std::move(branches), context_);
}

ExpressionPtr ExpressionBinder::bind_subquery(const AstSubquery&)
{
    throw Error(error_codes::UNSUPPORTED_METHOD, "A subquery is not allowed in this expression");
}

ExpressionPtr ExpressionBinder::bind_exists(const AstFunction&)
{
    throw Error(error_codes::UNSUPPORTED_METHOD, "EXISTS is not allowed in this expression");
}

ExpressionPtr ExpressionBinder::bind_query_set(const ExpressionPtr&, const Ast& right)
{
    if (right.kind == AstKind::Subquery)
        throw Error(error_codes::UNSUPPORTED_METHOD,
                    "IN with a subquery is not allowed in this expression");
    return nullptr;
}

} // namespace basalt
