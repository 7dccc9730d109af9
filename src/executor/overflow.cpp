#include "executor/overflow.h"

#include "base/error.h"

#include <fmt/format.h>

namespace basalt
{

namespace
{

std::string scaled(double value, double step, std::initializer_list<const char*> units)
{
    const char* const* unit = units.begin();
    while (value >= step && unit + 1 != units.end())
    {
        value /= step;
        ++unit;
    }
    return fmt::format("{:.2f}{}", value, *unit);
}

std::string readable_rows(uint64_t rows)
{
    return scaled(static_cast<double>(rows), 1000,
                  {"", " thousand", " million", " billion", " trillion", " quadrillion"});
}

std::string readable_bytes(uint64_t bytes)
{
    return scaled(static_cast<double>(bytes), 1024, {" B", " KiB", " MiB", " GiB", " TiB", " PiB"});
}

} // namespace

OverflowMode overflow_mode(const QueryContext& context, std::string_view setting)
{
    const std::string_view mode = context.settings.get(setting);
    if (mode == "break")
        return OverflowMode::Break;
    return mode == "any" ? OverflowMode::Any : OverflowMode::Throw;
}

bool SizeLimit::check(uint64_t rows, uint64_t bytes) const
{
    const bool too_many_rows = max_rows && rows > max_rows;
    if (!too_many_rows && (!max_bytes || bytes <= max_bytes))
        return true;
    if (mode == OverflowMode::Break)
        return false;
    if (too_many_rows)
        throw Error(code, fmt::format("Limit for {} exceeded, max rows: {}, current rows: {}",
                                      what, readable_rows(max_rows), readable_rows(rows)));
    throw Error(code, fmt::format("Limit for {} exceeded, max bytes: {}, current bytes: {}", what,
                                  readable_bytes(max_bytes), readable_bytes(bytes)));
}

} // namespace basalt
