#include "system/system_tables.h"

namespace basalt
{

namespace
{

void fill(Engine& engine, const QueryContext&, RowBuilder& rows)
{
    const std::string& path = engine.options().path;
    if (path.empty())
        return;
    const DiskSpace space = engine.files().space(path);
    rows.add_row();
    rows.set("name", "default");
    rows.set("path", path.ends_with("/") ? path : path + "/");
    rows.set_uint("free_space", space.free_bytes);
    rows.set_uint("total_space", space.total_bytes);
    rows.set_uint("unreserved_space", space.free_bytes);
    rows.set("type", "Local");
    rows.set("object_storage_type", "None");
    rows.set("metadata_type", "None");
}

} // namespace

void register_disks(SystemTables& tables)
{
    tables.add({"disks",
                parse_header(
                    "name String, path String, free_space UInt64, total_space UInt64, "
                    "unreserved_space UInt64, keep_free_space UInt64, type String, "
                    "object_storage_type String, metadata_type String, is_encrypted UInt8, "
                    "is_read_only UInt8, is_write_once UInt8, is_remote UInt8, is_broken UInt8, "
                    "cache_path String"),
                fill, ""});
}

} // namespace basalt
