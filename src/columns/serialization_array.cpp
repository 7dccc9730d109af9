#include "columns/serialization_kinds.h"
#include "io/binary.h"

#include <fmt/core.h>

namespace basalt
{

namespace
{

class ArraySerialization final : public Serialization
{
public:
    explicit ArraySerialization(const TypePtr& item)
        : item_(serialization_of(item)), item_takes_null_(is_nullable_or_lc_nullable(item)),
          item_is_pretty_(is_pretty(item))
    {
    }

    void write_text(const Column& column, size_t row, OutputBuffer& out, TextPlace place,
                    const TextOptions& options) const override
    {
        if (place == TextPlace::Csv)
        {
            std::string text;
            StringOutputBuffer buffer(text);
            write_text(column, row, buffer, TextPlace::Quoted, options);
            buffer.finish();
            write_csv_string(out, text);
            return;
        }
        const FlatCell cell(column, row);
        const auto& array = column_as<ArrayColumn>(*cell.column);
        const size_t begin = array.begin_of(cell.row);
        const size_t end = begin + array.length_of(cell.row);
        if (place == TextPlace::Xml)
        {
            out.write("<array>");
            for (size_t i = begin; i < end; ++i)
            {
                out.write("<elem>");
                item_->write_text(*array.items(), i, out, place, options);
                out.write("</elem>");
            }
            out.write("</array>");
            return;
        }
        const TextPlace inner = place == TextPlace::Json ? place : TextPlace::Quoted;
        out.write('[');
        for (size_t i = begin; i < end; ++i)
        {
            if (i != begin)
                out.write(',');
            item_->write_text(*array.items(), i, out, inner, options);
        }
        out.write(']');
    }

    void write_json_pretty(const Column& column, size_t row, OutputBuffer& out,
                           const TextOptions& options, size_t indent) const override
    {
        const FlatCell cell(column, row);
        const auto& array = column_as<ArrayColumn>(*cell.column);
        const size_t begin = array.begin_of(cell.row);
        const size_t end = begin + array.length_of(cell.row);
        if (!item_is_pretty_ || begin == end)
        {
            write_text(*cell.column, cell.row, out, TextPlace::Json, options);
            return;
        }
        out.write('[');
        for (size_t i = begin; i < end; ++i)
        {
            if (i != begin)
                out.write(',');
            write_json_indent(out, options, indent + 1);
            item_->write_json_pretty(*array.items(), i, out, options, indent + 1);
        }
        write_json_indent(out, options, indent);
        out.write(']');
    }

    bool parse_text(Column& column, TextCursor& cursor, TextPlace place,
                    const TextOptions& options) const override
    {
        if (place == TextPlace::Csv)
            return parse_csv_field(cursor, options, [&](TextCursor& inner)
                                   { return parse_items(column, inner, TextPlace::Quoted, options); });
        return parse_items(column, cursor,
                           place == TextPlace::Json ? place : TextPlace::Quoted, options);
    }

    void write_binary(const Column& column, size_t row, OutputBuffer& out) const override
    {
        const FlatCell cell(column, row);
        const auto& array = column_as<ArrayColumn>(*cell.column);
        const size_t begin = array.begin_of(cell.row);
        const size_t length = array.length_of(cell.row);
        write_varint(out, length);
        for (size_t i = begin; i < begin + length; ++i)
            item_->write_binary(*array.items(), i, out);
    }
    void read_binary(Column& column, InputBuffer& in) const override
    {
        auto& array = column_as<ArrayColumn>(column);
        Column& items = array.mutable_items();
        const size_t old = items.size();
        const uint64_t length = read_varint(in);
        check_items(length);
        try
        {
            for (uint64_t i = 0; i < length; ++i)
                item_->read_binary(items, in);
        }
        catch (...)
        {
            items.remove_last(items.size() - old);
            throw;
        }
        array.mutable_offsets().push_back(items.size());
    }

    void write_native_prefix(OutputBuffer& out) const override { item_->write_native_prefix(out); }
    void read_native_prefix(InputBuffer& in) const override { item_->read_native_prefix(in); }
    void write_native_data(const Column& column, size_t begin, size_t count,
                           OutputBuffer& out) const override
    {
        if (count == 0)
            return;
        const auto& array = column_as<ArrayColumn>(column);
        const size_t items_begin = array.begin_of(begin);
        for (size_t row = begin; row < begin + count; ++row)
            write_fixed<uint64_t>(out, array.offsets()[row] - items_begin);
        item_->write_native_data(*array.items(), items_begin,
                                 array.offsets()[begin + count - 1] - items_begin, out);
    }
    ColumnPtr read_native_data(size_t count, InputBuffer& in) const override
    {
        auto offsets = std::make_shared<ArrayColumn::Offsets>();
        FixedWidthBinary<uint64_t>::read_rows(in, count, offsets->data());
        uint64_t last = 0;
        for (const uint64_t offset : offsets->data())
        {
            if (offset < last)
                throw Error(error_codes::INCORRECT_DATA, "Array offsets do not ascend");
            last = offset;
        }
        check_items(last);
        return ArrayColumn::make(to_flat(item_->read_native_data(last, in)), offsets);
    }

private:
    // Most items of a row in RowBinary and of a block in Native.
    static constexpr uint64_t kMaxItems = 1ull << 30;

    static void check_items(uint64_t count)
    {
        if (count > kMaxItems)
            throw Error(error_codes::TOO_LARGE_ARRAY_SIZE,
                        fmt::format("Too large array size: {}, the limit is {}", count, kMaxItems));
    }

    static bool is_pretty(const TypePtr& type)
    {
        return type->is(TypeId::Tuple) || type->is(TypeId::Map) || type->is(TypeId::Array);
    }

    bool parse_items(Column& column, TextCursor& cursor, TextPlace place,
                     const TextOptions& options) const
    {
        if (!cursor.skip('['))
            return cursor.fail(error_codes::CANNOT_READ_ARRAY_FROM_TEXT,
                               "Array does not start with '[' character");
        auto& array = column_as<ArrayColumn>(column);
        Column& items = array.mutable_items();
        const size_t old = items.size();
        for (;;)
        {
            cursor.skip_spaces();
            // Also after a comma.
            if (cursor.skip(']'))
                break;
            bool good = parse_element(*item_, item_takes_null_, items, cursor, place, options);
            if (good)
            {
                cursor.skip_spaces();
                if (cursor.skip(','))
                    continue;
                if (cursor.skip(']'))
                    break;
                good = cursor.at_end()
                           ? cursor.fail_expected("]")
                           : cursor.fail(error_codes::CANNOT_READ_ARRAY_FROM_TEXT,
                                         "Cannot read array from text, expected comma or end of "
                                         "array, found " +
                                             quoted_excerpt(cursor.rest().substr(0, 1)));
            }
            items.remove_last(items.size() - old);
            return false;
        }
        array.mutable_offsets().push_back(items.size());
        return true;
    }

    SerializationPtr item_;
    bool item_takes_null_;
    bool item_is_pretty_;
};

} // namespace

SerializationPtr make_array_serialization(const TypePtr& type)
{
    return std::make_shared<ArraySerialization>(type_as<ArrayType>(type).nested());
}

} // namespace basalt
