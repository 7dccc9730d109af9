#include "base/hash.h"
#include "base/pod_vector.h"
#include "codecs/codec.h"
#include "encodings/bit_packing.h"
#include "encodings/integer_stream.h"

#include <array>
#include <numeric>

namespace basalt::inline encodings
{

namespace
{

constexpr size_t kSampleRuns = 16;
constexpr size_t kSampleRun = 64;
constexpr size_t kBlockHeadBytes = 6; // about
// Smaller blocks are not given to ZSTD, and after so many that it did not make smaller in a stream
// the rest is not either.
constexpr size_t kLeastZstdBytes = 96;
constexpr size_t kMostZstdMisses = 2;

unsigned bits_of(uint64_t value)
{
    return value ? 64 - static_cast<unsigned>(__builtin_clzll(value)) : 0;
}

struct Plan
{
    uint64_t base = 0;
    unsigned width = 64;
    size_t exceptions = 0;
    size_t bytes = SIZE_MAX;
};

using Histogram = std::array<uint32_t, 65>;

Histogram histogram_of(const uint64_t* values, size_t count, uint64_t base)
{
    std::array<Histogram, 4> parts{}; // so that equal neighbours do not wait for each other
    size_t i = 0;
    for (; i + 4 <= count; i += 4)
        for (size_t j = 0; j < 4; ++j)
            ++parts[j][bits_of(values[i + j] - base)];
    for (; i < count; ++i)
        ++parts[0][bits_of(values[i] - base)];
    for (size_t b = 0; b <= 64; ++b)
        parts[0][b] += parts[1][b] + parts[2][b] + parts[3][b];
    return parts[0];
}

// The cheapest width for the values over `base`. An outlier costs its bytes and a little for time.
Plan plan_packed(const uint64_t* values, size_t count, uint64_t base)
{
    const Histogram histogram = histogram_of(values, count, base);
    Plan best;
    best.base = base;
    for (unsigned width = 0; width <= 64; ++width)
    {
        size_t exceptions = 0;
        size_t bytes = packed_bytes(count, width);
        for (unsigned bits = width + 1; bits <= 64; ++bits)
        {
            exceptions += histogram[bits];
            bytes += histogram[bits] * (1 + (bits - width + 6) / 7);
        }
        if (bytes + exceptions / 4 < best.bytes)
        {
            best.bytes = bytes + exceptions / 4;
            best.width = width;
            best.exceptions = exceptions;
        }
        if (exceptions == 0)
            break;
    }
    best.bytes += kBlockHeadBytes;
    return best;
}

// Divides exactly and tells whether that was possible, without dividing (Granlund and Montgomery,
// "Division by Invariant Integers using Multiplication", 1994, section 9).
struct ExactDivider
{
    unsigned shift;
    uint64_t inverse;
    uint64_t limit;

    explicit ExactDivider(uint64_t divisor)
        : shift(static_cast<unsigned>(__builtin_ctzll(divisor))), inverse(divisor >> shift),
          limit(~uint64_t{0} / divisor)
    {
        const uint64_t odd = divisor >> shift;
        for (int i = 0; i < 5; ++i)
            inverse *= 2 - odd * inverse;
    }
    uint64_t quotient(uint64_t multiple) const { return (multiple >> shift) * inverse; }
    bool divides(uint64_t value) const
    {
        const uint64_t product = value * inverse;
        const uint64_t rotated =
            shift ? product >> shift | product << (64 - shift) : product;
        return rotated <= limit;
    }
};

struct Order
{
    uint64_t flip; // the sign bit for signed values
    bool less(uint64_t a, uint64_t b) const { return (a ^ flip) < (b ^ flip); }
};

struct Range
{
    uint64_t low = 0;
    uint64_t high = 0;
    size_t changes = 0; // values that differ from the one before
};

Range range_of(const uint64_t* values, size_t count, Order order)
{
    uint64_t low = values[0] ^ order.flip;
    uint64_t high = low;
    size_t changes = 0;
    for (size_t i = 1; i < count; ++i)
    {
        const uint64_t value = values[i] ^ order.flip;
        low = std::min(low, value);
        high = std::max(high, value);
        changes += values[i] != values[i - 1];
    }
    return {low ^ order.flip, high ^ order.flip, changes};
}

// Bases worth trying: the smallest value, and where a sample says that nearly all values lie above;
// the latter only where it is so far from the first that widths may change.
Plan plan_over(const uint64_t* values, size_t count, const Range& range, uint64_t quantile,
               Order order)
{
    const uint64_t low = range.low;
    Plan plan = plan_packed(values, count, low);
    if (order.less(low, quantile) && order.less(quantile, range.high) &&
        (bits_of(quantile - low) + 2 >= plan.width ||
         bits_of(range.high - quantile) < bits_of(range.high - low)))
    {
        const Plan other = plan_packed(values, count, quantile);
        if (other.bytes < plan.bytes)
            return other;
    }
    return plan;
}

uint64_t low_quantile(PodVector<uint64_t> values, Order order)
{
    const size_t at = values.size() / 64;
    std::nth_element(values.begin(), values.begin() + at, values.end(),
                     [&](uint64_t a, uint64_t b) { return order.less(a, b); });
    return values[at];
}

class StreamWriter
{
public:
    StreamWriter(bool is_signed, ZstdShare share, std::string& out)
        : order_{is_signed ? uint64_t{1} << 63 : 0}, share_(static_cast<size_t>(share)), out_(out)
    {
    }

    void write(const uint64_t* values, size_t count, bool may_use_dictionary)
    {
        if (count == 0)
        {
            write_constant(0);
            return;
        }
        const Range range = range_of(values, count, order_);
        if (range.low == range.high)
        {
            write_constant(values[0]);
            return;
        }
        const uint64_t scale = common_divisor(values, count, range.low);
        PodVector<uint64_t> divided;
        uint64_t offset = 0;
        if (scale > 1)
        {
            divided.resize(count);
            offset = range.low;
            const ExactDivider divider(scale);
            for (size_t i = 0; i < count; ++i)
                divided[i] = divider.quotient(values[i] - offset);
            values = divided.data();
            order_.flip = 0;
        }
        take_sample(values, count);
        if (may_use_dictionary && write_dictionary(values, count, offset, scale))
            return;
        out_.push_back(static_cast<char>(IntegerReader::kBlocks));
        append_varint(out_, zigzag(offset));
        append_varint(out_, scale);
        write_blocks(values, count);
    }

    void write_codes(const uint32_t* codes, size_t count, size_t domain)
    {
        PodVector<uint64_t> values(count);
        for (size_t i = 0; i < count; ++i)
            values[i] = codes[i];
        if (domain > kMaxIntegerDictionary || count < 64)
            return write(values.data(), count, false);
        PodVector<uint32_t> uses(domain, 0);
        for (size_t i = 0; i < count; ++i)
            ++uses[codes[i]];
        PodVector<uint32_t> order;
        for (uint32_t code = 0; code < domain; ++code)
            if (uses[code])
                order.push_back(code);
        if (order.size() < 3)
            return write(values.data(), count, false);
        std::stable_sort(order.begin(), order.end(),
                         [&](uint32_t a, uint32_t b) { return uses[a] > uses[b]; });
        PodVector<uint32_t> ranks(domain, 0);
        for (uint32_t i = 0; i < order.size(); ++i)
            ranks[order[i]] = i;
        out_.push_back(static_cast<char>(IntegerReader::kDictionary));
        append_varint(out_, order.size());
        for (const uint32_t code : order)
            append_varint(out_, zigzag(code));
        for (size_t i = 0; i < count; ++i)
            values[i] = ranks[codes[i]];
        write_plain_blocks(values.data(), count);
    }

    void write_numbered_codes(const uint32_t* codes, size_t count,
                              const PodVector<uint32_t>& numbers, const PodVector<uint32_t>& uses,
                              size_t domain)
    {
        PodVector<uint64_t> values(count);
        if (domain > kMaxIntegerDictionary || count < 64 || uses.size() < 3)
        {
            for (size_t i = 0; i < count; ++i)
                values[i] = numbers[codes[i]];
            return write(values.data(), count, false);
        }
        PodVector<uint32_t> order(uses.size());
        std::iota(order.begin(), order.end(), 0u);
        std::sort(order.begin(), order.end(), [&](uint32_t a, uint32_t b)
                  { return uses[a] != uses[b] ? uses[a] > uses[b] : numbers[a] < numbers[b]; });
        PodVector<uint64_t> ranks(order.size());
        out_.push_back(static_cast<char>(IntegerReader::kDictionary));
        append_varint(out_, order.size());
        for (uint32_t i = 0; i < order.size(); ++i)
        {
            append_varint(out_, zigzag(numbers[order[i]]));
            ranks[order[i]] = i;
        }
        for (size_t i = 0; i < count; ++i)
            values[i] = ranks[codes[i]];
        write_plain_blocks(values.data(), count);
    }

private:
    void write_plain_blocks(const uint64_t* values, size_t count)
    {
        order_.flip = 0;
        take_sample(values, count);
        out_.push_back(static_cast<char>(IntegerReader::kBlocks));
        append_varint(out_, 0);
        append_varint(out_, 1);
        write_blocks(values, count);
    }

    void write_constant(uint64_t value)
    {
        out_.push_back(static_cast<char>(IntegerReader::kConstant));
        append_varint(out_, zigzag(value));
    }

    // The largest number that divides all distances from `low`.
    static uint64_t common_divisor(const uint64_t* values, size_t count, uint64_t low)
    {
        uint64_t divisor = 0;
        const size_t step = std::max<size_t>(1, count / 256);
        for (size_t i = 0; i < count && divisor != 1; i += step)
            divisor = std::gcd(divisor, values[i] - low);
        for (size_t i = 0; i < count && divisor != 1;)
        {
            if (divisor == 0)
            {
                divisor = values[i++] - low;
                continue;
            }
            const ExactDivider divider(divisor);
            while (i < count && divider.divides(values[i] - low))
                ++i;
            if (i < count)
                divisor = std::gcd(divisor, values[i] - low);
        }
        return std::max<uint64_t>(divisor, 1);
    }

    void take_sample(const uint64_t* values, size_t count)
    {
        sample_.clear();
        sample_deltas_.clear();
        const size_t runs =
            std::max<size_t>(1, std::min(kSampleRuns, count / kSampleRun));
        const size_t run = std::min(kSampleRun, count);
        for (size_t r = 0; r < runs; ++r)
        {
            const uint64_t* from = values + (count - run) / std::max<size_t>(runs - 1, 1) * r;
            sample_.append(from, run);
            for (size_t i = 1; i < run; ++i)
                sample_deltas_.push_back(from[i] - from[i - 1]);
        }
        quantile_ = low_quantile(sample_, order_);
        sample_plan_ = plan_over(sample_.data(), sample_.size(),
                                 range_of(sample_.data(), sample_.size(), order_), quantile_,
                                 order_);
        use_deltas_ = use_second_deltas_ = false;
        if (sample_deltas_.size() < 4)
            return;
        delta_quantile_ = low_quantile(sample_deltas_, kSigned);
        const Plan deltas =
            plan_over(sample_deltas_.data(), sample_deltas_.size(),
                      range_of(sample_deltas_.data(), sample_deltas_.size(), kSigned),
                      delta_quantile_, kSigned);
        use_deltas_ = deltas.bytes < sample_plan_.bytes - sample_plan_.bytes / 16;
        if (!use_deltas_)
            return;
        sample_plan_ = deltas;
        PodVector<uint64_t> second;
        for (size_t r = 0; r < runs; ++r)
            for (size_t i = 1; i + 1 < run; ++i)
                second.push_back(sample_deltas_[r * (run - 1) + i] -
                                 sample_deltas_[r * (run - 1) + i - 1]);
        second_quantile_ = low_quantile(second, kSigned);
        const Plan seconds =
            plan_over(second.data(), second.size(),
                      range_of(second.data(), second.size(), kSigned), second_quantile_, kSigned);
        use_second_deltas_ = seconds.bytes < deltas.bytes - deltas.bytes / 8;
        if (use_second_deltas_)
            sample_plan_ = seconds;
    }

    // Few distinct values far from each other: codes by frequency.
    bool write_dictionary(const uint64_t* values, size_t count, uint64_t offset, uint64_t scale)
    {
        if (count < 64 || sample_plan_.bytes * 8 < sample_.size() * 3)
            return false;
        Codes codes;
        PodVector<uint64_t> sample_codes(sample_.size());
        if (!codes.add(sample_.data(), sample_.size(), sample_.size() / 8, sample_codes.data()))
            return false;
        codes.sort_by_frequency();
        codes.renumber(sample_codes.data(), sample_codes.size());
        const Plan plan = plan_packed(sample_codes.data(), sample_codes.size(), 0);
        const size_t expected = plan.bytes * (count / sample_.size() + 1) + codes.size() * 4;
        if (expected + expected / 8 > sample_plan_.bytes * (count / sample_.size() + 1))
            return false;
        codes = Codes();
        PodVector<uint64_t> all(count);
        if (!codes.add(values, count, std::min(kMaxIntegerDictionary, count / 8), all.data()))
            return false;
        codes.sort_by_frequency();
        codes.renumber(all.data(), count);
        out_.push_back(static_cast<char>(IntegerReader::kDictionary));
        append_varint(out_, codes.size());
        for (size_t i = 0; i < codes.size(); ++i)
            append_varint(out_, zigzag(offset + scale * codes.value(i)));
        write_plain_blocks(all.data(), count);
        return true;
    }

    class Codes
    {
    public:
        Codes() : slots_(256, 0) {}
        size_t size() const { return values_.size(); }
        uint64_t value(size_t rank) const { return values_[order_[rank]]; }

        bool add(const uint64_t* from, size_t count, size_t limit, uint64_t* codes)
        {
            for (size_t i = 0; i < count; ++i)
            {
                size_t at = hash_int(from[i]) & (slots_.size() - 1);
                while (slots_[at] && values_[slots_[at] - 1] != from[i])
                    at = (at + 1) & (slots_.size() - 1);
                if (!slots_[at])
                {
                    if (values_.size() >= limit)
                        return false;
                    values_.push_back(from[i]);
                    uses_.push_back(0);
                    slots_[at] = static_cast<uint32_t>(values_.size());
                    codes[i] = values_.size() - 1;
                    if (values_.size() * 2 > slots_.size())
                        grow();
                }
                else
                    codes[i] = slots_[at] - 1;
                ++uses_[codes[i]];
            }
            return true;
        }
        void sort_by_frequency()
        {
            order_.resize(values_.size());
            std::iota(order_.begin(), order_.end(), 0u);
            std::stable_sort(order_.begin(), order_.end(),
                             [&](uint32_t a, uint32_t b) { return uses_[a] > uses_[b]; });
            ranks_.resize(order_.size());
            for (uint32_t i = 0; i < order_.size(); ++i)
                ranks_[order_[i]] = i;
        }
        void renumber(uint64_t* codes, size_t count) const
        {
            for (size_t i = 0; i < count; ++i)
                codes[i] = ranks_[codes[i]];
        }

    private:
        void grow()
        {
            slots_.assign(slots_.size() * 2, 0);
            for (uint32_t i = 0; i < values_.size(); ++i)
            {
                size_t at = hash_int(values_[i]) & (slots_.size() - 1);
                while (slots_[at])
                    at = (at + 1) & (slots_.size() - 1);
                slots_[at] = i + 1;
            }
        }

        PodVector<uint64_t> values_;
        PodVector<uint32_t> uses_, order_, ranks_;
        PodVector<uint32_t> slots_; // code + 1
    };

    void write_blocks(const uint64_t* values, size_t count)
    {
        std::string blocks;
        for (size_t begin = 0; begin < count; begin += kIntegerBlock)
        {
            const size_t start = blocks.size();
            write_block(values + begin, std::min(kIntegerBlock, count - begin), blocks);
            if (begin + kIntegerBlock < count)
                append_varint(out_, blocks.size() - start);
        }
        out_ += blocks;
    }

    void write_block(const uint64_t* values, size_t count, std::string& out)
    {
        const Range range = range_of(values, count, order_);
        if (range.low == range.high)
        {
            out.push_back(static_cast<char>(IntegerReader::kOneValue));
            append_varint(out, zigzag(values[0]));
            return;
        }
        Plan plan;
        PodVector<uint64_t>& deltas = scratch_;
        if (use_deltas_ && count > 1)
        {
            deltas.resize(count - 1);
            for (size_t i = 1; i < count; ++i)
                deltas[i - 1] = values[i] - values[i - 1];
            plan = plan_over(deltas.data(), count - 1,
                             range_of(deltas.data(), count - 1, kSigned), delta_quantile_,
                             kSigned);
        }
        else
            plan = plan_over(values, count, range, quantile_, order_);
        if (use_second_deltas_ && count > 2 && write_second_deltas(deltas, values, plan, out))
            return;
        const size_t start = out.size();
        if ((range.changes + 1) * 2 < plan.bytes && write_runs(values, count, plan.bytes, out))
            plan.bytes = out.size() - start;
        if (write_zstd(values, deltas, count, range, plan.bytes, start, out) || out.size() > start)
            return;
        if (use_deltas_ && count > 1)
        {
            out.push_back(static_cast<char>(IntegerReader::kDeltas));
            append_varint(out, zigzag(values[0]));
            write_packed(deltas.data(), count - 1, plan, out);
        }
        else
        {
            out.push_back(static_cast<char>(IntegerReader::kPacked));
            write_packed(values, count, plan, out);
        }
    }

    // Where that is smaller than the plan for the differences.
    bool write_second_deltas(PodVector<uint64_t>& deltas, const uint64_t* values, const Plan& plan,
                             std::string& out)
    {
        PodVector<uint64_t> second(deltas.size() - 1);
        for (size_t i = 0; i < second.size(); ++i)
            second[i] = deltas[i + 1] - deltas[i];
        const Plan seconds =
            plan_over(second.data(), second.size(),
                      range_of(second.data(), second.size(), kSigned), second_quantile_, kSigned);
        if (seconds.bytes >= plan.bytes)
            return false;
        out.push_back(static_cast<char>(IntegerReader::kSecondDeltas));
        append_varint(out, zigzag(values[0]));
        append_varint(out, zigzag(deltas[0]));
        write_packed(second.data(), second.size(), seconds, out);
        return true;
    }

    // Puts ZSTD of the values' (or differences') bytes, plane by plane, in the place of what was
    // written from `start` on, or would take `bytes`, where that saves enough.
    bool write_zstd(const uint64_t* values, const PodVector<uint64_t>& deltas, size_t count,
                    const Range& range, size_t bytes, size_t start, std::string& out)
    {
        if (bytes < kLeastZstdBytes || zstd_misses_ >= kMostZstdMisses)
            return false;
        const bool is_delta = use_deltas_ && count > 1;
        const size_t stored = count - is_delta;
        packed_.resize(stored);
        uint64_t all = 0;
        for (size_t i = 0; i < stored; ++i)
            all |= packed_[i] = is_delta ? zigzag(deltas[i]) : values[i] - range.low;
        const size_t planes = (bits_of(all) + 7) / 8;
        planes_.resize(stored * planes);
        for (size_t p = 0; p < planes; ++p)
            for (size_t i = 0; i < stored; ++i)
                planes_[p * stored + i] = static_cast<char>(packed_[i] >> 8 * p);
        static const CodecPtr kZstd = codec_registry().make_from_text("ZSTD(1)");
        zstd_.clear();
        zstd_.push_back(static_cast<char>(IntegerReader::kZstd));
        zstd_.push_back(
            static_cast<char>(planes | (is_delta ? IntegerReader::kZstdDeltas : 0)));
        append_varint(zstd_, zigzag(is_delta ? values[0] : range.low));
        kZstd->compress({planes_.data(), planes_.size()}, zstd_);
        if (zstd_.size() * share_ > bytes * (share_ - 1))
        {
            zstd_misses_ += zstd_.size() * 100 > bytes * 97;
            return false;
        }
        out.resize(start);
        out += zstd_;
        return true;
    }

    bool write_runs(const uint64_t* values, size_t count, size_t limit, std::string& out)
    {
        std::string runs;
        size_t number = 0;
        uint64_t previous = 0;
        for (size_t i = 0; i < count; ++number)
        {
            const size_t start = i;
            while (i < count && values[i] == values[start])
                ++i;
            append_varint(runs, i - start);
            append_varint(runs, zigzag(values[start] - previous));
            previous = values[start];
            if (runs.size() > limit)
                return false;
        }
        out.push_back(static_cast<char>(IntegerReader::kRuns));
        append_varint(out, number);
        out += runs;
        return true;
    }

    void write_packed(const uint64_t* values, size_t count, const Plan& plan, std::string& out)
    {
        packed_.resize(count);
        for (size_t i = 0; i < count; ++i)
            packed_[i] = values[i] - plan.base;
        append_varint(out, zigzag(plan.base));
        out.push_back(static_cast<char>(plan.width));
        append_varint(out, plan.exceptions);
        pack_bits(packed_.data(), count, plan.width, out);
        if (plan.exceptions == 0)
            return;
        size_t next = 0;
        for (size_t i = 0; i < count; ++i)
        {
            const uint64_t high = packed_[i] >> plan.width;
            if (high == 0)
                continue;
            append_varint(out, i - next);
            append_varint(out, high);
            next = i + 1;
        }
    }

    static constexpr Order kSigned{uint64_t{1} << 63};

    Order order_;
    size_t share_;
    std::string& out_;
    PodVector<uint64_t> sample_, sample_deltas_, scratch_, packed_;
    PodVector<char> planes_;
    std::string zstd_;
    size_t zstd_misses_ = 0;
    Plan sample_plan_;
    uint64_t quantile_ = 0;
    uint64_t delta_quantile_ = 0;
    uint64_t second_quantile_ = 0;
    bool use_deltas_ = false;
    bool use_second_deltas_ = false;
};

} // namespace

void write_integers(const uint64_t* values, size_t count, bool is_signed, std::string& out,
                    ZstdShare share)
{
    StreamWriter(is_signed, share, out).write(values, count, true);
}

void write_codes(const uint32_t* codes, size_t count, size_t domain, std::string& out,
                 ZstdShare share)
{
    StreamWriter(false, share, out).write_codes(codes, count, domain);
}

void write_numbered_codes(const uint32_t* codes, size_t count, const PodVector<uint32_t>& numbers,
                          const PodVector<uint32_t>& uses, size_t domain, std::string& out)
{
    StreamWriter(false, ZstdShare::OneInFour, out).write_numbered_codes(codes, count, numbers, uses, domain);
}

} // namespace basalt::encodings
