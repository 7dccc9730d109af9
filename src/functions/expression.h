#pragma once

// Bound expressions: names are resolved, types known, functions chosen. An Expression is an
// immutable tree whose nodes may be shared; ExpressionProgram is what runs it over blocks, with
// equal subexpressions computed once and branches of if/and/or computed only for rows that need
// them.

#include "functions/function.h"
#include "functions/scalar_registry.h"

#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

namespace basalt
{

class Expression;
class ExpressionProgram;
using ExpressionPtr = std::shared_ptr<const Expression>;
using Expressions = std::vector<ExpressionPtr>;

enum class ExpressionKind : uint8_t
{
    Input,    // a column of the block, by name
    Constant, // a literal, a folded subexpression, a scalar subquery's result, a set
    Call,     // function(arguments)
    Lambda,   // parameters -> body; an argument of a higher-order function
};

class Expression
{
public:
    static ExpressionPtr input(std::string name, TypePtr type);
    static ExpressionPtr constant(const TypePtr& type, const Value& value);
    static ExpressionPtr constant_column(ColumnPtr one_row_constant, TypePtr type,
                                         std::string text = "");
    // Resolves the type; folds to a constant when all arguments are constant and the function is
    // deterministic in the query.
    static ExpressionPtr call(ScalarFunctionPtr function, Expressions arguments,
                              const QueryContext& context);
    static ExpressionPtr call(std::string_view function_name, Expressions arguments,
                              const QueryContext& context);
    // Parameters appear in body as inputs of these names (made unique by the binder).
    static ExpressionPtr lambda(std::vector<NamedType> parameters, ExpressionPtr body);

    ExpressionKind kind() const { return kind_; }
    const TypePtr& type() const { return type_; }
    const std::string& name() const { return name_; } // Input: the column; Call: the function
    const ScalarFunctionPtr& function() const { return function_; }
    const Expressions& arguments() const { return arguments_; } // Call
    const ColumnPtr& constant_column() const { return constant_; } // Constant: one row
    const std::vector<NamedType>& parameters() const { return parameters_; } // Lambda
    const ExpressionPtr& body() const { return arguments_[0]; }              // Lambda

    static constexpr size_t kMaxFingerprintBytes = 512;

    bool is_constant() const { return kind_ == ExpressionKind::Constant; }
    bool is_call(std::string_view function_name) const
    {
        return kind_ == ExpressionKind::Call && name_ == function_name;
    }
    // Structural text, equal for equal expressions: "plus(x, 1_UInt8)"; past
    // kMaxFingerprintBytes a 128-bit hash of it. Used for matching keys.
    const std::string& fingerprint() const { return fingerprint_; }
    // Whether the same rows give the same values within a query. In one program equal fingerprints
    // are computed once even when not (rand() = rand(), as in ClickHouse).
    bool deterministic() const { return deterministic_; }

private:
    friend class ExpressionProgram;
    Expression() = default;
    void finish();

    ExpressionKind kind_ = ExpressionKind::Constant;
    TypePtr type_;
    std::string name_;
    ScalarFunctionPtr function_;
    Expressions arguments_;
    ColumnPtr constant_;
    std::vector<NamedType> parameters_;
    std::string fingerprint_;
    bool deterministic_ = true;
};

// Names of the input columns that an expression reads (not lambda parameters), each once.
std::vector<std::string> inputs_of(const Expressions& expressions);
// The conjuncts of a condition: and(a, and(b, c)) -> a, b, c.
Expressions split_conjuncts(const ExpressionPtr& condition);
// A copy with inputs replaced: by name -> expression.
ExpressionPtr replace_inputs(const ExpressionPtr& expression,
                             const std::unordered_map<std::string, ExpressionPtr>& by_name,
                             const QueryContext& context);

// A lambda bound to the block at hand: what a higher-order function receives as its argument.
class LambdaColumn final : public Column
{
public:
    // captured: columns of the outer block that the body reads, by name, `rows` rows each.
    // program: the compiled body; made on the spot when null.
    LambdaColumn(ExpressionPtr lambda, std::vector<NamedColumn> captured, size_t rows,
                 const QueryContext& context,
                 std::shared_ptr<const ExpressionProgram> program = nullptr);

    const Expression& lambda() const { return *lambda_; }
    const TypePtr& result_type() const { return lambda_->body()->type(); }
    size_t parameter_count() const { return lambda_->parameters().size(); }

    // Runs the body on `arguments` (one column per parameter, n values each), where value j
    // belongs to outer row i with offsets[i-1] <= j < offsets[i]: captured columns are
    // replicated by offsets. The result has n values, any form.
    ColumnPtr apply(const Columns& arguments, const PodVector<uint64_t>& offsets) const;

    size_t size() const override { return rows_; }
    size_t byte_size() const override { return 0; }
    MutableColumnPtr clone_empty() const override;
    void append_from(const Column&, size_t) override;
    void append_range(const Column&, size_t, size_t) override;
    void append_default() override;
    void append_value(const Value&) override;
    void remove_last(size_t) override;
    Value value_at(size_t) const override { return Null{}; }
    ColumnPtr filter(const Mask& mask, size_t kept_rows) const override;
    ColumnPtr take(const RowIndexes& rows) const override;
    ColumnPtr slice(size_t begin, size_t count) const override;
    int compare_at(size_t, const Column&, size_t, int) const override { return 0; }
    void hash_into(std::span<uint64_t>) const override {}
    void append_key(size_t, PodVector<char>&) const override {}
    const char* append_from_key(const char* key) override { return key; }

private:
    ExpressionPtr lambda_;
    std::vector<NamedColumn> captured_;
    size_t rows_;
    const QueryContext& context_;
    std::shared_ptr<const ExpressionProgram> program_;
};

// The right side of IN, built once, shared by threads. Rows of one or several key columns.
class ValueSet
{
public:
    virtual ~ValueSet() = default;
    virtual const Types& key_types() const = 0;
    virtual size_t size() const = 0;
    // mask[i] = 1 when the row of keys is in the set. keys already have key_types().
    virtual void contains(const Columns& keys, Mask& mask) const = 0;
    virtual bool has_null() const = 0;
    // The members, one flat column per key, in no particular order: for index pruning.
    virtual const Columns& members() const = 0;
};
std::shared_ptr<const ValueSet> make_value_set(Types key_types, const Columns& members,
                                               MemoryTracker* memory);

// Type Set, one row: how a set reaches the function `in` as its constant second argument.
class SetColumn final : public Column
{
public:
    explicit SetColumn(std::shared_ptr<const ValueSet> set)
        : Column(ColumnForm::Set), set_(std::move(set))
    {
    }
    const ValueSet& set() const { return *set_; }
    const std::shared_ptr<const ValueSet>& set_ptr() const { return set_; }

    size_t size() const override { return 1; }
    size_t byte_size() const override { return 0; }
    MutableColumnPtr clone_empty() const override;
    void append_from(const Column&, size_t) override;
    void append_range(const Column&, size_t, size_t) override;
    void append_default() override;
    void append_value(const Value&) override;
    void remove_last(size_t) override;
    Value value_at(size_t) const override { return Null{}; }
    ColumnPtr filter(const Mask&, size_t) const override;
    ColumnPtr take(const RowIndexes&) const override;
    ColumnPtr slice(size_t, size_t) const override;
    int compare_at(size_t, const Column&, size_t, int) const override { return 0; }
    void hash_into(std::span<uint64_t>) const override {}
    void append_key(size_t, PodVector<char>&) const override {}
    const char* append_from_key(const char* key) override { return key; }

private:
    std::shared_ptr<const ValueSet> set_;
};

// Compiled form of several expressions over blocks with the same column names. Immutable; run()
// may be called from several threads at once.
class ExpressionProgram
{
public:
    // short_circuit: SETTINGS short_circuit_function_evaluation.
    ExpressionProgram(Expressions roots, const QueryContext& context);
    ~ExpressionProgram();

    const Expressions& roots() const { return roots_; }
    const std::vector<std::string>& inputs() const { return inputs_; }

    // One column per root, each with block.rows() rows, any form. Columns of the block are found
    // by name; a missing one is a bug.
    Columns run(const Block& block) const;
    Columns run(const Block& block, const QueryContext& context) const;

private:
    struct Step;
    class Compiler;
    class Run;
    Expressions roots_;
    std::vector<std::string> inputs_;
    std::vector<Step> steps_; // arguments before their users
    std::vector<uint32_t> root_steps_;
    const QueryContext* context_;
};

// A condition's column as a mask: non-zero and not NULL. Any form, any numeric type; throws
// ILLEGAL_TYPE_OF_COLUMN_FOR_FILTER otherwise. Returns the number of kept rows.
size_t column_to_mask(const ColumnPtr& column, const TypePtr& type, Mask& mask);

} // namespace basalt
