// uniq: ClickHouse's adaptive sample of hashes. Hashes of 32 bits are kept while they are at most
// 65,536; past that only those whose lowest bits are zero, one bit more each time. The sample
// depends on the set of values alone, and so does the answer. State as ClickHouse's.

#include "functions/aggregate/flat_table.h"
#include "functions/aggregate/uniq_hash.h"

#include <cmath>
#include <nmmintrin.h>

namespace basalt
{

namespace
{

constexpr size_t kMaxHashes = 65536;
constexpr uint8_t kMaxSkippedBits = 32;

class HashSample
{
public:
    void insert(uint64_t hash) { insert_32(static_cast<uint32_t>(hash)); }

    void merge(const HashSample& other)
    {
        if (other.skipped_bits_ > skipped_bits_)
            skip(other.skipped_bits_);
        other.hashes_.for_each([&](uint32_t hash) { insert_32(hash); });
    }

    uint64_t estimate() const
    {
        const size_t kept = hashes_.size();
        if (skipped_bits_ == 0)
            return kept;
        const uint64_t step = uint64_t{1} << skipped_bits_;
        uint64_t seen = kept * step;
        // Digits below the step, so that it does not show.
        seen += _mm_crc32_u64(~uint64_t{0}, kept) & (step - 1);
        // Values that met in one of 2^32 hashes are counted back in.
        constexpr double hashes = 4294967296.0;
        return static_cast<uint64_t>(
            std::round(hashes * (std::log(hashes) - std::log(hashes - static_cast<double>(seen)))));
    }

    void write(std::string& out) const
    {
        out += static_cast<char>(skipped_bits_);
        put_count(out, hashes_.size());
        hashes_.for_each([&](uint32_t hash) { put_fixed(out, hash); });
    }
    void read(StateReader& in)
    {
        const auto bits = in.fixed<uint8_t>();
        const size_t count = in.count_of(sizeof(uint32_t));
        if (bits > kMaxSkippedBits || count > kMaxHashes)
            StateReader::corrupted();
        hashes_.clear();
        skipped_bits_ = bits;
        for (size_t i = 0; i < count; ++i)
            insert_32(in.fixed<uint32_t>());
    }

private:
    bool kept(uint32_t hash) const
    {
        return (hash & static_cast<uint32_t>((uint64_t{1} << skipped_bits_) - 1)) == 0;
    }
    void insert_32(uint32_t hash)
    {
        if (!kept(hash) || !hashes_.insert(hash))
            return;
        while (hashes_.size() > kMaxHashes)
            skip(skipped_bits_ + 1);
    }
    void skip(int bits)
    {
        skipped_bits_ = static_cast<uint8_t>(bits);
        FlatSet<uint32_t> old;
        std::swap(old, hashes_);
        hashes_.reserve(old.size());
        old.for_each(
            [&](uint32_t hash)
            {
                if (kept(hash))
                    hashes_.insert(hash);
            });
    }

    FlatSet<uint32_t> hashes_;
    uint8_t skipped_bits_ = 0;
};

} // namespace

void register_uniq(AggregateRegistry& registry)
{
    registry.add(
        "uniq",
        [](const std::string& name, const Types& arguments, const Values& parameters)
        {
            expect_no_parameters(name, parameters);
            return make_uniq<HashSample>(name, arguments, parameters);
        },
        {.default_when_all_null = true});
}

} // namespace basalt
