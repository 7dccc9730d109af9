#include "engine/backup/create.h"

#include "base/error.h"
#include "catalog/view.h"
#include "engine/mutation.h"
#include "sql/formatter.h"
#include "sql/parser.h"
#include "storage/block_bytes.h"
#include "storage/mergetree/merge_tree_table.h"
#include "storage/mergetree/part_name.h"
#include "storage/storage_service.h"

#include <algorithm>
#include <fmt/format.h>

namespace basalt
{

namespace
{

using Names = std::map<std::pair<std::string, std::string>, TableName>;

// Puts new names in place of old ones wherever a query names a table.
class NameReplacer : public FieldVisitor
{
public:
    explicit NameReplacer(const Names& names) : names_(names) {}

    void child(const char*, AstPtr& child) override
    {
        if (!child)
            return;
        if (auto* identifier = child->as<AstIdentifier>(); identifier && identifier->parts.size() > 1)
            if (const auto found = names_.find({identifier->parts[0], identifier->parts[1]});
                found != names_.end())
            {
                identifier->parts[0] = found->second.database;
                identifier->parts[1] = found->second.table;
            }
        child->visit_fields(*this);
    }

private:
    const Names& names_;
};

struct Target
{
    const BackupTable* entry = nullptr;
    TableName name;
    PartitionIds partitions;
    TablePtr table;     // with the rows
    bool is_new = false;
    AstList partition_asts;
    std::vector<std::string> folders; // of parts, to be staged
    std::vector<Block> blocks;
};

class Restoration
{
public:
    Restoration(const BackupOptions& options, StatementContext& statement,
                const BackupProgress& progress)
        : options_(options), statement_(statement), progress_(progress),
          engine_(statement.engine), files_(engine_.files()),
          backup_(files_, options.location, engine_.backups_path())
    {
    }

    void run(const std::vector<BackupElement>& elements)
    {
        for (const auto& element : elements)
            choose(element);
        if (!options_.base_location.empty())
            throw Error(error_codes::NOT_IMPLEMENTED,
                        "RESTORE with another base_backup than the backup's own is not "
                        "implemented");
        try
        {
            for (const auto& [database, text] : databases_)
                make_database(database, text);
            make_tables();
            if (!options_.structure_only)
                bring_rows();
        }
        catch (...)
        {
            undo();
            throw;
        }
    }

private:
    static bool is_view(const BackupTable& entry)
    {
        return entry.create_text.starts_with("CREATE VIEW") ||
               entry.create_text.starts_with("CREATE MATERIALIZED VIEW");
    }

    void choose(const BackupElement& element)
    {
        const auto& manifest = backup_.manifest();
        switch (element.element)
        {
        case BackupElementKind::Table:
        case BackupElementKind::View:
        {
            const TableName wanted = statement_.resolve(element.name);
            const BackupTable* entry = nullptr;
            for (const auto& table : manifest.tables)
                if (table.name == wanted)
                    entry = &table;
            if (!entry)
                throw Error(error_codes::BACKUP_ENTRY_NOT_FOUND,
                            fmt::format("Table {} not found in backup", wanted.full()));
            const TableName as =
                element.new_name.table.empty() ? wanted : statement_.resolve(element.new_name);
            add(*entry, as);
            for (const auto& partition : element.partitions)
                targets_.back().partition_asts.push_back(partition);
            return;
        }
        case BackupElementKind::Database:
            choose_database(element.name.database,
                            element.new_name.database.empty() ? element.name.database
                                                              : element.new_name.database,
                            element);
            return;
        case BackupElementKind::All:
        {
            std::set<std::string> names;
            for (const auto& [database, text] : manifest.databases)
                names.insert(database);
            for (const auto& table : manifest.tables)
                names.insert(table.name.database);
            for (const auto& name : names)
                if (std::find(element.except_databases.begin(), element.except_databases.end(),
                              name) == element.except_databases.end())
                    choose_database(name, name, element);
            return;
        }
        case BackupElementKind::Dictionary:
        case BackupElementKind::TemporaryTable:
            break;
        }
        throw Error(error_codes::NOT_IMPLEMENTED,
                    "RESTORE of dictionaries and temporary tables is not implemented");
    }

    void choose_database(const std::string& database, const std::string& as,
                         const BackupElement& element)
    {
        bool is_known = false;
        for (const auto& [name, text] : backup_.manifest().databases)
            if (name == database)
            {
                is_known = true;
                databases_.emplace_back(as, text);
            }
        for (const auto& table : backup_.manifest().tables)
        {
            if (table.name.database != database)
                continue;
            is_known = true;
            bool is_excepted = false;
            for (const auto& except : element.except_tables)
                is_excepted = is_excepted ||
                              (except.table == table.name.table &&
                               (except.database.empty() || except.database == database));
            if (!is_excepted)
                add(table, {as, table.name.table});
        }
        if (!is_known)
            throw Error(error_codes::BACKUP_ENTRY_NOT_FOUND,
                        fmt::format("Database {} not found in backup", database));
    }

    void add(const BackupTable& entry, const TableName& as)
    {
        for (const auto& target : targets_)
            if (target.name == as)
                throw Error(error_codes::BACKUP_ENTRY_ALREADY_EXISTS,
                            fmt::format("Table {} is named twice", as.full()));
        Target target;
        target.entry = &entry;
        target.name = as;
        targets_.push_back(std::move(target));
        names_[{entry.name.database, entry.name.table}] = as;
    }

    void make_database(const std::string& name, const std::string& text)
    {
        if (engine_.catalog().database_exists(name))
        {
            if (options_.create_database == BackupOptions::Create::Yes)
                throw Error(error_codes::CANNOT_RESTORE_DATABASE,
                            fmt::format("Database {} already exists", name));
            return;
        }
        if (options_.create_database == BackupOptions::Create::No)
            throw Error(error_codes::UNKNOWN_DATABASE,
                        fmt::format("Database {} does not exist", name));
        const AstPtr ast = parse_query(text);
        auto& create = *ast->as<AstCreateDatabase>();
        create.name = name;
        run_create_database(create, statement_);
        made_databases_.push_back(name);
    }

    // Views come after what they read from, which may be views.
    void make_tables()
    {
        std::vector<Target*> views;
        for (auto& target : targets_)
            if (is_view(*target.entry))
                views.push_back(&target);
            else
                make_table(target);
        while (!views.empty())
        {
            std::vector<Target*> later;
            std::optional<Error> missing;
            for (auto* view : views)
                try
                {
                    make_table(*view);
                }
                catch (const Error& error)
                {
                    if (error.code() != error_codes::UNKNOWN_TABLE)
                        throw;
                    missing = error;
                    later.push_back(view);
                }
            if (later.size() == views.size())
                throw *missing;
            views = std::move(later);
        }
    }

    AstPtr create_query_of(const Target& target) const
    {
        const AstPtr ast = parse_query(target.entry->create_text);
        auto& create = *ast->as<AstCreateTable>();
        NameReplacer replacer(names_);
        create.visit_fields(replacer);
        create.name.database = target.name.database;
        create.name.table = target.name.table;
        create.uuid.clear();
        if (const auto found = names_.find({create.to_table.database, create.to_table.table});
            found != names_.end())
        {
            create.to_table.database = found->second.database;
            create.to_table.table = found->second.table;
        }
        return ast;
    }

    void make_table(Target& target)
    {
        auto& catalog = engine_.catalog();
        const AstPtr ast = create_query_of(target);
        TablePtr table = catalog.find_table(target.name);
        if (table && options_.create_table == BackupOptions::Create::Yes)
            throw Error(error_codes::CANNOT_RESTORE_TABLE,
                        fmt::format("Table {} already exists", target.name.full()));
        if (!table)
        {
            if (options_.create_table == BackupOptions::Create::No)
                throw Error(error_codes::UNKNOWN_TABLE,
                            fmt::format("Table {} does not exist", target.name.full()));
            // Names without a database are of the view's own.
            auto& database = statement_.context->current_database;
            const std::string before = std::exchange(database, target.name.database);
            try
            {
                run_create_table(*ast->as<AstCreateTable>(), statement_);
            }
            catch (...)
            {
                database = before;
                throw;
            }
            database = before;
            table = catalog.get_table(target.name);
            made_tables_.push_back(target.name);
            target.is_new = true;
        }
        else if (!options_.allow_different_table_def)
            check_same(*table, *ast->as<AstCreateTable>(), target);
        if (const auto* view = dynamic_cast<const MaterializedView*>(table.get()))
            table = view->has_inner_table() ? view->target_table() : nullptr;
        target.table = table;
        const bool has_data = target.entry->data != BackupTable::Data::None &&
                              !target.entry->pieces.empty();
        if (has_data && table && !target.is_new && !options_.structure_only &&
            !options_.allow_non_empty_tables && table->total_rows().value_or(0) > 0)
            throw Error(error_codes::CANNOT_RESTORE_TABLE,
                        fmt::format("Cannot restore the table {} because it already contains some "
                                    "data. You can set structure_only=true or "
                                    "allow_non_empty_tables=true to overcome that in the way you "
                                    "want",
                                    target.name.full()));
    }

    // The columns' names and types, keys and engine must be the backup's.
    void check_same(const Table& table, const AstCreateTable& wanted, const Target& target)
    {
        const AstPtr shown = engine_.catalog().shown_create_query(target.name);
        const auto essence = [](const AstCreateTable& create)
        {
            std::string text;
            for (const auto& column : create.columns)
                text += format_query(*column) + ",";
            if (create.storage)
                text += format_query(*create.storage);
            if (create.select)
                text += format_query(*create.select);
            return text;
        };
        if (!shown || essence(*shown->as<AstCreateTable>()) != essence(wanted))
            throw Error(error_codes::CANNOT_RESTORE_TABLE,
                        fmt::format("The table {} has a different definition: {} comparing to its "
                                    "definition in the backup: {}",
                                    target.name.full(), shown ? format_query(*shown) : "",
                                    target.entry->create_text));
    }

    void bring_rows()
    {
        for (auto& target : targets_)
        {
            if (!target.table)
                continue;
            for (const auto& partition : target.partition_asts)
                target.partitions.insert(partition_id_of_ast(*partition->as<AstPartition>(),
                                                             *target.table->metadata(),
                                                             *statement_.context));
            if (target.entry->data == BackupTable::Data::Parts)
                copy_parts(target);
            else if (target.entry->data == BackupTable::Data::Blocks)
                read_blocks(target);
        }
        // All at once.
        const auto transaction = engine_.storage().begin();
        for (auto& target : targets_)
        {
            if (!target.folders.empty())
                merge_tree(target).stage_restored(*transaction, target.folders);
            if (target.blocks.empty())
                continue;
            const auto sink = target.table->write(*transaction, statement_.context);
            for (auto& block : target.blocks)
                sink->write(std::move(block));
            sink->finish();
        }
        transaction->commit();
    }

    MergeTreeTable& merge_tree(const Target& target) const
    {
        auto* table = dynamic_cast<MergeTreeTable*>(target.table.get());
        if (!table)
            throw Error(error_codes::CANNOT_RESTORE_TABLE,
                        fmt::format("Parts cannot be restored into table {} of engine {}",
                                    target.name.full(), target.table->engine_name()));
        return *table;
    }

    void copy_parts(Target& target)
    {
        MergeTreeTable& table = merge_tree(target);
        table.adopt_history(target.entry->version, target.entry->events);
        for (const auto& piece : target.entry->pieces)
        {
            const auto name = parse_part_name(piece);
            if (!target.partitions.empty() &&
                (!name || !target.partitions.contains(name->partition_id)))
                continue;
            const std::string folder = table.restore_folder();
            target.folders.push_back(folder);
            files_.create_directories(folder);
            for (const auto* file : backup_.files_of(backup_piece_path(target.entry->name, piece)))
                copy(*file, join_path(folder, file->path.substr(file->path.rfind('/') + 1)));
            files_.sync_directory(folder);
        }
    }

    void copy(const BackupFile& file, const std::string& to)
    {
        const std::string from = backup_.find(file);
        const auto damaged = [&](const char* what)
        {
            return Error(error_codes::BACKUP_DAMAGED,
                         fmt::format("File {} of backup {} {}", file.path, backup_.text(), what));
        };
        const auto status = files_.status(from);
        if (!status)
            throw damaged("is missing");
        if (status->size_bytes != file.size)
            throw damaged("has another size than when it was written");
        const uint64_t checksum =
            copy_file(files_, from, to,
                      [&](uint64_t bytes)
                      {
                          statement_.context->check_alive();
                          progress_([&](BackupInfo& info) { info.bytes_read += bytes; });
                      });
        if (checksum != file.checksum)
            throw damaged("has another checksum than when it was written");
        progress_([](BackupInfo& info) { ++info.files_read; });
    }

    void read_blocks(Target& target)
    {
        const std::string folder = engine_.storage().shadow_path(
            fmt::format("restore_{}", random_uuid(*statement_.context->random)));
        files_.create_directories(folder);
        try
        {
            for (const auto& piece : target.entry->pieces)
                for (const auto* file :
                     backup_.files_of(backup_piece_path(target.entry->name, piece)))
                {
                    const std::string copied = join_path(folder, "block");
                    copy(*file, copied);
                    target.blocks.push_back(decode_block(files_.read_whole(copied)));
                }
        }
        catch (...)
        {
            files_.remove_directory_recursive(folder);
            throw;
        }
        files_.remove_directory_recursive(folder);
    }

    void undo()
    {
        for (const auto& target : targets_)
            for (const auto& folder : target.folders)
                files_.remove_directory_recursive(folder);
        auto& catalog = engine_.catalog();
        for (auto name = made_tables_.rbegin(); name != made_tables_.rend(); ++name)
        {
            const TablePtr table = catalog.find_table(*name);
            if (!table)
                continue;
            const auto* view = dynamic_cast<const MaterializedView*>(table.get());
            const TableName inner =
                view && view->has_inner_table() ? view->target() : TableName{};
            catalog.drop_table(*name);
            if (!inner.table.empty() && catalog.find_table(inner))
                catalog.drop_table(inner);
        }
        for (const auto& name : made_databases_)
            if (catalog.tables(name).empty())
                catalog.drop_database(name, true);
    }

    const BackupOptions& options_;
    StatementContext& statement_;
    const BackupProgress& progress_;
    Engine& engine_;
    FileSystem& files_;
    const OpenBackup backup_;
    std::vector<std::pair<std::string, std::string>> databases_; // new name, CREATE text
    std::vector<Target> targets_;
    Names names_; // of the backup to those wanted
    std::vector<TableName> made_tables_;
    std::vector<std::string> made_databases_;
};

} // namespace

void restore_backup(const std::vector<BackupElement>& elements, const BackupOptions& options,
                    StatementContext& statement, const BackupProgress& progress)
{
    Restoration(options, statement, progress).run(elements);
}

} // namespace basalt
