// Compares ranges of rows with PostgreSQL, one after another, while both go on. PostgreSQL tells its rows
// as of a snapshot; the thread that applies tells which state of ours has the same transactions.

#include "integrations/postgres/replicator.h"

#include "codecs/hash.h"
#include "storage/storage_service.h"

#include <algorithm>
#include <chrono>
#include <fmt/core.h>

namespace basalt::pg
{

namespace
{

constexpr int64_t kEveryMs = 3'000;
constexpr uint64_t kRangeRows = 50'000;
// A table without an integer key is compared whole, up to this size.
constexpr uint64_t kMaxWholeRows = 200'000;
constexpr size_t kBlockRows = 8192;
constexpr auto kPatience = std::chrono::seconds(20);

struct Sum
{
    uint64_t rows = 0;
    uint64_t hash = 0; // wraps: the order of rows does not matter

    void add(const Columns& columns, size_t rows_of_block)
    {
        PodVector<char> bytes;
        for (size_t row = 0; row < rows_of_block; ++row)
        {
            bytes.clear();
            for (const auto& column : columns)
                column->append_key(row, bytes);
            hash += xxh3_64(bytes.data(), bytes.size());
        }
        rows += rows_of_block;
    }
};

bool is_integer_key(const SourceTable& source)
{
    if (source.key.empty())
        return false;
    const PostgresColumnType& type = source.columns[source.key[0]].type;
    return type.array_depth == 0 && (type.oid == 20 || type.oid == 21 || type.oid == 23);
}

Sum sum_of_postgres(Connection& connection, const SourceTable& source,
                    const TableMetadata& metadata, const std::string& where)
{
    std::vector<ValueReader> readers;
    std::vector<MutableColumnPtr> columns;
    for (const auto& column : metadata.columns)
    {
        readers.emplace_back(column.type);
        columns.push_back(column.type->create_column());
    }
    Sum sum;
    size_t rows = 0;
    const auto take = [&]
    {
        sum.add(Columns(columns.begin(), columns.end()), rows);
        rows = 0;
        for (auto& column : columns)
            column = column->clone_empty();
    };
    connection.start_copy_out(fmt::format("COPY (SELECT {} FROM {}{} WHERE {}) TO STDOUT",
                                          source.column_list(),
                                          source.is_partitioned ? "" : "ONLY ", source.quoted(),
                                          where));
    CopyLine line;
    while (const auto row = connection.next_copy_row())
    {
        const auto& fields = line.split(*row);
        for (size_t i = 0; i < columns.size(); ++i)
            if (fields[i].is_null)
                readers[i].append_null(*columns[i]);
            else
                readers[i].append(*columns[i], fields[i].text);
        if (++rows == kBlockRows)
            take();
    }
    take();
    return sum;
}

std::optional<Sum> sum_of_ours(ReplicaTable& table, const ReplicaTable::StatePtr& state,
                               const SourceTable& source, const std::optional<int64_t>& first,
                               const std::optional<int64_t>& last)
{
    const QueryContextPtr context = table.service().make_context();
    ScanRequest request;
    Expressions conditions;
    for (const auto& column : table.metadata()->columns)
        request.columns.push_back(column.name);
    const auto bound = [&](const char* function, int64_t value)
    {
        const auto& column = table.metadata()->columns[source.key[0]];
        conditions.push_back(Expression::call(
            function, {Expression::input(column.name, column.type),
                       Expression::constant(simple_type(TypeId::Int64), Value(value))},
            *context));
    };
    if (first)
        bound("greaterOrEquals", *first);
    if (last)
        bound("lessOrEquals", *last);
    if (!conditions.empty())
        request.filter = conditions.size() == 1 ? conditions[0]
                                                : Expression::call("and", conditions, *context);
    const auto scan = table.scan_at(state, request, context);
    if (!scan)
        return std::nullopt;
    Sum sum;
    for (Block block = scan->next(0).flattened(); block.rows() > 0;
         block = scan->next(0).flattened())
    {
        Columns columns;
        for (const auto& column : block.columns())
            columns.push_back(column.column);
        sum.add(columns, block.rows());
    }
    return sum;
}

} // namespace

bool Replicator::has_request() const
{
    std::lock_guard lock(check_mutex_);
    return request_ && !request_->done;
}

bool Replicator::has_begun_unseen(const XidSnapshot& snapshot) const
{
    return std::any_of(begun_xids_.begin(), begun_xids_.end(),
                       [&](uint32_t xid) { return !snapshot.sees(xid); });
}

// By the applying thread: before a transaction begins, and when nothing is under way.
void Replicator::serve_request(const BeginMessage* begin)
{
    std::unique_lock lock(check_mutex_);
    const bool comes_late = request_ && !request_->done && std::exchange(request_->is_new, false) &&
                            has_begun_unseen(request_->snapshot);
    if (begin)
    {
        if (begun_xids_.size() < kKeptXids)
            begun_xids_.push_back(begin->xid);
        else
            begun_xids_[next_xid_++ % kKeptXids] = begin->xid;
    }
    if (!request_ || request_->done)
        return;
    const auto found = followed_.find(request_->oid);
    bool ends = comes_late || found == followed_.end() || !found->second.writer ||
                found->second.out_of_step || !found->second.past_copy;
    if (!ends && begin && !(begin->commit_lsn < applied_))
    {
        if (request_->snapshot.sees(begin->xid))
        {
            // It committed after one that the snapshot does not see.
            ends = request_->state != nullptr;
            request_->state.reset();
        }
        else if (!request_->state)
        {
            if (pending_.value)
            {
                lock.unlock();
                flush();
                lock.lock();
                if (!request_)
                    return;
            }
            request_->table = found->second.table;
            request_->state = request_->table->state();
        }
    }
    if (!ends && !begin && applied_ >= request_->until)
    {
        if (!request_->state)
        {
            request_->table = found->second.table;
            request_->state = request_->table->state();
        }
        ends = true;
    }
    if (!ends)
        return;
    request_->done = true;
    lock.unlock();
    check_answered_.notify_all();
}

bool Replicator::request_state(StateRequest& request)
{
    std::unique_lock lock(check_mutex_);
    request_ = &request;
    check_answered_.wait_for(lock, kPatience, [&] { return request.done || stopping(); });
    request_ = nullptr;
    return request.done && request.state;
}

void Replicator::list_checked()
{
    std::lock_guard lock(check_mutex_);
    std::map<std::string, CheckedTable> checked;
    for (const auto& [oid, followed] : followed_)
    {
        if (!followed.writer || followed.out_of_step || !followed.past_copy)
            continue;
        CheckedTable& table = checked[followed.source.local_name];
        table.table = followed.table;
        table.source = followed.source;
        if (const auto before = checked_.find(followed.source.local_name);
            before != checked_.end() && before->second.table == followed.table)
            table.next = before->second.next;
    }
    checked_ = std::move(checked);
}

void Replicator::check()
{
    std::string last;
    while (!stopping())
    {
        pause(kEveryMs);
        CheckedTable table;
        {
            std::lock_guard lock(check_mutex_);
            auto it = checked_.upper_bound(last);
            if (it == checked_.end())
                it = checked_.begin();
            if (it == checked_.end() || stopping())
                continue;
            last = it->first;
            table = it->second;
        }
        try
        {
            check_range(table);
        }
        catch (const std::exception& error)
        {
            if (!stopping())
                engine_.storage().report(
                    fmt::format("Comparing table {}.{}: {}", database_, last, error.what()));
        }
        std::lock_guard lock(check_mutex_);
        if (const auto found = checked_.find(last);
            found != checked_.end() && found->second.table == table.table)
            found->second.next = table.next;
    }
}

void Replicator::check_range(CheckedTable& checked)
{
    const SourceTable& source = checked.source;
    const bool has_ranges = is_integer_key(source);
    if (!has_ranges && *checked.table->total_rows() > kMaxWholeRows)
        return;
    ConnectionOptions options = options_.connection();
    options.emplace_back("options", kReaderSession);
    Connection connection(options);
    connection.query("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY");
    StateRequest request;
    request.oid = source.oid;
    const auto seen = XidSnapshot::parse(connection.value("SELECT pg_current_snapshot()::text"));
    if (!seen)
        throw Error(error_codes::INCORRECT_DATA, "PostgreSQL told a snapshot in an unknown form");
    request.snapshot = *seen;
    request.until = current_lsn(connection);
    // At once, before more transactions come.
    if (!request_state(request) || request.table != checked.table)
        return; // it is being copied, or the stream stands still or has gone on: later

    std::optional<int64_t> first, last;
    ConsistencyResult result;
    result.range = "all";
    std::string where = "true";
    if (has_ranges)
    {
        const std::string key = quote_name(source.columns[source.key[0]].name);
        if (!checked.next.empty())
            first = std::stoll(checked.next);
        const std::string from = first ? fmt::format("{} >= {}::int8", key, quote_text(checked.next))
                                       : std::string("true");
        const Row row = connection
                            .query(fmt::format("SELECT count(*), max(k) FROM (SELECT {0} AS k FROM {1}{2} "
                                               "WHERE {3} ORDER BY {0} LIMIT {4}) AS keys",
                                               key, source.is_partitioned ? "" : "ONLY ",
                                               source.quoted(), from, kRangeRows))
                            .at(0);
        checked.next.clear();
        where = from;
        // The last range has no end: rows that are only here stand in it too.
        if (std::stoull(*row[0]) == kRangeRows && row[1] && std::stoll(*row[1]) < INT64_MAX)
        {
            last = std::stoll(*row[1]);
            checked.next = std::to_string(*last + 1);
            where += fmt::format(" AND {} <= {}::int8", key, quote_text(*row[1]));
        }
        if (first || last)
            result.range = fmt::format("{} from {} to {}", source.columns[source.key[0]].name,
                                       first ? std::to_string(*first) : "the first",
                                       last ? std::to_string(*last) : "the last");
    }
    const Sum theirs = sum_of_postgres(connection, source, *checked.table->metadata(), where);
    const auto ours = sum_of_ours(*checked.table, request.state, source, first, last);
    if (!ours)
        return; // merged meanwhile
    result.table = source.local_name;
    result.unix_s = system_clock().unix_s();
    result.lsn = request.until;
    result.postgres_rows = theirs.rows;
    result.basalt_rows = ours->rows;
    result.postgres_hash = theirs.hash;
    result.basalt_hash = ours->hash;
    const bool is_same = theirs.rows == ours->rows && theirs.hash == ours->hash;
    result.result = is_same ? "same" : "different";
    if (!is_same)
        note_error(fmt::format("Table {} differs from PostgreSQL ({}): {} rows here, {} there",
                               source.local_name, result.range, ours->rows, theirs.rows));
    std::lock_guard lock(check_mutex_);
    if (results_.size() == kKeptResults)
        results_.erase(results_.begin());
    results_.push_back(std::move(result));
}

std::vector<ConsistencyResult> Replicator::consistency() const
{
    std::lock_guard lock(check_mutex_);
    return results_;
}

} // namespace basalt::pg
