#pragma once

// Functions of the form f([lambda,] [fixed arguments,] array…): the lambda is run once over the
// items of all rows; the function sees its values beside the items of the first array.

#include "functions/expression.h"
#include "functions/scalar/array_items.h"

namespace basalt
{

struct HigherTypes
{
    std::string_view name;
    TypePtr mapped; // of the lambda's values, or of the items without a lambda
    TypePtr first;  // of the first array's items
    bool has_lambda;
};

struct HigherCall
{
    std::string_view name;
    const Arguments& arguments;
    const TypePtr& result_type;
    size_t rows;
    const QueryContext& context;
    TypePtr mapped_type;
    ColumnPtr mapped; // flat, one value per item
    TypePtr first_type;
    ColumnPtr first; // flat items of the first array
    ColumnPtr offsets_column;
    bool has_lambda;
    size_t fixed_at; // number of the first fixed argument

    const PodVector<uint64_t>& offsets() const
    {
        return column_as<VectorColumn<uint64_t>>(offsets_column).data();
    }
    size_t begin(size_t row) const { return row == 0 ? 0 : offsets()[row - 1]; }
    size_t end(size_t row) const { return offsets()[row]; }
};

struct HigherSpec
{
    std::string_view name;
    TypePtr (*type)(const HigherTypes& types);
    ColumnPtr (*run)(const HigherCall& call);
    bool needs_lambda = false;
    size_t fixed_arguments = 0; // integers between lambda and arrays
    bool condition = false;     // the lambda must give UInt8, Bool or NULL
};

class HigherFunction : public ScalarFunction
{
public:
    explicit HigherFunction(const HigherSpec& spec) : spec_(spec), name_(spec.name) {}

    const std::string& name() const override { return name_; }
    bool takes_lambda() const override { return true; }
    std::vector<Types> lambda_argument_types(const Arguments& arguments) const override;
    TypePtr return_type(const Arguments& arguments) const override;
    ColumnPtr execute(const Arguments& arguments, const TypePtr& result_type, size_t rows,
                      const QueryContext& context) const override;

private:
    size_t first_array(const Arguments& arguments) const;

    const HigherSpec& spec_;
    std::string name_;
};

template <const HigherSpec& kSpec> void add_higher(ScalarRegistry& registry)
{
    registry.add(std::string(kSpec.name), [](const QueryContext&) -> ScalarFunctionPtr
                 { return std::make_shared<HigherFunction>(kSpec); });
}
template <const HigherSpec&... kSpecs> void add_all_higher(ScalarRegistry& registry)
{
    (add_higher<kSpecs>(registry), ...);
}

// 1 where the condition holds (NULL does not).
Mask condition_mask(const ColumnPtr& values, const TypePtr& type);

} // namespace basalt
