// Which tables are followed: found, published, copied, renamed, given up.

#include "integrations/postgres/replicator.h"

#include "storage/storage_service.h"

#include <algorithm>
#include <chrono>
#include <fmt/core.h>

namespace basalt::pg
{

namespace
{

constexpr int64_t kFirstRetryMs = 2'000;
constexpr uint32_t kMaxRetryDoublings = 8;
constexpr int64_t kWritersTimeoutS = 30;
constexpr const char* kInsertsOnly =
    "The table has no replica identity: UPDATE and DELETE do not arrive. Give it a primary key or "
    "ALTER TABLE … REPLICA IDENTITY FULL";

int64_t now_ms()
{
    return std::chrono::duration_cast<std::chrono::milliseconds>(
               std::chrono::steady_clock::now().time_since_epoch())
        .count();
}

} // namespace

void Replicator::note_table(const SourceTable& source, const std::string& state,
                            const std::string& error)
{
    bool is_news = false;
    {
        std::lock_guard lock(status_mutex_);
        ReplicaTableStatus& status = table_status_[source.local_name];
        status.table = source.local_name;
        status.source = source.schema + "." + source.name;
        status.state = state;
        is_news = !error.empty() && status.error != error;
        if (is_news)
            status.error_unix_s = system_clock().unix_s();
        status.error = error;
    }
    if (is_news && state == "failed")
        engine_.storage().report(fmt::format("Table {}.{} follows PostgreSQL: {}", database_,
                                             source.local_name, error));
}

void Replicator::fail_table(Followed& followed, const std::string& text)
{
    if (followed.writer)
        followed.writer->abandon();
    followed.writer.reset();
    if (followed.table)
        followed.table->set_standing(Standing::Behind);
    followed.next_try_ms =
        now_ms() + (kFirstRetryMs << std::min(followed.failures, kMaxRetryDoublings));
    ++followed.failures;
    note_table(followed.source, "failed", text);
}

std::vector<SourceTable> Replicator::wanted_tables()
{
    auto tables = describe_tables(*control_, options_.schemas);
    for (SourceTable& table : tables)
        if (table.schema != options_.main_schema)
            table.local_name = table.schema + "." + table.name;
    if (!options_.tables.empty())
    {
        std::set<std::string> missing = options_.tables;
        std::erase_if(tables, [&](const SourceTable& table)
                      { return !options_.tables.contains(table.local_name); });
        for (const SourceTable& table : tables)
            missing.erase(table.local_name);
        for (const std::string& name : missing)
        {
            SourceTable table;
            table.schema = options_.main_schema;
            table.name = table.local_name = name;
            note_table(table, "failed", "There is no such table in PostgreSQL");
        }
    }
    if (options_.owns_server)
        own_identities(tables);
    return tables;
}

// On a server of ours every table can be followed whole.
void Replicator::own_identities(std::vector<SourceTable>& tables)
{
    for (SourceTable& table : tables)
    {
        if (table.has_identity())
            continue;
        try
        {
            control_->query("SET lock_timeout = '2s'");
            for (const SourceLeaf& leaf : leaves_of(*control_, table))
                control_->query(fmt::format("ALTER TABLE ONLY {} REPLICA IDENTITY FULL", leaf.quoted));
            if (table.is_partitioned)
                control_->query(
                    fmt::format("ALTER TABLE ONLY {} REPLICA IDENTITY FULL", table.quoted()));
            if (auto changed = describe_table(*control_, table.schema, table.name))
            {
                changed->local_name = table.local_name;
                table = *changed;
            }
        }
        catch (const Error& error)
        {
            note_error(fmt::format("Table {} got no replica identity: {}", table.local_name,
                                   error.message()));
        }
        control_->query("RESET lock_timeout");
    }
}

std::set<uint32_t> Replicator::publish(const std::vector<SourceTable>& tables)
{
    return publish_tables(*control_, publications_, tables,
                          [&](const SourceTable& table, const std::string& error)
                          { note_table(table, "failed", error); });
}

// A table that was followed before a restart, if the copy is one of what is there now.
void Replicator::adopt(const SourceTable& source)
{
    const auto table = std::dynamic_pointer_cast<ReplicaTable>(
        engine_.catalog().find_table({database_, source.local_name}));
    if (!table)
        return;
    const auto state =
        CopyState::parse(engine_.storage().log().value(copy_state_key(table->uuid())));
    if (!state || !source.has_rows_of(state->fingerprint))
        return;
    follow_copy(source, table, *state);
}

void Replicator::follow_copy(const SourceTable& source, std::shared_ptr<ReplicaTable> table,
                             const CopyState& state)
{
    Followed& followed = followed_[source.oid];
    followed = Followed();
    followed.source = source;
    followed.copy = state;
    followed.past_copy = applied_ >= state.until;
    followed.writer = std::make_unique<TableWriter>(table, source);
    followed.table = std::move(table);
    followed.table->set_progress(progress_);
    followed.table->set_standing(Standing::Following);
    const bool whole = source.has_identity();
    note_table(source, whole ? "following" : "inserts only", whole ? "" : kInsertsOnly);
}

void Replicator::rename_followed(Followed& followed, const SourceTable& source)
{
    engine_.catalog().rename_tables(
        {{{database_, followed.source.local_name}, {database_, source.local_name}}}, false);
    {
        std::lock_guard lock(status_mutex_);
        if (auto node = table_status_.extract(followed.source.local_name))
        {
            node.key() = source.local_name;
            table_status_.insert(std::move(node));
        }
    }
    const CopyState state = followed.copy;
    const bool past_copy = followed.past_copy;
    follow_copy(source, followed.table, state);
    followed.past_copy = past_copy;
}

// Between transactions, with nothing gathered.
void Replicator::refresh_tables()
{
    const uint64_t look = progress_->check_begins();
    const auto tables = wanted_tables();
    const auto fresh = publish(tables);
    std::vector<SourceTable> to_copy;
    std::set<uint32_t> present, to_wait;
    for (const SourceTable& source : tables)
    {
        present.insert(source.oid);
        if (!followed_.contains(source.oid) && !slot_is_new_)
            adopt(source);
        const auto found = followed_.find(source.oid);
        bool copies = found == followed_.end();
        if (!copies)
        {
            Followed& followed = found->second;
            const bool retries = !followed.writer && !followed.out_of_step;
            if (retries && now_ms() < followed.next_try_ms)
                continue;
            const TableName name{database_, followed.source.local_name};
            copies = retries || followed.out_of_step || fresh.contains(source.oid) ||
                     !source.has_rows_of(followed.copy.fingerprint) ||
                     engine_.catalog().find_table(name) != followed.table;
            if (!copies && followed.source.local_name != source.local_name)
                try
                {
                    rename_followed(followed, source);
                }
                catch (const Error&)
                {
                    copies = true; // its new name is taken by one that goes as well
                }
        }
        if (!copies)
            continue;
        if (found != followed_.end() && found->second.table)
            found->second.table->set_standing(Standing::Behind);
        to_copy.push_back(source);
        if (fresh.contains(source.oid))
            to_wait.insert(source.oid);
    }
    for (auto it = followed_.begin(); it != followed_.end();)
    {
        if (present.contains(it->first))
        {
            ++it;
            continue;
        }
        note_table(it->second.source, "dropped",
                   "The table is not in PostgreSQL any more; its rows are kept here");
        const std::string& name = it->second.source.local_name;
        const bool has_heir =
            std::any_of(to_copy.begin(), to_copy.end(),
                        [&](const SourceTable& source) { return source.local_name == name; });
        if (it->second.table)
            it->second.table->set_standing(has_heir ? Standing::Behind : Standing::Gone);
        it = followed_.erase(it);
    }
    progress_->check_ended(look);
    if (to_copy.empty())
        return;
    if (!slot_is_new_)
        wait_for_writers(*control_, to_wait, kWritersTimeoutS);
    copy(to_copy);
}

void Replicator::copy(const std::vector<SourceTable>& tables)
{
    std::string state_before;
    {
        std::lock_guard lock(status_mutex_);
        state_before = std::exchange(status_.state, "copying");
    }
    for (const SourceTable& source : tables)
    {
        note_table(source, "copying", "");
        std::lock_guard lock(status_mutex_);
        table_status_[source.local_name].copied_rows = 0;
    }
    CopyHandler handler;
    handler.ready = [&](ReplicaTable& table) { table.set_progress(progress_); };
    handler.done = [&](const SourceTable& source, std::shared_ptr<ReplicaTable> table,
                       const CopyState& state)
    {
        follow_copy(source, std::move(table), state);
        std::lock_guard lock(status_mutex_);
        ++table_status_[source.local_name].copies;
    };
    handler.failed = [&](const SourceTable& source, const Error& error)
    {
        Followed& followed = followed_[source.oid];
        followed.source = source;
        followed.out_of_step = false;
        fail_table(followed, error.message());
    };
    handler.progress = [&](const SourceTable& source, uint64_t rows)
    {
        std::lock_guard lock(status_mutex_);
        table_status_[source.local_name].copied_rows += rows;
    };
    handler.stopped = [&] { return stopping(); };
    copy_tables(engine_, options_.connection(), database_, tables, handler);
    std::lock_guard lock(status_mutex_);
    status_.state = state_before;
}

// Copies that the end of the server cut short: nothing in the catalog names them.
void Replicator::remove_leftovers()
{
    StorageService& storage = engine_.storage();
    const std::string prefix = copying_key("");
    for (const auto& [key, value] : storage.log().values())
    {
        if (!key.starts_with(prefix) || value != database_)
            continue;
        const std::string uuid = key.substr(prefix.size());
        const auto tables = engine_.catalog().tables(database_);
        const bool is_used = std::any_of(tables.begin(), tables.end(), [&](const TablePtr& table)
                                         { return table->uuid() == uuid; });
        const auto transaction = storage.begin();
        transaction->set_value(key, {});
        if (!is_used)
        {
            storage.log().forget(*transaction, uuid);
            storage.log().forget(*transaction, inner_uuid(uuid));
            transaction->set_value(copy_state_key(uuid), {});
        }
        transaction->commit();
        if (!is_used)
            engine_.files().remove_directory_recursive(storage.table_path(inner_uuid(uuid)));
    }
}

void Replicator::update_server_status()
{
    const Lsn server = current_lsn(*control_);
    const auto slot = slot_state(*control_, slot_);
    std::lock_guard lock(status_mutex_);
    status_.server = server;
    status_.slot_status = slot ? slot->wal_status : "gone";
    status_.slot_retained_bytes = slot ? slot->retained_bytes : 0;
}

} // namespace basalt::pg
