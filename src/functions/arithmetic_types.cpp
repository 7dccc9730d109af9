#include "functions/arithmetic.h"

#include "base/error.h"

#include <algorithm>

namespace basalt
{

NumberKind number_kind(const DataType& type)
{
    switch (type.id())
    {
        case TypeId::Bool:
        case TypeId::UInt8: return {false, false, 1};
        case TypeId::UInt16: return {false, false, 2};
        case TypeId::UInt32: return {false, false, 4};
        case TypeId::UInt64: return {false, false, 8};
        case TypeId::UInt128: return {false, false, 16};
        case TypeId::UInt256: return {false, false, 32};
        case TypeId::Int8: return {true, false, 1};
        case TypeId::Int16: return {true, false, 2};
        case TypeId::Int32: return {true, false, 4};
        case TypeId::Int64: return {true, false, 8};
        case TypeId::Int128: return {true, false, 16};
        case TypeId::Int256: return {true, false, 32};
        case TypeId::Float32: return {true, true, 4};
        default: return {true, true, 8};
    }
}

TypePtr number_type(const NumberKind& kind)
{
    if (kind.is_float)
        return simple_type(kind.bytes == 4 ? TypeId::Float32 : TypeId::Float64);
    switch (kind.bytes)
    {
        case 1: return simple_type(kind.is_signed ? TypeId::Int8 : TypeId::UInt8);
        case 2: return simple_type(kind.is_signed ? TypeId::Int16 : TypeId::UInt16);
        case 4: return simple_type(kind.is_signed ? TypeId::Int32 : TypeId::UInt32);
        case 8: return simple_type(kind.is_signed ? TypeId::Int64 : TypeId::UInt64);
        case 16: return simple_type(kind.is_signed ? TypeId::Int128 : TypeId::UInt128);
        default: return simple_type(kind.is_signed ? TypeId::Int256 : TypeId::UInt256);
    }
}

bool is_plain_number(const DataType& type)
{
    return type.is_integer() || type.is_float();
}

bool is_wide_integer(const DataType& type)
{
    return type.is_integer() && number_kind(type).bytes > 8;
}

TypePtr number_result_type(ArithmeticOp op, const DataType& a, const DataType& b)
{
    const NumberKind left = number_kind(a);
    const NumberKind right = number_kind(b);
    const bool any_float = left.is_float || right.is_float;
    const bool any_signed = left.is_signed || right.is_signed;
    const size_t widest = std::max(left.bytes, right.bytes);
    const auto next = [](size_t bytes) { return bytes < 8 ? bytes * 2 : bytes; };
    const bool wide = is_wide_integer(a) || is_wide_integer(b);
    switch (op)
    {
        case ArithmeticOp::Plus:
        case ArithmeticOp::Multiply:
        case ArithmeticOp::Minus:
            if (any_float)
                return wide ? nullptr : simple_type(TypeId::Float64);
            return number_type(
                {any_signed || op == ArithmeticOp::Minus, false, next(widest)});
        case ArithmeticOp::Divide: return simple_type(TypeId::Float64);
        case ArithmeticOp::IntDiv:
        case ArithmeticOp::IntDivOrZero: return number_type({any_signed, false, left.bytes});
        case ArithmeticOp::Modulo:
        case ArithmeticOp::ModuloOrZero:
            if (any_float)
                return simple_type(TypeId::Float64);
            return number_type(
                {left.is_signed, false, left.is_signed ? next(right.bytes) : right.bytes});
        case ArithmeticOp::ModuloLegacy:
            if (any_float)
                return simple_type(TypeId::Float64);
            return number_type({any_signed, false, right.bytes});
        case ArithmeticOp::PositiveModulo:
            if (any_float)
                return simple_type(TypeId::Float64);
            return number_type({false, false, right.bytes});
        case ArithmeticOp::Gcd:
        case ArithmeticOp::Lcm:
            return any_float ? nullptr : number_type({any_signed, false, next(widest)});
        case ArithmeticOp::Max2:
        case ArithmeticOp::Min2: return wide ? nullptr : simple_type(TypeId::Float64);
        case ArithmeticOp::BitShiftLeft:
        case ArithmeticOp::BitShiftRight:
            if (!any_float && is_wide_integer(b))
                throw Error(error_codes::NOT_IMPLEMENTED,
                            "Bit shift is not implemented for big integers as second argument");
            [[fallthrough]];
        case ArithmeticOp::BitAnd:
        case ArithmeticOp::BitOr:
        case ArithmeticOp::BitXor:
            return any_float ? nullptr : number_type({any_signed, false, widest});
        case ArithmeticOp::BitRotateLeft:
        case ArithmeticOp::BitRotateRight:
            if (!any_float && wide)
                throw Error(error_codes::NOT_IMPLEMENTED,
                            "Bit rotate is not implemented for big integers");
            return any_float ? nullptr : number_type({any_signed, false, widest});
    }
    return nullptr;
}

} // namespace basalt
