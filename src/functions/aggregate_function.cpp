#include "functions/aggregate_function.h"

namespace basalt
{

void AggregateFunction::add_grouped(std::span<const uint16_t> codes,
                                    std::span<char* const> places, size_t offset,
                                    std::span<const Column* const> arguments, Arena& arena) const
{
    PodVector<char*> of_rows(codes.size());
    for (size_t i = 0; i < codes.size(); ++i)
        of_rows[i] = places[codes[i]];
    add_rows({of_rows.data(), of_rows.size()}, offset, arguments, arena);
}

void AggregateFunction::add_masked(char* place, std::span<const Column* const> arguments,
                                   const uint8_t* mask, size_t rows, Arena& arena) const
{
    Mask kept;
    kept.append(mask, rows);
    const size_t kept_rows = count_kept(kept);
    if (kept_rows == 0)
        return;
    if (kept_rows == rows)
    {
        add_range(place, arguments, 0, rows, arena);
        return;
    }
    Columns filtered;
    std::vector<const Column*> columns;
    for (const Column* argument : arguments)
    {
        filtered.push_back(argument->filter(kept, kept_rows));
        columns.push_back(filtered.back().get());
    }
    add_range(place, columns, 0, kept_rows, arena);
}

} // namespace basalt
