#include "functions/aggregate/aggregate_of.h"
#include "functions/aggregate/grouped.h"

namespace basalt
{

namespace
{

struct CountState
{
    uint64_t count = 0;
};

// count() and count(x); the latter leaves NULLs out. State: a varint, as ClickHouse's.
class Count final : public AggregateOf<CountState, Count>
{
public:
    Count(const std::string& name, const Types& arguments)
        : AggregateOf(name, arguments, {}, simple_type(TypeId::UInt64))
    {
    }
    bool handles_nulls() const override { return true; }

    void add(CountState& state, std::span<const Column* const> arguments, size_t row, Arena&) const
    {
        state.count += arguments.empty() || !arguments[0]->is_null_at(row);
    }
    void add_rows(std::span<char* const> places, size_t offset,
                  std::span<const Column* const> arguments, Arena&) const override
    {
        if (const uint8_t* nulls = null_map(arguments))
        {
            for (size_t i = 0; i < places.size(); ++i)
                state(places[i] + offset).count += nulls[i] == 0;
            return;
        }
        for (char* place : places)
            ++state(place + offset).count;
    }
    void add_grouped(std::span<const uint16_t> codes, std::span<char* const> places, size_t offset,
                     std::span<const Column* const> arguments, Arena&) const override
    {
        PodVector<uint64_t> counts;
        if (const uint8_t* nulls = null_map(arguments))
        {
            counts.assign(places.size(), 0);
            for (size_t i = 0; i < codes.size(); ++i)
                counts[codes[i]] += nulls[i] == 0;
        }
        else
            count_grouped(codes, places.size(), counts);
        for (size_t g = 0; g < places.size(); ++g)
            state(places[g] + offset).count += counts[g];
    }
    void add_range(char* place, std::span<const Column* const> arguments, size_t begin, size_t end,
                   Arena&) const override
    {
        if (const uint8_t* nulls = null_map(arguments))
        {
            uint64_t count = 0;
            for (size_t i = begin; i < end; ++i)
                count += nulls[i] == 0;
            state(place).count += count;
            return;
        }
        state(place).count += end - begin;
    }
    void add_masked(char* place, std::span<const Column* const> arguments, const uint8_t* mask,
                    size_t rows, Arena&) const override
    {
        const uint8_t* nulls = null_map(arguments);
        uint64_t count = 0;
        for (size_t i = 0; i < rows; ++i)
            count += (mask[i] != 0) & (!nulls || nulls[i] == 0);
        state(place).count += count;
    }

    void merge(CountState& into, const CountState& from, Arena&) const { into.count += from.count; }
    void write(const CountState& from, std::string& out) const { put_count(out, from.count); }
    void read(CountState& into, StateReader& in, Arena&) const { into.count = in.count(); }
    void result(CountState& from, Column& into, Arena&) const
    {
        vector_of<uint64_t>(into).push_back(from.count);
    }

private:
    static const uint8_t* null_map(std::span<const Column* const> arguments)
    {
        if (arguments.empty() || arguments[0]->form() != ColumnForm::Nullable)
            return nullptr;
        return column_as<NullableColumn>(*arguments[0]).null_map().data();
    }
};

AggregateFunctionPtr make_count(const std::string& name, const Types& arguments,
                                const Values& parameters)
{
    expect_no_parameters(name, parameters);
    if (arguments.size() > 1)
        throw Error(error_codes::NUMBER_OF_ARGUMENTS_DOESNT_MATCH,
                    "Aggregate function " + name + " requires zero or one argument");
    return std::make_shared<Count>(name, arguments);
}

} // namespace

void register_count(AggregateRegistry& registry)
{
    registry.add("count", make_count, {.case_insensitive = true, .handles_nulls = true});
}

} // namespace basalt
