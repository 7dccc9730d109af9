#include "codecs/codec.h"
#include "encodings/bit_packing.h"
#include "encodings/code_answers.h"
#include "encodings/integer_stream.h"

namespace basalt::inline encodings
{

IntegerReader::IntegerReader(std::string_view bytes, size_t count) : count_(count)
{
    ByteReader reader(bytes);
    kind_ = reader.byte();
    switch (kind_)
    {
    case kConstant:
        offset_ = unzigzag(reader.varint());
        return;
    case kBlocks:
        open_blocks(reader);
        return;
    case kDictionary:
    {
        const size_t values =
            reader.count(kMaxIntegerDictionary, "an integer dictionary is too large");
        dictionary_.reserve(values);
        for (size_t i = 0; i < values; ++i)
            dictionary_.push_back(unzigzag(reader.varint()));
        if (reader.byte() != kBlocks || values == 0)
            throw_damaged_page("an integer dictionary has no codes");
        open_blocks(reader);
        return;
    }
    default:
        throw_damaged_page("integers of an unknown kind");
    }
}

void IntegerReader::open_blocks(ByteReader reader)
{
    offset_ = unzigzag(reader.varint());
    scale_ = reader.varint();
    const size_t blocks = (count_ + kIntegerBlock - 1) / kIntegerBlock;
    if (blocks > reader.left())
        throw_damaged_page("it has fewer integers than rows");
    std::vector<size_t> sizes(blocks);
    for (size_t i = 0; i + 1 < blocks; ++i)
        sizes[i] = reader.count(reader.left(), "a block of integers is longer than the page");
    blocks_.reserve(blocks + 1);
    for (size_t i = 0; i + 1 < blocks; ++i)
        blocks_.push_back(reader.bytes(sizes[i]).data());
    blocks_.push_back(reader.at());
    blocks_.push_back(reader.end());
}

void IntegerReader::read(size_t begin, size_t count, uint64_t* out) const
{
    BASALT_ASSERT(begin + count <= count_);
    if (kind_ == kConstant)
    {
        std::fill_n(out, count, offset_);
        return;
    }
    read_blocks(begin, count, out);
    if (kind_ != kDictionary)
        return;
    const size_t values = dictionary_.size();
    for (size_t i = 0; i < count; ++i)
    {
        if (out[i] >= values)
            throw_damaged_page("a code is outside of the dictionary");
        out[i] = dictionary_[out[i]];
    }
}

void IntegerReader::read_codes(size_t begin, size_t count, uint64_t* out) const
{
    BASALT_ASSERT(begin + count <= count_ && kind_ == kDictionary);
    read_blocks(begin, count, out);
    uint64_t largest = 0;
    for (size_t i = 0; i < count; ++i)
        largest = std::max(largest, out[i]);
    if (count && largest >= dictionary_.size())
        throw_damaged_page("a code is outside of the dictionary");
}

void IntegerReader::look_up(size_t begin, size_t count, const PodVector<uint8_t>& answers,
                            uint8_t* out) const
{
    BASALT_ASSERT(answers.size() == dictionary_.size());
    BASALT_ASSERT(begin + count <= count_ && kind_ == kDictionary);
    const CodeAnswers by_code({answers.data(), answers.size()});
    uint32_t codes[kChunk];
    while (count)
    {
        const size_t some = std::min(count, kChunk - begin % kChunk);
        if (!read_blocks_below(begin, some, static_cast<uint32_t>(dictionary_.size()), codes))
            throw_damaged_page("a code is outside of the dictionary");
        by_code.apply(codes, some, out);
        begin += some;
        count -= some;
        out += some;
    }
}

void IntegerReader::read_blocks(size_t begin, size_t count, uint64_t* out) const
{
    while (count)
    {
        const size_t block = begin / kIntegerBlock;
        const size_t start = begin % kIntegerBlock;
        const size_t some = std::min(count, kIntegerBlock - start);
        read_block(block, start, some, out);
        begin += some;
        count -= some;
        out += some;
    }
}

namespace
{

// The part of a block that packed and delta blocks share.
struct Packed
{
    uint64_t base = 0;
    unsigned width = 0;
    size_t exceptions = 0;
    std::string_view data; // may be longer than the packed values
    ByteReader patches;

    Packed(ByteReader& reader, size_t values)
    {
        base = unzigzag(reader.varint());
        width = reader.byte();
        if (width > 64)
            throw_damaged_page("integers are wider than 64 bits");
        exceptions = reader.count(values, "a block has more outliers than values");
        const size_t bytes = packed_bytes(values, width);
        data = std::string_view(reader.at(), reader.left());
        reader.bytes(bytes);
        patches = reader;
    }

    // Values [begin, begin + count) without the base.
    void read(size_t begin, size_t count, uint64_t* out) const
    {
        unpack_bits(data.data(), data.size(), begin, count, width, out);
        for_outliers(begin, count,
                     [&](size_t at, uint64_t high)
                     {
                         if (width < 64)
                             out[at] |= high << width;
                         return true;
                     });
    }

    // patch(row - begin, bits above the width) of each outlier, while it returns true.
    template <class Patch> bool for_outliers(size_t begin, size_t count, Patch&& patch) const
    {
        ByteReader reader = patches;
        size_t position = 0;
        for (size_t i = 0; i < exceptions; ++i)
        {
            position += reader.count(kIntegerBlock, "an outlier is outside of its block");
            const uint64_t high = reader.varint();
            if (position >= begin + count)
                return true;
            if (position >= begin && !patch(position - begin, high))
                return false;
            ++position;
        }
        return true;
    }
};

void read_runs(ByteReader& reader, size_t values, size_t begin, size_t count, uint64_t* out)
{
    size_t runs = reader.count(values, "a block has more runs than values");
    uint64_t value = 0;
    size_t position = 0;
    const size_t end = begin + count;
    while (position < end)
    {
        if (runs-- == 0)
            throw_damaged_page("runs end before their block");
        const size_t length = reader.count(values - position, "a run is longer than its block");
        value += unzigzag(reader.varint());
        const size_t from = std::max(position, begin);
        const size_t to = std::min(position + length, end);
        if (from < to)
            std::fill(out + (from - begin), out + (to - begin), value);
        position += length;
    }
}

// out = offset + scale * (first and the differences added up).
void read_deltas(const Packed& packed, uint64_t first, size_t begin, size_t count, uint64_t offset,
                 uint64_t scale, uint64_t* out)
{
    uint64_t value = first;
    // Difference i leads to value i + 1.
    uint64_t buffer[512];
    size_t done = 0;
    while (done < begin)
    {
        const size_t some = std::min(begin - done, std::size(buffer));
        packed.read(done, some, buffer);
        for (size_t i = 0; i < some; ++i)
            value += packed.base + buffer[i];
        done += some;
    }
    packed.read(begin, count - 1, out + 1);
    value = offset + value * scale;
    const uint64_t step = packed.base * scale;
    out[0] = value;
    for (size_t i = 1; i < count; ++i)
    {
        value += step + out[i] * scale;
        out[i] = value;
    }
}

// The values of a ZSTD block without offset and scale; `values`: how many the block holds.
void read_zstd(ByteReader& reader, size_t values, size_t begin, size_t count, uint64_t* out)
{
    const uint8_t head = reader.byte();
    const bool deltas = head & IntegerReader::kZstdDeltas;
    const size_t planes = head & ~IntegerReader::kZstdDeltas;
    if (planes == 0 || planes > 8)
        throw_damaged_page("a block of integers has no planes, or too many");
    const uint64_t base = unzigzag(reader.varint());
    const size_t stored = values - deltas;
    thread_local PodVector<char> bytes;
    bytes.resize(stored * planes);
    codec_registry()
        .decoder(static_cast<uint8_t>(CodecMethod::Zstd))
        .decompress(reader.bytes(reader.left()), bytes.data(), bytes.size());
    const auto* plane = reinterpret_cast<const unsigned char*>(bytes.data());
    const size_t from = deltas ? 0 : begin;
    const size_t end = begin + count;
    const auto value_at = [&](size_t i)
    {
        uint64_t value = 0;
        for (size_t p = 0; p < planes; ++p)
            value |= static_cast<uint64_t>(plane[p * stored + i]) << 8 * p;
        return value;
    };
    if (deltas)
    {
        uint64_t value = base;
        for (size_t i = from; i < end; ++i)
        {
            value += i ? unzigzag(value_at(i - 1)) : 0;
            if (i >= begin)
                out[i - begin] = value;
        }
        return;
    }
    if (planes == 1)
    {
        for (size_t i = begin; i < end; ++i)
            out[i - begin] = base + plane[i];
        return;
    }
    for (size_t i = begin; i < end; ++i)
        out[i - begin] = base + value_at(i);
}

void read_second_deltas(ByteReader& reader, size_t values, size_t begin, size_t count,
                        uint64_t* out)
{
    uint64_t value = unzigzag(reader.varint());
    uint64_t delta = unzigzag(reader.varint());
    if (values < 2)
        throw_damaged_page("a block of differences of differences has one value");
    const Packed packed(reader, values - 2);
    uint64_t buffer[512];
    size_t known = 0; // second differences in the buffer from `first` on
    size_t first = 0;
    for (size_t i = 0; i < begin + count; ++i)
    {
        if (i >= 2)
        {
            if (i - 2 == first + known)
            {
                first += known;
                known = std::min(values - 2 - first, std::size(buffer));
                packed.read(first, known, buffer);
            }
            delta += packed.base + buffer[i - 2 - first];
        }
        value += i ? delta : 0;
        if (i >= begin)
            out[i - begin] = value;
    }
}

} // namespace

void IntegerReader::read_block(size_t block, size_t begin, size_t count, uint64_t* out) const
{
    const size_t values = std::min(kIntegerBlock, count_ - block * kIntegerBlock);
    ByteReader reader(
        std::string_view(blocks_[block], static_cast<size_t>(blocks_[block + 1] - blocks_[block])));
    uint64_t base = 0;
    switch (reader.byte())
    {
    case kOneValue:
        std::fill_n(out, count, offset_ + scale_ * unzigzag(reader.varint()));
        return;
    case kPacked:
    {
        const Packed packed(reader, values);
        packed.read(begin, count, out);
        base = packed.base;
        break;
    }
    case kDeltas:
    {
        const uint64_t first = unzigzag(reader.varint());
        read_deltas(Packed(reader, values - 1), first, begin, count, offset_, scale_, out);
        return;
    }
    case kRuns:
        read_runs(reader, values, begin, count, out);
        break;
    case kZstd:
        read_zstd(reader, values, begin, count, out);
        break;
    case kSecondDeltas:
        read_second_deltas(reader, values, begin, count, out);
        break;
    default:
        throw_damaged_page("a block of integers of an unknown method");
    }
    const uint64_t offset = offset_ + base * scale_;
    const uint64_t scale = scale_;
    if (scale == 1)
    {
        for (size_t i = 0; i < count; ++i)
            out[i] += offset;
    }
    else
    {
        for (size_t i = 0; i < count; ++i)
            out[i] = offset + out[i] * scale;
    }
}

bool IntegerReader::read_blocks_below(size_t begin, size_t count, uint32_t limit,
                                      uint32_t* out) const
{
    while (count)
    {
        const size_t start = begin % kIntegerBlock;
        const size_t some = std::min(count, kIntegerBlock - start);
        if (!read_block_below(begin / kIntegerBlock, start, some, limit, out))
            return false;
        begin += some;
        count -= some;
        out += some;
    }
    return true;
}

bool IntegerReader::read_below(size_t begin, size_t count, uint32_t limit, uint32_t* out) const
{
    BASALT_ASSERT(begin + count <= count_ && limit <= uint32_t{1} << 31);
    if (kind_ == kConstant)
    {
        std::fill_n(out, count, static_cast<uint32_t>(offset_));
        return count == 0 || offset_ < limit;
    }
    if (kind_ == kBlocks)
        return read_blocks_below(begin, count, limit, out);
    if (!read_blocks_below(begin, count, static_cast<uint32_t>(dictionary_.size()), out))
        throw_damaged_page("a code is outside of the dictionary");
    uint32_t values[kMaxIntegerDictionary];
    bool all_below = true;
    for (size_t i = 0; i < dictionary_.size(); ++i)
    {
        values[i] = static_cast<uint32_t>(dictionary_[i]);
        all_below &= dictionary_[i] < limit;
    }
    for (size_t i = 0; all_below && i < count; ++i)
        out[i] = values[out[i]];
    for (size_t i = 0; !all_below && i < count; ++i)
    {
        if (dictionary_[out[i]] >= limit)
            return false;
        out[i] = values[out[i]];
    }
    return true;
}

bool IntegerReader::read_block_below(size_t block, size_t begin, size_t count, uint32_t limit,
                                     uint32_t* out) const
{
    const size_t values = std::min(kIntegerBlock, count_ - block * kIntegerBlock);
    ByteReader reader(
        std::string_view(blocks_[block], static_cast<size_t>(blocks_[block + 1] - blocks_[block])));
    if (reader.byte() == kPacked)
    {
        const Packed packed(reader, values);
        const uint64_t offset = offset_ + packed.base * scale_;
        // So that nothing below overflows 32 bits.
        const bool narrow = packed.width <= kMaxNarrowWidth && offset < limit && scale_ != 0 &&
                            scale_ < uint64_t{1} << (31 - packed.width);
        if (narrow)
        {
            unpack_narrow_bits(packed.data.data(), packed.data.size(), begin, count, packed.width,
                               out);
            const uint64_t most_high = ((uint64_t{1} << 31) / scale_) >> packed.width;
            uint64_t highest = 0;
            const bool fits = packed.for_outliers(
                begin, count,
                [&](size_t at, uint64_t high)
                {
                    if (high >= most_high)
                        return false;
                    highest = std::max(highest, high);
                    out[at] |= static_cast<uint32_t>(high << packed.width);
                    return true;
                });
            // Often the width alone says that all are below the limit.
            if (fits && offset == 0 && scale_ == 1 && (highest + 1) << packed.width <= limit)
                return true;
            const auto base = static_cast<uint32_t>(offset);
            const auto scale = static_cast<uint32_t>(scale_);
            uint32_t largest = 0;
            for (size_t i = 0; fits && i < count; ++i)
            {
                out[i] = base + out[i] * scale;
                largest = std::max(largest, out[i]);
            }
            if (fits)
                return largest < limit;
        }
    }
    uint64_t wide[kIntegerBlock];
    read_block(block, begin, count, wide);
    uint64_t most = 0;
    for (size_t i = 0; i < count; ++i)
    {
        most = std::max(most, wide[i]);
        out[i] = static_cast<uint32_t>(wide[i]);
    }
    return most < limit;
}

} // namespace basalt::encodings
