// transform(value, from, to[, otherwise]): replaces listed values.

#include "base/error.h"
#include "functions/cast.h"
#include "functions/choose_rows.h"
#include "functions/named_function.h"

#include <string>
#include <unordered_map>

namespace basalt
{

namespace
{

class Transform final : public NamedFunction
{
public:
    Transform() : NamedFunction("transform") {}

    TypePtr return_type(const Arguments& arguments) const override
    {
        check_argument_count(*this, arguments.size(), 3, 4);
        for (size_t i = 1; i < 3; ++i)
            if (!arguments[i].type->is(TypeId::Array))
                throw_signature();
        const TypePtr& to = items_type(arguments[2]);
        const TypePtr& otherwise = arguments.size() == 4 ? arguments[3].type : arguments[0].type;
        TypePtr type = try_common_type({to, otherwise});
        if (!type)
            throw_signature();
        return type;
    }

    ColumnPtr execute(const Arguments& arguments, const TypePtr& result_type, size_t rows,
                      const QueryContext& context) const override
    {
        const Argument& value = arguments[0];
        const ColumnPtr from = array_items(arguments[1]);
        const ColumnPtr to = array_items(arguments[2]);
        if (from->size() != to->size())
            throw Error(error_codes::BAD_ARGUMENTS,
                        "Second and third arguments of function transform must be arrays of same "
                        "size");
        if (is_null_type(value.type) && arguments.size() == 4)
            return cast_column(arguments[3].column, arguments[3].type, result_type, context);
        const auto numbers = key_numbers(value.type, from, items_type(arguments[1]), context);
        const ColumnPtr values = to_flat(value.column);
        RowIndexes from_rows(rows);
        PodVector<uint16_t> which(rows);
        PodVector<char> key;
        for (size_t i = 0; i < rows; ++i)
        {
            key.clear();
            values->append_key(i, key);
            const auto found = numbers.find(std::string(key.data(), key.size()));
            which[i] = found == numbers.end();
            from_rows[i] = found == numbers.end() ? 0 : found->second;
        }
        const Argument& otherwise = arguments.size() == 4 ? arguments[3] : value;
        const ColumnPtr fallback =
            cast_column(otherwise.column, otherwise.type, result_type, context);
        if (to->empty())
            return fallback;
        const ColumnPtr results =
            to_flat(cast_column(to, items_type(arguments[2]), result_type, context));
        return choose_rows(result_type, {{results->take(from_rows)}, {fallback}}, which);
    }

    bool default_nulls() const override { return false; }
    std::vector<size_t> constant_arguments() const override { return {1, 2}; }

private:
    [[noreturn]] void throw_signature() const
    {
        throw Error(error_codes::ILLEGAL_TYPE_OF_ARGUMENT,
                    "Function transform has signature: transform(T, Array(T), Array(U), U) -> U; "
                    "or transform(T, Array(T), Array(T)) -> T; where T and U are types");
    }

    static const TypePtr& items_type(const Argument& array)
    {
        return type_as<ArrayType>(array.type).nested();
    }

    ColumnPtr array_items(const Argument& argument) const
    {
        if (!is_constant(*argument.column))
            throw Error(error_codes::ILLEGAL_COLUMN,
                        "The second and third arguments of function transform must be constant");
        return column_as<ArrayColumn>(column_as<ConstantColumn>(argument.column).nested()).items();
    }

    // Keys of the values to replace, in the type of the first argument, to their first position.
    static std::unordered_map<std::string, uint32_t>
    key_numbers(const TypePtr& value_type, const ColumnPtr& from, const TypePtr& from_type,
                const QueryContext& context)
    {
        std::unordered_map<std::string, uint32_t> numbers;
        if (from->empty())
            return numbers;
        const bool text_to_other =
            strip_wrappers(from_type)->is_string() != strip_wrappers(value_type)->is_string();
        ColumnPtr keys;
        PodVector<uint8_t> impossible(from->size(), uint8_t{0});
        if (text_to_other || !can_be_inside_nullable(value_type) || value_type->is_nullable() ||
            from_type->is_nullable())
        {
            CastOptions options;
            options.text_or_null = false;
            keys = to_flat(cast_column(from, from_type, value_type, options, context));
        }
        else
        {
            // A number that the type does not hold is never met.
            CastOptions options;
            options.accurate = true;
            options.or_null = true;
            const ColumnPtr tried =
                to_flat(cast_column(from, from_type, make_nullable(value_type), options, context));
            const auto& nullable = column_as<NullableColumn>(tried);
            impossible = nullable.null_map();
            keys = nullable.nested();
        }
        PodVector<char> key;
        for (size_t i = 0; i < keys->size(); ++i)
        {
            if (impossible[i])
                continue;
            key.clear();
            keys->append_key(i, key);
            numbers.emplace(std::string(key.data(), key.size()), static_cast<uint32_t>(i));
        }
        return numbers;
    }
};

} // namespace

void register_transform(ScalarRegistry& registry)
{
    registry.add("transform", [](const QueryContext&) -> ScalarFunctionPtr
                 { return std::make_shared<Transform>(); });
}

} // namespace basalt
