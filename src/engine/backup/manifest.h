#pragma once

// What a backup holds: the file `.backup` of its folder, written last. Layout in
// docs/format/backup.md.

#include "io/file_system.h"
#include "storage/mergetree/table_log.h"
#include "storage/table.h"

#include <map>
#include <memory>
#include <string>
#include <vector>

namespace basalt
{

inline constexpr const char* kBackupManifestName = ".backup";
inline constexpr size_t kMaxBackupChain = 100; // backups on which one builds

struct BackupFile
{
    std::string path; // below the folder
    uint64_t size = 0;
    uint64_t checksum = 0;
    bool is_in_base = false; // there under any path, by size and checksum
};

struct BackupTable
{
    TableName name;
    std::string create_text;
    enum class Data : uint8_t // numbers on disk, never reused
    {
        None = 0,
        Parts = 1,  // folders of parts
        Blocks = 2, // one file per block
    } data = Data::None;
    uint64_t version = 0; // of the description of columns
    std::vector<ColumnEvent> events;
    std::vector<std::string> pieces; // names of parts or of blocks, in order
};

struct BackupManifest
{
    std::string uuid;
    std::string base_location, base_uuid; // empty: none
    std::vector<std::pair<std::string, std::string>> databases; // name, CREATE text
    std::vector<BackupTable> tables;
    std::vector<BackupFile> files;

    std::string encode() const;
    // Throws BACKUP_DAMAGED, BACKUP_VERSION_NOT_SUPPORTED.
    static BackupManifest decode(std::string_view bytes, const std::string& what);
};

// data/<database>/<table>/<piece> below the folder.
std::string backup_piece_path(const TableName& table, const std::string& piece);

// A backup that is there, with those it builds on.
class OpenBackup
{
public:
    // Throws BACKUP_NOT_FOUND, NO_BASE_BACKUP, WRONG_BASE_BACKUP and as decode().
    OpenBackup(FileSystem& files, const std::string& location_text, const std::string& root,
               size_t depth = 0);

    const BackupManifest& manifest() const { return manifest_; }
    const std::string& text() const { return text_; }
    bool has(uint64_t size, uint64_t checksum) const;
    bool has_size(uint64_t size) const; // whether has() is worth a checksum
    // Files of a piece: those whose path begins with it and a slash, or is it.
    std::vector<const BackupFile*> files_of(const std::string& piece_path) const;
    // Where the bytes are. Throws BACKUP_DAMAGED when they are nowhere.
    std::string find(const BackupFile& file) const;

private:
    std::string path_, text_;
    BackupManifest manifest_;
    std::map<std::string, const BackupFile*> by_path_;
    std::map<std::pair<uint64_t, uint64_t>, const BackupFile*> by_content_;
    std::unique_ptr<OpenBackup> base_;
};

// Copies a file and gives the checksum of its bytes; durable when it returns. An empty `to`: only
// the checksum. while_copying is called between pieces.
uint64_t copy_file(FileSystem& files, const std::string& from, const std::string& to,
                   const std::function<void(uint64_t bytes)>& while_copying);

} // namespace basalt
