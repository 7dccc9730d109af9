#pragma once

// Copies tables of PostgreSQL whole, as of one snapshot, by ranges of blocks on several connections,
// while they are written to. What committed before the snapshot is in the copy, what commits later
// is not: XidSnapshot tells which.
// Errors: of the connection are thrown; those of one table are told. Threads: one at a time.

#include "engine/engine.h"
#include "integrations/postgres/replica_options.h"
#include "integrations/postgres/replica_table.h"
#include "postgres/publication.h"
#include "postgres/source_table.h"

#include <functional>

namespace basalt::pg
{

// Blocks of PostgreSQL (8 KiB) that one COPY reads.
inline constexpr uint64_t kCopyBlocks = 8192;

// What the log keeps of a table next to its rows.
struct CopyState
{
    std::string fingerprint; // SourceTable::fingerprint()
    XidSnapshot snapshot;    // of the copy; matters until the stream has passed `until`
    Lsn until;

    std::string text() const;
    static std::optional<CopyState> parse(std::string_view text);
};
std::string copy_state_key(const std::string& table_uuid);
// Stands in the log with the database's name while the table is being copied.
std::string copying_key(const std::string& table_uuid);

struct CopyHandler
{
    // The copy is durable and in the catalog under the table's name.
    std::function<void(const SourceTable&, std::shared_ptr<ReplicaTable>, const CopyState&)> done;
    std::function<void(ReplicaTable&)> ready; // durable, and not in the catalog yet
    std::function<void(const SourceTable&, const Error&)> failed;
    std::function<void(const SourceTable&, uint64_t rows)> progress; // from any thread
    std::function<bool()> stopped;                                   // from any thread
};

// database: ours, where the tables are put; one of the same name is replaced.
void copy_tables(Engine& engine, const ConnectionOptions& options, const std::string& database,
                 const std::vector<SourceTable>& tables, const CopyHandler& handler);

} // namespace basalt::pg
