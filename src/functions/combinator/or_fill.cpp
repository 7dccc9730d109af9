// -OrNull and -OrDefault: what the result is when nothing was added.

#include "functions/aggregate/state_io.h"
#include "functions/combinator/combinator.h"

namespace basalt
{

namespace
{

// A flag in front of the inner state; written after it, as ClickHouse does.
class OrFill final : public WrappedAggregate
{
public:
    OrFill(const char* suffix, AggregateFunctionPtr inner, Types arguments, Values parameters,
           TypePtr result)
        : WrappedAggregate(inner->name() + suffix, inner, std::move(arguments),
                           std::move(parameters), true),
          result_(std::move(result))
    {
    }
    TypePtr result_type() const override { return result_; }

    void write_state(const char* state, std::string& out) const override
    {
        inner_->write_state(state + prefix_, out);
        out += *state ? '\1' : '\0';
    }
    size_t read_state(char* state, const char* data, size_t size, Arena& arena) const override
    {
        const size_t inner_size = inner_->read_state(state + prefix_, data, size, arena);
        StateReader in(data + inner_size, size - inner_size);
        *state = in.fixed<uint8_t>() ? 1 : 0;
        return inner_size + 1;
    }
    void add_rows(std::span<char* const> places, size_t offset,
                  std::span<const Column* const> arguments, Arena& arena) const override
    {
        for (size_t i = 0; i < places.size(); ++i)
            if (arguments.empty() || !is_skipped(arguments, i))
                places[i][offset] = 1;
        inner_->add_rows(places, offset + prefix_, arguments, arena);
    }
    void add_range(char* place, std::span<const Column* const> arguments, size_t begin, size_t end,
                   Arena& arena) const override
    {
        for (size_t i = begin; i < end && !*place; ++i)
            if (!is_skipped(arguments, i))
                *place = 1;
        inner_->add_range(place + prefix_, arguments, begin, end, arena);
    }
    void add_masked(char* place, std::span<const Column* const> arguments, const uint8_t* mask,
                    size_t rows, Arena& arena) const override
    {
        for (size_t i = 0; i < rows && !*place; ++i)
            if (mask[i] && !is_skipped(arguments, i))
                *place = 1;
        inner_->add_masked(place + prefix_, arguments, mask, rows, arena);
    }
    void append_result(char* place, Column& into, Arena& arena) const override
    {
        if (!*place)
        {
            into.append_default();
            return;
        }
        if (into.form() != ColumnForm::Nullable || inner_->result_type()->is_nullable())
        {
            inner_->append_result(place + prefix_, into, arena);
            return;
        }
        auto& nullable = column_as<NullableColumn>(into);
        inner_->append_result(place + prefix_, nullable.mutable_nested(), arena);
        nullable.mutable_null_map().push_back(0);
    }

private:
    // Rows that the inner function does not add: those with a NULL, and for -If those whose
    // condition does not hold.
    bool is_skipped(std::span<const Column* const> arguments, size_t row) const
    {
        for (const Column* argument : arguments)
            if (argument->is_null_at(row))
                return true;
        if (inner_->name().ends_with("If"))
        {
            const Column& last = *arguments.back();
            const Column& condition = last.form() == ColumnForm::Nullable
                                          ? *column_as<NullableColumn>(last).nested()
                                          : last;
            return condition.form() == ColumnForm::Vector &&
                   column_as<VectorColumn<uint8_t>>(condition).data()[row] == 0;
        }
        return false;
    }

    TypePtr result_;
};

} // namespace

AggregateFunctionPtr combine_or_null(const AggregateRegistry& registry, const std::string&,
                                     std::string_view inner, const Types& arguments,
                                     const Values& parameters)
{
    AggregateFunctionPtr function = registry.find(inner, arguments, parameters);
    if (!function)
        return nullptr;
    const TypePtr plain = function->result_type();
    const TypePtr result = can_be_inside_nullable(plain) ? make_nullable(plain) : plain;
    return std::make_shared<OrFill>("OrNull", std::move(function), arguments, parameters, result);
}

AggregateFunctionPtr combine_or_default(const AggregateRegistry& registry, const std::string&,
                                        std::string_view inner, const Types& arguments,
                                        const Values& parameters)
{
    AggregateFunctionPtr function = registry.find(inner, arguments, parameters);
    if (!function)
        return nullptr;
    const TypePtr result = function->result_type();
    return std::make_shared<OrFill>("OrDefault", std::move(function), arguments, parameters,
                                    result);
}

} // namespace basalt
