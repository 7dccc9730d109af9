#pragma once

// Keys of one or several columns to dense numbers 0, 1, 2, … in order of first sight: the hash
// table under GROUP BY, DISTINCT, LIMIT BY, hash JOIN and the set operations.
//
// Every key column becomes an integer: integers and floats up to 8 bytes as they are (with a null
// bit beside them), everything else by interning its bytes; dictionary columns are interned once
// per entry. The integers of a row are packed into 8 or 16 bytes and looked up in an
// open-addressing table; wider rows are interned as bytes. A single interned column needs no
// second table.
//
// One thread at a time for insert(); find() is const and may be called from several.

#include "columns/column.h"

#include <memory>
#include <string>
#include <vector>

namespace basalt
{

inline constexpr uint32_t kMissingKey = UINT32_MAX;

// Byte strings to dense numbers.
class ByteInterner
{
public:
    ByteInterner();
    uint32_t insert(std::string_view key, bool& is_new);
    uint32_t find(std::string_view key) const; // kMissingKey when absent
    size_t size() const { return offsets_.size(); }
    size_t byte_size() const;

private:
    struct Slot
    {
        uint32_t hash;
        uint32_t id; // kMissingKey = empty
    };
    void grow();
    std::string_view key_at(uint32_t id) const;

    PodVector<Slot> slots_;
    PodVector<char> chars_;
    PodVector<uint64_t> offsets_; // ends
};

// Fixed-width integers to dense numbers. Key: uint64_t or UInt128.
template <class Key> class IntegerIndex
{
public:
    IntegerIndex();
    uint32_t insert(Key key, bool& is_new);
    uint32_t find(Key key) const;
    size_t size() const { return size_; }
    size_t byte_size() const { return slots_.capacity_bytes(); }

private:
    struct Slot
    {
        Key key;
        uint32_t id;
    };
    void grow();

    PodVector<Slot> slots_;
    uint32_t size_ = 0;
};

class KeyIndex
{
public:
    // Types with LowCardinality removed or not; columns given later must be of these types.
    explicit KeyIndex(const Types& types);
    ~KeyIndex();

    // ids[i]: the number of row i's key. new_rows: the rows that brought a new key, ascending.
    // Throws TOO_MANY_ROWS past kMaxKeys.
    void insert(const Columns& keys, size_t rows, PodVector<uint32_t>& ids, RowIndexes& new_rows);
    // kMissingKey for keys that were never inserted.
    void find(const Columns& keys, size_t rows, PodVector<uint32_t>& ids) const;

    size_t size() const;
    size_t byte_size() const;

    static constexpr size_t kMaxKeys = size_t{UINT32_MAX} - 16;

private:
    struct Part;

    template <bool kInsert>
    void encode_part(Part& part, const ColumnPtr& column, size_t rows,
                     PodVector<uint64_t>& codes) const;
    template <bool kInsert>
    void encode_flat(Part& part, const Column& column, size_t rows,
                     PodVector<uint64_t>& codes) const;
    template <bool kInsert, class Key>
    void look_up(IntegerIndex<Key>& index, const PodVector<Key>& packed,
                 PodVector<uint32_t>& ids, RowIndexes* new_rows) const;
    template <bool kInsert>
    void run(const Columns& keys, size_t rows, PodVector<uint32_t>& ids, RowIndexes* new_rows);

    std::vector<Part> parts_;
    size_t packed_bytes_ = 0;
    std::unique_ptr<IntegerIndex<uint64_t>> narrow_;
    std::unique_ptr<IntegerIndex<UInt128>> wide_;
    std::unique_ptr<ByteInterner> bytes_;
    std::unique_ptr<PodVector<uint32_t>> direct_; // for one key of at most 16 bits
    uint32_t direct_size_ = 0;
    // For a single interned key: interned number -> number of first use.
    PodVector<uint32_t> first_use_;
    uint32_t single_size_ = 0;
};

} // namespace basalt
