#include "columns/serialization_kinds.h"
#include "io/binary.h"

#include <fmt/core.h>
#include <unordered_map>

namespace basalt
{

namespace
{

// Native layout: u64 version 1 as prefix; then per chunk u64 flags (index width in the low byte,
// "has keys" and "new dictionary" bits), u64 number of keys, keys without null map, u64 rows,
// indexes. Key 0 is the default; with NULL, key 0 stands for NULL and key 1 is the default.
constexpr uint64_t kVersion = 1;
constexpr uint64_t kNeedsGlobalDictionary = 1 << 8;
constexpr uint64_t kHasKeys = 1 << 9;
constexpr uint64_t kNewDictionary = 1 << 10;

[[noreturn]] void bad_data(std::string_view why)
{
    throw Error(error_codes::INCORRECT_DATA,
                fmt::format("Invalid LowCardinality data: {}", why));
}

class LowCardinalitySerialization final : public Serialization
{
public:
    explicit LowCardinalitySerialization(const TypePtr& nested)
        : nested_(serialization_of(nested)), key_type_(remove_nullable(nested)),
          keys_(serialization_of(key_type_)), is_nullable_(nested->is_nullable())
    {
    }

    void write_text(const Column& column, size_t row, OutputBuffer& out, TextPlace place,
                    const TextOptions& options) const override
    {
        nested_->write_text(column, row, out, place, options);
    }
    bool parse_text(Column& column, TextCursor& cursor, TextPlace place,
                    const TextOptions& options) const override
    {
        return nested_->parse_text(column, cursor, place, options);
    }
    void write_binary(const Column& column, size_t row, OutputBuffer& out) const override
    {
        nested_->write_binary(column, row, out);
    }
    void read_binary(Column& column, InputBuffer& in) const override
    {
        nested_->read_binary(column, in);
    }

    void write_native_prefix(OutputBuffer& out) const override { write_fixed(out, kVersion); }
    void read_native_prefix(InputBuffer& in) const override
    {
        const auto version = read_fixed<uint64_t>(in);
        if (version != kVersion)
            bad_data(fmt::format("key version {}", version));
    }

    void write_native_data(const Column& column, size_t begin, size_t count,
                           OutputBuffer& out) const override
    {
        if (count == 0)
            return;
        MutableColumnPtr keys = key_type_->create_column();
        keys->append_defaults(is_nullable_ ? 2 : 1);
        PodVector<uint32_t> indexes(count);
        number_rows(column, begin, count, *keys, indexes);

        const size_t key_count = keys->size();
        const unsigned width_log = key_count <= 0x100 ? 0 : key_count <= 0x10000 ? 1 : 2;
        write_fixed<uint64_t>(out, width_log | kHasKeys | kNewDictionary);
        write_fixed<uint64_t>(out, key_count);
        keys_->write_native_data(*keys, 0, key_count, out);
        write_fixed<uint64_t>(out, count);
        for (const uint32_t index : indexes)
            out.write(reinterpret_cast<const char*>(&index), size_t{1} << width_log);
    }

    ColumnPtr read_native_data(size_t count, InputBuffer& in) const override
    {
        if (count == 0)
            return nested_column();
        const auto flags = read_fixed<uint64_t>(in);
        const uint64_t width_log = flags & 0xFF;
        if (width_log > 3)
            bad_data(fmt::format("index type {}", width_log));
        if ((flags & kNeedsGlobalDictionary) || !(flags & kHasKeys))
            bad_data("a dictionary shared between chunks is not supported");
        const auto key_count = read_fixed<uint64_t>(in);
        if (key_count > UINT32_MAX)
            bad_data(fmt::format("{} keys", key_count));
        ColumnPtr keys = to_flat(keys_->read_native_data(key_count, in));
        const auto rows = read_fixed<uint64_t>(in);
        if (rows != count)
            bad_data(fmt::format("{} rows where {} were expected", rows, count));
        PodVector<uint32_t> codes = read_indexes(in, count, width_log, key_count);
        if (is_nullable_)
        {
            auto nulls = std::make_shared<VectorColumn<uint8_t>>(key_count, uint8_t{0});
            if (key_count > 0)
                nulls->data()[0] = 1;
            keys = NullableColumn::make(keys, nulls);
        }
        return std::make_shared<DictionaryColumn>(keys, std::move(codes));
    }

private:
    ColumnPtr nested_column() const
    {
        const MutableColumnPtr column = key_type_->create_column();
        if (!is_nullable_)
            return column;
        return NullableColumn::make(column, std::make_shared<VectorColumn<uint8_t>>());
    }

    // Gives equal values equal numbers in order of appearance; new ones are appended to keys.
    void number_rows(const Column& column, size_t begin, size_t count, Column& keys,
                     PodVector<uint32_t>& indexes) const
    {
        std::unordered_map<std::string, uint32_t> numbers;
        PodVector<char> key;
        keys.append_key(keys.size() - 1, key);
        numbers.emplace(std::string(key.data(), key.size()),
                        static_cast<uint32_t>(keys.size() - 1));
        const Column* values = &column;
        const PodVector<uint8_t>* nulls = nullptr;
        if (is_nullable_)
        {
            const auto& nullable = column_as<NullableColumn>(column);
            values = nullable.nested().get();
            nulls = &nullable.null_map();
        }
        for (size_t i = 0; i < count; ++i)
        {
            const size_t row = begin + i;
            if (nulls && (*nulls)[row])
            {
                indexes[i] = 0;
                continue;
            }
            key.clear();
            values->append_key(row, key);
            const auto [found, is_new] = numbers.emplace(std::string(key.data(), key.size()),
                                                         static_cast<uint32_t>(keys.size()));
            if (is_new)
                keys.append_from(*values, row);
            indexes[i] = found->second;
        }
    }

    static PodVector<uint32_t> read_indexes(InputBuffer& in, size_t count, uint64_t width_log,
                                            uint64_t key_count)
    {
        const size_t width = size_t{1} << width_log;
        PodVector<uint32_t> codes;
        constexpr size_t kStepRows = 65536;
        PodVector<char> bytes;
        while (codes.size() < count)
        {
            const size_t step = std::min(kStepRows, count - codes.size());
            bytes.resize(step * width);
            in.read_exact(bytes.data(), bytes.size());
            const size_t old = codes.size();
            codes.resize(old + step);
            for (size_t i = 0; i < step; ++i)
            {
                uint64_t index = 0;
                std::memcpy(&index, bytes.data() + i * width, width);
                if (index >= key_count)
                    bad_data(fmt::format("index {} of {} keys", index, key_count));
                codes[old + i] = static_cast<uint32_t>(index);
            }
        }
        return codes;
    }

    SerializationPtr nested_;
    TypePtr key_type_;
    SerializationPtr keys_;
    bool is_nullable_;
};

} // namespace

SerializationPtr make_low_cardinality_serialization(const TypePtr& type)
{
    return std::make_shared<LowCardinalitySerialization>(
        type_as<LowCardinalityType>(type).nested());
}

} // namespace basalt
