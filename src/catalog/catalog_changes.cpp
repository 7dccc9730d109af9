#include "catalog/catalog_impl.h"
#include "catalog/create_table.h"
#include "sql/ast_create.h"
#include "sql/formatter.h"

#include <fmt/format.h>

namespace basalt
{

void check_catalog_name(const std::string& name)
{
    if (name.empty())
        throw Error(error_codes::BAD_ARGUMENTS, "A name must not be empty");
    if (escape_file_name(name).size() > kMaxNameBytes)
        throw Error(error_codes::ARGUMENT_OUT_OF_BOUND,
                    fmt::format("The name is too long: at most {} bytes when escaped",
                                kMaxNameBytes));
}

std::string stored_create_text(const AstPtr& create_query)
{
    AstPtr copy = create_query->clone();
    if (auto* create = copy->as<AstCreateTable>())
    {
        create->attach = true;
        create->if_not_exists = create->create_or_replace = create->replace_table = false;
        create->name = {};
        create->name.table = "_";
    }
    return format_query_multiline(*copy) + "\n";
}

void Catalog::add_table(TablePtr table, AstPtr create_query, bool replace)
{
    const TableName name = table->table_name();
    check_catalog_name(name.table);
    std::lock_guard ddl(impl_->ddl);
    TablePtr old;
    {
        std::unique_lock lock(impl_->mutex);
        Impl::Database& database = impl_->database(name.database);
        const bool exists = database.tables.contains(name.table);
        if (exists && !replace)
            throw Error(error_codes::TABLE_ALREADY_EXISTS,
                        fmt::format("Table {}.{} already exists",
                                    quote_identifier_if_needed(name.database),
                                    quote_identifier_if_needed(name.table)));
        if (!exists && database.tables.size() >= kMaxTables)
            throw Error(error_codes::TOO_MANY_TABLES,
                        fmt::format("Database {} holds {} tables already", name.database,
                                    kMaxTables));
        const bool persisted = impl_->persists(database) && create_query;
        if (persisted)
            impl_->metadata.apply({{impl_->metadata.table_file(name.database, name.table), false,
                                    stored_create_text(create_query)}});
        Impl::Entry& entry = database.tables[name.table];
        old = std::move(entry.table);
        entry = {std::move(table), std::move(create_query), persisted};
    }
    if (old)
    {
        old->shutdown();
        std::unique_lock lock(impl_->mutex);
        impl_->dropped.push_back(std::move(old));
    }
    old.reset();
    sweep_dropped();
}

void Catalog::add_system_table(TablePtr table)
{
    const TableName name = table->table_name();
    std::unique_lock lock(impl_->mutex);
    Impl::Database& database = impl_->databases[name.database];
    if (database.info.name.empty())
        database.info = {name.database, "Atomic", "", "", true};
    database.tables[name.table] = {std::move(table), nullptr, false};
}

void Catalog::replace_create_query(const TableName& name, AstPtr create_query, bool is_logged)
{
    std::lock_guard ddl(impl_->ddl);
    std::unique_lock lock(impl_->mutex);
    Impl::Entry& entry = impl_->entry(name);
    try
    {
        if (entry.persisted)
            impl_->metadata.apply({{impl_->metadata.table_file(name.database, name.table), false,
                                    stored_create_text(create_query)}});
    }
    catch (const Error&)
    {
        if (!is_logged)
            throw;
    }
    entry.create_query = std::move(create_query);
}

void Catalog::drop_table(const TableName& name)
{
    std::lock_guard ddl(impl_->ddl);
    TablePtr table;
    {
        std::unique_lock lock(impl_->mutex);
        Impl::Entry& entry = impl_->entry(name);
        if (entry.persisted)
            impl_->metadata.apply(
                {{impl_->metadata.table_file(name.database, name.table), true, {}}});
        table = std::move(entry.table);
        impl_->database(name.database).tables.erase(name.table);
    }
    table->shutdown();
    {
        std::unique_lock lock(impl_->mutex);
        impl_->dropped.push_back(std::move(table));
    }
    table.reset();
    sweep_dropped();
}

void Catalog::sweep_dropped()
{
    std::vector<TablePtr> unused;
    {
        std::unique_lock lock(impl_->mutex);
        auto& dropped = impl_->dropped;
        for (size_t i = 0; i < dropped.size();)
        {
            if (dropped[i].use_count() > 1)
            {
                ++i;
                continue;
            }
            unused.push_back(std::move(dropped[i]));
            dropped.erase(dropped.begin() + static_cast<ptrdiff_t>(i));
        }
    }
    for (TablePtr& table : unused)
    {
        try
        {
            table->drop();
        }
        catch (const Error&)
        {
            // Dropped all the same; its data goes with a later statement.
            std::unique_lock lock(impl_->mutex);
            impl_->dropped.push_back(std::move(table));
        }
    }
}

void Catalog::detach_table(const TableName& name, bool permanently)
{
    std::lock_guard ddl(impl_->ddl);
    TablePtr table;
    {
        std::unique_lock lock(impl_->mutex);
        Impl::Entry& entry = impl_->entry(name);
        if (entry.persisted && permanently)
        {
            const std::string path = impl_->metadata.table_file(name.database, name.table);
            impl_->metadata.apply({{path + ".detached", false, stored_create_text(entry.create_query)},
                                   {path, true, {}}});
        }
        table = std::move(entry.table);
        impl_->database(name.database).tables.erase(name.table);
    }
    table->shutdown();
}

void Catalog::rename_tables(const std::vector<std::pair<TableName, TableName>>& moves,
                            bool exchange)
{
    std::lock_guard ddl(impl_->ddl);
    std::unique_lock lock(impl_->mutex);
    // On a copy of the names first: all moves happen or none.
    std::map<std::string, Impl::Database> changed;
    auto database_of = [&](const std::string& name) -> Impl::Database&
    {
        auto it = changed.find(name);
        if (it == changed.end())
            it = changed.emplace(name, impl_->database(name)).first;
        return it->second;
    };
    for (const auto& [from, to] : moves)
    {
        check_catalog_name(to.table);
        Impl::Database& source = database_of(from.database);
        Impl::Database& target = database_of(to.database);
        auto it = source.tables.find(from.table);
        if (it == source.tables.end())
            impl_->throw_unknown_table(from);
        auto other = target.tables.find(to.table);
        if (exchange)
        {
            if (other == target.tables.end())
                impl_->throw_unknown_table(to);
            std::swap(it->second, other->second);
            continue;
        }
        if (other != target.tables.end())
            throw Error(error_codes::TABLE_ALREADY_EXISTS,
                        fmt::format("Table {}.{} already exists",
                                    quote_identifier_if_needed(to.database),
                                    quote_identifier_if_needed(to.table)));
        Impl::Entry entry = std::move(it->second);
        source.tables.erase(it);
        target.tables[to.table] = std::move(entry);
    }
    std::vector<MetadataChange> changes;
    std::vector<std::pair<TablePtr, TableName>> renamed;
    for (auto& [name, database] : changed)
    {
        for (const auto& [table, entry] : impl_->database(name).tables)
            if (entry.persisted && !database.tables.contains(table))
                changes.push_back({impl_->metadata.table_file(name, table), true, {}});
        for (auto& [table, entry] : database.tables)
        {
            const auto& before = impl_->database(name).tables;
            auto old = before.find(table);
            if (old != before.end() && old->second.table == entry.table)
                continue;
            renamed.emplace_back(entry.table, TableName{name, table});
            if (entry.create_query)
            {
                entry.create_query = entry.create_query->clone();
                if (auto* create = entry.create_query->as<AstCreateTable>())
                {
                    create->name.database = name;
                    create->name.table = table;
                }
            }
            entry.persisted = impl_->persists(database) && entry.create_query;
            if (entry.persisted)
                changes.push_back({impl_->metadata.table_file(name, table), false,
                                   stored_create_text(entry.create_query)});
        }
    }
    impl_->metadata.apply(changes);
    for (auto& [name, database] : changed)
        impl_->databases[name] = std::move(database);
    for (const auto& [table, name] : renamed)
        table->rename(name);
}

} // namespace basalt
