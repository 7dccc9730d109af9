#pragma once

// Sizes and bounds of texts that are templates and slots, or digits, without writing them.

#include "encodings/hex_column.h"
#include "encodings/page.h"
#include "encodings/template_column.h"
#include "encodings/template_siblings.h"

namespace basalt::inline encodings
{

struct TextTotals
{
    size_t bytes = 0;        // of the texts
    size_t binary_bytes = 0; // as ClickHouse would count them, with the lengths
};

TextTotals totals_of(const TemplateColumn& column, const SiblingColumns& siblings);
TextTotals totals_of(const HexColumn& column);

// Templates: bounds from what their texts begin with; none when one begins with a slot.
PageStatistics statistics_of(const TemplateColumn& column);
PageStatistics statistics_of(const HexColumn& column);

} // namespace basalt::encodings
