#include "executor/key_index.h"

#include "base/error.h"

#include <bit>
#include <cstring>

namespace basalt
{

namespace
{

inline uint64_t mix(uint64_t a, uint64_t b)
{
    const UInt128 product = static_cast<UInt128>(a) * b;
    return static_cast<uint64_t>(product) ^ static_cast<uint64_t>(product >> 64);
}

constexpr uint64_t kMul0 = 0xA0761D6478BD642Full;
constexpr uint64_t kMul1 = 0xE7037ED1A0B428DBull;

inline uint64_t load64(const char* p)
{
    uint64_t v;
    std::memcpy(&v, p, 8);
    return v;
}

// Folded multiplication over 16 bytes a step (the idea of wyhash); in memory only.
inline uint64_t hash_bytes(std::string_view s)
{
    const char* p = s.data();
    size_t n = s.size();
    uint64_t h = kMul0 ^ n;
    while (n > 16)
    {
        h = mix(load64(p) ^ kMul1, load64(p + 8) ^ h);
        p += 16;
        n -= 16;
    }
    uint64_t a = 0, b = 0;
    if (n >= 8)
    {
        a = load64(p);
        b = load64(p + n - 8);
    }
    else if (n)
        std::memcpy(&a, p, n);
    return mix(a ^ kMul1, b ^ h ^ kMul0);
}

inline uint64_t hash_key(uint64_t key)
{
    return mix(key ^ kMul0, kMul1);
}

inline uint64_t hash_key(UInt128 key)
{
    return mix(static_cast<uint64_t>(key) ^ kMul0, static_cast<uint64_t>(key >> 64) ^ kMul1);
}

} // namespace

ByteInterner::ByteInterner()
{
    slots_.assign(256, Slot{0, kMissingKey});
}

size_t ByteInterner::byte_size() const
{
    return slots_.capacity_bytes() + chars_.capacity() + offsets_.capacity_bytes();
}

std::string_view ByteInterner::key_at(uint32_t id) const
{
    const size_t begin = id == 0 ? 0 : offsets_[id - 1];
    return {chars_.data() + begin, offsets_[id] - begin};
}

void ByteInterner::grow()
{
    PodVector<Slot> old(slots_.size() * 2, Slot{0, kMissingKey});
    old.swap(slots_);
    const size_t mask = slots_.size() - 1;
    // The stored 32 hash bits place a slot in tables up to 2^32 slots.
    for (const Slot& slot : old)
    {
        if (slot.id == kMissingKey)
            continue;
        size_t at = slot.hash & mask;
        while (slots_[at].id != kMissingKey)
            at = (at + 1) & mask;
        slots_[at] = slot;
    }
}

uint32_t ByteInterner::insert(std::string_view key, bool& is_new)
{
    const auto hash = static_cast<uint32_t>(hash_bytes(key));
    const size_t mask = slots_.size() - 1;
    size_t at = hash & mask;
    for (;; at = (at + 1) & mask)
    {
        const Slot& slot = slots_[at];
        if (slot.id == kMissingKey)
            break;
        if (slot.hash == hash && key_at(slot.id) == key)
        {
            is_new = false;
            return slot.id;
        }
    }
    const auto id = static_cast<uint32_t>(offsets_.size());
    slots_[at] = Slot{hash, id};
    chars_.append(key.data(), key.size());
    offsets_.push_back(chars_.size());
    if (offsets_.size() * 2 > slots_.size())
        grow();
    is_new = true;
    return id;
}

uint32_t ByteInterner::find(std::string_view key) const
{
    const auto hash = static_cast<uint32_t>(hash_bytes(key));
    const size_t mask = slots_.size() - 1;
    for (size_t at = hash & mask;; at = (at + 1) & mask)
    {
        const Slot& slot = slots_[at];
        if (slot.id == kMissingKey)
            return kMissingKey;
        if (slot.hash == hash && key_at(slot.id) == key)
            return slot.id;
    }
}

template <class Key> IntegerIndex<Key>::IntegerIndex()
{
    slots_.assign(256, Slot{Key(0), kMissingKey});
}

template <class Key> void IntegerIndex<Key>::grow()
{
    PodVector<Slot> old(slots_.size() * 2, Slot{Key(0), kMissingKey});
    old.swap(slots_);
    const size_t mask = slots_.size() - 1;
    for (const Slot& slot : old)
    {
        if (slot.id == kMissingKey)
            continue;
        size_t at = hash_key(slot.key) & mask;
        while (slots_[at].id != kMissingKey)
            at = (at + 1) & mask;
        slots_[at] = slot;
    }
}

template <class Key> uint32_t IntegerIndex<Key>::insert(Key key, bool& is_new)
{
    const size_t mask = slots_.size() - 1;
    size_t at = hash_key(key) & mask;
    for (;; at = (at + 1) & mask)
    {
        const Slot& slot = slots_[at];
        if (slot.id == kMissingKey)
            break;
        if (slot.key == key)
        {
            is_new = false;
            return slot.id;
        }
    }
    const uint32_t id = size_++;
    slots_[at] = Slot{key, id};
    if (size_t{size_} * 2 > slots_.size())
        grow();
    is_new = true;
    return id;
}

template <class Key> uint32_t IntegerIndex<Key>::find(Key key) const
{
    const size_t mask = slots_.size() - 1;
    for (size_t at = hash_key(key) & mask;; at = (at + 1) & mask)
    {
        const Slot& slot = slots_[at];
        if (slot.id == kMissingKey)
            return kMissingKey;
        if (slot.key == key)
            return slot.id;
    }
}

template class IntegerIndex<uint64_t>;
template class IntegerIndex<UInt128>;

// How one key column becomes an integer.
struct KeyIndex::Part
{
    size_t bytes = 0;      // of its place in the packed row, without the null flag
    bool nullable = false; // fixed-width only: one more byte
    std::unique_ptr<ByteInterner> interner; // for anything that is not fixed-width
    // Interned numbers of the entries of the last dictionary seen.
    ColumnPtr dictionary;
    PodVector<uint64_t> entry_codes;
};

namespace
{

size_t fixed_bytes(PhysicalType type)
{
    switch (type)
    {
    case PhysicalType::UInt8:
    case PhysicalType::Int8:
        return 1;
    case PhysicalType::UInt16:
    case PhysicalType::Int16:
        return 2;
    case PhysicalType::UInt32:
    case PhysicalType::Int32:
    case PhysicalType::Float32:
        return 4;
    case PhysicalType::UInt64:
    case PhysicalType::Int64:
    case PhysicalType::Float64:
        return 8;
    default:
        return 0;
    }
}

template <class Bits> void widen(const void* data, size_t rows, PodVector<uint64_t>& codes)
{
    const auto* values = static_cast<const Bits*>(data);
    for (size_t i = 0; i < rows; ++i)
        codes[i] = values[i];
}

const void* raw_data(const Column& column, size_t bytes)
{
    switch (bytes)
    {
    case 1:
        return static_cast<const VectorColumn<uint8_t>&>(column).data().data();
    case 2:
        return static_cast<const VectorColumn<uint16_t>&>(column).data().data();
    case 4:
        return static_cast<const VectorColumn<uint32_t>&>(column).data().data();
    default:
        return static_cast<const VectorColumn<uint64_t>&>(column).data().data();
    }
}

void read_fixed(const Column& column, size_t bytes, size_t rows, PodVector<uint64_t>& codes)
{
    // Signed and float columns are read through the unsigned type of their width.
    const void* data = raw_data(column, bytes);
    switch (bytes)
    {
    case 1:
        return widen<uint8_t>(data, rows, codes);
    case 2:
        return widen<uint16_t>(data, rows, codes);
    case 4:
        return widen<uint32_t>(data, rows, codes);
    default:
        return widen<uint64_t>(data, rows, codes);
    }
}

constexpr uint64_t kMissingCode = UINT64_MAX; // of an interned part, in find()

} // namespace

KeyIndex::KeyIndex(const Types& types)
{
    for (const TypePtr& given : types)
    {
        TypePtr type = remove_low_cardinality(given);
        Part part;
        if (type->is(TypeId::SimpleAggregateFunction))
            type = remove_low_cardinality(type_as<SimpleAggregateFunctionType>(type).nested());
        if (type->is_nullable())
        {
            part.nullable = true;
            type = type_as<NullableType>(type).nested();
        }
        part.bytes = fixed_bytes(type->physical());
        if (part.bytes == 0)
        {
            part.bytes = 4;
            part.nullable = false; // the interned bytes tell
            part.interner = std::make_unique<ByteInterner>();
        }
        packed_bytes_ += part.bytes + (part.nullable ? 1 : 0);
        parts_.push_back(std::move(part));
    }
    if (parts_.size() == 1 && parts_[0].interner)
        return;
    if (parts_.size() == 1 && packed_bytes_ <= 2)
        direct_ = std::make_unique<PodVector<uint32_t>>(size_t{1} << (8 * packed_bytes_),
                                                        kMissingKey);
    else if (packed_bytes_ <= 8)
        narrow_ = std::make_unique<IntegerIndex<uint64_t>>();
    else if (packed_bytes_ <= 16)
        wide_ = std::make_unique<IntegerIndex<UInt128>>();
    else
        bytes_ = std::make_unique<ByteInterner>();
}

KeyIndex::~KeyIndex() = default;

size_t KeyIndex::size() const
{
    if (direct_)
        return direct_size_;
    if (narrow_)
        return narrow_->size();
    if (wide_)
        return wide_->size();
    if (bytes_)
        return bytes_->size();
    return single_size_;
}

size_t KeyIndex::byte_size() const
{
    size_t sum = 0;
    for (const Part& part : parts_)
        sum += (part.interner ? part.interner->byte_size() : 0) +
               part.entry_codes.capacity_bytes();
    if (direct_)
        sum += direct_->capacity_bytes();
    if (narrow_)
        sum += narrow_->byte_size();
    if (wide_)
        sum += wide_->byte_size();
    if (bytes_)
        sum += bytes_->byte_size();
    sum += first_use_.capacity_bytes();
    return sum;
}

template <bool kInsert>
void KeyIndex::encode_flat(Part& part, const Column& column, size_t rows,
                           PodVector<uint64_t>& codes) const
{
    codes.resize(rows);
    if (!part.interner)
    {
        const bool is_nullable = column.form() == ColumnForm::Nullable;
        const Column& values =
            is_nullable ? *static_cast<const NullableColumn&>(column).nested() : column;
        read_fixed(values, part.bytes, rows, codes);
        return;
    }
    auto code_of = [&](std::string_view key) -> uint64_t
    {
        if constexpr (kInsert)
        {
            bool is_new;
            return part.interner->insert(key, is_new);
        }
        else
        {
            const uint32_t id = part.interner->find(key);
            return id == kMissingKey ? kMissingCode : id;
        }
    };
    if (column.form() == ColumnForm::String)
    {
        const auto& strings = static_cast<const StringColumn&>(column);
        std::string_view previous;
        uint64_t previous_code = kMissingCode;
        for (size_t i = 0; i < rows; ++i)
        {
            const std::string_view key = strings.at(i);
            if (i == 0 || key != previous)
            {
                previous_code = code_of(key);
                previous = key;
            }
            codes[i] = previous_code;
        }
        return;
    }
    PodVector<char> key;
    for (size_t i = 0; i < rows; ++i)
    {
        key.clear();
        column.append_key(i, key);
        codes[i] = code_of({key.data(), key.size()});
    }
}

template <bool kInsert>
void KeyIndex::encode_part(Part& part, const ColumnPtr& column, size_t rows,
                           PodVector<uint64_t>& codes) const
{
    if (column->form() == ColumnForm::Constant)
    {
        PodVector<uint64_t> one;
        encode_flat<kInsert>(part, *static_cast<const ConstantColumn&>(*column).nested(), 1, one);
        codes.assign(rows, one[0]);
        return;
    }
    if (column->form() == ColumnForm::Dictionary)
    {
        const auto& dictionary_column = static_cast<const DictionaryColumn&>(*column);
        const ColumnPtr& dictionary = dictionary_column.dictionary();
        if (dictionary->size() > rows * 2)
        {
            encode_flat<kInsert>(part, *column->to_flat(), rows, codes);
            return;
        }
        PodVector<uint64_t> local;
        const PodVector<uint64_t>* entries = &local;
        if constexpr (kInsert)
        {
            if (part.dictionary != dictionary)
            {
                encode_flat<true>(part, *dictionary, dictionary->size(), part.entry_codes);
                part.dictionary = dictionary;
            }
            entries = &part.entry_codes;
        }
        else
            encode_flat<false>(part, *dictionary, dictionary->size(), local);
        codes.resize(rows);
        const auto& row_codes = dictionary_column.codes();
        const uint64_t* table = entries->data();
        for (size_t i = 0; i < rows; ++i)
            codes[i] = table[row_codes[i]];
        return;
    }
    encode_flat<kInsert>(part, *column, rows, codes);
}

namespace
{

// 1 for NULL, per row; empty when the column has no NULLs in any form.
void read_nulls(const Column& column, size_t rows, PodVector<uint8_t>& nulls)
{
    nulls.clear();
    switch (column.form())
    {
    case ColumnForm::Nullable:
        nulls.append(static_cast<const NullableColumn&>(column).null_map().data(), rows);
        break;
    case ColumnForm::Constant:
        nulls.assign(rows, column.is_null_at(0) ? 1 : 0);
        break;
    case ColumnForm::Dictionary:
    {
        const auto& dictionary = static_cast<const DictionaryColumn&>(column);
        nulls.resize(rows);
        for (size_t i = 0; i < rows; ++i)
            nulls[i] = dictionary.dictionary()->is_null_at(dictionary.codes()[i]) ? 1 : 0;
        break;
    }
    default:
        break;
    }
}

// Puts `bytes` low bytes of each code at bit `shift`, zero for NULL rows, then the null byte.
template <class Key>
void pack(PodVector<Key>& packed, const PodVector<uint64_t>& codes, size_t shift,
          const PodVector<uint8_t>& nulls, size_t null_shift)
{
    const size_t rows = packed.size();
    if (nulls.empty())
    {
        for (size_t i = 0; i < rows; ++i)
            packed[i] |= static_cast<Key>(codes[i]) << shift;
        return;
    }
    for (size_t i = 0; i < rows; ++i)
        packed[i] |= nulls[i] ? static_cast<Key>(1) << null_shift
                              : static_cast<Key>(codes[i]) << shift;
}

} // namespace

template <bool kInsert, class Key>
void KeyIndex::look_up(IntegerIndex<Key>& index, const PodVector<Key>& packed,
                       PodVector<uint32_t>& ids, RowIndexes* new_rows) const
{
    const size_t rows = packed.size();
    for (size_t i = 0; i < rows; ++i)
    {
        if (i > 0 && packed[i] == packed[i - 1])
        {
            ids[i] = ids[i - 1];
            continue;
        }
        if constexpr (kInsert)
        {
            bool is_new;
            ids[i] = index.insert(packed[i], is_new);
            if (is_new)
                new_rows->push_back(static_cast<uint32_t>(i));
        }
        else
            ids[i] = index.find(packed[i]);
    }
}

template <bool kInsert>
void KeyIndex::run(const Columns& keys, size_t rows, PodVector<uint32_t>& ids,
                   RowIndexes* new_rows)
{
    BASALT_ASSERT(keys.size() == parts_.size());
    ids.resize(rows);
    if (rows == 0)
        return;
    if constexpr (kInsert)
    {
        // A dictionary may bring up to two entries for each row (see encode_part).
        size_t most = size() + rows;
        for (const Part& part : parts_)
            if (part.interner)
                most = std::max(most, part.interner->size() + rows * 2);
        if (most > kMaxKeys)
            throw Error(error_codes::TOO_MANY_ROWS, "Too many distinct keys");
    }

    PodVector<uint64_t> codes;
    if (parts_.size() == 1 && parts_[0].interner)
    {
        // Interned numbers are the result; new ones are those past the old size, but a dictionary
        // may bring entries that no row uses, so rows are numbered by a map of first use.
        auto& numbers = first_use_;
        encode_part<kInsert>(parts_[0], keys[0], rows, codes);
        if constexpr (kInsert)
            numbers.resize_fill(std::max(numbers.size(), parts_[0].interner->size()),
                                kMissingKey);
        for (size_t i = 0; i < rows; ++i)
        {
            if (codes[i] == kMissingCode)
            {
                ids[i] = kMissingKey;
                continue;
            }
            uint32_t& number = numbers[codes[i]];
            if constexpr (kInsert)
                if (number == kMissingKey)
                {
                    number = single_size_++;
                    new_rows->push_back(static_cast<uint32_t>(i));
                }
            ids[i] = number;
        }
        return;
    }

    PodVector<uint8_t> missing; // find(): rows with an unknown interned part
    PodVector<uint8_t> nulls;
    auto note_missing = [&]
    {
        if constexpr (!kInsert)
        {
            if (missing.empty())
                missing.assign(rows, 0);
            for (size_t i = 0; i < rows; ++i)
                if (codes[i] == kMissingCode)
                {
                    missing[i] = 1;
                    codes[i] = 0;
                }
        }
    };
    auto pack_all = [&](auto& packed)
    {
        using Key = typename std::decay_t<decltype(packed)>::value_type;
        packed.assign(rows, Key(0));
        size_t shift = 0;
        for (size_t k = 0; k < parts_.size(); ++k)
        {
            Part& part = parts_[k];
            encode_part<kInsert>(part, keys[k], rows, codes);
            if (part.interner)
                note_missing();
            nulls.clear();
            if (part.nullable)
                read_nulls(*keys[k], rows, nulls);
            pack(packed, codes, shift, nulls, shift + part.bytes * 8);
            shift += (part.bytes + (part.nullable ? 1 : 0)) * 8;
        }
    };

    if (direct_)
    {
        PodVector<uint64_t> packed;
        pack_all(packed);
        auto& table = *direct_;
        for (size_t i = 0; i < rows; ++i)
        {
            uint32_t& id = table[packed[i]];
            if constexpr (kInsert)
                if (id == kMissingKey)
                {
                    id = direct_size_++;
                    new_rows->push_back(static_cast<uint32_t>(i));
                }
            ids[i] = id;
        }
    }
    else if (narrow_)
    {
        PodVector<uint64_t> packed;
        pack_all(packed);
        look_up<kInsert>(*narrow_, packed, ids, new_rows);
    }
    else if (wide_)
    {
        PodVector<UInt128> packed;
        pack_all(packed);
        look_up<kInsert>(*wide_, packed, ids, new_rows);
    }
    else
    {
        // Rows wider than 16 bytes: the codes of a row side by side, interned.
        PodVector<uint64_t> all;
        const size_t width = parts_.size() * 2;
        all.assign(rows * width, 0);
        for (size_t k = 0; k < parts_.size(); ++k)
        {
            encode_part<kInsert>(parts_[k], keys[k], rows, codes);
            if (parts_[k].interner)
                note_missing();
            nulls.clear();
            if (parts_[k].nullable)
                read_nulls(*keys[k], rows, nulls);
            for (size_t i = 0; i < rows; ++i)
            {
                const bool is_null = !nulls.empty() && nulls[i];
                all[i * width + 2 * k] = is_null ? 0 : codes[i];
                all[i * width + 2 * k + 1] = is_null;
            }
        }
        for (size_t i = 0; i < rows; ++i)
        {
            const std::string_view key{reinterpret_cast<const char*>(all.data() + i * width),
                                       width * sizeof(uint64_t)};
            if constexpr (kInsert)
            {
                bool is_new;
                ids[i] = bytes_->insert(key, is_new);
                if (is_new)
                    new_rows->push_back(static_cast<uint32_t>(i));
            }
            else
                ids[i] = bytes_->find(key);
        }
    }
    if (!kInsert && !missing.empty())
        for (size_t i = 0; i < rows; ++i)
            if (missing[i])
                ids[i] = kMissingKey;
}

void KeyIndex::insert(const Columns& keys, size_t rows, PodVector<uint32_t>& ids,
                      RowIndexes& new_rows)
{
    new_rows.clear();
    run<true>(keys, rows, ids, &new_rows);
}

void KeyIndex::find(const Columns& keys, size_t rows, PodVector<uint32_t>& ids) const
{
    // The const path of run<false> changes nothing: it only reads the tables.
    const_cast<KeyIndex*>(this)->run<false>(keys, rows, ids, nullptr);
}

} // namespace basalt
