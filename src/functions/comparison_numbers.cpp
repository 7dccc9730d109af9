#include "functions/arithmetic.h"
#include "functions/comparison.h"
#include "functions/numeric_convert.h"
#include "functions/physical_dispatch.h"

#include <limits>

namespace basalt
{

namespace
{

struct EqualTo
{
    template <class A, class B> static bool apply(const A& a, const B& b) { return a == b; }
};
struct LessThan
{
    template <class A, class B> static bool apply(const A& a, const B& b) { return a < b; }
};
struct NotAfter
{
    template <class A, class B> static bool apply(const A& a, const B& b) { return a <= b; }
};

// A 64-bit signed beside an unsigned number.
struct SignedNumber
{
    int64_t value;
};
inline bool operator==(SignedNumber a, uint64_t b)
{
    return a.value >= 0 && static_cast<uint64_t>(a.value) == b;
}
inline bool operator<(SignedNumber a, uint64_t b)
{
    return a.value < 0 || static_cast<uint64_t>(a.value) < b;
}
inline bool operator<=(SignedNumber a, uint64_t b)
{
    return a.value < 0 || static_cast<uint64_t>(a.value) <= b;
}
inline bool operator<(uint64_t a, SignedNumber b)
{
    return b.value >= 0 && a < static_cast<uint64_t>(b.value);
}
inline bool operator<=(uint64_t a, SignedNumber b)
{
    return b.value >= 0 && a <= static_cast<uint64_t>(b.value);
}

template <class Op, class A, class B, class WrapA, class WrapB>
void loop(const VectorView<A>& a, const VectorView<B>& b, uint8_t* out, size_t rows, uint8_t flip,
          WrapA wrap_a, WrapB wrap_b)
{
    if (b.constant())
    {
        const auto right = wrap_b(b[0]);
        for (size_t i = 0; i < rows; ++i)
            out[i] = static_cast<uint8_t>(Op::apply(wrap_a(a.data[i * a.step]), right)) ^ flip;
    }
    else if (a.constant())
    {
        const auto left = wrap_a(a[0]);
        for (size_t i = 0; i < rows; ++i)
            out[i] = static_cast<uint8_t>(Op::apply(left, wrap_b(b.data[i]))) ^ flip;
    }
    else
    {
        for (size_t i = 0; i < rows; ++i)
            out[i] = static_cast<uint8_t>(Op::apply(wrap_a(a.data[i]), wrap_b(b.data[i]))) ^ flip;
    }
}

// a > b is b < a, a >= b is b <= a, a != b is not a == b (also for NaN).
template <class A, class B, class WrapA, class WrapB>
ColumnPtr run(ComparisonOp op, const Column& a, const Column& b, size_t rows, WrapA wrap_a,
              WrapB wrap_b)
{
    auto result = std::make_shared<VectorColumn<uint8_t>>(rows);
    uint8_t* const out = result->data().data();
    const VectorView<A> left(a);
    const VectorView<B> right(b);
    switch (op)
    {
        case ComparisonOp::Equals:
            loop<EqualTo>(left, right, out, rows, 0, wrap_a, wrap_b);
            break;
        case ComparisonOp::NotEquals:
            loop<EqualTo>(left, right, out, rows, 1, wrap_a, wrap_b);
            break;
        case ComparisonOp::Less:
            loop<LessThan>(left, right, out, rows, 0, wrap_a, wrap_b);
            break;
        case ComparisonOp::Greater:
            loop<LessThan>(right, left, out, rows, 0, wrap_b, wrap_a);
            break;
        case ComparisonOp::LessOrEquals:
            loop<NotAfter>(left, right, out, rows, 0, wrap_a, wrap_b);
            break;
        case ComparisonOp::GreaterOrEquals:
            loop<NotAfter>(right, left, out, rows, 0, wrap_b, wrap_a);
            break;
    }
    return result;
}

ComparisonOp swapped(ComparisonOp op)
{
    switch (op)
    {
        case ComparisonOp::Less: return ComparisonOp::Greater;
        case ComparisonOp::Greater: return ComparisonOp::Less;
        case ComparisonOp::LessOrEquals: return ComparisonOp::GreaterOrEquals;
        case ComparisonOp::GreaterOrEquals: return ComparisonOp::LessOrEquals;
        default: return op;
    }
}

ColumnPtr same_physical(ComparisonOp op, const Column& a, const Column& b, PhysicalType physical,
                        size_t rows)
{
    ColumnPtr result;
    dispatch_vector(physical,
                    [&]<class Tag>(Tag)
                    {
                        using T = typename Tag::type;
                        const auto same = [](const T& value) -> const T& { return value; };
                        result = run<T, T>(op, a, b, rows, same, same);
                    });
    return result;
}

constexpr PhysicalType kInt64 = PhysicalType::Int64;
constexpr PhysicalType kUInt64 = PhysicalType::UInt64;

ColumnPtr signed_with_unsigned(ComparisonOp op, const Argument& a, const Argument& b, size_t rows)
{
    const ColumnPtr left = convert_numbers(a.column, a.type->physical(), kInt64);
    const ColumnPtr right = convert_numbers(b.column, b.type->physical(), kUInt64);
    return run<int64_t, uint64_t>(
        op, *left, *right, rows, [](int64_t value) { return SignedNumber{value}; },
        [](uint64_t value) { return value; });
}

// A 64-bit integer beside a float: long double of x86-64 holds both exactly.
template <class I>
ColumnPtr integer_with_float(ComparisonOp op, const Argument& a, const Argument& b,
                             PhysicalType physical, size_t rows)
{
    static_assert(std::numeric_limits<long double>::digits >= 64);
    const ColumnPtr left = convert_numbers(a.column, a.type->physical(), physical);
    const ColumnPtr right =
        convert_numbers(b.column, b.type->physical(), PhysicalType::Float64);
    return run<I, double>(
        op, *left, *right, rows, [](I value) { return static_cast<long double>(value); },
        [](double value) { return static_cast<long double>(value); });
}

bool wide(const NumberKind& kind)
{
    return kind.bytes > 8;
}

} // namespace

ColumnPtr compare_numbers(ComparisonOp op, const Argument& a, const Argument& b, size_t rows)
{
    const PhysicalType physical_a = a.type->physical();
    const PhysicalType physical_b = b.type->physical();
    if (physical_a == physical_b)
        return same_physical(op, *a.column, *b.column, physical_a, rows);
    const auto kind_of = [](PhysicalType physical) -> NumberKind
    {
        NumberKind kind;
        dispatch_vector(physical,
                        [&]<class Tag>(Tag)
                        {
                            using T = typename Tag::type;
                            kind = {std::is_same_v<T, Int256> ||
                                        (!std::is_same_v<T, UInt256> && T(-1) < T(0)),
                                    std::is_floating_point_v<T>, sizeof(T)};
                        });
        return kind;
    };
    const NumberKind left = kind_of(physical_a);
    const NumberKind right = kind_of(physical_b);
    const auto both_as = [&](PhysicalType physical)
    {
        return same_physical(op, *convert_numbers(a.column, physical_a, physical),
                             *convert_numbers(b.column, physical_b, physical), physical, rows);
    };
    if (left.is_float || right.is_float)
    {
        const NumberKind& integer = left.is_float ? right : left;
        const bool exact = integer.is_float || integer.bytes <= 4;
        if (exact || wide(integer))
            return both_as(PhysicalType::Float64);
        const bool is_signed = integer.is_signed;
        const Argument& whole = left.is_float ? b : a;
        const Argument& real = left.is_float ? a : b;
        const ComparisonOp ordered = left.is_float ? swapped(op) : op;
        return is_signed ? integer_with_float<int64_t>(ordered, whole, real, kInt64, rows)
                         : integer_with_float<uint64_t>(ordered, whole, real, kUInt64, rows);
    }
    if (wide(left) || wide(right))
    {
        if (left.is_signed == right.is_signed)
            return both_as(left.is_signed ? PhysicalType::Int256 : PhysicalType::UInt256);
        const bool huge_unsigned = (!left.is_signed && left.bytes == 32) ||
                                   (!right.is_signed && right.bytes == 32);
        if (!huge_unsigned)
            return both_as(PhysicalType::Int256);
        // A negative number is below any unsigned one; the rest compares as unsigned.
        const Argument& with_sign = left.is_signed ? a : b;
        const ComparisonOp ordered = left.is_signed ? op : swapped(op);
        const Argument& without = left.is_signed ? b : a;
        const ColumnPtr numbers =
            convert_numbers(with_sign.column, with_sign.type->physical(), PhysicalType::Int256);
        auto result = std::make_shared<VectorColumn<uint8_t>>(rows);
        const VectorView<Int256> x(*numbers);
        const ColumnPtr others =
            convert_numbers(without.column, without.type->physical(), PhysicalType::UInt256);
        const VectorView<UInt256> y(*others);
        for (size_t i = 0; i < rows; ++i)
        {
            const UInt256 magnitude(x[i]);
            const int order = x[i].negative()   ? -1
                              : magnitude < y[i] ? -1
                              : y[i] < magnitude ? 1
                                                 : 0;
            result->data()[i] = comparison_holds(ordered, order);
        }
        return result;
    }
    if (left.is_signed == right.is_signed)
    {
        // The wider of the two holds both.
        return both_as(left.bytes > right.bytes ? physical_a : physical_b);
    }
    const NumberKind& without_sign = left.is_signed ? right : left;
    if (without_sign.bytes < 8)
        return both_as(kInt64);
    return left.is_signed ? signed_with_unsigned(op, a, b, rows)
                          : signed_with_unsigned(swapped(op), b, a, rows);
}

} // namespace basalt
