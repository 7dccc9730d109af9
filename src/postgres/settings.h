#pragma once

// The settings of a server, derived from its machine: each with the reason, the default of
// PostgreSQL it replaces and what it was derived from. Pure.
//
// Durability is never traded: fsync, full_page_writes and synchronous_commit stay on, and
// check_user_setting() refuses the first two in any other state.

#include "postgres/machine.h"

#include <string>
#include <string_view>
#include <vector>

namespace basalt::pg
{

struct DerivedSetting
{
    std::string name;
    std::string value;
    std::string otherwise; // PostgreSQL's own default
    std::string source;    // "memory: 23.5 GiB"
    std::string why;
};

// What the server program was built with and how large its version is.
struct ServerFeatures
{
    int major = 15;
    bool wal_lz4 = true;
    bool toast_lz4 = true;
    bool pg_stat_statements = true;
};

struct DerivedSettings
{
    std::vector<DerivedSetting> settings;

    const DerivedSetting* find(std::string_view name) const;
};

DerivedSettings derive_settings(const Machine& machine, const ServerFeatures& features);

// Who decides over a setting that a user wants to change.
// BAD_ARGUMENTS: it would lose committed data (fsync, full_page_writes off), or it belongs to
// Basalt (port, archive_command, ssl_key_file …: the message says what to do instead), or the name
// cannot be one.
void check_user_setting(const std::string& name, const std::string& value);

// "23.5 GiB", "512 MiB"; and as PostgreSQL writes it, a whole number of MB or kB.
std::string readable_size(uint64_t bytes);
std::string postgres_size(uint64_t bytes);

} // namespace basalt::pg
