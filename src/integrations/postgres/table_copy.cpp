#include "integrations/postgres/table_copy.h"

#include "base/threads.h"
#include "engine/make_table.h"
#include "integrations/postgres/table_writer.h"
#include "sql/formatter.h"
#include "sql/parser.h"
#include "storage/storage_service.h"

#include <algorithm>
#include <atomic>
#include <fmt/core.h>

namespace basalt::pg
{

namespace
{

constexpr size_t kMaxWorkers = 4;
// Rows gathered before a part is made of them.
constexpr size_t kPartRows = 512 << 10;
constexpr size_t kPartBytes = 64 << 20;
constexpr size_t kProgressRows = 10'000;

Connection connect(const ConnectionOptions& options)
{
    ConnectionOptions with_session = options;
    with_session.emplace_back("options", kReaderSession);
    return Connection(with_session);
}

struct NewTable
{
    std::shared_ptr<ReplicaTable> table;
    AstPtr create_query;
};

NewTable make_table_for(Engine& engine, const std::string& database, const SourceTable& source)
{
    std::string sql = fmt::format("CREATE TABLE {}.{} UUID '{}' (", quote_identifier(database),
                                  quote_identifier(source.local_name), random_uuid(system_random()));
    for (size_t i = 0; i < source.columns.size(); ++i)
    {
        const SourceColumn& column = source.columns[i];
        if (column.name == kNumberColumn || column.name == kHashColumn)
            throw Error(error_codes::NOT_IMPLEMENTED,
                        fmt::format("A column of the name {} cannot be followed", column.name));
        sql += fmt::format("{}{} {}", i ? ", " : "", quote_identifier(column.name),
                           column_type_name(column.type));
    }
    sql += fmt::format(") ENGINE = {}", kReplicaEngine);
    if (!source.key.empty())
    {
        sql += " ORDER BY (";
        for (size_t i = 0; i < source.key.size(); ++i)
            sql += (i ? ", " : "") + quote_identifier(source.columns[source.key[i]].name);
        sql += ")";
    }
    const AstPtr ast = parse_query(sql);
    const auto& create = *ast->as<AstCreateTable>();
    CreateTableSources sources;
    sources.database = database;
    PreparedTable prepared =
        prepare_table(create, sources, engine.catalog(), *make_lenient_context(engine));
    NewTable made;
    made.table = std::make_shared<ReplicaTable>(engine.storage(), TableName{database, source.local_name},
                                                create.uuid, prepared.metadata, false);
    made.create_query = prepared.create_query;
    return made;
}

struct Piece
{
    std::string leaf;
    uint64_t begin = 0;
    std::optional<uint64_t> end;
};

// A connection in the snapshot, and its thread's work on one table.
class Worker
{
public:
    Worker(const ConnectionOptions& options, const std::string& snapshot)
        : connection_(connect(options))
    {
        connection_.query("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY");
        connection_.query("SET TRANSACTION SNAPSHOT " + quote_text(snapshot));
    }

    uint64_t copy(const std::shared_ptr<ReplicaTable>& table, const SourceTable& source,
                  const std::vector<Piece>& pieces, std::atomic<size_t>& next,
                  const CopyHandler& handler)
    {
        TableWriter writer(table, source);
        CopyLine line;
        uint64_t told = 0;
        for (size_t i = next++; i < pieces.size(); i = next++)
        {
            const Piece& piece = pieces[i];
            std::string where = fmt::format("ctid >= '({},0)'", piece.begin);
            if (piece.end)
                where += fmt::format(" AND ctid < '({},0)'", *piece.end);
            connection_.start_copy_out(fmt::format("COPY (SELECT {} FROM ONLY {} WHERE {}) TO STDOUT",
                                                   source.column_list(), piece.leaf, where));
            while (const auto row = connection_.next_copy_row())
            {
                if (source.columns.empty())
                    throw Error(error_codes::EMPTY_LIST_OF_COLUMNS_PASSED,
                                "A table without columns cannot be followed");
                writer.append_copied(line.split(*row));
                if (++told == kProgressRows)
                {
                    handler.progress(source, std::exchange(told, 0));
                    if (handler.stopped())
                        throw Error(error_codes::ABORTED, "The copy was stopped");
                }
                if (writer.gathered_rows() >= kPartRows || writer.gathered_bytes() >= kPartBytes)
                    writer.spill();
            }
        }
        writer.spill();
        handler.progress(source, told);
        return writer.written_rows();
    }

private:
    Connection connection_;
};

std::vector<Piece> pieces_of(Connection& connection, const SourceTable& source)
{
    std::vector<Piece> pieces;
    for (const SourceLeaf& leaf : leaves_of(connection, source))
    {
        // Rows that come while it is copied stand further behind and are not in the snapshot.
        uint64_t at = 0;
        for (; at + kCopyBlocks < leaf.blocks; at += kCopyBlocks)
            pieces.push_back({leaf.quoted, at, at + kCopyBlocks});
        pieces.push_back({leaf.quoted, at, std::nullopt});
    }
    return pieces;
}

void copy_one(Engine& engine, Connection& coordinator, std::vector<std::unique_ptr<Worker>>& workers,
              const std::string& database, const SourceTable& source, CopyState state,
              const CopyHandler& handler)
{
    const TableName name{database, source.local_name};
    if (const TablePtr old = engine.catalog().find_table(name);
        old && !std::dynamic_pointer_cast<ReplicaTable>(old))
        throw Error(error_codes::TABLE_ALREADY_EXISTS,
                    fmt::format("{} is a table of another engine", name.full()));
    const NewTable made = make_table_for(engine, database, source);
    const std::string mark = copying_key(made.table->uuid());
    const auto set_mark = [&](const std::string& value)
    {
        const auto transaction = engine.storage().begin();
        transaction->set_value(mark, value);
        transaction->commit();
    };
    try
    {
        set_mark(database);
        const auto pieces = pieces_of(coordinator, source);
        std::atomic<size_t> next{0};
        std::atomic<uint64_t> rows{0};
        run_parallel(std::clamp<size_t>(pieces.size(), 1, workers.size()), [&](size_t i)
                     { rows += workers[i]->copy(made.table, source, pieces, next, handler); });
        const auto transaction = engine.storage().begin();
        ReplicaTable::Change change;
        change.inserted = rows;
        made.table->stage(*transaction, change);
        state.fingerprint = source.fingerprint();
        transaction->set_value(copy_state_key(made.table->uuid()), state.text());
        transaction->commit();
    }
    catch (...)
    {
        made.table->drop();
        set_mark({});
        throw;
    }
    const TablePtr old = engine.catalog().find_table(name);
    handler.ready(*made.table);
    engine.catalog().add_table(made.table, made.create_query, true);
    const auto transaction = engine.storage().begin();
    transaction->set_value(mark, {});
    if (old)
        transaction->set_value(copy_state_key(old->uuid()), {});
    transaction->commit();
    handler.done(source, made.table, state);
}

} // namespace

std::string copy_state_key(const std::string& table_uuid)
{
    return "postgresql/table/" + table_uuid;
}

std::string CopyState::text() const
{
    return fmt::format("{}\n{}\n{}", until.text(), snapshot.text(), fingerprint);
}

std::string copying_key(const std::string& table_uuid)
{
    return "postgresql/copying/" + table_uuid;
}

std::optional<CopyState> CopyState::parse(std::string_view text)
{
    const size_t first = text.find('\n');
    const size_t second = first == std::string_view::npos ? first : text.find('\n', first + 1);
    if (second == std::string_view::npos)
        return std::nullopt;
    const auto until = Lsn::parse(text.substr(0, first));
    auto snapshot = XidSnapshot::parse(text.substr(first + 1, second - first - 1));
    if (!until || !snapshot)
        return std::nullopt;
    return CopyState{std::string(text.substr(second + 1)), std::move(*snapshot), *until};
}

void copy_tables(Engine& engine, const ConnectionOptions& options, const std::string& database,
                 const std::vector<SourceTable>& tables, const CopyHandler& handler)
{
    Connection coordinator = connect(options);
    coordinator.query("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY");
    coordinator.query("SET LOCAL lock_timeout = '10s'");
    // Locked before the snapshot is taken: no table is rewritten or emptied between the two.
    std::vector<SourceTable> locked;
    for (const SourceTable& table : tables)
    {
        coordinator.query("SAVEPOINT before_lock");
        try
        {
            coordinator.query(fmt::format("LOCK TABLE {}{} IN ACCESS SHARE MODE",
                                          table.is_partitioned ? "" : "ONLY ", table.quoted()));
            locked.push_back(table);
        }
        catch (const Error& error)
        {
            coordinator.query("ROLLBACK TO SAVEPOINT before_lock");
            handler.failed(table, error);
        }
        coordinator.query("RELEASE SAVEPOINT before_lock");
    }
    if (locked.empty())
        return;
    const auto row = coordinator.query("SELECT pg_export_snapshot(), pg_current_snapshot()::text").at(0);
    CopyState state;
    const auto seen = XidSnapshot::parse(*row[1]);
    if (!seen)
        throw Error(error_codes::INCORRECT_DATA, "PostgreSQL told a snapshot in an unknown form");
    state.snapshot = *seen;
    state.until = current_lsn(coordinator);
    // A commit that waits for the disk: a crash of PostgreSQL neither takes back what the snapshot sees
    // nor gives its numbers of transactions away again before `until`.
    connect(options).query("SET synchronous_commit = local; "
                           "SELECT pg_logical_emit_message(true, 'basalt', '')");
    std::vector<std::unique_ptr<Worker>> workers;
    const size_t worker_count = std::clamp<size_t>(granted_cores(), 1, kMaxWorkers);
    for (size_t i = 0; i < worker_count; ++i)
        workers.push_back(std::make_unique<Worker>(options, *row[0]));
    for (const SourceTable& table : locked)
    {
        if (handler.stopped())
            return;
        try
        {
            // As it is under the lock.
            auto source = describe_table(coordinator, table.schema, table.name);
            if (!source || source->oid != table.oid)
                throw Error(error_codes::UNKNOWN_TABLE, "The table is gone");
            source->local_name = table.local_name;
            copy_one(engine, coordinator, workers, database, *source, state, handler);
        }
        catch (const Error& error)
        {
            handler.failed(table, error);
            // A COPY may have been left in the middle.
            for (auto& worker : workers)
                worker = std::make_unique<Worker>(options, *row[0]);
        }
    }
}

} // namespace basalt::pg
