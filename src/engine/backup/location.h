#pragma once

// Where backups are: Disk('backups', 'name') and File('name or path') are folders below one root, the
// server's --backups-path. Nothing outside of it is read or written.

#include "sql/ast_expression.h"

#include <string>

namespace basalt
{

struct BackupLocation
{
    std::string path; // of the folder, below the root
    std::string text; // Disk('backups', 'x'), as users see it
};

// Throws BAD_ARGUMENTS, INVALID_CONFIG_PARAMETER for a place that is not allowed, NOT_IMPLEMENTED for
// archives, BACKUP_ENGINE_NOT_FOUND.
BackupLocation backup_location(const Ast& ast, const std::string& root);
// The same from BackupLocation::text.
BackupLocation backup_location(const std::string& text, const std::string& root);

} // namespace basalt
