#include "binder/binder.h"
#include "catalog/catalog_impl.h"
#include "catalog/view.h"
#include "sql/ast_create.h"
#include "sql/formatter.h"

#include <fmt/format.h>

namespace basalt
{

namespace
{

std::string lower_case(std::string text)
{
    for (char& c : text)
        if (c >= 'A' && c <= 'Z')
            c = static_cast<char>(c + 32);
    return text;
}

// ENGINE = PostgreSQL('host:port', 'database', 'table', 'user', 'password')
void hide_password(const AstCreateTable& table)
{
    constexpr size_t kPassword = 4;
    const auto* storage = table.storage ? table.storage->as<AstStorage>() : nullptr;
    auto* engine = storage && storage->engine ? storage->engine->as<AstFunction>() : nullptr;
    if (engine && engine->name == "PostgreSQL" && engine->arguments.size() > kPassword)
        engine->arguments[kPassword] = AstLiteral::string("[HIDDEN]");
}

} // namespace

void Catalog::Impl::throw_unknown_database(const std::string& name) const
{
    std::vector<std::string> known;
    for (const auto& [known_name, info] : databases)
        known.push_back(known_name);
    const auto near = near_names(name, known);
    throw Error(error_codes::UNKNOWN_DATABASE,
                fmt::format("Database {} does not exist{}", quote_identifier_if_needed(name),
                            near.empty() ? "" : ". Maybe you meant " + near[0] + "?"));
}

void Catalog::Impl::throw_unknown_table(const TableName& name) const
{
    std::string hint;
    if (auto owner = databases.find(name.database); owner != databases.end())
    {
        std::vector<std::string> known;
        for (const auto& [table, entry] : owner->second.tables)
            known.push_back(table);
        const auto near = near_names(name.table, known);
        if (!near.empty())
            hint = ". Maybe you meant " + name.database + "." + near[0] + "?";
    }
    throw Error(error_codes::UNKNOWN_TABLE,
                fmt::format("Table {}.{} does not exist{}",
                            quote_identifier_if_needed(name.database),
                            quote_identifier_if_needed(name.table), hint));
}

Catalog::Catalog(FileSystem& files, std::string data_path)
    : files_(files), data_path_(std::move(data_path)),
      impl_(std::make_unique<Impl>(files_, data_path_))
{
    impl_->databases["default"].info = {"default", "Atomic", "", "", false};
    register_all_table_function(*this);
}

Catalog::~Catalog() = default;

void Catalog::register_engine(std::string name, TableFactory factory)
{
    impl_->engines[std::move(name)] = std::move(factory);
}

void Catalog::register_table_function(std::string name, TableFunctionFactory factory)
{
    impl_->table_functions_lower[lower_case(name)] = name;
    impl_->table_functions[std::move(name)] = std::move(factory);
}

void Catalog::register_database_engine(std::string name, DatabaseEngine& engine)
{
    impl_->database_engines[std::move(name)] = &engine;
}

bool Catalog::is_database_engine(const std::string& name) const
{
    return impl_->database_engines.contains(name);
}

std::vector<std::string> Catalog::engine_names() const
{
    std::vector<std::string> names;
    for (const auto& [name, factory] : impl_->engines)
        names.push_back(name);
    return names;
}

std::vector<std::string> Catalog::table_function_names() const
{
    std::vector<std::string> names;
    for (const auto& [name, factory] : impl_->table_functions)
        names.push_back(name);
    return names;
}

const TableFactory* Catalog::find_engine(const std::string& name) const
{
    auto it = impl_->engines.find(name);
    return it == impl_->engines.end() ? nullptr : &it->second;
}

const TableFunctionFactory* Catalog::find_table_function(const std::string& name) const
{
    auto it = impl_->table_functions.find(name);
    if (it == impl_->table_functions.end())
    {
        auto lower = impl_->table_functions_lower.find(lower_case(name));
        if (lower == impl_->table_functions_lower.end())
            return nullptr;
        it = impl_->table_functions.find(lower->second);
    }
    return &it->second;
}

std::vector<DatabaseInfo> Catalog::databases() const
{
    std::shared_lock lock(impl_->mutex);
    std::vector<DatabaseInfo> result;
    for (const auto& [name, database] : impl_->databases)
        result.push_back(database.info);
    return result;
}

bool Catalog::database_exists(const std::string& name) const
{
    std::shared_lock lock(impl_->mutex);
    return impl_->databases.contains(name);
}

TablePtr Catalog::find_table(const TableName& name) const
{
    std::shared_lock lock(impl_->mutex);
    auto database = impl_->databases.find(name.database);
    if (database == impl_->databases.end())
        return nullptr;
    auto it = database->second.tables.find(name.table);
    return it == database->second.tables.end() ? nullptr : it->second.table;
}

TablePtr Catalog::get_table(const TableName& name) const
{
    if (auto table = find_table(name))
        return table;
    std::shared_lock lock(impl_->mutex);
    return impl_->entry(name).table;
}

std::vector<TablePtr> Catalog::tables(const std::string& database) const
{
    std::shared_lock lock(impl_->mutex);
    std::vector<TablePtr> result;
    auto it = impl_->databases.find(database);
    if (it == impl_->databases.end())
        return result;
    for (const auto& [name, entry] : it->second.tables)
        result.push_back(entry.table);
    return result;
}

AstPtr Catalog::create_query(const TableName& name) const
{
    std::shared_lock lock(impl_->mutex);
    return impl_->entry(name).create_query;
}

AstPtr Catalog::shown_create_query(const TableName& name) const
{
    const AstPtr stored = create_query(name);
    if (!stored)
        return nullptr;
    AstPtr shown = stored->clone();
    if (auto* table = shown->as<AstCreateTable>())
    {
        table->uuid.clear();
        table->to_uuid.clear();
        hide_password(*table);
    }
    else if (auto* dictionary = shown->as<AstCreateDictionary>())
        dictionary->uuid.clear();
    return shown;
}

std::vector<MaterializedViewInfo> Catalog::views_of(const TableName& source) const
{
    std::shared_lock lock(impl_->mutex);
    std::vector<MaterializedViewInfo> result;
    for (const auto& [database_name, database] : impl_->databases)
        for (const auto& [name, entry] : database.tables)
            if (const auto* view = dynamic_cast<const MaterializedView*>(entry.table.get());
                view && view->source() == source)
                result.push_back({entry.table, view->query(), view->target(), view->database()});
    return result;
}

std::vector<Catalog::LoadFailure> Catalog::load_failures() const
{
    std::shared_lock lock(impl_->mutex);
    return impl_->failures;
}

void Catalog::shutdown()
{
    std::vector<TablePtr> all;
    {
        std::shared_lock lock(impl_->mutex);
        for (const auto& [name, database] : impl_->databases)
            for (const auto& [table_name, entry] : database.tables)
                all.push_back(entry.table);
    }
    for (const TablePtr& table : all)
        table->shutdown();
    all.clear();
    sweep_dropped();
    std::lock_guard ddl(impl_->ddl);
    try
    {
        impl_->metadata.settle();
    }
    catch (const Error&)
    {
        // A disk that does not work: the next start finds what it kept.
    }
}

} // namespace basalt
