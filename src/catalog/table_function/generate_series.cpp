#include "catalog/function_table.h"

#include <fmt/format.h>

namespace basalt
{

namespace
{

Int128 integer_argument(const TableFunctionArgument& argument, const std::string& name)
{
    if (const auto* number = argument.value.get_if<uint64_t>())
        return *number;
    if (const auto* number = argument.value.get_if<int64_t>())
        return *number;
    throw Error(error_codes::BAD_ARGUMENTS,
                fmt::format("Table function '{}' requires integers, got {}", name,
                            argument.value.to_text()));
}

TablePtr make_generate_series(const std::string& name,
                              const std::vector<TableFunctionArgument>& arguments)
{
    if (arguments.size() != 2 && arguments.size() != 3)
        throw Error(error_codes::NUMBER_OF_ARGUMENTS_DOESNT_MATCH,
                    fmt::format("Table function '{}' requires 'start, stop' or "
                                "'start, stop, step'.",
                                name));
    const Int128 start = integer_argument(arguments[0], name);
    const Int128 stop = integer_argument(arguments[1], name);
    const Int128 step = arguments.size() == 3 ? integer_argument(arguments[2], name) : 1;
    if (step == 0)
        throw Error(error_codes::INVALID_SETTING_VALUE,
                    fmt::format("Table function '{}' requires a step that is not 0", name));
    SeriesDescription series;
    series.function = name;
    series.engine = "SystemNumbers";
    series.column = "generate_series";
    const bool is_signed = start < 0 || stop < 0;
    series.kind = is_signed ? SeriesDescription::Kind::Signed : SeriesDescription::Kind::Numbers;
    series.first = static_cast<uint64_t>(start);
    series.step = static_cast<uint64_t>(step);
    series.ordered_rows = 1 << 20;
    if (step > 0 ? start <= stop : start >= stop)
        series.count = static_cast<uint64_t>((stop - start) / step + 1);
    return make_series_table(std::move(series));
}

} // namespace

void register_generate_series(Catalog& catalog)
{
    for (const std::string name : {"generate_series", "generateSeries"})
        catalog.register_table_function(
            name, [name](const std::vector<TableFunctionArgument>& arguments, Catalog&,
                         QueryContextPtr) { return make_generate_series(name, arguments); });
}

} // namespace basalt
