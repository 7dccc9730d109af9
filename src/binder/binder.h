#pragma once

// Scalar syntax to bound expressions: literals, identifiers, functions, lambdas, IN with lists.
// ExpressionBinder does what needs no query around it; the analyzer derives from it and adds
// columns of joined tables, aliases, aggregates, window functions and subqueries. Not thread-safe:
// one binder is used by one thread.

#include "columns/block.h"
#include "functions/expression.h"
#include "sql/ast_expression.h"

#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace basalt
{

// Nested expressions deeper than this are refused (TOO_DEEP_RECURSION).
inline constexpr size_t kMaxBindDepth = 2500;
// Aliases and lambdas used as functions may not expand to more than this many calls of bind().
inline constexpr size_t kMaxBoundNodes = 5'000'000;

class ExpressionBinder
{
public:
    explicit ExpressionBinder(const QueryContext& context) : context_(context) {}
    virtual ~ExpressionBinder() = default;
    ExpressionBinder(const ExpressionBinder&) = delete;
    ExpressionBinder& operator=(const ExpressionBinder&) = delete;

    // Throws UNKNOWN_IDENTIFIER (47), UNKNOWN_FUNCTION (46), and what functions throw on their
    // argument types.
    ExpressionPtr bind(const Ast& ast);

    const QueryContext& context() const { return context_; }

protected:
    // The expression that a name stands for, or null. Compound names may carry qualifiers and
    // subcolumns.
    virtual ExpressionPtr resolve_identifier(const AstIdentifier& identifier) = 0;
    // Calls that are no scalar functions (aggregates, windows, grouping, user-defined); null
    // leaves the call to the scalar functions.
    virtual ExpressionPtr bind_special_call(const AstFunction& call) { return nullptr; }
    // (SELECT …) used as a value, and EXISTS. The default says that they are not allowed here.
    virtual ExpressionPtr bind_subquery(const AstSubquery& subquery);
    virtual ExpressionPtr bind_exists(const AstFunction& call);
    // The right side of IN as a set, when it is a subquery or the name of a table; null when it
    // is neither. `left` gives the types that the members are converted to.
    virtual ExpressionPtr bind_query_set(const ExpressionPtr& left, const Ast& right);
    // A node with an alias; the default binds it as if it had none, by bind_node().
    virtual ExpressionPtr bind_aliased(const Ast& ast) { return bind_node(ast); }
    ExpressionPtr bind_node(const Ast& ast);
    // A lambda that a name stands for (WITH x -> x + 1 AS f), or null.
    virtual const AstLambda* find_lambda(std::string_view name) { return nullptr; }
    // Nodes that stand for several expressions in an argument list: count(*), f(COLUMNS(…)).
    // Appends them and returns true, or returns false for other nodes.
    virtual bool expand_argument(const Ast& argument, AstList& out) { return false; }
    // For messages: " In scope SELECT …" or empty.
    virtual std::string scope_text() const { return {}; }
    virtual std::vector<std::string> known_names() const { return {}; }

    [[noreturn]] void throw_unknown_identifier(const AstIdentifier& identifier) const;

    // Runs `f` without the lambda parameters of the place at hand: an alias is bound where it
    // stands, not where it is used.
    template <class F> auto outside_lambdas(F&& f)
    {
        std::vector<LambdaScope> saved;
        saved.swap(lambdas_);
        struct Restore
        {
            std::vector<LambdaScope>& to;
            std::vector<LambdaScope>& from;
            ~Restore() { to.swap(from); }
        } restore{lambdas_, saved};
        return f();
    }
    bool inside_lambda() const { return !lambdas_.empty(); }

    ExpressionPtr bind_scalar_call(const AstFunction& call);
    ExpressionPtr bind_in(const AstFunction& call);

    const QueryContext& context_;

private:
    struct LambdaScope
    {
        std::map<std::string, ExpressionPtr, std::less<>> parameters;
    };

    ExpressionPtr bind_identifier(const AstIdentifier& identifier);
    ExpressionPtr bind_function(const AstFunction& call);
    ExpressionPtr bind_lambda_call(const AstFunction& call, const AstLambda& lambda);
    ExpressionPtr bind_lambda(const AstLambda& lambda, const Types& types);
    ExpressionPtr bind_higher_order(ScalarFunctionPtr function, const AstList& arguments);
    ExpressionPtr bind_case(const AstFunction& call);
    const AstLambda* as_lambda(const Ast& ast);
    ExpressionPtr bind_literal_set(const ExpressionPtr& left, const Ast& right);

    std::vector<LambdaScope> lambdas_;
    size_t depth_ = 0;
    size_t bound_nodes_ = 0;
};

// Over the columns of one table: for keys, defaults, TTL, constraints, indexes. Column names are
// used as they are; a qualifier that equals one of `qualifiers` is dropped.
class TableBinder : public ExpressionBinder
{
public:
    TableBinder(const QueryContext& context, const Header& columns,
                std::vector<std::string> qualifiers = {});

protected:
    ExpressionPtr resolve_identifier(const AstIdentifier& identifier) override;
    std::vector<std::string> known_names() const override;

private:
    std::map<std::string, TypePtr, std::less<>> columns_;
    std::vector<std::string> qualifiers_;
};

ExpressionPtr bind_expression(const Ast& ast, const Header& columns, const QueryContext& context);

// The value of an expression that must be constant; BAD_ARGUMENTS naming `what` otherwise.
struct ConstantValue
{
    Value value;
    TypePtr type;
};
ConstantValue bind_constant(const Ast& ast, const QueryContext& context, std::string_view what);

// Value of a literal; arrays and tuples of literals fold too. False for other nodes.
bool literal_value(const Ast& ast, Value& out);
// As the type of the literal 1 is UInt8; Bool for true.
TypePtr literal_type(const AstLiteral& literal);

// `expression` as `type`: itself when it has that type already, else CAST.
ExpressionPtr cast_to(const ExpressionPtr& expression, const TypePtr& type,
                      const QueryContext& context);

// A part of a value: an element of a tuple, size0 of an array, null of a Nullable, keys and values
// of a map. Null when the type has no such part.
ExpressionPtr subcolumn_of(const ExpressionPtr& expression, const std::string& part,
                           const QueryContext& context);
// "arr.size0" over columns known by `find` (name -> expression or null): the longest prefix that
// is a column, then its parts. Null when nothing fits.
class ColumnLookup
{
public:
    virtual ~ColumnLookup() = default;
    virtual ExpressionPtr find(const std::string& name) const = 0;
};
ExpressionPtr resolve_with_subcolumns(const std::vector<std::string>& parts, size_t first,
                                      const ColumnLookup& columns, const QueryContext& context);

// The set of IN from member columns of any type; key types come from the left side. Members that
// do not convert exactly, and NULLs, are left out. text: tells the set from others. The set is
// charged to the query unless it outlives it.
ExpressionPtr make_set_expression(const ExpressionPtr& left, const Columns& members,
                                  const Types& member_types, const QueryContext& context,
                                  const std::string& text, bool outlives_query = false);
// The types that a set must have for this left side: elements of a tuple, without LowCardinality,
// and without Nullable for a single key.
Types set_key_types(const TypePtr& left);

// Names at a small edit distance from `name`, nearest first, at most three.
std::vector<std::string> near_names(std::string_view name, const std::vector<std::string>& known);
// " Maybe you meant: ['a', 'b']" or empty.
std::string near_names_text(std::string_view name, const std::vector<std::string>& known);

// Puts the values of {name:Type} into the tree (identifiers in place of {x:Identifier}). Throws
// UNKNOWN_QUERY_PARAMETER (456) and BAD_QUERY_PARAMETER (457).
using QueryParameters = std::map<std::string, std::string>;
void substitute_parameters(AstPtr& ast, const QueryParameters& parameters,
                           const QueryContext& context);

} // namespace basalt
