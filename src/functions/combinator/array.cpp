// -Array: over the items of arrays.

#include "base/error.h"
#include "functions/combinator/combinator.h"

namespace basalt
{

namespace
{

class OverArrays final : public WrappedAggregate
{
public:
    using WrappedAggregate::WrappedAggregate;

    void add_rows(std::span<char* const> places, size_t offset,
                  std::span<const Column* const> arguments, Arena& arena) const override
    {
        const Items items = items_of(arguments);
        for (size_t i = 0; i < places.size(); ++i)
            inner_->add_range(places[i] + offset, items.columns, items.arrays->begin_of(i),
                              items.arrays->offsets()[i], arena);
    }
    void add_range(char* place, std::span<const Column* const> arguments, size_t begin, size_t end,
                   Arena& arena) const override
    {
        if (begin == end)
            return;
        const Items items = items_of(arguments);
        inner_->add_range(place, items.columns, items.arrays->begin_of(begin),
                          items.arrays->offsets()[end - 1], arena);
    }
    void add_masked(char* place, std::span<const Column* const> arguments, const uint8_t* mask,
                    size_t rows, Arena& arena) const override
    {
        const Items items = items_of(arguments);
        for (size_t i = 0; i < rows; ++i)
            if (mask[i])
                inner_->add_range(place, items.columns, items.arrays->begin_of(i),
                                  items.arrays->offsets()[i], arena);
    }

private:
    struct Items
    {
        const ArrayColumn* arrays;
        std::vector<const Column*> columns;
    };
    Items items_of(std::span<const Column* const> arguments) const
    {
        Items items{&column_as<ArrayColumn>(*arguments[0]), {}};
        for (const Column* argument : arguments)
        {
            const auto& arrays = column_as<ArrayColumn>(*argument);
            const bool same_lengths =
                arrays.size() == items.arrays->size() &&
                (arrays.size() == 0 ||
                 std::memcmp(arrays.offsets().data(), items.arrays->offsets().data(),
                             arrays.size() * sizeof(uint64_t)) == 0);
            if (!same_lengths)
                throw Error(error_codes::SIZES_OF_ARRAYS_DONT_MATCH,
                            "All arrays passed to aggregate function " + name() +
                                " must have the same length");
            items.columns.push_back(arrays.items().get());
        }
        return items;
    }
};

} // namespace

AggregateFunctionPtr combine_array(const AggregateRegistry& registry, const std::string& name,
                                   std::string_view inner, const Types& arguments,
                                   const Values& parameters)
{
    if (arguments.empty())
        throw Error(error_codes::NUMBER_OF_ARGUMENTS_DOESNT_MATCH,
                    "-Array aggregate functions require at least one argument");
    Types items;
    for (const TypePtr& type : arguments)
    {
        if (!type->is(TypeId::Array))
            throw Error(error_codes::ILLEGAL_TYPE_OF_ARGUMENT,
                        "Illegal type " + type->name() + " of argument for aggregate function " +
                            name + ". Must be array");
        items.push_back(type_as<ArrayType>(type).nested());
    }
    AggregateFunctionPtr function = registry.find(inner, items, parameters);
    if (!function)
        return nullptr;
    const std::string full_name = function->name() + "Array";
    return std::make_shared<OverArrays>(full_name, std::move(function), arguments, parameters);
}

} // namespace basalt
