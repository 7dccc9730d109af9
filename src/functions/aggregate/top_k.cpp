// topK, topKWeighted, approx_top_k, approx_top_sum: the most frequent values. Counts are kept
// exactly while there are at most kMaxTopKValues distinct values; past that the rarest half is
// dropped, and a value that comes back starts from the largest dropped count, which is its error
// (after the Space-Saving of Metwally, Agrawal and El Abbadi, 2005).

#include "functions/aggregate/held_value.h"
#include "functions/aggregate/key_set.h"

#include <algorithm>

namespace basalt
{

namespace
{

constexpr size_t kMaxTopKValues = 65536;
constexpr uint64_t kMaxTopKResults = 0xFFFFFF;

struct Counter
{
    uint64_t count;
    uint64_t error;
};

struct TopState
{
    KeySet keys;
    PodVector<Counter> counters;
    uint64_t dropped = 0; // the largest count among what was dropped
};

class TopK final : public AggregateOf<TopState, TopK>
{
public:
    TopK(const std::string& name, const Types& arguments, const Values& parameters, uint64_t most,
         bool with_counts, const TypePtr& result)
        : AggregateOf(name, arguments, parameters, result), most_(most), with_counts_(with_counts),
          shape_(arguments[0]->create_column())
    {
    }

    void add(TopState& state, std::span<const Column* const> arguments, size_t row,
             Arena& arena) const
    {
        uint64_t weight = 1;
        if (arguments.size() > 1)
        {
            weight = static_cast<uint64_t>(weight_at(*arguments[1], row));
            if (weight == 0)
                return;
        }
        PodVector<char> key;
        arguments[0]->append_key(row, key);
        add_key(state, {key.data(), key.size()}, weight, 0, arena);
    }
    void merge(TopState& into, const TopState& from, Arena& arena) const
    {
        for (size_t i = 0; i < from.counters.size(); ++i)
            add_key(into, from.keys[i], from.counters[i].count, from.counters[i].error, arena);
        into.dropped = std::max(into.dropped, from.dropped);
    }
    void write(const TopState& from, std::string& out) const
    {
        put_count(out, from.dropped);
        put_count(out, from.counters.size());
        for (size_t i = 0; i < from.counters.size(); ++i)
        {
            out.append(from.keys[i]);
            put_count(out, from.counters[i].count);
            put_count(out, from.counters[i].error);
        }
    }
    void read(TopState& into, StateReader& in, Arena& arena) const
    {
        into = TopState();
        const uint64_t dropped = in.count();
        const MutableColumnPtr scratch = shape_->clone_empty();
        for (size_t left = in.count_of(2); left > 0; --left)
        {
            const char* begin = in.position();
            read_key(*scratch, in);
            scratch->remove_last(1);
            const std::string_view key(begin, static_cast<size_t>(in.position() - begin));
            const uint64_t count = in.count();
            const uint64_t error = in.count();
            add_key(into, key, count, error, arena);
        }
        into.dropped = std::max(into.dropped, dropped);
    }
    void result(TopState& from, Column& into, Arena&) const
    {
        std::vector<uint32_t> order = by_count(from);
        order.resize(std::min<size_t>(order.size(), most_));
        auto& array = column_as<ArrayColumn>(into);
        Column* items = &array.mutable_items();
        TupleColumn* tuple = with_counts_ ? &column_as<TupleColumn>(*items) : nullptr;
        if (tuple)
            items = &tuple->mutable_element(0);
        for (const uint32_t i : order)
        {
            items->append_from_key(from.keys[i].data());
            if (!tuple)
                continue;
            vector_of<uint64_t>(tuple->mutable_element(1)).push_back(from.counters[i].count);
            vector_of<uint64_t>(tuple->mutable_element(2)).push_back(from.counters[i].error);
        }
        if (tuple)
            tuple->set_rows(items->size());
        array.mutable_offsets().push_back(items->size());
    }

private:
    static int64_t weight_at(const Column& column, size_t row)
    {
        const Value value = column.value_at(row);
        if (const auto* number = value.get_if<uint64_t>())
            return static_cast<int64_t>(*number);
        if (const auto* number = value.get_if<int64_t>())
            return std::max<int64_t>(*number, 0);
        return 0;
    }

    void add_key(TopState& state, std::string_view key, uint64_t count, uint64_t error,
                 Arena& arena) const
    {
        const size_t i = state.keys.insert(key, arena);
        if (i < state.counters.size())
        {
            state.counters[i].count += count;
            state.counters[i].error += error;
            return;
        }
        state.counters.push_back({count + state.dropped, error + state.dropped});
        if (state.counters.size() > kMaxTopKValues)
            drop_half(state, arena);
    }

    // Of equal counts the lesser key first, so that the order of rows does not matter.
    static std::vector<uint32_t> by_count(const TopState& state)
    {
        std::vector<uint32_t> order(state.counters.size());
        for (uint32_t i = 0; i < order.size(); ++i)
            order[i] = i;
        std::sort(order.begin(), order.end(),
                  [&](uint32_t a, uint32_t b)
                  {
                      if (state.counters[a].count != state.counters[b].count)
                          return state.counters[a].count > state.counters[b].count;
                      return state.keys[a] < state.keys[b];
                  });
        return order;
    }

    static void drop_half(TopState& state, Arena& arena)
    {
        const std::vector<uint32_t> order = by_count(state);
        TopState kept;
        kept.dropped = state.counters[order[kMaxTopKValues / 2]].count;
        for (size_t i = 0; i < kMaxTopKValues / 2; ++i)
        {
            kept.keys.insert(state.keys[order[i]], arena);
            kept.counters.push_back(state.counters[order[i]]);
        }
        state = std::move(kept);
    }

    uint64_t most_;
    bool with_counts_;
    MutableColumnPtr shape_;
};

AggregateFunctionPtr make(const std::string& name, const Types& arguments,
                          const Values& parameters)
{
    const bool weighted = name == "topKWeighted" || name == "approx_top_sum";
    expect_arguments(name, arguments, weighted ? 2 : 1);
    if (weighted && (!arguments[1]->is_integer() || arguments[1]->physical() > PhysicalType::Int64))
        illegal_argument(name, arguments[1]);
    if (parameters.size() > 3)
        throw Error(error_codes::NUMBER_OF_ARGUMENTS_DOESNT_MATCH,
                    "Aggregate function '" + name + "' requires three parameters or less");
    constexpr uint64_t default_most = 10;
    uint64_t most = default_most;
    if (!parameters.empty())
        most = unsigned_parameter(name, parameters[0]);
    if (most == 0 || most > kMaxTopKResults)
        throw Error(error_codes::ARGUMENT_OUT_OF_BOUND, "Parameter " + std::to_string(most) +
                                                            " is illegal for aggregate function '" +
                                                            name + "'");
    if (parameters.size() > 1)
        unsigned_parameter(name, parameters[1]); // ClickHouse's reserve; ours is larger
    bool with_counts = name.starts_with("approx");
    if (parameters.size() > 2)
    {
        const auto* option = parameters[2].get_if<std::string>();
        if (!option || *option != "counts")
            throw Error(error_codes::BAD_ARGUMENTS,
                        "Third parameter of aggregate function '" + name + "' must be 'counts'");
        with_counts = true;
    }
    TypePtr item = arguments[0];
    if (with_counts)
        item = std::make_shared<TupleType>(
            Types{item, simple_type(TypeId::UInt64), simple_type(TypeId::UInt64)},
            std::vector<std::string>{"item", "count", "error"});
    return std::make_shared<TopK>(name, arguments, parameters, most, with_counts,
                                  std::make_shared<ArrayType>(item));
}

} // namespace

void register_top_k(AggregateRegistry& registry)
{
    registry.add("topK", make, {.default_when_all_null = true});
    registry.add("topKWeighted", make, {.default_when_all_null = true});
    registry.add("approx_top_k", make, {.case_insensitive = true, .default_when_all_null = true});
    registry.add("approx_top_sum", make, {.case_insensitive = true, .default_when_all_null = true});
    registry.add_alias("approx_top_count", "approx_top_k", true);
}

} // namespace basalt
