#pragma once

// One value kept in a state: of a fixed width, a text, or of any other type. All have
//   set(column, row, arena), order(column, row, nan) - of the row's value against the held one,
//   copy(other, arena), order(other, nan), write, read, append_to(column).
// nan: where NaN and NULL inside values go, 1 after all, -1 before.

#include "functions/aggregate/aggregate_of.h"

#include <cmath>

namespace basalt
{

template <class T> struct FixedValue
{
    T value = T(0);
    bool has = false;

    void set(const Column& column, size_t row, Arena&) { put(vector_of<T>(column)[row]); }
    void put(T other)
    {
        value = other;
        has = true;
    }
    void copy(const FixedValue& other, Arena&) { *this = other; }
    int order(const Column& column, size_t row, int nan) const
    {
        return order_of(vector_of<T>(column)[row], nan);
    }
    int order(const FixedValue& other, int nan) const { return order_of(other.value, nan); }
    int order_of(T other, int nan) const
    {
        if constexpr (std::is_floating_point_v<T>)
        {
            const bool mine = std::isnan(value);
            const bool theirs = std::isnan(other);
            if (mine || theirs)
                return mine && theirs ? 0 : (theirs ? nan : -nan);
        }
        return other < value ? -1 : (value < other ? 1 : 0);
    }
    // As ClickHouse: a byte that tells whether there is a value, and the value.
    void write(std::string& out, const Column&) const
    {
        out += has ? '\1' : '\0';
        if (has)
            put_fixed(out, value);
    }
    void read(StateReader& in, Arena&, const Column&)
    {
        has = in.fixed<uint8_t>() != 0;
        value = has ? in.fixed<T>() : T(0);
    }
    void append_to(Column& into) const
    {
        if (has)
            vector_of<T>(into).push_back(value);
        else
            into.append_default();
    }
};

// The text lies in the arena, in a place that is used again for texts that fit it.
struct TextValue
{
    char* data = nullptr;
    uint32_t size = 0;
    uint32_t capacity = 0;
    bool has = false;

    static std::string_view text_at(const Column& column, size_t row)
    {
        return column.form() == ColumnForm::String ? column_as<StringColumn>(column).at(row)
                                                   : column_as<FixedStringColumn>(column).at(row);
    }
    std::string_view view() const { return {data, size}; }
    void set(const Column& column, size_t row, Arena& arena) { put(text_at(column, row), arena); }
    void put(std::string_view text, Arena& arena)
    {
        BASALT_ASSERT(text.size() <= UINT32_MAX / 2);
        if (text.size() > capacity)
        {
            capacity = std::max<uint32_t>(static_cast<uint32_t>(text.size()), capacity * 2);
            data = arena.allocate(capacity, 1);
        }
        if (!text.empty())
            std::memcpy(data, text.data(), text.size());
        size = static_cast<uint32_t>(text.size());
        has = true;
    }
    void copy(const TextValue& other, Arena& arena)
    {
        if (other.has)
            put(other.view(), arena);
    }
    int order(const Column& column, size_t row, int) const
    {
        return text_at(column, row).compare(view());
    }
    int order(const TextValue& other, int) const { return other.view().compare(view()); }
    // As ClickHouse: the size with a zero byte at the end as Int32, -1 when there is no value.
    void write(std::string& out, const Column&) const
    {
        put_fixed(out, has ? static_cast<int32_t>(size + 1) : int32_t{-1});
        if (has)
            out.append(view()).append(1, '\0');
    }
    void read(StateReader& in, Arena& arena, const Column& shape)
    {
        const auto written = in.fixed<int32_t>();
        has = false;
        if (written < 0)
            return;
        if (written == 0)
            StateReader::corrupted();
        const std::string_view text = in.bytes(static_cast<size_t>(written)).substr(0, written - 1);
        if (shape.form() == ColumnForm::FixedString &&
            text.size() != static_cast<const FixedStringColumn&>(shape).width())
            StateReader::corrupted();
        put(text, arena);
    }
    void append_to(Column& into) const
    {
        if (!has)
            into.append_default();
        else if (into.form() == ColumnForm::String)
            column_as<StringColumn>(into).append(view());
        else
            column_as<FixedStringColumn>(into).append(view());
    }
};

// Held in a column of one row.
struct AnyValue
{
    MutableColumnPtr column;
    bool has = false;

    void set(const Column& from, size_t row, Arena&)
    {
        if (!column)
            column = from.clone_empty();
        if (column->size())
            column->remove_last(1);
        column->append_from(from, row);
        has = true;
    }
    void copy(const AnyValue& other, Arena& arena)
    {
        if (other.has)
            set(*other.column, 0, arena);
    }
    int order(const Column& from, size_t row, int nan) const
    {
        return from.compare_at(row, *column, 0, nan);
    }
    int order(const AnyValue& other, int nan) const
    {
        return other.column->compare_at(0, *column, 0, nan);
    }
    void write(std::string& out, const Column&) const
    {
        out += has ? '\1' : '\0';
        if (has)
            put_key(out, *column, 0);
    }
    void read(StateReader& in, Arena&, const Column& shape)
    {
        has = in.fixed<uint8_t>() != 0;
        column = nullptr;
        if (!has)
            return;
        column = shape.clone_empty();
        read_key(*column, in);
    }
    void append_to(Column& into) const
    {
        if (has)
            into.append_from(*column, 0);
        else
            into.append_default();
    }
};

// Makes F<FixedValue<T> / TextValue / AnyValue>(args…) for the type.
template <template <class> class F, class... Args>
AggregateFunctionPtr make_for_value(const TypePtr& type, const Args&... args)
{
    AggregateFunctionPtr made;
    dispatch_vector(
        type->physical(), [&](auto tag)
        { made = std::make_shared<F<FixedValue<typename decltype(tag)::type>>>(args...); });
    if (made)
        return made;
    if (type->physical() == PhysicalType::String || type->physical() == PhysicalType::FixedString)
        return std::make_shared<F<TextValue>>(args...);
    return std::make_shared<F<AnyValue>>(args...);
}

} // namespace basalt
