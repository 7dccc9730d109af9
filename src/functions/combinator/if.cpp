// -If: only rows whose last argument is true.

#include "base/error.h"
#include "functions/combinator/combinator.h"

namespace basalt
{

namespace
{

class If final : public WrappedAggregate
{
public:
    using WrappedAggregate::WrappedAggregate;

    void add_rows(std::span<char* const> places, size_t offset,
                  std::span<const Column* const> arguments, Arena& arena) const override
    {
        add_rows_masked(places, offset, arguments.first(arguments.size() - 1),
                        condition(*arguments.back()), arena);
    }
    void add_range(char* place, std::span<const Column* const> arguments, size_t begin, size_t end,
                   Arena& arena) const override
    {
        Mask mask = condition(*arguments.back());
        if (begin > 0)
            std::memset(mask.data(), 0, begin);
        if (end < mask.size())
            std::memset(mask.data() + end, 0, mask.size() - end);
        inner_->add_masked(place, arguments.first(arguments.size() - 1), mask.data(), mask.size(),
                           arena);
    }
    void add_masked(char* place, std::span<const Column* const> arguments, const uint8_t* kept,
                    size_t rows, Arena& arena) const override
    {
        Mask mask = condition(*arguments.back());
        for (size_t i = 0; i < rows; ++i)
            mask[i] = static_cast<uint8_t>(mask[i] & (kept[i] != 0));
        inner_->add_masked(place, arguments.first(arguments.size() - 1), mask.data(), rows, arena);
    }

private:
    // 1 where the condition is true; NULL is not.
    static Mask condition(const Column& column)
    {
        Mask mask(column.size());
        if (column.form() == ColumnForm::Nullable)
        {
            const auto& nullable = column_as<NullableColumn>(column);
            if (nullable.nested()->form() == ColumnForm::Nothing)
            {
                mask.assign(column.size(), 0);
                return mask;
            }
            const uint8_t* values =
                column_as<VectorColumn<uint8_t>>(nullable.nested()).data().data();
            const uint8_t* nulls = nullable.null_map().data();
            for (size_t i = 0; i < mask.size(); ++i)
                mask[i] = static_cast<uint8_t>((values[i] != 0) & (nulls[i] == 0));
            return mask;
        }
        const uint8_t* values = column_as<VectorColumn<uint8_t>>(column).data().data();
        for (size_t i = 0; i < mask.size(); ++i)
            mask[i] = values[i] != 0;
        return mask;
    }
};

} // namespace

AggregateFunctionPtr combine_if(const AggregateRegistry& registry, const std::string& name,
                                std::string_view inner, const Types& arguments,
                                const Values& parameters)
{
    if (arguments.empty())
        throw Error(error_codes::NUMBER_OF_ARGUMENTS_DOESNT_MATCH,
                    "Aggregate function " + name + " requires at least one argument");
    const TypePtr condition = remove_nullable(arguments.back());
    if (condition->physical() != PhysicalType::UInt8 && !condition->is(TypeId::Nothing))
        throw Error(error_codes::ILLEGAL_TYPE_OF_ARGUMENT,
                    "Illegal type " + arguments.back()->name() +
                        " of last argument for aggregate function with If suffix");
    AggregateFunctionPtr function =
        registry.find(inner, Types(arguments.begin(), arguments.end() - 1), parameters);
    if (!function)
        return nullptr;
    const std::string full_name = function->name() + "If";
    return std::make_shared<If>(full_name, std::move(function), arguments, parameters);
}

} // namespace basalt
