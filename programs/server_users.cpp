#include "programs/server_users.h"

#include "base/error.h"
#include "io/ip_network.h"

#include <algorithm>
#include <cstdlib>
#include <fmt/format.h>

namespace basalt
{

void ServerUsers::add_options(CLI::App& app)
{
    app.add_option("--default-password", password_,
                   "of user default; better in the environment as BASALT_PASSWORD, or in a file")
        ->envname("BASALT_PASSWORD");
    app.add_option("--default-password-file", password_file_, "its first line is the password");
    app.add_option("--users-file", users_file_,
                   "CREATE USER, CREATE ROLE, CREATE SETTINGS PROFILE and GRANT statements");
    app.add_flag("--allow-default-without-password", allow_no_password_,
                 "listen beyond loopback although anybody may then do everything");
}

void ServerUsers::read(FileSystem& files, EngineOptions& options)
{
    if (!password_file_.empty())
    {
        if (!password_.empty())
            throw Error(error_codes::BAD_ARGUMENTS,
                        "The password of user default is given twice: as text and as a file");
        password_ = files.read_whole(password_file_, kMaxUsersFileBytes);
        password_.resize(std::min(password_.find_first_of("\r\n"), password_.size()));
        if (password_.empty())
            throw Error(error_codes::BAD_ARGUMENTS,
                        fmt::format("The first line of {} is empty", password_file_));
    }
    options.default_password = password_;
    if (!users_file_.empty())
        options.access_statements = files.read_whole(users_file_, kMaxUsersFileBytes);
}

void ServerUsers::check_listen(Engine& engine, const std::string& address) const
{
    if (allow_no_password_ || address == "localhost" || is_loopback(address))
        return;
    const auto state = engine.access().state();
    for (const auto& [name, user] : state->users)
    {
        const bool open = std::any_of(user.credentials.begin(), user.credentials.end(),
                                      [](const auto& credential)
                                      { return credential.kind == CredentialKind::NoPassword; });
        // Users that are limited to some hosts are somebody's decision; so is every user but default.
        if (open && user.hosts.empty() && name == "default")
            throw Error(error_codes::AUTHENTICATION_FAILED,
                        fmt::format("Listening on {} lets everybody in: user default has no "
                                    "password. Give one (--default-password-file), limit the user "
                                    "(ALTER USER default HOST LOCAL), or say "
                                    "--allow-default-without-password",
                                    address));
    }
}

} // namespace basalt
