#include "system/system_tables.h"

#include <fmt/format.h>

namespace basalt
{

namespace
{

void fill(Engine& engine, const QueryContext&, RowBuilder& rows)
{
    const auto time = [](int64_t unix_us) { return DecimalValue{Int256(unix_us), 6}; };
    for (const auto& info : engine.backups().infos())
    {
        rows.add_row();
        rows.set("id", info.id);
        rows.set("name", info.name);
        rows.set("base_backup_name", info.base_name);
        rows.set("query_id", info.query_id);
        rows.set_int("status", static_cast<int64_t>(info.status));
        rows.set("error", info.error);
        rows.set_value("start_time", time(info.start_unix_us));
        rows.set_value("end_time", time(info.end_unix_us));
        rows.set_uint("num_files", info.files);
        rows.set_uint("total_size", info.total_bytes);
        rows.set_uint("num_entries", info.entries);
        rows.set_uint("uncompressed_size", info.stored_bytes);
        rows.set_uint("compressed_size", info.stored_bytes);
        rows.set_uint("files_read", info.files_read);
        rows.set_uint("bytes_read", info.bytes_read);
    }
}

} // namespace

void register_backups(SystemTables& tables)
{
    tables.add({"backups",
                parse_header(fmt::format(
                    "id String, name String, base_backup_name String, query_id String, status {}, "
                    "error String, start_time DateTime64(6), end_time DateTime64(6), num_files "
                    "UInt64, total_size UInt64, num_entries UInt64, uncompressed_size UInt64, "
                    "compressed_size UInt64, files_read UInt64, bytes_read UInt64, ProfileEvents "
                    "Map(LowCardinality(String), UInt64)",
                    backup_status_type())),
                fill, ""});
}

} // namespace basalt
