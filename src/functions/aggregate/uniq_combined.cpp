// uniqCombined, uniqCombined64 and uniqHLL12: a set of 64-bit hashes while it is small, then
// HyperLogLog registers with the estimator of Ertl, "New cardinality estimation algorithms for
// HyperLogLog sketches" (2017), which needs no tables of corrections. Both depend on the set of
// values alone.

#include "functions/aggregate/flat_table.h"
#include "functions/aggregate/uniq_hash.h"

#include <bit>
#include <cmath>

namespace basalt
{

namespace
{

// kPrecision: bits of a hash that choose a register.
template <int kPrecision> class HyperLogLog
{
public:
    void insert(uint64_t hash)
    {
        if (!registers_.empty())
        {
            note(hash);
            return;
        }
        if (hashes_.insert(hash) && hashes_.size() > kMaxHashes)
            to_registers();
    }

    void merge(const HyperLogLog& other)
    {
        if (other.registers_.empty())
        {
            other.hashes_.for_each([&](uint64_t hash) { insert(hash); });
            return;
        }
        to_registers();
        for (size_t i = 0; i < kRegisters; ++i)
            registers_[i] = std::max(registers_[i], other.registers_[i]);
    }

    uint64_t estimate() const
    {
        if (registers_.empty())
            return hashes_.size();
        uint32_t counts[kMaxRank + 1] = {};
        for (const uint8_t rank : registers_)
            ++counts[rank];
        constexpr auto m = static_cast<double>(kRegisters);
        double z = m * tau(1 - counts[kMaxRank] / m);
        for (int k = kMaxRank - 1; k >= 1; --k)
            z = 0.5 * (z + counts[k]);
        z += m * sigma(counts[0] / m);
        const double alpha = 0.5 / std::log(2.0);
        return static_cast<uint64_t>(std::llround(alpha * m * m / z));
    }

    void write(std::string& out) const
    {
        out += registers_.empty() ? '\0' : '\1';
        if (!registers_.empty())
        {
            out.append(reinterpret_cast<const char*>(registers_.data()), kRegisters);
            return;
        }
        put_count(out, hashes_.size());
        hashes_.for_each([&](uint64_t hash) { put_fixed(out, hash); });
    }
    void read(StateReader& in)
    {
        hashes_.clear();
        registers_ = PodVector<uint8_t>();
        const auto dense = in.fixed<uint8_t>();
        if (dense > 1)
            StateReader::corrupted();
        if (dense)
        {
            const std::string_view bytes = in.bytes(kRegisters);
            for (const char rank : bytes)
                if (static_cast<uint8_t>(rank) > kMaxRank)
                    StateReader::corrupted();
            registers_.append(reinterpret_cast<const uint8_t*>(bytes.data()), kRegisters);
            return;
        }
        const size_t count = in.count_of(sizeof(uint64_t));
        if (count > kMaxHashes)
            StateReader::corrupted();
        for (size_t i = 0; i < count; ++i)
            hashes_.insert(in.fixed<uint64_t>());
    }

private:
    static constexpr size_t kRegisters = size_t{1} << kPrecision;
    // As many hashes as take the memory of the registers.
    static constexpr size_t kMaxHashes = kRegisters / 8;
    static constexpr int kMaxRank = 64 - kPrecision + 1;

    void note(uint64_t hash)
    {
        const size_t at = hash >> (64 - kPrecision);
        const uint64_t rest = (hash << kPrecision) | (uint64_t{1} << (kPrecision - 1));
        const auto rank = static_cast<uint8_t>(std::countl_zero(rest) + 1);
        registers_[at] = std::max(registers_[at], rank);
    }
    void to_registers()
    {
        if (!registers_.empty())
            return;
        registers_.assign(kRegisters, 0);
        hashes_.for_each([&](uint64_t hash) { note(hash); });
        hashes_.clear();
    }

    static double sigma(double x)
    {
        if (x == 1)
            return INFINITY;
        double y = 1;
        double z = x;
        for (double before = -1; z != before;)
        {
            x *= x;
            before = z;
            z += x * y;
            y += y;
        }
        return z;
    }
    static double tau(double x)
    {
        if (x == 0 || x == 1)
            return 0;
        double y = 1;
        double z = 1 - x;
        for (double before = -1; z != before;)
        {
            x = std::sqrt(x);
            before = z;
            y *= 0.5;
            z -= (1 - x) * (1 - x) * y;
        }
        return z / 3;
    }

    FlatSet<uint64_t> hashes_;
    PodVector<uint8_t> registers_;
};

AggregateFunctionPtr make_combined(const std::string& name, const Types& arguments,
                                   const Values& parameters)
{
    constexpr uint64_t default_precision = 17;
    uint64_t precision = default_precision;
    if (parameters.size() > 1)
        throw Error(error_codes::NUMBER_OF_ARGUMENTS_DOESNT_MATCH,
                    "Aggregate function " + name + " requires one parameter or less");
    if (!parameters.empty())
        precision = unsigned_parameter(name, parameters[0]);
    switch (precision)
    {
    case 12: return make_uniq<HyperLogLog<12>>(name, arguments, parameters);
    case 13:
    case 14: return make_uniq<HyperLogLog<14>>(name, arguments, parameters);
    case 15:
    case 16: return make_uniq<HyperLogLog<16>>(name, arguments, parameters);
    case 17: return make_uniq<HyperLogLog<17>>(name, arguments, parameters);
    case 18:
    case 19:
    case 20: return make_uniq<HyperLogLog<20>>(name, arguments, parameters);
    default:
        throw Error(error_codes::ARGUMENT_OUT_OF_BOUND,
                    "Parameter for aggregate function " + name + " is out of range: [12, 20]");
    }
}

} // namespace

void register_uniq_combined(AggregateRegistry& registry)
{
    registry.add("uniqCombined", make_combined);
    registry.add("uniqCombined64", make_combined);
    registry.add(
        "uniqHLL12",
        [](const std::string& name, const Types& arguments, const Values& parameters)
        {
            expect_no_parameters(name, parameters);
            return make_uniq<HyperLogLog<12>>(name, arguments, parameters);
        },
        {.default_when_all_null = true});
}

} // namespace basalt
