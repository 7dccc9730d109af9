#include "engine/backup/location.h"

#include "base/error.h"
#include "io/file_system.h"
#include "sql/formatter.h"
#include "sql/parser.h"

#include <fmt/format.h>
#include <vector>

namespace basalt
{

namespace
{

constexpr const char* kDiskName = "backups";

// Pieces of a path without "." and empty ones. Throws for one that leads upwards.
std::vector<std::string> pieces_of(const std::string& path)
{
    std::vector<std::string> pieces;
    for (size_t at = 0; at <= path.size();)
    {
        const size_t end = std::min(path.find('/', at), path.size());
        const std::string piece = path.substr(at, end - at);
        at = end + 1;
        if (piece.empty() || piece == ".")
            continue;
        if (piece == ".." || piece.find('\0') != std::string::npos)
            throw Error(error_codes::INVALID_CONFIG_PARAMETER,
                        fmt::format("Path {} is not allowed for backups", quote_string(path)));
        pieces.push_back(piece);
    }
    return pieces;
}

std::string joined(const std::vector<std::string>& pieces, size_t from = 0)
{
    std::string path;
    for (size_t i = from; i < pieces.size(); ++i)
        path += (path.empty() ? "" : "/") + pieces[i];
    return path;
}

} // namespace

BackupLocation backup_location(const Ast& ast, const std::string& root)
{
    const auto* function = ast.as<AstFunction>();
    if (!function)
        throw Error(error_codes::BAD_ARGUMENTS,
                    "The place of a backup is Disk('backups', 'name') or File('name')");
    std::vector<std::string> arguments;
    for (const auto& argument : function->arguments)
    {
        if (const auto* literal = argument->as<AstLiteral>())
            arguments.push_back(literal->text);
        else if (const auto* identifier = argument->as<AstIdentifier>())
            arguments.push_back(identifier->full_name());
        else
            throw Error(error_codes::BAD_ARGUMENTS,
                        fmt::format("Arguments of {} must be strings", function->name));
    }
    std::string name;
    if (function->name == "Disk")
    {
        if (arguments.size() != 2)
            throw Error(error_codes::NUMBER_OF_ARGUMENTS_DOESNT_MATCH,
                        "Backup engine 'Disk' requires 2 arguments");
        if (arguments[0] != kDiskName)
            throw Error(error_codes::INVALID_CONFIG_PARAMETER,
                        fmt::format("Disk {} is not allowed for backups",
                                    quote_string(arguments[0])));
        name = arguments[1];
    }
    else if (function->name == "File")
    {
        if (arguments.size() != 1)
            throw Error(error_codes::NUMBER_OF_ARGUMENTS_DOESNT_MATCH,
                        "Backup engine 'File' requires 1 argument (path)");
        name = arguments[0];
    }
    else
        throw Error(function->name == "S3" || function->name == "AzureBlobStorage" ||
                            function->name == "Memory" || function->name == "Null"
                        ? error_codes::NOT_IMPLEMENTED
                        : error_codes::BACKUP_ENGINE_NOT_FOUND,
                    fmt::format("Backup engine '{}' is not implemented", function->name));
    for (const char* archive : {".zip", ".zipx", ".tar", ".tar.gz", ".tgz", ".tar.bz2", ".tar.xz",
                                ".tar.zst", ".tzst", ".tar.lzma"})
        if (name.ends_with(archive))
            throw Error(error_codes::NOT_IMPLEMENTED, "Backups in archives are not implemented");
    auto pieces = pieces_of(name);
    if (name.starts_with("/"))
    {
        const auto allowed = pieces_of(root);
        if (function->name == "Disk" || pieces.size() < allowed.size() ||
            !std::equal(allowed.begin(), allowed.end(), pieces.begin()))
            throw Error(error_codes::INVALID_CONFIG_PARAMETER,
                        fmt::format("Path {} is not allowed for backups, see --backups-path",
                                    quote_string(name)));
        pieces.erase(pieces.begin(), pieces.begin() + static_cast<ptrdiff_t>(allowed.size()));
    }
    if (pieces.empty() || pieces[0].starts_with("tmp_"))
        throw Error(error_codes::BAD_ARGUMENTS,
                    "The name of a backup is empty or begins with tmp_");
    const std::string relative = joined(pieces);
    BackupLocation location;
    location.path = join_path(root, relative);
    location.text = function->name == "Disk"
                        ? fmt::format("Disk('{}', {})", kDiskName, quote_string(relative))
                        : fmt::format("File({})", quote_string(relative));
    return location;
}

BackupLocation backup_location(const std::string& text, const std::string& root)
{
    return backup_location(*parse_expression(text), root);
}

} // namespace basalt
