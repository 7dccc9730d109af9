// and, or, xor, not: three-valued, over any numbers.

#include "base/error.h"
#include "functions/condition_masks.h"
#include "functions/named_function.h"

#include <fmt/format.h>

namespace basalt
{

namespace
{

enum class LogicalOp : uint8_t
{
    And,
    Or,
    Xor,
    Not,
};

class Logical final : public NamedFunction
{
public:
    Logical(std::string name, LogicalOp op) : NamedFunction(std::move(name)), op_(op) {}

    TypePtr return_type(const Arguments& arguments) const override
    {
        if (op_ == LogicalOp::Not)
            check_argument_count(*this, arguments.size(), 1);
        else
            check_enough_arguments(*this, arguments.size(), 2);
        bool any_bool = false;
        bool any_nullable = false;
        bool any_null_literal = false;
        for (size_t i = 0; i < arguments.size(); ++i)
        {
            const TypePtr& type = arguments[i].type;
            const TypePtr plain = strip_wrappers(type);
            if (!plain->is_integer() && !plain->is_float() && !plain->is(TypeId::Nothing))
                throw Error(error_codes::ILLEGAL_TYPE_OF_ARGUMENT,
                            fmt::format("Illegal type ({}) of {} argument of function {}",
                                        type->name(), i + 1, name()));
            any_bool = any_bool || plain->is(TypeId::Bool);
            any_nullable = any_nullable || is_nullable_or_lc_nullable(type);
            any_null_literal = any_null_literal || plain->is(TypeId::Nothing);
        }
        const bool strict = op_ == LogicalOp::Not || op_ == LogicalOp::Xor;
        if (any_null_literal && strict)
            return make_nullable(simple_type(TypeId::Nothing));
        const TypePtr& result = simple_type(any_bool ? TypeId::Bool : TypeId::UInt8);
        return any_nullable ? make_nullable(result) : result;
    }

    ColumnPtr execute(const Arguments& arguments, const TypePtr& result_type, size_t rows,
                      const QueryContext& context) const override
    {
        if (strip_wrappers(result_type)->is(TypeId::Nothing))
            return make_constant(result_type, Null{}, rows);
        TernaryMask result;
        BASALT_ASSERT(column_to_ternary(*arguments[0].column, result));
        for (size_t i = 1; i < arguments.size(); ++i)
        {
            TernaryMask next;
            BASALT_ASSERT(column_to_ternary(*arguments[i].column, next));
            combine(result, next, result_type->is_nullable());
        }
        if (op_ == LogicalOp::Not)
            for (auto& value : result)
                value = value == kTernaryNull ? kTernaryNull : value ^ 1;
        if (!result_type->is_nullable())
            return std::make_shared<VectorColumn<uint8_t>>(std::move(result));
        auto nulls = std::make_shared<VectorColumn<uint8_t>>(rows);
        for (size_t i = 0; i < rows; ++i)
        {
            nulls->data()[i] = result[i] == kTernaryNull;
            result[i] = result[i] == 1;
        }
        return NullableColumn::make(std::make_shared<VectorColumn<uint8_t>>(std::move(result)),
                                    nulls);
    }

    // A constant that decides makes the rest irrelevant.
    ColumnPtr constant_result(const Arguments& arguments, const TypePtr& result_type,
                              const QueryContext& context) const override
    {
        if (op_ != LogicalOp::And && op_ != LogicalOp::Or)
            return nullptr;
        for (const auto& argument : arguments)
        {
            TernaryMask one;
            if (argument.column && column_to_ternary(*argument.column, one) &&
                one[0] == (op_ == LogicalOp::And ? 0 : 1))
            {
                auto column = remove_low_cardinality(result_type)->create_column();
                column->append_value(Value(uint64_t{one[0]}));
                return column;
            }
        }
        return nullptr;
    }

    bool default_nulls() const override { return false; }
    bool worth_short_circuit() const override { return false; }

private:
    void combine(TernaryMask& result, const TernaryMask& next, bool nullable) const
    {
        const size_t rows = result.size();
        if (op_ == LogicalOp::Xor)
        {
            for (size_t i = 0; i < rows; ++i)
                result[i] = result[i] == kTernaryNull || next[i] == kTernaryNull
                                ? kTernaryNull
                                : result[i] ^ next[i];
            return;
        }
        if (!nullable)
        {
            if (op_ == LogicalOp::And)
                for (size_t i = 0; i < rows; ++i)
                    result[i] &= next[i];
            else
                for (size_t i = 0; i < rows; ++i)
                    result[i] |= next[i];
            return;
        }
        const uint8_t deciding = op_ == LogicalOp::And ? 0 : 1;
        for (size_t i = 0; i < rows; ++i)
        {
            const uint8_t a = result[i];
            const uint8_t b = next[i];
            if (a == deciding || b == deciding)
                result[i] = deciding;
            else
                result[i] = a == kTernaryNull || b == kTernaryNull ? kTernaryNull
                                                                   : uint8_t(deciding ^ 1);
        }
    }

    LogicalOp op_;
};

} // namespace

#define BASALT_LOGICAL(NAME, OP, CASE_INSENSITIVE)                                                 \
    registry.add(                                                                                  \
        NAME,                                                                                      \
        [](const QueryContext&) -> ScalarFunctionPtr                                               \
        { return std::make_shared<Logical>(NAME, LogicalOp::OP); },                                \
        CASE_INSENSITIVE);

void register_logical(ScalarRegistry& registry)
{
    BASALT_LOGICAL("and", And, false)
    BASALT_LOGICAL("or", Or, false)
    BASALT_LOGICAL("xor", Xor, false)
    BASALT_LOGICAL("not", Not, true)
}

#undef BASALT_LOGICAL

} // namespace basalt
