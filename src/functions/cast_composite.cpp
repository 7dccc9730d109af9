// Arrays, tuples and maps, element by element.

#include "functions/cast_parts.h"

#include "base/error.h"

#include <fmt/format.h>

#include <algorithm>

namespace basalt
{

namespace
{

// Elements may be Nullable or LowCardinality again.
ColumnPtr cast_element(const ColumnPtr& column, const TypePtr& from, const TypePtr& to,
                       const CastJob& job)
{
    CastOptions options = job.options;
    // A failing element fails the whole: NULL goes only where the element's type takes it.
    options.or_null = false;
    return to_flat(cast_column(column, from, to, options, job.context));
}

ColumnPtr cast_array(const ColumnPtr& column, const TypePtr& from_items, const TypePtr& to_items,
                     const CastJob& job)
{
    const auto& array = column_as<ArrayColumn>(column);
    return ArrayColumn::make(cast_element(array.items(), from_items, to_items, job),
                             array.offsets_column());
}

ColumnPtr cast_tuple(const ColumnPtr& column, const TypePtr& from, const TypePtr& to,
                     const CastJob& job)
{
    const auto& source = type_as<TupleType>(from);
    const auto& target = type_as<TupleType>(to);
    const auto& tuple = column_as<TupleColumn>(column);
    Columns elements;
    const bool by_name =
        source.named() && target.named() &&
        std::any_of(target.names().begin(), target.names().end(),
                    [&](const std::string& name) { return source.find(name) >= 0; });
    if (!by_name && source.elements().size() != target.elements().size())
        throw Error(error_codes::TYPE_MISMATCH,
                    fmt::format("CAST AS Tuple can be performed only between tuple types with the "
                                "same number of elements. Left type: {}, right type: {}",
                                from->name(), to->name()));
    for (size_t i = 0; i < target.elements().size(); ++i)
    {
        const TypePtr& type = target.elements()[i];
        const int at = by_name ? source.find(target.names()[i]) : static_cast<int>(i);
        if (at < 0)
        {
            auto missing = type->create_column();
            for (size_t row = 0; row < tuple.size(); ++row)
                missing->append_value(type->default_value());
            elements.push_back(missing);
            continue;
        }
        const auto number = static_cast<size_t>(at);
        elements.push_back(
            cast_element(tuple.element(number), source.elements()[number], type, job));
    }
    return TupleColumn::make(std::move(elements), tuple.size());
}

// ([keys], [values]) as a map.
ColumnPtr arrays_to_map(const ColumnPtr& column, const TypePtr& from, const MapType& to,
                        const CastJob& job)
{
    const auto& types = type_as<TupleType>(from).elements();
    const auto& tuple = column_as<TupleColumn>(column);
    const auto& keys = column_as<ArrayColumn>(tuple.element(0));
    const auto& values = column_as<ArrayColumn>(tuple.element(1));
    for (size_t i = 0; i < tuple.size(); ++i)
        if (keys.offsets()[i] != values.offsets()[i])
            throw Error(error_codes::TYPE_MISMATCH,
                        "CAST AS Map from tuple requires arrays of the same size");
    Columns entries{
        cast_element(keys.items(), type_as<ArrayType>(types[0]).nested(), to.key(), job),
        cast_element(values.items(), type_as<ArrayType>(types[1]).nested(), to.value(), job)};
    const size_t count = keys.items()->size();
    return ArrayColumn::make(TupleColumn::make(std::move(entries), count), keys.offsets_column());
}

} // namespace

ColumnPtr cast_composite(const ColumnPtr& column, const TypePtr& from, const TypePtr& to,
                         const CastJob& job)
{
    if (to->is(TypeId::Array))
    {
        const TypePtr& items = type_as<ArrayType>(to).nested();
        if (from->is(TypeId::Array))
            return cast_array(column, type_as<ArrayType>(from).nested(), items, job);
        if (from->is(TypeId::Map))
            return cast_array(column, type_as<ArrayType>(type_as<MapType>(from).entries()).nested(),
                              items, job);
        throw Error(error_codes::TYPE_MISMATCH,
                    "CAST AS Array can only be performed between same-dimensional Array, Map or "
                    "String types");
    }
    if (to->is(TypeId::Tuple) && from->is(TypeId::Tuple))
        return cast_tuple(column, from, to, job);
    if (to->is(TypeId::Map))
    {
        const auto& map = type_as<MapType>(to);
        const TypePtr& entry = type_as<ArrayType>(map.entries()).nested();
        if (from->is(TypeId::Map))
            return cast_array(column, type_as<ArrayType>(type_as<MapType>(from).entries()).nested(),
                              entry, job);
        if (from->is(TypeId::Array))
        {
            const TypePtr& items = type_as<ArrayType>(from).nested();
            const bool pairs = items->is(TypeId::Nothing) ||
                               (items->is(TypeId::Tuple) &&
                                type_as<TupleType>(items).elements().size() == 2);
            if (pairs)
                return cast_array(column, items, entry, job);
        }
        if (from->is(TypeId::Tuple))
        {
            const auto& elements = type_as<TupleType>(from).elements();
            if (elements.size() == 2 && elements[0]->is(TypeId::Array) &&
                elements[1]->is(TypeId::Array))
                return arrays_to_map(column, from, map, job);
        }
        throw Error(error_codes::TYPE_MISMATCH,
                    fmt::format("Unsupported types to CAST AS Map. Left type: {}, right type: {}",
                                from->name(), to->name()));
    }
    return nullptr;
}

} // namespace basalt
