// How a TableWriter finds stored rows: those that die, and those whose values live on in new rows.

#include "integrations/postgres/table_writer.h"

#include "binder/binder.h"

#include <algorithm>
#include <cstring>
#include <fmt/core.h>

namespace basalt::pg
{

bool TableWriter::is_alive(uint64_t number) const
{
    if (number < dead_below_ || killed_set_.contains(number))
        return false;
    const auto state = table_->state();
    if (number < state->end)
        return !state->dead.contains(number);
    // Of this commit; or of one that was abandoned.
    return first_number_ && number >= *first_number_;
}

void TableWriter::resolve()
{
    if (resolved_)
        return;
    std::unordered_map<std::string, uint32_t> wanted; // key -> rows to find
    // Rows whose values live on are read, even when their place is known.
    std::erase_if(fills_, [&](const auto& fill) { return alive_[fill.second.row] == 0; });
    for (const auto& [place, fill] : fills_)
        wanted.emplace(fill.key, 0);
    for (auto& [key, entry] : entries_)
        if (entry.kills > 0)
        {
            if (const auto known = known_.find(key); known != known_.end() &&
                                                     is_alive(known->second) &&
                                                     !wanted.contains(key))
            {
                killed_.push_back(known->second);
                killed_set_.insert(known->second);
                known_.erase(known);
                entry.kills = 0;
                continue;
            }
            wanted[key] = entry.kills;
            entry.kills = 0;
        }
    if (!wanted.empty())
        look_up(wanted);
    resolved_ = true;
}

ExpressionPtr TableWriter::condition_of(const std::unordered_map<std::string, uint32_t>& wanted,
                                        const QueryContext& context) const
{
    Columns members;
    Types types;
    Expressions inputs;
    if (!table_->has_key())
    {
        auto hashes = std::make_shared<VectorColumn<uint64_t>>();
        for (const auto& [key, rows] : wanted)
        {
            uint64_t hash;
            std::memcpy(&hash, key.data(), sizeof(hash));
            hashes->data().push_back(hash);
        }
        members.push_back(std::move(hashes));
        types.push_back(simple_type(TypeId::UInt64));
        inputs.push_back(Expression::input(kHashColumn, types[0]));
    }
    else
    {
        std::vector<MutableColumnPtr> columns;
        for (const size_t at : source_.key)
        {
            const auto& column = metadata_->columns[at];
            columns.push_back(column.type->create_column());
            types.push_back(column.type);
            inputs.push_back(Expression::input(column.name, column.type));
        }
        for (const auto& [key, rows] : wanted)
        {
            const char* at = key.data();
            for (auto& column : columns)
                at = column->append_from_key(at);
        }
        members.assign(columns.begin(), columns.end());
    }
    const ExpressionPtr left =
        inputs.size() == 1 ? inputs[0] : Expression::call("tuple", inputs, context);
    return Expression::call(
        "in", {left, make_set_expression(left, members, types, context, "keys of one batch")},
        context);
}

void TableWriter::look_up(const std::unordered_map<std::string, uint32_t>& wanted)
{
    ScanRequest request;
    request.filter = condition_of(wanted, *context_);
    const size_t key_width = table_->has_key() ? source_.key.size() : 1;
    if (table_->has_key())
        for (const size_t column : source_.key)
            request.columns.push_back(metadata_->columns[column].name);
    else
        request.columns.push_back(kHashColumn);
    request.columns.push_back(kNumberColumn);
    std::vector<uint32_t> filled;
    for (const auto& [place, fill] : fills_)
        if (std::find(filled.begin(), filled.end(), fill.column) == filled.end())
            filled.push_back(fill.column);
    for (const uint32_t column : filled)
        request.columns.push_back(metadata_->columns[column].name);

    auto left = wanted;
    std::unordered_map<std::string, std::pair<Columns, size_t>> found;
    const auto scan = table_->inner().scan(request, context_);
    for (Block block = scan->next(0).flattened(); block.rows() > 0;
         block = scan->next(0).flattened())
    {
        Columns keys;
        for (size_t i = 0; i < key_width; ++i)
            keys.push_back(block[i].column);
        const auto& numbers = column_as<VectorColumn<uint64_t>>(block[key_width].column).data();
        Columns values(source_.columns.size());
        for (size_t i = 0; i < filled.size(); ++i)
            values[filled[i]] = block[key_width + 1 + i].column;
        for (size_t row = 0; row < block.rows(); ++row)
        {
            if (!is_alive(numbers[row]))
                continue;
            std::string key;
            if (table_->has_key())
                key = key_from(keys, row);
            else
                key.assign(reinterpret_cast<const char*>(
                               &column_as<VectorColumn<uint64_t>>(keys[0]).data()[row]),
                           sizeof(uint64_t));
            const auto rows_left = left.find(key);
            if (rows_left == left.end())
                continue;
            if (!filled.empty())
                found.emplace(key, std::pair(values, row));
            if (rows_left->second == 0)
                continue;
            --rows_left->second;
            killed_.push_back(numbers[row]);
            killed_set_.insert(numbers[row]);
            known_.erase(key);
        }
    }
    for (const auto& [key, rows] : left)
        if (rows > 0)
            throw OutOfStep("PostgreSQL changed a row that is not here");
    if (!fills_.empty())
        fill_values(found);
}

void TableWriter::fill_values(
    const std::unordered_map<std::string, std::pair<Columns, size_t>>& found)
{
    for (uint32_t column = 0; column < columns_.size(); ++column)
    {
        std::vector<const Fill*> fills;
        for (const auto& [place, fill] : fills_)
            if (fill.column == column)
                fills.push_back(&fill);
        if (fills.empty())
            continue;
        std::sort(fills.begin(), fills.end(),
                  [](const Fill* a, const Fill* b) { return a->row < b->row; });
        const MutableColumnPtr before = columns_[column];
        const MutableColumnPtr after = before->clone_empty();
        size_t done = 0;
        for (const Fill* fill : fills)
        {
            const auto stored = found.find(fill->key);
            if (stored == found.end())
                throw OutOfStep("PostgreSQL changed a row that is not here");
            after->append_range(*before, done, fill->row - done);
            after->append_from(*stored->second.first[column], stored->second.second);
            done = fill->row + 1;
        }
        after->append_range(*before, done, before->size() - done);
        columns_[column] = after;
    }
    fills_.clear();
}

} // namespace basalt::pg
