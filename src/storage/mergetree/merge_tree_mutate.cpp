// Mutations: each part below a mutation's version is replaced by one that contains it.

#include "storage/mergetree/merge_tree_table.h"
#include "storage/mergetree/part_builder.h"
#include "storage/mergetree/part_merger.h"
#include "storage/mergetree/row_work.h"

#include "base/error.h"
#include "base/failpoint.h"

#include <algorithm>
#include <chrono>
#include <fmt/format.h>

namespace basalt
{

namespace
{

using Kind = MutationCommand::Kind;

// Finished mutations that system.mutations still shows.
constexpr size_t kKeptMutations = 100;

constexpr std::string_view kDropIndex = "(DROP INDEX ";

void check_commands(const std::vector<MutationCommand>& commands, const TableMetadata& metadata)
{
    Expressions keys = metadata.sorting_key.expressions;
    keys.insert(keys.end(), metadata.partition_key.expressions.begin(),
                metadata.partition_key.expressions.end());
    auto key_inputs = inputs_of(keys);
    // Rows whose sign or version changed would not find each other any more.
    for (const auto& name : {metadata.merging.sign, metadata.merging.version})
        if (!name.empty())
            key_inputs.push_back(name);
    const auto is_key = [&](const std::string& name)
    { return std::find(key_inputs.begin(), key_inputs.end(), name) != key_inputs.end(); };
    for (const auto& command : commands)
    {
        if (command.kind == Kind::Recompress)
            continue;
        for (const auto& [name, value] : command.updates)
        {
            if (!metadata.find_column(name))
                throw Error(error_codes::NO_SUCH_COLUMN_IN_TABLE,
                            fmt::format("There is no column `{}` in table", name));
            if (is_key(name))
                throw Error(error_codes::CANNOT_UPDATE_COLUMN,
                            fmt::format("Cannot UPDATE key column `{}`.", name));
        }
        if (command.kind == Kind::ClearColumn && is_key(command.name))
            throw Error(error_codes::ALTER_OF_COLUMN_IS_FORBIDDEN,
                        fmt::format("Trying to ALTER CLEAR key {} column", command.name));
        if (command.kind == Kind::MaterializeIndex &&
            std::none_of(metadata.indexes.begin(), metadata.indexes.end(),
                         [&](const IndexDescription& index)
                         { return index.name == command.name; }))
            throw Error(error_codes::BAD_ARGUMENTS,
                        fmt::format("Unknown index: {}", command.name));
    }
}

// The text of a mutation that needs nobody to bind it.
std::optional<MutationCommand> bind_drop_index(const std::string& text)
{
    if (!text.starts_with(kDropIndex) || !text.ends_with(")"))
        return std::nullopt;
    MutationCommand command;
    command.kind = Kind::DropIndex;
    command.name = text.substr(kDropIndex.size(), text.size() - kDropIndex.size() - 1);
    command.text = text;
    return command;
}

} // namespace

std::string drop_index_text(const std::string& name)
{
    return std::string(kDropIndex) + name + ")";
}

void MergeTreeTable::mutate(const std::vector<MutationCommand>& commands, bool wait,
                            QueryContextPtr context)
{
    if (commands.empty())
        return;
    check_is_there(error_codes::TABLE_IS_READ_ONLY);
    check_commands(commands, *metadata());
    flush_live();
    MutationEntry entry;
    entry.created_unix_s = service_.clock().unix_s();
    for (const auto& command : commands)
        if (!command.text.empty()) // the others belong to the one before
            entry.commands.push_back(command.text);
    {
        std::lock_guard lock(mutex_);
        entry.version = next_block_++;
    }
    const auto transaction = service_.begin();
    transaction->add_record(uuid_, static_cast<uint8_t>(TableEditKind::Mutation), entry.encode());
    transaction->on_commit(
        [this, entry, commands]
        {
            std::lock_guard lock(mutex_);
            mutations_[entry.version] = entry;
            bound_mutations_[entry.version] = commands;
        });
    transaction->commit();
    service_.background().wake();
    if (!wait)
        return;
    {
        // What failed before is tried again: its reason may be over.
        std::lock_guard lock(mutex_);
        mutation_failures_.clear();
    }
    wait_for_mutation(entry.version, *context);
}

// The caller helps: it works on parts itself when nobody else does.
void MergeTreeTable::wait_for_mutation(uint64_t version, const QueryContext& context)
{
    for (;;)
    {
        context.check_alive();
        {
            std::lock_guard lock(mutex_);
            const auto found = mutations_.find(version);
            if (found == mutations_.end() || found->second.done)
                return;
            if (found->second.killed)
                throw Error(error_codes::UNFINISHED,
                            fmt::format("Mutation mutation_{}.txt was killed", version));
            // Mutations run in order: an earlier one that fails holds up this one.
            const auto failure = mutation_failures_.begin();
            if (failure != mutation_failures_.end() && failure->first <= version)
                throw Error(error_codes::UNFINISHED,
                            fmt::format("Exception happened during execution of mutation "
                                        "'mutation_{}.txt' with part '{}' reason: '{}'. This "
                                        "error maybe retryable or not. In case of unretryable "
                                        "error, mutation can be killed with KILL MUTATION query",
                                        failure->first, failure->second.part, failure->second.reason));
            if (shut_down_)
                throw Error(error_codes::ABORTED, "The table is shutting down");
        }
        try
        {
            if (mutate_once())
                continue;
        }
        catch (const std::exception&)
        {
            std::lock_guard lock(mutex_);
            if (mutation_failures_.empty())
                throw;
            continue; // it is among the failures now
        }
        std::unique_lock lock(mutex_);
        changed_.wait_for(lock, std::chrono::milliseconds(50));
    }
}

// Mutations below which no part stands any more are done. Returns whether there were some.
bool MergeTreeTable::finish_mutations()
{
    std::vector<MutationEntry> finished;
    {
        std::lock_guard lock(mutex_);
        for (const auto& [version, mutation] : mutations_)
        {
            if (mutation.done || mutation.killed)
                continue;
            const bool open =
                std::any_of(parts_.begin(), parts_.end(), [&](const auto& part)
                            { return part.first.data_version() < version; }) ||
                (!reserved_.empty() && *reserved_.begin() < version);
            if (open)
                continue;
            finished.push_back(mutation);
            finished.back().done = true;
            finished.back().done_unix_s = service_.clock().unix_s();
        }
    }
    if (finished.empty())
        return false;
    const auto transaction = service_.begin();
    for (const auto& mutation : finished)
        transaction->add_record(uuid_, static_cast<uint8_t>(TableEditKind::Mutation),
                                mutation.encode());
    transaction->on_commit(
        [this, finished]
        {
            std::lock_guard lock(mutex_);
            for (const auto& mutation : finished)
            {
                mutations_[mutation.version] = mutation;
                bound_mutations_.erase(mutation.version);
                mutation_failures_.erase(mutation.version);
            }
            while (mutations_.size() > kKeptMutations && mutations_.begin()->second.done)
                mutations_.erase(mutations_.begin());
        });
    transaction->commit();
    changed_.notify_all();
    return true;
}

// Makes texts of an earlier run of the server executable again. Outside of the lock.
void MergeTreeTable::bind_mutations()
{
    const auto binder = service_.mutation_binder();
    std::vector<MutationEntry> unbound;
    std::shared_ptr<const ColumnHistory> history;
    {
        std::lock_guard lock(mutex_);
        history = history_;
        for (const auto& [version, mutation] : mutations_)
            if (!mutation.done && !mutation.killed && !bound_mutations_.contains(version))
                unbound.push_back(mutation);
    }
    for (const auto& mutation : unbound)
    {
        std::vector<MutationCommand> commands;
        std::string reason = "The mutation waits until statements can be bound";
        try
        {
            for (const auto& text : mutation.commands)
            {
                if (auto command = bind_drop_index(text))
                {
                    commands.push_back(std::move(*command));
                    continue;
                }
                if (!binder)
                    throw Error(error_codes::UNFINISHED, reason);
                for (auto& command : binder(*this, text, service_.make_context()))
                    commands.push_back(std::move(command));
            }
            std::lock_guard lock(mutex_);
            if (history != history_)
                return; // bound to the columns before an ALTER
            bound_mutations_[mutation.version] = std::move(commands);
            continue;
        }
        catch (const Error& error)
        {
            reason = error.message();
        }
        std::lock_guard lock(mutex_);
        mutation_failures_[mutation.version] = {"", reason, service_.clock().unix_s()};
    }
}

std::optional<MergeTreeTable::MutationPlan> MergeTreeTable::plan_mutation()
{
    std::lock_guard lock(mutex_);
    if (merges_stopped_ || shut_down_)
        return std::nullopt;
    for (const auto& [name, part] : parts_)
    {
        if (busy_.contains(name))
            continue;
        MutationPlan plan;
        for (const auto& [version, mutation] : mutations_)
        {
            if (mutation.done || mutation.killed || name.data_version() >= version)
                continue;
            const auto bound = bound_mutations_.find(version);
            // In order: what comes after one that cannot run waits for it.
            if (bound == bound_mutations_.end())
                break;
            for (const auto& command : bound->second)
                if (command.partition_id.empty() || command.partition_id == name.partition_id)
                    plan.commands.push_back(command);
            plan.version = version;
            if (plan.first_version == 0)
                plan.first_version = version;
        }
        if (plan.version == 0)
            continue;
        busy_.insert(name);
        plan.metadata = metadata_;
        plan.history = history_;
        plan.merge = start_plan({part}, {});
        plan.merge.result = name;
        plan.merge.result.mutation = plan.version;
        plan.merge.running->info.result_part = plan.merge.result.text();
        plan.merge.running->info.is_mutation = true;
        return plan;
    }
    return std::nullopt;
}

bool MergeTreeTable::mutate_once()
{
    if (finish_mutations())
        return true;
    bind_mutations();
    auto plan = plan_mutation();
    if (!plan)
        return false;
    const auto context = service_.make_context();
    try
    {
        write_mutated(*plan, *context);
    }
    catch (const std::exception& error)
    {
        end_plan(plan->merge, true);
        std::lock_guard lock(mutex_);
        const auto* known = dynamic_cast<const Error*>(&error);
        mutation_failures_[plan->first_version] = {
            plan->merge.sources[0]->name_text(), known ? known->full_text() : error.what(),
            service_.clock().unix_s()};
        throw;
    }
    {
        std::lock_guard lock(mutex_);
        mutation_failures_.erase(plan->first_version);
    }
    end_plan(plan->merge, false);
    finish_mutations();
    return true;
}

void MergeTreeTable::write_mutated(MutationPlan& plan, const QueryContext& context)
{
    FileSystem& files = service_.files();
    const auto& metadata = plan.metadata;
    const auto& history = plan.history;
    const PartPtr part = plan.merge.sources[0];
    const auto before_block = [&](uint64_t rows)
    {
        if (plan.merge.running->cancelled)
            throw Error(error_codes::ABORTED, "Cancelled mutating parts");
        plan.merge.running->rows_read += rows;
    };
    const std::string directory = join_path(path_, "tmp_" + plan.merge.result.text());
    std::vector<MutationCommand> row_commands, rewriting;
    std::vector<const IndexDescription*> build;
    std::vector<std::string> drop;
    for (const auto& command : plan.commands)
    {
        if (changes_rows(command))
            row_commands.push_back(command);
        else if (command.kind == Kind::Rollup || command.kind == Kind::Recompress)
            rewriting.push_back(command);
        else if (command.kind == Kind::DropIndex)
            drop.push_back(command.name);
        for (const auto& index : metadata->indexes)
            if (command.kind == Kind::MaterializeIndex && index.name == command.name)
                build.push_back(&index);
    }
    const RowMutation mutation(row_commands, metadata, context);
    std::optional<PartManifest> manifest;
    const std::string codec = due_codec({part}, metadata, rewriting);
    const bool rewrites = !rewriting.empty() && (has_other_codec(*part, *metadata, codec) ||
                                                 has_due_group(part, metadata, rewriting));
    if (!rewrites &&
        (row_commands.empty() ||
         !mutation_touches(part, mutation, *metadata, *history, before_block, context)))
        manifest = relink_part(files, part, *metadata, *history, directory, build, drop,
                               service_.clock().unix_s(), before_block, context);
    else
    {
        auto options = writer_options(service_, metadata, history->version(), directory,
                                      ColumnEncodingOptions::Effort::Thorough);
        if (!codec.empty())
            options.default_codec = codec;
        PartWriter writer(files, std::move(options), context);
        PartMerger reader({part}, metadata, history, {}, before_block, context);
        row_commands.insert(row_commands.end(), rewriting.begin(), rewriting.end());
        RowWork work(row_commands, metadata, context);
        const auto write = [&](Block block) { writer.write(block); };
        for (Block block = reader.next(); block.rows(); block = reader.next())
            work.add(std::move(block), write);
        work.finish(write);
        if (writer.rows())
            manifest = writer.finish(part->manifest().partition, service_.clock().unix_s());
    }
    std::vector<std::shared_ptr<Part>> added;
    if (manifest)
        added.push_back(std::make_shared<Part>(files, directory, plan.merge.result,
                                               std::move(*manifest)));
    files.sync_directory(path_);
    const auto transaction = service_.begin();
    stage(*transaction, added, plan.merge.sources, 0);
    failpoint(Failpoint::MutationBeforeCommit);
    transaction->commit();
}

bool MergeTreeTable::mutation_touches(const PartPtr& part, const RowMutation& mutation,
                                      const TableMetadata& metadata, const ColumnHistory& history,
                                      const std::function<void(uint64_t)>& before_block,
                                      const QueryContext& context) const
{
    const auto inputs = mutation.predicate_inputs();
    if (inputs.empty())
        return true;
    ColumnSlots slots;
    for (const auto& name : inputs)
    {
        const auto* column = metadata.find_column(name);
        if (!column)
            return true; // a virtual column
        slots.add(name, column->type);
    }
    const Header header = slots.header();
    RowReader reader(std::make_shared<SourcePlan>(metadata, history, part, 0, TableName(), slots, context),
                     PageUse::Once, context);
    for (size_t row = 0; row < part->rows(); row += kPageRows)
    {
        PageRows rows;
        rows.page = row / kPageRows;
        rows.count = std::min<size_t>(kPageRows, part->rows() - row);
        before_block(0);
        Block block;
        for (size_t i = 0; i < header.size(); ++i)
            block.add({reader.read(i, rows), header[i].type, header[i].name});
        if (mutation.touches(block))
            return true;
    }
    return false;
}

} // namespace basalt
