#pragma once

// Flags of `basalt server` about users: the password of user default, statements that make users, and
// the check that nobody can come in from outside without a password.

#include "engine/engine.h"

#include <CLI/CLI.hpp>

#include <string>

namespace basalt
{

inline constexpr uint64_t kMaxUsersFileBytes = 16 << 20;

class ServerUsers
{
public:
    void add_options(CLI::App& app);
    // Reads the files. Throws what reading throws, BAD_ARGUMENTS for flags that contradict each other.
    void read(FileSystem& files, EngineOptions& options);
    // Throws AUTHENTICATION_FAILED when the address is not loopback and user default has no password.
    void check_listen(Engine& engine, const std::string& address) const;

private:
    std::string password_, password_file_, users_file_;
    bool allow_no_password_ = false;
};

} // namespace basalt
