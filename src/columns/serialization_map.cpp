#include "columns/serialization_kinds.h"
#include "io/binary.h"

#include <fmt/core.h>

namespace basalt
{

namespace
{

// A map is an array of tuples (key, value); binary forms are those of the array.
class MapSerialization final : public Serialization
{
public:
    explicit MapSerialization(const MapType& type)
        : entries_(serialization_of(type.entries())), key_(serialization_of(type.key())),
          value_(serialization_of(type.value())),
          value_takes_null_(is_nullable_or_lc_nullable(type.value())),
          key_is_string_(strip_wrappers(type.key())->is_string())
    {
    }

    void write_text(const Column& column, size_t row, OutputBuffer& out, TextPlace place,
                    const TextOptions& options) const override
    {
        const FlatCell cell(column, row);
        const Entries entries(*cell.column, cell.row);
        switch (place)
        {
        case TextPlace::Csv:
        {
            std::string text;
            StringOutputBuffer buffer(text);
            write_text(*cell.column, cell.row, buffer, TextPlace::Quoted, options);
            buffer.finish();
            write_csv_string(out, text);
            return;
        }
        case TextPlace::Xml:
            out.write("<map>");
            for (size_t i = entries.begin; i < entries.end; ++i)
            {
                out.write("<elem><key>");
                key_->write_text(entries.keys(), i, out, place, options);
                out.write("</key><value>");
                value_->write_text(entries.values(), i, out, place, options);
                out.write("</value></elem>");
            }
            out.write("</map>");
            return;
        case TextPlace::Json:
            if (!options.json_maps_as_objects)
            {
                entries_->write_text(*cell.column, cell.row, out, place, options);
                return;
            }
            out.write('{');
            for (size_t i = entries.begin; i < entries.end; ++i)
            {
                if (i != entries.begin)
                    out.write(',');
                write_json_key(entries.keys(), i, out, options);
                out.write(':');
                value_->write_text(entries.values(), i, out, place, options);
            }
            out.write('}');
            return;
        default:
            out.write('{');
            for (size_t i = entries.begin; i < entries.end; ++i)
            {
                if (i != entries.begin)
                    out.write(',');
                key_->write_text(entries.keys(), i, out, TextPlace::Quoted, options);
                out.write(':');
                value_->write_text(entries.values(), i, out, TextPlace::Quoted, options);
            }
            out.write('}');
        }
    }

    void write_json_pretty(const Column& column, size_t row, OutputBuffer& out,
                           const TextOptions& options, size_t indent) const override
    {
        const FlatCell cell(column, row);
        if (!options.json_maps_as_objects)
        {
            entries_->write_json_pretty(*cell.column, cell.row, out, options, indent);
            return;
        }
        const Entries entries(*cell.column, cell.row);
        out.write('{');
        for (size_t i = entries.begin; i < entries.end; ++i)
        {
            if (i != entries.begin)
                out.write(',');
            write_json_indent(out, options, indent + 1);
            write_json_key(entries.keys(), i, out, options);
            out.write(": ");
            value_->write_json_pretty(entries.values(), i, out, options, indent + 1);
        }
        if (entries.begin != entries.end)
            write_json_indent(out, options, indent);
        out.write('}');
    }

    bool parse_text(Column& column, TextCursor& cursor, TextPlace place,
                    const TextOptions& options) const override
    {
        if (place == TextPlace::Csv)
            return parse_csv_field(
                cursor, options, [&](TextCursor& inner)
                { return parse_entries(column, inner, TextPlace::Quoted, options); });
        if (place == TextPlace::Json && !options.json_maps_as_objects)
            return entries_->parse_text(column, cursor, place, options);
        return parse_entries(column, cursor, place == TextPlace::Json ? place : TextPlace::Quoted,
                             options);
    }

    void write_binary(const Column& column, size_t row, OutputBuffer& out) const override
    {
        entries_->write_binary(column, row, out);
    }
    void read_binary(Column& column, InputBuffer& in) const override
    {
        entries_->read_binary(column, in);
    }
    void write_native_prefix(OutputBuffer& out) const override
    {
        entries_->write_native_prefix(out);
    }
    void read_native_prefix(InputBuffer& in) const override { entries_->read_native_prefix(in); }
    void write_native_data(const Column& column, size_t begin, size_t count,
                           OutputBuffer& out) const override
    {
        entries_->write_native_data(column, begin, count, out);
    }
    ColumnPtr read_native_data(size_t count, InputBuffer& in) const override
    {
        return entries_->read_native_data(count, in);
    }

private:
    struct Entries
    {
        Entries(const Column& column, size_t row)
            : array(column_as<ArrayColumn>(column)),
              tuple(column_as<TupleColumn>(*array.items())), begin(array.begin_of(row)),
              end(begin + array.length_of(row))
        {
        }
        const Column& keys() const { return *tuple.element(0); }
        const Column& values() const { return *tuple.element(1); }

        const ArrayColumn& array;
        const TupleColumn& tuple;
        size_t begin;
        size_t end;
    };

    // A JSON key is a string whatever the type.
    void write_json_key(const Column& keys, size_t row, OutputBuffer& out,
                        const TextOptions& options) const
    {
        if (key_is_string_)
        {
            key_->write_text(keys, row, out, TextPlace::Json, options);
            return;
        }
        std::string text;
        StringOutputBuffer buffer(text);
        key_->write_text(keys, row, buffer, TextPlace::Whole, options);
        buffer.finish();
        write_json_string(out, text, options.json_escape_forward_slashes);
    }

    bool parse_json_key(Column& keys, TextCursor& cursor, const TextOptions& options) const
    {
        if (key_is_string_)
            return key_->parse_text(keys, cursor, TextPlace::Json, options);
        PodVector<char> text;
        if (!parse_json_string(cursor, text))
            return false;
        TextCursor inner(std::string_view(text.data(), text.size()), cursor.quiet);
        if (!key_->parse_text(keys, inner, TextPlace::Whole, options))
        {
            cursor.code = inner.code;
            cursor.message = std::move(inner.message);
            return false;
        }
        if (inner.at_end())
            return true;
        keys.remove_last(1);
        return cursor.fail(error_codes::CANNOT_PARSE_TEXT,
                           "Cannot parse the key of a map: " +
                               quoted_excerpt({text.data(), text.size()}));
    }

    bool parse_entries(Column& column, TextCursor& cursor, TextPlace place,
                       const TextOptions& options) const
    {
        auto& array = column_as<ArrayColumn>(column);
        auto& tuple = column_as<TupleColumn>(array.mutable_items());
        Column& keys = tuple.mutable_element(0);
        Column& values = tuple.mutable_element(1);
        const size_t old = tuple.size();
        const auto undo = [&]
        {
            keys.remove_last(keys.size() - old);
            values.remove_last(values.size() - old);
            return false;
        };
        if (!cursor.expect('{'))
            return false;
        bool first = true;
        for (;;)
        {
            cursor.skip_spaces();
            if (cursor.skip('}'))
                break;
            if (!first && !cursor.expect(','))
                return undo();
            first = false;
            cursor.skip_spaces();
            const bool key_good = place == TextPlace::Json
                                      ? parse_json_key(keys, cursor, options)
                                      : key_->parse_text(keys, cursor, place, options);
            if (!key_good)
                return undo();
            cursor.skip_spaces();
            if (!cursor.expect(':'))
                return undo();
            cursor.skip_spaces();
            if (!parse_element(*value_, value_takes_null_, values, cursor, place, options))
                return undo();
        }
        tuple.set_rows(keys.size());
        array.mutable_offsets().push_back(tuple.size());
        return true;
    }

    SerializationPtr entries_;
    SerializationPtr key_;
    SerializationPtr value_;
    bool value_takes_null_;
    bool key_is_string_;
};

} // namespace

SerializationPtr make_map_serialization(const TypePtr& type)
{
    return std::make_shared<MapSerialization>(type_as<MapType>(type));
}

} // namespace basalt
