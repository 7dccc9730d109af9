// TTL and the size cap: whole parts are unlinked, which needs no space; parts with some rows to go
// are rewritten now and then.

#include "storage/mergetree/key_runs.h"
#include "storage/mergetree/merge_tree_scan.h"
#include "storage/mergetree/merge_tree_table.h"
#include "storage/mergetree/ttl_rollup.h"

#include "base/error.h"
#include "encodings/page_statistics.h"
#include "storage/engines/merge_tree_settings.h"

#include <algorithm>
#include <cstdlib>
#include <fmt/format.h>

namespace basalt
{

namespace
{

using Kind = MutationCommand::Kind;

constexpr int64_t kLookEvery_s = 10;
// Looking may take one part in so many of the time.
constexpr int64_t kLookShare = 20;
// A table with a cap has at least about so many parts, so that dropping one frees little.
constexpr uint64_t kPartsUnderCap = 10;

ExpressionPtr without_null(const ExpressionPtr& condition, const QueryContext& context)
{
    if (!is_nullable_or_lc_nullable(condition->type()))
        return condition;
    return Expression::call(
        "ifNull", {condition, Expression::constant(simple_type(TypeId::UInt8), uint64_t{0})},
        context);
}

ExpressionPtr any_of(const Expressions& conditions, const QueryContext& context)
{
    return conditions.size() == 1 ? conditions[0] : Expression::call("or", conditions, context);
}

int64_t number_setting(const TableMetadata& metadata, const char* name)
{
    const std::string* given = metadata.find_setting(name);
    const std::string value =
        given ? *given : std::string(find_merge_tree_setting(name)->default_value);
    return value == "true" ? 1 : std::strtoll(value.c_str(), nullptr, 10);
}

} // namespace

bool MergeTreeTable::has_ttl(const TableMetadata& metadata)
{
    return !metadata.ttl_text.empty() ||
           std::any_of(metadata.columns.begin(), metadata.columns.end(),
                       [](const ColumnDescription& column) { return !column.ttl_text.empty(); });
}

// As the table is now; `metadata` becomes what they are bound to.
std::vector<MutationCommand> MergeTreeTable::ttl_commands(TableMetadataPtr& metadata) const
{
    for (;;)
    {
        metadata = this->metadata();
        const auto binder = service_.mutation_binder();
        if (!has_ttl(*metadata) || !binder)
            return {};
        auto commands = binder(*this, kMaterializeTtl, service_.make_context());
        if (this->metadata() == metadata)
            return commands;
    }
}

uint64_t MergeTreeTable::size_cap(const TableMetadata& metadata)
{
    return static_cast<uint64_t>(number_setting(metadata, "basalt_max_bytes"));
}

uint64_t MergeTreeTable::max_merged_bytes(const TableMetadata& metadata) const
{
    const uint64_t limit = service_.options().max_merged_part_bytes;
    const uint64_t cap = size_cap(metadata);
    return cap ? std::min(limit, std::max<uint64_t>(cap / kPartsUnderCap, 1)) : limit;
}

std::unique_ptr<Scan> MergeTreeTable::scan_part(const PartPtr& part,
                                                const TableMetadataPtr& metadata,
                                                const ScanRequest& request)
{
    TableSnapshot snapshot;
    snapshot.metadata = metadata;
    {
        std::lock_guard lock(mutex_);
        snapshot.history = history_;
    }
    snapshot.parts = {part};
    return std::make_unique<MergeTreeScan>(
        std::static_pointer_cast<MergeTreeTable>(shared_from_this()), request,
        service_.make_context(), std::move(snapshot));
}

bool MergeTreeTable::has_row(const PartPtr& part, const TableMetadataPtr& metadata,
                             const ExpressionPtr& filter)
{
    ScanRequest request;
    request.filter = filter;
    request.limit = 1;
    return scan_part(part, metadata, request)->next(0).rows() > 0;
}

// Of the recompressions whose time has come for every row of the parts, the one that came last;
// empty: none.
std::string MergeTreeTable::due_codec(const std::vector<PartPtr>& parts,
                                      const TableMetadataPtr& metadata,
                                      const std::vector<MutationCommand>& commands)
{
    std::string codec;
    std::optional<Value> latest;
    for (const auto& command : commands)
    {
        if (command.kind != Kind::Recompress)
            continue;
        const auto context = service_.make_context();
        const auto is_not_due = Expression::call(
            "not", {without_null(command.predicate, *context)}, *context);
        if (std::any_of(parts.begin(), parts.end(), [&](const PartPtr& part)
                        { return has_row(part, metadata, is_not_due); }))
            continue;
        const ExpressionPtr& moment = command.updates.at(0).second;
        ScanRequest request;
        request.columns = inputs_of({moment});
        request.limit = 1;
        const Block first = scan_part(parts.at(0), metadata, request)->next(0);
        // Dates and times compare as seconds.
        const auto seconds = Expression::call("toUnixTimestamp", {moment}, *context);
        const Value value = ExpressionProgram({seconds}, *context).run(first)[0]->value_at(0);
        if (latest && compare_values(value, *latest).value_or(0) <= 0)
            continue;
        latest = value;
        codec = command.name;
    }
    return codec;
}

// Whether columns that follow the table's default were written with something else. codec: empty
// is no wish.
bool MergeTreeTable::has_other_codec(const Part& part, const TableMetadata& metadata,
                                     const std::string& codec)
{
    if (codec.empty())
        return false;
    for (const auto& stored : part.manifest().columns)
    {
        const auto* column = metadata.find_column(stored.name);
        if (column && column->codec.empty() && stored.codec != codec)
            return true;
    }
    return false;
}

// Whether two rows of the part would become one.
bool MergeTreeTable::has_due_group(const PartPtr& part, const TableMetadataPtr& metadata,
                                   const std::vector<MutationCommand>& commands)
{
    for (const auto& command : commands)
    {
        if (command.kind != Kind::Rollup)
            continue;
        const auto context = service_.make_context();
        const auto due = without_null(command.predicate, *context);
        if (!has_row(part, metadata, due))
            continue;
        Expressions wanted(metadata->sorting_key.expressions.begin(),
                           metadata->sorting_key.expressions.begin() +
                               static_cast<ptrdiff_t>(command.rollup->key_parts));
        SortKeys order(wanted.size());
        for (size_t i = 0; i < order.size(); ++i)
            order[i].column = i;
        wanted.push_back(due);
        ScanRequest request;
        request.columns = inputs_of(wanted);
        Block last; // one row: the keys, and whether it is due
        const auto scan = scan_part(part, metadata, request); // one stream: in order
        const ExpressionProgram program(wanted, *context);
        for (Block block = scan->next(0); block.rows(); block = scan->next(0))
        {
            const Columns values = program.run(block);
            Block rows;
            for (size_t i = 0; i < values.size(); ++i)
                rows.add({to_flat(values[i]), wanted[i]->type(), std::to_string(i)});
            Mask mask;
            column_to_mask(values.back(), due->type(), mask);
            if (mask[0] && last.rows() && compare_rows(last, 0, rows, 0, order) == 0)
                return true;
            Mask begins(rows.rows(), 0);
            for (const uint32_t start : key_run_starts(rows, order))
                begins[start] = 1;
            for (size_t row = 1; row < rows.rows(); ++row)
                if (!begins[row] && mask[row] && mask[row - 1])
                    return true;
            last = mask[rows.rows() - 1] ? rows.slice(rows.rows() - 1, 1) : Block();
        }
    }
    return false;
}

// False when the part is gone or something works on it.
bool MergeTreeTable::drop_part(const std::shared_ptr<Part>& part)
{
    {
        std::lock_guard lock(mutex_);
        const auto found = parts_.find(part->name());
        if (found == parts_.end() || found->second != part || busy_.contains(part->name()) ||
            merges_stopped_ || shut_down_)
            return false;
        busy_.insert(part->name());
    }
    const auto transaction = service_.begin();
    try
    {
        stage(*transaction, {}, {part}, 0);
        transaction->commit();
    }
    catch (...)
    {
        unlock_parts({part});
        throw;
    }
    return true;
}

bool MergeTreeTable::drop_over_cap(const TableMetadata& metadata)
{
    const uint64_t cap = size_cap(metadata);
    if (!cap)
        return false;
    uint64_t bytes = 0;
    std::vector<std::shared_ptr<Part>> oldest;
    {
        std::lock_guard lock(mutex_);
        for (const auto& [name, part] : parts_)
        {
            bytes += part->manifest().bytes_on_disk;
            oldest.push_back(part);
        }
    }
    std::sort(oldest.begin(), oldest.end(), [](const auto& a, const auto& b)
              { return a->name().max_block < b->name().max_block; });
    bool did = false;
    for (size_t i = 0; i < oldest.size() && bytes > cap; ++i)
    {
        if (!drop_part(oldest[i]))
            continue;
        bytes -= oldest[i]->manifest().bytes_on_disk;
        did = true;
    }
    return did;
}

// Rewrites a part without what is over. False when something works on it.
bool MergeTreeTable::rewrite_part(const std::shared_ptr<Part>& part)
{
    MergePlan plan;
    {
        std::lock_guard lock(mutex_);
        const auto found = parts_.find(part->name());
        if (found == parts_.end() || found->second != part || busy_.contains(part->name()) ||
            merges_stopped_ || shut_down_)
            return false;
        busy_.insert(part->name());
        plan = start_plan({part}, {.combine = true});
    }
    run_merge(plan, *service_.make_context());
    return true;
}

bool MergeTreeTable::expire_once()
{
    const int64_t now = service_.clock().unix_s();
    TableMetadataPtr metadata;
    std::vector<std::shared_ptr<Part>> parts;
    {
        std::lock_guard lock(mutex_);
        if (shut_down_ || now < next_look_unix_s_)
            return false;
        next_look_unix_s_ = now + kLookEvery_s;
        metadata = metadata_;
        for (const auto& [name, part] : parts_)
            parts.push_back(part);
    }
    bool did = drop_over_cap(*metadata);
    const auto binder = service_.mutation_binder();
    if (!has_ttl(*metadata) || !binder)
        return did;
    const auto commands = binder(*this, kMaterializeTtl, service_.make_context());
    if (this->metadata() != metadata)
        return did;
    const auto context = service_.make_context();
    Expressions deletions, changes;
    const bool whole_only = number_setting(*metadata, "ttl_only_drop_parts") != 0;
    for (const auto& command : commands)
    {
        if (command.kind == Kind::Rollup || command.kind == Kind::Recompress)
            continue;
        const auto condition = without_null(command.predicate, *context);
        if (command.kind == Kind::Delete)
            deletions.push_back(condition);
        if (command.kind != Kind::Delete || !whole_only)
            changes.push_back(condition);
    }
    std::set<std::string> rewritten;
    for (const auto& part : parts)
    {
        const std::string& partition_id = part->name().partition_id;
        if (!deletions.empty() &&
            !has_row(part, metadata,
                     Expression::call("not", {any_of(deletions, *context)}, *context)))
        {
            did |= drop_part(part);
            continue;
        }
        if (has_other_codec(*part, *metadata, due_codec({part}, metadata, commands)))
        {
            did |= rewrite_part(part);
            continue;
        }
        {
            std::lock_guard lock(mutex_);
            const auto next = next_rewrite_unix_s_.find(partition_id);
            if (next != next_rewrite_unix_s_.end() && now < next->second)
                continue;
        }
        const bool rewrites =
            (!changes.empty() && has_row(part, metadata, any_of(changes, *context))) ||
            has_due_group(part, metadata, commands);
        if (!rewrites || !rewrite_part(part))
            continue;
        rewritten.insert(partition_id);
        did = true;
    }
    std::lock_guard lock(mutex_);
    const int64_t took = service_.clock().unix_s() - now;
    next_look_unix_s_ = std::max(next_look_unix_s_, now + took * kLookShare);
    for (const auto& partition_id : rewritten)
        next_rewrite_unix_s_[partition_id] =
            now + number_setting(*metadata, "merge_with_ttl_timeout");
    return did;
}

} // namespace basalt
