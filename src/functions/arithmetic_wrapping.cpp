#include "functions/arithmetic_loops.h"

namespace basalt
{

namespace
{

template <class T> struct UnsignedOf
{
    using type = std::make_unsigned_t<T>;
};
template <> struct UnsignedOf<float>
{
    using type = float;
};
template <> struct UnsignedOf<double>
{
    using type = double;
};
template <> struct UnsignedOf<Int256>
{
    using type = Int256;
};
template <> struct UnsignedOf<UInt256>
{
    using type = UInt256;
};

template <class T> void wrapping_loop(ArithmeticOp op, const Column& a, const Column& b, T* out, size_t rows)
{
    using U = typename UnsignedOf<T>::type; // signed overflow would be undefined
    const VectorView<T> left(a);
    const VectorView<T> right(b);
    if (op == ArithmeticOp::Plus)
        binary_loop(left, right, out, rows,
                    [](const T& x, const T& y) { return static_cast<T>(U(x) + U(y)); });
    else if (op == ArithmeticOp::Minus)
        binary_loop(left, right, out, rows,
                    [](const T& x, const T& y) { return static_cast<T>(U(x) - U(y)); });
    else
        binary_loop(left, right, out, rows,
                    [](const T& x, const T& y)
                    {
                        if constexpr (std::is_same_v<U, uint16_t>)
                            return static_cast<T>(uint32_t(U(x)) * uint32_t(U(y)));
                        else
                            return static_cast<T>(U(x) * U(y));
                    });
}

} // namespace

ColumnPtr wrapping_arithmetic(ArithmeticOp op, const Column& a, const Column& b,
                              PhysicalType physical, size_t rows)
{
    ColumnPtr result;
    dispatch_vector(physical,
                    [&]<class Tag>(Tag)
                    {
                        using T = typename Tag::type;
                        auto out = std::make_shared<VectorColumn<T>>(rows);
                        wrapping_loop<T>(op, a, b, out->data().data(), rows);
                        result = out;
                    });
    return result;
}

} // namespace basalt
