#include "columns/serialization_kinds.h"
#include "io/binary.h"

#include <fmt/core.h>

namespace basalt
{

namespace
{

void append_some(InputBuffer& in, uint64_t size, PodVector<char>& chars)
{
    constexpr uint64_t kStepBytes = 1 << 20;
    while (size > 0)
    {
        const auto step = static_cast<size_t>(std::min(size, kStepBytes));
        const size_t old = chars.size();
        chars.resize(old + step);
        in.read_exact(chars.data() + old, step);
        size -= step;
    }
}

void append_binary_string(InputBuffer& in, StringColumn& column)
{
    const uint64_t size = read_varint(in);
    if (size > kMaxBinaryStringBytes)
        throw Error(error_codes::TOO_LARGE_STRING_SIZE,
                    fmt::format("Too large string size: {}, the limit is {}", size,
                                kMaxBinaryStringBytes));
    auto& chars = column.chars();
    const size_t old = chars.size();
    try
    {
        append_some(in, size, chars);
    }
    catch (...)
    {
        chars.resize(old);
        throw;
    }
    column.offsets().push_back(chars.size());
}

class StringSerialization final : public Serialization
{
public:
    void write_text(const Column& column, size_t row, OutputBuffer& out, TextPlace place,
                    const TextOptions& options) const override
    {
        const FlatCell cell(column, row);
        write_string_text(out, column_as<StringColumn>(*cell.column).at(cell.row), place, options);
    }

    bool parse_text(Column& column, TextCursor& cursor, TextPlace place,
                    const TextOptions& options) const override
    {
        auto& strings = column_as<StringColumn>(column);
        const size_t old = strings.chars().size();
        if (!parse_string_text(cursor, strings.chars(), place, options))
        {
            strings.chars().resize(old);
            return false;
        }
        strings.offsets().push_back(strings.chars().size());
        return true;
    }

    void write_binary(const Column& column, size_t row, OutputBuffer& out) const override
    {
        const FlatCell cell(column, row);
        write_string(out, column_as<StringColumn>(*cell.column).at(cell.row));
    }
    void read_binary(Column& column, InputBuffer& in) const override
    {
        append_binary_string(in, column_as<StringColumn>(column));
    }
    void write_native_data(const Column& column, size_t begin, size_t count,
                           OutputBuffer& out) const override
    {
        const auto& strings = column_as<StringColumn>(column);
        for (size_t row = begin; row < begin + count; ++row)
            write_string(out, strings.at(row));
    }
    ColumnPtr read_native_data(size_t count, InputBuffer& in) const override
    {
        auto column = std::make_shared<StringColumn>();
        for (size_t i = 0; i < count; ++i)
            append_binary_string(in, *column);
        return column;
    }
};

class FixedStringSerialization final : public Serialization
{
public:
    explicit FixedStringSerialization(size_t width) : width_(width) {}

    void write_text(const Column& column, size_t row, OutputBuffer& out, TextPlace place,
                    const TextOptions& options) const override
    {
        const FlatCell cell(column, row);
        write_string_text(out, column_as<FixedStringColumn>(*cell.column).at(cell.row), place,
                          options);
    }

    bool parse_text(Column& column, TextCursor& cursor, TextPlace place,
                    const TextOptions& options) const override
    {
        auto& chars = column_as<FixedStringColumn>(column).chars();
        const size_t old = chars.size();
        if (!parse_string_text(cursor, chars, place, options))
        {
            chars.resize(old);
            return false;
        }
        if (chars.size() - old > width_)
        {
            chars.resize(old);
            return cursor.fail(error_codes::TOO_LARGE_STRING_SIZE,
                               cursor.quiet
                                   ? std::string()
                                   : fmt::format("Too large value for FixedString({})", width_));
        }
        chars.resize_fill(old + width_, 0);
        return true;
    }

    void write_binary(const Column& column, size_t row, OutputBuffer& out) const override
    {
        const FlatCell cell(column, row);
        out.write(column_as<FixedStringColumn>(*cell.column).at(cell.row));
    }
    void read_binary(Column& column, InputBuffer& in) const override
    {
        auto& chars = column_as<FixedStringColumn>(column).chars();
        const size_t old = chars.size();
        chars.resize(old + width_);
        try
        {
            in.read_exact(chars.data() + old, width_);
        }
        catch (...)
        {
            chars.resize(old);
            throw;
        }
    }
    void write_native_data(const Column& column, size_t begin, size_t count,
                           OutputBuffer& out) const override
    {
        const auto& chars = column_as<FixedStringColumn>(column).chars();
        out.write(chars.data() + begin * width_, count * width_);
    }
    ColumnPtr read_native_data(size_t count, InputBuffer& in) const override
    {
        auto column = std::make_shared<FixedStringColumn>(width_);
        append_some(in, uint64_t{count} * width_, column->chars());
        return column;
    }

private:
    size_t width_;
};

} // namespace

void write_string_text(OutputBuffer& out, std::string_view text, TextPlace place,
                       const TextOptions& options)
{
    switch (place)
    {
    case TextPlace::Escaped:
        write_escaped(out, text);
        break;
    case TextPlace::Quoted:
        if (options.values_escape_quote_with_quote)
            write_quoted_doubling(out, text);
        else
            write_quoted(out, text);
        break;
    case TextPlace::Csv:
        write_csv_string(out, text);
        break;
    case TextPlace::Json:
        write_json_string(out, text, options.json_escape_forward_slashes,
                          options.json_validate_utf8);
        break;
    case TextPlace::Xml:
        write_xml_string(out, text);
        break;
    case TextPlace::Raw:
    case TextPlace::Whole:
        out.write(text);
        break;
    }
}

bool parse_string_text(TextCursor& cursor, PodVector<char>& to, TextPlace place,
                       const TextOptions& options)
{
    switch (place)
    {
    case TextPlace::Escaped:
        return parse_escaped(cursor, to);
    case TextPlace::Quoted:
        return parse_quoted(cursor, to);
    case TextPlace::Csv:
        return parse_csv_string(cursor, to, options);
    case TextPlace::Raw:
    {
        const size_t size = std::min(cursor.rest().find_first_of("\t\n"), cursor.left());
        to.append(cursor.pos, size);
        cursor.pos += size;
        return true;
    }
    case TextPlace::Json:
    {
        const int next = cursor.peek();
        if (next == '"')
            return parse_json_string(cursor, to);
        const bool allowed = next == '['   ? options.json_read_arrays_as_strings
                             : next == '{' ? options.json_read_objects_as_strings
                             : next == 't' || next == 'f' ? options.json_read_bools_as_strings
                                                          : options.json_read_numbers_as_strings;
        if (!allowed)
            return cursor.fail_expected("\"");
        const char* const start = cursor.pos;
        if (!skip_json_value(cursor))
            return false;
        to.append(start, static_cast<size_t>(cursor.pos - start));
        return true;
    }
    default:
        to.append(cursor.pos, cursor.left());
        cursor.pos = cursor.end;
        return true;
    }
}

SerializationPtr make_string_serialization() { return std::make_shared<StringSerialization>(); }

SerializationPtr make_fixed_string_serialization(size_t width)
{
    return std::make_shared<FixedStringSerialization>(width);
}

} // namespace basalt
