// groupConcat: texts of values with a delimiter between them.

#include "columns/serialization.h"
#include "functions/aggregate/held_value.h"

namespace basalt
{

namespace
{

struct ConcatState
{
    PodVector<char> chars;
    PodVector<uint64_t> ends; // of each text in chars
};

class GroupConcat final : public AggregateOf<ConcatState, GroupConcat>
{
public:
    GroupConcat(const std::string& name, const Types& arguments, const Values& parameters,
                std::string delimiter, uint64_t most)
        : AggregateOf(name, arguments, parameters, simple_type(TypeId::String)),
          delimiter_(std::move(delimiter)), most_(most), is_text_(arguments[0]->is_string())
    {
    }
    bool order_dependent() const override { return true; }

    void add(ConcatState& state, std::span<const Column* const> arguments, size_t row, Arena&) const
    {
        if (state.ends.size() >= most_)
            return;
        if (is_text_)
            append(state, TextValue::text_at(*arguments[0], row));
        else
            append(state, value_text(*arguments[0], row, argument_types()[0]));
    }
    void merge(ConcatState& into, const ConcatState& from, Arena&) const
    {
        uint64_t begin = 0;
        for (const uint64_t end : from.ends)
        {
            append(into, {from.chars.data() + begin, end - begin});
            begin = end;
        }
    }
    void write(const ConcatState& from, std::string& out) const
    {
        put_count(out, from.ends.size());
        uint64_t begin = 0;
        for (const uint64_t end : from.ends)
        {
            put_text(out, {from.chars.data() + begin, end - begin});
            begin = end;
        }
    }
    void read(ConcatState& into, StateReader& in, Arena&) const
    {
        into.chars.clear();
        into.ends.clear();
        for (size_t left = in.count_of(1); left > 0; --left)
            append(into, in.text());
    }
    void result(ConcatState& from, Column& into, Arena&) const
    {
        auto& strings = column_as<StringColumn>(into);
        uint64_t begin = 0;
        for (size_t i = 0; i < from.ends.size(); ++i)
        {
            if (i)
                strings.chars().append(delimiter_.data(), delimiter_.size());
            strings.chars().append(from.chars.data() + begin, from.ends[i] - begin);
            begin = from.ends[i];
        }
        strings.offsets().push_back(strings.chars().size());
    }

private:
    void append(ConcatState& state, std::string_view text) const
    {
        if (state.ends.size() >= most_)
            return;
        state.chars.append(text.data(), text.size());
        state.ends.push_back(state.chars.size());
    }

    std::string delimiter_;
    uint64_t most_;
    bool is_text_;
};

AggregateFunctionPtr make(const std::string& name, const Types& arguments,
                          const Values& parameters)
{
    // groupConcat(x, delimiter) with a delimiter that is not a parameter is ClickHouse's sugar:
    // the binder turns it into a parameter.
    expect_arguments(name, arguments, 1);
    if (parameters.size() > 2)
        throw Error(error_codes::TOO_MANY_ARGUMENTS_FOR_FUNCTION,
                    "Incorrect number of parameters for aggregate function " + name +
                        ", should be 0, 1 or 2, got: " + std::to_string(parameters.size()));
    std::string delimiter;
    if (!parameters.empty())
    {
        const auto* text = parameters[0].get_if<std::string>();
        if (!text)
            throw Error(error_codes::BAD_ARGUMENTS,
                        "First parameter for aggregate function " + name +
                            " should be string, got: " + parameters[0].to_text());
        delimiter = *text;
    }
    const uint64_t most =
        parameters.size() > 1 ? unsigned_parameter(name, parameters[1], 1) : UINT64_MAX;
    return std::make_shared<GroupConcat>(name, arguments, parameters, std::move(delimiter), most);
}

} // namespace

void register_group_concat(AggregateRegistry& registry)
{
    registry.add("groupConcat", make);
    registry.add_alias("group_concat", "groupConcat", true);
    registry.add_alias("string_agg", "groupConcat", true);
}

} // namespace basalt
