// greatest and least: NULL arguments are passed over.

#include "functions/arithmetic.h"
#include "functions/cast.h"
#include "functions/choose_rows.h"
#include "functions/comparison.h"
#include "functions/named_function.h"

#include <algorithm>

namespace basalt
{

namespace
{

class Extreme final : public NamedFunction
{
public:
    Extreme(std::string name, bool greatest) : NamedFunction(std::move(name)), greatest_(greatest)
    {
    }

    TypePtr return_type(const Arguments& arguments) const override
    {
        check_argument_count(*this, arguments.size(), 1, ~size_t{0});
        Types types;
        bool nullable = false;
        for (const auto& argument : arguments)
        {
            nullable = nullable || argument.type->is_nullable();
            if (!is_null_type(argument.type))
                types.push_back(remove_nullable(argument.type));
        }
        if (types.empty())
            return arguments[0].type;
        TypePtr type = extreme_type(types);
        if (!type)
            throw_illegal_types(*this, arguments);
        return nullable ? make_nullable(type) : type;
    }

    ColumnPtr execute(const Arguments& arguments, const TypePtr& result_type, size_t rows,
                      const QueryContext& context) const override
    {
        const TypePtr value_type = remove_nullable(result_type);
        ColumnPtr best;
        for (const auto& argument : arguments)
        {
            if (is_null_type(argument.type))
                continue;
            const ColumnPtr next =
                to_flat(cast_column(argument.column, argument.type, result_type, context));
            best = best ? better(best, next, result_type, value_type, rows, context,
                                 arguments.size() == 2)
                        : next;
        }
        return best ? best : make_constant(result_type, Null{}, rows);
    }

    bool default_nulls() const override { return false; }
    bool worth_short_circuit() const override { return false; }

private:
    static TypePtr extreme_type(const Types& types)
    {
        if (types.size() == 2 && types[0]->id() != types[1]->id())
        {
            const auto either = [&](TypeId id) { return types[0]->is(id) || types[1]->is(id); };
            if (either(TypeId::UInt64) && either(TypeId::Int64))
                return simple_type(TypeId::Int64);
        }
        if (TypePtr type = try_common_type(types))
            return types.size() > 1 && type->is(TypeId::Bool) ? simple_type(TypeId::UInt8) : type;
        size_t bytes = 8;
        for (const auto& type : types)
        {
            if (type->is_float())
                return nullptr;
            if (!type->is_integer())
                return common_type(types); // throws, naming the types
            bytes = std::max(bytes, number_kind(*type).bytes);
        }
        return simple_type(bytes == 8 ? TypeId::Int128 : TypeId::Int256);
    }

    ColumnPtr better(const ColumnPtr& best, const ColumnPtr& next, const TypePtr& result_type,
                     const TypePtr& value_type, size_t rows, const QueryContext& context,
                     bool only_two) const
    {
        const auto values = [](const ColumnPtr& column)
        {
            return column->form() == ColumnForm::Nullable
                       ? column_as<NullableColumn>(column).nested()
                       : column;
        };
        const auto compare = [&](ComparisonOp op, const ColumnPtr& left, const ColumnPtr& right)
        {
            return compare_columns(op, {values(left), value_type}, {values(right), value_type},
                                   rows, context);
        };
        const ComparisonOp beats = greatest_ ? ComparisonOp::Greater : ComparisonOp::Less;
        PodVector<uint16_t> which(rows);
        // NaN: of two values the second stays unless the first beats it; of more NaN never stays.
        const ColumnPtr wins = only_two ? compare(beats, best, next) : compare(beats, next, best);
        const auto& mask = column_as<VectorColumn<uint8_t>>(wins).data();
        for (size_t i = 0; i < rows; ++i)
            which[i] = mask[i] != (only_two ? 1 : 0);
        if (!only_two && value_type->is_float())
        {
            const ColumnPtr number = compare(ComparisonOp::Equals, best, best);
            const auto& is_number = column_as<VectorColumn<uint8_t>>(number).data();
            for (size_t i = 0; i < rows; ++i)
                which[i] |= is_number[i] ? 0 : 1;
        }
        if (result_type->is_nullable())
            for (size_t i = 0; i < rows; ++i)
                which[i] = best->is_null_at(i) || (which[i] && !next->is_null_at(i));
        return choose_rows(result_type, {{best}, {next}}, which);
    }

    bool greatest_;
};

} // namespace

void register_greatest(ScalarRegistry& registry)
{
    registry.add(
        "greatest", [](const QueryContext&) -> ScalarFunctionPtr
        { return std::make_shared<Extreme>("greatest", true); }, true);
    registry.add(
        "least", [](const QueryContext&) -> ScalarFunctionPtr
        { return std::make_shared<Extreme>("least", false); }, true);
}

} // namespace basalt
