#pragma once

// Making and removing instances. Three steps, because they are done by different users: plan
// (checks, by the caller), make the folder (root, who gives it away), fill it (the server's user).
// Errors: BAD_ARGUMENTS (name, port, user, programs), DIRECTORY_ALREADY_EXISTS, NOT_ENOUGH_SPACE,
// ACCESS_DENIED (a folder the server's user cannot reach, named), EXTERNAL_SERVER… of initdb as
// CANNOT_CREATE_CHILD_PROCESS with its words.

#include "io/os_user.h"
#include "postgres/instance.h"
#include "postgres/machine.h"

#include <string>

namespace basalt::pg
{

// An empty server with its logs takes about 120 MB.
inline constexpr uint64_t kMinFreeBytes = 256ull << 20;

struct CreateOptions
{
    std::string name;
    std::string path; // empty: below the home
    std::string pg_bin;
    std::string os_user; // empty: postgres for root, else who we are
    std::string listen;  // empty: 127.0.0.1
    int version = 0;
    uint16_t port = 0;
    ProbeOptions probe;
};

struct CreatePlan
{
    Instance instance;
    OsUser user;
};

CreatePlan plan_instance(FileSystem& files, const InstanceList& list, const CreateOptions& options);

// The folder, empty, belonging to the user.
void make_instance_folder(FileSystem& files, const CreatePlan& plan);

// As the instance's user: everything but the data folder's content.
void fill_instance_folder(FileSystem& files, const Instance& instance, const ProbeOptions& probe);
// As the instance's user: initdb, the files of the server, the first database.
void initialise_data(FileSystem& files, const Instance& instance, const std::string& program);

// Removes what Basalt made in the instance's folder; as its user. Nothing else is touched.
void empty_instance_folder(FileSystem& files, const std::string& path);
// Removes the emptied folder. False if something is left in it.
bool remove_instance_folder(FileSystem& files, const std::string& path);

// Throws ACCESS_DENIED naming the folder that we may not enter on the way to `path`.
void check_reachable(const std::string& path, const std::string& what);

// This program, or, where `user` cannot reach it, a copy in home/bin that root makes. Called before
// rights are given up.
std::string reachable_program(FileSystem& files, const std::string& home, const OsUser& user);

} // namespace basalt::pg
