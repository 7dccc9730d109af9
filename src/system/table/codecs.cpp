#include "system/system_tables.h"

namespace basalt
{

namespace
{

struct CodecRow
{
    const char* name;
    uint8_t method_byte;
    bool compresses, generic, timeseries;
};

constexpr CodecRow kCodecs[] = {
    {"NONE", 2, false, false, false},     {"LZ4", 130, true, true, false},
    {"LZ4HC", 130, true, true, false},    {"ZSTD", 144, true, true, false},
    {"Multiple", 145, false, false, false}, {"Delta", 146, false, false, false},
    {"T64", 147, true, false, false},     {"DoubleDelta", 148, true, false, true},
    {"Gorilla", 149, true, false, true},  {"GCD", 154, false, false, false},
};

void fill(Engine&, const QueryContext&, RowBuilder& rows)
{
    for (const auto& codec : kCodecs)
    {
        rows.add_row();
        rows.set("name", codec.name);
        rows.set_uint("method_byte", codec.method_byte);
        rows.set_uint("is_compression", codec.compresses);
        rows.set_uint("is_generic_compression", codec.generic);
        rows.set_uint("is_timeseries_codec", codec.timeseries);
    }
}

} // namespace

void register_codecs(SystemTables& tables)
{
    tables.add({"codecs",
                parse_header(
                    "name String, method_byte UInt8, is_compression UInt8, "
                    "is_generic_compression UInt8, is_encryption UInt8, is_timeseries_codec "
                    "UInt8, is_experimental UInt8, description String"),
                fill, ""});
}

} // namespace basalt
