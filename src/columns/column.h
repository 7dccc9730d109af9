#pragma once

// Columns: vectors of values of one type. Immutable once shared (ColumnPtr); built through a
// MutableColumnPtr by one thread. Forms: flat (the concrete classes below), Constant and
// Dictionary. Kernels take flat and constant; to_flat() brings the others to it.

#include "base/arena.h"
#include "base/pod_vector.h"
#include "columns/type.h"

#include <memory>
#include <span>
#include <string_view>
#include <vector>

namespace basalt
{

class Column;
using ColumnPtr = std::shared_ptr<const Column>;
using MutableColumnPtr = std::shared_ptr<Column>;
using Columns = std::vector<ColumnPtr>;

// One byte a row: 0 drops the row, anything else keeps it.
using Mask = PodVector<uint8_t>;
// Row numbers for take().
using RowIndexes = PodVector<uint32_t>;

enum class ColumnForm : uint8_t
{
    Vector,
    String,
    FixedString,
    Nullable,
    Array,
    Tuple,
    AggregateState,
    Nothing,
    Constant,
    Dictionary,
    Lambda,
    Set,
};

class Column
{
public:
    virtual ~Column() = default;

    ColumnForm form() const { return form_; }
    virtual size_t size() const = 0;
    bool empty() const { return size() == 0; }
    virtual size_t byte_size() const = 0; // memory held, for trackers and statistics

    // Building. Sources must have the same physical type, flat, constant or dictionary.
    virtual MutableColumnPtr clone_empty() const = 0;
    virtual void reserve(size_t rows) {}
    virtual void append_from(const Column& source, size_t row) = 0;
    virtual void append_range(const Column& source, size_t begin, size_t count) = 0;
    virtual void append_repeated(const Column& source, size_t row, size_t count);
    virtual void append_default() = 0;
    virtual void append_defaults(size_t count);
    virtual void append_value(const Value& value) = 0; // aborts on a value of another kind
    virtual void remove_last(size_t count) = 0;

    // Reading one value, outside of hot loops.
    virtual Value value_at(size_t row) const = 0;
    virtual bool is_null_at(size_t row) const { return false; }

    // New columns from rows of this one.
    virtual ColumnPtr filter(const Mask& mask, size_t kept_rows) const = 0;
    virtual ColumnPtr take(const RowIndexes& rows) const = 0;
    virtual ColumnPtr slice(size_t begin, size_t count) const = 0;
    // Row i repeated offsets[i] - offsets[i-1] times.
    virtual ColumnPtr replicate(const PodVector<uint64_t>& offsets) const;

    // <0, 0, >0. Nulls and NaN: nulls_direction 1 puts them after all values, -1 before.
    // other: same physical type, flat.
    virtual int compare_at(size_t row, const Column& other, size_t other_row,
                           int nulls_direction) const = 0;

    // Mixes a hash of each row into hashes (size() of them): for joins, GROUP BY, DISTINCT in
    // memory; not stable between versions, never stored. Equal values hash equally in every form.
    virtual void hash_into(std::span<uint64_t> hashes) const = 0;

    // A self-delimiting byte string per row whose equality is value equality; appended to out.
    // Floats are equal here when their bits are: 0 and -0 differ, as in ClickHouse's GROUP BY.
    virtual void append_key(size_t row, PodVector<char>& out) const = 0;
    // Appends one value from what append_key wrote; returns the end of what was read.
    virtual const char* append_from_key(const char* key) = 0;

    // Flat column with the same values; this when it is flat already.
    virtual ColumnPtr to_flat() const;

protected:
    explicit Column(ColumnForm form) : form_(form) {}

private:
    ColumnForm form_;
};

inline ColumnPtr to_flat(const ColumnPtr& column)
{
    if (column->form() != ColumnForm::Constant && column->form() != ColumnForm::Dictionary)
        return column;
    return column->to_flat();
}

template <class T> const T& column_as(const Column& column)
{
    BASALT_DCHECK(dynamic_cast<const T*>(&column));
    return static_cast<const T&>(column);
}
template <class T> T& column_as(Column& column)
{
    BASALT_DCHECK(dynamic_cast<T*>(&column));
    return static_cast<T&>(column);
}
template <class T> const T& column_as(const ColumnPtr& column)
{
    return column_as<T>(*column);
}

// Number of non-zero bytes.
size_t count_kept(const Mask& mask);

// Fixed-width values: integers to 256 bits and floats. Decimals, dates, enums, UUID and IPv4 live
// in the integer of their width.
template <class T> class VectorColumn final : public Column
{
public:
    using value_type = T;

    VectorColumn() : Column(ColumnForm::Vector) {}
    explicit VectorColumn(size_t rows) : Column(ColumnForm::Vector), data_(rows) {} // uninitialised
    VectorColumn(size_t rows, T value) : Column(ColumnForm::Vector), data_(rows, value) {}
    explicit VectorColumn(PodVector<T> data) : Column(ColumnForm::Vector), data_(std::move(data)) {}

    PodVector<T>& data() { return data_; }
    const PodVector<T>& data() const { return data_; }

    size_t size() const override { return data_.size(); }
    size_t byte_size() const override { return data_.capacity_bytes(); }
    MutableColumnPtr clone_empty() const override;
    void reserve(size_t rows) override { data_.reserve(rows); }
    void append_from(const Column& source, size_t row) override;
    void append_range(const Column& source, size_t begin, size_t count) override;
    void append_repeated(const Column& source, size_t row, size_t count) override;
    void append_default() override { data_.push_back(T(0)); }
    void append_defaults(size_t count) override { data_.resize_fill(data_.size() + count, T(0)); }
    void append_value(const Value& value) override;
    void remove_last(size_t count) override { data_.resize(data_.size() - count); }
    Value value_at(size_t row) const override;
    ColumnPtr filter(const Mask& mask, size_t kept_rows) const override;
    ColumnPtr take(const RowIndexes& rows) const override;
    ColumnPtr slice(size_t begin, size_t count) const override;
    ColumnPtr replicate(const PodVector<uint64_t>& offsets) const override;
    int compare_at(size_t row, const Column& other, size_t other_row,
                   int nulls_direction) const override;
    void hash_into(std::span<uint64_t> hashes) const override;
    void append_key(size_t row, PodVector<char>& out) const override;
    const char* append_from_key(const char* key) override;

private:
    PodVector<T> data_;
};

extern template class VectorColumn<uint8_t>;
extern template class VectorColumn<uint16_t>;
extern template class VectorColumn<uint32_t>;
extern template class VectorColumn<uint64_t>;
extern template class VectorColumn<UInt128>;
extern template class VectorColumn<UInt256>;
extern template class VectorColumn<int8_t>;
extern template class VectorColumn<int16_t>;
extern template class VectorColumn<int32_t>;
extern template class VectorColumn<int64_t>;
extern template class VectorColumn<Int128>;
extern template class VectorColumn<Int256>;
extern template class VectorColumn<float>;
extern template class VectorColumn<double>;

// Strings of any bytes: offsets()[i] is the end of row i in chars(); no terminators.
class StringColumn final : public Column
{
public:
    StringColumn() : Column(ColumnForm::String) {}

    PodVector<char>& chars() { return chars_; }
    const PodVector<char>& chars() const { return chars_; }
    PodVector<uint64_t>& offsets() { return offsets_; }
    const PodVector<uint64_t>& offsets() const { return offsets_; }

    size_t offset_at(size_t row) const { return row == 0 ? 0 : offsets_[row - 1]; }
    std::string_view at(size_t row) const
    {
        const size_t begin = offset_at(row);
        return {chars_.data() + begin, offsets_[row] - begin};
    }
    void append(std::string_view text)
    {
        chars_.append(text.data(), text.size());
        offsets_.push_back(chars_.size());
    }

    size_t size() const override { return offsets_.size(); }
    size_t byte_size() const override { return chars_.capacity() + offsets_.capacity_bytes(); }
    MutableColumnPtr clone_empty() const override;
    void reserve(size_t rows) override { offsets_.reserve(rows); }
    void append_from(const Column& source, size_t row) override;
    void append_range(const Column& source, size_t begin, size_t count) override;
    void append_repeated(const Column& source, size_t row, size_t count) override;
    void append_default() override { offsets_.push_back(chars_.size()); }
    void append_value(const Value& value) override;
    void remove_last(size_t count) override;
    Value value_at(size_t row) const override;
    ColumnPtr filter(const Mask& mask, size_t kept_rows) const override;
    ColumnPtr take(const RowIndexes& rows) const override;
    ColumnPtr slice(size_t begin, size_t count) const override;
    int compare_at(size_t row, const Column& other, size_t other_row,
                   int nulls_direction) const override;
    void hash_into(std::span<uint64_t> hashes) const override;
    void append_key(size_t row, PodVector<char>& out) const override;
    const char* append_from_key(const char* key) override;

private:
    PodVector<char> chars_;
    PodVector<uint64_t> offsets_;
};

// FixedString(width) and IPv6 (width 16): rows back to back.
class FixedStringColumn final : public Column
{
public:
    explicit FixedStringColumn(size_t width) : Column(ColumnForm::FixedString), width_(width) {}

    size_t width() const { return width_; }
    PodVector<char>& chars() { return chars_; }
    const PodVector<char>& chars() const { return chars_; }
    std::string_view at(size_t row) const { return {chars_.data() + row * width_, width_}; }
    void append(std::string_view text); // pads with zeros; aborts when longer than width

    size_t size() const override { return chars_.size() / width_; }
    size_t byte_size() const override { return chars_.capacity(); }
    MutableColumnPtr clone_empty() const override;
    void reserve(size_t rows) override { chars_.reserve(rows * width_); }
    void append_from(const Column& source, size_t row) override;
    void append_range(const Column& source, size_t begin, size_t count) override;
    void append_default() override { chars_.resize_fill(chars_.size() + width_, 0); }
    void append_value(const Value& value) override;
    void remove_last(size_t count) override { chars_.resize(chars_.size() - count * width_); }
    Value value_at(size_t row) const override;
    ColumnPtr filter(const Mask& mask, size_t kept_rows) const override;
    ColumnPtr take(const RowIndexes& rows) const override;
    ColumnPtr slice(size_t begin, size_t count) const override;
    int compare_at(size_t row, const Column& other, size_t other_row,
                   int nulls_direction) const override;
    void hash_into(std::span<uint64_t> hashes) const override;
    void append_key(size_t row, PodVector<char>& out) const override;
    const char* append_from_key(const char* key) override;

private:
    size_t width_;
    PodVector<char> chars_;
};

// Values with a null map (1 = NULL; the value below is then the type's default or anything).
// Children of composite columns are flat.
class NullableColumn final : public Column
{
public:
    NullableColumn(MutableColumnPtr nested, std::shared_ptr<VectorColumn<uint8_t>> nulls);
    // From shared flat parts; nothing is copied. A column built so is not appended to.
    static ColumnPtr make(ColumnPtr nested, ColumnPtr nulls);

    const ColumnPtr& nested() const { return nested_; }
    const ColumnPtr& null_column() const { return nulls_; } // VectorColumn<uint8_t>
    const PodVector<uint8_t>& null_map() const
    {
        return static_cast<const VectorColumn<uint8_t>&>(*nulls_).data();
    }
    Column& mutable_nested() { return const_cast<Column&>(*nested_); }
    PodVector<uint8_t>& mutable_null_map()
    {
        return const_cast<PodVector<uint8_t>&>(null_map());
    }
    bool has_nulls() const;

    size_t size() const override { return nulls_->size(); }
    size_t byte_size() const override { return nested_->byte_size() + nulls_->byte_size(); }
    MutableColumnPtr clone_empty() const override;
    void reserve(size_t rows) override;
    void append_from(const Column& source, size_t row) override;
    void append_range(const Column& source, size_t begin, size_t count) override;
    void append_repeated(const Column& source, size_t row, size_t count) override;
    void append_default() override; // NULL
    void append_value(const Value& value) override;
    void remove_last(size_t count) override;
    Value value_at(size_t row) const override;
    bool is_null_at(size_t row) const override { return null_map()[row] != 0; }
    ColumnPtr filter(const Mask& mask, size_t kept_rows) const override;
    ColumnPtr take(const RowIndexes& rows) const override;
    ColumnPtr slice(size_t begin, size_t count) const override;
    ColumnPtr replicate(const PodVector<uint64_t>& offsets) const override;
    int compare_at(size_t row, const Column& other, size_t other_row,
                   int nulls_direction) const override;
    void hash_into(std::span<uint64_t> hashes) const override;
    void append_key(size_t row, PodVector<char>& out) const override;
    const char* append_from_key(const char* key) override;

private:
    ColumnPtr nested_;
    ColumnPtr nulls_;
};

// Arrays: offsets()[i] is the end of row i in items(). Maps are arrays of tuples.
class ArrayColumn final : public Column
{
public:
    using Offsets = VectorColumn<uint64_t>;

    explicit ArrayColumn(MutableColumnPtr items);
    static ColumnPtr make(ColumnPtr items, ColumnPtr offsets); // shared parts, not appended to

    const ColumnPtr& items() const { return items_; }
    const ColumnPtr& offsets_column() const { return offsets_; }
    const PodVector<uint64_t>& offsets() const
    {
        return static_cast<const Offsets&>(*offsets_).data();
    }
    Column& mutable_items() { return const_cast<Column&>(*items_); }
    PodVector<uint64_t>& mutable_offsets()
    {
        return const_cast<PodVector<uint64_t>&>(offsets());
    }
    size_t begin_of(size_t row) const { return row == 0 ? 0 : offsets()[row - 1]; }
    size_t length_of(size_t row) const { return offsets()[row] - begin_of(row); }

    size_t size() const override { return offsets_->size(); }
    size_t byte_size() const override { return items_->byte_size() + offsets_->byte_size(); }
    MutableColumnPtr clone_empty() const override;
    void append_from(const Column& source, size_t row) override;
    void append_range(const Column& source, size_t begin, size_t count) override;
    void append_default() override;
    void append_value(const Value& value) override;
    void remove_last(size_t count) override;
    Value value_at(size_t row) const override; // ArrayValue, also for maps
    ColumnPtr filter(const Mask& mask, size_t kept_rows) const override;
    ColumnPtr take(const RowIndexes& rows) const override;
    ColumnPtr slice(size_t begin, size_t count) const override;
    int compare_at(size_t row, const Column& other, size_t other_row,
                   int nulls_direction) const override;
    void hash_into(std::span<uint64_t> hashes) const override;
    void append_key(size_t row, PodVector<char>& out) const override;
    const char* append_from_key(const char* key) override;

private:
    ColumnPtr items_;
    ColumnPtr offsets_;
};

class TupleColumn final : public Column
{
public:
    explicit TupleColumn(std::vector<MutableColumnPtr> elements, size_t rows = 0);
    static ColumnPtr make(Columns elements, size_t rows); // shared flat parts, not appended to

    const Columns& elements() const { return elements_; }
    const ColumnPtr& element(size_t i) const { return elements_[i]; }
    Column& mutable_element(size_t i) { return const_cast<Column&>(*elements_[i]); }
    // After appending to each element directly.
    void set_rows(size_t rows) { rows_ = rows; }

    size_t size() const override { return rows_; }
    size_t byte_size() const override;
    MutableColumnPtr clone_empty() const override;
    void append_from(const Column& source, size_t row) override;
    void append_range(const Column& source, size_t begin, size_t count) override;
    void append_default() override;
    void append_value(const Value& value) override;
    void remove_last(size_t count) override;
    Value value_at(size_t row) const override;
    ColumnPtr filter(const Mask& mask, size_t kept_rows) const override;
    ColumnPtr take(const RowIndexes& rows) const override;
    ColumnPtr slice(size_t begin, size_t count) const override;
    int compare_at(size_t row, const Column& other, size_t other_row,
                   int nulls_direction) const override;
    void hash_into(std::span<uint64_t> hashes) const override;
    void append_key(size_t row, PodVector<char>& out) const override;
    const char* append_from_key(const char* key) override;

private:
    Columns elements_;
    size_t rows_;
};

// A column of type Nothing (of NULL and of the empty array): only a row count.
class NothingColumn final : public Column
{
public:
    explicit NothingColumn(size_t rows = 0) : Column(ColumnForm::Nothing), rows_(rows) {}

    size_t size() const override { return rows_; }
    size_t byte_size() const override { return 0; }
    MutableColumnPtr clone_empty() const override { return std::make_shared<NothingColumn>(); }
    void append_from(const Column&, size_t) override { ++rows_; }
    void append_range(const Column&, size_t, size_t count) override { rows_ += count; }
    void append_default() override { ++rows_; }
    void append_value(const Value&) override { ++rows_; }
    void remove_last(size_t count) override { rows_ -= count; }
    Value value_at(size_t) const override { return Null{}; }
    ColumnPtr filter(const Mask&, size_t kept) const override;
    ColumnPtr take(const RowIndexes& rows) const override;
    ColumnPtr slice(size_t, size_t count) const override;
    int compare_at(size_t, const Column&, size_t, int) const override { return 0; }
    void hash_into(std::span<uint64_t>) const override {}
    void append_key(size_t, PodVector<char>&) const override {}
    const char* append_from_key(const char* key) override
    {
        ++rows_;
        return key;
    }

private:
    size_t rows_;
};

// The same value in every row. Nested: a flat column of one row.
class ConstantColumn final : public Column
{
public:
    ConstantColumn(ColumnPtr nested, size_t rows)
        : Column(ColumnForm::Constant), nested_(std::move(nested)), rows_(rows)
    {
        BASALT_DCHECK(nested_->size() == 1);
    }
    const ColumnPtr& nested() const { return nested_; }
    Value value() const { return nested_->value_at(0); }
    ColumnPtr with_rows(size_t rows) const
    {
        return std::make_shared<ConstantColumn>(nested_, rows);
    }

    size_t size() const override { return rows_; }
    size_t byte_size() const override { return nested_->byte_size(); }
    MutableColumnPtr clone_empty() const override { return nested_->clone_empty(); } // flat
    void append_from(const Column&, size_t) override;
    void append_range(const Column&, size_t, size_t count) override;
    void append_default() override;
    void append_value(const Value&) override;
    void remove_last(size_t count) override { rows_ -= count; }
    Value value_at(size_t) const override { return nested_->value_at(0); }
    bool is_null_at(size_t) const override { return nested_->is_null_at(0); }
    ColumnPtr filter(const Mask&, size_t kept) const override { return with_rows(kept); }
    ColumnPtr take(const RowIndexes& rows) const override { return with_rows(rows.size()); }
    ColumnPtr slice(size_t, size_t count) const override { return with_rows(count); }
    ColumnPtr replicate(const PodVector<uint64_t>& offsets) const override;
    int compare_at(size_t row, const Column& other, size_t other_row,
                   int nulls_direction) const override;
    void hash_into(std::span<uint64_t> hashes) const override;
    void append_key(size_t row, PodVector<char>& out) const override;
    const char* append_from_key(const char* key) override;
    ColumnPtr to_flat() const override;

private:
    ColumnPtr nested_;
    size_t rows_;
};

// Row i is dictionary()[codes()[i]]. The dictionary is flat, may hold values that no row uses and
// the same value twice; it may be shared by many columns (one per part), so results computed per
// entry can be kept by its address.
class DictionaryColumn final : public Column
{
public:
    DictionaryColumn(ColumnPtr dictionary, PodVector<uint32_t> codes)
        : Column(ColumnForm::Dictionary), dictionary_(std::move(dictionary)),
          codes_(std::move(codes))
    {
    }
    const ColumnPtr& dictionary() const { return dictionary_; }
    const PodVector<uint32_t>& codes() const { return codes_; }

    size_t size() const override { return codes_.size(); }
    size_t byte_size() const override { return codes_.capacity_bytes(); }
    MutableColumnPtr clone_empty() const override { return dictionary_->clone_empty(); } // flat
    void append_from(const Column&, size_t) override;
    void append_range(const Column&, size_t, size_t) override;
    void append_default() override;
    void append_value(const Value&) override;
    void remove_last(size_t count) override { codes_.resize(codes_.size() - count); }
    Value value_at(size_t row) const override { return dictionary_->value_at(codes_[row]); }
    bool is_null_at(size_t row) const override { return dictionary_->is_null_at(codes_[row]); }
    ColumnPtr filter(const Mask& mask, size_t kept_rows) const override;
    ColumnPtr take(const RowIndexes& rows) const override;
    ColumnPtr slice(size_t begin, size_t count) const override;
    int compare_at(size_t row, const Column& other, size_t other_row,
                   int nulls_direction) const override;
    void hash_into(std::span<uint64_t> hashes) const override;
    void append_key(size_t row, PodVector<char>& out) const override;
    const char* append_from_key(const char* key) override;
    ColumnPtr to_flat() const override { return dictionary_->take(codes_); }

private:
    ColumnPtr dictionary_;
    PodVector<uint32_t> codes_;
};

// States of one aggregate function. What a state is, only `functions` knows; this is how a column
// of them is copied, merged, stored and destroyed.
class AggregateStateOps
{
public:
    virtual ~AggregateStateOps() = default;
    virtual size_t state_size() const = 0;
    virtual size_t state_alignment() const = 0;
    virtual void create_state(char* at) const = 0;
    virtual void destroy_state(char* at) const noexcept = 0;
    virtual bool trivially_destroyed() const { return false; }
    virtual void merge_state(char* into, const char* from, Arena& arena) const = 0;
    virtual void write_state(const char* state, std::string& out) const = 0;
    // Reads what write_state wrote from [data, data + size); returns bytes consumed. Throws
    // CORRUPTED_DATA on bad bytes.
    virtual size_t read_state(char* state, const char* data, size_t size, Arena& arena) const = 0;
};

class AggregateStateColumn final : public Column,
                                   public std::enable_shared_from_this<AggregateStateColumn>
{
public:
    explicit AggregateStateColumn(std::shared_ptr<const AggregateStateOps> ops);
    ~AggregateStateColumn() override;

    const AggregateStateOps& ops() const { return *ops_; }
    const std::shared_ptr<const AggregateStateOps>& ops_ptr() const { return ops_; }
    const PodVector<char*>& states() const { return states_; }
    char* append_new();                       // a fresh state, owned by the column
    void adopt(char* state) { states_.push_back(state); } // owned by the column from now on
    // Keeps memory that adopted or viewed states live in.
    void keep(std::shared_ptr<const void> owner) { owners_.push_back(std::move(owner)); }
    Arena& arena() { return *arena_; }

    size_t size() const override { return states_.size(); }
    size_t byte_size() const override;
    MutableColumnPtr clone_empty() const override;
    void append_from(const Column& source, size_t row) override; // copies by merging into new
    void append_range(const Column& source, size_t begin, size_t count) override;
    void append_default() override { append_new(); }
    void append_value(const Value& value) override; // serialised state as text
    void remove_last(size_t count) override;
    Value value_at(size_t row) const override; // serialised state
    ColumnPtr filter(const Mask& mask, size_t kept_rows) const override;  // views of this column
    ColumnPtr take(const RowIndexes& rows) const override;
    ColumnPtr slice(size_t begin, size_t count) const override;
    int compare_at(size_t, const Column&, size_t, int) const override { return 0; }
    void hash_into(std::span<uint64_t> hashes) const override;
    void append_key(size_t row, PodVector<char>& out) const override;
    const char* append_from_key(const char* key) override;

private:
    ColumnPtr view(PodVector<char*> states) const;

    std::shared_ptr<const AggregateStateOps> ops_;
    PodVector<char*> states_;
    std::shared_ptr<Arena> arena_;
    std::vector<std::shared_ptr<const void>> owners_;
    bool owns_states_ = true;
};

// A constant column of `rows` rows holding `value` as `type`.
ColumnPtr make_constant(const TypePtr& type, const Value& value, size_t rows);
// Null constant of any Nullable type.
inline bool is_constant(const Column& column) { return column.form() == ColumnForm::Constant; }

} // namespace basalt
