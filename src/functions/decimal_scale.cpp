#include "functions/decimal_scale.h"

#include "functions/numeric_convert.h"
#include "functions/physical_dispatch.h"

#include <array>
#include <cmath>

namespace basalt
{

const Int256& decimal_power_of_ten(uint32_t exponent)
{
    static const auto powers = []
    {
        std::array<Int256, kMaxDecimalDigits + 1> made;
        made[0] = Int256(1);
        for (size_t i = 1; i < made.size(); ++i)
            made[i] = made[i - 1] * Int256(10);
        return made;
    }();
    BASALT_ASSERT(exponent <= kMaxDecimalDigits);
    return powers[exponent];
}

template <> bool checked_add<Int256>(Int256 a, Int256 b, Int256& result)
{
    result = a + b;
    return a.negative() == b.negative() && result.negative() != a.negative();
}

template <> bool checked_subtract<Int256>(Int256 a, Int256 b, Int256& result)
{
    result = a - b;
    return a.negative() != b.negative() && result.negative() != a.negative();
}

template <> bool checked_multiply<Int256>(Int256 a, Int256 b, Int256& result)
{
    result = a * b;
    if (a == Int256(0) || b == Int256(0))
        return false;
    return result / b != a || result.negative() != (a.negative() != b.negative());
}

ColumnPtr decimal_as_float(const Argument& argument)
{
    const ColumnPtr numbers = convert_numbers(argument.column, argument.type->physical(),
                                              PhysicalType::Float64);
    if (!argument.type->is_decimal() || type_as<DecimalType>(argument.type).scale() == 0)
        return numbers;
    const double divisor =
        decimal_power_of_ten(type_as<DecimalType>(argument.type).scale()).to_double();
    const VectorView<double> view(*numbers);
    const size_t rows = view.constant() ? 1 : numbers->size();
    auto result = std::make_shared<VectorColumn<double>>(rows);
    for (size_t i = 0; i < rows; ++i)
        result->data()[i] = view[i] / divisor;
    if (view.constant())
        return std::make_shared<ConstantColumn>(result, numbers->size());
    return result;
}

} // namespace basalt
