#include "integrations/postgres/replicator.h"

#include "storage/storage_service.h"

#include <algorithm>
#include <chrono>
#include <fmt/core.h>

namespace basalt::pg
{

namespace
{

constexpr int64_t kFirstPauseMs = 100;
constexpr int64_t kLastPauseMs = 10'000;
// A connection that lived so long was a good one: the next pause is short again.
constexpr int64_t kGoodConnectionMs = 10'000;
constexpr int64_t kRefreshMs = 2'000;
constexpr int64_t kConfirmMs = 1'000;
constexpr int64_t kIdleMs = 100;
constexpr int64_t kAwaitedMs = 10;
// A batch is committed when it is so old, has so many rows, or nothing more comes.
constexpr int64_t kBatchMs = 100;
constexpr size_t kBatchRows = 20'000;
constexpr int64_t kDropTimeoutS = 10;

int64_t now_ms()
{
    return std::chrono::duration_cast<std::chrono::milliseconds>(
               std::chrono::steady_clock::now().time_since_epoch())
        .count();
}

// Letters, digits and _ are all that a slot's name may have.
std::string slot_name(const std::string& database, const std::string& uuid)
{
    std::string name = "basalt_";
    constexpr size_t kMaxPart = 32;
    for (const char c : database.substr(0, kMaxPart))
        name.push_back((c >= 'a' && c <= 'z') || (c >= '0' && c <= '9')   ? c
                       : c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32)
                                              : '_');
    return name + "_" + uuid.substr(0, 8);
}

} // namespace

Replicator::Replicator(Engine& engine, std::string database, const std::string& database_uuid,
                       ReplicaOptions options)
    : engine_(engine), database_(std::move(database)),
      checkpoint_key_("postgresql/database/" + database_uuid), options_(std::move(options)),
      slot_(slot_name(database_, database_uuid)), publications_{slot_, slot_ + "_inserts"}
{
    status_.database = database_;
    status_.source =
        fmt::format("{}:{}/{}", options_.host, options_.port, options_.database);
    status_.slot = slot_;
    status_.state = "stopped";
}

Replicator::~Replicator()
{
    stop();
}

void Replicator::start()
{
    for (const TablePtr& table : engine_.catalog().tables(database_))
        if (const auto replica = std::dynamic_pointer_cast<ReplicaTable>(table))
            replica->set_progress(progress_);
    thread_ = std::thread([this] { run(); });
    checker_ = std::thread([this] { check(); });
}

void Replicator::stop()
{
    {
        std::lock_guard lock(pause_mutex_);
        stop_ = true;
    }
    pause_end_.notify_all();
    check_answered_.notify_all();
    if (thread_.joinable())
        thread_.join();
    if (checker_.joinable())
        checker_.join();
}

void Replicator::pause(int64_t ms)
{
    std::unique_lock lock(pause_mutex_);
    pause_end_.wait_for(lock, std::chrono::milliseconds(ms), [&] { return stopping(); });
}

void Replicator::note_error(const std::string& text)
{
    bool is_news = false;
    {
        std::lock_guard lock(status_mutex_);
        is_news = status_.error != text;
        status_.error = text;
        status_.error_unix_s = system_clock().unix_s();
    }
    if (is_news)
        engine_.storage().report(fmt::format("Database {} follows PostgreSQL: {}", database_, text));
}

void Replicator::run()
{
    int64_t pause_ms = kFirstPauseMs;
    try
    {
        remove_leftovers();
    }
    catch (const std::exception& error)
    {
        note_error(error.what());
    }
    while (!stopping())
    {
        const int64_t began = now_ms();
        try
        {
            follow();
        }
        catch (const Error& error)
        {
            if (!stopping())
                note_error(error.message());
        }
        catch (const std::exception& error)
        {
            note_error(error.what());
        }
        stream_.reset();
        control_.reset();
        in_transaction_ = false;
        pending_ = {};
        pending_commits_us_.clear();
        for (auto& [oid, followed] : followed_)
            if (followed.writer && followed.writer->has_changes())
                followed.writer->abandon();
        if (now_ms() - began > kGoodConnectionMs)
            pause_ms = kFirstPauseMs;
        pause(pause_ms);
        pause_ms = std::min(pause_ms * 2, kLastPauseMs);
    }
    std::lock_guard lock(status_mutex_);
    status_.state = "stopped";
}

void Replicator::follow()
{
    {
        std::lock_guard lock(status_mutex_);
        status_.state = "connecting";
        ++status_.connections;
    }
    ConnectionOptions with_session = options_.connection();
    with_session.emplace_back("options", kReaderSession);
    control_ = std::make_unique<Connection>(with_session);
    const std::string level = control_->value("SHOW wal_level");
    if (level != "logical")
        throw Error(error_codes::POSTGRESQL_REPLICATION_INTERNAL_ERROR,
                    fmt::format("wal_level of the PostgreSQL server is '{}'; set it to 'logical' "
                                "and restart the server",
                                level));
    stream_ = std::make_unique<ReplicationStream>(options_.connection());
    parser_ = PgOutputParser();
    prepare_slot();
    refresh_tables();
    slot_is_new_ = false;
    stream_->start(slot_, applied_, {publications_.changes, publications_.inserts});
    {
        std::lock_guard lock(status_mutex_);
        status_.state = "following";
    }
    stream_changes();
}

// The slot stands where our tables do; otherwise both begin anew.
void Replicator::prepare_slot()
{
    const std::string identifier = stream_->system_identifier();
    const std::string checkpoint = engine_.storage().log().value(checkpoint_key_);
    const size_t space = checkpoint.find(' ');
    const auto position = Lsn::parse(std::string_view(checkpoint).substr(0, space));
    const auto slot = slot_state(*control_, slot_);
    std::string why;
    if (!position || space == std::string::npos)
        why = "";
    else if (checkpoint.substr(space + 1) != identifier)
        why = "another PostgreSQL server answers at this address";
    else if (!slot)
        why = fmt::format("the replication slot {} is gone", slot_);
    else if (slot->wal_status == "lost")
        why = fmt::format("the replication slot {} was invalidated: the log it needed was removed",
                          slot_);
    else if (current_lsn(*control_) < *position)
        why = "the PostgreSQL server is behind what was applied: it was restored";
    else
    {
        applied_ = *position;
        system_identifier_ = identifier;
        return;
    }
    start_anew(identifier, why);
}

void Replicator::start_anew(const std::string& identifier, const std::string& why)
{
    if (!why.empty())
        note_error(why + "; all tables are copied again");
    followed_.clear();
    for (const TablePtr& table : engine_.catalog().tables(database_))
        if (const auto replica = std::dynamic_pointer_cast<ReplicaTable>(table))
            replica->set_standing(Standing::Behind);
    if (!drop_slot(*control_, slot_, kDropTimeoutS))
        throw Error(error_codes::POSTGRESQL_REPLICATION_INTERNAL_ERROR,
                    fmt::format("The replication slot {} is in use", slot_));
    // Before the slot: the stream must not begin with changes of tables that are not published.
    publish(wanted_tables());
    applied_ = stream_->create_slot(slot_);
    progress_->restart(applied_);
    system_identifier_ = identifier;
    slot_is_new_ = true;
    const auto transaction = engine_.storage().begin();
    transaction->set_value(checkpoint_key_, applied_.text() + " " + identifier);
    for (const TablePtr& table : engine_.catalog().tables(database_))
        transaction->set_value(copy_state_key(table->uuid()), {});
    transaction->commit();
}

void Replicator::stream_changes()
{
    int64_t next_refresh = now_ms() + kRefreshMs;
    int64_t next_confirm = 0;
    while (!stopping())
    {
        const bool awaited = progress_->is_awaited() || has_request();
        const int64_t wait =
            awaited ? kAwaitedMs
                    : (pending_.value ? std::max<int64_t>(batch_began_ms_ + kBatchMs - now_ms(), 0)
                                      : kIdleMs);
        const auto message = stream_->next(in_transaction_ ? kIdleMs : std::min(wait, kBatchMs / 5));
        bool replies = false;
        if (message)
        {
            if (!message->payload.empty())
                handle(parser_.parse(message->payload));
            else if (!in_transaction_ && !pending_.value)
            {
                // All that committed before it has gone by.
                applied_ = std::max(applied_, message->end);
                progress_->reached(applied_);
            }
            replies = message->wants_reply;
            std::lock_guard lock(status_mutex_);
            status_.received = std::max(status_.received, message->end);
        }
        const int64_t now = now_ms();
        if (!in_transaction_ && pending_.value &&
            (!message || now - batch_began_ms_ >= kBatchMs || gathered_rows() >= kBatchRows))
        {
            flush();
            next_confirm = 0;
        }
        if (!in_transaction_ && !pending_.value)
            serve_request(nullptr);
        const bool is_due = now >= next_refresh || wants_refresh_;
        if (!in_transaction_ && !pending_.value && (is_due || progress_->wants_check()))
        {
            wants_refresh_ = false;
            refresh_tables();
            if (is_due)
            {
                update_server_status();
                list_checked();
                next_refresh = now_ms() + kRefreshMs;
            }
        }
        // A reader waits for a position behind the last commit: a keep-alive tells of it.
        if (replies || now >= next_confirm || (awaited && !message))
        {
            stream_->confirm(applied_, awaited);
            next_confirm = now + kConfirmMs;
        }
    }
}

void Replicator::drop_remote()
{
    try
    {
        Connection connection(options_.connection());
        if (!drop_slot(connection, slot_, kDropTimeoutS))
            note_error(fmt::format("The replication slot {} is in use and stays", slot_));
        drop_publications(connection, publications_);
    }
    catch (const Error& error)
    {
        note_error(fmt::format("The replication slot {} and its publications may still be there, "
                               "drop them by hand: {}",
                               slot_, error.message()));
    }
    const auto transaction = engine_.storage().begin();
    transaction->set_value(checkpoint_key_, {});
    for (const TablePtr& table : engine_.catalog().tables(database_))
        transaction->set_value(copy_state_key(table->uuid()), {});
    transaction->commit();
}

ReplicaStatus Replicator::status() const
{
    std::lock_guard lock(status_mutex_);
    ReplicaStatus status = status_;
    status.applied = progress_->applied();
    for (const auto& [name, table] : table_status_)
        status.tables.push_back(table);
    std::vector<int64_t> lags = lags_ms_;
    if (!lags.empty())
    {
        std::sort(lags.begin(), lags.end());
        status.lag_p50_ms = lags[lags.size() / 2];
        status.lag_p99_ms = lags[lags.size() * 99 / 100];
        status.lag_max_ms = lags.back();
    }
    if (status.applied < status.server && last_commit_us_)
        status.lag_ms = std::max<int64_t>((system_clock().unix_us() - last_commit_us_) / 1000, 0);
    return status;
}

} // namespace basalt::pg
