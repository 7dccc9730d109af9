#pragma once

// The files PostgreSQL reads in an instance's data folder, written from the instance and its
// machine.
//
//   postgresql.conf  includes the others in this order, so a later one wins
//   basalt.conf      derived settings and what Basalt owns; rewritten at every start
//   user.conf        what `basalt pg config set` was told
//   restore.conf     while a restore is under way
//   pg_hba.conf      SCRAM over TLS from this machine (and from elsewhere if it listens there);
//                    the superuser over the socket for root and the server's own user
// Threads: none of these is called by two threads for one instance.

#include "postgres/instance.h"
#include "postgres/key_values.h"
#include "postgres/machine.h"
#include "postgres/settings.h"

#include <string>

namespace basalt::pg
{

struct MachineFile
{
    Machine machine;
    ServerFeatures features;
};

void save_machine(FileSystem& files, const Instance& instance, const MachineFile& machine);
MachineFile load_machine(FileSystem& files, const Instance& instance);

// `program` is the path of basalt that the server's user can run.
std::string basalt_conf(const Instance& instance, const DerivedSettings& settings,
                        const std::string& program);
std::string hba_conf(const Instance& instance);
std::string ident_conf(const Instance& instance);

// All but user.conf, restore.conf, and (unless `access_too`) the files about access.
void write_server_files(FileSystem& files, const Instance& instance, const std::string& program,
                        bool access_too);

KeyValues load_user_settings(FileSystem& files, const Instance& instance);
void save_user_settings(FileSystem& files, const Instance& instance, const KeyValues& values);

// For archive_command and restore_command: words quoted for the shell, '%' doubled for PostgreSQL.
std::string archive_command(const std::string& program, const std::string& wal_folder);
// `unfinished` is a folder of segments that were never archived, or empty.
std::string restore_command(const std::string& program, const std::string& wal_folder,
                            const std::string& unfinished);

// A systemd unit that runs the instance through `basalt pg start --foreground`.
std::string systemd_unit(const Instance& instance, const std::string& home,
                         const std::string& program);

// postgresql://postgres:…@127.0.0.1:5432/shop?sslmode=verify-full&sslrootcert=…; without the
// password if we may not read it.
std::string connection_uri(FileSystem& files, const Instance& instance);

} // namespace basalt::pg
