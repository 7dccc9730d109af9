// mortonEncode, mortonDecode, hilbertEncode, hilbertDecode: several unsigned numbers as one place
// on a space-filling curve and back. A tuple before the numbers stretches each of them.

#include "functions/scalar/array_items.h"

#include <fmt/core.h>

#include <array>

namespace basalt
{
namespace
{

constexpr size_t kMaxMortonDimensions = 8;
constexpr size_t kMaxHilbertDimensions = 2;

// Bit i goes to bit stretch * i + stretch - 1.
uint64_t spread(uint64_t value, uint64_t stretch)
{
    uint64_t result = 0;
    for (uint64_t i = 0; i < 64 && stretch * i + stretch - 1 < 64; ++i)
        result |= (value >> i & 1) << (stretch * i + stretch - 1);
    return result;
}
uint64_t gather(uint64_t value, uint64_t stretch)
{
    uint64_t result = 0;
    for (uint64_t i = 0; i < 64 && stretch * i + stretch - 1 < 64; ++i)
        result |= (value >> (stretch * i + stretch - 1) & 1) << i;
    return result;
}

uint64_t interleave(const uint64_t* values, size_t count)
{
    if (count == 1)
        return values[0];
    uint64_t result = 0;
    for (size_t bit = 0; bit < 64 / count; ++bit)
        for (size_t k = 0; k < count; ++k)
            result |= (values[k] >> bit & 1) << (bit * count + k);
    return result;
}
void deinterleave(uint64_t code, uint64_t* values, size_t count)
{
    for (size_t k = 0; k < count; ++k)
        values[k] = 0;
    if (count == 1)
    {
        values[0] = code;
        return;
    }
    for (size_t bit = 0; bit < 64 / count; ++bit)
        for (size_t k = 0; k < count; ++k)
            values[k] |= (code >> (bit * count + k) & 1) << bit;
}

// The classic walk over the quadrants of a square with sides of 2^32.
uint64_t hilbert_of(uint32_t x, uint32_t y)
{
    uint64_t code = 0;
    for (int level = 31; level >= 0; --level)
    {
        const uint64_t right = x >> level & 1;
        const uint64_t up = y >> level & 1;
        code = code << 2 | ((3 * right) ^ up);
        if (up == 0)
        {
            if (right == 1)
            {
                x = ~x;
                y = ~y;
            }
            std::swap(x, y);
        }
    }
    return code;
}
void hilbert_to(uint64_t code, uint32_t& x, uint32_t& y)
{
    x = 0;
    y = 0;
    for (int level = 0; level < 32; ++level)
    {
        const auto right = static_cast<uint32_t>(code >> 1 & 1);
        const auto up = static_cast<uint32_t>((code ^ right) & 1);
        if (up == 0)
        {
            if (right == 1)
            {
                const uint32_t last = (uint32_t{1} << level) - 1;
                x = last - x;
                y = last - y;
            }
            std::swap(x, y);
        }
        x |= right << level;
        y |= up << level;
        code >>= 2;
    }
}

// Whether the first argument is a tuple of stretches.
bool has_stretches(const Arguments& arguments)
{
    return !arguments.empty() && arguments[0].type->is(TypeId::Tuple);
}

struct Curve
{
    size_t max_dimensions;
    uint64_t most_stretch;
    uint64_t least_stretch;
};
constexpr Curve kMorton{kMaxMortonDimensions, 8, 1};
constexpr Curve kHilbert{kMaxHilbertDimensions, 32, 0};

std::vector<uint64_t> stretches_of(std::string_view name, const Arguments& arguments,
                                   const Curve& curve)
{
    if (!arguments[0].column || arguments[0].column->size() == 0)
        throw Error(error_codes::ILLEGAL_COLUMN,
                    fmt::format("The tuple of function {} must be constant", name));
    const Value value = arguments[0].column->value_at(0);
    std::vector<uint64_t> stretches;
    for (const Value& item : value.get<TupleValue>().items)
    {
        const auto number = value_to_integer(item);
        if (!number || *number < static_cast<int64_t>(curve.least_stretch) ||
            *number > static_cast<int64_t>(curve.most_stretch))
            throw Error(error_codes::ARGUMENT_OUT_OF_BOUND,
                        fmt::format("Illegal argument {} of function {}, should be a number in "
                                    "range {}-{}",
                                    arguments[0].type->name(), name, curve.least_stretch,
                                    curve.most_stretch));
        stretches.push_back(static_cast<uint64_t>(*number));
    }
    return stretches;
}

bool native_unsigned(const TypePtr& type)
{
    return type->is_unsigned() && type->physical() <= PhysicalType::UInt64;
}

const Curve& curve_of(std::string_view name)
{
    return name.starts_with("morton") ? kMorton : kHilbert;
}

TypePtr encode_type(const TypeCall& call)
{
    const Curve& curve = curve_of(call.name);
    const size_t first = has_stretches(call.arguments) ? 1 : 0;
    const size_t dimensions = call.size() - first;
    if (dimensions < 1 || dimensions > curve.max_dimensions)
        throw Error(error_codes::TOO_MANY_ARGUMENTS_FOR_FUNCTION,
                    fmt::format("Illegal number of UInt arguments of function {}: should be not "
                                "more than {} dimensions",
                                call.name, curve.max_dimensions));
    if (first && stretches_of(call.name, call.arguments, curve).size() != dimensions)
        throw Error(error_codes::ARGUMENT_OUT_OF_BOUND,
                    fmt::format("Illegal argument {} for function {}, tuple size should be equal "
                                "to number of UInt arguments",
                                call.type(0)->name(), call.name));
    for (size_t i = first; i < call.size(); ++i)
        if (!native_unsigned(call.type(i)))
            throw_illegal_type(call.name, call.arguments, i, "native UInt");
    return simple_type(TypeId::UInt64);
}

uint64_t stretched(const Curve& curve, uint64_t value, uint64_t stretch)
{
    if (&curve == &kMorton)
        return spread(value, stretch);
    return value << stretch;
}

ColumnPtr run_encode(const Call& call)
{
    if (call.rows == 0)
        return std::make_shared<VectorColumn<uint64_t>>();
    const Curve& curve = curve_of(call.name);
    const size_t first = has_stretches(call.arguments) ? 1 : 0;
    std::vector<uint64_t> stretches;
    if (first)
        stretches = stretches_of(call.name, call.arguments, curve);
    Columns owners;
    std::vector<NumberRows<uint64_t>> numbers;
    for (size_t i = first; i < call.size(); ++i)
    {
        owners.push_back(cast_to(call[i], simple_type(TypeId::UInt64), call.context));
        numbers.emplace_back(owners.back());
    }
    return map_rows<uint64_t>(call.rows,
                              [&](size_t i)
                              {
                                  std::array<uint64_t, kMaxMortonDimensions> values{};
                                  for (size_t k = 0; k < numbers.size(); ++k)
                                      values[k] = first ? stretched(curve, numbers[k][i],
                                                                    stretches[k])
                                                        : numbers[k][i];
                                  if (&curve == &kMorton)
                                      return interleave(values.data(), numbers.size());
                                  if (numbers.size() == 1)
                                      return values[0];
                                  return hilbert_of(static_cast<uint32_t>(values[1]),
                                                    static_cast<uint32_t>(values[0]));
                              });
}

// The number of dimensions a decoder gives: the size of the tuple, or the number itself.
size_t dimensions_of(std::string_view name, const Arguments& arguments)
{
    const Curve& curve = curve_of(name);
    int64_t dimensions;
    if (has_stretches(arguments))
        dimensions = static_cast<int64_t>(stretches_of(name, arguments, curve).size());
    else
        dimensions = constant_integer(name, arguments, 0);
    if (dimensions < 1 || dimensions > static_cast<int64_t>(curve.max_dimensions))
        throw Error(error_codes::ARGUMENT_OUT_OF_BOUND,
                    fmt::format("Illegal first argument for function {}, should be a number in "
                                "range 1-{} or a Tuple of such size",
                                name, curve.max_dimensions));
    return static_cast<size_t>(dimensions);
}

TypePtr decode_type(const TypeCall& call)
{
    const size_t dimensions = dimensions_of(call.name, call.arguments);
    if (!native_unsigned(call.type(1)))
        throw_illegal_type(call.name, call.arguments, 1, "native UInt");
    return std::make_shared<TupleType>(Types(dimensions, simple_type(TypeId::UInt64)));
}

ColumnPtr run_decode(const Call& call)
{
    const Curve& curve = curve_of(call.name);
    const size_t dimensions = dimensions_of(call.name, call.arguments);
    std::vector<uint64_t> stretches;
    if (has_stretches(call.arguments))
        stretches = stretches_of(call.name, call.arguments, curve);
    const ColumnPtr codes = cast_to(call[1], simple_type(TypeId::UInt64), call.context);
    const NumberRows<uint64_t> rows(codes);
    std::vector<std::shared_ptr<VectorColumn<uint64_t>>> out;
    for (size_t k = 0; k < dimensions; ++k)
        out.push_back(std::make_shared<VectorColumn<uint64_t>>(call.rows));
    for (size_t i = 0; i < call.rows; ++i)
    {
        std::array<uint64_t, kMaxMortonDimensions> values{};
        if (&curve == &kMorton || dimensions == 1)
            deinterleave(rows[i], values.data(), dimensions);
        else
        {
            uint32_t x;
            uint32_t y;
            hilbert_to(rows[i], y, x);
            values[0] = x;
            values[1] = y;
        }
        for (size_t k = 0; k < dimensions; ++k)
        {
            if (!stretches.empty())
                values[k] = &curve == &kMorton ? gather(values[k], stretches[k])
                                               : values[k] >> stretches[k];
            out[k]->data()[i] = values[k];
        }
    }
    return TupleColumn::make(Columns(out.begin(), out.end()), call.rows);
}

constexpr FunctionSpec kMortonEncode{"mortonEncode", "*...", encode_type, run_encode};
constexpr FunctionSpec kMortonDecode{"mortonDecode", "it! i", decode_type, run_decode};
constexpr FunctionSpec kHilbertEncode{"hilbertEncode", "*...", encode_type, run_encode};
constexpr FunctionSpec kHilbertDecode{"hilbertDecode", "it! i", decode_type, run_decode};

} // namespace

void register_curves(ScalarRegistry& registry)
{
    add_all<kMortonEncode, kMortonDecode, kHilbertEncode, kHilbertDecode>(registry);
}

} // namespace basalt
