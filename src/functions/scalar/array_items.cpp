#include "functions/scalar/array_items.h"

#include <fmt/core.h>

namespace basalt
{

ColumnPtr make_array(ColumnPtr items, PodVector<uint64_t> offsets)
{
    return ArrayColumn::make(to_flat(items),
                             std::make_shared<VectorColumn<uint64_t>>(std::move(offsets)));
}

ColumnPtr flat_as(const Argument& argument, const TypePtr& type, const QueryContext& context)
{
    return to_flat(cast_to(argument, type, context));
}

TypePtr comparable_type(const TypePtr& a, const TypePtr& b)
{
    const TypePtr x = remove_low_cardinality_deep(a);
    const TypePtr y = remove_low_cardinality_deep(b);
    if (same_type(x, y))
        return x;
    const TypePtr plain_x = remove_nullable(x);
    const TypePtr plain_y = remove_nullable(y);
    const auto wrap = [&](const TypePtr& type)
    { return x->is_nullable() || y->is_nullable() ? make_nullable(type) : type; };
    if (plain_x->is_enum() && plain_y->is_string())
        return wrap(plain_y);
    if (plain_y->is_enum() && plain_x->is_string())
        return wrap(plain_x);
    if (const TypePtr common = try_common_type({x, y}))
        return common;
    if (plain_x->is_integer() && plain_y->is_integer())
        return wrap(simple_type(TypeId::Int256));
    if (plain_x->is_number() && plain_y->is_number())
        return wrap(simple_type(TypeId::Float64));
    return common_type({x, y});
}

const uint8_t* null_map_of(const Column& flat)
{
    return flat.form() == ColumnForm::Nullable
               ? column_as<NullableColumn>(flat).null_map().data()
               : nullptr;
}

uint64_t EqualityIds::id_of(std::string_view key)
{
    return ids_.try_emplace(std::string(key), ids_.size()).first->second;
}

PodVector<uint64_t> EqualityIds::add(const Column& column)
{
    const size_t rows = column.size();
    PodVector<uint64_t> result(rows);
    const auto direct = [&](auto tag)
    {
        using T = decltype(tag);
        const auto* vector = dynamic_cast<const VectorColumn<T>*>(&column);
        if (!vector)
            return false;
        for (size_t i = 0; i < rows; ++i)
            result[i] = static_cast<uint64_t>(vector->data()[i]);
        return true;
    };
    if (column.form() == ColumnForm::Vector &&
        (direct(uint8_t{}) || direct(uint16_t{}) || direct(uint32_t{}) || direct(uint64_t{}) ||
         direct(int8_t{}) || direct(int16_t{}) || direct(int32_t{}) || direct(int64_t{})))
        return result;
    if (column.form() == ColumnForm::String)
    {
        const auto& strings = column_as<StringColumn>(column);
        for (size_t i = 0; i < rows; ++i)
            result[i] = id_of(strings.at(i));
        return result;
    }
    PodVector<char> key;
    for (size_t i = 0; i < rows; ++i)
    {
        key.clear();
        column.append_key(i, key);
        result[i] = id_of({key.data(), key.size()});
    }
    return result;
}

void ArrayPicker::check(uint64_t more) const
{
    if (more > kMaxArrayItems || picked_.size() + more > kMaxArrayItems)
        throw Error(error_codes::TOO_LARGE_ARRAY_SIZE,
                    fmt::format("Too large array size: {} items, maximum is: {}",
                                picked_.size() + more, kMaxArrayItems));
}

ColumnPtr take_or_default(const ColumnPtr& items, const TypePtr& type, RowIndexes picked)
{
    bool misses = false;
    for (const uint32_t item : picked)
        misses |= item == kNoItem;
    if (!misses)
        return items->take(picked);
    ItemPool pool(type);
    pool.add(*items);
    const auto none = static_cast<uint32_t>(pool.add_default());
    for (uint32_t& item : picked)
        if (item == kNoItem)
            item = none;
    return pool.take(picked);
}

void check_equal_lengths(std::string_view name, const std::vector<ArrayRows>& arrays, size_t rows)
{
    for (size_t a = 1; a < arrays.size(); ++a)
        for (size_t i = 0; i < rows; ++i)
            if (arrays[a].length(i) != arrays[0].length(i))
                throw Error(error_codes::SIZES_OF_ARRAYS_DONT_MATCH,
                            fmt::format("Arrays passed to {} must have equal size, argument {} "
                                        "has {} items and argument 1 has {}",
                                        name, a + 1, arrays[a].length(i), arrays[0].length(i)));
}

} // namespace basalt
