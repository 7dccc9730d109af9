// Start of the log and its checkpoints.

#include "storage/log/server_log.h"

#include "base/error.h"
#include "storage/durable_directory.h"

#include <fmt/format.h>

namespace basalt
{

void ServerLog::note_damage(const std::string& text)
{
    is_damaged_ = true;
    if (report_)
        report_(text);
}

void ServerLog::read_checkpoints()
{
    auto read = read_checkpoint(files_, options_.directory);
    for (const auto& problem : read.problems)
        if (report_)
            report_(problem);
    if (!read.checkpoint)
    {
        has_lost_checkpoint_ = !read.problems.empty();
        is_damaged_ |= has_lost_checkpoint_;
        return;
    }
    LogCheckpoint& checkpoint = *read.checkpoint;
    checkpoint_sequence_ = checkpoint.sequence;
    checkpoint_last_sequence_ = checkpoint.last_sequence;
    next_sequence_ = checkpoint.last_sequence + 1;
    for (auto& [uuid, stored] : checkpoint.tables)
    {
        auto& table = tables_[uuid];
        table.known = true;
        table.state = std::move(stored.state);
        table.pending = std::move(stored.edits);
        if (!table.pending.empty())
            table.pending_of_checkpoint = table.pending.back().sequence;
    }
    values_ = std::move(checkpoint.values);
    for (const auto& token : checkpoint.tokens)
        tokens_.keep(token);
}

void ServerLog::open()
{
    create_durable_directory(files_, options_.directory);
    read_checkpoints();
    for (const auto& entry : files_.list(options_.directory))
    {
        Segment segment;
        if (!entry.is_directory && parse_segment_name(entry.name, segment.first_sequence))
            segments_.push_back(segment);
    }
    // list() gives names in order, and so the segments.
    for (size_t i = 0; i < segments_.size(); ++i)
        replay_segment(i, checkpoint_sequence_);
    applied_sequence_ = assigned_sequence_ = next_sequence_ - 1;
    // Never appended to what an earlier process wrote. One that would have the new one's name holds
    // no record.
    if (!segments_.empty() && segments_.back().first_sequence >= next_sequence_)
    {
        const std::string path =
            join_path(options_.directory, segment_name(segments_.back().first_sequence));
        if (segments_.back().damaged)
            files_.rename(path, path + ".damaged");
        else
            files_.remove_file(path);
        segments_.pop_back();
    }
    begin_at_start();
}

void ServerLog::replay_segment(size_t index, uint64_t checkpoint_sequence)
{
    Segment& segment = segments_[index];
    const bool last = index + 1 == segments_.size();
    const uint64_t end_sequence = last ? UINT64_MAX : segments_[index + 1].first_sequence;
    const std::string path =
        join_path(options_.directory, segment_name(segment.first_sequence));
    if (index > 0 && segment.first_sequence > next_sequence_)
        note_damage(fmt::format("Records {} to {} are missing in the log before {}", next_sequence_,
                                segment.first_sequence - 1, path));
    const auto file = files_.open_for_read(path);
    const auto take = [&](uint64_t sequence, std::string body)
    {
        try
        {
            apply_at_open(sequence, LogRecord::decode(body), checkpoint_sequence);
        }
        catch (const Error& error)
        {
            segment.damaged = true;
            note_damage(fmt::format("Record {} of log segment {} cannot be read: {}", sequence,
                                    path, error.message()));
        }
        next_sequence_ = std::max(next_sequence_, sequence + 1);
    };
    const SegmentScan scan = scan_segment(*file, segment.first_sequence, end_sequence, take);
    segment.bytes = file->size();
    if (scan.whole || segment.bytes == 0)
        return;
    if (scan.is_newer)
    {
        segment.damaged = true;
        // Its numbers must not be given again.
        next_sequence_ = std::max(next_sequence_, segment.first_sequence +
                                                      segment.bytes / kRecordHeadBytes + 1);
        note_damage(fmt::format("Log segment {} was written by a newer version; its records are "
                                "not read",
                                path));
    }
    else if (scan.damaged || (!last && segment.bytes > kSegmentHeadBytes) ||
             (scan.valid_bytes == 0 && segment.bytes > kSegmentHeadBytes))
    {
        segment.damaged = true;
        note_damage(fmt::format("Log segment {} is damaged at byte {}; what cannot be read is lost, "
                                "whole records behind it are not",
                                path, scan.valid_bytes));
    }
    else if (last && segment.bytes > scan.valid_bytes)
        cut_torn_tail(segment, path, scan.valid_bytes);
}

// Nothing behind it was ever acknowledged, unless it is damage that cannot be told from a torn
// tail: what is cut off is kept beside.
void ServerLog::cut_torn_tail(Segment& segment, const std::string& path, uint64_t valid_bytes)
{
    if (valid_bytes == 0)
        return;
    if (report_)
        report_(fmt::format("Log segment {} ends in {} bytes that are no whole record; they are "
                            "kept in {}.torn",
                            path, segment.bytes - valid_bytes, path));
    try
    {
        const std::string bytes = files_.read_whole(path);
        files_.replace_whole(path + ".torn", std::string_view(bytes).substr(valid_bytes));
        files_.truncate(path, valid_bytes);
        files_.open_for_write(path, OpenMode::Append)->sync();
        segment.bytes = valid_bytes;
    }
    catch (const Error&)
    {
        // On a full disk it stays; the next segment's name says that nothing is missing.
        segment.damaged = false;
    }
}

void ServerLog::apply_at_open(uint64_t sequence, LogRecord record, uint64_t checkpoint_sequence)
{
    for (auto& edit : record.edits)
    {
        auto& table = tables_[edit.table_uuid];
        table.known = true;
        if (sequence > table.pending_of_checkpoint)
            table.pending.push_back({sequence, edit.kind, std::move(edit.payload)});
    }
    for (const auto& uuid : record.forgotten)
        tables_.erase(uuid);
    if (sequence <= checkpoint_sequence)
        return;
    for (const auto& uuid : record.forgotten)
        tokens_.forget(uuid, "");
    for (const auto& gone : record.forgotten_tokens)
        tokens_.forget(gone.table_uuid, gone.partition_id);
    for (const auto& token : record.tokens)
        tokens_.keep(token);
    for (auto& [key, value] : record.values)
        value.empty() ? (void)values_.erase(key) : (void)(values_[key] = std::move(value));
}

bool ServerLog::attach(const std::string& table_uuid, LogParticipant& participant, bool keep)
{
    TableState given;
    {
        std::lock_guard lock(tables_mutex_);
        auto& table = tables_[table_uuid];
        BASALT_ASSERT(!table.participant);
        if (table.needed_from != UINT64_MAX)
            table.pending = read_edits(table_uuid, table.needed_from);
        given = std::move(table);
        table = TableState();
        table.known = true;
        table.participant = &participant;
        // Kept until the participant has taken it all, so that a checkpoint in between keeps it.
        table.state = given.state;
        table.pending = std::move(given.pending);
        given.pending = table.pending;
    }
    try
    {
        if (!given.state.empty())
            participant.restore(given.state);
        for (const auto& edit : given.pending)
            participant.replay(edit.sequence, edit.kind, edit.payload);
    }
    catch (...)
    {
        std::lock_guard lock(tables_mutex_);
        auto& table = tables_[table_uuid];
        table.participant = nullptr;
        table.known = given.known;
        throw;
    }
    if (!keep)
        attached(table_uuid);
    return given.known;
}

void ServerLog::attached(const std::string& table_uuid)
{
    std::lock_guard lock(tables_mutex_);
    auto& table = tables_[table_uuid];
    table.state.clear();
    table.pending.clear();
}

void ServerLog::detach(const std::string& table_uuid)
{
    std::lock_guard lock(tables_mutex_);
    const auto found = tables_.find(table_uuid);
    if (found == tables_.end() || !found->second.participant)
        return;
    // What was given to a participant that was never ready stays what it was.
    if (found->second.state.empty() && found->second.pending.empty())
    {
        // First what is needed, as in checkpoint(): rows that could not be flushed stay in the segments.
        found->second.needed_from = found->second.participant->oldest_needed();
        found->second.state = found->second.participant->checkpoint_state();
    }
    found->second.participant = nullptr;
}

// Edits of a table in the segments that are there, in order. tables_mutex_ is held: no checkpoint
// removes them meanwhile.
std::vector<ServerLog::PendingEdit> ServerLog::read_edits(const std::string& table_uuid,
                                                          uint64_t from)
{
    std::vector<Segment> segments;
    {
        std::lock_guard lock(mutex_);
        segments = segments_;
    }
    std::vector<PendingEdit> edits;
    for (size_t i = 0; i < segments.size(); ++i)
    {
        const bool last = i + 1 == segments.size();
        const uint64_t end = last ? UINT64_MAX : segments[i + 1].first_sequence;
        if (end <= from)
            continue;
        const auto file = files_.open_for_read(
            join_path(options_.directory, segment_name(segments[i].first_sequence)));
        const auto take = [&](uint64_t sequence, std::string body)
        {
            if (sequence < from)
                return;
            for (auto& edit : LogRecord::decode(body).edits)
                if (edit.table_uuid == table_uuid)
                    edits.push_back({sequence, edit.kind, std::move(edit.payload)});
        };
        scan_segment(*file, segments[i].first_sequence, end, take);
    }
    return edits;
}

void ServerLog::checkpoint()
{
    std::lock_guard one_at_a_time(checkpoint_mutex_);
    LogCheckpoint checkpoint;
    {
        std::lock_guard lock(mutex_);
        checkpoint.sequence = applied_sequence_;
        bytes_since_checkpoint_ = 0;
    }
    uint64_t needed_from = checkpoint.sequence + 1;
    {
        std::lock_guard lock(tables_mutex_);
        for (const auto& [uuid, table] : tables_)
        {
            if (!table.known)
                continue;
            const bool attaching = !table.pending.empty() || !table.state.empty();
            if (table.participant && !attaching)
            {
                // First what is needed: rows that are flushed in between are then in the state.
                needed_from = std::min(needed_from, table.participant->oldest_needed());
                checkpoint.tables[uuid].state = table.participant->checkpoint_state();
                continue;
            }
            checkpoint.tables[uuid] = {table.state, table.pending};
            needed_from = std::min(needed_from, table.needed_from);
        }
        checkpoint.values = values_;
    }
    tokens_.forget_older(clock_.unix_s() - kTokenLifetime_s);
    checkpoint.tokens = tokens_.all();
    {
        std::lock_guard lock(mutex_);
        checkpoint.last_sequence = assigned_sequence_;
    }
    write_checkpoint(files_, options_.directory, checkpoint);
    remove_segments(needed_from);
    keep_log_reserve(files_, options_.directory);
}

void ServerLog::remove_segments(uint64_t needed_from)
{
    std::vector<Segment> unneeded;
    {
        std::lock_guard lock(mutex_);
        // A segment ends where the next begins; the last is being written.
        while (segments_.size() > 1 && segments_[1].first_sequence <= needed_from)
        {
            unneeded.push_back(segments_.front());
            segments_.erase(segments_.begin());
        }
    }
    for (const auto& segment : unneeded)
    {
        const auto path = join_path(options_.directory, segment_name(segment.first_sequence));
        if (segment.damaged)
            files_.rename(path, path + ".damaged");
        else
            files_.remove_file_if_exists(path);
    }
}

bool ServerLog::wants_checkpoint() const
{
    std::lock_guard lock(mutex_);
    return bytes_since_checkpoint_ >= options_.checkpoint_every_bytes;
}

uint64_t ServerLog::flush_wanted_through() const
{
    std::lock_guard lock(mutex_);
    // Rows older than the last few segments.
    constexpr size_t kKeptSegments = 4;
    if (segments_.size() <= kKeptSegments)
        return 0;
    return segments_[segments_.size() - kKeptSegments].first_sequence - 1;
}

} // namespace basalt
