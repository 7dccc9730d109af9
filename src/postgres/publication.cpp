#include "postgres/publication.h"

#include "base/error.h"

#include <charconv>
#include <chrono>
#include <fmt/core.h>
#include <map>
#include <thread>

namespace basalt::pg
{

namespace
{

constexpr auto kPoll = std::chrono::milliseconds(100);

Lsn lsn_of(const Cell& cell)
{
    return Lsn::parse(cell.value_or("")).value_or(Lsn{});
}

std::string list_of(const std::set<uint32_t>& oids)
{
    std::string list;
    for (const uint32_t oid : oids)
        list += (list.empty() ? "" : ", ") + std::to_string(oid);
    return list;
}

std::string named(const SourceTable& table)
{
    return (table.is_partitioned ? "" : "ONLY ") + table.quoted();
}

void make_publication(Connection& connection, const std::string& name, const char* what)
{
    if (connection.value("SELECT 1 FROM pg_catalog.pg_publication WHERE pubname = $1", {name})
            .empty())
        connection.query(fmt::format("CREATE PUBLICATION {} WITH (publish = '{}', "
                                     "publish_via_partition_root = true)",
                                     quote_name(name), what));
}

// Of the publication: oid -> quoted name.
std::map<uint32_t, std::string> published(Connection& connection, const std::string& name)
{
    std::map<uint32_t, std::string> tables;
    for (const Row& row : connection.query(
             "SELECT r.prrelid, n.nspname, c.relname, c.relkind FROM pg_catalog.pg_publication p "
             "JOIN pg_catalog.pg_publication_rel r ON r.prpubid = p.oid "
             "JOIN pg_catalog.pg_class c ON c.oid = r.prrelid "
             "JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace WHERE p.pubname = $1",
             {name}))
        tables[static_cast<uint32_t>(std::stoul(*row[0]))] =
            (*row[3] == "p" ? "" : "ONLY ") + quote_name(*row[1]) + "." + quote_name(*row[2]);
    return tables;
}

} // namespace

std::set<uint32_t>
publish_tables(Connection& connection, const Publications& publications,
               const std::vector<SourceTable>& tables,
               const std::function<void(const SourceTable&, const std::string&)>& refused)
{
    make_publication(connection, publications.changes, "insert, update, delete, truncate");
    make_publication(connection, publications.inserts, "insert, truncate");
    const auto changes = published(connection, publications.changes);
    const auto inserts = published(connection, publications.inserts);
    std::set<uint32_t> fresh, with_identity, without;
    for (const SourceTable& table : tables)
        (table.has_identity() ? with_identity : without).insert(table.oid);
    // First out: a table that lost its identity must not stay where updates are published.
    for (const auto& [oid, name] : changes)
        if (!with_identity.contains(oid))
            connection.query(fmt::format("ALTER PUBLICATION {} DROP TABLE {}",
                                         quote_name(publications.changes), name));
    for (const SourceTable& table : tables)
    {
        const bool whole = table.has_identity();
        if ((whole ? changes : inserts).contains(table.oid))
            continue;
        try
        {
            connection.query(fmt::format(
                "ALTER PUBLICATION {} ADD TABLE {}",
                quote_name(whole ? publications.changes : publications.inserts), named(table)));
            fresh.insert(table.oid);
        }
        catch (const Error& error)
        {
            refused(table, error.message());
        }
    }
    for (const auto& [oid, name] : inserts)
        if (!without.contains(oid))
            connection.query(fmt::format("ALTER PUBLICATION {} DROP TABLE {}",
                                         quote_name(publications.inserts), name));
    return fresh;
}

void drop_publications(Connection& connection, const Publications& publications)
{
    for (const std::string& name : {publications.changes, publications.inserts})
        connection.query(fmt::format("DROP PUBLICATION IF EXISTS {}", quote_name(name)));
}

void wait_for_writers(Connection& connection, const std::set<uint32_t>& oids, int64_t timeout_s)
{
    if (oids.empty())
        return;
    const std::string sql = fmt::format(
        "SELECT DISTINCT l.virtualtransaction FROM pg_catalog.pg_locks l "
        "WHERE l.locktype = 'relation' AND l.granted "
        "AND l.database = (SELECT oid FROM pg_catalog.pg_database WHERE datname = "
        "current_database()) AND l.mode IN ('RowExclusiveLock', 'ShareRowExclusiveLock', "
        "'ExclusiveLock', 'AccessExclusiveLock') AND l.pid IS DISTINCT FROM pg_backend_pid() "
        "AND l.relation IN (SELECT relid FROM unnest(ARRAY[{}]::oid[]) o, "
        "LATERAL (SELECT o AS relid UNION SELECT relid FROM pg_catalog.pg_partition_tree(o)) t)",
        list_of(oids));
    const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(timeout_s);
    std::set<std::string> writers;
    for (const Row& row : connection.query(sql))
        writers.insert(*row[0]);
    while (!writers.empty())
    {
        if (std::chrono::steady_clock::now() > deadline)
            throw Error(error_codes::TIMEOUT_EXCEEDED,
                        "Transactions that changed a table before it was published do not end");
        std::this_thread::sleep_for(kPoll);
        std::set<std::string> left;
        for (const Row& row : connection.query(sql))
            if (writers.contains(*row[0]))
                left.insert(*row[0]);
        writers.swap(left);
    }
}

std::optional<SlotState> slot_state(Connection& connection, const std::string& name)
{
    const auto rows = connection.query(
        "SELECT active, wal_status, "
        "greatest(pg_wal_lsn_diff(pg_current_wal_lsn(), restart_lsn), 0)::int8, "
        "confirmed_flush_lsn FROM pg_catalog.pg_replication_slots WHERE slot_name = $1",
        {name});
    if (rows.empty())
        return std::nullopt;
    SlotState state;
    state.active = *rows[0][0] == "t";
    state.wal_status = rows[0][1].value_or("");
    state.retained_bytes = std::stoull(rows[0][2].value_or("0"));
    state.confirmed = lsn_of(rows[0][3]);
    return state;
}

bool drop_slot(Connection& connection, const std::string& name, int64_t timeout_s)
{
    const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(timeout_s);
    for (;;)
    {
        const auto state = slot_state(connection, name);
        if (!state)
            return true;
        if (!state->active)
        {
            connection.query("SELECT pg_drop_replication_slot($1)", {name});
            return true;
        }
        connection.query("SELECT pg_terminate_backend(active_pid) "
                         "FROM pg_catalog.pg_replication_slots WHERE slot_name = $1 AND active",
                         {name});
        if (std::chrono::steady_clock::now() > deadline)
            return false;
        std::this_thread::sleep_for(kPoll);
    }
}

Lsn current_lsn(Connection& connection)
{
    // Of the record behind the last: a transaction whose commit returned ends before it.
    return lsn_of(connection.value("SELECT pg_current_wal_insert_lsn()"));
}

bool XidSnapshot::sees(uint32_t xid) const
{
    constexpr uint64_t kEpoch = uint64_t{1} << 32;
    uint64_t full = (xmax & ~(kEpoch - 1)) | xid;
    if (full > xmax + kEpoch / 2 && full >= kEpoch)
        full -= kEpoch;
    else if (full + kEpoch / 2 < xmax)
        full += kEpoch;
    return full < xmin || (full < xmax && !running.contains(full));
}

std::string XidSnapshot::text() const
{
    std::string out = fmt::format("{}:{}:", xmin, xmax);
    for (const uint64_t xid : running)
        out += fmt::format("{}{}", out.back() == ':' ? "" : ",", xid);
    return out;
}

std::optional<XidSnapshot> XidSnapshot::parse(std::string_view text)
{
    const auto number = [&](char end, uint64_t& value)
    {
        const auto done = std::from_chars(text.data(), text.data() + text.size(), value);
        if (done.ec != std::errc())
            return false;
        text.remove_prefix(static_cast<size_t>(done.ptr - text.data()));
        if (text.empty())
            return end == ',';
        if (text[0] != end)
            return false;
        text.remove_prefix(1);
        return true;
    };
    XidSnapshot snapshot;
    if (!number(':', snapshot.xmin) || !number(':', snapshot.xmax))
        return std::nullopt;
    while (!text.empty())
    {
        uint64_t xid;
        if (!number(',', xid))
            return std::nullopt;
        snapshot.running.insert(xid);
    }
    return snapshot;
}

} // namespace basalt::pg
