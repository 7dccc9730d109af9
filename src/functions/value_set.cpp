#include "functions/expression.h"
#include "functions/physical_dispatch.h"

#include "base/error.h"

#include <bit>

namespace basalt
{

namespace
{

constexpr uint32_t kEmptySlot = ~uint32_t{0};

uint64_t mix(uint64_t x)
{
    x *= 0x9e3779b97f4a7c15ull;
    return x ^ (x >> 32);
}

size_t table_size_for(size_t members)
{
    return std::bit_ceil(std::max<size_t>(members * 2, 16));
}

bool column_has_null(const Column& column)
{
    return column.form() == ColumnForm::Nullable && column_as<NullableColumn>(column).has_nulls();
}

// Hash set over rows of member columns; slots hold a row number and the high half of its hash.
class RowSet final : public ValueSet
{
public:
    RowSet(Types key_types, const Columns& given, MemoryTracker* memory)
        : types_(std::move(key_types))
    {
        Columns flat;
        for (const auto& column : given)
            flat.push_back(to_flat(column));
        const size_t rows = flat.empty() ? 0 : flat[0]->size();
        if (rows >= kEmptySlot)
            throw Error(error_codes::SET_SIZE_LIMIT_EXCEEDED, "Too many values in a set");
        for (const auto& column : flat)
            has_null_ = has_null_ || column_has_null(*column);
        const PodVector<uint64_t> hashes = hashes_of(flat, rows);
        slots_.assign(table_size_for(rows), Slot{kEmptySlot, 0});
        members_ = flat;
        RowIndexes kept;
        for (size_t i = 0; i < rows; ++i)
        {
            Slot* slot = find(flat, i, hashes[i]);
            if (slot->row != kEmptySlot)
                continue;
            *slot = {static_cast<uint32_t>(i), static_cast<uint32_t>(hashes[i] >> 32)};
            kept.push_back(static_cast<uint32_t>(i));
        }
        if (kept.size() < rows)
        {
            PodVector<uint32_t> new_row(rows, 0u);
            for (size_t i = 0; i < kept.size(); ++i)
                new_row[kept[i]] = static_cast<uint32_t>(i);
            for (auto& slot : slots_)
                if (slot.row != kEmptySlot)
                    slot.row = new_row[slot.row];
            for (auto& column : members_)
                column = column->take(kept);
        }
        size_ = kept.size();
        size_t bytes = slots_.capacity_bytes();
        for (const auto& column : members_)
            bytes += column->byte_size();
        if (memory)
            charge_ = MemoryCharge(memory, bytes);
        build_numbers();
    }

    const Types& key_types() const override { return types_; }
    size_t size() const override { return size_; }
    bool has_null() const override { return has_null_; }
    const Columns& members() const override { return members_; }

    void contains(const Columns& given, Mask& mask) const override
    {
        const size_t rows = given.empty() ? 0 : given[0]->size();
        mask.assign(rows, 0);
        if (size_ == 0)
            return;
        Columns keys;
        for (const auto& column : given)
            keys.push_back(to_flat(column));
        if (!numbers_.empty() && contains_numbers(*keys[0], mask))
            return;
        const PodVector<uint64_t> hashes = hashes_of(keys, rows);
        if (keys.size() == 1 && keys[0]->form() == ColumnForm::String)
        {
            contains_strings(column_as<StringColumn>(keys[0]), hashes, mask);
            return;
        }
        for (size_t i = 0; i < rows; ++i)
            mask[i] = find(keys, i, hashes[i])->row != kEmptySlot;
    }

private:
    struct Slot
    {
        uint32_t row;
        uint32_t hash;
    };

    static PodVector<uint64_t> hashes_of(const Columns& columns, size_t rows)
    {
        PodVector<uint64_t> hashes(rows, uint64_t{0});
        for (const auto& column : columns)
            column->hash_into({hashes.data(), rows});
        for (auto& hash : hashes)
            hash = mix(hash) ^ hash;
        return hashes;
    }

    Slot* find(const Columns& keys, size_t row, uint64_t hash) const
    {
        const size_t wrap = slots_.size() - 1;
        for (size_t at = hash & wrap;; at = (at + 1) & wrap)
        {
            Slot& slot = const_cast<Slot&>(slots_[at]);
            if (slot.row == kEmptySlot)
                return &slot;
            if (slot.hash != static_cast<uint32_t>(hash >> 32))
                continue;
            bool equal = true;
            for (size_t k = 0; k < keys.size() && equal; ++k)
                equal = keys[k]->compare_at(row, *members_[k], slot.row, 1) == 0;
            if (equal)
                return &slot;
        }
    }

    void contains_strings(const StringColumn& keys, const PodVector<uint64_t>& hashes,
                          Mask& mask) const
    {
        const auto& members = column_as<StringColumn>(members_[0]);
        const size_t wrap = slots_.size() - 1;
        for (size_t i = 0; i < keys.size(); ++i)
        {
            const std::string_view text = keys.at(i);
            const auto high = static_cast<uint32_t>(hashes[i] >> 32);
            size_t at = hashes[i] & wrap;
            while (slots_[at].row != kEmptySlot &&
                   !(slots_[at].hash == high && members.at(slots_[at].row) == text))
                at = (at + 1) & wrap;
            mask[i] = slots_[at].row != kEmptySlot;
        }
    }

    // For one integer key of at most 64 bits: a second table of the numbers themselves.
    void build_numbers()
    {
        if (members_.size() != 1 || size_ == 0 || types_[0]->is_float())
            return;
        const Column& column = *members_[0];
        if (column.form() != ColumnForm::Vector)
            return;
        dispatch_vector(types_[0]->physical(),
                        [&]<class Tag>(Tag)
                        {
                            using T = typename Tag::type;
                            if constexpr (std::is_integral_v<T> && sizeof(T) <= 8)
                            {
                                numbers_.assign(slots_.size(), 0);
                                for (const T value : column_as<VectorColumn<T>>(column).data())
                                    insert_number(static_cast<uint64_t>(value));
                            }
                        });
    }

    void insert_number(uint64_t number)
    {
        if (number == 0)
        {
            has_zero_ = true;
            return;
        }
        const size_t wrap = numbers_.size() - 1;
        size_t at = mix(number) & wrap;
        while (numbers_[at] != 0 && numbers_[at] != number)
            at = (at + 1) & wrap;
        numbers_[at] = number;
    }

    bool contains_numbers(const Column& column, Mask& mask) const
    {
        if (column.form() != ColumnForm::Vector)
            return false;
        return dispatch_vector(
            types_[0]->physical(),
            [&]<class Tag>(Tag)
            {
                using T = typename Tag::type;
                if constexpr (std::is_integral_v<T> && sizeof(T) <= 8)
                {
                    const auto& data = column_as<VectorColumn<T>>(column).data();
                    const size_t wrap = numbers_.size() - 1;
                    for (size_t i = 0; i < data.size(); ++i)
                    {
                        const auto number = static_cast<uint64_t>(data[i]);
                        size_t at = mix(number) & wrap;
                        while (numbers_[at] != 0 && numbers_[at] != number)
                            at = (at + 1) & wrap;
                        mask[i] = number == 0 ? has_zero_ : numbers_[at] == number;
                    }
                }
            });
    }

    Types types_;
    Columns members_;
    PodVector<Slot> slots_;
    PodVector<uint64_t> numbers_; // 0 = empty
    bool has_zero_ = false;
    bool has_null_ = false;
    size_t size_ = 0;
    MemoryCharge charge_;
};

} // namespace

std::shared_ptr<const ValueSet> make_value_set(Types key_types, const Columns& members,
                                               MemoryTracker* memory)
{
    return std::make_shared<RowSet>(std::move(key_types), members, memory);
}

} // namespace basalt
