#include "integrations/postgres/replica_table.h"

#include "base/error.h"
#include "functions/named_function.h"
#include "storage/log/record.h"

#include <algorithm>
#include <fmt/core.h>

namespace basalt::pg
{

namespace
{

// Kinds of records; numbers on disk, never reused.
enum class RecordKind : uint8_t
{
    Reserved = 1, // varint: rows below this number may be stored
    Changed = 2,
};
constexpr uint64_t kStateVersion = 1;

// 1 for numbers of rows that are alive in one state of the table.
class IsLive final : public NamedFunction
{
public:
    explicit IsLive(ReplicaTable::StatePtr state)
        : NamedFunction("basaltIsLive"), state_(std::move(state))
    {
    }
    TypePtr return_type(const Arguments&) const override { return simple_type(TypeId::UInt8); }
    bool worth_short_circuit() const override { return false; }
    ColumnPtr execute(const Arguments& arguments, const TypePtr&, size_t rows,
                      const QueryContext&) const override
    {
        const ColumnPtr flat = to_flat(arguments[0].column);
        const auto& numbers = column_as<VectorColumn<uint64_t>>(flat).data();
        auto result = std::make_shared<VectorColumn<uint8_t>>(rows);
        for (size_t i = 0; i < rows; ++i)
            result->data()[i] = !state_->dead.contains(numbers[i]);
        return result;
    }

private:
    ReplicaTable::StatePtr state_;
};

TableMetadataPtr inner_metadata(const TableMetadata& metadata)
{
    auto inner = std::make_shared<TableMetadata>(metadata);
    const auto add = [&](const char* name)
    {
        ColumnDescription column;
        column.name = name;
        column.type = simple_type(TypeId::UInt64);
        inner->columns.push_back(std::move(column));
    };
    add(kNumberColumn);
    if (metadata.sorting_key.expressions.empty())
        add(kHashColumn);
    return inner;
}

void append_ranges(std::string& out, const std::vector<RowRange>& ranges)
{
    append_varint(out, ranges.size());
    uint64_t at = 0;
    for (const RowRange& range : ranges)
    {
        append_varint(out, range.begin - at);
        append_varint(out, range.end - range.begin);
        at = range.end;
    }
}

std::vector<RowRange> take_ranges(std::string_view& bytes)
{
    std::vector<RowRange> ranges;
    uint64_t at = 0;
    for (uint64_t n = take_varint(bytes); n > 0; --n)
    {
        const uint64_t begin = at + take_varint(bytes);
        at = begin + take_varint(bytes);
        ranges.push_back({begin, at});
    }
    return ranges;
}

// Sorted, without overlaps.
std::vector<RowRange> joined(std::vector<RowRange> ranges)
{
    std::sort(ranges.begin(), ranges.end(),
              [](const RowRange& a, const RowRange& b) { return a.begin < b.begin; });
    std::vector<RowRange> result;
    for (const RowRange& range : ranges)
    {
        if (range.begin == range.end)
            continue;
        if (!result.empty() && range.begin <= result.back().end)
            result.back().end = std::max(result.back().end, range.end);
        else
            result.push_back(range);
    }
    return result;
}

} // namespace

std::string inner_uuid(std::string uuid)
{
    constexpr size_t kVersionDigit = 14;
    BASALT_ASSERT(uuid.size() > kVersionDigit);
    uuid[kVersionDigit] = uuid[kVersionDigit] == '8' ? '9' : '8';
    return uuid;
}

ReplicaTable::ReplicaTable(StorageService& service, TableName name, std::string uuid,
                           TableMetadataPtr metadata, bool attach)
    : service_(service), uuid_(std::move(uuid)), metadata_(std::move(metadata)),
      inner_(std::make_shared<MergeTreeTable>(service, "MergeTree", std::move(name),
                                              inner_uuid(uuid_), inner_metadata(*metadata_),
                                              attach))
{
    service_.log().attach(uuid_, *this);
    inner_->set_keep_condition(
        [this](const QueryContext& context) -> ExpressionPtr
        {
            std::lock_guard lock(mutex_);
            if (state_->dead.empty())
                return nullptr;
            purged_through_ = state_->changes;
            return Expression::call(
                std::make_shared<IsLive>(state_),
                {Expression::input(kNumberColumn, simple_type(TypeId::UInt64))}, context);
        });
    // What was numbered and never staged was cut short by the end of the server.
    next_number_ = std::max(state_->end, reserved_);
    if (next_number_ > state_->end)
        abandoned_.push_back({state_->end, next_number_});
}

ReplicaTable::~ReplicaTable()
{
    shutdown();
}

ReplicaTable::StatePtr ReplicaTable::state() const
{
    std::lock_guard lock(mutex_);
    return state_;
}

void ReplicaTable::set_progress(std::shared_ptr<ReplicaProgress> progress)
{
    std::lock_guard lock(mutex_);
    progress_ = std::move(progress);
}

void ReplicaTable::set_standing(Standing standing)
{
    std::lock_guard lock(mutex_);
    standing_ = standing;
}

void ReplicaTable::wait_for(Lsn lsn, const QueryContext& context)
{
    std::shared_ptr<ReplicaProgress> progress;
    {
        std::lock_guard lock(mutex_);
        if (lsn <= complete_)
            return;
        progress = progress_;
    }
    if (!progress)
        throw Error(error_codes::BAD_ARGUMENTS,
                    fmt::format("Nobody follows PostgreSQL for table {} now", table_name().full()));
    progress->wait_for(
        lsn, table_name().full(),
        [this]
        {
            std::lock_guard lock(mutex_);
            return shut_down_ ? Standing::Replaced : standing_;
        },
        context);
    std::lock_guard lock(mutex_);
    complete_ = std::max(complete_, lsn);
}

std::unique_ptr<Scan> ReplicaTable::scan(const ScanRequest& request, QueryContextPtr context)
{
    const std::string wanted(context->settings.get("postgres_min_lsn"));
    if (!wanted.empty())
    {
        const auto lsn = Lsn::parse(wanted);
        if (!lsn)
            throw Error(error_codes::BAD_ARGUMENTS,
                        fmt::format("postgres_min_lsn is not a position of PostgreSQL: {}", wanted));
        wait_for(*lsn, *context);
    }
    // Rows that come after this, and deaths, belong to later states.
    for (;;)
        if (auto scan = scan_at(state(), request, context))
            return scan;
}

std::unique_ptr<Scan> ReplicaTable::scan_at(const StatePtr& state, const ScanRequest& request,
                                            QueryContextPtr context)
{
    const auto number = Expression::input(kNumberColumn, simple_type(TypeId::UInt64));
    Expressions conditions;
    if (request.filter)
        conditions.push_back(request.filter);
    conditions.push_back(Expression::call(
        "less", {number, Expression::constant(simple_type(TypeId::UInt64), Value(state->end))},
        *context));
    if (!state->dead.empty())
        conditions.push_back(
            Expression::call(std::make_shared<IsLive>(state), {number}, *context));
    ScanRequest inner = request;
    inner.final = false;
    inner.filter = conditions.size() == 1 ? conditions[0]
                                          : Expression::call("and", conditions, *context);
    auto scan = inner_->scan(inner, std::move(context));
    // A merge may have left out rows that died after our state, before the scan took its parts.
    std::lock_guard lock(mutex_);
    return purged_through_ <= state->changes ? std::move(scan) : nullptr;
}

std::unique_ptr<TableSink> ReplicaTable::write(Transaction&, QueryContextPtr)
{
    throw Error(error_codes::TABLE_IS_READ_ONLY,
                fmt::format("Table {} follows PostgreSQL: change it there", table_name().full()));
}

void ReplicaTable::truncate(QueryContextPtr)
{
    throw Error(error_codes::TABLE_IS_READ_ONLY,
                fmt::format("Table {} follows PostgreSQL: change it there", table_name().full()));
}

void ReplicaTable::optimize(const OptimizeCommand& command, QueryContextPtr context)
{
    // No row is there twice.
    OptimizeCommand inner;
    inner.partition_id = command.partition_id;
    inner.final = command.final;
    inner_->optimize(inner, std::move(context));
}

void ReplicaTable::shutdown()
{
    {
        std::lock_guard lock(mutex_);
        if (shut_down_)
            return;
        shut_down_ = true;
    }
    inner_->shutdown();
    service_.log().detach(uuid_);
}

void ReplicaTable::drop()
{
    shutdown();
    inner_->drop();
    const auto transaction = service_.begin();
    service_.log().forget(*transaction, uuid_);
    transaction->commit();
}

uint64_t ReplicaTable::reserve(uint64_t rows)
{
    return next_number_.fetch_add(rows);
}

void ReplicaTable::write_rows(Transaction& transaction, Block block, QueryContextPtr context)
{
    const auto sink = inner_->write(transaction, std::move(context));
    sink->write(std::move(block));
    sink->finish();
    std::string payload;
    append_varint(payload, next_number_);
    transaction.add_record(uuid_, static_cast<uint8_t>(RecordKind::Reserved), std::move(payload));
    transaction.on_commit(
        [this, self = shared_from_this(), reserved = next_number_.load()]
        {
            std::lock_guard lock(mutex_);
            reserved_ = std::max(reserved_, reserved);
        });
}

void ReplicaTable::stage(Transaction& transaction, const Change& change)
{
    const StatePtr before = state();
    std::vector<RowRange> dead = change.dead;
    dead.insert(dead.end(), abandoned_.begin(), abandoned_.end());
    if (change.dead_below)
        dead.push_back({0, change.dead_below});
    dead = joined(std::move(dead));
    auto after = std::make_shared<State>();
    after->dead = before->dead.with(dead);
    after->end = next_number_;
    const uint64_t base = change.dead_below ? 0 : before->live_rows;
    BASALT_ASSERT(base + change.inserted >= change.killed);
    after->live_rows = base + change.inserted - change.killed;
    after->changes = before->changes + 1;
    std::string payload;
    append_varint(payload, after->changes);
    append_varint(payload, after->end);
    append_varint(payload, after->live_rows);
    append_ranges(payload, dead);
    transaction.add_record(uuid_, static_cast<uint8_t>(RecordKind::Changed), std::move(payload));
    transaction.on_commit(
        [this, self = shared_from_this(), after]
        {
            std::lock_guard lock(mutex_);
            state_ = after;
            abandoned_.clear();
        });
}

void ReplicaTable::abandon()
{
    const StatePtr now = state();
    abandoned_.clear();
    if (next_number_ > now->end)
        abandoned_.push_back({now->end, next_number_});
}

void ReplicaTable::purge()
{
    const uint64_t stored = inner_->total_rows().value_or(0);
    const uint64_t living = state()->live_rows;
    if (stored < living + kMinPurgedRows ||
        static_cast<double>(stored - living) < kPurgedShare * static_cast<double>(stored))
        return;
    inner_->rewrite_parts(kPurgedShare);
}

void ReplicaTable::restore(std::string_view bytes)
{
    if (take_varint(bytes) != kStateVersion)
        throw Error(error_codes::UNKNOWN_FORMAT_VERSION,
                    "The state of a replica was written by a newer version");
    auto state = std::make_shared<State>();
    state->changes = take_varint(bytes);
    state->end = take_varint(bytes);
    state->live_rows = take_varint(bytes);
    reserved_ = take_varint(bytes);
    state->dead = DeadRows::take(bytes);
    state_ = std::move(state);
}

void ReplicaTable::replay(uint64_t, uint8_t kind, std::string_view payload)
{
    switch (static_cast<RecordKind>(kind))
    {
    case RecordKind::Reserved:
        reserved_ = std::max(reserved_, take_varint(payload));
        return;
    case RecordKind::Changed:
    {
        auto state = std::make_shared<State>();
        state->changes = take_varint(payload);
        if (state->changes <= state_->changes)
            return; // the checkpoint has it
        state->end = take_varint(payload);
        state->live_rows = take_varint(payload);
        state->dead = state_->dead.with(take_ranges(payload));
        state_ = std::move(state);
        return;
    }
    }
    throw Error(error_codes::CORRUPTED_DATA,
                fmt::format("The log holds an unknown kind of record ({}) of a replica", kind));
}

std::string ReplicaTable::checkpoint_state() const
{
    std::lock_guard lock(mutex_);
    std::string out;
    append_varint(out, kStateVersion);
    append_varint(out, state_->changes);
    append_varint(out, state_->end);
    append_varint(out, state_->live_rows);
    append_varint(out, reserved_);
    state_->dead.append_to(out);
    return out;
}

} // namespace basalt::pg
