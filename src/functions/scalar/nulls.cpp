// Functions about NULL: isNull, ifNull, coalesce, nullIf, assumeNotNull, toNullable …

#include "base/error.h"
#include "functions/cast.h"
#include "functions/choose_rows.h"
#include "functions/condition_masks.h"
#include "functions/named_function.h"

namespace basalt
{

namespace
{

class NullFunction : public NamedFunction
{
public:
    using NamedFunction::NamedFunction;
    bool default_nulls() const override { return false; }
    bool worth_short_circuit() const override { return false; }
};

// The null map of a column of any form but dictionary; null when there is none.
ColumnPtr null_map_of(const Column& column, size_t rows)
{
    switch (column.form())
    {
        case ColumnForm::Constant:
            if (!column.is_null_at(0))
                return nullptr;
            return std::make_shared<VectorColumn<uint8_t>>(rows, uint8_t{1});
        case ColumnForm::Nullable: return column_as<NullableColumn>(column).null_column();
        case ColumnForm::Nothing: return std::make_shared<VectorColumn<uint8_t>>(rows, uint8_t{1});
        default: return nullptr;
    }
}

class IsNull final : public NullFunction
{
public:
    IsNull(std::string name, bool negated) : NullFunction(std::move(name)), negated_(negated) {}

    TypePtr return_type(const Arguments& arguments) const override
    {
        check_argument_count(*this, arguments.size(), 1);
        return simple_type(TypeId::UInt8);
    }
    ColumnPtr execute(const Arguments& arguments, const TypePtr& result_type, size_t rows,
                      const QueryContext& context) const override
    {
        const ColumnPtr nulls = null_map_of(*arguments[0].column, rows);
        if (!nulls)
            return make_constant(result_type, Value(uint64_t{negated_}), rows);
        if (!negated_)
            return nulls;
        auto result = std::make_shared<VectorColumn<uint8_t>>(rows);
        const auto& map = column_as<VectorColumn<uint8_t>>(nulls).data();
        for (size_t i = 0; i < rows; ++i)
            result->data()[i] = !map[i];
        return result;
    }

private:
    bool negated_;
};

class IsNullable final : public NullFunction
{
public:
    IsNullable() : NullFunction("isNullable") {}
    TypePtr return_type(const Arguments& arguments) const override
    {
        check_argument_count(*this, arguments.size(), 1);
        return simple_type(TypeId::UInt8);
    }
    ColumnPtr execute(const Arguments& arguments, const TypePtr& result_type, size_t rows,
                      const QueryContext& context) const override
    {
        return make_constant(result_type,
                             Value(uint64_t{is_nullable_or_lc_nullable(arguments[0].type)}), rows);
    }
    bool default_low_cardinality() const override { return false; }
};

class IsZeroOrNull final : public NullFunction
{
public:
    IsZeroOrNull() : NullFunction("isZeroOrNull") {}
    TypePtr return_type(const Arguments& arguments) const override
    {
        check_argument_count(*this, arguments.size(), 1);
        const TypePtr plain = remove_nullable(arguments[0].type);
        if (!plain->is_integer() && !plain->is_float() && !plain->is(TypeId::Nothing))
            throw_illegal_type(*this, arguments[0].type);
        return simple_type(TypeId::UInt8);
    }
    ColumnPtr execute(const Arguments& arguments, const TypePtr& result_type, size_t rows,
                      const QueryContext& context) const override
    {
        TernaryMask mask;
        BASALT_ASSERT(column_to_ternary(*arguments[0].column, mask));
        for (auto& value : mask)
            value = value != 1;
        return std::make_shared<VectorColumn<uint8_t>>(std::move(mask));
    }
};

class ToNullable final : public NullFunction
{
public:
    ToNullable() : NullFunction("toNullable") {}
    TypePtr return_type(const Arguments& arguments) const override
    {
        check_argument_count(*this, arguments.size(), 1);
        return make_nullable(arguments[0].type);
    }
    ColumnPtr execute(const Arguments& arguments, const TypePtr& result_type, size_t rows,
                      const QueryContext& context) const override
    {
        return cast_column(arguments[0].column, arguments[0].type, result_type, context);
    }
    bool default_low_cardinality() const override { return false; }
};

class AssumeNotNull final : public NullFunction
{
public:
    AssumeNotNull() : NullFunction("assumeNotNull") {}
    TypePtr return_type(const Arguments& arguments) const override
    {
        check_argument_count(*this, arguments.size(), 1);
        return remove_nullable(arguments[0].type);
    }
    ColumnPtr execute(const Arguments& arguments, const TypePtr& result_type, size_t rows,
                      const QueryContext& context) const override
    {
        const ColumnPtr& column = arguments[0].column;
        if (is_constant(*column))
        {
            const auto& one = column_as<ConstantColumn>(column).nested();
            if (one->form() == ColumnForm::Nullable)
                return std::make_shared<ConstantColumn>(column_as<NullableColumn>(one).nested(),
                                                        rows);
            return column;
        }
        return column->form() == ColumnForm::Nullable ? column_as<NullableColumn>(column).nested()
                                                      : column;
    }
};

// coalesce and ifNull: the first argument that is not NULL.
class Coalesce final : public NullFunction
{
public:
    explicit Coalesce(std::string name) : NullFunction(std::move(name)) {}

    TypePtr return_type(const Arguments& arguments) const override
    {
        if (name() == "ifNull")
            check_argument_count(*this, arguments.size(), 2);
        Types types;
        bool ends = false; // with an argument that cannot be NULL
        for (const auto& argument : arguments)
        {
            if (is_null_type(argument.type))
                continue;
            ends = !argument.type->is_nullable();
            types.push_back(remove_nullable(argument.type));
            if (ends)
                break;
        }
        if (types.empty())
            return make_nullable(simple_type(TypeId::Nothing));
        const TypePtr type = common_type(types);
        return ends ? type : make_nullable(type);
    }

    ColumnPtr execute(const Arguments& arguments, const TypePtr& result_type, size_t rows,
                      const QueryContext& context) const override
    {
        std::vector<ChoiceSource> sources;
        PodVector<uint16_t> which(rows, uint16_t{0});
        PodVector<uint8_t> open(rows, uint8_t{1});
        size_t left = rows;
        for (const auto& argument : arguments)
        {
            if (is_null_type(argument.type) || left == 0)
                continue;
            const ColumnPtr nulls = null_map_of(*argument.column, rows);
            const uint8_t* map =
                nulls ? column_as<VectorColumn<uint8_t>>(nulls).data().data() : nullptr;
            // Below a NULL stands a value that the result may not hold as NULL.
            ColumnPtr column = argument.column;
            TypePtr type = argument.type;
            if (!result_type->is_nullable() && type->is_nullable())
            {
                column = AssumeNotNull().execute({argument}, remove_nullable(type), rows, context);
                type = remove_nullable(type);
            }
            const auto number = static_cast<uint16_t>(sources.size());
            sources.push_back({cast_column(column, type, result_type, context), false});
            for (size_t i = 0; i < rows; ++i)
            {
                const bool taken = open[i] && (!map || !map[i]);
                which[i] = taken ? number : which[i];
                open[i] = open[i] && !taken;
                left -= taken;
            }
        }
        if (left > 0)
        {
            const auto number = static_cast<uint16_t>(sources.size());
            sources.push_back({make_constant(result_type, result_type->default_value(), rows)});
            for (size_t i = 0; i < rows; ++i)
                which[i] = open[i] ? number : which[i];
        }
        if (sources.size() == 1)
            return sources[0].column;
        return choose_rows(result_type, std::move(sources), which);
    }
};

class NullIf final : public NullFunction
{
public:
    NullIf() : NullFunction("nullIf") {}
    TypePtr return_type(const Arguments& arguments) const override
    {
        check_argument_count(*this, arguments.size(), 2);
        return make_nullable(arguments[0].type);
    }
    ColumnPtr execute(const Arguments& arguments, const TypePtr& result_type, size_t rows,
                      const QueryContext& context) const override
    {
        if (is_null_type(arguments[0].type))
            return make_constant(result_type, Null{}, rows);
        const auto equals = scalar_functions().get("equals", context);
        TernaryMask mask;
        const TypePtr type = resolve_type(*equals, arguments);
        BASALT_ASSERT(
            column_to_ternary(*call_function(*equals, arguments, type, rows, context), mask));
        PodVector<uint16_t> which(rows);
        for (size_t i = 0; i < rows; ++i)
            which[i] = mask[i] == 1;
        return choose_rows(
            result_type,
            {{cast_column(arguments[0].column, arguments[0].type, result_type, context)},
             {make_constant(result_type, Null{}, rows)}},
            which);
    }
};

template <class F> ScalarFunctionPtr make(const QueryContext&)
{
    return std::make_shared<F>();
}

} // namespace

void register_nulls(ScalarRegistry& registry)
{
    registry.add(
        "isNull", [](const QueryContext&) -> ScalarFunctionPtr
        { return std::make_shared<IsNull>("isNull", false); }, true);
    registry.add("isNotNull", [](const QueryContext&) -> ScalarFunctionPtr
                 { return std::make_shared<IsNull>("isNotNull", true); });
    registry.add("isNullable", make<IsNullable>);
    registry.add("isZeroOrNull", make<IsZeroOrNull>);
    registry.add("toNullable", make<ToNullable>);
    registry.add("assumeNotNull", make<AssumeNotNull>);
    registry.add(
        "coalesce", [](const QueryContext&) -> ScalarFunctionPtr
        { return std::make_shared<Coalesce>("coalesce"); }, true);
    registry.add(
        "ifNull", [](const QueryContext&) -> ScalarFunctionPtr
        { return std::make_shared<Coalesce>("ifNull"); }, true);
    registry.add("nullIf", make<NullIf>, true);
}

} // namespace basalt
