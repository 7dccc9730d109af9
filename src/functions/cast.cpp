#include "functions/cast_parts.h"

#include "base/error.h"

#include <fmt/format.h>

namespace basalt
{

namespace
{

TypePtr unwrapped(const TypePtr& type)
{
    const TypePtr plain = remove_low_cardinality(type);
    if (plain->is(TypeId::SimpleAggregateFunction))
        return unwrapped(type_as<SimpleAggregateFunctionType>(plain).nested());
    return plain;
}

ColumnPtr zero_nulls(size_t rows)
{
    return std::make_shared<VectorColumn<uint8_t>>(rows, uint8_t{0});
}

ColumnPtr cast_flat(const ColumnPtr& column, const TypePtr& from, const TypePtr& to,
                    const CastOptions& options, const QueryContext& context,
                    const TextOptions& text);

// Values of a plain type into Nullable(nested).
ColumnPtr plain_into_nullable(const ColumnPtr& column, const TypePtr& from, const TypePtr& nested,
                              const CastOptions& options, const QueryContext& context,
                              const TextOptions& text)
{
    const size_t rows = column->size();
    const bool may_fail = options.or_null || (options.text_or_null && from->is_string());
    if (!may_fail)
    {
        const CastJob job{context, text, options, nullptr};
        return NullableColumn::make(cast_plain(column, from, nested, job), zero_nulls(rows));
    }
    auto nulls = std::make_shared<VectorColumn<uint8_t>>(rows, uint8_t{0});
    const CastJob job{context, text, options, &nulls->data()};
    return NullableColumn::make(cast_plain(column, from, nested, job), nulls);
}

ColumnPtr nullable_into_nullable(const NullableColumn& column, const TypePtr& from,
                                 const TypePtr& to, const CastOptions& options,
                                 const QueryContext& context, const TextOptions& text)
{
    const TypePtr inner = remove_nullable(from);
    const size_t rows = column.size();
    if (!column.has_nulls())
        return cast_flat(column.nested(), inner, to, options, context, text);
    // What stands below a NULL may not be convertible: only the others are looked at.
    RowIndexes kept;
    const auto& nulls = column.null_map();
    for (size_t i = 0; i < rows; ++i)
        if (!nulls[i])
            kept.push_back(static_cast<uint32_t>(i));
    const ColumnPtr values =
        cast_flat(column.nested()->take(kept), inner, to, options, context, text);
    auto result = to->create_column();
    result->reserve(rows);
    size_t next = 0;
    for (size_t begin = 0; begin < rows;)
    {
        size_t end = begin + 1;
        while (end < rows && nulls[end] == nulls[begin])
            ++end;
        if (nulls[begin])
            result->append_defaults(end - begin);
        else
        {
            result->append_range(*values, next, end - begin);
            next += end - begin;
        }
        begin = end;
    }
    return result;
}

ColumnPtr cast_flat(const ColumnPtr& column, const TypePtr& from, const TypePtr& to,
                    const CastOptions& options, const QueryContext& context,
                    const TextOptions& text)
{
    if (same_type(from, to))
        return column;
    const size_t rows = column->size();
    if (from->is(TypeId::Nothing) || is_null_type(from))
    {
        if (!to->is_nullable() && from->is_nullable() && rows > 0)
            throw Error(error_codes::CANNOT_CONVERT_TYPE,
                        "Cannot convert NULL to a non-nullable type");
        auto result = to->create_column();
        result->append_defaults(rows);
        return result;
    }
    if (from->is_nullable())
    {
        const auto& nullable = column_as<NullableColumn>(column);
        if (to->is_nullable())
        {
            if (same_type(remove_nullable(from), remove_nullable(to)))
                return column;
            return nullable_into_nullable(nullable, from, to, options, context, text);
        }
        if (nullable.has_nulls())
            throw Error(error_codes::CANNOT_INSERT_NULL_IN_ORDINARY_COLUMN,
                        "Cannot convert NULL value to non-Nullable type");
        return cast_flat(nullable.nested(), remove_nullable(from), to, options, context, text);
    }
    if (to->is_nullable())
        return plain_into_nullable(column, from, remove_nullable(to), options, context, text);
    const CastJob job{context, text, options, nullptr};
    return cast_plain(column, from, to, job);
}

} // namespace

TextOptions text_options(const QueryContext& context)
{
    TextOptions options;
    options.session_timezone = context.timezone();
    const auto& settings = context.settings;
    if (settings.changed("bool_true_representation"))
        options.bool_true = settings.get("bool_true_representation");
    if (settings.changed("bool_false_representation"))
        options.bool_false = settings.get("bool_false_representation");
    if (settings.changed("date_time_input_format"))
        options.date_time_input_basic = settings.get("date_time_input_format") == "basic";
    if (settings.changed("output_format_decimal_trailing_zeros"))
        options.decimal_trailing_zeros =
            settings.get_bool("output_format_decimal_trailing_zeros");
    return options;
}

ColumnPtr cast_plain(const ColumnPtr& column, const TypePtr& from, const TypePtr& to,
                     const CastJob& job)
{
    if (same_type(from, to))
        return column;
    ColumnPtr result;
    if (from->is_string() && !to->is(TypeId::String))
        result = cast_from_text(*column, from, to, job);
    else if (to->is(TypeId::String))
        result = cast_to_text(*column, from, to, job);
    if (!result && (from->is_enum() || to->is_enum()))
        result = cast_enums(column, from, to, job);
    if (!result)
        result = cast_numbers(column, from, to, job);
    if (!result)
        result = cast_dates(column, from, to, job);
    if (!result)
        result = cast_decimals(column, from, to, job);
    if (!result)
        result = cast_addresses(column, from, to, job);
    if (!result)
        result = cast_composite(column, from, to, job);
    const bool from_composite =
        from->is(TypeId::Array) || from->is(TypeId::Tuple) || from->is(TypeId::Map);
    if (!result && from_composite)
        throw Error(error_codes::ILLEGAL_TYPE_OF_ARGUMENT,
                    fmt::format("Illegal type {} of argument of conversion to {}", from->name(),
                                to->name()));
    if (!result)
        throw Error(error_codes::CANNOT_CONVERT_TYPE,
                    fmt::format("Conversion from {} to {} is not supported", from->name(),
                                to->name()));
    return result;
}

ColumnPtr cast_column(const ColumnPtr& column, const TypePtr& given_from, const TypePtr& given_to,
                      const CastOptions& options, const QueryContext& context)
{
    const TypePtr from = unwrapped(given_from);
    const TypePtr to = unwrapped(given_to);
    if (same_type(from, to))
        return column;
    const TextOptions text = text_options(context);
    if (is_constant(*column))
        return std::make_shared<ConstantColumn>(
            cast_flat(column_as<ConstantColumn>(column).nested(), from, to, options, context,
                      text),
            column->size());
    if (column->form() == ColumnForm::Dictionary)
    {
        const auto& coded = column_as<DictionaryColumn>(column);
        if (coded.dictionary()->size() <= coded.size())
        {
            try
            {
                return std::make_shared<DictionaryColumn>(
                    cast_flat(coded.dictionary(), from, to, options, context, text),
                    coded.codes());
            }
            catch (const Error&)
            {
                // Perhaps an entry that no row uses: below, only what rows hold is converted.
            }
        }
        return cast_flat(coded.to_flat(), from, to, options, context, text);
    }
    return cast_flat(column, from, to, options, context, text);
}

ColumnPtr cast_column(const ColumnPtr& column, const TypePtr& from, const TypePtr& to,
                      const QueryContext& context)
{
    return cast_column(column, from, to, CastOptions{}, context);
}

} // namespace basalt
