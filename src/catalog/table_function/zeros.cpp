#include "catalog/function_table.h"

#include <fmt/format.h>

namespace basalt
{

void register_zeros(Catalog& catalog)
{
    for (const char* name : {"zeros", "zeros_mt"})
    {
        SeriesDescription series;
        series.function = name;
        series.engine = "SystemZeros";
        series.column = "zero";
        series.kind = SeriesDescription::Kind::Zeros;
        catalog.register_table_function(
            name, [series](const std::vector<TableFunctionArgument>& arguments, Catalog&,
                           QueryContextPtr) mutable
            {
                if (arguments.size() > 1)
                    throw Error(error_codes::NUMBER_OF_ARGUMENTS_DOESNT_MATCH,
                                fmt::format("Table function '{}' requires 'limit'.",
                                            series.function));
                series.endless = arguments.empty();
                if (!arguments.empty())
                    series.count = table_function_uint(arguments[0], series.function);
                return make_series_table(series);
            });
        series.endless = true;
        series.name = {"system", name};
        catalog.add_system_table(make_series_table(std::move(series)));
    }
}

} // namespace basalt
