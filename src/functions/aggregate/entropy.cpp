// entropy: Shannon's, in bits, of how often values come. State: 128-bit hashes of values and their
// counts.

#include "codecs/hash.h"
#include "functions/aggregate/flat_table.h"
#include "functions/aggregate/held_value.h"

#include <algorithm>
#include <cmath>

namespace basalt
{

namespace
{

struct EntropyState
{
    FlatCounts<UInt128> counts;
};

class Entropy final : public AggregateOf<EntropyState, Entropy>
{
public:
    using AggregateOf::AggregateOf;

    void add(EntropyState& state, std::span<const Column* const> arguments, size_t row,
             Arena&) const
    {
        PodVector<char> key;
        for (const Column* argument : arguments)
            argument->append_key(row, key);
        const Hash128 hash = xxh3_128(key.data(), key.size());
        state.counts.add((UInt128{hash.high} << 64) | hash.low, 1);
    }
    void merge(EntropyState& into, const EntropyState& from, Arena&) const
    {
        from.counts.for_each([&](const UInt128& key, uint64_t count)
                             { into.counts.add(key, count); });
    }
    void write(const EntropyState& from, std::string& out) const
    {
        put_count(out, from.counts.size());
        from.counts.for_each(
            [&](const UInt128& key, uint64_t count)
            {
                put_fixed(out, key);
                put_count(out, count);
            });
    }
    void read(EntropyState& into, StateReader& in, Arena&) const
    {
        for (size_t left = in.count_of(sizeof(UInt128) + 1); left > 0; --left)
        {
            const auto key = in.fixed<UInt128>();
            const uint64_t count = in.count();
            if (count == 0)
                StateReader::corrupted();
            into.counts.add(key, count);
        }
    }
    void result(EntropyState& from, Column& into, Arena&) const
    {
        // Sorted, so that the sum does not depend on how the table is laid out.
        std::vector<uint64_t> counts;
        double total = 0;
        from.counts.for_each(
            [&](const UInt128&, uint64_t count)
            {
                counts.push_back(count);
                total += static_cast<double>(count);
            });
        std::sort(counts.begin(), counts.end());
        double entropy = 0;
        for (const uint64_t count : counts)
        {
            const double share = static_cast<double>(count) / total;
            entropy -= share * std::log2(share);
        }
        vector_of<double>(into).push_back(entropy);
    }
};

} // namespace

void register_entropy(AggregateRegistry& registry)
{
    registry.add("entropy",
                 [](const std::string& name, const Types& arguments,
                    const Values& parameters) -> AggregateFunctionPtr
                 {
                     expect_no_parameters(name, parameters);
                     if (arguments.empty())
                         throw Error(error_codes::NUMBER_OF_ARGUMENTS_DOESNT_MATCH,
                                     "Incorrect number of arguments for aggregate function " +
                                         name);
                     return std::make_shared<Entropy>(name, arguments, parameters,
                                                      simple_type(TypeId::Float64));
                 });
}

} // namespace basalt
