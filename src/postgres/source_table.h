#pragma once

// Tables of a PostgreSQL database as its catalog describes them.
// Errors: those of Connection. Threads: none shared.

#include "postgres/connection.h"
#include "postgres/pgoutput.h"
#include "postgres/type_mapping.h"

#include <optional>
#include <set>
#include <string>
#include <vector>

namespace basalt::pg
{

// Tables of one database that are described at once.
inline constexpr size_t kMaxSourceTables = 10'000;

struct SourceColumn
{
    std::string name;
    uint32_t type_oid = 0;     // as declared: of the domain, of the array
    int32_t type_modifier = -1;
    PostgresColumnType type;   // resolved
    bool is_identity = false;  // of the replica identity
};

struct SourceTable
{
    uint32_t oid = 0;
    std::string schema;
    std::string name;
    std::string local_name; // of our table; `name` if nobody says otherwise
    bool is_partitioned = false;
    bool has_children = false; // of plain inheritance
    ReplicaIdentity identity = ReplicaIdentity::Default;
    std::vector<SourceColumn> columns; // without generated ones, which are not published
    // What tells rows apart: columns of the primary key, else of the identity's index, by number.
    std::vector<size_t> key;
    bool has_primary_key = false;
    // ALTER … TYPE … USING may change every row and tell the stream nothing. It makes new files and
    // touches columns; TRUNCATE and VACUUM FULL only make files, other ALTERs only touch columns.
    std::string files;
    std::string column_versions;

    std::string quoted() const { return quote_name(schema) + "." + quote_name(name); }
    std::string column_list() const; // quoted, with commas
    // Whether UPDATE and DELETE may be published: else PostgreSQL refuses them to its users.
    bool has_identity() const;
    // Everything that a copy of the table depends on, as one line.
    std::string fingerprint() const;
    // Whether a copy made when the table had that fingerprint, and the stream since, give its rows.
    bool has_rows_of(const std::string& fingerprint) const;
    // Whether rows of this message are rows of this table as it is described.
    bool matches(const RelationMessage& relation) const;
};

// Ordinary tables and roots of partitions that are logged (not temporary, not unlogged), of these
// schemas or, without any, of all but PostgreSQL's own. In the order of names.
std::vector<SourceTable> describe_tables(Connection& connection,
                                         const std::set<std::string>& schemas);
// Any relation that can be read; nothing if there is none of this name.
std::optional<SourceTable> describe_table(Connection& connection, const std::string& schema,
                                          const std::string& name);

// The tables that hold its rows, each once: itself, or its leaves. Quoted names and sizes in
// PostgreSQL's blocks.
struct SourceLeaf
{
    std::string quoted;
    uint64_t blocks = 0;
};
std::vector<SourceLeaf> leaves_of(Connection& connection, const SourceTable& table);

} // namespace basalt::pg
