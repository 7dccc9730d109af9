#include "base/error.h"
#include "functions/arithmetic_loops.h"

namespace basalt
{

namespace
{

template <class F> ColumnPtr with_integer(PhysicalType physical, size_t rows, F&& f)
{
    ColumnPtr result;
    dispatch_vector(physical,
                    [&]<class Tag>(Tag)
                    {
                        using T = typename Tag::type;
                        if constexpr (!std::is_floating_point_v<T>)
                        {
                            auto out = std::make_shared<VectorColumn<T>>(rows);
                            f(TypeTag<T>{}, out->data().data());
                            result = out;
                        }
                    });
    return result;
}

template <class T> T rotated_left(T value, uint64_t by)
{
    using U = std::make_unsigned_t<T>;
    constexpr int kBits = static_cast<int>(sizeof(T) * 8);
    const auto shift = static_cast<int>(by % kBits);
    const U bits = static_cast<U>(value);
    if (shift == 0)
        return value;
    return static_cast<T>(static_cast<U>(bits << shift) | static_cast<U>(bits >> (kBits - shift)));
}

[[noreturn]] void throw_negative_shift()
{
    throw Error(error_codes::ARGUMENT_OUT_OF_BOUND,
                "The number of shift positions needs to be a non-negative value");
}

} // namespace

ColumnPtr bit_arithmetic(ArithmeticOp op, const Column& a, const Column& b, PhysicalType physical,
                         size_t rows)
{
    return with_integer(
        physical, rows,
        [&]<class Tag, class T>(Tag, T* out)
        {
            const VectorView<T> left(a);
            const VectorView<T> right(b);
            if (op == ArithmeticOp::BitAnd)
                binary_loop(left, right, out, rows,
                            [](const T& x, const T& y) { return static_cast<T>(x & y); });
            else if (op == ArithmeticOp::BitOr)
                binary_loop(left, right, out, rows,
                            [](const T& x, const T& y) { return static_cast<T>(x | y); });
            else
                binary_loop(left, right, out, rows,
                            [](const T& x, const T& y) { return static_cast<T>(x ^ y); });
        });
}

ColumnPtr shift_arithmetic(ArithmeticOp op, const Column& a, const Argument& b,
                           PhysicalType physical, size_t limit_bits, size_t rows)
{
    const bool is_signed = number_kind(*b.type).is_signed;
    const ColumnPtr counts = convert_numbers(b.column, b.type->physical(),
                                             is_signed ? PhysicalType::Int64 : PhysicalType::UInt64);
    PodVector<uint64_t> by(rows);
    if (is_signed)
    {
        const VectorView<int64_t> view(*counts);
        const bool rotates =
            op == ArithmeticOp::BitRotateLeft || op == ArithmeticOp::BitRotateRight;
        for (size_t i = 0; i < rows; ++i)
        {
            if (view[i] < 0 && !rotates)
                throw_negative_shift();
            by[i] = static_cast<uint64_t>(view[i]);
        }
    }
    else
    {
        const VectorView<uint64_t> view(*counts);
        for (size_t i = 0; i < rows; ++i)
            by[i] = view[i];
    }
    return with_integer(
        physical, rows,
        [&]<class Tag, class T>(Tag, T* out)
        {
            const VectorView<T> left(a);
            if (op == ArithmeticOp::BitShiftLeft)
            {
                for (size_t i = 0; i < rows; ++i)
                    out[i] = by[i] >= limit_bits ? T(0)
                                            : static_cast<T>(left[i] << static_cast<int>(by[i]));
            }
            else if (op == ArithmeticOp::BitShiftRight)
            {
                for (size_t i = 0; i < rows; ++i)
                    out[i] = by[i] >= limit_bits ? T(0)
                                            : static_cast<T>(left[i] >> static_cast<int>(by[i]));
            }
            else if constexpr (sizeof(T) <= 8)
            {
                constexpr uint64_t kBits = sizeof(T) * 8;
                const bool to_left = op == ArithmeticOp::BitRotateLeft;
                for (size_t i = 0; i < rows; ++i)
                    out[i] = rotated_left<T>(left[i],
                                             to_left ? by[i] : kBits - by[i] % kBits);
            }
        });
}

} // namespace basalt
