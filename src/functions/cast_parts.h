#pragma once

// The parts of cast_column, by kinds of types. All take flat columns of plain types (no Nullable,
// no LowCardinality outside) and return flat ones.

#include "functions/cast.h"

namespace basalt
{

struct CastJob
{
    const QueryContext& context;
    const TextOptions& text;
    CastOptions options;
    // With or_null: one byte per row, set where the value cannot be converted (the result holds
    // anything there); null when failures throw.
    PodVector<uint8_t>* failed = nullptr;

    // Notes a failed row; false when it must be thrown.
    bool note_failure(size_t row) const
    {
        if (failed)
            (*failed)[row] = 1;
        return failed != nullptr;
    }
};

ColumnPtr cast_plain(const ColumnPtr& column, const TypePtr& from, const TypePtr& to,
                     const CastJob& job);
// Null when this part does not know the pair.
ColumnPtr cast_to_text(const Column& column, const TypePtr& from, const TypePtr& to,
                       const CastJob& job);
ColumnPtr cast_from_text(const Column& column, const TypePtr& from, const TypePtr& to,
                         const CastJob& job);
ColumnPtr cast_numbers(const ColumnPtr& column, const TypePtr& from, const TypePtr& to,
                       const CastJob& job);
ColumnPtr cast_decimals(const ColumnPtr& column, const TypePtr& from, const TypePtr& to,
                        const CastJob& job);
ColumnPtr cast_dates(const ColumnPtr& column, const TypePtr& from, const TypePtr& to,
                     const CastJob& job);
ColumnPtr cast_enums(const ColumnPtr& column, const TypePtr& from, const TypePtr& to,
                     const CastJob& job);
ColumnPtr cast_addresses(const ColumnPtr& column, const TypePtr& from, const TypePtr& to,
                         const CastJob& job);
ColumnPtr cast_composite(const ColumnPtr& column, const TypePtr& from, const TypePtr& to,
                         const CastJob& job);

} // namespace basalt
