#include "encodings/page_statistics.h"

#include "base/unaligned.h"
#include "encodings/vector_visit.h"

#include <cmath>

namespace basalt::inline encodings
{

namespace
{

template <class T> bool is_nan(const T& value)
{
    if constexpr (std::is_floating_point_v<T>)
        return std::isnan(value);
    else
        return false;
}

template <class T>
void minmax_of_vector(const VectorColumn<T>& column, const uint8_t* nulls, size_t begin,
                      size_t count, PageStatistics& statistics)
{
    const T* data = column.data().data();
    size_t least = SIZE_MAX, most = SIZE_MAX;
    bool nan = false;
    if (!nulls && count)
    {
        T low = data[begin], high = data[begin];
        for (size_t i = begin; i < begin + count; ++i)
        {
            low = data[i] < low ? data[i] : low;
            high = high < data[i] ? data[i] : high;
            nan |= is_nan(data[i]);
        }
        if (nan)
            return;
        VectorColumn<T> ends;
        ends.data() = {low, high};
        statistics.min = ends.value_at(0);
        statistics.max = ends.value_at(1);
        return;
    }
    for (size_t i = begin; i < begin + count; ++i)
    {
        if (nulls[i])
            continue;
        nan |= is_nan(data[i]);
        if (least == SIZE_MAX || data[i] < data[least])
            least = i;
        if (most == SIZE_MAX || data[most] < data[i])
            most = i;
    }
    if (nan || least == SIZE_MAX)
        return;
    statistics.min = column.value_at(least);
    statistics.max = column.value_at(most);
}

// The first eight bytes as a number that orders as they do; reads into a PodVector's padding.
uint64_t head_of(std::string_view text)
{
    if (text.empty())
        return 0;
    const uint64_t head = __builtin_bswap64(load<uint64_t>(text.data()));
    return text.size() >= 8 ? head : head & ~(~uint64_t{0} >> (8 * text.size()));
}

std::string lower_bound_of(std::string_view text)
{
    return std::string(text.substr(0, kMaxStatisticBytes));
}

// A text that sorts at or after every text that begins as this one; nullopt when there is none
// of limited length.
std::optional<std::string> upper_bound_of(std::string_view text)
{
    if (text.size() <= kMaxStatisticBytes)
        return std::string(text);
    std::string bound(text.substr(0, kMaxStatisticBytes));
    while (!bound.empty())
    {
        const auto last = static_cast<unsigned char>(bound.back());
        if (last != 0xFF)
        {
            bound.back() = static_cast<char>(last + 1);
            return bound;
        }
        bound.pop_back();
    }
    return std::nullopt;
}

template <class Strings>
void minmax_of_strings(const Strings& column, const uint8_t* nulls, size_t begin, size_t count,
                       PageStatistics& statistics)
{
    std::optional<std::string_view> low, high;
    uint64_t low_head = 0, high_head = 0; // first bytes in an order of numbers
    for (size_t i = begin; i < begin + count; ++i)
    {
        if (nulls && nulls[i])
            continue;
        const std::string_view text = column.at(i);
        const uint64_t head = head_of(text);
        if (low && low_head < head && head < high_head)
            continue;
        if (!low || text < *low)
        {
            low = text;
            low_head = head;
        }
        if (!high || *high < text)
        {
            high = text;
            high_head = head;
        }
    }
    if (!low)
        return;
    if constexpr (std::is_same_v<Strings, FixedStringColumn>)
    {
        if (column.width() > kMaxStatisticBytes)
            return;
        statistics.min = Value(std::string(*low));
        statistics.max = Value(std::string(*high));
    }
    else if (auto bound = upper_bound_of(*high))
    {
        statistics.min = Value(lower_bound_of(*low));
        statistics.max = Value(std::move(*bound));
    }
}

void of_flat(const Column& column, const TypePtr& type, const uint8_t* nulls, size_t begin,
             size_t count, PageStatistics& statistics)
{
    switch (type->physical())
    {
    case PhysicalType::String:
        minmax_of_strings(column_as<StringColumn>(column), nulls, begin, count, statistics);
        return;
    case PhysicalType::FixedString:
        minmax_of_strings(column_as<FixedStringColumn>(column), nulls, begin, count, statistics);
        return;
    case PhysicalType::Nullable:
    {
        const auto& nullable = column_as<NullableColumn>(column);
        const uint8_t* map = nullable.null_map().data();
        for (size_t i = begin; i < begin + count; ++i)
            statistics.null_count += map[i] != 0;
        const auto& nested = type_as<NullableType>(type).nested();
        if (has_order_statistics(nested) && statistics.null_count < count)
            of_flat(*nullable.nested(), nested, statistics.null_count ? map : nullptr, begin,
                    count, statistics);
        return;
    }
    default:
        with_vector_type(type->physical(),
                         [&](auto tag)
                         {
                             minmax_of_vector(column_as<VectorColumn<decltype(tag)>>(column),
                                              nulls, begin, count, statistics);
                         });
    }
}

TypePtr stored_type(const TypePtr& type)
{
    if (type->id() == TypeId::LowCardinality)
        return stored_type(type_as<LowCardinalityType>(type).nested());
    if (type->id() == TypeId::SimpleAggregateFunction)
        return stored_type(type_as<SimpleAggregateFunctionType>(type).nested());
    return type;
}

} // namespace

bool has_order_statistics(const TypePtr& wrapped)
{
    TypePtr type = stored_type(wrapped);
    if (type->id() == TypeId::Nullable)
        type = type_as<NullableType>(type).nested();
    const TypeId id = type->id();
    return type->is_number() || (id >= TypeId::Date && id <= TypeId::Interval) ||
           type->is_enum() || id == TypeId::UUID || id == TypeId::IPv4 || id == TypeId::IPv6 ||
           type->is_string();
}

PageStatistics statistics_of(const Column& column, const TypePtr& wrapped, size_t begin,
                             size_t count)
{
    PageStatistics statistics;
    statistics.rows = static_cast<uint32_t>(count);
    const TypePtr type = stored_type(wrapped);
    if (count == 0 ||
        (!has_order_statistics(type) && type->physical() != PhysicalType::Nullable))
        return statistics;
    if (column.form() == ColumnForm::Constant)
    {
        of_flat(*column_as<ConstantColumn>(column).nested(), type, nullptr, 0, 1, statistics);
        if (statistics.null_count)
            statistics.null_count = static_cast<uint32_t>(count);
        return statistics;
    }
    if (column.form() != ColumnForm::Dictionary)
    {
        of_flat(column, type, nullptr, begin, count, statistics);
        return statistics;
    }
    const auto& dictionary = column_as<DictionaryColumn>(column);
    PodVector<uint32_t> uses(dictionary.dictionary()->size(), 0);
    for (size_t i = begin; i < begin + count; ++i)
        ++uses[dictionary.codes()[i]];
    RowIndexes used;
    uint32_t nulls = 0;
    for (uint32_t code = 0; code < uses.size(); ++code)
    {
        if (!uses[code])
            continue;
        used.push_back(code);
        if (dictionary.dictionary()->is_null_at(code))
            nulls += uses[code];
    }
    of_flat(*dictionary.dictionary()->take(used), type, nullptr, 0, used.size(), statistics);
    statistics.null_count = nulls;
    return statistics;
}

std::optional<int> compare_values(const Value& a, const Value& b)
{
    if (a.index() != b.index())
        return std::nullopt;
    return std::visit(
        [&](const auto& left) -> std::optional<int>
        {
            using T = std::decay_t<decltype(left)>;
            const T& right = b.get<T>();
            if constexpr (std::is_same_v<T, std::string>)
                return left.compare(right);
            else if constexpr (std::is_same_v<T, double>)
            {
                if (std::isnan(left) || std::isnan(right))
                    return std::nullopt;
                return left < right ? -1 : left > right;
            }
            else if constexpr (std::is_same_v<T, uint64_t> || std::is_same_v<T, int64_t> ||
                               std::is_same_v<T, UInt128> || std::is_same_v<T, Int128> ||
                               std::is_same_v<T, UInt256> || std::is_same_v<T, Int256>)
                return left < right ? -1 : right < left;
            else
                return std::nullopt;
        },
        static_cast<const std::variant<Null, uint64_t, int64_t, double, UInt128, Int128, UInt256,
                                       Int256, DecimalValue, std::string, ArrayValue, TupleValue,
                                       MapValue>&>(a));
}

} // namespace basalt::encodings
