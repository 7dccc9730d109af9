// What system tables show.

#include "storage/mergetree/merge_tree_table.h"
#include "storage/mergetree/partition.h"

#include <fmt/format.h>

namespace basalt
{

namespace
{

// Seconds of a Date's, DateTime's or DateTime64's value.
int64_t unix_s_of(const Value& value, const TypePtr& type)
{
    const int64_t number = value.get_if<uint64_t>()
                               ? static_cast<int64_t>(value.get<uint64_t>())
                               : value.get_if<int64_t>() ? value.get<int64_t>() : 0;
    switch (type->id())
    {
    case TypeId::Date:
    case TypeId::Date32:
        return number * 86400;
    case TypeId::DateTime64:
    {
        int64_t scale = 1;
        for (uint32_t i = 0; i < type_as<DateTime64Type>(type).scale(); ++i)
            scale *= 10;
        return number / scale;
    }
    default:
        return number;
    }
}

void fill_times(PartInfo& info, const Part& part, const TableMetadata& metadata)
{
    for (const auto& name : inputs_of(metadata.partition_key.expressions))
    {
        const int at = part.manifest().find_column(name);
        if (at < 0)
            continue;
        const auto& type = part.header()[static_cast<size_t>(at)].type;
        const auto& statistics = part.manifest().columns[static_cast<size_t>(at)].statistics;
        if (!type->is_date_or_time() || !statistics.min || !statistics.max)
            continue;
        info.min_time_unix_s = unix_s_of(*statistics.min, type);
        info.max_time_unix_s = unix_s_of(*statistics.max, type);
        return;
    }
}

PartInfo info_of(const Part& part, const TableMetadata& metadata)
{
    const PartManifest& manifest = part.manifest();
    PartInfo info;
    info.name = part.name_text();
    Types types;
    for (const auto& expression : metadata.partition_key.expressions)
        types.push_back(expression->type());
    info.partition = partition_text_of(manifest.partition, types);
    info.partition_id = part.name().partition_id;
    info.packed = manifest.packed();
    info.rows = manifest.rows;
    info.marks = manifest.granules() + 1;
    info.bytes_on_disk = manifest.bytes_on_disk;
    info.primary_key_bytes_in_memory = part.index_memory_bytes();
    info.primary_key_size = manifest.primary_index.size;
    info.modification_unix_s = manifest.created_unix_s;
    info.min_block = part.name().min_block;
    info.max_block = part.name().max_block;
    info.level = part.name().level;
    info.data_version = part.name().data_version();
    info.path = part.directory() + "/";
    for (const auto& column : manifest.columns)
    {
        info.columns.push_back({column.name, column.type, column.codec, column.compressed_bytes,
                                column.uncompressed_bytes, column.pages.size});
        info.compressed_bytes += column.compressed_bytes;
        info.uncompressed_bytes += column.uncompressed_bytes;
        info.marks_bytes += column.pages.size;
    }
    for (const auto& index : manifest.indexes)
        info.indexes.push_back({index.name, index.section.size, index.uncompressed_bytes});
    fill_times(info, part, metadata);
    return info;
}

} // namespace

std::vector<PartInfo> MergeTreeTable::part_infos() const
{
    std::vector<std::shared_ptr<Part>> parts;
    TableMetadataPtr metadata;
    {
        std::lock_guard lock(mutex_);
        metadata = metadata_;
        for (const auto& [name, part] : parts_)
            parts.push_back(part);
    }
    std::vector<PartInfo> infos;
    for (const auto& part : parts)
    {
        infos.push_back(info_of(*part, *metadata));
        infos.back().references = static_cast<size_t>(part.use_count()) - 1;
    }
    return infos;
}

std::vector<MergeInfo> MergeTreeTable::merge_infos() const
{
    std::lock_guard lock(mutex_);
    std::vector<MergeInfo> infos;
    for (const auto& running : running_)
    {
        infos.push_back(running->info);
        infos.back().rows_read = running->rows_read;
        if (infos.back().total_rows)
            infos.back().progress = static_cast<double>(infos.back().rows_read) /
                                    static_cast<double>(infos.back().total_rows);
    }
    return infos;
}

// Before they change places.
void MergeTreeTable::note_parts(const std::vector<std::shared_ptr<Part>>& added,
                                const std::vector<std::shared_ptr<Part>>& removed)
{
    const int64_t now_us = service_.clock().unix_us();
    const auto event_of = [&](const Part& part, PartEvent::Type type)
    {
        PartEvent event;
        event.type = type;
        event.unix_us = now_us;
        event.part = part.name_text();
        event.partition_id = part.name().partition_id;
        event.path = part.directory();
        event.rows = part.rows();
        event.bytes_on_disk = part.manifest().bytes_on_disk;
        for (const auto& column : part.manifest().columns)
            event.uncompressed_bytes += column.uncompressed_bytes;
        event.packed = part.manifest().packed();
        return event;
    };
    std::lock_guard lock(mutex_);
    for (const auto& part : added)
    {
        PartEvent event = event_of(*part, PartEvent::Type::NewPart);
        for (const auto& running : running_)
        {
            if (running->info.result_part != event.part)
                continue;
            event.type = running->info.is_mutation ? PartEvent::Type::MutatePart
                                                   : PartEvent::Type::MergeParts;
            event.duration_ms =
                static_cast<uint64_t>(std::max<int64_t>(now_us - running->info.started_unix_us, 0)) /
                1000;
            event.read_rows = running->rows_read;
            event.merged_from = running->info.source_parts;
        }
        part_events_.push_back(std::move(event));
    }
    for (const auto& part : removed)
        part_events_.push_back(event_of(*part, PartEvent::Type::RemovePart));
    while (part_events_.size() > kMaxPartEvents)
        part_events_.pop_front();
}

std::vector<PartEvent> MergeTreeTable::part_events() const
{
    std::lock_guard lock(mutex_);
    return {part_events_.begin(), part_events_.end()};
}

std::vector<MutationInfo> MergeTreeTable::mutation_infos() const
{
    std::lock_guard lock(mutex_);
    std::vector<MutationInfo> infos;
    for (const auto& [version, mutation] : mutations_)
        for (const auto& command : mutation.commands)
        {
            MutationInfo info;
            info.id = fmt::format("mutation_{}.txt", version);
            info.command = command;
            info.created_unix_s = mutation.created_unix_s;
            info.version = version;
            info.is_done = mutation.done;
            info.is_killed = mutation.killed;
            if (!mutation.done && !mutation.killed)
                for (const auto& [name, part] : parts_)
                    if (name.data_version() < version)
                        info.parts_to_do.push_back(part->name_text());
            if (const auto failure = mutation_failures_.find(version);
                failure != mutation_failures_.end())
            {
                info.latest_failed_part = failure->second.part;
                info.latest_fail_reason = failure->second.reason;
                info.latest_fail_unix_s = failure->second.unix_s;
            }
            infos.push_back(std::move(info));
        }
    return infos;
}

std::vector<DetachedPartInfo> MergeTreeTable::detached_part_infos() const
{
    FileSystem& files = service_.files();
    const std::string directory = join_path(path_, "detached");
    std::vector<DetachedPartInfo> infos;
    if (!files.exists(directory))
        return {};
    for (const auto& entry : files.list(directory))
    {
        if (!entry.is_directory)
            continue;
        DetachedPartInfo info;
        info.name = entry.name;
        info.path = join_path(directory, entry.name);
        if (!parse_part_name(entry.name))
            info.reason = entry.name.substr(0, entry.name.find('_'));
        for (const auto& file : files.list(info.path))
            if (!file.is_directory)
                info.bytes_on_disk += files.file_size(join_path(info.path, file.name));
        infos.push_back(std::move(info));
    }
    return infos;
}

bool MergeTreeTable::kill_mutation(const std::string& id)
{
    MutationEntry killed;
    {
        std::lock_guard lock(mutex_);
        for (const auto& [version, mutation] : mutations_)
            if (fmt::format("mutation_{}.txt", version) == id && !mutation.done &&
                !mutation.killed)
                killed = mutation;
    }
    if (killed.version == 0)
        return false;
    killed.killed = true;
    const auto transaction = service_.begin();
    transaction->add_record(uuid_, static_cast<uint8_t>(TableEditKind::Mutation),
                            killed.encode());
    transaction->on_commit(
        [this, killed]
        {
            {
                std::lock_guard lock(mutex_);
                mutations_[killed.version] = killed;
                bound_mutations_.erase(killed.version);
                for (const auto& running : running_)
                    if (running->info.is_mutation)
                        running->cancelled = true;
            }
            changed_.notify_all();
        });
    transaction->commit();
    return true;
}

} // namespace basalt
