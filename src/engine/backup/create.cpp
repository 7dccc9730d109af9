#include "engine/backup/create.h"

#include "base/error.h"
#include "catalog/metadata_files.h"
#include "catalog/view.h"
#include "engine/backup/location.h"
#include "engine/mutation.h"
#include "sql/formatter.h"
#include "storage/block_bytes.h"
#include "storage/durable_directory.h"
#include "storage/mergetree/merge_tree_table.h"
#include "storage/mergetree/part_builder.h"
#include "storage/mergetree/row_source.h"

#include <fmt/format.h>

namespace basalt
{

namespace
{

constexpr std::string_view kUnfinishedPrefix = "tmp_";

// One table on its way into the backup.
struct Source
{
    TablePtr table;
    PartitionIds partitions;
    BackupTable entry;
    // With rows: a MergeTree table, or one in memory.
    std::shared_ptr<MergeTreeTable> merge_tree;
    TableSnapshot snapshot;
    std::vector<Block> blocks;
};

bool is_inner(const TableName& name)
{
    return name.table.starts_with(".inner");
}

class Creation
{
public:
    Creation(const BackupOptions& options, StatementContext& statement,
             const BackupProgress& progress)
        : options_(options), statement_(statement), progress_(progress),
          engine_(statement.engine), files_(engine_.files()), root_(engine_.backups_path()),
          location_(backup_location(options.location, root_))
    {
    }

    void run(const std::vector<BackupElement>& elements)
    {
        if (!engine_.backups().take_folder(location_.path))
            throw_exists();
        try
        {
            if (files_.exists(location_.path))
                throw_exists();
            make(elements);
        }
        catch (...)
        {
            engine_.backups().let_go(location_.path);
            throw;
        }
        engine_.backups().let_go(location_.path);
    }

private:
    [[noreturn]] void throw_exists() const
    {
        throw Error(error_codes::BACKUP_ALREADY_EXISTS,
                    fmt::format("Backup {} already exists", location_.text));
    }

    void make(const std::vector<BackupElement>& elements)
    {
        if (!options_.base_location.empty())
        {
            base_ = std::make_unique<OpenBackup>(files_, options_.base_location, root_);
            manifest_.base_location = base_->text();
            manifest_.base_uuid = base_->manifest().uuid;
        }
        manifest_.uuid = random_uuid(*statement_.context->random);
        for (const auto& element : elements)
            collect(element);
        take_snapshots();
        folder_ = join_path(root_, std::string(kUnfinishedPrefix) + manifest_.uuid);
        create_durable_directory(files_, folder_);
        try
        {
            for (auto& source : sources_)
            {
                if (source.merge_tree)
                    write_parts(source);
                else
                    write_blocks(source);
                manifest_.tables.push_back(std::move(source.entry));
                source = Source(); // parts may go
            }
            files_.replace_whole(join_path(folder_, kBackupManifestName), manifest_.encode());
            const std::string parent = parent_directory(location_.path);
            create_durable_directory(files_, parent);
            files_.rename(folder_, location_.path);
            files_.sync_directory(parent);
            files_.sync_directory(root_);
        }
        catch (...)
        {
            files_.remove_directory_recursive(folder_);
            throw;
        }
    }

    void collect(const BackupElement& element)
    {
        switch (element.element)
        {
        case BackupElementKind::Table:
        case BackupElementKind::View:
        {
            const TablePtr table = statement_.get_table(element.name);
            const TableName name = table->table_name();
            PartitionIds partitions;
            for (const auto& partition : element.partitions)
                partitions.insert(partition_id_of_ast(*partition->as<AstPartition>(),
                                                      *table->metadata(), *statement_.context));
            TableName new_name = name;
            if (!element.new_name.table.empty())
                new_name = statement_.resolve(element.new_name);
            add(table, new_name, std::move(partitions));
            return;
        }
        case BackupElementKind::Database:
            collect_database(element.name.database,
                             element.new_name.database.empty() ? element.name.database
                                                               : element.new_name.database,
                             element);
            return;
        case BackupElementKind::All:
            for (const auto& database : engine_.catalog().databases())
                if (!database.system && std::find(element.except_databases.begin(),
                                                  element.except_databases.end(),
                                                  database.name) == element.except_databases.end())
                    collect_database(database.name, database.name, element);
            return;
        case BackupElementKind::Dictionary:
        case BackupElementKind::TemporaryTable:
            break;
        }
        throw Error(error_codes::NOT_IMPLEMENTED,
                    "BACKUP of dictionaries and temporary tables is not implemented");
    }

    void collect_database(const std::string& database, const std::string& new_name,
                          const BackupElement& element)
    {
        bool is_known = false;
        for (const auto& info : engine_.catalog().databases())
            if (info.name == database)
            {
                if (info.system)
                    throw Error(error_codes::CANNOT_BACKUP_TABLE,
                                fmt::format("Database {} is the server's own", database));
                is_known = true;
                manifest_.databases.emplace_back(
                    new_name, fmt::format("CREATE DATABASE {} ENGINE = {}{}",
                                          quote_identifier(new_name), info.engine,
                                          info.comment.empty()
                                              ? ""
                                              : " COMMENT " + quote_string(info.comment)));
            }
        if (!is_known)
            throw Error(error_codes::UNKNOWN_DATABASE,
                        fmt::format("Database {} does not exist", database));
        for (const auto& table : engine_.catalog().tables(database))
        {
            const TableName name = table->table_name();
            bool excepted = is_inner(name); // comes with its view
            for (const auto& except : element.except_tables)
                excepted = excepted || (except.table == name.table &&
                                        (except.database.empty() ? database : except.database) ==
                                            database);
            if (!excepted)
                add(table, {new_name, name.table}, {});
        }
    }

    void add(const TablePtr& table, const TableName& as, PartitionIds partitions)
    {
        for (const auto& source : sources_)
            if (source.entry.name == as)
                throw Error(error_codes::BACKUP_ENTRY_ALREADY_EXISTS,
                            fmt::format("Table {} is named twice", as.full()));
        Source source;
        source.table = table;
        source.partitions = std::move(partitions);
        source.entry.name = as;
        TablePtr with_rows = table;
        if (const auto* view = dynamic_cast<const MaterializedView*>(table.get()))
            with_rows = view->has_inner_table() ? view->target_table() : nullptr;
        if (with_rows && !options_.structure_only)
        {
            source.merge_tree = std::dynamic_pointer_cast<MergeTreeTable>(with_rows);
            if (source.merge_tree)
                source.entry.data = BackupTable::Data::Parts;
            else if (with_rows->engine_name() == "Memory")
                source.entry.data = BackupTable::Data::Blocks;
            if (source.entry.data == BackupTable::Data::Blocks)
                source.table = with_rows;
        }
        if (!source.partitions.empty() && !source.merge_tree)
            throw Error(error_codes::CANNOT_BACKUP_TABLE,
                        fmt::format("Table engine {} does not support partitions",
                                    table->engine_name()));
        names_.push_back(table->table_name());
        sources_.push_back(std::move(source));
    }

    // Of all tables at one moment: between two transactions, while nothing is altered.
    void take_snapshots()
    {
        for (auto& source : sources_)
            if (source.merge_tree)
                source.merge_tree->flush(statement_.context);
        std::vector<std::unique_lock<std::mutex>> no_alters;
        for (auto& lock : engine_.alter_locks())
            no_alters.emplace_back(lock);
        engine_.storage().log().at_rest(
            [&]
            {
                for (auto& source : sources_)
                    if (source.merge_tree)
                        source.snapshot = source.merge_tree->snapshot();
                    else if (source.entry.data == BackupTable::Data::Blocks)
                        source.blocks = blocks_of(*source.table);
            });
        for (size_t i = 0; i < sources_.size(); ++i)
        {
            const AstPtr create = engine_.catalog().shown_create_query(names_[i]);
            if (!create)
                throw Error(error_codes::CANNOT_BACKUP_TABLE,
                            fmt::format("Table {} was dropped meanwhile", names_[i].full()));
            sources_[i].entry.create_text = format_query(*create);
        }
    }

    std::vector<Block> blocks_of(Table& table)
    {
        ScanRequest request;
        for (const auto& column : table.metadata()->physical_header())
            request.columns.push_back(column.name);
        const auto scan = table.scan(request, statement_.context);
        std::vector<Block> blocks;
        for (Block block = scan->next(0); block.rows(); block = scan->next(0))
            blocks.push_back(std::move(block));
        return blocks;
    }

    void write_parts(Source& source)
    {
        BackupTable& entry = source.entry;
        const ColumnHistory& history = *source.snapshot.history;
        entry.version = history.version();
        entry.events = history.events();
        const auto is_wanted = [&](const std::string& partition)
        { return source.partitions.empty() || source.partitions.contains(partition); };
        uint64_t last_block = 0;
        for (const auto& part : source.snapshot.parts)
        {
            last_block = std::max(last_block, part->name().max_block);
            if (is_wanted(part->name().partition_id))
                add_part(entry, part->name_text(), part->directory());
        }
        // What came after the flush and stands in no part.
        if (source.snapshot.live.empty())
            return;
        std::vector<Block> rows;
        for (const auto& block : source.snapshot.live)
            rows.push_back(conform_block(*source.snapshot.metadata, history, block,
                                         engine_.storage().key_context()));
        PartBuildOptions build;
        build.metadata = source.snapshot.metadata;
        build.metadata_version = history.version();
        build.table_path = folder_;
        const auto built = build_parts(engine_.storage(), std::move(rows), build);
        for (const auto& part : built)
        {
            PartName name;
            name.partition_id = part.partition_id;
            name.min_block = name.max_block = ++last_block;
            if (is_wanted(name.partition_id))
                add_part(entry, name.text(), part.directory);
        }
        remove_built_parts(engine_.storage(), built);
    }

    void add_part(BackupTable& entry, const std::string& name, const std::string& directory)
    {
        entry.pieces.push_back(name);
        const std::string piece = backup_piece_path(entry.name, name);
        for (const auto& file : files_.list(directory))
            if (!file.is_directory)
                add_file(join_path(directory, file.name), join_path(piece, file.name));
    }

    void write_blocks(Source& source)
    {
        for (size_t i = 0; i < source.blocks.size(); ++i)
        {
            const std::string temporary = join_path(folder_, "block");
            files_.replace_whole(temporary, encode_block(source.blocks[i]));
            source.entry.pieces.push_back(fmt::format("{}.block", i));
            add_file(temporary,
                     backup_piece_path(source.entry.name, source.entry.pieces.back()));
            files_.remove_file(temporary);
        }
    }

    void add_file(const std::string& from, const std::string& path)
    {
        const auto while_copying = [&](uint64_t) { statement_.context->check_alive(); };
        BackupFile file;
        file.path = path;
        file.size = files_.status(from)->size_bytes;
        const bool may_be_in_base = base_ && base_->has_size(file.size);
        if (may_be_in_base)
        {
            file.checksum = copy_file(files_, from, "", while_copying);
            file.is_in_base = base_->has(file.size, file.checksum);
        }
        if (!file.is_in_base)
        {
            const std::string to = join_path(folder_, path);
            const std::string directory = parent_directory(to);
            if (!directories_.contains(directory))
            {
                create_durable_directory(files_, directory);
                directories_.insert(directory);
            }
            file.checksum = copy_file(files_, from, to, while_copying);
            files_.sync_directory(directory);
        }
        progress_(
            [&](BackupInfo& info)
            {
                ++info.files;
                info.total_bytes += file.size;
                info.entries += !file.is_in_base;
                info.stored_bytes += file.is_in_base ? 0 : file.size;
            });
        manifest_.files.push_back(std::move(file));
    }

    const BackupOptions& options_;
    StatementContext& statement_;
    const BackupProgress& progress_;
    Engine& engine_;
    FileSystem& files_;
    const std::string root_;
    const BackupLocation location_;
    std::unique_ptr<OpenBackup> base_;
    std::vector<Source> sources_;
    std::vector<TableName> names_; // of the sources, as they are now
    BackupManifest manifest_;
    std::string folder_; // until it is whole
    std::set<std::string> directories_;
};

} // namespace

void create_backup(const std::vector<BackupElement>& elements, const BackupOptions& options,
                   StatementContext& statement, const BackupProgress& progress)
{
    Creation(options, statement, progress).run(elements);
}

void remove_unfinished_backups(FileSystem& files, const std::string& root)
{
    if (!files.exists(root))
        return;
    for (const auto& entry : files.list(root))
        if (entry.is_directory && entry.name.starts_with(kUnfinishedPrefix))
            files.remove_directory_recursive(join_path(root, entry.name));
}

} // namespace basalt
