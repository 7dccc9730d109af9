// PARTITION … of ALTER and OPTIMIZE.

#include "engine/mutation.h"

#include "base/error.h"
#include "binder/binder.h"
#include "columns/serialization.h"
#include "sql/formatter.h"
#include "storage/mergetree/partition.h"

#include <fmt/format.h>

namespace basalt
{

namespace
{

AstList fields_of(const AstPtr& value)
{
    if (const auto* tuple = value->as<AstFunction>(); tuple && tuple->name == "tuple")
        return tuple->arguments;
    return {value};
}

Value convert_field(const Ast& ast, const TypePtr& type, const QueryContext& context)
{
    const ConstantValue constant = bind_constant(ast, context, "A partition value");
    const bool is_text = constant.value.get_if<std::string>() != nullptr;
    const auto mismatch = [&]
    {
        return Error(error_codes::TYPE_MISMATCH,
                     fmt::format("Cannot convert {} {} to type {}", is_text ? "string" : "value",
                                 constant.value.to_text(), type->name()));
    };
    if (constant.value.is_null() && type->is_nullable())
        return constant.value;
    TextOptions options;
    options.session_timezone = context.timezone();
    std::optional<Value> converted;
    try
    {
        converted = convert_value(constant.value, strip_wrappers(type), options,
                                  is_text ? nullptr : constant.type);
    }
    catch (const Error&)
    {
        throw mismatch();
    }
    if (!converted)
        throw mismatch();
    return *converted;
}

} // namespace

std::string partition_id_of_ast(const AstPartition& partition, const TableMetadata& metadata,
                                const QueryContext& context)
{
    if (partition.id)
    {
        const auto* literal = partition.id->as<AstLiteral>();
        if (!literal)
            throw Error(error_codes::BAD_ARGUMENTS, "A partition ID must be a string literal");
        return literal->text;
    }
    const auto& expressions = metadata.partition_key.expressions;
    AstList fields = fields_of(partition.value);
    // A literal tuple, (1, 'a').
    Values folded;
    Value whole;
    if (fields.size() == 1 && literal_value(*partition.value, whole))
        if (const auto* tuple = whole.get_if<TupleValue>())
            folded = tuple->items;
    const size_t count = folded.empty() ? fields.size() : folded.size();
    if (count != expressions.size())
        throw Error(error_codes::INVALID_PARTITION_VALUE,
                    fmt::format("Wrong number of fields in the partition expression: {}, must be: "
                                "{}",
                                count, expressions.size()));
    Values values;
    Types types;
    for (size_t i = 0; i < expressions.size(); ++i)
    {
        const TypePtr& type = expressions[i]->type();
        types.push_back(type);
        if (folded.empty())
        {
            values.push_back(convert_field(*fields[i], type, context));
            continue;
        }
        const auto converted = convert_value(folded[i], strip_wrappers(type));
        if (!converted)
            throw Error(error_codes::TYPE_MISMATCH,
                        fmt::format("Cannot convert value {} to type {}", folded[i].to_text(),
                                    type->name()));
        values.push_back(*converted);
    }
    return partition_id_of(values, types);
}

} // namespace basalt
