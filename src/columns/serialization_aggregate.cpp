#include "columns/serialization_kinds.h"

namespace basalt
{

namespace
{

// Most bytes of one state that is read.
constexpr size_t kMaxStateBytes = size_t{256} << 20;

// A state has no length of its own in binary form, so bytes are gathered until it is whole.
void read_state_from(InputBuffer& in, AggregateStateColumn& column)
{
    column.append_new();
    size_t wanted = 1;
    for (;;)
    {
        const size_t got = in.ensure(wanted);
        char* const state = column.states()[column.size() - 1]; // another one after a failure
        try
        {
            const size_t used =
                column.ops().read_state(state, in.position(), got, column.arena());
            in.consume(used);
            return;
        }
        catch (const Error&)
        {
            column.remove_last(1);
            if (got < wanted || got >= kMaxStateBytes)
                throw;
            column.append_new();
            // One byte more, and what comes with it: to ask for many would wait for what the sender has
            // no reason to send.
            wanted = got + 1;
        }
    }
}

// Text: the binary state as a string.
class AggregateSerialization final : public Serialization
{
public:
    void write_text(const Column& column, size_t row, OutputBuffer& out, TextPlace place,
                    const TextOptions& options) const override
    {
        write_string_text(out, state_bytes(column, row), place, options);
    }

    bool parse_text(Column& column, TextCursor& cursor, TextPlace place,
                    const TextOptions& options) const override
    {
        PodVector<char> bytes;
        if (!parse_string_text(cursor, bytes, place, options))
            return false;
        auto& states = column_as<AggregateStateColumn>(column);
        char* const state = states.append_new();
        try
        {
            if (states.ops().read_state(state, bytes.data(), bytes.size(), states.arena()) ==
                bytes.size())
                return true;
            states.remove_last(1);
            return cursor.fail(error_codes::CORRUPTED_DATA,
                               "Bytes are left after a state of an aggregate function");
        }
        catch (const Error& error)
        {
            states.remove_last(1);
            return cursor.fail(error.code(), error.message());
        }
    }

    void write_binary(const Column& column, size_t row, OutputBuffer& out) const override
    {
        out.write(state_bytes(column, row));
    }
    void read_binary(Column& column, InputBuffer& in) const override
    {
        read_state_from(in, column_as<AggregateStateColumn>(column));
    }
    void write_native_data(const Column& column, size_t begin, size_t count,
                           OutputBuffer& out) const override
    {
        for (size_t row = begin; row < begin + count; ++row)
            write_binary(column, row, out);
    }
    ColumnPtr read_native_data(size_t count, InputBuffer& in) const override
    {
        auto column = std::make_shared<AggregateStateColumn>(ops_);
        for (size_t i = 0; i < count; ++i)
            read_state_from(in, *column);
        return column;
    }

    explicit AggregateSerialization(std::shared_ptr<const AggregateStateOps> ops)
        : ops_(std::move(ops))
    {
    }

private:
    static std::string state_bytes(const Column& column, size_t row)
    {
        const FlatCell cell(column, row);
        const auto& states = column_as<AggregateStateColumn>(*cell.column);
        std::string bytes;
        states.ops().write_state(states.states()[cell.row], bytes);
        return bytes;
    }

    std::shared_ptr<const AggregateStateOps> ops_;
};

// Nothing has no values; in binary forms each row of it is the character 0.
class NothingSerialization final : public Serialization
{
public:
    void write_text(const Column&, size_t, OutputBuffer&, TextPlace,
                    const TextOptions&) const override
    {
    }
    bool parse_text(Column& column, TextCursor& cursor, TextPlace,
                    const TextOptions&) const override
    {
        return cursor.fail(error_codes::NOT_IMPLEMENTED, "A value of type Nothing has no text");
    }
    void write_binary(const Column&, size_t, OutputBuffer&) const override {}
    void read_binary(Column& column, InputBuffer&) const override { column.append_default(); }
    void write_native_data(const Column&, size_t, size_t count, OutputBuffer& out) const override
    {
        for (size_t i = 0; i < count; ++i)
            out.write('0');
    }
    ColumnPtr read_native_data(size_t count, InputBuffer& in) const override
    {
        in.ignore(count);
        return std::make_shared<NothingColumn>(count);
    }
};

} // namespace

SerializationPtr make_aggregate_serialization(const TypePtr& type)
{
    return std::make_shared<AggregateSerialization>(type_as<AggregateFunctionType>(type).ops());
}

SerializationPtr make_nothing_serialization() { return std::make_shared<NothingSerialization>(); }

} // namespace basalt
