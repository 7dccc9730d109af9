#pragma once

// What a replica needs on PostgreSQL's side: two publications and a slot. A table without a replica
// identity may only be in the publication of inserts: in the other one PostgreSQL would refuse
// UPDATE and DELETE to its users.
// Errors: those of Connection. Threads: none shared.

#include "postgres/connection.h"
#include "postgres/source_table.h"
#include "postgres/wal_archive.h"

#include <functional>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace basalt::pg
{

struct Publications
{
    std::string changes; // insert, update, delete, truncate
    std::string inserts; // insert, truncate
};

// Makes the publications and puts exactly these tables into them. Returns the tables that were not
// in the publication where they belong: changes of transactions under way may be missing for them
// (wait_for_writers). A table that PostgreSQL refuses is told to `refused` and left out.
std::set<uint32_t>
publish_tables(Connection& connection, const Publications& publications,
               const std::vector<SourceTable>& tables,
               const std::function<void(const SourceTable&, const std::string&)>& refused);
void drop_publications(Connection& connection, const Publications& publications);

// Returns when transactions that had changed these tables before have ended; TIMEOUT_EXCEEDED
// otherwise.
void wait_for_writers(Connection& connection, const std::set<uint32_t>& oids, int64_t timeout_s);

struct SlotState
{
    bool active = false;
    std::string wal_status;   // reserved, extended, unreserved, lost
    uint64_t retained_bytes = 0; // of the log that it keeps from being removed
    Lsn confirmed;
};
std::optional<SlotState> slot_state(Connection& connection, const std::string& name);
// Ends whoever reads it; false if somebody still does after the time.
bool drop_slot(Connection& connection, const std::string& name, int64_t timeout_s);

Lsn current_lsn(Connection& connection); // of what was written to the log

// Which transactions a snapshot sees.
struct XidSnapshot
{
    uint64_t xmin = 0; // every lower one has ended
    uint64_t xmax = 0; // this and higher ones had not begun
    std::set<uint64_t> running;

    // xid: without its epoch, of a transaction that committed at most 2^31 others away.
    bool sees(uint32_t xid) const;
    std::string text() const; // as pg_current_snapshot() prints it: "10:20:10,14"
    static std::optional<XidSnapshot> parse(std::string_view text);
};

} // namespace basalt::pg
