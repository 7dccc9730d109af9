#include "formats/file_names.h"

#include "base/error.h"
#include "formats/format.h"

#include <fmt/format.h>
#include <span>

namespace basalt
{

namespace
{

std::string lower(std::string_view text)
{
    std::string out(text);
    for (char& c : out)
        if (c >= 'A' && c <= 'Z')
            c = static_cast<char>(c + 32);
    return out;
}

struct Extension
{
    std::string_view extension, meaning;
};

constexpr Extension kCompressions[] = {{"gz", "gzip"}, {"gzip", "gzip"}, {"zst", "zstd"},
                                       {"zstd", "zstd"}, {"lz4", "lz4"}, {"br", "br"},
                                       {"deflate", "deflate"}, {"xz", "xz"}, {"lzma", "xz"},
                                       {"bz2", "bz2"}, {"snappy", "snappy"}};
constexpr Extension kFormats[] = {
    {"csv", "CSV"}, {"tsv", "TSV"}, {"tab", "TSV"}, {"txt", "TSV"},
    {"json", "JSON"}, {"jsonl", "JSONEachRow"}, {"ndjson", "JSONEachRow"}, {"native", "Native"},
    {"tskv", "TSKV"}, {"xml", "XML"}, {"md", "Markdown"}, {"sql", "SQLInsert"},
    {"parquet", "Parquet"}, {"pq", "Parquet"}, {"orc", "ORC"}, {"avro", "Avro"},
    {"arrow", "Arrow"}, {"feather", "Arrow"}, {"arrows", "ArrowStream"},
    {"msgpack", "MsgPack"}, {"messagepack", "MsgPack"}, {"pb", "Protobuf"},
    {"capnp", "CapnProto"}, {"bson", "BSONEachRow"}, {"npy", "Npy"}, {"html", "HTML"}};

std::string extension_of(std::string_view name)
{
    name = name.substr(name.find_last_of('/') + 1);
    const size_t dot = name.find_last_of('.');
    return dot == std::string_view::npos ? "" : lower(name.substr(dot + 1));
}

std::string_view meaning(std::span<const Extension> all, std::string_view extension)
{
    for (const auto& one : all)
        if (one.extension == extension)
            return one.meaning;
    return {};
}

} // namespace

std::optional<std::string> format_of_file_name(std::string_view name)
{
    std::string extension = extension_of(name);
    if (!meaning(kCompressions, extension).empty())
    {
        name = name.substr(0, name.size() - extension.size() - 1);
        extension = extension_of(name);
    }
    // Also a format's own name, as ClickHouse has it: "rows.JSONCompactEachRow".
    if (const auto found = meaning(kFormats, extension); !found.empty())
        return std::string(found);
    if (const auto* entry = extension.empty() ? nullptr : formats().find(extension))
        return entry->name;
    return std::nullopt;
}

std::string compression_method(std::string_view method, std::string_view file_name)
{
    std::string name = lower(method);
    if (name.empty() || name == "auto")
        name = meaning(kCompressions, extension_of(file_name));
    else if (name == "none")
        name.clear();
    else if (const auto by_extension = meaning(kCompressions, name); !by_extension.empty())
        name = by_extension;
    for (const char* known : {"", "gzip", "deflate", "br", "zstd", "lz4"})
        if (name == known)
            return name;
    for (const char* known : {"xz", "bz2", "snappy"})
        if (name == known)
            throw Error(error_codes::NOT_IMPLEMENTED,
                        fmt::format("Compression method {} is not implemented", name));
    throw Error(error_codes::NOT_IMPLEMENTED,
                fmt::format("Unknown compression method '{}'", method));
}

} // namespace basalt
