#pragma once

// What BACKUP and RESTORE do. Both throw, and then nothing of theirs is left.

#include "engine/backup/backups.h"
#include "engine/backup/manifest.h"
#include "engine/statement.h"

#include <set>

namespace basalt
{

struct BackupOptions
{
    std::string location; // BackupLocation::text
    std::string base_location; // empty: none
    std::string id;
    bool structure_only = false;
    bool allow_non_empty_tables = false;
    bool allow_different_table_def = false;
    enum class Create : uint8_t
    {
        IfNotExists,
        No,
        Yes,
    } create_table = Create::IfNotExists, create_database = Create::IfNotExists;
};

// A table's rows of these partitions only; empty: of all.
using PartitionIds = std::set<std::string>;

// Tells how far it is.
using BackupProgress = std::function<void(const std::function<void(BackupInfo&)>&)>;

// Writes the elements, as they are at one moment, to the location. Throws BACKUP_ALREADY_EXISTS.
void create_backup(const std::vector<BackupElement>& elements, const BackupOptions& options,
                   StatementContext& statement, const BackupProgress& progress);

// Brings the elements back. Tables are made when they are not there; the rows of all of them appear at
// once.
void restore_backup(const std::vector<BackupElement>& elements, const BackupOptions& options,
                    StatementContext& statement, const BackupProgress& progress);

// Removes what a crash left of backups that were being made.
void remove_unfinished_backups(FileSystem& files, const std::string& root);

} // namespace basalt
