#include "storage/mergetree/map_sums.h"

#include "base/error.h"
#include "columns/sort.h"
#include "storage/mergetree/key_runs.h"

#include <algorithm>

namespace basalt
{

namespace
{

bool names_key(std::string_view name)
{
    return name.ends_with("Key") || name.ends_with("ID") || name.ends_with("Type");
}

bool can_be_key(const TypePtr& type)
{
    return type->is_integer() || type->is(TypeId::Date) || type->is(TypeId::DateTime) ||
           type->is(TypeId::String) || type->is(TypeId::FixedString) ||
           type->is(TypeId::Enum8) || type->is(TypeId::Enum16) || type->is(TypeId::UUID) ||
           type->is(TypeId::IPv4) || type->is(TypeId::IPv6);
}

} // namespace

MapSums::MapSums(const Header& header, const std::vector<std::string>& key_columns)
{
    std::vector<std::pair<std::string, std::vector<size_t>>> nested;
    for (size_t i = 0; i < header.size(); ++i)
    {
        const auto dot = header[i].name.find('.');
        if (dot == std::string::npos || !header[i].type->is(TypeId::Array))
            continue;
        const std::string name = header[i].name.substr(0, dot);
        if (!name.ends_with("Map"))
            continue;
        if (nested.empty() || nested.back().first != name)
            nested.push_back({name, {}});
        nested.back().second.push_back(i);
    }
    for (const auto& [name, columns] : nested)
    {
        Map map;
        bool fits = columns.size() > 1;
        for (size_t n = 0; n < columns.size() && fits; ++n)
        {
            const auto& column = header[columns[n]];
            const TypePtr& item = type_as<ArrayType>(column.type).nested();
            if (std::find(key_columns.begin(), key_columns.end(), column.name) !=
                key_columns.end())
                fits = false;
            else if (n == 0 ? item->is_integer() || can_be_key(item)
                            : names_key(column.name) && can_be_key(item))
                map.keys.push_back(columns[n]);
            else if (auto sum = item->is(TypeId::Nullable) ? nullptr : sum_of_group(item))
            {
                map.values.push_back(columns[n]);
                map.sums.push_back(std::move(sum));
            }
            else
                fits = false;
        }
        if (fits && !map.values.empty())
            maps_.push_back(std::move(map));
    }
}

void MapSums::reduce(const Block& block, const RowIndexes& starts, Block& result) const
{
    for (const Map& map : maps_)
        reduce_map(map, block, starts, result);
}

void MapSums::reduce_map(const Map& map, const Block& block, const RowIndexes& starts,
                         Block& result) const
{
    const ColumnPtr first = to_flat(block[map.keys[0]].column);
    const auto& offsets = column_as<ArrayColumn>(first).offsets();
    // Entries of all rows as one block: the group, the keys, the values.
    auto groups = std::make_shared<VectorColumn<uint32_t>>(
        offsets.empty() ? 0 : offsets[offsets.size() - 1]);
    for (size_t group = 0; group < starts.size(); ++group)
    {
        const size_t end_row = group + 1 < starts.size() ? starts[group + 1] : block.rows();
        const size_t begin = column_as<ArrayColumn>(first).begin_of(starts[group]);
        std::fill(groups->data().data() + begin, groups->data().data() + offsets[end_row - 1],
                  static_cast<uint32_t>(group));
    }
    Block entries;
    entries.add({groups, simple_type(TypeId::UInt32), "group"});
    SortKeys order(1);
    const auto add = [&](size_t at)
    {
        const ColumnPtr flat = to_flat(block[at].column);
        const auto& array = column_as<ArrayColumn>(flat);
        if (array.offsets().size() != offsets.size() ||
            !std::equal(offsets.begin(), offsets.end(), array.offsets().begin()))
            throw Error(error_codes::INCORRECT_DATA,
                        "Arrays of a Nested column to sum differ in length: " + block[at].name);
        entries.add({array.items(), type_as<ArrayType>(block[at].type).nested(), block[at].name});
    };
    for (const size_t key : map.keys)
    {
        SortKey sort_key;
        sort_key.column = entries.width();
        order.push_back(sort_key);
        add(key);
    }
    for (const size_t value : map.values)
        add(value);
    auto ends = std::make_shared<VectorColumn<uint64_t>>(starts.size(), 0);
    if (entries.rows())
    {
        entries = entries.take(sort_rows(entries, order));
        const RowIndexes runs = key_run_starts(entries, order);
        Block sums;
        for (size_t i = 0; i <= map.keys.size(); ++i)
            sums.add({to_flat(entries[i].column)->take(runs), entries[i].type, entries[i].name});
        Mask mask(runs.size(), 0);
        for (size_t i = 0; i < map.values.size(); ++i)
        {
            const auto& column = entries[1 + map.keys.size() + i];
            sums.add({map.sums[i]->reduce(to_flat(column.column), runs), column.type, column.name});
            map.sums[i]->mark_not_zero(*sums[sums.width() - 1].column, mask);
        }
        entries = sums.filter(mask, count_kept(mask));
        const ColumnPtr left = to_flat(entries[0].column);
        for (const uint32_t group : column_as<VectorColumn<uint32_t>>(left).data())
            ++ends->data()[group];
        for (size_t group = 1; group < starts.size(); ++group)
            ends->data()[group] += ends->data()[group - 1];
    }
    const auto put = [&](size_t at, size_t entry)
    { result[at].column = ArrayColumn::make(to_flat(entries[entry].column), ends); };
    for (size_t i = 0; i < map.keys.size(); ++i)
        put(map.keys[i], 1 + i);
    for (size_t i = 0; i < map.values.size(); ++i)
        put(map.values[i], 1 + map.keys.size() + i);
}

} // namespace basalt
