#include "storage/log/server_log.h"

#include "base/error.h"
#include "base/failpoint.h"

#include <fmt/format.h>
#include <set>

namespace basalt
{

struct ServerLog::Commit
{
    LogRecord record;
    std::string body;
    std::vector<std::function<void()>> actions;
    uint64_t* sequence = nullptr;
    bool done = false;
    std::exception_ptr error;
};

class ServerLog::LogTransaction final : public Transaction
{
public:
    explicit LogTransaction(ServerLog& log) : log_(log) {}
    ~LogTransaction() override
    {
        if (!committed_)
            roll_back();
    }

    void add_record(const std::string& table_uuid, uint8_t kind, std::string payload) override
    {
        commit_.record.edits.push_back({table_uuid, kind, std::move(payload)});
    }
    bool add_token(const TokenClaim& claim) override
    {
        const int64_t now = log_.clock_.unix_s();
        if (!log_.tokens_.claim(claim, now))
            return false;
        commit_.record.tokens.push_back(
            {claim.table_uuid, claim.by_content, token_key(claim.text), now, {}});
        return true;
    }
    bool knows_token(const TokenClaim& claim) const override
    {
        return log_.tokens_.knows(claim, log_.clock_.unix_s());
    }
    void touch_partitions(const std::string& table_uuid,
                          const std::vector<std::string>& partition_ids) override
    {
        touched_[table_uuid].insert(partition_ids.begin(), partition_ids.end());
    }
    void forget_tokens(const std::string& table_uuid, const std::string& partition_id) override
    {
        commit_.record.forgotten_tokens.push_back({table_uuid, partition_id});
        on_commit([this, table_uuid, partition_id]
                  { log_.tokens_.forget(table_uuid, partition_id); });
    }
    void set_value(const std::string& key, const std::string& value) override
    {
        commit_.record.values.emplace_back(key, value);
    }
    void on_commit(std::function<void()> action) override
    {
        commit_.actions.push_back(std::move(action));
    }
    void on_rollback(std::function<void()> action) override
    {
        rollbacks_.push_back(std::move(action));
    }
    void commit() override
    {
        BASALT_ASSERT(!committed_);
        if (commit_.record.empty())
        {
            for (auto& action : commit_.actions)
                action();
        }
        else
        {
            for (auto& token : commit_.record.tokens)
                if (const auto found = touched_.find(token.table_uuid); found != touched_.end())
                    token.partitions.assign(found->second.begin(), found->second.end());
            commit_.sequence = &sequence_;
            log_.commit(commit_);
        }
        committed_ = true;
    }
    uint64_t sequence() const override { return sequence_; }

    LogRecord& record() { return commit_.record; }

private:
    void roll_back()
    {
        for (const auto& token : commit_.record.tokens)
            log_.tokens_.give_up(token);
        for (auto action = rollbacks_.rbegin(); action != rollbacks_.rend(); ++action)
        {
            try
            {
                (*action)();
            }
            catch (const std::exception&)
            {
                // What could not be removed now is removed at the next start.
            }
        }
    }

    ServerLog& log_;
    Commit commit_;
    std::vector<std::function<void()>> rollbacks_;
    std::map<std::string, std::set<std::string>> touched_; // partitions by table
    uint64_t sequence_ = 0;
    bool committed_ = false;
};

ServerLog::ServerLog(FileSystem& files, ServerLogOptions options, Clock& clock,
                     std::function<void(const std::string&)> report)
    : files_(files), options_(std::move(options)), clock_(clock), report_(std::move(report))
{
    open();
}

ServerLog::~ServerLog() = default;

std::unique_ptr<Transaction> ServerLog::begin()
{
    return std::make_unique<LogTransaction>(*this);
}

void ServerLog::forget(Transaction& transaction, const std::string& table_uuid)
{
    auto& mine = static_cast<LogTransaction&>(transaction);
    mine.record().forgotten.push_back(table_uuid);
    mine.on_commit(
        [this, table_uuid]
        {
            std::lock_guard lock(tables_mutex_);
            tables_.erase(table_uuid);
            tokens_.forget(table_uuid, "");
        });
}

void ServerLog::commit(Commit& commit)
{
    commit.body = commit.record.encode();
    if (commit.body.size() > kMaxLogRecordBytes)
        throw Error(error_codes::LIMIT_EXCEEDED,
                    fmt::format("A transaction of {} bytes is larger than a log record may be ({})",
                                commit.body.size(), kMaxLogRecordBytes));
    std::unique_lock lock(mutex_);
    queue_.push_back(&commit);
    while (!commit.done)
    {
        if (leading_)
            done_.wait(lock);
        else
            lead(lock);
    }
    if (commit.error)
        std::rethrow_exception(commit.error);
}

void ServerLog::at_rest(const std::function<void()>& look)
{
    std::unique_lock lock(mutex_);
    done_.wait(lock, [&] { return !leading_; });
    leading_ = true;
    lock.unlock();
    std::exception_ptr error;
    try
    {
        look();
    }
    catch (...)
    {
        error = std::current_exception();
    }
    lock.lock();
    leading_ = false;
    done_.notify_all();
    lock.unlock();
    if (error)
        std::rethrow_exception(error);
}

namespace
{

// A file of zeros beside the segments, given up when the disk is full: records that give space back
// (DROP, TTL) must be written then. It comes back with a checkpoint when there is room.
constexpr const char* kReserveName = "reserve";
constexpr size_t kReserveBytes = 1 << 20;
constexpr uint64_t kRoomForReserve = 16 * kReserveBytes;

bool give_up_reserve(FileSystem& files, const std::string& directory) noexcept
{
    try
    {
        return files.remove_file_if_exists(join_path(directory, kReserveName));
    }
    catch (const std::exception&)
    {
        return false;
    }
}

} // namespace

void keep_log_reserve(FileSystem& files, const std::string& directory) noexcept
{
    try
    {
        const std::string path = join_path(directory, kReserveName);
        if (!files.exists(path) && files.free_space(directory) >= kRoomForReserve)
            files.replace_whole(path, std::string(kReserveBytes, '\0'));
    }
    catch (const std::exception&)
    {
        // It is a help, not a need.
    }
}

// The first segment of this process. A full disk does not stop the start: what needs the log fails
// until there is space.
void ServerLog::begin_at_start()
{
    for (bool again = true; again;)
    {
        again = false;
        try
        {
            new_segment(next_sequence_);
        }
        catch (const Error& error)
        {
            if (error.code() != error_codes::NOT_ENOUGH_SPACE)
                throw;
            again = give_up_reserve(files_, options_.directory);
            writer_failed_ = !again;
        }
    }
    if (writer_)
        keep_log_reserve(files_, options_.directory);
    else if (report_)
        report_("The disk is full: nothing can be written to the log until there is space");
}

void ServerLog::lead(std::unique_lock<std::mutex>& lock)
{
    leading_ = true;
    const std::vector<Commit*> batch = std::exchange(queue_, {});
    const uint64_t first = next_sequence_;
    for (size_t i = 0; i < batch.size(); ++i)
        *batch[i]->sequence = first + i;
    assigned_sequence_ = first + batch.size() - 1;
    lock.unlock();
    for (size_t i = 1; i < batch.size(); ++i)
        batch[i]->body += encode_follows(i);
    std::exception_ptr error;
    for (bool again = true; again;)
    {
        again = false;
        try
        {
            write_batch(batch);
        }
        catch (const Error& thrown)
        {
            again = thrown.code() == error_codes::NOT_ENOUGH_SPACE &&
                    give_up_reserve(files_, options_.directory);
            if (!again)
                error = std::current_exception();
        }
        catch (...)
        {
            error = std::current_exception();
        }
    }
    for (Commit* one : batch)
    {
        one->error = error;
        if (!error)
            apply(*one);
    }
    lock.lock();
    for (Commit* one : batch)
        one->done = true;
    if (!error)
    {
        next_sequence_ = first + batch.size();
        applied_sequence_ = next_sequence_ - 1;
    }
    leading_ = false;
    done_.notify_all();
}

void ServerLog::apply(Commit& commit)
{
    if (!commit.record.values.empty())
    {
        std::lock_guard tables_lock(tables_mutex_);
        for (const auto& [key, value] : commit.record.values)
            value.empty() ? (void)values_.erase(key) : (void)(values_[key] = value);
    }
    for (const auto& token : commit.record.tokens)
        tokens_.keep(token);
    try
    {
        for (auto& action : commit.actions)
            action();
    }
    catch (...)
    {
        // Durable, but not shown: the next start shows it.
        commit.error = std::current_exception();
    }
}

void ServerLog::write_batch(const std::vector<Commit*>& batch)
{
    if (writer_failed_)
        recover_after_failure();
    try
    {
        if (writer_->bytes() >= options_.segment_bytes)
            new_segment(*batch.front()->sequence);
        failpoint(Failpoint::LogBeforeWrite);
        uint64_t bytes = 0;
        for (size_t i = 0; i < batch.size(); ++i)
        {
            Commit* one = batch[i];
            writer_->append(*one->sequence, one->body);
            bytes += one->body.size() + kRecordHeadBytes;
        }
        failpoint(Failpoint::LogBeforeSync);
        writer_->sync();
        auto& counters = server_profile_counters();
        counters.add(ProfileEvent::WalRecords, batch.size());
        counters.add(ProfileEvent::WalBytes, bytes);
        counters.add(ProfileEvent::WalSyncs);
        std::lock_guard lock(mutex_);
        segments_.back().bytes = writer_->bytes();
        bytes_since_checkpoint_ += bytes;
    }
    catch (...)
    {
        writer_failed_ = true;
        throw;
    }
}

// After a failed write nobody knows what of the batch is on the disk: what is behind the last
// durable record is cut off, and a new segment is begun, before anything else is written.
void ServerLog::recover_after_failure()
{
    const std::string path =
        writer_ ? writer_->path() : join_path(options_.directory, segment_name(next_sequence_));
    const uint64_t valid = writer_ ? writer_->valid_bytes() : 0;
    // A segment without records goes; the next one may take its name.
    if (files_.exists(path))
    {
        if (valid <= kSegmentHeadBytes)
            files_.remove_file(path);
        else
        {
            files_.truncate(path, valid);
            files_.open_for_write(path, OpenMode::Append)->sync();
        }
        files_.sync_directory(options_.directory);
    }
    {
        std::lock_guard lock(mutex_);
        if (valid <= kSegmentHeadBytes && !segments_.empty() &&
            join_path(options_.directory, segment_name(segments_.back().first_sequence)) == path)
            segments_.pop_back();
    }
    new_segment(next_sequence_);
    writer_failed_ = false;
}

void ServerLog::new_segment(uint64_t first_sequence)
{
    auto writer =
        std::make_unique<SegmentWriter>(files_, options_.directory, first_sequence);
    writer_ = std::move(writer);
    std::lock_guard lock(mutex_);
    segments_.push_back({first_sequence, writer_->bytes(), false});
}

std::string ServerLog::value(const std::string& key) const
{
    std::lock_guard lock(tables_mutex_);
    const auto found = values_.find(key);
    return found == values_.end() ? std::string() : found->second;
}

std::map<std::string, std::string> ServerLog::values() const
{
    std::lock_guard lock(tables_mutex_);
    return values_;
}

uint64_t ServerLog::last_sequence() const
{
    std::lock_guard lock(mutex_);
    return next_sequence_ - 1;
}

uint64_t ServerLog::applied_sequence() const
{
    std::lock_guard lock(mutex_);
    return applied_sequence_;
}

uint64_t ServerLog::bytes_on_disk() const
{
    std::lock_guard lock(mutex_);
    uint64_t bytes = 0;
    for (const auto& segment : segments_)
        bytes += segment.bytes;
    return bytes;
}

} // namespace basalt
