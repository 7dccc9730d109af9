// -Tuple: element by element over tuples; the result is a tuple of results.

#include "base/error.h"
#include "functions/aggregate/state_io.h"
#include "functions/combinator/combinator.h"

namespace basalt
{

namespace
{

class OverTuples final : public AggregateFunction
{
public:
    OverTuples(std::string name, std::vector<AggregateFunctionPtr> inner, Types arguments,
               Values parameters)
        : inner_(std::move(inner)), name_(std::move(name)), arguments_(std::move(arguments)),
          parameters_(std::move(parameters))
    {
        Types results;
        for (const AggregateFunctionPtr& one : inner_)
        {
            const size_t alignment = one->state_alignment();
            size_ = (size_ + alignment - 1) / alignment * alignment;
            offsets_.push_back(size_);
            size_ += one->state_size();
            alignment_ = std::max(alignment_, alignment);
            results.push_back(one->result_type());
            order_dependent_ = order_dependent_ || one->order_dependent();
        }
        result_ = std::make_shared<TupleType>(std::move(results),
                                              type_as<TupleType>(arguments_[0]).names());
    }
    const std::string& name() const override { return name_; }
    const Types& argument_types() const override { return arguments_; }
    const Values& parameters() const override { return parameters_; }
    TypePtr result_type() const override { return result_; }
    bool order_dependent() const override { return order_dependent_; }
    bool handles_nulls() const override { return true; }
    size_t state_size() const override { return size_; }
    size_t state_alignment() const override { return alignment_; }
    void create_state(char* at) const override
    {
        for (size_t i = 0; i < inner_.size(); ++i)
            inner_[i]->create_state(at + offsets_[i]);
    }
    void destroy_state(char* at) const noexcept override
    {
        for (size_t i = 0; i < inner_.size(); ++i)
            inner_[i]->destroy_state(at + offsets_[i]);
    }
    void merge_state(char* into, const char* from, Arena& arena) const override
    {
        for (size_t i = 0; i < inner_.size(); ++i)
            inner_[i]->merge_state(into + offsets_[i], from + offsets_[i], arena);
    }
    void write_state(const char* state, std::string& out) const override
    {
        for (size_t i = 0; i < inner_.size(); ++i)
            inner_[i]->write_state(state + offsets_[i], out);
    }
    size_t read_state(char* state, const char* data, size_t size, Arena& arena) const override
    {
        size_t at = 0;
        for (size_t i = 0; i < inner_.size(); ++i)
            at += inner_[i]->read_state(state + offsets_[i], data + at, size - at, arena);
        return at;
    }
    void add_rows(std::span<char* const> places, size_t offset,
                  std::span<const Column* const> arguments, Arena& arena) const override
    {
        for (size_t i = 0; i < inner_.size(); ++i)
            inner_[i]->add_rows(places, offset + offsets_[i], elements(arguments, i), arena);
    }
    void add_range(char* place, std::span<const Column* const> arguments, size_t begin, size_t end,
                   Arena& arena) const override
    {
        for (size_t i = 0; i < inner_.size(); ++i)
            inner_[i]->add_range(place + offsets_[i], elements(arguments, i), begin, end, arena);
    }
    void add_masked(char* place, std::span<const Column* const> arguments, const uint8_t* mask,
                    size_t rows, Arena& arena) const override
    {
        for (size_t i = 0; i < inner_.size(); ++i)
            inner_[i]->add_masked(place + offsets_[i], elements(arguments, i), mask, rows, arena);
    }
    void append_result(char* place, Column& into, Arena& arena) const override
    {
        auto& tuple = column_as<TupleColumn>(into);
        for (size_t i = 0; i < inner_.size(); ++i)
            inner_[i]->append_result(place + offsets_[i], tuple.mutable_element(i), arena);
        tuple.set_rows(tuple.size() + 1);
    }

private:
    static std::vector<const Column*> elements(std::span<const Column* const> arguments, size_t i)
    {
        std::vector<const Column*> columns;
        for (const Column* argument : arguments)
            columns.push_back(column_as<TupleColumn>(*argument).element(i).get());
        return columns;
    }

    std::vector<AggregateFunctionPtr> inner_;
    std::vector<size_t> offsets_;
    size_t size_ = 0;
    size_t alignment_ = 1;
    bool order_dependent_ = false;
    std::string name_;
    Types arguments_;
    Values parameters_;
    TypePtr result_;
};

} // namespace

AggregateFunctionPtr combine_tuple(const AggregateRegistry& registry, const std::string& name,
                                   std::string_view inner, const Types& arguments,
                                   const Values& parameters)
{
    if (arguments.empty())
        throw Error(error_codes::NUMBER_OF_ARGUMENTS_DOESNT_MATCH,
                    "Aggregate function " + name + " requires at least one argument");
    size_t width = 0;
    for (const TypePtr& type : arguments)
    {
        if (!type->is(TypeId::Tuple))
            throw Error(error_codes::ILLEGAL_TYPE_OF_ARGUMENT,
                        "Illegal type " + type->name() + " of argument for aggregate function " +
                            name + ". Must be tuple");
        const size_t elements = type_as<TupleType>(type).elements().size();
        if (elements == 0 || (width != 0 && elements != width))
            throw Error(error_codes::ILLEGAL_TYPE_OF_ARGUMENT,
                        "All tuples passed to aggregate function " + name +
                            " must have the same number of elements, at least one");
        width = elements;
    }
    std::vector<AggregateFunctionPtr> functions;
    for (size_t i = 0; i < width; ++i)
    {
        Types element;
        for (const TypePtr& type : arguments)
            element.push_back(type_as<TupleType>(type).elements()[i]);
        functions.push_back(registry.find(inner, element, parameters));
        if (!functions.back())
            return nullptr;
    }
    return std::make_shared<OverTuples>(std::string(inner) + "Tuple", std::move(functions),
                                        arguments, parameters);
}

} // namespace basalt
