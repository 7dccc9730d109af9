#include "encodings/shared_decimals.h"

#include "encodings/decimal_floats.h"

#include <array>
#include <mutex>

namespace basalt::inline encodings
{

namespace
{

// The quotient of two floats that are whole numbers is the same whether it is rounded at once or by
// way of a double, since that has more than twice the digits (Figueroa, "When is double rounding
// innocuous?", 1995).
template <class T> void divide(const uint32_t* codes, size_t count, T power, T* out)
{
    for (size_t i = 0; i < count; ++i)
        out[i] = static_cast<T>(static_cast<int32_t>(codes[i])) / power;
}

template <class T> ColumnPtr flatten(const DictionaryColumn& column)
{
    for (size_t scale = 0; scale <= kMaxSharedScale; ++scale)
    {
        if (column.dictionary() != shared_decimals<T>(scale))
            continue;
        const size_t rows = column.size();
        auto values = std::make_shared<VectorColumn<T>>(rows);
        divide(column.codes().data(), rows,
               static_cast<T>(power_of_ten(static_cast<unsigned>(scale))), values->data().data());
        return values;
    }
    return nullptr;
}

} // namespace

template <class T> ColumnPtr shared_decimals(size_t scale)
{
    static std::array<std::once_flag, kMaxSharedScale + 1> once;
    static std::array<ColumnPtr, kMaxSharedScale + 1> dictionaries;
    std::call_once(once[scale],
                   [&]
                   {
                       const double power = power_of_ten(static_cast<unsigned>(scale));
                       auto values = std::make_shared<VectorColumn<T>>(kSharedDecimals);
                       for (size_t i = 0; i < kSharedDecimals; ++i)
                           values->data()[i] = static_cast<T>(static_cast<double>(i) / power);
                       dictionaries[scale] = std::move(values);
                   });
    return dictionaries[scale];
}

template ColumnPtr shared_decimals<float>(size_t scale);
template ColumnPtr shared_decimals<double>(size_t scale);

ColumnPtr flatten_shared_decimals(const DictionaryColumn& column)
{
    if (column.dictionary()->size() != kSharedDecimals)
        return nullptr;
    ColumnPtr flat = flatten<float>(column);
    return flat ? flat : flatten<double>(column);
}

} // namespace basalt::encodings
