#include "storage/mergetree/partition.h"

#include "base/error.h"
#include "codecs/hash.h"
#include "columns/serialization.h"
#include "columns/timezone.h"
#include "encodings/vector_visit.h"
#include "storage/value_bytes.h"

#include <fmt/format.h>
#include <unordered_map>

namespace basalt
{

namespace
{

// The bytes that ClickHouse feeds to SipHash for a value: a byte for its kind, then the value.
void append_hash_input(std::string& out, const Value& value)
{
    const auto raw = [&](uint8_t kind, const auto& v)
    {
        out.push_back(static_cast<char>(kind));
        out.append(reinterpret_cast<const char*>(&v), sizeof v);
    };
    const auto items = [&](uint8_t kind, const Values& values)
    {
        raw(kind, static_cast<uint64_t>(values.size()));
        for (const auto& item : values)
            append_hash_input(out, item);
    };
    if (const auto* u64 = value.get_if<uint64_t>())
        raw(1, *u64);
    else if (const auto* i64 = value.get_if<int64_t>())
        raw(2, *i64);
    else if (const auto* f64 = value.get_if<double>())
        raw(3, *f64);
    else if (const auto* u128 = value.get_if<UInt128>())
        raw(4, *u128);
    else if (const auto* i128 = value.get_if<Int128>())
        raw(5, *i128);
    else if (const auto* text = value.get_if<std::string>())
    {
        raw(16, static_cast<uint64_t>(text->size()));
        out += *text;
    }
    else if (const auto* array = value.get_if<ArrayValue>())
        items(17, array->items);
    else if (const auto* tuple = value.get_if<TupleValue>())
        items(18, tuple->items);
    else if (value.is_null())
        out.push_back(0);
    else
        append_value(out, value);
}

std::string date_number(const Value& value)
{
    int32_t year = 0;
    uint8_t month = 0, day = 0;
    const int32_t days = value.get_if<uint64_t>() ? static_cast<int32_t>(value.get<uint64_t>())
                                                  : static_cast<int32_t>(value.get<int64_t>());
    civil_from_days(days, year, month, day);
    return fmt::format("{:04}{:02}{:02}", year, month, day);
}

ColumnPtr column_of(const Value& value, const TypePtr& type)
{
    auto column = remove_low_cardinality(type)->create_column();
    column->append_value(value);
    return column;
}

void append_refs(RowRefs& refs, uint32_t block, size_t begin, size_t end)
{
    const size_t old = refs.size();
    refs.resize(old + (end - begin));
    for (size_t row = begin; row < end; ++row)
        refs[old + row - begin] = {block, static_cast<uint32_t>(row)};
}

// changes[i] |= whether value i differs from the one before it.
void mark_changes(const Column& flat, PodVector<uint8_t>& changes)
{
    const size_t rows = changes.size();
    const bool is_narrow = visit_narrow_vector(
        flat,
        [&](const auto& data)
        {
            using T = std::decay_t<decltype(data[0])>;
            for (size_t i = 1; i < rows; ++i)
                changes[i] |= std::memcmp(&data[i], &data[i - 1], sizeof(T)) != 0;
        });
    if (is_narrow)
        return;
    for (size_t i = 1; i < rows; ++i)
        changes[i] |= flat.compare_at(i, flat, i - 1, 1) != 0;
}

[[noreturn]] void throw_too_many(size_t max_partitions)
{
    throw Error(error_codes::TOO_MANY_PARTS,
                fmt::format("Too many partitions for single INSERT block (more than {}). The limit "
                            "is controlled by 'max_partitions_per_insert_block' setting. A large "
                            "number of partitions is a common mistake: partitions are for dropping "
                            "data, not for speed",
                            max_partitions));
}

} // namespace

std::string partition_id_of(const Values& values, const Types& types)
{
    if (values.empty())
        return "all";
    bool integral = true;
    for (size_t i = 0; i < values.size(); ++i)
        integral &= (values[i].get_if<uint64_t>() || values[i].get_if<int64_t>()) &&
                    !types[i]->is_decimal() && types[i]->id() != TypeId::DateTime64;
    std::string id;
    if (integral)
    {
        for (size_t i = 0; i < values.size(); ++i)
        {
            if (i)
                id += '-';
            const TypeId type = types[i]->id();
            if (type == TypeId::Date || type == TypeId::Date32)
                id += date_number(values[i]);
            else if (const auto* u64 = values[i].get_if<uint64_t>())
                id += std::to_string(*u64);
            else
                id += std::to_string(values[i].get<int64_t>());
        }
        return id;
    }
    std::string input;
    for (const auto& value : values)
        append_hash_input(input, value);
    const Hash128 hash = sip_hash128(input);
    unsigned char bytes[16];
    std::memcpy(bytes, &hash.low, 8);
    std::memcpy(bytes + 8, &hash.high, 8);
    for (const unsigned char byte : bytes)
        id += fmt::format("{:02x}", byte);
    return id;
}

std::string partition_text_of(const Values& values, const Types& types)
{
    if (values.empty())
        return "tuple()";
    std::string text;
    for (size_t i = 0; i < values.size(); ++i)
    {
        const ColumnPtr column = column_of(values[i], types[i]);
        std::string one = value_text(*column, 0, types[i]);
        if (values.size() > 1)
        {
            const TypePtr inner = strip_wrappers(types[i]);
            if (!values[i].is_null() && !inner->is_number())
                one = Value(one).to_text();
            text += i ? "," : "(";
        }
        text += one;
    }
    return values.size() > 1 ? text + ")" : text;
}

std::vector<PartitionRows> split_by_partition(const std::vector<Block>& blocks,
                                              const KeyDescription& key,
                                              const QueryContext& context, size_t max_partitions)
{
    std::vector<PartitionRows> result;
    if (key.expressions.empty())
    {
        auto& all = result.emplace_back();
        all.id = "all";
        for (uint32_t b = 0; b < blocks.size(); ++b)
            append_refs(all.rows, b, 0, blocks[b].rows());
        return result;
    }
    const ExpressionProgram program(key.expressions, context);
    Types types;
    for (const auto& expression : key.expressions)
        types.push_back(expression->type());
    std::unordered_map<std::string, size_t> by_key;
    PodVector<char> row_key;
    PodVector<uint8_t> changes;
    for (uint32_t b = 0; b < blocks.size(); ++b)
    {
        const size_t rows = blocks[b].rows();
        if (rows == 0)
            continue;
        Columns values = program.run(blocks[b]);
        changes.assign(rows, 0);
        for (auto& column : values)
        {
            column = to_flat(column);
            mark_changes(*column, changes);
        }
        changes[0] = 1;
        // Neighbours mostly share their partition.
        for (size_t begin = 0; begin < rows;)
        {
            size_t end = begin + 1;
            while (end < rows && !changes[end])
                ++end;
            row_key.clear();
            for (const auto& column : values)
                column->append_key(begin, row_key);
            const auto [found, is_new] =
                by_key.emplace(std::string(row_key.data(), row_key.size()), result.size());
            if (is_new)
            {
                if (max_partitions && result.size() == max_partitions)
                    throw_too_many(max_partitions);
                auto& added = result.emplace_back();
                for (const auto& column : values)
                    added.values.push_back(column->value_at(begin));
                added.id = partition_id_of(added.values, types);
            }
            append_refs(result[found->second].rows, b, begin, end);
            begin = end;
        }
    }
    return result;
}

} // namespace basalt
