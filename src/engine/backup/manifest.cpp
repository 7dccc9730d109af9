#include "engine/backup/manifest.h"

#include "base/error.h"
#include "base/unaligned.h"
#include "catalog/metadata_files.h"
#include "codecs/hash.h"
#include "engine/backup/location.h"
#include "storage/log/record.h"

#include <fmt/format.h>

namespace basalt
{

namespace
{

constexpr std::string_view kMagic = "BasaltBK";
constexpr uint32_t kVersion = 1;
constexpr size_t kHeadBytes = 20;
constexpr size_t kCopyBytes = 1 << 20;

} // namespace

std::string BackupManifest::encode() const
{
    std::string body;
    append_text(body, uuid);
    append_text(body, base_location);
    append_text(body, base_uuid);
    append_varint(body, databases.size());
    for (const auto& [name, text] : databases)
    {
        append_text(body, name);
        append_text(body, text);
    }
    append_varint(body, tables.size());
    for (const auto& table : tables)
    {
        append_text(body, table.name.database);
        append_text(body, table.name.table);
        append_text(body, table.create_text);
        append_varint(body, static_cast<uint64_t>(table.data));
        append_varint(body, table.version);
        append_varint(body, table.events.size());
        for (const auto& event : table.events)
            event.append_to(body);
        append_varint(body, table.pieces.size());
        for (const auto& piece : table.pieces)
            append_text(body, piece);
    }
    append_varint(body, files.size());
    for (const auto& file : files)
    {
        append_text(body, file.path);
        append_varint(body, file.size);
        body.append(reinterpret_cast<const char*>(&file.checksum), sizeof file.checksum);
        append_varint(body, file.is_in_base);
    }
    std::string bytes(kMagic);
    bytes.append(reinterpret_cast<const char*>(&kVersion), sizeof kVersion);
    const uint64_t checksum = xxh3_64(body.data(), body.size());
    bytes.append(reinterpret_cast<const char*>(&checksum), sizeof checksum);
    return bytes + body;
}

BackupManifest BackupManifest::decode(std::string_view bytes, const std::string& what)
{
    const auto fail = [&]
    {
        return Error(error_codes::BACKUP_DAMAGED,
                     fmt::format("The description of backup {} is damaged", what));
    };
    if (bytes.size() < kHeadBytes || bytes.substr(0, kMagic.size()) != kMagic)
        throw fail();
    if (load<uint32_t>(bytes.data() + 8) != kVersion)
        throw Error(error_codes::BACKUP_VERSION_NOT_SUPPORTED,
                    fmt::format("Backup {} was made by a newer version", what));
    const auto checksum = load<uint64_t>(bytes.data() + 12);
    bytes.remove_prefix(kHeadBytes);
    if (xxh3_64(bytes.data(), bytes.size()) != checksum)
        throw fail();
    BackupManifest manifest;
    manifest.uuid = take_text(bytes);
    manifest.base_location = take_text(bytes);
    manifest.base_uuid = take_text(bytes);
    for (uint64_t n = take_varint(bytes); n > 0; --n)
    {
        std::string name(take_text(bytes));
        manifest.databases.emplace_back(std::move(name), take_text(bytes));
    }
    for (uint64_t n = take_varint(bytes); n > 0; --n)
    {
        BackupTable table;
        table.name.database = take_text(bytes);
        table.name.table = take_text(bytes);
        table.create_text = take_text(bytes);
        table.data = static_cast<BackupTable::Data>(take_varint(bytes));
        table.version = take_varint(bytes);
        for (uint64_t events = take_varint(bytes); events > 0; --events)
            table.events.push_back(ColumnEvent::take(bytes));
        for (uint64_t pieces = take_varint(bytes); pieces > 0; --pieces)
            table.pieces.emplace_back(take_text(bytes));
        manifest.tables.push_back(std::move(table));
    }
    for (uint64_t n = take_varint(bytes); n > 0; --n)
    {
        BackupFile file;
        file.path = take_text(bytes);
        file.size = take_varint(bytes);
        if (bytes.size() < sizeof file.checksum)
            throw fail();
        file.checksum = load<uint64_t>(bytes.data());
        bytes.remove_prefix(sizeof file.checksum);
        file.is_in_base = take_varint(bytes) != 0;
        manifest.files.push_back(std::move(file));
    }
    return manifest;
}

std::string backup_piece_path(const TableName& table, const std::string& piece)
{
    return join_path(join_path(join_path("data", escape_file_name(table.database)),
                               escape_file_name(table.table)),
                     piece);
}

OpenBackup::OpenBackup(FileSystem& files, const std::string& location_text,
                       const std::string& root, size_t depth)
{
    const BackupLocation location = backup_location(location_text, root);
    path_ = location.path;
    text_ = location.text;
    if (depth > kMaxBackupChain)
        throw Error(error_codes::TOO_DEEP_RECURSION,
                    fmt::format("Backup {} builds on more than {} others", text_, kMaxBackupChain));
    const std::string manifest_path = join_path(path_, kBackupManifestName);
    if (!files.exists(manifest_path))
        throw Error(depth ? error_codes::NO_BASE_BACKUP : error_codes::BACKUP_NOT_FOUND,
                    fmt::format("Backup {} not found", text_));
    manifest_ = BackupManifest::decode(files.read_whole(manifest_path), text_);
    for (const auto& file : manifest_.files)
    {
        by_path_.emplace(file.path, &file);
        by_content_.emplace(std::pair(file.size, file.checksum), &file);
    }
    if (manifest_.base_location.empty())
        return;
    base_ = std::make_unique<OpenBackup>(files, manifest_.base_location, root, depth + 1);
    if (base_->manifest().uuid != manifest_.base_uuid)
        throw Error(error_codes::WRONG_BASE_BACKUP,
                    fmt::format("Backup {} is not the one on which {} was built", base_->text(),
                                text_));
}

bool OpenBackup::has(uint64_t size, uint64_t checksum) const
{
    return by_content_.contains({size, checksum});
}

bool OpenBackup::has_size(uint64_t size) const
{
    const auto next = by_content_.lower_bound({size, 0});
    return next != by_content_.end() && next->first.first == size;
}

std::vector<const BackupFile*> OpenBackup::files_of(const std::string& piece_path) const
{
    std::vector<const BackupFile*> found;
    for (auto it = by_path_.lower_bound(piece_path);
         it != by_path_.end() && it->first.starts_with(piece_path); ++it)
        if (it->first.size() == piece_path.size() || it->first[piece_path.size()] == '/')
            found.push_back(it->second);
    return found;
}

std::string OpenBackup::find(const BackupFile& file) const
{
    if (!file.is_in_base)
        return join_path(path_, file.path);
    const BackupFile* there = nullptr;
    if (base_)
        if (const auto found = base_->by_content_.find({file.size, file.checksum});
            found != base_->by_content_.end())
            there = found->second;
    if (!there)
        throw Error(error_codes::BACKUP_DAMAGED,
                    fmt::format("File {} of backup {} is not in its base backup", file.path,
                                text_));
    return base_->find(*there);
}

uint64_t copy_file(FileSystem& files, const std::string& from, const std::string& to,
                   const std::function<void(uint64_t bytes)>& while_copying)
{
    const auto source = files.open_for_read(from);
    std::unique_ptr<WritableFile> target;
    if (!to.empty())
        target = files.open_for_write(to, OpenMode::Truncate);
    // Of the checksums of pieces, each with what came before.
    uint64_t checksum = 0;
    std::string buffer(kCopyBytes + sizeof checksum, '\0');
    for (uint64_t offset = 0, size = source->size(); offset < size;)
    {
        const size_t take = std::min<uint64_t>(kCopyBytes, size - offset);
        char* bytes = buffer.data() + sizeof checksum;
        source->read_exact(bytes, take, offset);
        std::memcpy(buffer.data(), &checksum, sizeof checksum);
        checksum = xxh3_64(buffer.data(), take + sizeof checksum);
        if (target)
            target->append(bytes, take);
        offset += take;
        while_copying(take);
    }
    if (target)
    {
        target->sync();
        target->close();
    }
    return checksum;
}

} // namespace basalt
