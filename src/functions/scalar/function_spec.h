#pragma once

// Scalar functions as table entries: name, argument signature, result type, kernel. Most functions
// need no class of their own.
//
// Signature: one token per argument. Letters of a token are alternatives:
//   s String, FixedString   e Enum            i integer to 64 bits (Bool too)   I any integer
//   n number of any kind    f Float           a Array     m Map      t Tuple
//   d Date, Date32          D DateTime, DateTime64        v Interval
//   u UUID  4 IPv4  6 IPv6  l lambda          * anything
// "!" after them: must be constant. "[" opens the optional arguments. "..." at the end repeats the
// last token. A NULL literal (type Nothing) passes every token.

#include "functions/function.h"
#include "functions/scalar_registry.h"

#include <optional>
#include <string_view>

namespace basalt
{

struct TypeCall
{
    std::string_view name;
    const Arguments& arguments;
    const QueryContext& context;

    const Argument& operator[](size_t i) const { return arguments[i]; }
    size_t size() const { return arguments.size(); }
    const TypePtr& type(size_t i) const { return arguments[i].type; }
};

struct Call
{
    std::string_view name;
    const Arguments& arguments;
    const TypePtr& result_type;
    size_t rows;
    const QueryContext& context;

    const Argument& operator[](size_t i) const { return arguments[i]; }
    size_t size() const { return arguments.size(); }
    const ColumnPtr& column(size_t i) const { return arguments[i].column; }
    const TypePtr& type(size_t i) const { return arguments[i].type; }
};

using TypeRule = TypePtr (*)(const TypeCall& call);
using Kernel = ColumnPtr (*)(const Call& call);

enum FunctionTrait : uint32_t
{
    kKeepNulls = 1,         // default_nulls() is false
    kKeepConstants = 2,     // default_constants() is false
    kInjective = 4,
    kCheap = 8,             // not worth_short_circuit()
    kVolatile = 16,         // deterministic() is false
    kVolatileInQuery = 32,  // deterministic_in_query() is false too
    kCaseInsensitive = 64,  // of the name itself
    kKeepLowCardinality = 128,
    kNoDictionary = 256,
    kIncreasing = 512,      // monotonicity: increasing in its only non-constant argument
};

struct FunctionSpec
{
    std::string_view name;
    std::string_view signature;
    TypeRule type;
    Kernel run;
    uint32_t traits = 0;
    // Other names, separated by spaces; "*" after one: in any case.
    std::string_view aliases = "";
};

// Result types that need no rule of their own.
template <TypeId kId> TypePtr type_is(const TypeCall&)
{
    return simple_type(kId);
}
template <TypeId kId> TypePtr type_is_array_of(const TypeCall&)
{
    return std::make_shared<ArrayType>(simple_type(kId));
}
TypePtr type_of_first(const TypeCall& call);
TypePtr type_of_second(const TypeCall& call);

class SpecFunction : public ScalarFunction
{
public:
    SpecFunction(const FunctionSpec& spec, const QueryContext& context);

    const std::string& name() const override { return name_; }
    TypePtr return_type(const Arguments& arguments) const override;
    ColumnPtr execute(const Arguments& arguments, const TypePtr& result_type, size_t rows,
                      const QueryContext& context) const override;
    bool default_nulls() const override { return !(spec_.traits & kKeepNulls); }
    bool default_constants() const override { return !(spec_.traits & kKeepConstants); }
    std::vector<size_t> constant_arguments() const override { return constant_arguments_; }
    bool default_dictionary() const override { return !(spec_.traits & kNoDictionary); }
    bool default_low_cardinality() const override
    {
        return !(spec_.traits & kKeepLowCardinality);
    }
    bool deterministic() const override
    {
        return !(spec_.traits & (kVolatile | kVolatileInQuery));
    }
    bool deterministic_in_query() const override { return !(spec_.traits & kVolatileInQuery); }
    bool worth_short_circuit() const override { return !(spec_.traits & kCheap); }
    bool injective(const Arguments&) const override { return spec_.traits & kInjective; }
    Monotonicity monotonicity(const Arguments&, size_t, const Value&, const Value&) const override
    {
        return spec_.traits & kIncreasing ? Monotonicity::Increasing : Monotonicity::None;
    }

protected:
    const FunctionSpec& spec_;
    const QueryContext& context_;

private:
    std::string name_;
    std::vector<size_t> constant_arguments_;
};

template <const FunctionSpec& kSpec>
ScalarFunctionPtr make_spec_function(const QueryContext& context)
{
    return std::make_shared<SpecFunction>(kSpec, context);
}

void add_spec(ScalarRegistry& registry, const FunctionSpec& spec, ScalarFactory factory);

template <const FunctionSpec& kSpec> void add(ScalarRegistry& registry)
{
    add_spec(registry, kSpec, make_spec_function<kSpec>);
}
template <const FunctionSpec&... kSpecs> void add_all(ScalarRegistry& registry)
{
    (add<kSpecs>(registry), ...);
}

// Throws 42 or 43 or 44 when arguments do not fit the signature.
void check_signature(std::string_view name, std::string_view signature,
                     const Arguments& arguments);
[[noreturn]] void throw_illegal_type(std::string_view name, const Arguments& arguments,
                                     size_t argument, std::string_view expected);

// The argument's values as `to`: by CAST when the types differ.
ColumnPtr cast_to(const ColumnPtr& column, const TypePtr& from, const TypePtr& to,
                  const QueryContext& context);
inline ColumnPtr cast_to(const Argument& argument, const TypePtr& to, const QueryContext& context)
{
    return cast_to(argument.column, argument.type, to, context);
}
// The values as text, as toString gives them: a String column, flat or constant.
ColumnPtr as_text(const Argument& argument, const QueryContext& context);

// A constant argument's value; throws ILLEGAL_COLUMN when it is not constant.
Value constant_value(std::string_view name, const Arguments& arguments, size_t argument);
std::string constant_text(std::string_view name, const Arguments& arguments, size_t argument);
int64_t constant_integer(std::string_view name, const Arguments& arguments, size_t argument);
bool is_constant_argument(const Argument& argument);
std::optional<int64_t> value_to_integer(const Value& value);

} // namespace basalt
