#include "binder/binder.h"
#include "catalog/function_table.h"
#include "columns/serialization.h"

#include <fmt/format.h>

namespace basalt
{

namespace
{

// values(['a UInt8, b String',] (1, 'x'), (2, 'y'), …)
TablePtr make_values(const std::vector<TableFunctionArgument>& arguments, QueryContextPtr context)
{
    if (arguments.empty())
        throw Error(error_codes::NUMBER_OF_ARGUMENTS_DOESNT_MATCH,
                    "Table function 'values' requires 1 or more arguments");
    for (const TableFunctionArgument& argument : arguments)
        if (!argument.type)
            throw Error(error_codes::BAD_ARGUMENTS,
                        "Arguments of table function 'values' must be constants");
    size_t first = 0;
    Header header;
    if (arguments[0].value.get_if<std::string>() && arguments.size() > 1)
    {
        try
        {
            header = columns_of_structure(arguments[0].value.get<std::string>());
            first = 1;
        }
        catch (const Error&)
        {
            header.clear(); // a row of one string, then
        }
    }
    auto row_values = [](const TableFunctionArgument& row) -> const Values*
    {
        const auto* tuple = row.value.get_if<TupleValue>();
        return tuple ? &tuple->items : nullptr;
    };
    const size_t width = first ? header.size()
                               : (row_values(arguments[0]) ? row_values(arguments[0])->size() : 1);
    std::vector<Types> types(width);
    for (size_t r = first; r < arguments.size(); ++r)
    {
        const bool tuple = row_values(arguments[r]) && (width > 1 || !first ||
                                                        !header[0].type->is(TypeId::Tuple));
        const size_t size = tuple ? row_values(arguments[r])->size() : 1;
        if (size != width)
            throw Error(error_codes::BAD_ARGUMENTS,
                        fmt::format("Values table function requires all rows to have the same "
                                    "number of elements, got {} instead of {}",
                                    size, width));
        for (size_t c = 0; c < width; ++c)
            types[c].push_back(tuple ? type_as<TupleType>(arguments[r].type).elements()[c]
                                     : arguments[r].type);
    }
    if (!first)
        for (size_t c = 0; c < width; ++c)
            header.push_back({fmt::format("c{}", c + 1), common_type(types[c])});
    Block block = Block::empty_of(header);
    std::vector<NamedColumn> columns;
    for (size_t c = 0; c < width; ++c)
    {
        auto column = header[c].type->create_column();
        for (size_t r = first; r < arguments.size(); ++r)
        {
            const Values* row = row_values(arguments[r]);
            const bool tuple = row && (width > 1 || row->size() == 1);
            const Value& value = tuple ? (*row)[c] : arguments[r].value;
            const auto cast = cast_to(Expression::constant(types[c][r - first], value),
                                      header[c].type, *context);
            column->append_value(cast->constant_column()->value_at(0));
        }
        columns.push_back({std::move(column), header[c].type, header[c].name});
    }
    return std::make_shared<BlocksTable>("values", "Values", header,
                                         std::vector<Block>{Block(std::move(columns))});
}

} // namespace

void register_values(Catalog& catalog)
{
    catalog.register_table_function(
        "values", [](const std::vector<TableFunctionArgument>& arguments, Catalog&,
                     QueryContextPtr context) { return make_values(arguments, context); });
}

} // namespace basalt
