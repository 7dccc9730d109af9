// digits, conv, bitPositionsToArray, bitmaskToArray, bitmaskToList.

#include "functions/scalar/array_items.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <optional>

namespace basalt
{
namespace
{

// The magnitude of integers to 64 bits.
class MagnitudeRows
{
public:
    explicit MagnitudeRows(const Argument& argument)
        : is_unsigned_(argument.type->is(TypeId::UInt64)), signed_(argument)
    {
        if (is_unsigned_)
            unsigned_.emplace(*argument.column);
    }
    uint64_t operator[](size_t row) const
    {
        if (is_unsigned_)
            return (*unsigned_)[row];
        const int64_t value = signed_[row];
        return value < 0 ? uint64_t{0} - static_cast<uint64_t>(value)
                         : static_cast<uint64_t>(value);
    }

private:
    bool is_unsigned_;
    IntegerRows signed_;
    std::optional<NumberRows<uint64_t>> unsigned_;
};

// What substring() would give of the number's decimal text, as a number.
ColumnPtr run_digits(const Call& call)
{
    const MagnitudeRows numbers(call[0]);
    const IntegerRows offsets(call[1]);
    std::optional<IntegerRows> lengths;
    if (call.size() == 3)
        lengths.emplace(call[2]);
    return map_rows<uint64_t>(
        call.rows,
        [&](size_t i)
        {
            const std::string text = fmt::to_string(numbers[i]);
            const auto size = static_cast<int64_t>(text.size());
            const int64_t offset = offsets[i];
            if (offset == 0)
                throw Error(error_codes::ZERO_ARRAY_OR_TUPLE_INDEX, "Indices in number are 1-based");
            int64_t begin = offset > 0 ? offset - 1 : size + offset;
            int64_t end = size;
            if (lengths)
            {
                const int64_t length = (*lengths)[i];
                if (length < 0)
                    end = size + length;
                else if (length < size - begin)
                    end = begin + length;
            }
            begin = std::clamp<int64_t>(begin, 0, size);
            end = std::min(end, size);
            uint64_t result = 0;
            for (int64_t j = begin; j < end; ++j)
                result = result * 10 + static_cast<uint64_t>(text[static_cast<size_t>(j)] - '0');
            return result;
        });
}

int digit_of(char c)
{
    if (c >= '0' && c <= '9')
        return c - '0';
    if (c >= 'a' && c <= 'z')
        return c - 'a' + 10;
    if (c >= 'A' && c <= 'Z')
        return c - 'A' + 10;
    return 36;
}

// Digits up to the first that is none in this base; past 64 bits the largest number.
uint64_t parse_in_base(std::string_view text, int base)
{
    while (!text.empty() && (text[0] == ' ' || (text[0] >= '\t' && text[0] <= '\r')))
        text.remove_prefix(1);
    if (text.empty())
        throw Error(error_codes::BAD_ARGUMENTS, "Number for conversion is empty");
    const bool negative = text[0] == '-';
    if (negative || text[0] == '+')
        text.remove_prefix(1);
    uint64_t value = 0;
    for (const char c : text)
    {
        const int digit = digit_of(c);
        if (digit >= base)
            break;
        if (__builtin_mul_overflow(value, static_cast<uint64_t>(base), &value) ||
            __builtin_add_overflow(value, static_cast<uint64_t>(digit), &value))
        {
            value = UINT64_MAX;
            break;
        }
    }
    return negative ? uint64_t{0} - value : value;
}

ColumnPtr run_conv(const Call& call)
{
    const ColumnPtr text = as_text(call[0], call.context);
    const StringRows texts(text);
    const IntegerRows from(call[1]);
    const IntegerRows to(call[2]);
    StringWriter out(call.rows);
    for (size_t i = 0; i < call.rows; ++i)
    {
        if (from[i] < 2 || from[i] > 36 || to[i] < 2 || to[i] > 36)
            throw Error(error_codes::BAD_ARGUMENTS,
                        "Base is less than 2 or greater than 36 which is not supported");
        uint64_t value = parse_in_base(texts[i], static_cast<int>(from[i]));
        std::array<char, 64> digits;
        size_t n = digits.size();
        const auto base = static_cast<uint64_t>(to[i]);
        do
            digits[--n] = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ"[value % base];
        while (value /= base);
        out.row({digits.data() + n, digits.size() - n});
    }
    return out.finish();
}

// Calls f(bit) for each bit set in the value's own width, the lowest first.
template <class T, class F> void for_each_bit(T value, F&& f)
{
    auto bits = static_cast<std::make_unsigned_t<T>>(value);
    for (; bits; bits &= static_cast<std::make_unsigned_t<T>>(bits - 1))
        f(std::countr_zero(bits));
}

template <class F> ColumnPtr visit_integers(const Call& call, F&& f)
{
    ColumnPtr result;
    visit_vector(call.type(0)->physical(),
                 [&](auto tag)
                 {
                     using T = decltype(tag);
                     if constexpr (std::is_integral_v<T>)
                         result = f(NumberRows<T>(call.column(0)), tag);
                 });
    return result;
}

ColumnPtr run_bit_positions(const Call& call)
{
    return visit_integers(call,
                          [&](const auto& rows, auto)
                          {
                              auto items = std::make_shared<VectorColumn<uint64_t>>();
                              PodVector<uint64_t> offsets;
                              for (size_t i = 0; i < call.rows; ++i)
                              {
                                  for_each_bit(rows[i], [&](int bit) {
                                      items->data().push_back(static_cast<uint64_t>(bit));
                                  });
                                  offsets.push_back(items->size());
                              }
                              return make_array(items, std::move(offsets));
                          });
}

template <class T> T power_of_two(int bit)
{
    return static_cast<T>(std::make_unsigned_t<T>{1} << bit);
}

ColumnPtr run_bitmask_array(const Call& call)
{
    return visit_integers(call,
                          [&](const auto& rows, auto tag)
                          {
                              using T = decltype(tag);
                              auto items = std::make_shared<VectorColumn<T>>();
                              PodVector<uint64_t> offsets;
                              for (size_t i = 0; i < call.rows; ++i)
                              {
                                  for_each_bit(rows[i], [&](int bit)
                                               { items->data().push_back(power_of_two<T>(bit)); });
                                  offsets.push_back(items->size());
                              }
                              return make_array(items, std::move(offsets));
                          });
}

ColumnPtr run_bitmask_list(const Call& call)
{
    return visit_integers(call,
                          [&](const auto& rows, auto tag)
                          {
                              using T = decltype(tag);
                              StringWriter out(call.rows);
                              for (size_t i = 0; i < call.rows; ++i)
                              {
                                  bool first = true;
                                  for_each_bit(rows[i],
                                               [&](int bit)
                                               {
                                                   if (!first)
                                                       out.write(',');
                                                   first = false;
                                                   out.write(fmt::to_string(power_of_two<T>(bit)));
                                               });
                                  out.end_row();
                              }
                              return out.finish();
                          });
}

TypePtr array_of_first(const TypeCall& call)
{
    const TypePtr& type = call.type(0);
    return array_of(type->is(TypeId::Bool) ? simple_type(TypeId::UInt8) : type);
}

constexpr auto kNumber = type_is<TypeId::UInt64>;
constexpr FunctionSpec kDigits{"digits", "i i [ i", kNumber, run_digits};
constexpr FunctionSpec kConv{"conv", "si i i", type_is<TypeId::String>, run_conv, kCaseInsensitive};
constexpr FunctionSpec kPositions{"bitPositionsToArray", "i", type_is_array_of<TypeId::UInt64>,
                                  run_bit_positions};
constexpr FunctionSpec kArray{"bitmaskToArray", "i", array_of_first, run_bitmask_array};
constexpr FunctionSpec kList{"bitmaskToList", "i", type_is<TypeId::String>, run_bitmask_list};

} // namespace

void register_digits(ScalarRegistry& registry)
{
    add_all<kDigits, kConv, kPositions, kArray, kList>(registry);
}

} // namespace basalt
