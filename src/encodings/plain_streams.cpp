#include "encodings/plain_streams.h"

#include "base/error.h"
#include "encodings/vector_visit.h"

#include <algorithm>
#include <fmt/format.h>

namespace basalt::inline encodings
{

namespace
{

[[noreturn]] void throw_corrupted(const char* what)
{
    throw Error(error_codes::CORRUPTED_DATA, fmt::format("Damaged column data: {}", what));
}

const TypePtr& without_wrappers(const TypePtr& type)
{
    if (type->id() == TypeId::LowCardinality)
        return without_wrappers(type_as<LowCardinalityType>(type).nested());
    if (type->id() == TypeId::SimpleAggregateFunction)
        return without_wrappers(type_as<SimpleAggregateFunctionType>(type).nested());
    return type;
}

T64Type t64_type_of(TypeId id)
{
    switch (id)
    {
    case TypeId::Bool:
    case TypeId::UInt8:
        return T64Type::UInt8;
    case TypeId::UInt16:
        return T64Type::UInt16;
    case TypeId::UInt32:
        return T64Type::UInt32;
    case TypeId::UInt64:
        return T64Type::UInt64;
    case TypeId::Int8:
        return T64Type::Int8;
    case TypeId::Int16:
        return T64Type::Int16;
    case TypeId::Int32:
        return T64Type::Int32;
    case TypeId::Int64:
        return T64Type::Int64;
    case TypeId::Date:
        return T64Type::Date;
    case TypeId::DateTime:
        return T64Type::DateTime;
    case TypeId::DateTime64:
        return T64Type::DateTime64;
    case TypeId::Enum8:
        return T64Type::Enum8;
    case TypeId::Enum16:
        return T64Type::Enum16;
    case TypeId::Decimal32:
        return T64Type::Decimal32;
    case TypeId::Decimal64:
        return T64Type::Decimal64;
    case TypeId::IPv4:
        return T64Type::IPv4;
    case TypeId::Date32:
        return T64Type::Date32;
    case TypeId::Time:
        return T64Type::Time;
    default:
        return T64Type::None;
    }
}

CodecElement element_of(const TypePtr& type)
{
    CodecElement element;
    size_t width = 0;
    if (type->id() == TypeId::FixedString)
        width = type_as<FixedStringType>(type).width();
    else if (type->id() == TypeId::IPv6)
        width = 16;
    else
        with_vector_type(type->physical(), [&](auto tag) { width = sizeof(tag); });
    element.type_name = type->name();
    if (width == 0)
        return element;
    if (width > UINT8_MAX)
        return element;
    element.bytes = static_cast<uint8_t>(width);
    if (type->is_float())
        element.kind = CodecElement::Kind::Float;
    else if (type->is_string() || type->id() == TypeId::UUID || type->id() == TypeId::IPv6)
        element.kind = CodecElement::Kind::Other;
    else
        element.kind = CodecElement::Kind::Integer;
    element.t64_type = t64_type_of(type->id());
    return element;
}

void collect(const TypePtr& wrapped, std::vector<PlainStream>& out)
{
    const TypePtr& type = without_wrappers(wrapped);
    if (out.size() >= kMaxStreams)
        throw Error(error_codes::TOO_MANY_COLUMNS,
                    fmt::format("A column has more than {} streams", kMaxStreams));
    using Kind = PlainStream::Kind;
    switch (type->physical())
    {
    case PhysicalType::String:
    case PhysicalType::AggregateState:
        out.push_back({Kind::Lengths, {}});
        out.push_back({Kind::Values, element_of(type)});
        return;
    case PhysicalType::Nullable:
        out.push_back({Kind::Nulls, {}});
        collect(type_as<NullableType>(type).nested(), out);
        return;
    case PhysicalType::Array:
        out.push_back({Kind::Lengths, {}});
        collect(type->id() == TypeId::Map
                    ? type_as<ArrayType>(type_as<MapType>(type).entries()).nested()
                    : type_as<ArrayType>(type).nested(),
                out);
        return;
    case PhysicalType::Tuple:
        for (const auto& element : type_as<TupleType>(type).elements())
            collect(element, out);
        return;
    case PhysicalType::Nothing:
        return;
    case PhysicalType::Function:
    case PhysicalType::Set:
        throw Error(error_codes::NOT_IMPLEMENTED,
                    fmt::format("Type {} cannot be stored", type->name()));
    default:
        out.push_back({Kind::Values, element_of(type)});
    }
}

template <class T>
void append_narrow(const PodVector<uint64_t>& offsets, size_t begin, size_t count, std::string& out)
{
    const size_t at = out.size();
    out.resize(at + count * sizeof(T));
    char* to = out.data() + at;
    uint64_t previous = begin == 0 ? 0 : offsets[begin - 1];
    for (size_t i = 0; i < count; ++i)
    {
        const uint64_t end = offsets[begin + i];
        const T length = static_cast<T>(end - previous);
        std::memcpy(to + i * sizeof(T), &length, sizeof(T));
        previous = end;
    }
}

void write_lengths(const PodVector<uint64_t>& offsets, size_t begin, size_t count, std::string& out)
{
    if (count == 0)
        return;
    uint64_t previous = begin == 0 ? 0 : offsets[begin - 1];
    const uint64_t first = offsets[begin] - previous;
    uint64_t largest = 0;
    bool constant = true;
    for (size_t i = 0; i < count; ++i)
    {
        const uint64_t length = offsets[begin + i] - previous;
        previous = offsets[begin + i];
        largest = std::max(largest, length);
        constant &= length == first;
    }
    if (largest > UINT32_MAX)
        throw Error(error_codes::TOO_LARGE_STRING_SIZE, "A value is longer than 4 GiB");
    if (constant && count >= kConstantLengthRows)
    {
        const auto length = static_cast<uint32_t>(first);
        out.append(reinterpret_cast<const char*>(&length), sizeof length);
    }
    else if (largest <= UINT8_MAX)
        append_narrow<uint8_t>(offsets, begin, count, out);
    else if (largest <= UINT16_MAX)
        append_narrow<uint16_t>(offsets, begin, count, out);
    else
        append_narrow<uint32_t>(offsets, begin, count, out);
}

template <class T>
uint64_t widen(const PodVector<char>& bytes, size_t count, uint64_t end, uint64_t* offsets)
{
    for (size_t i = 0; i < count; ++i)
    {
        T length;
        std::memcpy(&length, bytes.data() + i * sizeof(T), sizeof(T));
        end += length;
        offsets[i] = end;
    }
    return end;
}

// Appends `count` ends to offsets; returns how much the lengths sum to.
uint64_t read_lengths(PodVector<uint64_t>& offsets, size_t count, size_t stream,
                      const PlainSource& source)
{
    if (count == 0)
        return 0;
    const uint64_t start = offsets.empty() ? 0 : offsets.back();
    const size_t old = offsets.size();
    const size_t size = source.size_of(stream);
    PodVector<char> bytes(size);
    source.read(stream, bytes.data());
    offsets.resize(old + count);
    uint64_t* to = offsets.data() + old;
    uint64_t end = start;
    if (size == 4 && count >= kConstantLengthRows)
    {
        uint32_t length;
        std::memcpy(&length, bytes.data(), sizeof length);
        for (size_t i = 0; i < count; ++i)
            to[i] = end += length;
    }
    else if (size == count)
        end = widen<uint8_t>(bytes, count, start, to);
    else if (size == count * 2)
        end = widen<uint16_t>(bytes, count, start, to);
    else if (size == count * 4)
        end = widen<uint32_t>(bytes, count, start, to);
    else
        throw_corrupted("lengths do not fit the number of rows");
    return end - start;
}

void check_size(const PlainSource& source, size_t stream, uint64_t bytes)
{
    if (source.size_of(stream) != bytes)
        throw_corrupted("values do not fit the number of rows");
}

void write(const Column& column, const TypePtr& wrapped, size_t begin, size_t count, size_t& at,
           std::vector<std::string>& streams)
{
    const TypePtr& type = without_wrappers(wrapped);
    switch (type->physical())
    {
    case PhysicalType::String:
    {
        const auto& strings = column_as<StringColumn>(column);
        write_lengths(strings.offsets(), begin, count, streams[at++]);
        const size_t from = strings.offset_at(begin);
        const size_t to = strings.offset_at(begin + count);
        if (to > from)
            streams[at].append(strings.chars().data() + from, to - from);
        ++at;
        return;
    }
    case PhysicalType::FixedString:
    {
        const auto& strings = column_as<FixedStringColumn>(column);
        streams[at++].append(strings.chars().data() + begin * strings.width(),
                             count * strings.width());
        return;
    }
    case PhysicalType::Nullable:
    {
        const auto& nullable = column_as<NullableColumn>(column);
        const uint8_t* nulls = nullable.null_map().data() + begin;
        if (std::any_of(nulls, nulls + count, [](uint8_t null) { return null != 0; }))
            streams[at].append(reinterpret_cast<const char*>(nulls), count);
        write(*nullable.nested(), type_as<NullableType>(type).nested(), begin, count, ++at,
              streams);
        return;
    }
    case PhysicalType::Array:
    {
        const auto& array = column_as<ArrayColumn>(column);
        write_lengths(array.offsets(), begin, count, streams[at]);
        const size_t from = array.begin_of(begin);
        const size_t to = count == 0 ? from : array.offsets()[begin + count - 1];
        write(*array.items(),
              type->id() == TypeId::Map
                  ? type_as<ArrayType>(type_as<MapType>(type).entries()).nested()
                  : type_as<ArrayType>(type).nested(),
              from, to - from, ++at, streams);
        return;
    }
    case PhysicalType::Tuple:
    {
        const auto& tuple = column_as<TupleColumn>(column);
        const auto& elements = type_as<TupleType>(type).elements();
        for (size_t i = 0; i < elements.size(); ++i)
            write(*tuple.element(i), elements[i], begin, count, at, streams);
        return;
    }
    case PhysicalType::AggregateState:
    {
        const auto& states = column_as<AggregateStateColumn>(column);
        PodVector<uint64_t> ends;
        std::string& bytes = streams[at + 1];
        const size_t start = bytes.size();
        for (size_t i = 0; i < count; ++i)
        {
            states.ops().write_state(states.states()[begin + i], bytes);
            ends.push_back(bytes.size() - start);
        }
        write_lengths(ends, 0, count, streams[at]);
        at += 2;
        return;
    }
    case PhysicalType::Nothing:
        return;
    default:
        with_vector_type(type->physical(),
                         [&](auto tag)
                         {
                             using T = decltype(tag);
                             const auto& data = column_as<VectorColumn<T>>(column).data();
                             streams[at].append(
                                 reinterpret_cast<const char*>(data.data() + begin),
                                 count * sizeof(T));
                         });
        ++at;
    }
}

void read(Column& column, const TypePtr& wrapped, size_t count, size_t& at,
          const PlainSource& source)
{
    const TypePtr& type = without_wrappers(wrapped);
    switch (type->physical())
    {
    case PhysicalType::String:
    {
        auto& strings = column_as<StringColumn>(column);
        const uint64_t bytes = read_lengths(strings.offsets(), count, at++, source);
        check_size(source, at, bytes);
        const size_t old = strings.chars().size();
        strings.chars().resize(old + bytes);
        source.read(at++, strings.chars().data() + old);
        return;
    }
    case PhysicalType::FixedString:
    {
        auto& strings = column_as<FixedStringColumn>(column);
        check_size(source, at, count * strings.width());
        const size_t old = strings.chars().size();
        strings.chars().resize(old + count * strings.width());
        source.read(at++, strings.chars().data() + old);
        return;
    }
    case PhysicalType::Nullable:
    {
        auto& nullable = column_as<NullableColumn>(column);
        auto& nulls = nullable.mutable_null_map();
        const size_t old = nulls.size();
        if (source.size_of(at) == 0)
            nulls.resize_fill(old + count, 0);
        else
        {
            check_size(source, at, count);
            nulls.resize(old + count);
            source.read(at, reinterpret_cast<char*>(nulls.data() + old));
        }
        read(nullable.mutable_nested(), type_as<NullableType>(type).nested(), count, ++at,
             source);
        return;
    }
    case PhysicalType::Array:
    {
        auto& array = column_as<ArrayColumn>(column);
        const uint64_t items = read_lengths(array.mutable_offsets(), count, at, source);
        read(array.mutable_items(),
             type->id() == TypeId::Map
                 ? type_as<ArrayType>(type_as<MapType>(type).entries()).nested()
                 : type_as<ArrayType>(type).nested(),
             items, ++at, source);
        return;
    }
    case PhysicalType::Tuple:
    {
        auto& tuple = column_as<TupleColumn>(column);
        const auto& elements = type_as<TupleType>(type).elements();
        for (size_t i = 0; i < elements.size(); ++i)
            read(tuple.mutable_element(i), elements[i], count, at, source);
        tuple.set_rows(tuple.size() + count);
        return;
    }
    case PhysicalType::AggregateState:
    {
        auto& states = column_as<AggregateStateColumn>(column);
        PodVector<uint64_t> ends;
        const uint64_t bytes = read_lengths(ends, count, at++, source);
        check_size(source, at, bytes);
        PodVector<char> data(bytes);
        source.read(at++, data.data());
        for (size_t i = 0; i < count; ++i)
        {
            const size_t begin = i == 0 ? 0 : ends[i - 1];
            states.ops().read_state(states.append_new(), data.data() + begin, ends[i] - begin,
                                    states.arena());
        }
        return;
    }
    case PhysicalType::Nothing:
        column.append_defaults(count);
        return;
    default:
        with_vector_type(type->physical(),
                         [&](auto tag)
                         {
                             using T = decltype(tag);
                             check_size(source, at, count * sizeof(T));
                             auto& data = column_as<VectorColumn<T>>(column).data();
                             const size_t old = data.size();
                             data.resize(old + count);
                             source.read(at, reinterpret_cast<char*>(data.data() + old));
                         });
        ++at;
    }
}

} // namespace

std::vector<PlainStream> plain_streams_of(const TypePtr& type)
{
    std::vector<PlainStream> streams;
    collect(type, streams);
    return streams;
}

void write_plain_streams(const Column& column, const TypePtr& type, size_t begin, size_t count,
                         std::vector<std::string>& streams)
{
    size_t at = 0;
    write(column, type, begin, count, at, streams);
}

void read_plain_streams(Column& column, const TypePtr& type, size_t count,
                        const PlainSource& source)
{
    size_t at = 0;
    read(column, type, count, at, source);
}

size_t binary_bytes(const Column& column, size_t begin, size_t count)
{
    switch (column.form())
    {
    case ColumnForm::String:
    {
        const auto& strings = column_as<StringColumn>(column);
        return strings.offset_at(begin + count) - strings.offset_at(begin) + count;
    }
    case ColumnForm::FixedString:
        return column_as<FixedStringColumn>(column).width() * count;
    case ColumnForm::Nullable:
        return count + binary_bytes(*column_as<NullableColumn>(column).nested(), begin, count);
    case ColumnForm::Array:
    {
        const auto& array = column_as<ArrayColumn>(column);
        const size_t from = array.begin_of(begin);
        const size_t to = count == 0 ? from : array.offsets()[begin + count - 1];
        return count * 8 + binary_bytes(*array.items(), from, to - from);
    }
    case ColumnForm::Tuple:
    {
        size_t sum = 0;
        for (const auto& element : column_as<TupleColumn>(column).elements())
            sum += binary_bytes(*element, begin, count);
        return sum;
    }
    case ColumnForm::Dictionary:
        return count * 4;
    case ColumnForm::Constant:
        return count * binary_bytes(*column_as<ConstantColumn>(column).nested(), 0, 1);
    case ColumnForm::Nothing:
        return 0;
    case ColumnForm::Vector:
        return column.size() == 0 ? 0 : vector_width(column) * count;
    default:
        return column.size() == 0 ? 0 : column.byte_size() / column.size() * count;
    }
}

} // namespace basalt::encodings
