#include "system/system_tables.h"

#include "formats/format.h"

namespace basalt
{

namespace
{

void fill(Engine&, const QueryContext&, RowBuilder& rows)
{
    for (const auto* format : formats().entries())
    {
        rows.add_row();
        rows.set("name", format->name);
        rows.set_uint("is_input", format->input != nullptr);
        rows.set_uint("is_output", format->output != nullptr);
        rows.set_uint("supports_parallel_parsing", format->row_border != nullptr);
        rows.set_uint("is_tty_friendly", !format->is_binary);
        rows.set("content_type", format->content_type);
    }
}

} // namespace

void register_formats(SystemTables& tables)
{
    tables.add({"formats",
                parse_header(
                    "name String, is_input UInt8, is_output UInt8, "
                    "supports_parallel_parsing UInt8, supports_parallel_formatting UInt8, "
                    "is_tty_friendly UInt8, content_type String, "
                    "supports_random_access UInt8, has_schema_inference UInt8, "
                    "has_external_schema UInt8, prefers_large_blocks UInt8, "
                    "supports_append UInt8, supports_subsets_of_columns UInt8, "
                    "description String, examples String, introduced_in String, "
                    "related Array(String)"),
                fill, ""});
}

} // namespace basalt
