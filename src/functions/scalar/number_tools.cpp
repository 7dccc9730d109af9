// sqr, clamp, widthBucket, bitHammingDistance.

#include "base/error.h"
#include "functions/arithmetic.h"
#include "functions/cast.h"
#include "functions/choose_rows.h"
#include "functions/comparison.h"
#include "functions/decimal_scale.h"
#include "functions/numeric_convert.h"
#include "functions/physical_dispatch.h"

#include <algorithm>
#include <cmath>

namespace basalt
{

namespace
{

class Square final : public NamedFunction
{
public:
    explicit Square(const QueryContext& context)
        : NamedFunction("sqr"), multiply_(scalar_functions().get("multiply", context))
    {
    }
    TypePtr return_type(const Arguments& arguments) const override
    {
        check_argument_count(*this, arguments.size(), 1);
        if (!arguments[0].type->is_number())
            throw_illegal_type(*this, arguments[0].type);
        return multiply_->return_type({arguments[0], arguments[0]});
    }
    ColumnPtr execute(const Arguments& arguments, const TypePtr& result_type, size_t rows,
                      const QueryContext& context) const override
    {
        return multiply_->execute({arguments[0], arguments[0]}, result_type, rows, context);
    }

private:
    ScalarFunctionPtr multiply_;
};

class Clamp final : public NamedFunction
{
public:
    Clamp() : NamedFunction("clamp") {}
    TypePtr return_type(const Arguments& arguments) const override
    {
        check_argument_count(*this, arguments.size(), 3);
        return common_type({arguments[0].type, arguments[1].type, arguments[2].type});
    }
    ColumnPtr execute(const Arguments& arguments, const TypePtr& result_type, size_t rows,
                      const QueryContext& context) const override
    {
        Arguments same;
        for (const auto& argument : arguments)
            same.push_back({to_flat(cast_column(argument.column, argument.type, result_type,
                                                context)),
                            result_type});
        const auto less = [&](size_t a, size_t b)
        {
            return compare_columns(ComparisonOp::Less, same[a], same[b], rows, context);
        };
        const ColumnPtr wrong = less(2, 1);
        const auto& wrong_rows = column_as<VectorColumn<uint8_t>>(wrong).data();
        if (std::find(wrong_rows.begin(), wrong_rows.end(), 1) != wrong_rows.end())
            throw Error(error_codes::BAD_ARGUMENTS,
                        "The minimum value cannot be greater than the maximum value for function "
                        "clamp");
        const ColumnPtr below = less(0, 1);
        const ColumnPtr above = less(2, 0);
        PodVector<uint16_t> which(rows);
        for (size_t i = 0; i < rows; ++i)
            which[i] = column_as<VectorColumn<uint8_t>>(below).data()[i]   ? uint16_t{1}
                       : column_as<VectorColumn<uint8_t>>(above).data()[i] ? uint16_t{2}
                                                                           : uint16_t{0};
        return choose_rows(result_type, {{same[0].column}, {same[1].column}, {same[2].column}},
                           which);
    }
};

// The number of the bucket, from 1, when [low, high) is cut into `count` equal ones; 0 below it
// and count + 1 above.
class WidthBucket final : public NamedFunction
{
public:
    WidthBucket() : NamedFunction("widthBucket") {}
    TypePtr return_type(const Arguments& arguments) const override
    {
        check_argument_count(*this, arguments.size(), 4);
        for (size_t i = 0; i < 3; ++i)
            if (!is_plain_number(*arguments[i].type) || is_wide_integer(*arguments[i].type))
                throw_illegal_argument(*this, i, arguments[i].type);
        const TypePtr& count = arguments[3].type;
        if (!count->is_unsigned() || is_wide_integer(*count))
            throw_illegal_argument(*this, 3, count);
        const size_t bytes = number_kind(*count).bytes;
        return number_type({false, false, std::min<size_t>(bytes * 2, 8)});
    }
    ColumnPtr execute(const Arguments& arguments, const TypePtr& result_type, size_t rows,
                      const QueryContext&) const override
    {
        Columns floats;
        for (size_t i = 0; i < 3; ++i)
            floats.push_back(decimal_as_float(arguments[i]));
        const VectorView<double> operand(*floats[0]);
        const VectorView<double> low(*floats[1]);
        const VectorView<double> high(*floats[2]);
        const ColumnPtr counts = convert_numbers(
            arguments[3].column, arguments[3].type->physical(), PhysicalType::UInt64);
        const VectorView<uint64_t> count(*counts);
        auto result = std::make_shared<VectorColumn<uint64_t>>(rows);
        for (size_t i = 0; i < rows; ++i)
            result->data()[i] = bucket(operand[i], low[i], high[i], count[i]);
        return convert_numbers(result, PhysicalType::UInt64, result_type->physical());
    }

private:
    static uint64_t bucket(double operand, double low, double high, uint64_t count)
    {
        if (count == 0)
            throw Error(error_codes::BAD_ARGUMENTS, "The count of widthBucket must not be zero");
        if (!std::isfinite(operand) || !std::isfinite(low) || !std::isfinite(high))
            throw Error(error_codes::BAD_ARGUMENTS,
                        "The arguments of widthBucket must be finite numbers");
        if (operand < low || low >= high)
            return 0;
        if (operand >= high)
            return count + 1;
        return static_cast<uint64_t>((operand - low) * (static_cast<double>(count) / (high - low)) +
                                     1);
    }
};

class BitHammingDistance final : public NamedFunction
{
public:
    BitHammingDistance() : NamedFunction("bitHammingDistance") {}
    TypePtr return_type(const Arguments& arguments) const override
    {
        check_argument_count(*this, arguments.size(), 2);
        for (const auto& argument : arguments)
            if (!argument.type->is_integer() || is_wide_integer(*argument.type))
                throw_illegal_types(*this, arguments);
        return simple_type(TypeId::UInt8);
    }
    ColumnPtr execute(const Arguments& arguments, const TypePtr&, size_t rows,
                      const QueryContext&) const override
    {
        const auto numbers = [&](size_t i)
        {
            return convert_numbers(arguments[i].column, arguments[i].type->physical(),
                                   PhysicalType::UInt64);
        };
        const ColumnPtr first = numbers(0);
        const ColumnPtr second = numbers(1);
        const VectorView<uint64_t> a(*first);
        const VectorView<uint64_t> b(*second);
        auto result = std::make_shared<VectorColumn<uint8_t>>(rows);
        for (size_t i = 0; i < rows; ++i)
            result->data()[i] = static_cast<uint8_t>(__builtin_popcountll(a[i] ^ b[i]));
        return result;
    }
};

template <class F> ScalarFunctionPtr make(const QueryContext&)
{
    return std::make_shared<F>();
}

} // namespace

void register_number_tools(ScalarRegistry& registry)
{
    registry.add(
        "sqr", [](const QueryContext& context) -> ScalarFunctionPtr
        { return std::make_shared<Square>(context); }, true);
    registry.add("clamp", make<Clamp>);
    registry.add("widthBucket", make<WidthBucket>);
    registry.add_alias("width_bucket", "widthBucket", true);
    registry.add("bitHammingDistance", make<BitHammingDistance>);
}

} // namespace basalt
