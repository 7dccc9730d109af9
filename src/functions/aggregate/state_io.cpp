#include "functions/aggregate/state_io.h"

namespace basalt
{

namespace
{

// Items without bytes of their own (of type Nothing, or empty tuples) are not bounded by the
// length of the input.
constexpr uint32_t kMaxEmptyItems = 1 << 20;

template <class T> bool is_vector_of(const Column& column)
{
    return dynamic_cast<const VectorColumn<T>*>(&column) != nullptr;
}

size_t vector_width(const Column& column)
{
    if (is_vector_of<uint8_t>(column) || is_vector_of<int8_t>(column))
        return 1;
    if (is_vector_of<uint16_t>(column) || is_vector_of<int16_t>(column))
        return 2;
    if (is_vector_of<uint32_t>(column) || is_vector_of<int32_t>(column) ||
        is_vector_of<float>(column))
        return 4;
    if (is_vector_of<uint64_t>(column) || is_vector_of<int64_t>(column) ||
        is_vector_of<double>(column))
        return 8;
    return is_vector_of<UInt128>(column) || is_vector_of<Int128>(column) ? 16 : 32;
}

// Walks over one key, so that append_from_key may then read it blindly.
void check_key(const Column& shape, StateReader& in)
{
    switch (shape.form())
    {
    case ColumnForm::Vector: in.bytes(vector_width(shape)); return;
    case ColumnForm::FixedString:
        in.bytes(static_cast<const FixedStringColumn&>(shape).width());
        return;
    case ColumnForm::String: in.bytes(in.fixed<uint32_t>()); return;
    case ColumnForm::Nullable:
        if (in.fixed<uint8_t>() == 0)
            check_key(*static_cast<const NullableColumn&>(shape).nested(), in);
        return;
    case ColumnForm::Array:
    {
        const Column& items = *static_cast<const ArrayColumn&>(shape).items();
        const auto count = in.fixed<uint32_t>();
        for (uint32_t i = 0; i < count; ++i)
        {
            const size_t before = in.left();
            check_key(items, in);
            if (in.left() == before && count > kMaxEmptyItems)
                StateReader::corrupted();
        }
        return;
    }
    case ColumnForm::Tuple:
        for (const ColumnPtr& element : static_cast<const TupleColumn&>(shape).elements())
            check_key(*element, in);
        return;
    case ColumnForm::AggregateState: in.bytes(in.fixed<uint64_t>()); return;
    case ColumnForm::Nothing:
    case ColumnForm::Constant:
    case ColumnForm::Dictionary:
    case ColumnForm::Lambda:
    case ColumnForm::Set: return;
    }
}

} // namespace

void StateReader::corrupted()
{
    throw Error(error_codes::CORRUPTED_DATA, "The state of an aggregate function is corrupted");
}

uint64_t StateReader::count()
{
    uint64_t value = 0;
    for (unsigned shift = 0; shift < 64; shift += 7)
    {
        const auto byte = fixed<uint8_t>();
        if (shift == 63 && byte > 1)
            corrupted();
        value |= static_cast<uint64_t>(byte & 0x7F) << shift;
        if (byte < 0x80)
            return value;
    }
    corrupted();
}

void put_key(std::string& out, const Column& column, size_t row)
{
    PodVector<char> key;
    column.append_key(row, key);
    out.append(key.data(), key.size());
}

void read_key(Column& into, StateReader& in)
{
    const char* key = in.position();
    check_key(into, in);
    into.append_from_key(key);
}

void put_column(std::string& out, const Column& column)
{
    put_count(out, column.size());
    PodVector<char> keys;
    for (size_t i = 0; i < column.size(); ++i)
    {
        keys.clear();
        column.append_key(i, keys);
        out.append(keys.data(), keys.size());
    }
}

void read_column(Column& into, StateReader& in)
{
    const uint64_t rows = in.count();
    for (uint64_t i = 0; i < rows; ++i)
    {
        const size_t before = in.left();
        read_key(into, in);
        if (in.left() == before && rows > kMaxEmptyItems)
            StateReader::corrupted();
    }
}

} // namespace basalt
