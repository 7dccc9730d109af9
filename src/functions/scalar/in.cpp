// in, notIn, nullIn, notNullIn and their global forms: membership in a set made beforehand, or in
// an array of the row.

#include "base/error.h"
#include "functions/cast.h"
#include "functions/condition_masks.h"
#include "functions/elementwise.h"
#include "functions/expression.h"
#include "functions/named_function.h"

#include <fmt/format.h>

namespace basalt
{

namespace
{

const ValueSet& set_of(const ColumnPtr& column)
{
    const Column* found = column.get();
    if (is_constant(*found))
        found = column_as<ConstantColumn>(column).nested().get();
    return column_as<SetColumn>(*found).set();
}

ColumnPtr null_map(const ColumnPtr& column, size_t rows)
{
    if (column->form() == ColumnForm::Nullable)
        return column_as<NullableColumn>(column).null_column();
    auto nulls = std::make_shared<VectorColumn<uint8_t>>(rows);
    for (size_t i = 0; i < rows; ++i)
        nulls->data()[i] = column->is_null_at(i);
    return nulls;
}

class In final : public NamedFunction
{
public:
    // nulls_match: NULL is found like any value (transform_null_in).
    In(std::string name, bool negated, bool nulls_match)
        : NamedFunction(std::move(name)), negated_(negated), nulls_match_(nulls_match)
    {
    }

    TypePtr return_type(const Arguments& arguments) const override
    {
        check_argument_count(*this, arguments.size(), 2);
        const TypePtr& right = arguments[1].type;
        if (!right->is(TypeId::Set) && !right->is(TypeId::Array))
            throw Error(error_codes::ILLEGAL_TYPE_OF_ARGUMENT,
                        fmt::format("Illegal type {} of second argument of function {}. It must "
                                    "be a set or an array",
                                    right->name(), name()));
        const TypePtr& left = arguments[0].type;
        if (nulls_match_)
            return simple_type(TypeId::UInt8);
        if (is_null_type(left))
            return left;
        return left->is_nullable() ? make_nullable(simple_type(TypeId::UInt8))
                                   : simple_type(TypeId::UInt8);
    }

    ColumnPtr execute(const Arguments& arguments, const TypePtr& result_type, size_t rows,
                      const QueryContext& context) const override
    {
        const Argument& left = arguments[0];
        if (is_null_type(result_type))
            return make_constant(result_type, Null{}, rows);
        Mask mask;
        if (arguments[1].type->is(TypeId::Array))
            find_in_arrays(left, arguments[1], rows, context, mask);
        else
            find_in_set(left, set_of(arguments[1].column), rows, context, mask);
        if (negated_)
            for (auto& found : mask)
                found ^= 1;
        auto result = std::make_shared<VectorColumn<uint8_t>>(std::move(mask));
        if (!result_type->is_nullable())
            return result;
        return NullableColumn::make(result, null_map(left.column, rows));
    }

    bool default_nulls() const override { return false; }
    std::vector<size_t> constant_arguments() const override { return {1}; }
    bool worth_short_circuit() const override { return false; }

private:
    void find_in_set(const Argument& left, const ValueSet& set, size_t rows,
                     const QueryContext& context, Mask& mask) const
    {
        const Types& key_types = set.key_types();
        if (set.size() == 0)
        {
            mask.assign(rows, 0);
            return;
        }
        Arguments parts;
        const TypePtr tuple = remove_nullable(left.type);
        const bool split = tuple->is(TypeId::Tuple) &&
                           type_as<TupleType>(tuple).elements().size() == key_types.size() &&
                           !(key_types.size() == 1 && key_types[0]->is(TypeId::Tuple));
        if (split)
            for (size_t i = 0; i < key_types.size(); ++i)
                parts.push_back(tuple_element({left.column, tuple}, i));
        else
            parts.push_back(left);
        if (parts.size() != key_types.size())
            throw Error(error_codes::NUMBER_OF_COLUMNS_DOESNT_MATCH,
                        fmt::format("Number of columns in section IN doesn't match. {} at left, "
                                    "{} at right",
                                    parts.size(), key_types.size()));
        Columns keys;
        PodVector<uint8_t> impossible(rows, uint8_t{0});
        for (size_t i = 0; i < parts.size(); ++i)
            keys.push_back(as_key(parts[i], key_types[i], rows, context, impossible));
        set.contains(keys, mask);
        for (size_t i = 0; i < rows; ++i)
            mask[i] &= !impossible[i];
    }

    // The key in the set's type; rows that have no such value, or NULL that is never found, are
    // noted as impossible.
    ColumnPtr as_key(const Argument& part, const TypePtr& wrapped, size_t rows,
                     const QueryContext& context, PodVector<uint8_t>& impossible) const
    {
        const TypePtr type = remove_low_cardinality(wrapped);
        const TypePtr from = remove_low_cardinality(part.type);
        if (same_type(from, type) && !from->is_nullable())
            return to_flat(part.column);
        CastOptions options;
        options.accurate = true;
        options.or_null = true;
        const TypePtr plain = remove_nullable(type);
        if (!can_be_inside_nullable(plain))
            return to_flat(cast_column(part.column, from, type, context));
        const ColumnPtr tried =
            to_flat(cast_column(part.column, from, make_nullable(plain), options, context));
        const auto& nullable = column_as<NullableColumn>(tried);
        const bool keeps_null = nulls_match_ && type->is_nullable();
        const ColumnPtr flat = to_flat(part.column);
        for (size_t i = 0; i < rows; ++i)
        {
            if (!nullable.null_map()[i])
                continue;
            const bool real_null = flat->is_null_at(i);
            impossible[i] |= !(real_null && keeps_null);
        }
        return type->is_nullable() ? tried : nullable.nested();
    }

    void find_in_arrays(const Argument& left, const Argument& right, size_t rows,
                        const QueryContext& context, Mask& mask) const
    {
        const ColumnPtr flat = to_flat(right.column);
        const auto& array = column_as<ArrayColumn>(flat);
        const TypePtr& items = type_as<ArrayType>(right.type).nested();
        mask.assign(rows, 0);
        if (array.items()->empty())
            return;
        const auto equals =
            scalar_functions().get(nulls_match_ ? "isNotDistinctFrom" : "equals", context);
        const Arguments pair{{to_flat(left.column)->replicate(array.offsets()), left.type},
                             {array.items(), items}};
        TernaryMask found;
        BASALT_ASSERT(column_to_ternary(
            *call_function(*equals, pair, resolve_type(*equals, pair), array.items()->size(),
                           context),
            found));
        for (size_t i = 0; i < rows; ++i)
            for (size_t j = array.begin_of(i); j < array.offsets()[i]; ++j)
                mask[i] |= found[j] == 1;
    }

    bool negated_;
    bool nulls_match_;
};

} // namespace

#define BASALT_IN(NAME, NEGATED, NULLS)                                                            \
    registry.add(NAME, [](const QueryContext&) -> ScalarFunctionPtr                                \
                 { return std::make_shared<In>(NAME, NEGATED, NULLS); });

void register_in(ScalarRegistry& registry)
{
    BASALT_IN("in", false, false)
    BASALT_IN("notIn", true, false)
    BASALT_IN("globalIn", false, false)
    BASALT_IN("globalNotIn", true, false)
    BASALT_IN("nullIn", false, true)
    BASALT_IN("notNullIn", true, true)
    BASALT_IN("globalNullIn", false, true)
    BASALT_IN("globalNotNullIn", true, true)
}

#undef BASALT_IN

} // namespace basalt
