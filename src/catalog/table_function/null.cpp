#include "catalog/function_table.h"

#include <fmt/format.h>

namespace basalt
{

void register_null(Catalog& catalog)
{
    catalog.register_table_function(
        "null",
        [](const std::vector<TableFunctionArgument>& arguments, Catalog&,
           QueryContextPtr) -> TablePtr
        {
            if (arguments.size() > 1)
                throw Error(error_codes::NUMBER_OF_ARGUMENTS_DOESNT_MATCH,
                            "Table function 'null' requires 'structure'.");
            Header header{{"dummy", simple_type(TypeId::UInt8)}};
            if (!arguments.empty())
                header = columns_of_structure(table_function_text(arguments[0], "null"));
            return std::make_shared<BlocksTable>("null", "Null", std::move(header),
                                                 std::vector<Block>{});
        });
}

} // namespace basalt
