#pragma once

// The filter that columns of ids get without being asked for: one entry for each page. Named in
// parts only; the table's metadata does not know it.

#include "storage/table.h"

#include <optional>

namespace basalt
{

inline constexpr const char* kIdFilterType = "id_filter";
inline constexpr const char* kIdFilterPrefix = "auto_id_filter_index_";
inline constexpr const char* kAutoIndexSetting = "basalt_auto_index"; // of a table

// What a column's filter would be called and be.
IndexDescription id_filter_of(const std::string& column, const TypePtr& type, size_t granule_rows);
// Whether a page of the column looks like ids: hexadecimal texts or UUIDs, hardly repeated.
bool looks_like_ids(const Column& page, const TypePtr& type);

} // namespace basalt
