#include "encodings/bit_packing.h"
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
    uint64_t codes[kChunk];
    while (count)
    {
        const size_t some = std::min(count, kChunk - begin % kChunk);
        read_codes(begin, some, codes);
        for (size_t i = 0; i < some; ++i)
            out[i] = answers[codes[i]];
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
        ByteReader reader = patches;
        size_t position = 0;
        for (size_t i = 0; i < exceptions; ++i)
        {
            position += reader.count(kIntegerBlock, "an outlier is outside of its block");
            const uint64_t high = reader.varint();
            if (position >= begin + count)
                return;
            if (position >= begin && width < 64)
                out[position - begin] |= high << width;
            ++position;
        }
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

void read_deltas(const Packed& packed, uint64_t first, size_t begin, size_t count, uint64_t* out)
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
    out[0] = value;
    for (size_t i = 1; i < count; ++i)
    {
        value += packed.base + out[i];
        out[i] = value;
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
        read_deltas(Packed(reader, values - 1), first, begin, count, out);
        break;
    }
    case kRuns:
        read_runs(reader, values, begin, count, out);
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

} // namespace basalt::encodings
