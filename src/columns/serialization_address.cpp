#include "columns/address_text.h"
#include "columns/serialization_kinds.h"

#include "base/unaligned.h"

namespace basalt
{

namespace
{

class UuidSerialization final : public PlainSerialization
{
public:
    UuidSerialization() : PlainSerialization(true) {}

    // Bytes: the high half first, each half little-endian.
    void write_binary(const Column& column, size_t row, OutputBuffer& out) const override
    {
        const FlatCell cell(column, row);
        put(out, column_as<VectorColumn<UInt128>>(*cell.column).data()[cell.row]);
    }
    void read_binary(Column& column, InputBuffer& in) const override
    {
        char bytes[16];
        in.read_exact(bytes, sizeof(bytes));
        column_as<VectorColumn<UInt128>>(column).data().push_back(swap_halves(load<UInt128>(bytes)));
    }
    void write_native_data(const Column& column, size_t begin, size_t count,
                           OutputBuffer& out) const override
    {
        const auto& data = column_as<VectorColumn<UInt128>>(column).data();
        for (size_t i = begin; i < begin + count; ++i)
            put(out, data[i]);
    }
    ColumnPtr read_native_data(size_t count, InputBuffer& in) const override
    {
        auto column = std::make_shared<VectorColumn<UInt128>>();
        FixedWidthBinary<UInt128>::read_rows(in, count, column->data());
        for (UInt128& value : column->data())
            value = swap_halves(value);
        return column;
    }

protected:
    void write_plain(const Column& column, size_t row, OutputBuffer& out,
                     const TextOptions&) const override
    {
        char* to = out.reserve(kUuidTextBytes);
        put_uuid(to, column_as<VectorColumn<UInt128>>(column).data()[row]);
        out.advance(kUuidTextBytes);
    }
    bool parse_plain(Column& column, TextCursor& cursor, TextPlace,
                     const TextOptions&) const override
    {
        UInt128 value;
        if (!parse_uuid(cursor, value))
            return false;
        column_as<VectorColumn<UInt128>>(column).data().push_back(value);
        return true;
    }

private:
    static UInt128 swap_halves(UInt128 value) { return value << 64 | value >> 64; }
    static void put(OutputBuffer& out, UInt128 value)
    {
        value = swap_halves(value);
        out.write(reinterpret_cast<const char*>(&value), sizeof(value));
    }
};

class Ipv4Serialization final : public PlainSerialization
{
public:
    Ipv4Serialization() : PlainSerialization(true) {}

    BASALT_FIXED_WIDTH_BINARY(uint32_t)

protected:
    void write_plain(const Column& column, size_t row, OutputBuffer& out,
                     const TextOptions&) const override
    {
        char* to = out.reserve(kMaxIpv4TextBytes);
        const char* end = put_ipv4(to, column_as<VectorColumn<uint32_t>>(column).data()[row]);
        out.advance(static_cast<size_t>(end - to));
    }
    bool parse_plain(Column& column, TextCursor& cursor, TextPlace,
                     const TextOptions&) const override
    {
        uint32_t value;
        if (!parse_ipv4(cursor, value))
            return false;
        column_as<VectorColumn<uint32_t>>(column).data().push_back(value);
        return true;
    }
};

class Ipv6Serialization final : public PlainSerialization
{
public:
    Ipv6Serialization() : PlainSerialization(true), bytes_(make_fixed_string_serialization(16)) {}

    void write_binary(const Column& column, size_t row, OutputBuffer& out) const override
    {
        bytes_->write_binary(column, row, out);
    }
    void read_binary(Column& column, InputBuffer& in) const override
    {
        bytes_->read_binary(column, in);
    }
    void write_native_data(const Column& column, size_t begin, size_t count,
                           OutputBuffer& out) const override
    {
        bytes_->write_native_data(column, begin, count, out);
    }
    ColumnPtr read_native_data(size_t count, InputBuffer& in) const override
    {
        return bytes_->read_native_data(count, in);
    }

protected:
    void write_plain(const Column& column, size_t row, OutputBuffer& out,
                     const TextOptions&) const override
    {
        char* to = out.reserve(kMaxIpv6TextBytes);
        const char* end = put_ipv6(to, column_as<FixedStringColumn>(column).at(row).data());
        out.advance(static_cast<size_t>(end - to));
    }
    bool parse_plain(Column& column, TextCursor& cursor, TextPlace,
                     const TextOptions&) const override
    {
        char bytes[16];
        if (!parse_ipv6(cursor, bytes))
            return false;
        column_as<FixedStringColumn>(column).append({bytes, sizeof(bytes)});
        return true;
    }

private:
    SerializationPtr bytes_;
};

} // namespace

SerializationPtr make_uuid_serialization() { return std::make_shared<UuidSerialization>(); }
SerializationPtr make_ipv4_serialization() { return std::make_shared<Ipv4Serialization>(); }
SerializationPtr make_ipv6_serialization() { return std::make_shared<Ipv6Serialization>(); }

} // namespace basalt
