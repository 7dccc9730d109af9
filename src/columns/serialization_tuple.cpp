#include "columns/serialization_kinds.h"

namespace basalt
{

namespace
{

class TupleSerialization final : public Serialization
{
public:
    explicit TupleSerialization(const TupleType& type) : names_(type.names())
    {
        for (const TypePtr& element : type.elements())
        {
            elements_.push_back(serialization_of(element));
            takes_null_.push_back(is_nullable_or_lc_nullable(element));
        }
    }

    void write_text(const Column& column, size_t row, OutputBuffer& out, TextPlace place,
                    const TextOptions& options) const override
    {
        const FlatCell cell(column, row);
        const auto& tuple = column_as<TupleColumn>(*cell.column);
        switch (place)
        {
        case TextPlace::Csv:
            if (options.csv_tuple_as_columns)
                write_elements(tuple, cell.row, out, place, options, options.csv_delimiter);
            else
            {
                std::string text;
                StringOutputBuffer buffer(text);
                write_text(tuple, cell.row, buffer, TextPlace::Quoted, options);
                buffer.finish();
                write_csv_string(out, text);
            }
            break;
        case TextPlace::Json:
            write_json(tuple, cell.row, out, options);
            break;
        case TextPlace::Xml:
            out.write("<tuple>");
            for (size_t i = 0; i < elements_.size(); ++i)
            {
                out.write("<elem>");
                elements_[i]->write_text(*tuple.element(i), cell.row, out, place, options);
                out.write("</elem>");
            }
            out.write("</tuple>");
            break;
        default:
            if (options.named_tuples_as_json && !names_.empty())
            {
                write_readable_object(tuple, cell.row, out, options);
                break;
            }
            out.write('(');
            write_elements(tuple, cell.row, out, TextPlace::Quoted, options, ',');
            out.write(')');
        }
    }

    void write_json_pretty(const Column& column, size_t row, OutputBuffer& out,
                           const TextOptions& options, size_t indent) const override
    {
        const FlatCell cell(column, row);
        const auto& tuple = column_as<TupleColumn>(*cell.column);
        const bool as_object = is_json_object(options);
        out.write(as_object ? '{' : '[');
        bool first = true;
        for (size_t i = 0; i < elements_.size(); ++i)
        {
            if (as_object && options.json_skip_null_in_named_tuples &&
                tuple.element(i)->is_null_at(cell.row))
                continue;
            if (!first)
                out.write(',');
            first = false;
            write_json_indent(out, options, indent + 1);
            if (as_object)
            {
                write_json_string(out, names_[i], options.json_escape_forward_slashes);
                out.write(": ");
            }
            elements_[i]->write_json_pretty(*tuple.element(i), cell.row, out, options, indent + 1);
        }
        if (first)
            out.write('\n');
        write_json_indent(out, options, indent);
        out.write(as_object ? '}' : ']');
    }

    bool parse_text(Column& column, TextCursor& cursor, TextPlace place,
                    const TextOptions& options) const override
    {
        auto& tuple = column_as<TupleColumn>(column);
        const size_t rows = tuple.size();
        bool good;
        switch (place)
        {
        case TextPlace::Csv:
            good = options.csv_read_tuple_from_columns
                       ? parse_csv_columns(tuple, cursor, options)
                       : parse_csv_field(cursor, options, [&](TextCursor& inner)
                                         { return parse_parentheses(tuple, inner, options); });
            break;
        case TextPlace::Json:
            good = is_json_object(options) ? parse_object(tuple, cursor, options)
                                           : parse_list(tuple, cursor, place, options, '[', ']');
            break;
        default:
            good = parse_parentheses(tuple, cursor, options);
        }
        if (good)
        {
            tuple.set_rows(rows + 1);
            return true;
        }
        for (size_t i = 0; i < elements_.size(); ++i)
        {
            Column& element = tuple.mutable_element(i);
            element.remove_last(element.size() - rows);
        }
        return false;
    }

    void write_binary(const Column& column, size_t row, OutputBuffer& out) const override
    {
        const FlatCell cell(column, row);
        const auto& tuple = column_as<TupleColumn>(*cell.column);
        for (size_t i = 0; i < elements_.size(); ++i)
            elements_[i]->write_binary(*tuple.element(i), cell.row, out);
    }
    void read_binary(Column& column, InputBuffer& in) const override
    {
        auto& tuple = column_as<TupleColumn>(column);
        const size_t rows = tuple.size();
        try
        {
            for (size_t i = 0; i < elements_.size(); ++i)
                elements_[i]->read_binary(tuple.mutable_element(i), in);
        }
        catch (...)
        {
            for (size_t i = 0; i < elements_.size(); ++i)
            {
                Column& element = tuple.mutable_element(i);
                element.remove_last(element.size() - rows);
            }
            throw;
        }
        tuple.set_rows(rows + 1);
    }

    void write_native_prefix(OutputBuffer& out) const override
    {
        for (const auto& element : elements_)
            element->write_native_prefix(out);
    }
    void read_native_prefix(InputBuffer& in) const override
    {
        for (const auto& element : elements_)
            element->read_native_prefix(in);
    }
    void write_native_data(const Column& column, size_t begin, size_t count,
                           OutputBuffer& out) const override
    {
        const auto& tuple = column_as<TupleColumn>(column);
        for (size_t i = 0; i < elements_.size(); ++i)
            elements_[i]->write_native_data(*tuple.element(i), begin, count, out);
        // A tuple of nothing is one character a row.
        if (elements_.empty())
            for (size_t i = 0; i < count; ++i)
                out.write('0');
    }
    ColumnPtr read_native_data(size_t count, InputBuffer& in) const override
    {
        Columns columns;
        for (const auto& element : elements_)
            columns.push_back(to_flat(element->read_native_data(count, in)));
        if (elements_.empty())
            in.ignore(count);
        return TupleColumn::make(std::move(columns), count);
    }

private:
    bool is_json_object(const TextOptions& options) const
    {
        return !names_.empty() && options.json_named_tuples_as_objects;
    }

    // An object over several lines; only its last bracket is not indented.
    void write_readable_object(const TupleColumn& tuple, size_t row, OutputBuffer& out,
                               const TextOptions& options) const
    {
        std::string text;
        StringOutputBuffer buffer(text);
        write_json_pretty(tuple, row, buffer, options, 1);
        buffer.finish();
        const size_t last_line = text.rfind('\n');
        if (last_line != std::string::npos)
            text.erase(last_line + 1, text.size() - last_line - 2);
        out.write(std::string_view(text));
    }

    void write_elements(const TupleColumn& tuple, size_t row, OutputBuffer& out, TextPlace place,
                        const TextOptions& options, char separator) const
    {
        for (size_t i = 0; i < elements_.size(); ++i)
        {
            if (i)
                out.write(separator);
            elements_[i]->write_text(*tuple.element(i), row, out, place, options);
        }
    }

    void write_json(const TupleColumn& tuple, size_t row, OutputBuffer& out,
                    const TextOptions& options) const
    {
        if (!is_json_object(options))
        {
            out.write('[');
            write_elements(tuple, row, out, TextPlace::Json, options, ',');
            out.write(']');
            return;
        }
        out.write('{');
        bool first = true;
        for (size_t i = 0; i < elements_.size(); ++i)
        {
            if (options.json_skip_null_in_named_tuples && tuple.element(i)->is_null_at(row))
                continue;
            if (!first)
                out.write(',');
            first = false;
            write_json_string(out, names_[i], options.json_escape_forward_slashes);
            out.write(':');
            elements_[i]->write_text(*tuple.element(i), row, out, TextPlace::Json, options);
        }
        out.write('}');
    }

    bool parse_one(TupleColumn& tuple, size_t i, TextCursor& cursor, TextPlace place,
                   const TextOptions& options) const
    {
        return parse_element(*elements_[i], takes_null_[i], tuple.mutable_element(i), cursor,
                             place, options);
    }

    bool parse_list(TupleColumn& tuple, TextCursor& cursor, TextPlace place,
                    const TextOptions& options, char open, char close) const
    {
        if (!cursor.expect(open))
            return false;
        for (size_t i = 0; i < elements_.size(); ++i)
        {
            cursor.skip_spaces();
            if (i > 0 && !cursor.expect(','))
                return false;
            cursor.skip_spaces();
            if (!parse_one(tuple, i, cursor, place, options))
                return false;
        }
        cursor.skip_spaces();
        // (1,) is a tuple of one.
        if (elements_.size() == 1 && cursor.skip(','))
            cursor.skip_spaces();
        return cursor.expect(close);
    }

    bool parse_parentheses(TupleColumn& tuple, TextCursor& cursor,
                           const TextOptions& options) const
    {
        return parse_list(tuple, cursor, TextPlace::Quoted, options, '(', ')');
    }

    bool parse_csv_columns(TupleColumn& tuple, TextCursor& cursor,
                           const TextOptions& options) const
    {
        for (size_t i = 0; i < elements_.size(); ++i)
        {
            if (i > 0)
            {
                cursor.skip_blanks();
                if (!cursor.expect(options.csv_delimiter))
                    return false;
                cursor.skip_blanks();
            }
            const bool null_is_default = !takes_null_[i] && options.null_as_default;
            if (null_is_default && parse_null(cursor, TextPlace::Csv, options))
                tuple.mutable_element(i).append_default();
            else if (!elements_[i]->parse_text(tuple.mutable_element(i), cursor, TextPlace::Csv,
                                               options))
                return false;
        }
        return true;
    }

    bool parse_object(TupleColumn& tuple, TextCursor& cursor, const TextOptions& options) const
    {
        const size_t rows = tuple.size();
        if (!cursor.expect('{'))
            return false;
        PodVector<char> name;
        cursor.skip_spaces();
        bool first = true;
        while (!cursor.skip('}'))
        {
            if (!first && !cursor.expect(','))
                return false;
            first = false;
            cursor.skip_spaces();
            name.clear();
            if (!parse_json_string(cursor, name))
                return false;
            cursor.skip_spaces();
            if (!cursor.expect(':'))
                return false;
            cursor.skip_spaces();
            const std::string_view key(name.data(), name.size());
            size_t i = 0;
            while (i < names_.size() && names_[i] != key)
                ++i;
            if (i == names_.size())
            {
                if (!options.json_ignore_unknown_keys_in_named_tuple)
                    return cursor.fail(error_codes::INCORRECT_DATA,
                                       "Unexpected key " + quoted_excerpt(key) +
                                           " of a named tuple");
                if (!skip_json_value(cursor))
                    return false;
            }
            else if (tuple.mutable_element(i).size() > rows)
                return cursor.fail(error_codes::INCORRECT_DATA,
                                   "Key " + quoted_excerpt(key) +
                                       " of a named tuple occurs twice");
            else if (!parse_one(tuple, i, cursor, TextPlace::Json, options))
                return false;
            cursor.skip_spaces();
        }
        for (size_t i = 0; i < elements_.size(); ++i)
        {
            Column& element = tuple.mutable_element(i);
            if (element.size() > rows)
                continue;
            if (!options.json_defaults_for_missing_in_named_tuple)
                return cursor.fail(error_codes::INCORRECT_DATA,
                                   "Element " + quoted_excerpt(names_[i]) +
                                       " of a named tuple is missing");
            element.append_default();
        }
        return true;
    }

    std::vector<SerializationPtr> elements_;
    std::vector<bool> takes_null_;
    std::vector<std::string> names_;
};

} // namespace

SerializationPtr make_tuple_serialization(const TypePtr& type)
{
    return std::make_shared<TupleSerialization>(type_as<TupleType>(type));
}

} // namespace basalt
