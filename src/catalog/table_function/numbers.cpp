#include "catalog/function_table.h"

#include <fmt/format.h>

namespace basalt
{

namespace
{

// numbers() keeps the order of rows up to here; numbers_mt() never promises one.
constexpr uint64_t kOrderedRows = 1 << 20;

TablePtr make_numbers(const std::string& name, const std::vector<TableFunctionArgument>& arguments,
                      bool parallel)
{
    SeriesDescription series;
    series.function = name;
    series.engine = "SystemNumbers";
    series.column = "number";
    series.ordered_rows = parallel ? 0 : kOrderedRows;
    if (arguments.size() > 3)
        throw Error(error_codes::NUMBER_OF_ARGUMENTS_DOESNT_MATCH,
                    fmt::format("Table function '{}' requires 'limit' or 'offset, limit' or "
                                "'offset, limit, step'.",
                                name));
    if (arguments.empty())
        series.endless = true;
    else if (arguments.size() == 1)
        series.count = table_function_uint(arguments[0], name);
    else
    {
        series.first = table_function_uint(arguments[0], name);
        series.count = table_function_uint(arguments[1], name);
    }
    if (arguments.size() == 3)
    {
        series.step = table_function_uint(arguments[2], name);
        if (series.step == 0)
            throw Error(error_codes::BAD_ARGUMENTS,
                        fmt::format("Table function '{}' requires a step above 0", name));
        series.count = series.count / series.step + (series.count % series.step != 0);
    }
    return make_series_table(std::move(series));
}

} // namespace

void register_numbers(Catalog& catalog)
{
    for (const bool parallel : {false, true})
    {
        const std::string name = parallel ? "numbers_mt" : "numbers";
        catalog.register_table_function(
            name, [name, parallel](const std::vector<TableFunctionArgument>& arguments, Catalog&,
                                   QueryContextPtr)
            { return make_numbers(name, arguments, parallel); });
        SeriesDescription series;
        series.function = name;
        series.engine = "SystemNumbers";
        series.column = "number";
        series.endless = true;
        series.ordered_rows = parallel ? 0 : ~uint64_t{0};
        series.name = {"system", name};
        catalog.add_system_table(make_series_table(std::move(series)));
    }
}

} // namespace basalt
