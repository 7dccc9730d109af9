#pragma once

// Hashes of values for uniq and its kin. They give ClickHouse's numbers for single arguments of
// numbers, strings, UUID and IPs and for several arguments; arrays, maps and states have hashes of
// our own.

#include "functions/aggregate/aggregate_of.h"

namespace basalt
{

// Hashes of rows [begin, begin + count) into out.
using HashRows = void (*)(std::span<const Column* const> arguments, size_t begin, size_t count,
                          uint64_t* out);
HashRows row_hasher(const Types& arguments);

// A function that adds one 64-bit hash per row to Sketch, which has
//   insert(uint64_t), merge(const Sketch&), write(std::string&), read(StateReader&),
//   uint64_t estimate().
template <class Sketch> class UniqOf final : public AggregateOf<Sketch, UniqOf<Sketch>>
{
public:
    UniqOf(const std::string& name, const Types& arguments, const Values& parameters)
        : AggregateOf<Sketch, UniqOf>(name, arguments, parameters, simple_type(TypeId::UInt64)),
          hash_rows_(row_hasher(arguments))
    {
    }

    void add(Sketch& sketch, std::span<const Column* const> arguments, size_t row, Arena&) const
    {
        uint64_t hash;
        hash_rows_(arguments, row, 1, &hash);
        sketch.insert(hash);
    }
    void add_rows(std::span<char* const> places, size_t offset,
                  std::span<const Column* const> arguments, Arena&) const override
    {
        in_batches(arguments, 0, places.size(), [&](size_t row, uint64_t hash)
                   { this->state(places[row] + offset).insert(hash); });
    }
    void add_range(char* place, std::span<const Column* const> arguments, size_t begin, size_t end,
                   Arena&) const override
    {
        Sketch& sketch = this->state(place);
        in_batches(arguments, begin, end, [&](size_t, uint64_t hash) { sketch.insert(hash); });
    }
    void add_masked(char* place, std::span<const Column* const> arguments, const uint8_t* mask,
                    size_t rows, Arena&) const override
    {
        Sketch& sketch = this->state(place);
        in_batches(arguments, 0, rows,
                   [&](size_t row, uint64_t hash)
                   {
                       if (mask[row])
                           sketch.insert(hash);
                   });
    }
    void merge(Sketch& into, const Sketch& from, Arena&) const { into.merge(from); }
    void write(const Sketch& from, std::string& out) const { from.write(out); }
    void read(Sketch& into, StateReader& in, Arena&) const { into.read(in); }
    void result(Sketch& from, Column& into, Arena&) const
    {
        vector_of<uint64_t>(into).push_back(from.estimate());
    }

private:
    template <class Call>
    void in_batches(std::span<const Column* const> arguments, size_t begin, size_t end,
                    Call&& call) const
    {
        constexpr size_t batch = 256;
        uint64_t hashes[batch];
        for (size_t at = begin; at < end; at += batch)
        {
            const size_t count = std::min(batch, end - at);
            hash_rows_(arguments, at, count, hashes);
            for (size_t i = 0; i < count; ++i)
                call(at + i, hashes[i]);
        }
    }

    HashRows hash_rows_;
};

template <class Sketch>
AggregateFunctionPtr make_uniq(const std::string& name, const Types& arguments,
                               const Values& parameters)
{
    if (arguments.empty())
        throw Error(error_codes::NUMBER_OF_ARGUMENTS_DOESNT_MATCH,
                    "Incorrect number of arguments for aggregate function " + name);
    return std::make_shared<UniqOf<Sketch>>(name, arguments, parameters);
}

} // namespace basalt
