#pragma once

// The serializations of single kinds of types and what they share; for the files that implement
// them. Everybody else asks serialization_of().

#include "columns/serialization.h"
#include "columns/string_text.h"

namespace basalt
{

SerializationPtr make_number_serialization(const TypePtr& type);
SerializationPtr make_bool_serialization();
SerializationPtr make_decimal_serialization(const TypePtr& type);
SerializationPtr make_string_serialization();
SerializationPtr make_fixed_string_serialization(size_t width);
SerializationPtr make_date_serialization(bool is_32);
SerializationPtr make_date_time_serialization(const TypePtr& type); // DateTime, DateTime64
SerializationPtr make_time_serialization(const TypePtr& type);      // Time, Time64
SerializationPtr make_enum_serialization(const TypePtr& type);
SerializationPtr make_uuid_serialization();
SerializationPtr make_ipv4_serialization();
SerializationPtr make_ipv6_serialization();
SerializationPtr make_nothing_serialization();
SerializationPtr make_aggregate_serialization(const TypePtr& type);
SerializationPtr make_nullable_serialization(const TypePtr& type);
SerializationPtr make_low_cardinality_serialization(const TypePtr& type);
SerializationPtr make_array_serialization(const TypePtr& type);
SerializationPtr make_tuple_serialization(const TypePtr& type);
SerializationPtr make_map_serialization(const TypePtr& type);

// The flat column and row behind a row of a constant or dictionary column.
struct FlatCell
{
    FlatCell(const Column& from, size_t at) : column(&from), row(at)
    {
        while (column->form() == ColumnForm::Constant || column->form() == ColumnForm::Dictionary)
            unwrap();
    }
    void unwrap();

    const Column* column;
    size_t row;
};

// Values whose text never needs escaping. The places differ only in quotes around them.
class PlainSerialization : public Serialization
{
public:
    void write_text(const Column& column, size_t row, OutputBuffer& out, TextPlace place,
                    const TextOptions& options) const final;
    bool parse_text(Column& column, TextCursor& cursor, TextPlace place,
                    const TextOptions& options) const final;

protected:
    // quoted: in quotes inside of arrays, in CSV and JSON, as dates are and numbers are not.
    explicit PlainSerialization(bool quoted) : quoted_(quoted) {}

    // column: flat.
    virtual void write_plain(const Column& column, size_t row, OutputBuffer& out,
                             const TextOptions& options) const = 0;
    virtual bool parse_plain(Column& column, TextCursor& cursor, TextPlace place,
                             const TextOptions& options) const = 0;
    // A quoted kind without its quotes in Quoted and Json: a date as a number. Fails by default.
    virtual bool parse_bare(Column& column, TextCursor& cursor, TextPlace place,
                            const TextOptions& options) const;
    // Whether JSON gets quotes around a kind that is otherwise written without.
    virtual bool json_quotes(const TextOptions& options) const { return false; }

private:
    bool parse_in_quotes(Column& column, TextCursor& cursor, TextPlace place,
                         const TextOptions& options, char quote) const;
    bool quoted_;
};

// Fixed-width values stored as they lie in a VectorColumn<T>.
template <class T> class FixedWidthBinary
{
public:
    static void write_binary(const Column& column, size_t row, OutputBuffer& out)
    {
        const FlatCell cell(column, row);
        const T value = column_as<VectorColumn<T>>(*cell.column).data()[cell.row];
        out.write(reinterpret_cast<const char*>(&value), sizeof(T));
    }
    static void read_binary(Column& column, InputBuffer& in)
    {
        T value;
        in.read_exact(reinterpret_cast<char*>(&value), sizeof(T));
        column_as<VectorColumn<T>>(column).data().push_back(value);
    }
    static void write_native(const Column& column, size_t begin, size_t count, OutputBuffer& out)
    {
        const auto& data = column_as<VectorColumn<T>>(column).data();
        out.write(reinterpret_cast<const char*>(data.data() + begin), count * sizeof(T));
    }
    static ColumnPtr read_native(size_t count, InputBuffer& in)
    {
        auto column = std::make_shared<VectorColumn<T>>();
        read_rows(in, count, column->data());
        return column;
    }
    // Memory grows as bytes arrive, so a lying count cannot take it all.
    static void read_rows(InputBuffer& in, size_t count, PodVector<T>& data)
    {
        constexpr size_t kStepRows = (1 << 20) / sizeof(T);
        while (count > 0)
        {
            const size_t step = std::min(count, kStepRows);
            const size_t old = data.size();
            data.resize(old + step);
            in.read_exact(reinterpret_cast<char*>(data.data() + old), step * sizeof(T));
            count -= step;
        }
    }
};

// Gives a class the four binary methods of FixedWidthBinary<T>.
#define BASALT_FIXED_WIDTH_BINARY(T)                                                               \
    void write_binary(const Column& column, size_t row, OutputBuffer& out) const override          \
    {                                                                                              \
        FixedWidthBinary<T>::write_binary(column, row, out);                                       \
    }                                                                                              \
    void read_binary(Column& column, InputBuffer& in) const override                               \
    {                                                                                              \
        FixedWidthBinary<T>::read_binary(column, in);                                              \
    }                                                                                              \
    void write_native_data(const Column& column, size_t begin, size_t count, OutputBuffer& out)    \
        const override                                                                             \
    {                                                                                              \
        FixedWidthBinary<T>::write_native(column, begin, count, out);                              \
    }                                                                                              \
    ColumnPtr read_native_data(size_t count, InputBuffer& in) const override                       \
    {                                                                                              \
        return FixedWidthBinary<T>::read_native(count, in);                                        \
    }

// Text of any bytes, escaped as the place asks.
void write_string_text(OutputBuffer& out, std::string_view text, TextPlace place,
                       const TextOptions& options);
// Appends the bytes of a text value; on failure a part of them.
bool parse_string_text(TextCursor& cursor, PodVector<char>& to, TextPlace place,
                       const TextOptions& options);

// Parses an element of an array, tuple or map, where NULL may stand for the default of a type that
// has no NULL.
bool parse_element(const Serialization& serialization, bool takes_null, Column& column,
                   TextCursor& cursor, TextPlace place, const TextOptions& options);
void write_json_indent(OutputBuffer& out, const TextOptions& options, size_t indent);

// Composite values in TSV are their Quoted text; in CSV that text as one quoted field.
// Parses a CSV field's content as a value by `parse(TextCursor&)`.
template <class Parse>
bool parse_csv_field(TextCursor& cursor, const TextOptions& options, const Parse& parse)
{
    PodVector<char> field;
    if (!parse_csv_string(cursor, field, options))
        return false;
    TextCursor inner(std::string_view(field.data(), field.size()), cursor.quiet);
    if (!parse(inner))
    {
        cursor.code = inner.code;
        cursor.message = std::move(inner.message);
        return false;
    }
    if (!inner.at_end())
        return cursor.fail(error_codes::CANNOT_PARSE_INPUT_ASSERTION_FAILED,
                           "Cannot parse input: unexpected " + quoted_excerpt(inner.rest()) +
                               " after the value of a CSV field");
    return true;
}

} // namespace basalt
