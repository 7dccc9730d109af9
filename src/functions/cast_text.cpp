// Texts to values and values to texts.

#include "functions/cast_parts.h"

#include "base/error.h"
#include "columns/address_text.h"
#include "columns/date_text.h"
#include "columns/number_text.h"
#include "functions/column_text_buffer.h"
#include "functions/date_arithmetic.h"
#include "functions/physical_dispatch.h"

#include <fmt/format.h>

namespace basalt
{

namespace
{

template <class T, class W>
void write_numbers(const Column& column, ColumnTextBuffer& out)
{
    for (const T& value : column_as<VectorColumn<T>>(column).data())
    {
        write_number(out, static_cast<W>(value));
        out.end_row();
    }
}

bool write_fast(const Column& column, const TypePtr& type, ColumnTextBuffer& out,
                const CastJob& job)
{
    switch (type->id())
    {
        case TypeId::UInt8: write_numbers<uint8_t, uint64_t>(column, out); return true;
        case TypeId::UInt16: write_numbers<uint16_t, uint64_t>(column, out); return true;
        case TypeId::UInt32: write_numbers<uint32_t, uint64_t>(column, out); return true;
        case TypeId::UInt64: write_numbers<uint64_t, uint64_t>(column, out); return true;
        case TypeId::Int8: write_numbers<int8_t, int64_t>(column, out); return true;
        case TypeId::Int16: write_numbers<int16_t, int64_t>(column, out); return true;
        case TypeId::Int32: write_numbers<int32_t, int64_t>(column, out); return true;
        case TypeId::Int64: write_numbers<int64_t, int64_t>(column, out); return true;
        case TypeId::Float32: write_numbers<float, float>(column, out); return true;
        case TypeId::Float64: write_numbers<double, double>(column, out); return true;
        case TypeId::Date:
            for (const uint16_t day : column_as<VectorColumn<uint16_t>>(column).data())
            {
                write_date(out, day);
                out.end_row();
            }
            return true;
        case TypeId::DateTime:
        {
            const TimeZone& zone = zone_of_type(*type, job.context);
            for (const uint32_t seconds : column_as<VectorColumn<uint32_t>>(column).data())
            {
                write_date_time(out, seconds, 0, zone, job.text);
                out.end_row();
            }
            return true;
        }
        case TypeId::DateTime64:
        {
            const TimeZone& zone = zone_of_type(*type, job.context);
            const uint32_t scale = type_as<DateTime64Type>(type).scale();
            for (const int64_t ticks : column_as<VectorColumn<int64_t>>(column).data())
            {
                write_date_time(out, ticks, scale, zone, job.text);
                out.end_row();
            }
            return true;
        }
        default: return false;
    }
}

std::string_view without_padding(std::string_view text)
{
    size_t size = text.size();
    while (size > 0 && text[size - 1] == '\0')
        --size;
    return text.substr(0, size);
}

ColumnPtr fixed_string_from_text(const TextView& texts, size_t rows, size_t width,
                                 const TypePtr& to, const CastJob& job)
{
    auto result = std::make_shared<FixedStringColumn>(width);
    result->chars().reserve(width * rows);
    for (size_t i = 0; i < rows; ++i)
    {
        const std::string_view text = texts[i];
        if (text.size() <= width)
            result->append(text);
        else if (job.note_failure(i))
            result->append_default();
        else
            throw Error(error_codes::TOO_LARGE_STRING_SIZE,
                        fmt::format("String too long for type {}", to->name()));
    }
    return result;
}

// Refuses what does not fit, unlike CAST, which lets numbers wrap.
template <class T>
bool parse_checked(std::string_view text, VectorColumn<T>& column)
{
    TextCursor cursor(text, true);
    T value;
    const char* const start = cursor.pos;
    if (!parse_integer_checked(cursor, value) || cursor.pos == start || !cursor.at_end())
        return false;
    column.data().push_back(value);
    return true;
}

ColumnPtr integers_checked(const TextView& texts, size_t rows, const TypePtr& to,
                           const CastJob& job)
{
    ColumnPtr result;
    dispatch_vector(to->physical(),
                    [&]<class Tag>(Tag)
                    {
                        using T = typename Tag::type;
                        if constexpr (!std::is_floating_point_v<T>)
                        {
                            auto column = std::make_shared<VectorColumn<T>>();
                            column->reserve(rows);
                            for (size_t i = 0; i < rows; ++i)
                            {
                                if (parse_checked<T>(texts[i], *column))
                                    continue;
                                if (!job.note_failure(i))
                                {
                                    parse_whole(texts[i], to, *column, job.text);
                                    throw Error(error_codes::CANNOT_PARSE_TEXT,
                                                "Cannot parse string to type " + to->name());
                                }
                                column->append_default();
                            }
                            result = column;
                        }
                    });
    return result;
}

} // namespace

ColumnPtr cast_to_text(const Column& column, const TypePtr& from, const TypePtr& to,
                       const CastJob& job)
{
    auto result = std::make_shared<StringColumn>();
    const size_t rows = column.size();
    result->reserve(rows);
    if (from->is(TypeId::FixedString))
    {
        const TextView texts(column);
        for (size_t i = 0; i < rows; ++i)
            result->append(without_padding(texts[i]));
        return result;
    }
    ColumnTextBuffer out(*result, rows * 12);
    if (!write_fast(column, from, out, job))
    {
        const SerializationPtr serialization = serialization_of(from);
        for (size_t i = 0; i < rows; ++i)
        {
            serialization->write_text(column, i, out, TextPlace::Whole, job.text);
            out.end_row();
        }
    }
    out.flush();
    return result;
}

ColumnPtr cast_from_text(const Column& column, const TypePtr& from, const TypePtr& to,
                         const CastJob& job)
{
    const TextView texts(column);
    const size_t rows = column.size();
    if (to->is(TypeId::FixedString))
        return fixed_string_from_text(texts, rows, type_as<FixedStringType>(to).width(), to, job);
    // A binary FixedString(16) is an address or a UUID in bytes.
    if (from->is(TypeId::FixedString) && to->is(TypeId::IPv6) &&
        type_as<FixedStringType>(from).width() == 16)
        return nullptr;
    if (to->is(TypeId::Map))
        throw Error(error_codes::TYPE_MISMATCH,
                    fmt::format("Unsupported types to CAST AS Map. Left type: {}, right type: {}",
                                from->name(), to->name()));
    if (to->is_integer() && !to->is(TypeId::Bool) && (job.failed || job.options.accurate))
        return integers_checked(texts, rows, to, job);
    auto result = to->create_column();
    result->reserve(rows);
    const bool trim = from->is(TypeId::FixedString);
    for (size_t i = 0; i < rows; ++i)
    {
        const std::string_view text = trim ? without_padding(texts[i]) : texts[i];
        if (!job.failed)
        {
            parse_whole(text, to, *result, job.text);
            continue;
        }
        if (!try_parse_whole(text, to, *result, job.text))
        {
            job.note_failure(i);
            result->append_default();
        }
    }
    return result;
}

} // namespace basalt
