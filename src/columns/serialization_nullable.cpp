#include "columns/serialization_kinds.h"
#include "io/binary.h"

#include <fmt/core.h>

namespace basalt
{

namespace
{

bool is_word_byte(int c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

class NullableSerialization final : public Serialization
{
public:
    explicit NullableSerialization(SerializationPtr nested) : nested_(std::move(nested)) {}

    void write_text(const Column& column, size_t row, OutputBuffer& out, TextPlace place,
                    const TextOptions& options) const override
    {
        const FlatCell cell(column, row);
        const auto& nullable = column_as<NullableColumn>(*cell.column);
        if (nullable.null_map()[cell.row])
            write_null(out, place, options);
        else
            nested_->write_text(*nullable.nested(), cell.row, out, place, options);
    }

    void write_json_pretty(const Column& column, size_t row, OutputBuffer& out,
                           const TextOptions& options, size_t indent) const override
    {
        const FlatCell cell(column, row);
        const auto& nullable = column_as<NullableColumn>(*cell.column);
        if (nullable.null_map()[cell.row])
            out.write("null");
        else
            nested_->write_json_pretty(*nullable.nested(), cell.row, out, options, indent);
    }

    bool parse_text(Column& column, TextCursor& cursor, TextPlace place,
                    const TextOptions& options) const override
    {
        auto& nullable = column_as<NullableColumn>(column);
        if (parse_null(cursor, place, options))
        {
            nullable.append_default();
            return true;
        }
        if (!nested_->parse_text(nullable.mutable_nested(), cursor, place, options))
            return false;
        nullable.mutable_null_map().push_back(0);
        return true;
    }

    void write_binary(const Column& column, size_t row, OutputBuffer& out) const override
    {
        const FlatCell cell(column, row);
        const auto& nullable = column_as<NullableColumn>(*cell.column);
        const bool is_null = nullable.null_map()[cell.row] != 0;
        out.write(static_cast<char>(is_null));
        if (!is_null)
            nested_->write_binary(*nullable.nested(), cell.row, out);
    }
    void read_binary(Column& column, InputBuffer& in) const override
    {
        auto& nullable = column_as<NullableColumn>(column);
        if (in.read_byte() != 0)
        {
            nullable.append_default();
            return;
        }
        nested_->read_binary(nullable.mutable_nested(), in);
        nullable.mutable_null_map().push_back(0);
    }

    void write_native_prefix(OutputBuffer& out) const override { nested_->write_native_prefix(out); }
    void read_native_prefix(InputBuffer& in) const override { nested_->read_native_prefix(in); }
    void write_native_data(const Column& column, size_t begin, size_t count,
                           OutputBuffer& out) const override
    {
        const auto& nullable = column_as<NullableColumn>(column);
        FixedWidthBinary<uint8_t>::write_native(*nullable.null_column(), begin, count, out);
        nested_->write_native_data(*nullable.nested(), begin, count, out);
    }
    ColumnPtr read_native_data(size_t count, InputBuffer& in) const override
    {
        auto nulls = std::make_shared<VectorColumn<uint8_t>>();
        FixedWidthBinary<uint8_t>::read_rows(in, count, nulls->data());
        return NullableColumn::make(to_flat(nested_->read_native_data(count, in)), nulls);
    }

private:
    static void write_null(OutputBuffer& out, TextPlace place, const TextOptions& options)
    {
        switch (place)
        {
        case TextPlace::Escaped:
        case TextPlace::Raw:
            out.write(std::string_view(options.tsv_null));
            break;
        case TextPlace::Csv:
            out.write(std::string_view(options.csv_null));
            break;
        case TextPlace::Json:
            out.write("null");
            break;
        case TextPlace::Xml:
            out.write("\\N");
            break;
        case TextPlace::Quoted:
        case TextPlace::Whole:
            out.write("NULL");
            break;
        }
    }

    SerializationPtr nested_;
};

} // namespace

bool parse_null(TextCursor& cursor, TextPlace place, const TextOptions& options)
{
    const char* const start = cursor.pos;
    const auto ends_field = [&](int delimiter)
    {
        const int next = cursor.peek();
        return next == -1 || next == '\n' || next == '\r' || next == delimiter;
    };
    switch (place)
    {
    case TextPlace::Escaped:
    case TextPlace::Raw:
        if (cursor.skip_word(options.tsv_null) && ends_field('\t'))
            return true;
        break;
    case TextPlace::Csv:
        if (cursor.skip_word(options.csv_null) &&
            ends_field(static_cast<unsigned char>(options.csv_delimiter)))
            return true;
        cursor.pos = start;
        if (options.csv_empty_as_default &&
            ends_field(static_cast<unsigned char>(options.csv_delimiter)))
            return true;
        break;
    case TextPlace::Json:
        if (cursor.peek() == 'n' && cursor.skip_word("null"))
            return true;
        break;
    case TextPlace::Quoted:
        if ((cursor.peek() | 0x20) == 'n' && cursor.skip_word_without_case("null") &&
            !is_word_byte(cursor.peek()))
            return true;
        break;
    default:
        if ((cursor.skip_word_without_case("null") || cursor.skip_word("\\N")) && cursor.at_end())
            return true;
        break;
    }
    cursor.pos = start;
    return false;
}

bool parse_element(const Serialization& serialization, bool takes_null, Column& column,
                   TextCursor& cursor, TextPlace place, const TextOptions& options)
{
    if (!takes_null && options.null_as_default)
    {
        const int next = cursor.peek();
        if ((next | 0x20) == 'n' && parse_null(cursor, place, options))
        {
            column.append_default();
            return true;
        }
    }
    return serialization.parse_text(column, cursor, place, options);
}

void write_json_indent(OutputBuffer& out, const TextOptions& options, size_t indent)
{
    out.write('\n');
    for (size_t i = 0; i < indent; ++i)
        out.write(options.json_indent);
}

SerializationPtr make_nullable_serialization(const TypePtr& type)
{
    return std::make_shared<NullableSerialization>(
        serialization_of(type_as<NullableType>(type).nested()));
}

} // namespace basalt
