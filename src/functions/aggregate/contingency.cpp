// cramersV, cramersVBiasCorrected, contingency, theilsU: how far two columns depend on each other,
// from the counts of their values and pairs of values.

#include "functions/aggregate/aggregate_of.h"
#include "functions/aggregate/key_set.h"

#include <cmath>

namespace basalt
{

namespace
{

// Counts by the bytes of a key.
struct KeyCounts
{
    KeySet keys;
    PodVector<uint64_t> counts;

    void add(std::string_view key, uint64_t count, Arena& arena)
    {
        const size_t i = keys.insert(key, arena);
        if (i == counts.size())
            counts.push_back(0);
        counts[i] += count;
    }
};

struct PairCounts
{
    uint64_t total = 0;
    KeyCounts pairs; // length of the first key, then both
};

enum class Dependence : uint8_t
{
    CramersV,
    CramersVCorrected,
    Contingency,
    TheilsU,
};

template <Dependence kKind>
class OfDependence final : public AggregateOf<PairCounts, OfDependence<kKind>>
{
public:
    using AggregateOf<PairCounts, OfDependence>::AggregateOf;

    void add(PairCounts& state, std::span<const Column* const> arguments, size_t row,
             Arena& arena) const
    {
        PodVector<char> key(sizeof(uint32_t), 0);
        arguments[0]->append_key(row, key);
        const auto first = static_cast<uint32_t>(key.size() - sizeof(uint32_t));
        store(key.data(), first);
        arguments[1]->append_key(row, key);
        state.pairs.add({key.data(), key.size()}, 1, arena);
        ++state.total;
    }
    void merge(PairCounts& into, const PairCounts& from, Arena& arena) const
    {
        for (size_t i = 0; i < from.pairs.counts.size(); ++i)
            into.pairs.add(from.pairs.keys[i], from.pairs.counts[i], arena);
        into.total += from.total;
    }
    void write(const PairCounts& from, std::string& out) const
    {
        put_count(out, from.pairs.counts.size());
        for (size_t i = 0; i < from.pairs.counts.size(); ++i)
        {
            put_text(out, from.pairs.keys[i]);
            put_count(out, from.pairs.counts[i]);
        }
    }
    void read(PairCounts& into, StateReader& in, Arena& arena) const
    {
        into = PairCounts();
        for (size_t left = in.count_of(2 + sizeof(uint32_t)); left > 0; --left)
        {
            const std::string_view key = in.text();
            if (key.size() < sizeof(uint32_t) ||
                load<uint32_t>(key.data()) > key.size() - sizeof(uint32_t))
                StateReader::corrupted();
            const uint64_t count = in.count();
            into.pairs.add(key, count, arena);
            into.total += count;
        }
    }
    void result(PairCounts& from, Column& into, Arena& arena) const
    {
        vector_of<double>(into).push_back(value_of(from, arena));
    }

private:
    struct Cell
    {
        size_t first;
        size_t second;
        double count;
    };

    static double value_of(const PairCounts& state, Arena& arena)
    {
        if (state.total < 2)
            return NAN;
        KeyCounts firsts;
        KeyCounts seconds;
        std::vector<Cell> cells;
        for (size_t i = 0; i < state.pairs.counts.size(); ++i)
        {
            const std::string_view key = state.pairs.keys[i];
            const size_t size = load<uint32_t>(key.data());
            const std::string_view first = key.substr(sizeof(uint32_t), size);
            const std::string_view second = key.substr(sizeof(uint32_t) + size);
            const uint64_t count = state.pairs.counts[i];
            firsts.add(first, count, arena);
            seconds.add(second, count, arena);
            cells.push_back({firsts.keys.find(first), seconds.keys.find(second),
                             static_cast<double>(count)});
        }
        const auto total = static_cast<double>(state.total);
        if (kKind == Dependence::TheilsU)
            return uncertainty(cells, firsts, seconds, total);
        const double phi = phi_squared(cells, firsts, seconds, total);
        const auto rows = static_cast<double>(firsts.counts.size());
        const auto columns = static_cast<double>(seconds.counts.size());
        if (kKind == Dependence::Contingency)
            return std::sqrt(phi / (phi + 1));
        if (kKind == Dependence::CramersV)
        {
            const double least = std::min(rows, columns) - 1;
            return least == 0 ? NAN : std::sqrt(phi / least);
        }
        const double left = std::max(0.0, phi - (rows - 1) * (columns - 1) / (total - 1));
        const double wide = rows - (rows - 1) * (rows - 1) / (total - 1);
        const double high = columns - (columns - 1) * (columns - 1) / (total - 1);
        return std::sqrt(left / (std::min(wide, high) - 1));
    }

    static double phi_squared(const std::vector<Cell>& cells, const KeyCounts& firsts,
                              const KeyCounts& seconds, double total)
    {
        double sum = 0;
        double expected_seen = 0;
        for (const Cell& cell : cells)
        {
            const double expected = static_cast<double>(firsts.counts[cell.first]) *
                                    static_cast<double>(seconds.counts[cell.second]) / total;
            sum += (cell.count - expected) * (cell.count - expected) / expected;
            expected_seen += expected;
        }
        // Pairs that do not occur miss all of what is expected of them.
        return (sum + (total - expected_seen)) / total;
    }

    static double uncertainty(const std::vector<Cell>& cells, const KeyCounts& firsts,
                              const KeyCounts& seconds, double total)
    {
        double entropy = 0;
        for (const uint64_t count : firsts.counts)
        {
            const double part = static_cast<double>(count) / total;
            entropy += part * std::log(part);
        }
        double dependent = 0;
        for (const Cell& cell : cells)
            dependent += cell.count / total *
                         std::log(cell.count / static_cast<double>(seconds.counts[cell.second]));
        return entropy == 0 ? NAN : (entropy - dependent) / entropy;
    }
};

template <Dependence kKind>
AggregateFunctionPtr make(const std::string& name, const Types& arguments,
                          const Values& parameters)
{
    expect_no_parameters(name, parameters);
    expect_arguments(name, arguments, 2);
    return std::make_shared<OfDependence<kKind>>(name, arguments, parameters,
                                                 simple_type(TypeId::Float64));
}

} // namespace

void register_contingency(AggregateRegistry& registry)
{
    registry.add("cramersV", make<Dependence::CramersV>);
    registry.add("cramersVBiasCorrected", make<Dependence::CramersVCorrected>);
    registry.add("contingency", make<Dependence::Contingency>);
    registry.add("theilsU", make<Dependence::TheilsU>);
}

} // namespace basalt
