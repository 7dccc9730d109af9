#pragma once

// Users, roles and settings profiles of a server: where they are kept and how they change. The state is
// published whole and never changes once published; a change copies it, writes access/access.sql
// (docs/format/access.md) and publishes the copy. Thread-safe.

#include "catalog/access/effective_access.h"
#include "io/file_system.h"

#include <atomic>
#include <functional>
#include <memory>
#include <mutex>
#include <string>

namespace basalt
{

inline constexpr size_t kMaxAccessFileBytes = 256u << 20;

class AccessControl
{
public:
    // An empty path: nothing is kept. There is a user `default` without a password who may do all.
    AccessControl(FileSystem& files, std::string data_path);

    // Reads what was kept. INCORRECT_ACCESS_ENTITY_DEFINITION for a file that cannot be read: who may do
    // what is then unknown, so the server must not start.
    void load();
    // CREATE USER, CREATE ROLE, CREATE SETTINGS PROFILE, GRANT statements from the configuration. What
    // they make cannot be changed by statements, and hides what was kept under its name.
    void add_from_config(std::string_view statements);
    // Of user default, over what was kept.
    void set_default_password(std::string_view password);

    std::shared_ptr<const AccessState> state() const;
    uint64_t version() const { return version_.load(std::memory_order_acquire); }

    // Changes a copy; when `change` returns, the copy is durable and then seen. What it throws leaves
    // everything as it was.
    void change(const std::function<void(AccessState&)>& change);

    EffectiveAccessPtr
    effective(std::string_view user,
              const std::optional<std::set<std::string>>& current_roles = std::nullopt) const
    {
        return std::make_shared<EffectiveAccess>(state(), user, current_roles);
    }

private:
    void publish(AccessState state);
    void write(const AccessState& state);
    std::string path() const { return data_path_ + "/access/access.sql"; }

    FileSystem& files_;
    std::string data_path_;
    std::mutex change_mutex_;
    mutable std::mutex mutex_; // of state_
    std::shared_ptr<const AccessState> state_;
    std::atomic<uint64_t> version_{0};
};

// Runs one access statement on a state: CREATE, ALTER, DROP of users, roles and profiles, GRANT and
// REVOKE. Who may do that is the caller's to check. from_config: entities that it makes are marked so,
// and those are the only ones it may change; otherwise ACCESS_STORAGE_READONLY (495) for such.
// Also ACCESS_ENTITY_ALREADY_EXISTS, UNKNOWN_USER, UNKNOWN_ROLE.
struct AccessStatementContext
{
    std::string current_user, current_database;
    bool from_config = false;
    RandomSource* random = &system_random();
};
void run_access_statement(const Ast& ast, const AccessStatementContext& context,
                          AccessState& state);

} // namespace basalt
