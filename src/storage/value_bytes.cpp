#include "storage/value_bytes.h"

#include "base/error.h"
#include "base/unaligned.h"
#include "storage/log/record.h"

namespace basalt
{

namespace
{

// Numbers on disk, never reused.
enum class Tag : uint8_t
{
    Null = 0,
    UInt64 = 1,
    Int64 = 2,
    Float64 = 3,
    UInt128 = 4,
    Int128 = 5,
    UInt256 = 6,
    Int256 = 7,
    Decimal = 8,
    String = 9,
    Array = 10,
    Tuple = 11,
    Map = 12,
};

constexpr size_t kMaxDepth = 300;

template <class T> void append_raw(std::string& out, Tag tag, const T& value)
{
    out.push_back(static_cast<char>(tag));
    out.append(reinterpret_cast<const char*>(&value), sizeof(T));
}

template <class T> T take_raw(std::string_view& bytes)
{
    if (bytes.size() < sizeof(T))
        throw Error(error_codes::CORRUPTED_DATA, "Damaged value: it is cut off");
    const T value = load<T>(bytes.data());
    bytes.remove_prefix(sizeof(T));
    return value;
}

void append_items(std::string& out, Tag tag, const Values& items)
{
    out.push_back(static_cast<char>(tag));
    append_varint(out, items.size());
    for (const auto& item : items)
        append_value(out, item);
}

struct Appender
{
    std::string& out;
    void operator()(Null) const { out.push_back(static_cast<char>(Tag::Null)); }
    void operator()(uint64_t v) const { append_raw(out, Tag::UInt64, v); }
    void operator()(int64_t v) const { append_raw(out, Tag::Int64, v); }
    void operator()(double v) const { append_raw(out, Tag::Float64, v); }
    void operator()(UInt128 v) const { append_raw(out, Tag::UInt128, v); }
    void operator()(Int128 v) const { append_raw(out, Tag::Int128, v); }
    void operator()(const UInt256& v) const { append_raw(out, Tag::UInt256, v); }
    void operator()(const Int256& v) const { append_raw(out, Tag::Int256, v); }
    void operator()(const DecimalValue& v) const
    {
        append_raw(out, Tag::Decimal, v.mantissa);
        out.append(reinterpret_cast<const char*>(&v.scale), sizeof v.scale);
    }
    void operator()(const std::string& v) const
    {
        out.push_back(static_cast<char>(Tag::String));
        append_text(out, v);
    }
    void operator()(const ArrayValue& v) const { append_items(out, Tag::Array, v.items); }
    void operator()(const TupleValue& v) const { append_items(out, Tag::Tuple, v.items); }
    void operator()(const MapValue& v) const { append_items(out, Tag::Map, v.items); }
};

Value take(std::string_view& bytes, size_t depth)
{
    if (depth > kMaxDepth)
        throw Error(error_codes::CORRUPTED_DATA, "Damaged value: it is nested too deeply");
    const auto tag = take_raw<Tag>(bytes);
    const auto items = [&]
    {
        Values values;
        for (uint64_t n = take_varint(bytes); n > 0; --n)
            values.push_back(take(bytes, depth + 1));
        return values;
    };
    switch (tag)
    {
    case Tag::Null:
        return Null{};
    case Tag::UInt64:
        return take_raw<uint64_t>(bytes);
    case Tag::Int64:
        return take_raw<int64_t>(bytes);
    case Tag::Float64:
        return take_raw<double>(bytes);
    case Tag::UInt128:
        return take_raw<UInt128>(bytes);
    case Tag::Int128:
        return take_raw<Int128>(bytes);
    case Tag::UInt256:
        return take_raw<UInt256>(bytes);
    case Tag::Int256:
        return take_raw<Int256>(bytes);
    case Tag::Decimal:
    {
        DecimalValue value;
        value.mantissa = take_raw<Int256>(bytes);
        value.scale = take_raw<uint32_t>(bytes);
        return value;
    }
    case Tag::String:
        return std::string(take_text(bytes));
    case Tag::Array:
        return ArrayValue{items()};
    case Tag::Tuple:
        return TupleValue{items()};
    case Tag::Map:
        return MapValue{items()};
    }
    throw Error(error_codes::CORRUPTED_DATA, "Damaged value: unknown kind");
}

} // namespace

void append_value(std::string& out, const Value& value)
{
    std::visit(Appender{out},
               static_cast<const std::variant<Null, uint64_t, int64_t, double, UInt128, Int128,
                                              UInt256, Int256, DecimalValue, std::string,
                                              ArrayValue, TupleValue, MapValue>&>(value));
}

Value take_value(std::string_view& bytes)
{
    return take(bytes, 0);
}

} // namespace basalt
