#include "columns/serialization.h"

#include "columns/serialization_kinds.h"

#include <array>
#include <fmt/core.h>

namespace basalt
{

namespace
{

SerializationPtr make_simple(const TypePtr& type)
{
    switch (type->id())
    {
    case TypeId::Nothing:
        return make_nothing_serialization();
    case TypeId::Bool:
        return make_bool_serialization();
    case TypeId::Date:
        return make_date_serialization(false);
    case TypeId::Date32:
        return make_date_serialization(true);
    case TypeId::UUID:
        return make_uuid_serialization();
    case TypeId::IPv4:
        return make_ipv4_serialization();
    case TypeId::IPv6:
        return make_ipv6_serialization();
    case TypeId::String:
        return make_string_serialization();
    case TypeId::Time:
        return make_time_serialization(type);
    default:
        return make_number_serialization(type);
    }
}

bool is_simple(TypeId id)
{
    return id <= TypeId::Float64 || id == TypeId::Date || id == TypeId::Date32 ||
           id == TypeId::UUID || id == TypeId::IPv4 || id == TypeId::IPv6 ||
           id == TypeId::String || id == TypeId::Time;
}

} // namespace

SerializationPtr serialization_of(const TypePtr& type)
{
    const TypeId id = type->id();
    if (is_simple(id))
    {
        static const auto simple = []
        {
            std::array<SerializationPtr, 64> made;
            for (size_t i = 0; i < static_cast<size_t>(TypeId::Function); ++i)
                if (is_simple(static_cast<TypeId>(i)))
                    made[i] = make_simple(simple_type(static_cast<TypeId>(i)));
            return made;
        }();
        return simple[static_cast<size_t>(id)];
    }
    switch (id)
    {
    case TypeId::Decimal32:
    case TypeId::Decimal64:
    case TypeId::Decimal128:
    case TypeId::Decimal256:
        return make_decimal_serialization(type);
    case TypeId::DateTime:
    case TypeId::DateTime64:
        return make_date_time_serialization(type);
    case TypeId::Time64:
        return make_time_serialization(type);
    case TypeId::Interval:
        return serialization_of(simple_type(TypeId::Int64));
    case TypeId::Enum8:
    case TypeId::Enum16:
        return make_enum_serialization(type);
    case TypeId::FixedString:
        return make_fixed_string_serialization(type_as<FixedStringType>(type).width());
    case TypeId::Nullable:
        return make_nullable_serialization(type);
    case TypeId::LowCardinality:
        return make_low_cardinality_serialization(type);
    case TypeId::Array:
        return make_array_serialization(type);
    case TypeId::Tuple:
        return make_tuple_serialization(type);
    case TypeId::Map:
        return make_map_serialization(type);
    case TypeId::AggregateFunction:
        return make_aggregate_serialization(type);
    case TypeId::SimpleAggregateFunction:
        return serialization_of(type_as<SimpleAggregateFunctionType>(type).nested());
    default:
        throw Error(error_codes::ILLEGAL_COLUMN,
                    "Values of type " + type->name() + " have no text or binary form");
    }
}

void FlatCell::unwrap()
{
    if (column->form() == ColumnForm::Constant)
    {
        column = column_as<ConstantColumn>(*column).nested().get();
        row = 0;
    }
    else
    {
        const auto& dictionary = column_as<DictionaryColumn>(*column);
        row = dictionary.codes()[row];
        column = dictionary.dictionary().get();
    }
}

void Serialization::read_text(Column& column, InputBuffer& in, TextPlace place,
                              const TextOptions& options) const
{
    for (;;)
    {
        in.eof(); // reads more when nothing is at hand
        TextCursor cursor(in.available());
        const bool parsed = parse_text(column, cursor, place, options);
        // What ended at the end of the buffer may go on in the next one.
        if (parsed && !cursor.at_end())
        {
            in.set_position(cursor.pos);
            return;
        }
        const auto used = static_cast<size_t>(cursor.pos - in.position());
        if (in.refill())
        {
            if (parsed)
                column.remove_last(1);
            continue;
        }
        if (!parsed)
            cursor.throw_error();
        in.consume(used);
        return;
    }
}

void Serialization::write_native(const Column& column, size_t begin, size_t count,
                                 OutputBuffer& out) const
{
    write_native_prefix(out);
    if (column.form() == ColumnForm::Constant || column.form() == ColumnForm::Dictionary)
    {
        const ColumnPtr part = column.slice(begin, count)->to_flat();
        write_native_data(*part, 0, count, out);
    }
    else
        write_native_data(column, begin, count, out);
}

ColumnPtr Serialization::read_native(size_t count, InputBuffer& in) const
{
    read_native_prefix(in);
    return read_native_data(count, in);
}

void Serialization::write_json_pretty(const Column& column, size_t row, OutputBuffer& out,
                                      const TextOptions& options, size_t) const
{
    write_text(column, row, out, TextPlace::Json, options);
}

void Serialization::write_native_prefix(OutputBuffer&) const {}
void Serialization::read_native_prefix(InputBuffer&) const {}

std::string value_text(const Column& column, size_t row, const TypePtr& type,
                       const TextOptions& options)
{
    std::string text;
    StringOutputBuffer out(text);
    serialization_of(type)->write_text(column, row, out, TextPlace::Whole, options);
    out.finish();
    // As text a FixedString has no padding.
    if (strip_wrappers(type)->is(TypeId::FixedString))
        text.erase(text.find_last_not_of('\0') + 1);
    return text;
}

bool try_parse_whole(std::string_view text, const TypePtr& type, Column& column,
                     const TextOptions& options)
{
    TextCursor cursor(text, true);
    if (!serialization_of(type)->parse_text(column, cursor, TextPlace::Whole, options))
        return false;
    if (cursor.at_end())
        return true;
    column.remove_last(1);
    return false;
}

void parse_whole(std::string_view text, const TypePtr& type, Column& column,
                 const TextOptions& options)
{
    TextCursor cursor(text);
    if (!serialization_of(type)->parse_text(column, cursor, TextPlace::Whole, options))
        cursor.throw_error();
    if (cursor.at_end())
        return;
    column.remove_last(1);
    const std::string_view parsed = text.substr(0, text.size() - cursor.left());
    const TypePtr inner = strip_wrappers(type);
    const bool composite =
        inner->is(TypeId::Array) || inner->is(TypeId::Tuple) || inner->is(TypeId::Map);
    if (composite)
        throw Error(error_codes::UNEXPECTED_DATA_AFTER_PARSED_VALUE,
                    fmt::format("Unexpected data {} after parsed {} value {}",
                                quoted_excerpt(cursor.rest()),
                                inner->is(TypeId::Array)   ? "Array"
                                : inner->is(TypeId::Tuple) ? "Tuple"
                                                           : "Map",
                                quoted_excerpt(parsed)));
    std::string where = "syntax error at begin of string";
    if (!parsed.empty())
        where = fmt::format("syntax error at position {} (parsed just {})", parsed.size(),
                            quoted_excerpt(parsed));
    throw Error(error_codes::CANNOT_PARSE_TEXT,
                fmt::format("Cannot parse string {} as {}: {}", quoted_excerpt(text),
                            type->name(), where));
}

} // namespace basalt
