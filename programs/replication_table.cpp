#include "programs/replication_table.h"

#include "integrations/postgres/replication.h"
#include "system/system_tables.h"

namespace basalt
{

namespace
{

void set_error(RowBuilder& rows, const std::string& error, int64_t unix_s)
{
    rows.set("last_error", error);
    rows.set_uint("last_error_time", static_cast<uint64_t>(unix_s));
}

void add_database(RowBuilder& rows, const pg::ReplicaStatus& status)
{
    rows.add_row();
    rows.set("database", status.database);
    rows.set("source", status.source);
    rows.set("state", status.state);
    set_error(rows, status.error, status.error_unix_s);
    rows.set_uint("connections", status.connections);
    rows.set("slot", status.slot);
    rows.set("slot_status", status.slot_status);
    rows.set_uint("slot_retained_bytes", status.slot_retained_bytes);
    rows.set("server_lsn", status.server.text());
    rows.set("received_lsn", status.received.text());
    rows.set("applied_lsn", status.applied.text());
    rows.set_uint("lag_bytes", status.server > status.applied
                                   ? status.server.value - status.applied.value
                                   : 0);
    rows.set_float("lag_seconds", static_cast<double>(status.lag_ms) / 1000);
    rows.set_uint("lag_p50_ms", static_cast<uint64_t>(status.lag_p50_ms));
    rows.set_uint("lag_p99_ms", static_cast<uint64_t>(status.lag_p99_ms));
    rows.set_uint("lag_max_ms", static_cast<uint64_t>(status.lag_max_ms));
    rows.set_uint("transactions", status.transactions);
}

void add_table(RowBuilder& rows, const std::string& database,
               const pg::ReplicaTableStatus& status)
{
    rows.add_row();
    rows.set("database", database);
    rows.set("table", status.table);
    rows.set("source", status.source);
    rows.set("state", status.state);
    set_error(rows, status.error, status.error_unix_s);
    rows.set_uint("copies", status.copies);
    rows.set_uint("copied_rows", status.copied_rows);
    rows.set_uint("inserted", status.inserted);
    rows.set_uint("updated", status.updated);
    rows.set_uint("deleted", status.deleted);
    rows.set_uint("truncated", status.truncated);
}

void add_comparison(RowBuilder& rows, const std::string& database,
                    const pg::ConsistencyResult& result)
{
    rows.add_row();
    rows.set("database", database);
    rows.set("table", result.table);
    rows.set("range", result.range);
    rows.set("result", result.result);
    rows.set_uint("time", static_cast<uint64_t>(result.unix_s));
    rows.set("lsn", result.lsn.text());
    rows.set_uint("postgres_rows", result.postgres_rows);
    rows.set_uint("basalt_rows", result.basalt_rows);
    rows.set_uint("postgres_hash", result.postgres_hash);
    rows.set_uint("basalt_hash", result.basalt_hash);
}

} // namespace

void add_replication_table(Engine& engine, const pg::PostgresReplication& replication)
{
    add_system_table(engine,
                     {"postgres_consistency",
                      parse_header("database String, table String, range String, result String, "
                                   "time DateTime, lsn String, postgres_rows UInt64, "
                                   "basalt_rows UInt64, postgres_hash UInt64, basalt_hash UInt64"),
                      [&replication](Engine&, const QueryContext&, RowBuilder& rows)
                      {
                          for (const auto& [database, results] : replication.consistency())
                              for (const auto& result : results)
                                  add_comparison(rows, database, result);
                      },
                      ""});
    add_system_table(
        engine,
        {"postgres_replication",
         parse_header("database String, table String, source String, state String, "
                      "last_error String, last_error_time DateTime, connections UInt64, "
                      "slot String, slot_status String, slot_retained_bytes UInt64, "
                      "server_lsn String, received_lsn String, applied_lsn String, "
                      "lag_bytes UInt64, lag_seconds Float64, lag_p50_ms UInt64, "
                      "lag_p99_ms UInt64, lag_max_ms UInt64, transactions UInt64, "
                      "copies UInt64, copied_rows UInt64, inserted UInt64, updated UInt64, "
                      "deleted UInt64, truncated UInt64"),
         [&replication](Engine&, const QueryContext&, RowBuilder& rows)
         {
             for (const auto& status : replication.statuses())
             {
                 add_database(rows, status);
                 for (const auto& table : status.tables)
                     add_table(rows, status.database, table);
             }
         },
         ""});
}

} // namespace basalt
