// CREATE, ATTACH and DROP of tables, views and databases; RENAME, EXCHANGE, TRUNCATE.

#include "base/error.h"
#include "catalog/view.h"
#include "engine/insert.h"
#include "engine/make_table.h"
#include "engine/select.h"
#include "sql/parser.h"
#include "storage/storage_service.h"

#include <fmt/format.h>

namespace basalt
{

namespace
{

void insert_rows_of(const AstPtr& select, const TablePtr& table, StatementContext& statement)
{
    auto insert = std::make_shared<AstInsert>();
    insert->select = select;
    auto transaction = statement.engine.storage().begin();
    AnalyzerContext analyzer = make_analyzer(statement);
    QueryExecution execution(analyze(select, analyzer), statement.context);
    const Header wanted = insert_header(*insert, *table->metadata());
    Header given;
    for (size_t i = 0; i < execution.header().size(); ++i)
        given.push_back({wanted.at(i).name, execution.header()[i].type});
    InsertLane lane(statement.engine, table, given, *transaction, statement.context);
    for (Block block = execution.next(); block.rows() > 0; block = execution.next())
    {
        for (size_t i = 0; i < block.width(); ++i)
            block[i].name = given[i].name;
        lane.write(std::move(block));
    }
    lane.finish();
    transaction->commit();
}

CreateTableSources sources_of(const AstCreateTable& create, StatementContext& statement)
{
    CreateTableSources sources;
    sources.database = statement.context->current_database;
    if (create.select)
    {
        AnalyzerContext analyzer = make_analyzer(statement);
        sources.select_columns = analyze_header(create.select, analyzer);
    }
    if (!create.as_table.table.empty())
    {
        const TablePtr other = statement.get_table(create.as_table);
        sources.as_metadata = other->metadata();
        sources.as_create_query = statement.engine.catalog().create_query(other->table_name());
    }
    if (create.as_table_function)
        throw Error(error_codes::NOT_IMPLEMENTED,
                    "CREATE TABLE … AS table_function() is not implemented");
    return sources;
}

void refuse_unbuilt(const AstCreateTable& create)
{
    if (!create.cluster.empty())
        throw Error(error_codes::NOT_IMPLEMENTED, "ON CLUSTER is not implemented");
    if (create.clone)
        throw Error(error_codes::NOT_IMPLEMENTED, "CLONE AS is not implemented");
    if (create.refresh)
        throw Error(error_codes::NOT_IMPLEMENTED,
                    "Refreshable materialized views are not implemented");
    if (create.attach_from)
        throw Error(error_codes::NOT_IMPLEMENTED, "ATTACH … FROM is not implemented");
    if (!create.projections.empty())
        throw Error(error_codes::NOT_IMPLEMENTED, "Projections are not implemented");
}

ResultPtr attach_detached(const AstCreateTable& create, StatementContext& statement)
{
    auto& catalog = statement.engine.catalog();
    const TableName name = statement.resolve(create.name);
    if (catalog.find_table(name))
    {
        if (create.if_not_exists)
            return nullptr;
        throw Error(error_codes::TABLE_ALREADY_EXISTS,
                    fmt::format("Table {} already exists", name.full()));
    }
    const std::string text = catalog.detached_create_text(name);
    if (text.empty())
        throw Error(error_codes::UNKNOWN_TABLE,
                    fmt::format("Table {} was not detached", name.full()));
    catalog.add_table(attach_table(statement.engine, text), parse_query(text));
    finish_alter(statement.engine, name);
    return nullptr;
}

void make_temporary(const AstCreateTable& create, StatementContext& statement)
{
    auto& tables = statement.session.temporary_tables;
    if (tables.contains(create.name.table))
    {
        if (create.if_not_exists)
            return;
        if (!create.create_or_replace)
            throw Error(error_codes::TABLE_ALREADY_EXISTS,
                        fmt::format("Temporary table {} already exists", create.name.table));
    }
    const AstPtr copy = create.Ast::clone();
    auto& memory = *copy->as<AstCreateTable>();
    memory.temporary = false;
    memory.name.database = "_temporary_and_external_tables";
    if (!memory.storage || !memory.storage->as<AstStorage>()->engine)
    {
        auto storage = std::make_shared<AstStorage>();
        auto engine = std::make_shared<AstFunction>("Memory");
        engine->no_parentheses = true;
        storage->engine = engine;
        memory.storage = storage;
    }
    const PreparedTable prepared =
        prepare_table(memory, sources_of(create, statement), statement.engine.catalog(),
                      *statement.context);
    const TableName name{"_temporary_and_external_tables", create.name.table};
    const TablePtr table =
        make_table(statement.engine, prepared, name, random_uuid(*statement.context->random),
                   false, statement.context);
    if (create.select && !create.empty)
        insert_rows_of(create.select, table, statement);
    tables[create.name.table] = table;
}

} // namespace

ResultPtr run_create_table(const AstCreateTable& create, StatementContext& statement)
{
    refuse_unbuilt(create);
    auto& catalog = statement.engine.catalog();
    if (create.attach && !create.has_columns && !create.select && !create.storage)
        return attach_detached(create, statement);
    if (create.temporary)
    {
        make_temporary(create, statement);
        return nullptr;
    }
    const TableName name = statement.resolve(create.name);
    if (!catalog.database_exists(name.database))
        throw Error(error_codes::UNKNOWN_DATABASE,
                    fmt::format("Database {} does not exist", name.database));
    const bool replaces = create.create_or_replace || create.replace_table;
    const bool exists = catalog.find_table(name) != nullptr;
    if (exists && create.if_not_exists)
        return nullptr;
    if (exists && !replaces)
        throw Error(error_codes::TABLE_ALREADY_EXISTS,
                    fmt::format("Table {} already exists", name.full()));
    if (!exists && create.replace_table)
        throw Error(error_codes::UNKNOWN_TABLE,
                    fmt::format("Table {} does not exist", name.full()));

    const AstPtr copy = create.Ast::clone();
    auto& named = *copy->as<AstCreateTable>();
    named.name.database = name.database;
    if (named.uuid.empty())
        named.uuid = random_uuid(*statement.context->random);
    const CreateTableSources sources = sources_of(create, statement);

    if (create.create == CreateKind::Table)
    {
        PreparedTable prepared =
            prepare_table(named, sources, catalog, *statement.context);
        const TablePtr table = make_table(statement.engine, prepared, name, named.uuid,
                                          create.attach, statement.context);
        if (create.select && !create.empty)
            insert_rows_of(create.select, table, statement);
        catalog.add_table(table, prepared.create_query, replaces);
        return nullptr;
    }

    PreparedView prepared = prepare_view(named, sources, catalog, *statement.context);
    TablePtr inner;
    if (prepared.inner_table)
    {
        CreateTableSources no_sources;
        no_sources.database = name.database;
        const AstPtr inner_copy = prepared.inner_table->Ast::clone();
        auto& inner_create = *inner_copy->as<AstCreateTable>();
        // Kept with its statement: by it the next start finds the rows.
        if (inner_create.uuid.empty())
            inner_create.uuid = random_uuid(*statement.context->random);
        const TableName inner_name{name.database, inner_create.name.table};
        PreparedTable inner_prepared =
            prepare_table(inner_create, no_sources, catalog, *statement.context);
        inner = make_table(statement.engine, inner_prepared, inner_name, inner_create.uuid, false,
                           statement.context);
        catalog.add_table(inner, inner_prepared.create_query);
    }
    const TablePtr view =
        make_view(statement.engine, prepared, named, name, named.uuid, statement.context);
    catalog.add_table(view, prepared.create_query, replaces);
    if (create.populate && create.select)
        insert_rows_of(prepared.query, inner ? inner : view, statement);
    return nullptr;
}

ResultPtr run_create_database(const AstCreateDatabase& create, StatementContext& statement)
{
    std::string engine = "Atomic";
    if (create.storage)
        if (const auto* storage = create.storage->as<AstStorage>(); storage && storage->engine)
            engine = storage->engine->as<AstFunction>()->name;
    auto& catalog = statement.engine.catalog();
    const bool is_foreign = catalog.is_database_engine(engine);
    if (!is_foreign && engine != "Atomic" && engine != "Memory" && engine != "Ordinary")
        throw Error(engine == "MaterializedPostgreSQL" || engine == "PostgreSQL" ||
                            engine == "Lazy" || engine == "Replicated"
                        ? error_codes::NOT_IMPLEMENTED
                        : error_codes::UNKNOWN_DATABASE_ENGINE,
                    fmt::format("Database engine {} is not implemented", engine));
    DatabaseInfo info;
    info.name = create.name;
    info.engine = engine == "Ordinary" ? "Atomic" : engine;
    info.uuid = random_uuid(*statement.context->random);
    if (create.comment)
        info.comment = create.comment->as<AstLiteral>()->text;
    if (is_foreign)
        info.engine_full = engine_text(*create.storage);
    catalog.create_database(info, create.if_not_exists);
    return nullptr;
}

namespace
{

void drop_one(const AstDrop& drop, const AstTableName& ast_name, StatementContext& statement)
{
    auto& catalog = statement.engine.catalog();
    if (drop.temporary && !ast_name.database.empty())
        throw Error(error_codes::BAD_ARGUMENTS,
                    fmt::format("A temporary table belongs to no database: {}.{}",
                                ast_name.database, ast_name.table));
    if (drop.temporary && !statement.session.temporary_tables.contains(ast_name.table))
    {
        if (drop.if_exists)
            return;
        throw Error(error_codes::UNKNOWN_TABLE,
                    fmt::format("Temporary table {} does not exist", ast_name.table));
    }
    if (ast_name.database.empty() && drop.action == DropAction::Drop)
    {
        if (statement.session.temporary_tables.erase(ast_name.table))
            return;
    }
    const TablePtr table = statement.find_table(ast_name);
    if (!table)
    {
        if (drop.if_exists)
            return;
        catalog.get_table(statement.resolve(ast_name)); // throws with hints
        return;
    }
    const TableName name = table->table_name();
    if (drop.object == ObjectKind::View && !table->engine_name().ends_with("View"))
        throw Error(error_codes::INCORRECT_QUERY,
                    fmt::format("Table {} is not a View", name.full()));
    if (drop.if_empty && table->total_rows().value_or(0) > 0)
        throw Error(error_codes::TABLE_NOT_EMPTY,
                    fmt::format("Table {} is not empty", name.full()));
    switch (drop.action)
    {
    case DropAction::Drop:
        if (const auto* view = dynamic_cast<const MaterializedView*>(table.get());
            view && view->has_inner_table())
        {
            const TableName inner = view->target();
            catalog.drop_table(name);
            if (catalog.find_table(inner))
                catalog.drop_table(inner);
            return;
        }
        catalog.drop_table(name);
        return;
    case DropAction::Detach:
        catalog.detach_table(name, drop.permanently);
        return;
    case DropAction::Truncate:
        table->truncate(statement.context);
        return;
    case DropAction::Undrop:
        break;
    }
    throw Error(error_codes::NOT_IMPLEMENTED, "UNDROP is not implemented");
}

} // namespace

ResultPtr run_drop(const AstDrop& drop, StatementContext& statement)
{
    auto& catalog = statement.engine.catalog();
    switch (drop.object)
    {
    case ObjectKind::Database:
        if (drop.action == DropAction::Drop)
        {
            catalog.drop_database(drop.database, drop.if_exists);
            return nullptr;
        }
        if (drop.action == DropAction::Truncate)
        {
            for (const auto& table : catalog.tables(drop.database))
                table->truncate(statement.context);
            return nullptr;
        }
        throw Error(error_codes::NOT_IMPLEMENTED, "DETACH DATABASE is not implemented");
    case ObjectKind::Table:
    case ObjectKind::View:
        for (const auto& name : drop.names)
            drop_one(drop, name, statement);
        return nullptr;
    case ObjectKind::AllTables:
        for (const auto& table : catalog.tables(
                 drop.database.empty() ? statement.context->current_database : drop.database))
            table->truncate(statement.context);
        return nullptr;
    default:
        throw Error(error_codes::NOT_IMPLEMENTED, "This form of DROP is not implemented");
    }
}

ResultPtr run_rename(const AstRename& rename, StatementContext& statement)
{
    auto& catalog = statement.engine.catalog();
    if (rename.object == ObjectKind::Database)
    {
        for (const auto& pair : rename.pairs)
            catalog.rename_database(pair.from.database, pair.to.database);
        return nullptr;
    }
    std::vector<std::pair<TableName, TableName>> moves;
    for (const auto& pair : rename.pairs)
    {
        const TableName from = statement.resolve(pair.from);
        if (rename.if_exists && !catalog.find_table(from))
            continue;
        moves.emplace_back(from, statement.resolve(pair.to));
    }
    catalog.rename_tables(moves, rename.exchange);
    return nullptr;
}

} // namespace basalt
