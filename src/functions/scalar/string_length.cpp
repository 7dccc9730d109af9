// length, lengthUTF8, empty, notEmpty.

#include "functions/scalar/column_rows.h"
#include "functions/scalar/utf8.h"

namespace basalt
{
namespace
{

ColumnPtr run_length(const Call& call)
{
    const TypeId id = call.type(0)->id();
    if (id == TypeId::Array || id == TypeId::Map)
    {
        const ArrayRows arrays(call.column(0));
        return map_rows<uint64_t>(call.rows, [&](size_t i) { return arrays.length(i); });
    }
    const StringRows rows(call.column(0));
    return map_rows<uint64_t>(call.rows, [&](size_t i) { return rows[i].size(); });
}

ColumnPtr run_length_utf8(const Call& call)
{
    const StringRows rows(call.column(0));
    return map_rows<uint64_t>(call.rows, [&](size_t i) { return utf8_length(rows[i]); });
}

bool all_zero(std::string_view bytes)
{
    for (const char c : bytes)
        if (c != 0)
            return false;
    return true;
}

template <bool kNegate> ColumnPtr run_empty(const Call& call)
{
    switch (call.type(0)->id())
    {
        case TypeId::Array:
        case TypeId::Map:
        {
            const ArrayRows arrays(call.column(0));
            return map_rows<uint8_t>(call.rows, [&](size_t i)
                                     { return (arrays.length(i) == 0) != kNegate; });
        }
        case TypeId::UUID:
        {
            const NumberRows<UInt128> rows(call.column(0));
            return map_rows<uint8_t>(call.rows,
                                     [&](size_t i) { return (rows[i] == 0) != kNegate; });
        }
        case TypeId::IPv4:
        {
            const NumberRows<uint32_t> rows(call.column(0));
            return map_rows<uint8_t>(call.rows,
                                     [&](size_t i) { return (rows[i] == 0) != kNegate; });
        }
        case TypeId::FixedString:
        case TypeId::IPv6:
        {
            const StringRows rows(call.column(0));
            return map_rows<uint8_t>(call.rows,
                                     [&](size_t i) { return all_zero(rows[i]) != kNegate; });
        }
        default:
        {
            const StringRows rows(call.column(0));
            return map_rows<uint8_t>(call.rows,
                                     [&](size_t i) { return rows[i].empty() != kNegate; });
        }
    }
}

constexpr FunctionSpec kLength{"length", "sam", type_is<TypeId::UInt64>, run_length,
                               kCaseInsensitive | kCheap, "OCTET_LENGTH* CARDINALITY*"};
// Of a FixedString it is known beforehand.
class Length final : public SpecFunction
{
public:
    explicit Length(const QueryContext& context) : SpecFunction(kLength, context) {}
    ColumnPtr constant_result(const Arguments& arguments, const TypePtr&,
                              const QueryContext&) const override
    {
        if (!arguments[0].type->is(TypeId::FixedString))
            return nullptr;
        return std::make_shared<VectorColumn<uint64_t>>(
            1, type_as<FixedStringType>(arguments[0].type).width());
    }
};

constexpr FunctionSpec kLengthUtf8{"lengthUTF8", "s", type_is<TypeId::UInt64>, run_length_utf8, 0,
                                   "CHAR_LENGTH* CHARACTER_LENGTH*"};
constexpr FunctionSpec kEmpty{"empty", "samu46", type_is<TypeId::UInt8>, run_empty<false>, kCheap};
constexpr FunctionSpec kNotEmpty{"notEmpty", "samu46", type_is<TypeId::UInt8>, run_empty<true>,
                                 kCheap};

} // namespace

void register_string_length(ScalarRegistry& registry)
{
    add_spec(registry, kLength, [](const QueryContext& context) -> ScalarFunctionPtr
             { return std::make_shared<Length>(context); });
    add_all<kLengthUtf8, kEmpty, kNotEmpty>(registry);
}

} // namespace basalt
