// midpoint and avg2: the mean of the arguments that are not NULL, in their common type.

#include "functions/named_function.h"
#include "functions/scalar/column_rows.h"

namespace basalt
{
namespace
{

class Midpoint final : public NamedFunction
{
public:
    Midpoint(std::string name, size_t most) : NamedFunction(std::move(name)), most_(most) {}

    bool default_nulls() const override { return false; }

    TypePtr return_type(const Arguments& arguments) const override
    {
        if (most_ != SIZE_MAX)
            check_argument_count(*this, arguments.size(), most_);
        check_enough_arguments(*this, arguments.size(), 1);
        Types types;
        bool all_nullable = true;
        for (const Argument& argument : arguments)
        {
            const TypePtr& type = argument.type;
            if (is_null_type(type))
                continue;
            all_nullable = false;
            const TypePtr plain = remove_nullable(type);
            if (!plain->is_number() && !plain->is_date_or_time() && !plain->is(TypeId::Time) &&
                !plain->is(TypeId::Time64))
                throw Error(error_codes::ILLEGAL_TYPE_OF_ARGUMENT,
                            "Function " + name() + " supports only numeric/temporal types, got " +
                                type->name());
            types.push_back(type);
        }
        if (all_nullable)
            return make_nullable(simple_type(TypeId::Nothing));
        TypePtr result = common_type(types);
        if (result->is(TypeId::Bool))
            result = simple_type(TypeId::UInt8);
        return types.size() < arguments.size() && arguments.size() > 2 ? make_nullable(result)
                                                                       : result;
    }

    ColumnPtr execute(const Arguments& arguments, const TypePtr& result_type, size_t rows,
                      const QueryContext& context) const override
    {
        const TypePtr type = remove_nullable(result_type);
        if (type->is(TypeId::Nothing))
            return make_constant(result_type, Null{}, rows);
        Columns columns;
        for (const Argument& argument : arguments)
            if (!is_null_type(argument.type))
                columns.push_back(to_flat(cast_to(argument, make_nullable(type), context)));
        ColumnPtr result;
        visit_vector(type->physical(),
                     [&](auto tag)
                     {
                         using T = decltype(tag);
                         result = mean<T>(columns, result_type->is_nullable(), rows);
                     });
        return result;
    }

private:
    template <class T> static auto wide()
    {
        if constexpr (std::is_same_v<T, float>)
            return float{};
        else if constexpr (std::is_floating_point_v<T>)
            return T{};
        else if constexpr (sizeof(T) <= sizeof(uint64_t))
            return static_cast<__int128>(0);
        else
            return Int256(0);
    }

    template <class T> static ColumnPtr mean(const Columns& columns, bool nullable, size_t rows)
    {
        using Wide = decltype(wide<T>());
        auto values = std::make_shared<VectorColumn<T>>(rows);
        auto nulls = std::make_shared<VectorColumn<uint8_t>>(rows, uint8_t{0});
        for (size_t i = 0; i < rows; ++i)
        {
            Wide sum(0);
            int count = 0;
            for (const ColumnPtr& column : columns)
            {
                const auto& nullable_column = column_as<NullableColumn>(column);
                if (nullable_column.null_map()[i])
                    continue;
                sum += static_cast<Wide>(
                    column_as<VectorColumn<T>>(nullable_column.nested()).data()[i]);
                ++count;
            }
            nulls->data()[i] = count == 0;
            values->data()[i] = count == 0 ? T(0) : static_cast<T>(sum / Wide(count));
        }
        return nullable ? NullableColumn::make(values, nulls) : ColumnPtr(values);
    }

    size_t most_;
};

} // namespace

void register_midpoint(ScalarRegistry& registry)
{
    registry.add("midpoint", [](const QueryContext&) -> ScalarFunctionPtr
                 { return std::make_shared<Midpoint>("midpoint", SIZE_MAX); });
    registry.add("avg2", [](const QueryContext&) -> ScalarFunctionPtr
                 { return std::make_shared<Midpoint>("avg2", 2); });
}

} // namespace basalt
