#include "base/error.h"
#include "functions/arithmetic_loops.h"

#include <limits>

namespace basalt
{

void throw_division_by_zero()
{
    throw Error(error_codes::ILLEGAL_DIVISION, "Division by zero");
}

namespace
{

[[noreturn]] void throw_minimal_by_minus_one()
{
    throw Error(error_codes::ILLEGAL_DIVISION, "Division of minimal signed number by minus one");
}

template <class T> constexpr bool kIsSigned = T(-1) < T(0);
template <> constexpr bool kIsSigned<Int256> = true;
template <> constexpr bool kIsSigned<UInt256> = false;

template <class T> T minimal()
{
    return static_cast<T>(T(1) << static_cast<int>(sizeof(T) * 8 - 1));
}

// n / d by multiplication (Granlund and Montgomery 1994, the round-up variant), d > 1.
class Divider64
{
public:
    explicit Divider64(uint64_t divisor)
    {
        const int bits = 63 - __builtin_clzll(divisor);
        if ((divisor & (divisor - 1)) == 0)
        {
            magic_ = 0;
            shift_ = static_cast<uint32_t>(bits);
            return;
        }
        const UInt128 numerator = static_cast<UInt128>(1) << (64 + bits);
        auto quotient = static_cast<uint64_t>(numerator / divisor);
        const auto remainder = static_cast<uint64_t>(numerator % divisor);
        const uint64_t twice = remainder + remainder;
        quotient += quotient;
        if (twice >= divisor || twice < remainder)
            ++quotient;
        magic_ = quotient + 1;
        shift_ = static_cast<uint32_t>(bits);
    }
    bool power_of_two() const { return magic_ == 0; }
    uint64_t divide(uint64_t n) const
    {
        const auto high = static_cast<uint64_t>((static_cast<UInt128>(magic_) * n) >> 64);
        return (((n - high) >> 1) + high) >> shift_;
    }
    uint32_t shift() const { return shift_; }

private:
    uint64_t magic_;
    uint32_t shift_;
};

template <class T, bool kRemainder>
void divide_by_constant(const VectorView<T>& a, T divisor, T* out, size_t rows)
{
    if constexpr (std::is_same_v<T, uint64_t> || std::is_same_v<T, uint32_t>)
    {
        if (divisor == 1)
        {
            for (size_t i = 0; i < rows; ++i)
                out[i] = kRemainder ? T(0) : a[i];
            return;
        }
        const Divider64 divider(divisor);
        if (divider.power_of_two())
        {
            const uint32_t shift = divider.shift();
            for (size_t i = 0; i < rows; ++i)
                out[i] = kRemainder ? static_cast<T>(a[i] & (divisor - 1))
                                    : static_cast<T>(a[i] >> shift);
            return;
        }
        for (size_t i = 0; i < rows; ++i)
        {
            const uint64_t quotient = divider.divide(a[i]);
            out[i] = static_cast<T>(kRemainder ? a[i] - quotient * divisor : quotient);
        }
    }
    else
    {
        for (size_t i = 0; i < rows; ++i)
        {
            if constexpr (kIsSigned<T>)
                if (divisor == T(-1))
                {
                    if (a[i] == minimal<T>())
                        throw_minimal_by_minus_one();
                    out[i] = kRemainder ? T(0) : static_cast<T>(-a[i]);
                    continue;
                }
            out[i] = static_cast<T>(kRemainder ? a[i] % divisor : a[i] / divisor);
        }
    }
}

template <class T, bool kRemainder, bool kOrZero>
void divide_rows(const VectorView<T>& a, const VectorView<T>& b, T* out, size_t rows)
{
    if (b.constant() && b[0] != T(0))
    {
        divide_by_constant<T, kRemainder>(a, b[0], out, rows);
        return;
    }
    for (size_t i = 0; i < rows; ++i)
    {
        const T divisor = b[i];
        if (divisor == T(0)) [[unlikely]]
        {
            if constexpr (!kOrZero)
                throw_division_by_zero();
            out[i] = T(0);
            continue;
        }
        if constexpr (kIsSigned<T>)
            if (divisor == T(-1)) [[unlikely]]
            {
                if (a[i] == minimal<T>())
                {
                    if constexpr (!kOrZero)
                        throw_minimal_by_minus_one();
                    out[i] = T(0);
                    continue;
                }
                out[i] = kRemainder ? T(0) : static_cast<T>(-a[i]);
                continue;
            }
        out[i] = static_cast<T>(kRemainder ? a[i] % divisor : a[i] / divisor);
    }
}

template <class T> T greatest_common_divisor(T a, T b)
{
    while (b != T(0))
    {
        const T rest = static_cast<T>(a % b);
        a = b;
        b = rest;
    }
    return a;
}

template <class F> ColumnPtr with_division_type(PhysicalType physical, size_t rows, F&& f)
{
    ColumnPtr result;
    dispatch_vector(physical,
                    [&]<class Tag>(Tag)
                    {
                        using T = typename Tag::type;
                        if constexpr (!std::is_floating_point_v<T> && sizeof(T) >= 4)
                        {
                            auto out = std::make_shared<VectorColumn<T>>(rows);
                            f(TypeTag<T>{}, out->data().data());
                            result = out;
                        }
                    });
    return result;
}

} // namespace

ColumnPtr division_arithmetic(ArithmeticOp op, const Column& a, const Column& b,
                              PhysicalType physical, size_t rows)
{
    return with_division_type(
        physical, rows,
        [&]<class Tag, class T>(Tag, T* out)
        {
            const VectorView<T> left(a);
            const VectorView<T> right(b);
            switch (op)
            {
                case ArithmeticOp::IntDiv:
                    divide_rows<T, false, false>(left, right, out, rows);
                    break;
                case ArithmeticOp::IntDivOrZero:
                    divide_rows<T, false, true>(left, right, out, rows);
                    break;
                case ArithmeticOp::ModuloOrZero:
                    divide_rows<T, true, true>(left, right, out, rows);
                    break;
                default:
                    divide_rows<T, true, false>(left, right, out, rows);
                    break;
            }
            if (op == ArithmeticOp::PositiveModulo)
                for (size_t i = 0; i < rows; ++i)
                    if (out[i] < T(0))
                        out[i] = static_cast<T>(right[i] < T(0) ? out[i] - right[i]
                                                                : out[i] + right[i]);
        });
}

ColumnPtr common_divisor_arithmetic(ArithmeticOp op, const Column& a, const Column& b,
                                    PhysicalType physical, size_t rows)
{
    return with_division_type(
        physical, rows,
        [&]<class Tag, class T>(Tag, T* out)
        {
            const VectorView<T> left(a);
            const VectorView<T> right(b);
            for (size_t i = 0; i < rows; ++i)
            {
                T x = left[i];
                T y = right[i];
                if (x == T(0) || y == T(0))
                    throw_division_by_zero();
                if constexpr (kIsSigned<T>)
                {
                    if (x == minimal<T>() || y == minimal<T>())
                        throw Error(error_codes::DECIMAL_OVERFLOW,
                                    "Intermediate result overflow of gcd or lcm");
                    x = x < T(0) ? static_cast<T>(-x) : x;
                    y = y < T(0) ? static_cast<T>(-y) : y;
                }
                const T divisor = greatest_common_divisor<T>(x, y);
                out[i] = op == ArithmeticOp::Gcd ? divisor
                                                 : static_cast<T>(T(x / divisor) * y);
            }
        });
}

} // namespace basalt
