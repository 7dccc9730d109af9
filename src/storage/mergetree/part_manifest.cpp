#include "storage/mergetree/part_manifest.h"

#include "base/error.h"
#include "base/unaligned.h"
#include "codecs/hash.h"
#include "storage/log/record.h"
#include "storage/value_bytes.h"

#include <fmt/format.h>

namespace basalt
{

namespace
{

constexpr std::string_view kMagic = "BasaltPT";
constexpr uint32_t kVersion = 1;
constexpr uint64_t kMaxListItems = 1 << 20;

void append_section(std::string& out, const FileSection& section)
{
    append_varint(out, section.file);
    append_varint(out, section.offset);
    append_varint(out, section.size);
    out.append(reinterpret_cast<const char*>(&section.checksum), sizeof section.checksum);
}

template <class T> T take_fixed(std::string_view& bytes)
{
    if (bytes.size() < sizeof(T))
        throw Error(error_codes::CORRUPTED_DATA, "Damaged manifest: it is cut off");
    const T value = load<T>(bytes.data());
    bytes.remove_prefix(sizeof(T));
    return value;
}

FileSection take_section(std::string_view& bytes)
{
    FileSection section;
    section.file = static_cast<uint32_t>(take_varint(bytes));
    section.offset = take_varint(bytes);
    section.size = take_varint(bytes);
    section.checksum = take_fixed<uint64_t>(bytes);
    return section;
}

void append_optional(std::string& out, const std::optional<Value>& value)
{
    out.push_back(value ? 1 : 0);
    if (value)
        append_value(out, *value);
}

std::optional<Value> take_optional(std::string_view& bytes)
{
    if (take_fixed<uint8_t>(bytes) == 0)
        return std::nullopt;
    return take_value(bytes);
}

uint64_t take_count(std::string_view& bytes)
{
    const uint64_t count = take_varint(bytes);
    if (count > kMaxListItems)
        throw Error(error_codes::CORRUPTED_DATA, "Damaged manifest: a list is too long");
    return count;
}

} // namespace

int PartManifest::find_column(std::string_view name) const
{
    for (size_t i = 0; i < columns.size(); ++i)
        if (columns[i].name == name)
            return static_cast<int>(i);
    return -1;
}

std::string PartManifest::encode() const
{
    std::string out;
    append_varint(out, rows);
    append_varint(out, granule_rows);
    append_varint(out, static_cast<uint64_t>(created_unix_s));
    append_varint(out, metadata_version);
    append_value(out, TupleValue{partition});
    append_varint(out, files.size());
    for (const auto& file : files)
    {
        append_text(out, file.name);
        append_varint(out, file.size);
    }
    append_varint(out, columns.size());
    for (const auto& column : columns)
    {
        append_text(out, column.name);
        append_text(out, column.type);
        append_text(out, column.codec);
        append_varint(out, column.file);
        append_section(out, column.pages);
        append_section(out, column.shared);
        append_varint(out, column.compressed_bytes);
        append_varint(out, column.uncompressed_bytes);
        append_varint(out, column.has_nulls);
        append_optional(out, column.statistics.min);
        append_optional(out, column.statistics.max);
    }
    append_varint(out, indexes.size());
    for (const auto& index : indexes)
    {
        append_text(out, index.name);
        append_text(out, index.type);
        append_text(out, index.expression);
        append_text(out, index.arguments);
        append_varint(out, index.granularity);
        append_section(out, index.section);
        append_varint(out, index.uncompressed_bytes);
    }
    append_section(out, primary_index);
    append_text(out, sorting_key);
    return out;
}

PartManifest PartManifest::decode(std::string_view bytes)
{
    PartManifest manifest;
    manifest.rows = take_varint(bytes);
    manifest.granule_rows = static_cast<uint32_t>(take_varint(bytes));
    if (manifest.granule_rows == 0)
        throw Error(error_codes::CORRUPTED_DATA, "Damaged manifest: granules without rows");
    manifest.created_unix_s = static_cast<int64_t>(take_varint(bytes));
    manifest.metadata_version = take_varint(bytes);
    const Value partition = take_value(bytes);
    if (const auto* tuple = partition.get_if<TupleValue>())
        manifest.partition = tuple->items;
    for (uint64_t n = take_count(bytes); n > 0; --n)
    {
        PartFile file;
        file.name = take_text(bytes);
        file.size = take_varint(bytes);
        manifest.files.push_back(std::move(file));
    }
    for (uint64_t n = take_count(bytes); n > 0; --n)
    {
        ColumnManifest column;
        column.name = take_text(bytes);
        column.type = take_text(bytes);
        column.codec = take_text(bytes);
        column.file = static_cast<uint32_t>(take_varint(bytes));
        column.pages = take_section(bytes);
        column.shared = take_section(bytes);
        column.compressed_bytes = take_varint(bytes);
        column.uncompressed_bytes = take_varint(bytes);
        column.has_nulls = take_varint(bytes) != 0;
        column.statistics.min = take_optional(bytes);
        column.statistics.max = take_optional(bytes);
        manifest.columns.push_back(std::move(column));
    }
    for (uint64_t n = take_count(bytes); n > 0; --n)
    {
        IndexManifest index;
        index.name = take_text(bytes);
        index.type = take_text(bytes);
        index.expression = take_text(bytes);
        index.arguments = take_text(bytes);
        index.granularity = static_cast<uint32_t>(take_varint(bytes));
        index.section = take_section(bytes);
        index.uncompressed_bytes = take_varint(bytes);
        manifest.indexes.push_back(std::move(index));
    }
    manifest.primary_index = take_section(bytes);
    manifest.sorting_key = take_text(bytes);
    return manifest;
}

std::string part_file_end(const PartManifest& manifest, uint64_t offset)
{
    std::string out = manifest.encode();
    const uint64_t size = out.size();
    const uint64_t checksum = xxh3_64(out.data(), out.size());
    out.append(reinterpret_cast<const char*>(&offset), sizeof offset);
    const auto size_and_version = static_cast<uint64_t>(size) << 8 | kVersion;
    out.append(reinterpret_cast<const char*>(&size_and_version), sizeof size_and_version);
    out.append(reinterpret_cast<const char*>(&checksum), sizeof checksum);
    out.append(kMagic);
    return out;
}

PartManifest read_part_manifest(FileSystem& files, const std::string& directory)
{
    constexpr uint64_t kFirstRead = 16 << 10;
    const std::string path = join_path(directory, kPartFileName);
    const auto file = files.open_for_read(path);
    const uint64_t size = file->size();
    if (size < kPartFooterBytes)
        throw Error(error_codes::CORRUPTED_DATA, fmt::format("{} is too short", path));
    std::string end(std::min(size, kFirstRead), '\0');
    file->read_exact(end.data(), end.size(), size - end.size());
    const char* footer = end.data() + end.size() - kPartFooterBytes;
    if (std::string_view(footer + 24, 8) != kMagic)
        throw Error(error_codes::CORRUPTED_DATA, fmt::format("{} has no footer", path));
    const auto offset = load<uint64_t>(footer);
    const auto size_and_version = load<uint64_t>(footer + 8);
    const uint64_t checksum = load<uint64_t>(footer + 16);
    if ((size_and_version & 0xFF) != kVersion)
        throw Error(error_codes::UNKNOWN_FORMAT_VERSION,
                    fmt::format("{} was written by a newer version", path));
    const uint64_t manifest_size = size_and_version >> 8;
    if (offset > size || offset + manifest_size + kPartFooterBytes != size)
        throw Error(error_codes::CORRUPTED_DATA, fmt::format("{} has a damaged footer", path));
    std::string bytes;
    if (manifest_size + kPartFooterBytes <= end.size())
        bytes = end.substr(end.size() - kPartFooterBytes - manifest_size, manifest_size);
    else
    {
        bytes.resize(manifest_size);
        file->read_exact(bytes.data(), bytes.size(), offset);
    }
    if (xxh3_64(bytes.data(), bytes.size()) != checksum)
        throw Error(error_codes::CHECKSUM_DOESNT_MATCH,
                    fmt::format("Checksum of the manifest in {} does not match", path));
    PartManifest manifest = PartManifest::decode(bytes);
    manifest.bytes_on_disk = size;
    for (size_t i = 1; i < manifest.files.size(); ++i)
    {
        const auto& listed = manifest.files[i];
        const auto status = files.status(join_path(directory, listed.name));
        if (!status)
            throw Error(error_codes::NO_FILE_IN_DATA_PART,
                        fmt::format("File {} of part {} is missing", listed.name, directory));
        if (status->size_bytes != listed.size)
            throw Error(error_codes::BAD_SIZE_OF_FILE_IN_DATA_PART,
                        fmt::format("File {} of part {} has {} bytes instead of {}", listed.name,
                                    directory, status->size_bytes, listed.size));
        manifest.bytes_on_disk += listed.size;
    }
    return manifest;
}

void PageTable::add(const PageEntry& entry, const PageStatistics& statistics)
{
    entries.push_back(entry);
    min.push_back(statistics.min);
    max.push_back(statistics.max);
}

std::string PageTable::encode() const
{
    std::string out;
    append_varint(out, entries.size());
    for (size_t i = 0; i < entries.size(); ++i)
    {
        const auto& entry = entries[i];
        append_varint(out, entry.offset);
        append_varint(out, entry.size);
        out.append(reinterpret_cast<const char*>(&entry.checksum), sizeof entry.checksum);
        append_varint(out, entry.rows);
        append_varint(out, entry.null_count);
        append_varint(out, entry.uncompressed_bytes);
        append_optional(out, min[i]);
        append_optional(out, max[i]);
    }
    return out;
}

PageTable PageTable::decode(std::string_view bytes)
{
    PageTable table;
    for (uint64_t n = take_count(bytes); n > 0; --n)
    {
        PageEntry entry;
        entry.offset = take_varint(bytes);
        entry.size = static_cast<uint32_t>(take_varint(bytes));
        entry.checksum = take_fixed<uint64_t>(bytes);
        entry.rows = static_cast<uint32_t>(take_varint(bytes));
        entry.null_count = static_cast<uint32_t>(take_varint(bytes));
        entry.uncompressed_bytes = take_varint(bytes);
        table.entries.push_back(entry);
        table.min.push_back(take_optional(bytes));
        table.max.push_back(take_optional(bytes));
    }
    return table;
}

} // namespace basalt
