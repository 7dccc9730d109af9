// What PostgreSQL's clients mean where nothing of ours does: postgresTypeName(oid, modifier) is its
// format_type, postgresDivide(a, b) its operator /, postgresWide(x) what its sums add up. The
// parser's dialect writes them.

#include "base/error.h"
#include "columns/postgres_type.h"
#include "functions/named_function.h"
#include "functions/numeric_convert.h"
#include "functions/physical_dispatch.h"

namespace basalt
{

namespace
{

class PostgresTypeName final : public NamedFunction
{
public:
    PostgresTypeName() : NamedFunction("postgresTypeName") {}
    TypePtr return_type(const Arguments& arguments) const override
    {
        check_argument_count(*this, arguments.size(), 2);
        for (const Argument& argument : arguments)
            if (!argument.type->is_integer())
                throw_illegal_type(*this, argument.type);
        return simple_type(TypeId::String);
    }
    ColumnPtr execute(const Arguments& arguments, const TypePtr&, size_t rows,
                      const QueryContext&) const override
    {
        const auto numbers = [&](size_t i)
        {
            return convert_numbers(to_flat(arguments[i].column), arguments[i].type->physical(),
                                   PhysicalType::Int64);
        };
        const ColumnPtr oids = numbers(0), modifiers = numbers(1);
        const VectorView<int64_t> oid(*oids), modifier(*modifiers);
        auto result = std::make_shared<StringColumn>();
        for (size_t i = 0; i < rows; ++i)
            result->append(postgres_type_name(static_cast<uint32_t>(oid[i]), modifier[i]));
        return result;
    }
};

// Between integers the whole part, towards zero.
class PostgresDivide final : public NamedFunction
{
public:
    explicit PostgresDivide(const QueryContext& context)
        : NamedFunction("postgresDivide"), whole_(scalar_functions().get("intDiv", context)),
          real_(scalar_functions().get("divide", context))
    {
    }
    TypePtr return_type(const Arguments& arguments) const override
    {
        check_argument_count(*this, arguments.size(), 2);
        for (const Argument& argument : arguments)
            if (argument.type->is_decimal())
                throw Error(error_codes::NOT_IMPLEMENTED,
                            "Division of numeric with PostgreSQL's digits is not implemented");
        return chosen(arguments).return_type(arguments);
    }
    ColumnPtr execute(const Arguments& arguments, const TypePtr& type, size_t rows,
                      const QueryContext& context) const override
    {
        return chosen(arguments).execute(arguments, type, rows, context);
    }

private:
    const ScalarFunction& chosen(const Arguments& arguments) const
    {
        return arguments[0].type->is_integer() && arguments[1].type->is_integer() ? *whole_ : *real_;
    }

    ScalarFunctionPtr whole_, real_;
};

// Integers of 64 bits with room for sums; all others as they are.
class PostgresWide final : public NamedFunction
{
public:
    explicit PostgresWide(const QueryContext& context)
        : NamedFunction("postgresWide"), wide_(scalar_functions().get("toInt128", context))
    {
    }
    TypePtr return_type(const Arguments& arguments) const override
    {
        check_argument_count(*this, arguments.size(), 1);
        return is_long(arguments[0].type) ? wide_->return_type(arguments) : arguments[0].type;
    }
    ColumnPtr execute(const Arguments& arguments, const TypePtr& type, size_t rows,
                      const QueryContext& context) const override
    {
        return is_long(arguments[0].type) ? wide_->execute(arguments, type, rows, context)
                                          : arguments[0].column;
    }

private:
    static bool is_long(const TypePtr& type)
    {
        return type->is(TypeId::Int64) || type->is(TypeId::UInt64);
    }

    ScalarFunctionPtr wide_;
};

} // namespace

void register_postgres_names(ScalarRegistry& registry)
{
    registry.add("postgresTypeName", [](const QueryContext&) -> ScalarFunctionPtr
                 { return std::make_shared<PostgresTypeName>(); });
    registry.add("postgresWide", [](const QueryContext& context) -> ScalarFunctionPtr
                 { return std::make_shared<PostgresWide>(context); });
    registry.add("postgresDivide", [](const QueryContext& context) -> ScalarFunctionPtr
                 { return std::make_shared<PostgresDivide>(context); });
}

} // namespace basalt
