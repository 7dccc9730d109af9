#pragma once

namespace basalt
{

class Engine;
namespace pg
{
class PostgresReplication;
}

// system.postgres_replication: one row for each database that follows PostgreSQL (an empty `table`)
// and one for each of its tables. system.postgres_consistency: what comparisons of ranges of rows with
// PostgreSQL found. `replication` must outlive the engine.
void add_replication_table(Engine& engine, const pg::PostgresReplication& replication);

} // namespace basalt
