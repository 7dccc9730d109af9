// uniqUpTo(N): the number of distinct values, N + 1 when there are more.

#include "functions/aggregate/uniq_hash.h"

#include <algorithm>

namespace basalt
{

namespace
{

constexpr uint64_t kMaxUniqUpTo = 100;

struct SmallSet
{
    PodVector<uint64_t> hashes;
};

class UniqUpTo final : public AggregateOf<SmallSet, UniqUpTo>
{
public:
    UniqUpTo(const std::string& name, const Types& arguments, const Values& parameters,
             uint64_t most)
        : AggregateOf(name, arguments, parameters, simple_type(TypeId::UInt64)), most_(most),
          hash_rows_(row_hasher(arguments))
    {
    }

    void add(SmallSet& set, std::span<const Column* const> arguments, size_t row, Arena&) const
    {
        if (set.hashes.size() > most_)
            return;
        uint64_t hash;
        hash_rows_(arguments, row, 1, &hash);
        insert(set, hash);
    }
    void merge(SmallSet& into, const SmallSet& from, Arena&) const
    {
        for (const uint64_t hash : from.hashes)
            insert(into, hash);
    }
    void write(const SmallSet& from, std::string& out) const
    {
        put_count(out, from.hashes.size());
        for (const uint64_t hash : from.hashes)
            put_fixed(out, hash);
    }
    void read(SmallSet& into, StateReader& in, Arena&) const
    {
        into.hashes.clear();
        for (size_t left = in.count_of(sizeof(uint64_t)); left > 0; --left)
            insert(into, in.fixed<uint64_t>());
    }
    void result(SmallSet& from, Column& into, Arena&) const
    {
        vector_of<uint64_t>(into).push_back(from.hashes.size());
    }

private:
    void insert(SmallSet& set, uint64_t hash) const
    {
        if (set.hashes.size() <= most_ &&
            std::find(set.hashes.begin(), set.hashes.end(), hash) == set.hashes.end())
            set.hashes.push_back(hash);
    }

    uint64_t most_;
    HashRows hash_rows_;
};

} // namespace

void register_uniq_up_to(AggregateRegistry& registry)
{
    registry.add(
        "uniqUpTo",
        [](const std::string& name, const Types& arguments,
           const Values& parameters) -> AggregateFunctionPtr
        {
            constexpr uint64_t default_most = 10;
            if (parameters.size() > 1)
                throw Error(error_codes::NUMBER_OF_ARGUMENTS_DOESNT_MATCH,
                            "Aggregate function " + name + " requires one parameter or less");
            const uint64_t most =
                parameters.empty() ? default_most : unsigned_parameter(name, parameters[0]);
            if (most > kMaxUniqUpTo)
                throw Error(error_codes::ARGUMENT_OUT_OF_BOUND,
                            "Too large parameter for aggregate function " + name +
                                ". Maximum is " + std::to_string(kMaxUniqUpTo));
            if (arguments.empty())
                throw Error(error_codes::NUMBER_OF_ARGUMENTS_DOESNT_MATCH,
                            "Incorrect number of arguments for aggregate function " + name);
            return std::make_shared<UniqUpTo>(name, arguments, parameters, most);
        },
        {.default_when_all_null = true});
}

} // namespace basalt
