#include "columns/number_text.h"
#include "columns/serialization_kinds.h"

#include <cmath>
#include <limits>
#include <type_traits>

namespace basalt
{

namespace
{

// What the writer of numbers takes for T.
template <class T>
using Written = std::conditional_t<
    (sizeof(T) > 8) || std::is_floating_point_v<T>, T,
    std::conditional_t<std::is_signed_v<T>, int64_t, uint64_t>>;

template <class T> class IntegerSerialization final : public Serialization
{
public:
    void write_text(const Column& column, size_t row, OutputBuffer& out, TextPlace place,
                    const TextOptions& options) const override
    {
        const FlatCell cell(column, row);
        const T value = column_as<VectorColumn<T>>(*cell.column).data()[cell.row];
        const bool quoted =
            sizeof(T) >= 8 && place == TextPlace::Json && options.json_quote_64bit_integers;
        if (quoted)
            out.write('"');
        write_number(out, static_cast<Written<T>>(value));
        if (quoted)
            out.write('"');
    }

    bool parse_text(Column& column, TextCursor& cursor, TextPlace place,
                    const TextOptions& options) const override
    {
        T value;
        if (!parse_value(cursor, place, options, value))
            return false;
        column_as<VectorColumn<T>>(column).data().push_back(value);
        return true;
    }

    BASALT_FIXED_WIDTH_BINARY(T)

private:
    static bool parse_value(TextCursor& cursor, TextPlace place, const TextOptions& options,
                            T& value)
    {
        char quote = 0;
        switch (place)
        {
        case TextPlace::Escaped:
        case TextPlace::Raw:
            if constexpr (sizeof(T) <= 8)
                return parse_integer_tsv(cursor, value);
            else
                return parse_integer(cursor, value);
        case TextPlace::Json:
            if (cursor.skip('"'))
                quote = '"';
            else if (cursor.peek() == 'n')
            {
                value = T(0);
                return cursor.skip_word("null") || cursor.fail_expected("null");
            }
            else if (options.json_read_bools_as_numbers)
            {
                const int next = cursor.peek();
                if (next == 't' || next == 'f')
                {
                    value = static_cast<T>(next == 't' ? 1 : 0);
                    return cursor.skip_word(next == 't' ? "true" : "false") ||
                           cursor.fail_expected(next == 't' ? "true" : "false");
                }
            }
            break;
        case TextPlace::Csv:
        case TextPlace::Quoted:
            if (cursor.skip('\''))
                quote = '\'';
            else if (place == TextPlace::Csv && cursor.skip('"'))
                quote = '"';
            break;
        case TextPlace::Whole:
        {
            const char* const start = cursor.pos;
            if (!parse_integer(cursor, value))
                return false;
            if (cursor.pos != start)
                return true;
            return cursor.fail(error_codes::CANNOT_PARSE_TEXT,
                               cursor.quiet ? std::string()
                                            : "Cannot parse string " +
                                                  quoted_excerpt(cursor.rest()) +
                                                  " as a number: syntax error at begin of string");
        }
        default:
            break;
        }
        return parse_integer(cursor, value) && (quote == 0 || cursor.expect(quote));
    }
};

template <class T> class FloatSerialization final : public Serialization
{
public:
    void write_text(const Column& column, size_t row, OutputBuffer& out, TextPlace place,
                    const TextOptions& options) const override
    {
        const FlatCell cell(column, row);
        const T value = column_as<VectorColumn<T>>(*cell.column).data()[cell.row];
        if (place != TextPlace::Json)
        {
            write_number(out, value);
            return;
        }
        const bool finite = std::isfinite(value);
        if (!finite && !options.json_quote_denormals)
        {
            out.write("null");
            return;
        }
        const bool quoted = !finite || (sizeof(T) == 8 && options.json_quote_64bit_floats);
        if (quoted)
            out.write('"');
        write_number(out, value);
        if (quoted)
            out.write('"');
    }

    bool parse_text(Column& column, TextCursor& cursor, TextPlace place,
                    const TextOptions& options) const override
    {
        char quote = 0;
        T value;
        if (place == TextPlace::Json)
        {
            if (cursor.skip('"'))
                quote = '"';
            else if (cursor.peek() == 'n')
            {
                if (!cursor.skip_word("null"))
                    return cursor.fail_expected("null");
                column_as<VectorColumn<T>>(column).data().push_back(
                    std::numeric_limits<T>::quiet_NaN());
                return true;
            }
            else if (options.json_read_bools_as_numbers &&
                     (cursor.skip_word("true") || cursor.skip_word("false")))
            {
                value = cursor.pos[-4] == 't' ? 1 : 0; // "true" or "alse"
                column_as<VectorColumn<T>>(column).data().push_back(value);
                return true;
            }
        }
        else if (place == TextPlace::Csv || place == TextPlace::Quoted)
        {
            if (cursor.skip('\''))
                quote = '\'';
            else if (place == TextPlace::Csv && cursor.skip('"'))
                quote = '"';
        }
        if (!parse_float(cursor, value) || (quote != 0 && !cursor.expect(quote)))
            return false;
        column_as<VectorColumn<T>>(column).data().push_back(value);
        return true;
    }

    BASALT_FIXED_WIDTH_BINARY(T)
};

template <class T> SerializationPtr integer()
{
    return std::make_shared<IntegerSerialization<T>>();
}

} // namespace

SerializationPtr make_number_serialization(const TypePtr& type)
{
    switch (type->id())
    {
    case TypeId::UInt8:
        return integer<uint8_t>();
    case TypeId::UInt16:
        return integer<uint16_t>();
    case TypeId::UInt32:
        return integer<uint32_t>();
    case TypeId::UInt64:
        return integer<uint64_t>();
    case TypeId::UInt128:
        return integer<UInt128>();
    case TypeId::UInt256:
        return integer<UInt256>();
    case TypeId::Int8:
        return integer<int8_t>();
    case TypeId::Int16:
        return integer<int16_t>();
    case TypeId::Int32:
        return integer<int32_t>();
    case TypeId::Int64:
        return integer<int64_t>();
    case TypeId::Int128:
        return integer<Int128>();
    case TypeId::Int256:
        return integer<Int256>();
    case TypeId::Float32:
        return std::make_shared<FloatSerialization<float>>();
    default:
        BASALT_ASSERT(type->is(TypeId::Float64));
        return std::make_shared<FloatSerialization<double>>();
    }
}

} // namespace basalt
