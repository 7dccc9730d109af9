#include "integrations/postgres/table_writer.h"

#include "codecs/hash.h"

#include <cstring>

#include <algorithm>
#include <fmt/core.h>

namespace basalt::pg
{

namespace
{

uint64_t place_of(uint32_t row, uint32_t column)
{
    return uint64_t{row} << 32 | column;
}

std::string hash_text(std::string_view bytes)
{
    const uint64_t hash = xxh3_64(bytes.data(), bytes.size());
    return {reinterpret_cast<const char*>(&hash), sizeof(hash)};
}

// Whether a date or time is one that our types hold: in a key, those that become the nearest value
// would be taken for each other.
bool fits_time(std::string_view text)
{
    constexpr std::string_view kFirst = "1900", kLast = "2299";
    return text.size() > 4 && text[4] == '-' && !text.ends_with(" BC") &&
           text.substr(0, 4) >= kFirst && text.substr(0, 4) <= kLast;
}

uint64_t hash_of_text(const std::string& text)
{
    uint64_t hash;
    BASALT_ASSERT(text.size() == sizeof(hash));
    std::memcpy(&hash, text.data(), sizeof(hash));
    return hash;
}

} // namespace

TableWriter::TableWriter(std::shared_ptr<ReplicaTable> table, SourceTable source)
    : table_(std::move(table)), source_(std::move(source)), metadata_(table_->metadata()),
      context_(table_->service().make_context())
{
    BASALT_ASSERT(metadata_->columns.size() == source_.columns.size());
    for (const auto& column : metadata_->columns)
    {
        readers_.emplace_back(column.type);
        columns_.push_back(column.type->create_column());
        scratch_.push_back(column.type->create_column());
        key_times_.push_back(false);
    }
    for (const size_t column : source_.key)
    {
        const TypeId id = strip_wrappers(metadata_->columns[column].type)->id();
        key_times_[column] = id == TypeId::Date32 || id == TypeId::DateTime64;
    }
}

void TableWriter::append_value(size_t column, const TupleValue& value)
{
    switch (value.kind)
    {
    case TupleValue::Kind::Text:
        if (key_times_[column] && !fits_time(value.bytes))
            throw Error(error_codes::CANNOT_PARSE_TEXT,
                        fmt::format("The key value {} of column {} is outside of 1900 to 2299",
                                    value.bytes, source_.columns[column].name));
        readers_[column].append(*columns_[column], value.bytes);
        bytes_ += value.bytes.size() + sizeof(uint64_t);
        return;
    case TupleValue::Kind::Null:
    {
        const TypePtr& type = metadata_->columns[column].type;
        if (remove_low_cardinality(type)->id() != TypeId::Nullable && !type->is(TypeId::Array))
            throw OutOfStep(fmt::format("Column {} holds NULL in PostgreSQL now",
                                        source_.columns[column].name));
        columns_[column]->append_default();
        bytes_ += sizeof(uint64_t);
        return;
    }
    default:
        throw Error(error_codes::INCORRECT_DATA,
                    "PostgreSQL sent a value in a form that was not asked for");
    }
}

// Parse errors leave columns of unequal length: the batch is abandoned then.
void TableWriter::append_row(const Tuple& row, const UpdateMessage* update,
                             const std::string& old_key)
{
    if (row.size() != source_.columns.size())
        throw OutOfStep("PostgreSQL sent a row with another number of columns");
    const auto at = static_cast<uint32_t>(alive_.size());
    const Entry* entry = nullptr;
    for (uint32_t column = 0; column < row.size(); ++column)
    {
        if (row[column].kind != TupleValue::Kind::Unchanged)
        {
            append_value(column, row[column]);
            continue;
        }
        if (!update)
            throw Error(error_codes::INCORRECT_DATA, "An inserted row came without a value");
        // The old row brings it when the identity is full, or when it is a part of the key.
        if (update->before && column < update->before->size() &&
            (*update->before)[column].kind == TupleValue::Kind::Text)
        {
            append_value(column, (*update->before)[column]);
            continue;
        }
        if (!entry)
            if (const auto found = entries_.find(old_key); found != entries_.end())
                entry = &found->second;
        if (entry && !entry->pending.empty())
        {
            const uint32_t from = entry->pending.back();
            const ColumnPtr value = columns_[column]->slice(from, 1);
            columns_[column]->append_from(*value, 0);
            if (const auto fill = fills_.find(place_of(from, column)); fill != fills_.end())
                fills_[place_of(at, column)] = {at, column, std::string(fill->second.key)};
            continue;
        }
        columns_[column]->append_default();
        fills_[place_of(at, column)] = {at, column, old_key};
    }
    alive_.push_back(1);
    changed_ = true;
    resolved_ = false;
}

std::string TableWriter::key_from(const Columns& columns, size_t row) const
{
    PodVector<char> bytes;
    for (const auto& column : columns)
        column->append_key(row, bytes);
    return {bytes.data(), bytes.size()};
}

std::string TableWriter::key_of_last_row() const
{
    Columns parts;
    if (table_->has_key())
        for (const size_t column : source_.key)
            parts.push_back(columns_[column]);
    else
        parts.assign(columns_.begin(), columns_.end());
    const std::string bytes = key_from(parts, alive_.size() - 1);
    return table_->has_key() ? bytes : hash_text(bytes);
}

std::string TableWriter::key_of(const Tuple& tuple)
{
    if (tuple.size() != source_.columns.size())
        throw OutOfStep("PostgreSQL sent a key with another number of columns");
    Columns parts;
    const auto take = [&](size_t column)
    {
        Column& into = *scratch_[column];
        into.remove_last(into.size());
        if (tuple[column].kind == TupleValue::Kind::Text)
            readers_[column].append(into, tuple[column].bytes);
        else
            readers_[column].append_null(into);
        parts.push_back(scratch_[column]);
    };
    if (table_->has_key())
        for (const size_t column : source_.key)
            take(column);
    else
        for (size_t column = 0; column < tuple.size(); ++column)
            take(column);
    const std::string bytes = key_from(parts, 0);
    return table_->has_key() ? bytes : hash_text(bytes);
}

void TableWriter::kill_one(const std::string& key)
{
    Entry& entry = entries_[key];
    changed_ = true;
    resolved_ = false;
    if (!entry.pending.empty())
    {
        alive_[entry.pending.back()] = 0;
        entry.pending.pop_back();
        return;
    }
    if (table_->has_key() && entry.kills > 0)
        throw OutOfStep("PostgreSQL changed a row that it had deleted before");
    ++entry.kills;
}

void TableWriter::keep_last_row(const std::string& key)
{
    Entry& entry = entries_[key];
    // Without an identity the deletion in between was not told.
    if (table_->has_key() && source_.has_identity() && !entry.pending.empty())
        throw OutOfStep("PostgreSQL inserted a row whose key it had before");
    entry.pending.push_back(static_cast<uint32_t>(alive_.size() - 1));
}

void TableWriter::insert(const Tuple& row)
{
    append_row(row, nullptr, {});
    keep_last_row(key_of_last_row());
}

void TableWriter::update(const UpdateMessage& update)
{
    if (!update.before && !table_->has_key())
        throw OutOfStep("An update came without the row that it changes");
    // Without the old key the key did not change.
    std::string old_key = update.before ? key_of(*update.before) : key_of(update.row);
    append_row(update.row, &update, old_key);
    kill_one(old_key);
    keep_last_row(key_of_last_row());
}

void TableWriter::remove(const DeleteMessage& removal)
{
    if (!removal.before_is_whole_row && !table_->has_key())
        throw OutOfStep("A deletion came without the row that it deletes");
    kill_one(key_of(removal.before));
}

void TableWriter::truncate()
{
    clear_gathered();
    killed_.clear();
    killed_set_.clear();
    known_.clear();
    inserted_ = 0;
    dead_below_ = table_->next_number();
    changed_ = true;
}

void TableWriter::append_copied(const std::vector<CopyField>& fields)
{
    if (fields.size() != source_.columns.size())
        throw OutOfStep("PostgreSQL copied a row with another number of columns");
    for (size_t column = 0; column < fields.size(); ++column)
        append_value(column, {fields[column].is_null ? TupleValue::Kind::Null
                                                     : TupleValue::Kind::Text,
                              fields[column].text});
    alive_.push_back(1);
    changed_ = true;
}

void TableWriter::write_gathered(Transaction& transaction)
{
    const size_t rows = count_kept(alive_);
    if (!first_number_)
        first_number_ = table_->next_number();
    if (rows == 0)
    {
        clear_gathered();
        return;
    }
    const uint64_t first = table_->reserve(rows);
    std::vector<NamedColumn> columns;
    for (size_t i = 0; i < columns_.size(); ++i)
    {
        const auto& description = metadata_->columns[i];
        ColumnPtr column = std::exchange(columns_[i], description.type->create_column());
        if (rows != alive_.size())
            column = column->filter(alive_, rows);
        columns.push_back({std::move(column), description.type, description.name});
    }
    const TypePtr number_type = simple_type(TypeId::UInt64);
    auto numbers = std::make_shared<VectorColumn<uint64_t>>(rows);
    for (size_t i = 0; i < rows; ++i)
        numbers->data()[i] = first + i;
    if (!table_->has_key())
    {
        Columns parts;
        for (const auto& column : columns)
            parts.push_back(column.column);
        auto hashes = std::make_shared<VectorColumn<uint64_t>>(rows);
        for (size_t i = 0; i < rows; ++i)
            hashes->data()[i] = hash_of_text(hash_text(key_from(parts, i)));
        columns.push_back({std::move(hashes), number_type, kHashColumn});
    }
    else if (!entries_.empty())
    {
        if (known_.size() + rows > kMaxKnownRows)
            known_.clear();
        std::vector<uint64_t> number_of(alive_.size());
        for (size_t i = 0, next = first; i < alive_.size(); ++i)
            number_of[i] = alive_[i] ? next++ : 0;
        if (rows <= kMaxKnownRows)
            for (const auto& [key, entry] : entries_)
                if (!entry.pending.empty())
                    known_[key] = number_of[entry.pending.back()];
    }
    columns.push_back({std::move(numbers), number_type, kNumberColumn});
    inserted_ += rows;
    table_->write_rows(transaction, Block(std::move(columns)), context_);
    clear_gathered();
}

void TableWriter::spill()
{
    resolve();
    const auto transaction = table_->service().begin();
    write_gathered(*transaction);
    transaction->commit();
}

void TableWriter::stage(Transaction& transaction)
{
    BASALT_ASSERT(resolved_);
    write_gathered(transaction);
    ReplicaTable::Change change;
    change.dead = ranges_of(killed_);
    change.killed = killed_.size();
    change.inserted = inserted_;
    change.dead_below = dead_below_;
    table_->stage(transaction, change);
}

void TableWriter::committed()
{
    killed_.clear();
    killed_set_.clear();
    inserted_ = 0;
    dead_below_ = 0;
    first_number_.reset();
    changed_ = false;
}

void TableWriter::abandon()
{
    clear_gathered();
    committed();
    known_.clear();
    table_->abandon();
}

void TableWriter::clear_gathered()
{
    for (auto& column : columns_)
        if (column->size() != 0)
            column = column->clone_empty();
    alive_.clear();
    entries_.clear();
    fills_.clear();
    bytes_ = 0;
    resolved_ = true;
}

} // namespace basalt::pg
