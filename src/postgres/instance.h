#pragma once

// An instance: one PostgreSQL server that Basalt runs, with everything of it below one folder, and
// the list of instances that makes a name enough to find it.
//
//   instance.conf  what this header describes       data/     PostgreSQL's own folder
//   machine.conf   what was measured of the machine  wal/      archived segments of the log
//   state          written by the supervisor         backups/  base backups
//   password       of the superuser (0600)           log/      server and supervisor
//   tls/           root.crt, server.crt, server.key  run/      the Unix socket
//
// All of it belongs to the user the server runs as. The list is a folder of small files, one per
// name, below the home ($BASALT_PG_HOME; /var/lib/basalt/pg for root; otherwise
// ~/.local/share/basalt/pg).
// Errors: BAD_ARGUMENTS for names; BACKUP_NOT_FOUND and others are told where they are thrown.
// Threads: none of these classes is shared between threads.

#include "base/int_types.h"
#include "io/file_system.h"

#include <optional>
#include <string>
#include <vector>

namespace basalt::pg
{

inline constexpr size_t kMaxInstanceNameBytes = 48;
inline constexpr size_t kMaxInstances = 1000;
// The kernel's limit for the path of a Unix socket, less "/run/.s.PGSQL.65535" and a NUL.
inline constexpr size_t kMaxInstancePathBytes = 108 - 20;
inline constexpr uint16_t kFirstPort = 5432;
inline constexpr const char* kSuperuser = "postgres";

struct Instance
{
    std::string name;
    std::string database;      // the first one: named like the instance, or like a restore's source
    std::string path;          // absolute
    std::string bin_directory; // of initdb and postgres
    std::string version;       // "15.20"
    std::string os_user;
    std::string listen = "127.0.0.1"; // as listen_addresses takes it
    std::string created;              // UTC
    uint16_t port = 0;
    int64_t keep_backups = 7;
    int64_t backup_every_hours = 0; // by the supervisor; 0: never

    std::string data() const { return path + "/data"; }
    std::string wal() const { return path + "/wal"; }
    std::string backups() const { return path + "/backups"; }
    std::string run() const { return path + "/run"; }
    std::string log() const { return path + "/log"; }
    std::string tls() const { return path + "/tls"; }
    std::string program(const std::string& tool) const { return bin_directory + "/" + tool; }
    int major() const;

    void save(FileSystem& files) const;
    // INCORRECT_DATA names what is missing.
    static Instance load(FileSystem& files, const std::string& path);
};

// A letter, then letters, digits, '_' and '-', in lower case. BAD_ARGUMENTS says so.
void check_instance_name(const std::string& name);

std::string default_home();

class InstanceList
{
public:
    InstanceList(FileSystem& files, std::string home) : files_(files), home_(std::move(home)) {}

    const std::string& home() const { return home_; }
    // In the order of names. One that cannot be read is left out; find() says why.
    std::vector<Instance> all() const;
    std::vector<std::string> names() const;
    bool has(const std::string& name) const;
    // BAD_ARGUMENTS if there is none, and names those there are.
    Instance find(const std::string& name) const;
    void add(const std::string& name, const std::string& path);
    void remove(const std::string& name);
    // The wished one; or, for 0, the first from 5432 that no instance has and nobody listens on.
    // BAD_ARGUMENTS if the wished one belongs to an instance, NETWORK_ERROR if it is in use.
    uint16_t choose_port(uint16_t wish) const;

private:
    std::string entry(const std::string& name) const { return home_ + "/instances/" + name; }

    FileSystem& files_;
    std::string home_;
};

// "2026-11-30 22:55:01": in UTC.
std::string utc_text(int64_t unix_s);

} // namespace basalt::pg
