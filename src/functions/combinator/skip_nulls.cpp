// Nullable arguments of functions that do not look at NULL themselves.

#include "functions/aggregate/state_io.h"
#include "functions/combinator/combinator.h"

namespace basalt
{

namespace
{

// The state has a flag in front: some row was not NULL. Written as ClickHouse does when the result
// is Nullable: the flag, then the inner state if it is set.
class SkipNulls final : public WrappedAggregate
{
public:
    SkipNulls(AggregateFunctionPtr inner, Types arguments, bool nullable_result)
        : WrappedAggregate(inner->name(), inner, std::move(arguments), inner->parameters(),
                           nullable_result),
          result_(nullable_result ? make_nullable(inner->result_type()) : inner->result_type())
    {
        for (const TypePtr& type : argument_types())
            nullable_.push_back(type->is_nullable());
    }
    TypePtr result_type() const override { return result_; }

    void write_state(const char* state, std::string& out) const override
    {
        if (prefix_)
            out += *state ? '\1' : '\0';
        if (!prefix_ || *state)
            inner_->write_state(state + prefix_, out);
    }
    size_t read_state(char* state, const char* data, size_t size, Arena& arena) const override
    {
        if (!prefix_)
            return inner_->read_state(state, data, size, arena);
        StateReader in(data, size);
        const auto flag = in.fixed<uint8_t>();
        if (flag > 1)
            StateReader::corrupted();
        *state = static_cast<char>(flag);
        return flag ? 1 + inner_->read_state(state + prefix_, data + 1, size - 1, arena) : 1;
    }

    void add_rows(std::span<char* const> places, size_t offset,
                  std::span<const Column* const> arguments, Arena& arena) const override
    {
        std::vector<const Column*> nested;
        Mask mask;
        if (!unwrap(arguments, places.size(), nested, mask))
        {
            if (prefix_)
                for (char* place : places)
                    place[offset] = 1;
            inner_->add_rows(places, offset + prefix_, nested, arena);
            return;
        }
        if (prefix_)
            for (size_t i = 0; i < places.size(); ++i)
                places[i][offset] |= static_cast<char>(mask[i]);
        add_rows_masked(places, offset, nested, mask, arena);
    }

    void add_range(char* place, std::span<const Column* const> arguments, size_t begin, size_t end,
                   Arena& arena) const override
    {
        if (begin == end)
            return;
        const size_t rows = arguments[0]->size();
        std::vector<const Column*> nested;
        Mask mask;
        if (!unwrap(arguments, rows, nested, mask))
        {
            if (prefix_)
                *place = 1;
            inner_->add_range(place + prefix_, nested, begin, end, arena);
            return;
        }
        if (begin > 0)
            std::memset(mask.data(), 0, begin);
        if (end < rows)
            std::memset(mask.data() + end, 0, rows - end);
        add_mask(place, nested, mask, arena);
    }

    void add_masked(char* place, std::span<const Column* const> arguments, const uint8_t* kept,
                    size_t rows, Arena& arena) const override
    {
        std::vector<const Column*> nested;
        Mask mask;
        if (!unwrap(arguments, rows, nested, mask))
            mask.assign(rows, 1);
        for (size_t i = 0; i < rows; ++i)
            mask[i] = static_cast<uint8_t>(mask[i] & (kept[i] != 0));
        add_mask(place, nested, mask, arena);
    }

    void append_result(char* place, Column& into, Arena& arena) const override
    {
        if (!prefix_)
        {
            inner_->append_result(place, into, arena);
            return;
        }
        auto& nullable = column_as<NullableColumn>(into);
        if (!*place)
        {
            nullable.append_default();
            return;
        }
        if (inner_->result_type()->is_nullable())
        {
            inner_->append_result(place + prefix_, into, arena);
            return;
        }
        inner_->append_result(place + prefix_, nullable.mutable_nested(), arena);
        nullable.mutable_null_map().push_back(0);
    }

private:
    void add_mask(char* place, const std::vector<const Column*>& nested, const Mask& mask,
                  Arena& arena) const
    {
        if (count_kept(mask) == 0)
            return;
        if (prefix_)
            *place = 1;
        inner_->add_masked(place + prefix_, nested, mask.data(), mask.size(), arena);
    }

    // The columns without their null maps; mask: 1 for rows without NULL. False when no row has
    // one, and mask is left empty.
    bool unwrap(std::span<const Column* const> arguments, size_t rows,
                std::vector<const Column*>& nested, Mask& mask) const
    {
        bool any = false;
        for (size_t a = 0; a < arguments.size(); ++a)
        {
            if (!nullable_[a])
            {
                nested.push_back(arguments[a]);
                continue;
            }
            const auto& column = column_as<NullableColumn>(*arguments[a]);
            nested.push_back(column.nested().get());
            if (!column.has_nulls())
                continue;
            const uint8_t* nulls = column.null_map().data();
            if (!any)
                mask.assign(rows, 1);
            any = true;
            for (size_t i = 0; i < rows; ++i)
                mask[i] = static_cast<uint8_t>(mask[i] & (nulls[i] == 0));
        }
        return any;
    }

    TypePtr result_;
    std::vector<bool> nullable_;
};

// Arguments are NULL in every row.
class OfNothing final : public AggregateFunction
{
public:
    OfNothing(std::string name, Types arguments, Values parameters, bool zero)
        : name_(std::move(name)), arguments_(std::move(arguments)),
          parameters_(std::move(parameters)),
          result_(zero ? simple_type(TypeId::UInt64)
                       : make_nullable(simple_type(TypeId::Nothing)))
    {
    }
    const std::string& name() const override { return name_; }
    const Types& argument_types() const override { return arguments_; }
    const Values& parameters() const override { return parameters_; }
    TypePtr result_type() const override { return result_; }
    bool handles_nulls() const override { return true; }
    size_t state_size() const override { return 1; }
    size_t state_alignment() const override { return 1; }
    void create_state(char* at) const override { *at = 0; }
    void destroy_state(char*) const noexcept override {}
    bool trivially_destroyed() const override { return true; }
    void merge_state(char*, const char*, Arena&) const override {}
    void write_state(const char*, std::string& out) const override { out += '\0'; }
    size_t read_state(char*, const char* data, size_t size, Arena&) const override
    {
        StateReader in(data, size);
        if (in.fixed<uint8_t>() != 0)
            StateReader::corrupted();
        return 1;
    }
    void add_rows(std::span<char* const>, size_t, std::span<const Column* const>,
                  Arena&) const override
    {
    }
    void add_range(char*, std::span<const Column* const>, size_t, size_t, Arena&) const override {}
    void add_masked(char*, std::span<const Column* const>, const uint8_t*, size_t,
                    Arena&) const override
    {
    }
    void append_result(char*, Column& into, Arena&) const override { into.append_default(); }

private:
    std::string name_;
    Types arguments_;
    Values parameters_;
    TypePtr result_;
};

} // namespace

AggregateFunctionPtr skip_nulls(AggregateFunctionPtr inner, Types arguments, bool keep_result)
{
    const TypePtr result = inner->result_type();
    const bool nullable = !keep_result && (result->is_nullable() || can_be_inside_nullable(result));
    return std::make_shared<SkipNulls>(std::move(inner), std::move(arguments), nullable);
}

AggregateFunctionPtr aggregate_of_nothing(std::string name, Types arguments, Values parameters,
                                          bool zero)
{
    return std::make_shared<OfNothing>(std::move(name), std::move(arguments),
                                       std::move(parameters), zero);
}

} // namespace basalt
