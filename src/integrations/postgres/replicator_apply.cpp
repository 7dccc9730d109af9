// What the stream brings, applied to tables.

#include "integrations/postgres/replicator.h"

#include "storage/storage_service.h"

#include <chrono>
#include <fmt/core.h>

namespace basalt::pg
{

namespace
{

// A transaction whose rows do not fit is written piece by piece, invisible until it commits.
constexpr size_t kSpillRows = 256 << 10;
constexpr size_t kSpillBytes = 64 << 20;
constexpr int64_t kCheckpointMs = 10'000;

int64_t now_ms()
{
    return std::chrono::duration_cast<std::chrono::milliseconds>(
               std::chrono::steady_clock::now().time_since_epoch())
        .count();
}

template <class... Handlers> struct Overloaded : Handlers...
{
    using Handlers::operator()...;
};
template <class... Handlers> Overloaded(Handlers...) -> Overloaded<Handlers...>;

} // namespace

// The table that the change concerns, when it is not in its copy already.
Replicator::Followed* Replicator::followed_now(uint32_t oid)
{
    if (skip_transaction_)
        return nullptr;
    const auto found = followed_.find(oid);
    if (found == followed_.end())
    {
        wants_refresh_ = true; // a new table, perhaps
        return nullptr;
    }
    Followed& followed = found->second;
    if (!followed.writer || followed.out_of_step)
        return nullptr;
    // The position was asked for after the snapshot was taken: what commits behind it is not seen, even
    // if a crash of PostgreSQL gave it a number that had been taken before.
    if (!followed.past_copy && transaction_.commit_lsn < followed.copy.until &&
        followed.copy.snapshot.sees(transaction_.xid))
        return nullptr;
    return &followed;
}

// The table is copied again; until then its rows stay as they are.
void Replicator::fall_behind(Followed& followed)
{
    followed.out_of_step = true;
    followed.writer->abandon();
    followed.table->set_standing(Standing::Behind);
    wants_refresh_ = true;
}

void Replicator::on_relation(const RelationMessage& relation)
{
    Followed* followed = followed_now(relation.oid);
    if (!followed || followed->source.matches(relation))
        return;
    fall_behind(*followed);
}

template <class Apply>
void Replicator::change(uint32_t oid, uint64_t Followed::*counter, Apply apply)
{
    Followed* followed = followed_now(oid);
    if (!followed)
        return;
    try
    {
        apply(*followed->writer);
        ++(followed->*counter);
        if (followed->writer->gathered_rows() >= kSpillRows ||
            followed->writer->gathered_bytes() >= kSpillBytes)
            followed->writer->spill();
    }
    catch (const OutOfStep& error)
    {
        note_error(fmt::format("Table {} is copied again: {}", followed->source.local_name,
                               error.message()));
        fall_behind(*followed);
    }
    catch (const Error& error)
    {
        fail_table(*followed, error.message());
    }
}

void Replicator::handle(const ReplicationMessage& message)
{
    std::visit(
        Overloaded{
            [&](const BeginMessage& begin)
            {
                serve_request(&begin);
                in_transaction_ = true;
                transaction_ = begin;
                skip_transaction_ = begin.commit_lsn < applied_;
            },
            [&](const CommitMessage& commit)
            {
                in_transaction_ = false;
                if (skip_transaction_)
                    return;
                if (!pending_.value)
                    batch_began_ms_ = now_ms();
                pending_ = commit.end_lsn;
                pending_commits_us_.push_back(commit.commit_unix_us);
            },
            [&](const RelationMessage& relation) { on_relation(relation); },
            [&](const InsertMessage& insert)
            {
                change(insert.relation_oid, &Followed::inserted,
                       [&](TableWriter& writer) { writer.insert(insert.row); });
            },
            [&](const UpdateMessage& update)
            {
                change(update.relation_oid, &Followed::updated,
                       [&](TableWriter& writer) { writer.update(update); });
            },
            [&](const DeleteMessage& removal)
            {
                change(removal.relation_oid, &Followed::deleted,
                       [&](TableWriter& writer) { writer.remove(removal); });
            },
            [&](const TruncateMessage& truncation)
            {
                for (const uint32_t oid : truncation.relation_oids)
                    change(oid, &Followed::truncated,
                           [&](TableWriter& writer) { writer.truncate(); });
            },
            [](const auto&) {}}, // origins, types, messages: nothing to apply
        message);
}

size_t Replicator::gathered_rows() const
{
    size_t rows = 0;
    for (const auto& [oid, followed] : followed_)
        if (followed.writer)
            rows += followed.writer->gathered_rows();
    return rows;
}

// Everything gathered and the position behind it, in one transaction of the log.
void Replicator::flush()
{
    for (auto& [oid, followed] : followed_)
    {
        if (!followed.writer || !followed.writer->has_changes())
            continue;
        try
        {
            followed.writer->resolve();
        }
        catch (const OutOfStep& error)
        {
            note_error(fmt::format("Table {} is copied again: {}", followed.source.local_name,
                                   error.message()));
            fall_behind(followed);
        }
        catch (const Error& error)
        {
            fail_table(followed, error.message());
        }
    }
    const auto transaction = engine_.storage().begin();
    std::vector<Followed*> changed;
    for (auto& [oid, followed] : followed_)
        if (followed.writer && followed.writer->has_changes())
        {
            followed.writer->stage(*transaction);
            changed.push_back(&followed);
        }
    // Without changes the position may be lost: the slot knows a later one.
    if (!changed.empty() || now_ms() - checkpoint_written_ms_ > kCheckpointMs)
    {
        transaction->set_value(checkpoint_key_, pending_.text() + " " + system_identifier_);
        transaction->commit();
        checkpoint_written_ms_ = now_ms();
    }
    for (Followed* followed : changed)
        followed->writer->committed();
    applied_ = pending_;
    pending_ = {};
    for (auto& [oid, followed] : followed_)
        if (!followed.past_copy && applied_ >= followed.copy.until)
            followed.past_copy = true;
    progress_->reached(applied_);
    count_lags(system_clock().unix_us());
}

void Replicator::count_lags(int64_t now_us)
{
    std::lock_guard lock(status_mutex_);
    for (const int64_t commit_us : pending_commits_us_)
    {
        const int64_t lag = std::max<int64_t>((now_us - commit_us) / 1000, 0);
        if (lags_ms_.size() < kLagSamples)
            lags_ms_.push_back(lag);
        else
            lags_ms_[lag_at_] = lag;
        lag_at_ = (lag_at_ + 1) % kLagSamples;
        last_commit_us_ = commit_us;
        ++status_.transactions;
    }
    pending_commits_us_.clear();
    for (auto& [oid, followed] : followed_)
    {
        ReplicaTableStatus& status = table_status_[followed.source.local_name];
        status.inserted += std::exchange(followed.inserted, 0);
        status.updated += std::exchange(followed.updated, 0);
        status.deleted += std::exchange(followed.deleted, 0);
        status.truncated += std::exchange(followed.truncated, 0);
    }
}

} // namespace basalt::pg
