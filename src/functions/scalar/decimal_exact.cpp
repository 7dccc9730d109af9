// multiplyDecimal and divideDecimal: decimals of any scale with a result of a chosen scale, cut
// towards zero; toDecimalString.

#include "functions/decimal_scale.h"
#include "functions/numeric_convert.h"
#include "functions/scalar/column_rows.h"

#include <fmt/format.h>

#include <cmath>

namespace basalt
{
namespace
{

constexpr uint32_t kMaxPrecision = 76;
constexpr int64_t kMaxDecimalDigits = 77;
constexpr int64_t kMaxFloatDigits = 60;

uint32_t scale_of(const TypePtr& type)
{
    return type_as<DecimalType>(type).scale();
}

TypePtr exact_type(const TypeCall& call)
{
    for (size_t i = 0; i < 2; ++i)
        if (!call.type(i)->is_decimal())
            throw Error(error_codes::ILLEGAL_TYPE_OF_ARGUMENT,
                        fmt::format("Arguments for {} function must be Decimal", call.name));
    int64_t scale = std::max(scale_of(call.type(0)), scale_of(call.type(1)));
    if (call.size() == 3)
    {
        scale = constant_integer(call.name, call.arguments, 2);
        if (scale < 0 || scale > kMaxPrecision)
            throw Error(error_codes::ILLEGAL_TYPE_OF_ARGUMENT,
                        fmt::format("Illegal value of third argument of function {}: must be "
                                    "integer in range [0, {}]",
                                    call.name, kMaxPrecision));
    }
    return std::make_shared<DecimalType>(kMaxPrecision, static_cast<uint32_t>(scale));
}

// Little-endian words, long enough for a product of two mantissas times a power of ten.
class LongNumber
{
public:
    static constexpr size_t kWords = 28; // 896 bits

    explicit LongNumber(Int256 value)
    {
        if (value < Int256(0))
            value = Int256(0) - value;
        for (size_t i = 0; i < 8; ++i, value = value >> 32)
            words_[i] = static_cast<uint32_t>(static_cast<uint64_t>(value) & 0xFFFFFFFF);
    }
    void multiply(const LongNumber& other)
    {
        std::array<uint32_t, kWords> result{};
        for (size_t i = 0; i < kWords; ++i)
        {
            uint64_t carry = 0;
            for (size_t j = 0; i + j < kWords; ++j)
            {
                carry += uint64_t{words_[i]} * other.words_[j] + result[i + j];
                result[i + j] = static_cast<uint32_t>(carry);
                carry >>= 32;
            }
        }
        words_ = result;
    }
    void multiply_by_ten(uint32_t times)
    {
        for (; times > 0; --times)
        {
            uint64_t carry = 0;
            for (uint32_t& word : words_)
            {
                carry += uint64_t{word} * 10;
                word = static_cast<uint32_t>(carry);
                carry >>= 32;
            }
        }
    }
    void divide_by_ten(uint32_t times)
    {
        for (; times > 0; --times)
        {
            uint64_t rest = 0;
            for (size_t i = kWords; i > 0; --i)
            {
                rest = rest << 32 | words_[i - 1];
                words_[i - 1] = static_cast<uint32_t>(rest / 10);
                rest %= 10;
            }
        }
    }
    // Long division bit by bit.
    void divide(const LongNumber& divisor)
    {
        LongNumber rest{Int256(0)};
        std::array<uint32_t, kWords> quotient{};
        for (size_t bit = kWords * 32; bit > 0; --bit)
        {
            const size_t at = bit - 1;
            rest.shift_in(words_[at / 32] >> (at % 32) & 1);
            if (!rest.less(divisor))
            {
                rest.subtract(divisor);
                quotient[at / 32] |= uint32_t{1} << (at % 32);
            }
        }
        words_ = quotient;
    }
    // Throws when it is past the digits of Decimal256.
    Int256 value() const
    {
        for (size_t i = 8; i < kWords; ++i)
            if (words_[i])
                overflow();
        if (words_[7] >> 31)
            overflow();
        Int256 result(0);
        for (size_t i = 8; i > 0; --i)
            result = (result << 32) + Int256(words_[i - 1]);
        return result;
    }

private:
    [[noreturn]] static void overflow()
    {
        throw Error(error_codes::DECIMAL_OVERFLOW,
                    "Numeric overflow: result bigger that Decimal256");
    }
    void shift_in(uint32_t bit)
    {
        for (uint32_t& word : words_)
        {
            const uint32_t out = word >> 31;
            word = word << 1 | bit;
            bit = out;
        }
    }
    bool less(const LongNumber& other) const
    {
        for (size_t i = kWords; i > 0; --i)
            if (words_[i - 1] != other.words_[i - 1])
                return words_[i - 1] < other.words_[i - 1];
        return false;
    }
    void subtract(const LongNumber& other)
    {
        uint64_t borrow = 0;
        for (size_t i = 0; i < kWords; ++i)
        {
            const uint64_t difference = uint64_t{words_[i]} - other.words_[i] - borrow;
            words_[i] = static_cast<uint32_t>(difference);
            borrow = difference >> 63;
        }
    }

    std::array<uint32_t, kWords> words_{};
};

template <bool kDivide> ColumnPtr run_exact(const Call& call)
{
    const ColumnPtr left =
        convert_numbers(call.column(0), call.type(0)->physical(), PhysicalType::Int256);
    const ColumnPtr right =
        convert_numbers(call.column(1), call.type(1)->physical(), PhysicalType::Int256);
    const NumberRows<Int256> lefts(left);
    const NumberRows<Int256> rights(right);
    const uint32_t scale = scale_of(call.result_type);
    const uint32_t left_scale = scale_of(call.type(0));
    const uint32_t right_scale = scale_of(call.type(1));
    return map_rows<Int256>(
        call.rows,
        [&](size_t i)
        {
            const bool negative = (lefts[i] < Int256(0)) != (rights[i] < Int256(0));
            LongNumber number(lefts[i]);
            if constexpr (kDivide)
            {
                if (rights[i] == Int256(0))
                    throw Error(error_codes::ILLEGAL_DIVISION, "Division by zero");
                LongNumber divisor(rights[i]);
                if (left_scale <= right_scale + scale)
                    number.multiply_by_ten(right_scale + scale - left_scale);
                else
                    divisor.multiply_by_ten(left_scale - right_scale - scale);
                number.divide(divisor);
            }
            else
            {
                number.multiply(LongNumber(rights[i]));
                if (left_scale + right_scale >= scale)
                    number.divide_by_ten(left_scale + right_scale - scale);
                else
                    number.multiply_by_ten(scale - left_scale - right_scale);
            }
            const Int256 value = number.value();
            return negative ? Int256(0) - value : value;
        });
}

// Rounded half away from zero. Past a tie a double has no more than these digits.
std::string float_text(double value, int64_t digits)
{
    if (std::isnan(value))
        return "nan";
    if (std::isinf(value))
        return value < 0 ? "-inf" : "inf";
    constexpr int kTieDigits = 64;
    std::string text = fmt::format("{:.{}f}", value, digits + kTieDigits);
    const size_t cut = text.size() - kTieDigits;
    const bool up = text[cut] >= '5';
    text.resize(cut);
    if (digits == 0)
        text.pop_back(); // the point
    if (!up)
        return text;
    size_t at = text.size();
    while (at > 0)
    {
        char& c = text[at - 1];
        if (c == '.')
        {
            --at;
            continue;
        }
        if (c == '-')
            break;
        if (c != '9')
        {
            ++c;
            return text;
        }
        c = '0';
        --at;
    }
    text.insert(at, "1");
    return text;
}

std::string decimal_text(Int256 mantissa, uint32_t scale, uint32_t digits)
{
    const bool negative = mantissa < Int256(0);
    if (negative)
        mantissa = Int256(0) - mantissa;
    for (; scale > digits; --scale)
        mantissa = scale == digits + 1 ? (mantissa + Int256(5)) / Int256(10) : mantissa / Int256(10);
    std::string text;
    for (; mantissa != Int256(0); mantissa = mantissa / Int256(10))
        text.insert(text.begin(), static_cast<char>('0' + static_cast<int>(static_cast<uint64_t>(
                                                              mantissa % Int256(10)))));
    if (text.size() <= scale)
        text.insert(0, scale + 1 - text.size(), '0');
    if (digits > 0)
        text.insert(text.size() - scale, ".");
    text.append(digits - scale, '0');
    return negative ? "-" + text : text;
}

TypePtr decimal_string_type(const TypeCall& call)
{
    if (!call.type(0)->is_number())
        throw_illegal_type(call.name, call.arguments, 0, "Number");
    return simple_type(TypeId::String);
}

ColumnPtr run_decimal_string(const Call& call)
{
    const IntegerRows digits(call[1]);
    const TypePtr& type = call.type(0);
    StringWriter out(call.rows);
    const auto check = [&](size_t i, int64_t most)
    {
        if (digits[i] < 0 || digits[i] > most)
            throw Error(error_codes::CANNOT_PRINT_FLOAT_OR_DOUBLE_NUMBER,
                        fmt::format("Too many fractional digits requested, shall not be more than "
                                    "{}, got {}",
                                    most, digits[i]));
        return digits[i];
    };
    if (type->is_float())
    {
        const DoubleRows rows(call[0]);
        for (size_t i = 0; i < call.rows; ++i)
            out.row(float_text(rows[i], check(i, kMaxFloatDigits)));
        return out.finish();
    }
    if (type->is_decimal())
    {
        const ColumnPtr wide =
            convert_numbers(call.column(0), type->physical(), PhysicalType::Int256);
        const NumberRows<Int256> rows(wide);
        for (size_t i = 0; i < call.rows; ++i)
            out.row(decimal_text(rows[i], scale_of(type),
                                 static_cast<uint32_t>(check(i, kMaxDecimalDigits))));
        return out.finish();
    }
    const ColumnPtr text = as_text(call[0], call.context);
    const StringRows rows(text);
    for (size_t i = 0; i < call.rows; ++i)
    {
        out.write(rows[i]);
        if (const int64_t zeros = check(i, kMaxDecimalDigits); zeros > 0)
        {
            out.write('.');
            out.fill(static_cast<size_t>(zeros), '0');
        }
        out.end_row();
    }
    return out.finish();
}

constexpr FunctionSpec kMultiply{"multiplyDecimal", "n n [ i!", exact_type, run_exact<false>};
constexpr FunctionSpec kDivide{"divideDecimal", "n n [ i!", exact_type, run_exact<true>};
constexpr FunctionSpec kText{"toDecimalString", "n i", decimal_string_type, run_decimal_string,
                             kCaseInsensitive};

} // namespace

void register_decimal_exact(ScalarRegistry& registry)
{
    add_all<kMultiply, kDivide, kText>(registry);
}

} // namespace basalt
