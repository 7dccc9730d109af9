// bloom_filter(p): a Bloom filter of each entry's values with false positives at the rate p,
// stored bit-sliced: for each position of a filter, the bits of many entries side by side, so that
// a lookup reads one short row for each hash function.
//
// Bytes: chunks of up to kChunkEntries entries. All chunks have the head's geometry:
//   head (once): u8 version 1, u8 hash functions k, u16 0, u32 bits m of a filter
//   chunk: u32 entries e, then m rows of ceil(e / 8) bytes and u32 checksum (XXH3-64, low half)
// Row i of a chunk: bit j of byte j / 8 says that entry j has bit i.

#include "codecs/hash.h"
#include "encodings/vector_visit.h"
#include "storage/condition/condition.h"
#include "storage/skip_index/skip_index.h"

#include "base/error.h"
#include "base/unaligned.h"
#include "columns/serialization.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>

namespace basalt
{

namespace
{

constexpr size_t kChunkEntries = 4096;
constexpr size_t kHeadBytes = 8;
constexpr size_t kMaxHashes = 15;
constexpr double kDefaultRate = 0.025;

struct Geometry
{
    uint32_t bits = 64;
    uint8_t hashes = 1;

    // For entries of `rows` distinct values: m = -n ln p / (ln 2)^2, k = m / n ln 2 (Bloom 1970).
    static Geometry of(size_t rows, double rate)
    {
        const double per_key = -std::log(rate) / (std::log(2.0) * std::log(2.0));
        Geometry geometry;
        geometry.bits = static_cast<uint32_t>(
            std::clamp(per_key * static_cast<double>(rows), 64.0, 4e9));
        geometry.hashes = static_cast<uint8_t>(std::clamp<double>(
            std::round(per_key * std::log(2.0)), 1.0, static_cast<double>(kMaxHashes)));
        return geometry;
    }
    // The i-th position of a hash (Kirsch and Mitzenmacher 2006: two hashes make the rest).
    uint32_t position(uint64_t hash, size_t i) const
    {
        const uint64_t mixed = hash + i * ((hash >> 32) | (hash << 32) | 1);
        return static_cast<uint32_t>((static_cast<UInt128>(mixed) * bits) >> 64);
    }
};

double rate_of(const IndexDescription& index)
{
    if (index.arguments.empty())
        return kDefaultRate;
    if (const auto* rate = index.arguments[0].get_if<double>())
        return *rate;
    return 0;
}

uint64_t hash_bytes(std::string_view bytes)
{
    return xxh3_64(bytes.data(), bytes.size());
}

// Hashes of the values of a flat column; NULLs have none.
void hashes_of(const Column& flat, std::vector<uint64_t>& out)
{
    switch (flat.form())
    {
    case ColumnForm::String:
    {
        const auto& strings = column_as<StringColumn>(flat);
        for (size_t i = 0; i < strings.size(); ++i)
            out.push_back(hash_bytes(strings.at(i)));
        return;
    }
    case ColumnForm::FixedString:
    {
        const auto& strings = column_as<FixedStringColumn>(flat);
        for (size_t i = 0; i < strings.size(); ++i)
            out.push_back(hash_bytes(strings.at(i)));
        return;
    }
    case ColumnForm::Nullable:
    {
        const auto& nullable = column_as<NullableColumn>(flat);
        std::vector<uint64_t> all;
        hashes_of(*nullable.nested(), all);
        for (size_t i = 0; i < all.size(); ++i)
            if (!nullable.null_map()[i])
                out.push_back(all[i]);
        return;
    }
    case ColumnForm::Array:
        hashes_of(*column_as<ArrayColumn>(flat).items(), out);
        return;
    default:
    {
        if (flat.size() == 0)
            return;
        const size_t width = vector_width(flat);
        const char* data = fixed_width_data(flat);
        for (size_t i = 0; i < flat.size(); ++i)
            out.push_back(hash_bytes({data + i * width, width}));
    }
    }
}

// What the filters hold: elements of arrays, otherwise the values; without wrappers.
TypePtr element_type(const IndexDescription& index)
{
    TypePtr type = remove_low_cardinality(index.expression->type());
    if (type->is(TypeId::Array))
        type = type_as<ArrayType>(type).nested();
    return strip_wrappers(type);
}

class Builder final : public SkipIndexBuilder
{
public:
    explicit Builder(Geometry geometry) : geometry_(geometry)
    {
        bytes_.push_back(1);
        bytes_.push_back(static_cast<char>(geometry.hashes));
        bytes_.append(2, '\0');
        bytes_.append(reinterpret_cast<const char*>(&geometry.bits), 4);
    }

    void add_entry(const Column& flat) override
    {
        hashes_.clear();
        hashes_of(flat, hashes_);
        std::vector<uint64_t> bits((geometry_.bits + 63) / 64, 0);
        for (const uint64_t hash : hashes_)
            for (size_t i = 0; i < geometry_.hashes; ++i)
            {
                const uint32_t at = geometry_.position(hash, i);
                bits[at / 64] |= uint64_t{1} << (at % 64);
            }
        entries_.push_back(std::move(bits));
        if (entries_.size() == kChunkEntries)
            write_chunk();
    }
    std::string take_bytes() override { return std::exchange(bytes_, {}); }
    std::string finish() override
    {
        if (!entries_.empty())
            write_chunk();
        return take_bytes();
    }

private:
    void write_chunk()
    {
        const auto count = static_cast<uint32_t>(entries_.size());
        const size_t row_bytes = (count + 7) / 8;
        bytes_.append(reinterpret_cast<const char*>(&count), 4);
        const size_t start = bytes_.size();
        bytes_.resize(start + geometry_.bits * (row_bytes + 4));
        for (size_t entry = 0; entry < count; ++entry)
            for (size_t word = 0; word < entries_[entry].size(); ++word)
                for (uint64_t left = entries_[entry][word]; left; left &= left - 1)
                {
                    const size_t row =
                        word * 64 + static_cast<size_t>(__builtin_ctzll(left));
                    bytes_[start + row * (row_bytes + 4) + entry / 8] |=
                        static_cast<char>(1 << (entry % 8));
                }
        for (size_t row = 0; row < geometry_.bits; ++row)
        {
            char* at = bytes_.data() + start + row * (row_bytes + 4);
            store(at + row_bytes, static_cast<uint32_t>(xxh3_64(at, row_bytes)));
        }
        entries_.clear();
    }

    Geometry geometry_;
    std::vector<uint64_t> hashes_;
    std::vector<std::vector<uint64_t>> entries_;
    std::string bytes_;
};

class Reader final : public SkipIndexReader
{
public:
    Reader(const IndexDescription& index, SkipIndexSource source)
        : type_(element_type(index)), source_(std::move(source))
    {
        const std::string head = source_.read(0, kHeadBytes);
        geometry_.hashes = static_cast<uint8_t>(head[1]);
        geometry_.bits = load<uint32_t>(head.data() + 4);
        if (head[0] != 1 || geometry_.bits == 0)
            throw Error(error_codes::CORRUPTED_DATA, "Its head is damaged");
    }

    void narrow(const ConditionAtom& atom, const QueryContext& context,
                std::vector<Outcomes>& outcomes) const override
    {
        std::vector<uint64_t> hashes;
        if (!wanted_hashes(atom, context, hashes))
            return;
        std::vector<uint8_t> possible(outcomes.size(), 0);
        for (const uint64_t hash : hashes)
            look_up(hash, possible);
        const bool null_in_set = atom.set && atom.set->has_null();
        if (null_in_set)
            return;
        for (size_t i = 0; i < outcomes.size(); ++i)
            if (!possible[i])
                outcomes[i].can_be_true = false;
    }

private:
    bool wanted_hashes(const ConditionAtom& atom, const QueryContext& context,
                       std::vector<uint64_t>& hashes) const
    {
        if (atom.kind == ConditionAtom::Kind::InSet)
        {
            if (!same_type(strip_wrappers(atom.set->key_types()[atom.set_column]), type_))
                return false;
            hashes_of(*to_flat(atom.set->members()[atom.set_column]), hashes);
            return true;
        }
        // A FixedString may equal texts of other bytes.
        if (type_->is(TypeId::String) &&
            !strip_wrappers(atom.constant->type())->is(TypeId::String))
            return false;
        TextOptions options;
        options.session_timezone = context.timezone();
        const Value given = atom.constant->constant_column()->value_at(0);
        const auto value = convert_value(given, type_, options);
        if (!value || value->is_null())
            return false;
        // The conversion must be the one that the comparison makes.
        const auto same = Expression::call(
            "equals", {Expression::constant(type_, *value), atom.constant}, context);
        Mask mask;
        if (!same->is_constant() ||
            column_to_mask(same->constant_column(), same->type(), mask) == 0)
            return false;
        auto column = type_->create_column();
        column->append_value(*value);
        hashes_of(*column, hashes);
        return true;
    }

    void look_up(uint64_t hash, std::vector<uint8_t>& possible) const
    {
        uint64_t offset = kHeadBytes;
        for (size_t first = 0; first < possible.size(); first += kChunkEntries)
        {
            const size_t count = std::min(kChunkEntries, possible.size() - first);
            const size_t row_bytes = (count + 7) / 8;
            if (load<uint32_t>(source_.read(offset, 4).data()) != count)
                throw Error(error_codes::CORRUPTED_DATA, "A chunk has the wrong size");
            offset += 4;
            std::string all(row_bytes, '\xff');
            for (size_t i = 0; i < geometry_.hashes; ++i)
            {
                const uint64_t row = geometry_.position(hash, i);
                const std::string bits =
                    source_.read(offset + row * (row_bytes + 4), row_bytes + 4);
                if (load<uint32_t>(bits.data() + row_bytes) !=
                    static_cast<uint32_t>(xxh3_64(bits.data(), row_bytes)))
                    throw Error(error_codes::CHECKSUM_DOESNT_MATCH,
                                "Checksum of a row does not match");
                for (size_t b = 0; b < row_bytes; ++b)
                    all[b] = static_cast<char>(all[b] & bits[b]);
            }
            for (size_t entry = 0; entry < count; ++entry)
                possible[first + entry] |=
                    static_cast<uint8_t>(all[entry / 8] >> (entry % 8) & 1);
            offset += geometry_.bits * (row_bytes + 4);
        }
    }

    TypePtr type_;
    SkipIndexSource source_;
    Geometry geometry_;
};

class BloomFilter final : public SkipIndexKind
{
public:
    std::string name() const override { return "bloom_filter"; }
    void check(const IndexDescription& index) const override
    {
        if (index.arguments.size() > 1)
            throw Error(error_codes::INCORRECT_QUERY,
                        "BloomFilter index cannot have more than one parameter");
        const double rate = rate_of(index);
        if (!(rate > 0 && rate < 1))
            throw Error(error_codes::BAD_ARGUMENTS,
                        "The BloomFilter false positive must be a double number between 0 and 1");
        const TypePtr type = element_type(index);
        if (!can_be_inside_low_cardinality(type) && !type->is_decimal())
            throw Error(error_codes::BAD_ARGUMENTS,
                        fmt::format("Unexpected type {} of bloom filter index.",
                                    index.expression->type()->name()));
    }
    std::unique_ptr<SkipIndexBuilder> make_builder(const IndexDescription& index,
                                                   size_t entry_rows) const override
    {
        return std::make_unique<Builder>(Geometry::of(entry_rows, rate_of(index)));
    }
    std::unique_ptr<SkipIndexReader> open(const IndexDescription& index,
                                          SkipIndexSource source) const override
    {
        return std::make_unique<Reader>(index, std::move(source));
    }
    bool useful_for(const IndexDescription& index, const ConditionAtom& atom) const override
    {
        using Kind = ConditionAtom::Kind;
        const bool array = remove_low_cardinality(index.expression->type())->is(TypeId::Array);
        // Zeros of both signs are equal but differ in their bytes, and NaN is not equal to itself.
        if (element_type(index)->is_float())
            return false;
        return array ? atom.kind == Kind::Has
                     : atom.kind == Kind::Equals || atom.kind == Kind::InSet;
    }
};

} // namespace

void register_bloom_filter(SkipIndexRegistry& registry)
{
    registry.add(std::make_unique<BloomFilter>());
}

} // namespace basalt
