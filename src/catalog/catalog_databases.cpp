#include "catalog/catalog_impl.h"
#include "catalog/create_table.h"
#include "sql/ast_create.h"
#include "sql/formatter.h"
#include "sql/parser.h"

#include <fmt/format.h>

namespace basalt
{

std::string engine_text(const Ast& storage)
{
    // Formatted, a storage clause begins with " ENGINE = ".
    constexpr std::string_view kEngine = "ENGINE = ";
    const std::string text = format_query(storage);
    const size_t at = text.find(kEngine);
    return at == std::string::npos ? text : text.substr(at + kEngine.size());
}

std::string Catalog::Impl::database_text(const DatabaseInfo& info)
{
    std::string text = "ATTACH DATABASE _";
    if (!info.uuid.empty())
        text += " UUID '" + info.uuid + "'";
    text += "\nENGINE = " + (info.engine_full.empty() ? info.engine : info.engine_full);
    if (!info.comment.empty())
        text += "\nCOMMENT " + quote_string(info.comment);
    return text + "\n";
}

void Catalog::create_database(const DatabaseInfo& info, bool if_not_exists)
{
    check_catalog_name(info.name);
    DatabaseEngine* engine = impl_->engine_of(info);
    if (engine && !database_exists(info.name))
        engine->check(info);
    std::unique_lock ddl(impl_->ddl);
    if (database_exists(info.name))
    {
        if (if_not_exists)
            return;
        throw Error(error_codes::DATABASE_ALREADY_EXISTS,
                    fmt::format("Database {} already exists.",
                                quote_identifier_if_needed(info.name)));
    }
    Impl::Database database;
    database.info = info;
    if (impl_->persists(database))
        impl_->metadata.apply({{impl_->metadata.database_file(info.name), false,
                                impl_->database_text(info)}});
    {
        std::unique_lock lock(impl_->mutex);
        impl_->databases[info.name] = std::move(database);
    }
    ddl.unlock();
    if (engine)
        engine->created(info);
}

void Catalog::alter_database_comment(const std::string& name, const std::string& comment)
{
    std::lock_guard ddl(impl_->ddl);
    std::unique_lock lock(impl_->mutex);
    Impl::Database& database = impl_->database(name);
    DatabaseInfo info = database.info;
    info.comment = comment;
    if (impl_->persists(database))
        impl_->metadata.apply(
            {{impl_->metadata.database_file(name), false, impl_->database_text(info)}});
    database.info = std::move(info);
}

void Catalog::drop_database(const std::string& name, bool if_exists)
{
    for (const DatabaseInfo& info : databases())
        if (DatabaseEngine* engine = impl_->engine_of(info); engine && info.name == name)
            engine->dropping(info);
    std::lock_guard ddl(impl_->ddl);
    std::vector<TablePtr> tables;
    {
        std::unique_lock lock(impl_->mutex);
        auto it = impl_->databases.find(name);
        if (it == impl_->databases.end())
        {
            if (if_exists)
                return;
            impl_->throw_unknown_database(name);
        }
        if (it->second.info.system)
            throw Error(error_codes::ACCESS_DENIED,
                        fmt::format("Database {} cannot be dropped", name));
        if (impl_->persists(it->second))
            impl_->metadata.apply({{impl_->metadata.database_file(name), true, {}},
                                   {impl_->metadata.database_directory(name), true, {}}});
        for (auto& [table_name, entry] : it->second.tables)
            tables.push_back(std::move(entry.table));
        impl_->databases.erase(it);
    }
    for (TablePtr& table : tables)
        table->shutdown();
    {
        std::unique_lock lock(impl_->mutex);
        for (TablePtr& table : tables)
            impl_->dropped.push_back(std::move(table));
    }
    tables.clear();
    sweep_dropped();
}

void Catalog::rename_database(const std::string& from, const std::string& to)
{
    check_catalog_name(to);
    std::lock_guard ddl(impl_->ddl);
    std::unique_lock lock(impl_->mutex);
    if (impl_->databases.contains(to))
        throw Error(error_codes::DATABASE_ALREADY_EXISTS,
                    fmt::format("Database {} already exists.", quote_identifier_if_needed(to)));
    Impl::Database database = impl_->database(from);
    if (impl_->engine_of(database.info))
        throw Error(error_codes::NOT_IMPLEMENTED,
                    fmt::format("Renaming databases of engine {} is not implemented",
                                database.info.engine));
    database.info.name = to;
    std::vector<MetadataChange> changes;
    const bool persists = impl_->persists(database);
    if (persists)
        changes.push_back({impl_->metadata.database_file(to), false,
                           impl_->database_text(database.info)});
    for (auto& [name, entry] : database.tables)
    {
        if (!entry.create_query)
            continue;
        entry.create_query = entry.create_query->clone();
        if (auto* create = entry.create_query->as<AstCreateTable>())
            create->name.database = to;
        if (entry.persisted)
            changes.push_back({impl_->metadata.table_file(to, name), false,
                               stored_create_text(entry.create_query)});
    }
    if (persists)
    {
        changes.push_back({impl_->metadata.database_file(from), true, {}});
        changes.push_back({impl_->metadata.database_directory(from), true, {}});
    }
    impl_->metadata.apply(changes);
    for (const auto& [name, entry] : database.tables)
        entry.table->rename({to, name});
    impl_->databases.erase(from);
    impl_->databases[to] = std::move(database);
}

void Catalog::Impl::load_table(Database& database, const std::string& name,
                               const std::string& text, const Attach& attach)
{
    try
    {
        AstPtr ast = parse_query(text);
        auto* create = ast->as<AstCreateTable>();
        if (!create)
            throw Error(error_codes::CORRUPTED_DATA, "The stored text is not a CREATE statement");
        create->attach = true;
        create->name.database = database.info.name;
        create->name.table = name;
        TablePtr table = attach(format_query(*ast));
        create->attach = false;
        std::unique_lock lock(mutex);
        database.tables[name] = {std::move(table), std::move(ast), true};
    }
    catch (const Error& error)
    {
        std::unique_lock lock(mutex);
        failures.push_back({{database.info.name, name}, error.full_text()});
    }
}

void Catalog::Impl::load_database(const MetadataFiles::DatabaseFile& file, const Attach& attach)
{
    DatabaseInfo info{file.name, "Atomic", "", "", false};
    try
    {
        if (!file.text.empty())
            if (AstPtr ast = parse_query(file.text); const auto* create =
                                                         ast->as<AstCreateDatabase>())
            {
                info.uuid = create->uuid;
                if (create->storage && create->storage->as<AstStorage>()->engine)
                {
                    info.engine =
                        create->storage->as<AstStorage>()->engine->as<AstFunction>()->name;
                    if (engine_of(info))
                        info.engine_full = engine_text(*create->storage);
                }
                if (create->comment)
                    info.comment = create->comment->as<AstLiteral>()->text;
            }
    }
    catch (const Error& error)
    {
        failures.push_back({{file.name, ""}, error.full_text()});
    }
    {
        std::unique_lock lock(mutex);
        databases[file.name].info = info;
    }
    for (const auto& [name, text] : file.tables)
        load_table(databases[file.name], name, text, attach);
}

void Catalog::load(const Attach& attach)
{
    std::lock_guard ddl(impl_->ddl);
    impl_->metadata.recover();
    for (const auto& file : impl_->metadata.read_all())
        impl_->load_database(file, attach);
}

std::string Catalog::detached_create_text(const TableName& name) const
{
    std::lock_guard ddl(impl_->ddl);
    std::string text = impl_->metadata.read_table(name.database, name.table);
    if (text.empty() && impl_->metadata.enabled())
    {
        const std::string path =
            impl_->metadata.table_file(name.database, name.table) + ".detached";
        if (files_.exists(path))
            text = files_.read_whole(path);
    }
    if (text.empty())
        return text;
    AstPtr ast = parse_query(text);
    if (auto* create = ast->as<AstCreateTable>())
    {
        create->name.database = name.database;
        create->name.table = name.table;
    }
    return format_query(*ast);
}

} // namespace basalt
