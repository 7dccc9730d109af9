#pragma once

// What the array functions share: items of several arrays in one pool, picked by number; numbers
// for values so that equality is a comparison of integers.

#include "functions/scalar/column_rows.h"

#include <unordered_map>

namespace basalt
{

// Most items that one array function makes in a block.
inline constexpr uint64_t kMaxArrayItems = uint64_t{1} << 30;

inline const TypePtr& item_type(const TypePtr& array)
{
    return type_as<ArrayType>(array).nested();
}
inline TypePtr array_of(TypePtr nested)
{
    return std::make_shared<ArrayType>(std::move(nested));
}
ColumnPtr make_array(ColumnPtr items, PodVector<uint64_t> offsets);
// The argument cast to `type` and flat.
ColumnPtr flat_as(const Argument& argument, const TypePtr& type, const QueryContext& context);

// The type in which values of both can be compared. Throws NO_COMMON_TYPE.
TypePtr comparable_type(const TypePtr& a, const TypePtr& b);

// 1 for NULL; null pointer when the column is not Nullable.
const uint8_t* null_map_of(const Column& flat);

// Equal numbers for equal values (NULL equals NULL), over all columns added. The columns have the
// same physical type and are flat.
class EqualityIds
{
public:
    PodVector<uint64_t> add(const Column& column);

private:
    uint64_t id_of(std::string_view key);
    std::unordered_map<std::string, uint64_t> ids_;
};

// Items of several columns one after another, from which a result is picked.
class ItemPool
{
public:
    explicit ItemPool(const TypePtr& type) : items_(type->create_column()) {}
    // The number of its first item.
    size_t add(const Column& flat)
    {
        const size_t first = items_->size();
        items_->append_range(flat, 0, flat.size());
        return first;
    }
    size_t add_default()
    {
        items_->append_default();
        return items_->size() - 1;
    }
    size_t add_value(const Value& value)
    {
        items_->append_value(value);
        return items_->size() - 1;
    }
    ColumnPtr take(const RowIndexes& picked) const { return items_->take(picked); }

private:
    MutableColumnPtr items_;
};

// Picks items row by row into a new array column.
class ArrayPicker
{
public:
    explicit ArrayPicker(size_t rows) { offsets_.reserve(rows); }
    void pick(size_t item) { picked_.push_back(static_cast<uint32_t>(item)); }
    void pick_range(size_t begin, size_t end)
    {
        for (size_t i = begin; i < end; ++i)
            pick(i);
    }
    void pick_times(size_t item, size_t count)
    {
        check(count);
        picked_.resize_fill(picked_.size() + count, static_cast<uint32_t>(item));
    }
    void end_row() { offsets_.push_back(picked_.size()); }
    void check(uint64_t more) const;
    ColumnPtr finish(const Column& items)
    {
        return make_array(items.take(picked_), std::move(offsets_));
    }
    ColumnPtr finish(const ItemPool& pool)
    {
        return make_array(pool.take(picked_), std::move(offsets_));
    }

private:
    RowIndexes picked_;
    PodVector<uint64_t> offsets_;
};

// Rows of `items` picked by number; kNoItem gives the default of `type`.
inline constexpr uint32_t kNoItem = 0xFFFFFFFF;
ColumnPtr take_or_default(const ColumnPtr& items, const TypePtr& type, RowIndexes picked);

// Throws SIZES_OF_ARRAYS_DONT_MATCH unless all have the same length in every row.
void check_equal_lengths(std::string_view name, const std::vector<ArrayRows>& arrays,
                         size_t rows);

} // namespace basalt
