#include "engine/make_table.h"

#include "base/error.h"
#include "catalog/view.h"
#include "sql/parser.h"
#include "storage/engines/engines.h"
#include "storage/mergetree/merge_tree_table.h"
#include "storage/storage_service.h"

#include <fmt/format.h>

namespace basalt
{

void register_engines(Engine& engine)
{
    StorageService* storage = &engine.storage();
    auto& catalog = engine.catalog();
    for (const char* name : kMergeTreeEngines)
        catalog.register_engine(name,
                                [storage, name](const TableCreation& c, Catalog&, QueryContextPtr)
                                {
                                    return open_merge_tree_table(*storage, name, c.name, c.uuid,
                                                                 c.metadata, c.attach);
                                });
    catalog.register_engine("Memory", [](const TableCreation& c, Catalog&, QueryContextPtr)
                            { return make_memory_table(c.name, c.uuid, c.metadata); });
    catalog.register_engine("Null", [](const TableCreation& c, Catalog&, QueryContextPtr)
                            { return make_null_table(c.name, c.uuid, c.metadata); });
    for (const char* name : {"Log", "TinyLog", "StripeLog"})
        catalog.register_engine(name,
                                [storage, name](const TableCreation& c, Catalog&, QueryContextPtr)
                                {
                                    return open_log_table(*storage, name, c.name, c.uuid,
                                                          c.metadata, c.attach);
                                });
}

TablePtr make_table(Engine& engine, const PreparedTable& prepared, const TableName& name,
                    const std::string& uuid, bool attach, QueryContextPtr context)
{
    const TableFactory* factory = engine.catalog().find_engine(prepared.engine);
    if (!factory)
        throw Error(error_codes::UNKNOWN_STORAGE,
                    fmt::format("Unknown table engine {}", prepared.engine));
    TableCreation creation;
    creation.name = name;
    creation.uuid = uuid;
    creation.engine = prepared.engine;
    creation.metadata = prepared.metadata;
    creation.create_query = prepared.create_query;
    creation.attach = attach;
    return (*factory)(creation, engine.catalog(), std::move(context));
}

TablePtr make_view(Engine& engine, const PreparedView& prepared, const AstCreateTable& create,
                   const TableName& name, const std::string& uuid, QueryContextPtr context)
{
    TableCreation creation;
    creation.name = name;
    creation.uuid = uuid;
    creation.engine = prepared.engine;
    creation.metadata = prepared.metadata;
    creation.create_query = prepared.create_query;
    if (create.create == CreateKind::View)
        return std::make_shared<View>(creation, prepared.query, name.database);
    TableName target;
    // Names in the prepared statement are whole: those of the session's database, not the view's.
    const AstTableName& to = prepared.create_query->as<AstCreateTable>()->to_table;
    const bool has_inner = to.table.empty();
    if (has_inner)
        target = {name.database, inner_table_name(uuid, name.table)};
    else
        target = {to.database.empty() ? name.database : to.database, to.table};
    return std::make_shared<MaterializedView>(creation, engine.catalog(), prepared.query,
                                              name.database,
                                              source_of_query(prepared.query, name.database),
                                              target, has_inner);
}

QueryContextPtr make_lenient_context(Engine& engine)
{
    QueryContextPtr context = engine.make_context();
    for (const char* name : {"allow_suspicious_low_cardinality_types", "allow_suspicious_codecs"})
        context->settings.set(name, "1");
    // Nested columns that are whole in the text were made so.
    context->settings.set("flatten_nested", "0");
    return context;
}

TablePtr attach_table(Engine& engine, const std::string& create_text)
{
    const AstPtr ast = parse_query(create_text);
    const auto* create = ast->as<AstCreateTable>();
    if (!create)
        throw Error(error_codes::INCORRECT_QUERY, "Not a CREATE of a table or a view");
    const QueryContextPtr context = make_lenient_context(engine);
    const TableName name{create->name.database, create->name.table};
    CreateTableSources sources;
    sources.database = name.database;
    sources.exists = true;
    if (create->create == CreateKind::Table)
        return make_table(engine, prepare_table(*create, sources, engine.catalog(), *context),
                          name, create->uuid, true, context);
    return make_view(engine, prepare_view(*create, sources, engine.catalog(), *context), *create,
                     name, create->uuid, context);
}

void finish_alter(Engine& engine, const TableName& name)
{
    Catalog& catalog = engine.catalog();
    const auto table = std::dynamic_pointer_cast<MergeTreeTable>(catalog.get_table(name));
    if (!table)
        return;
    const std::string logged = table->logged_create_text();
    const AstPtr stored = catalog.create_query(name);
    if (logged.empty() || !stored || stored_create_text(stored) == logged)
        return;
    const AstPtr ast = parse_query(logged);
    auto* create = ast->as<AstCreateTable>();
    if (!create)
        throw Error(error_codes::INCORRECT_QUERY, "Not a CREATE of a table or a view");
    create->attach = false;
    create->name.database = name.database;
    create->name.table = name.table;
    CreateTableSources sources;
    sources.database = name.database;
    sources.exists = true;
    table->finish_alter(
        prepare_table(*create, sources, catalog, *make_lenient_context(engine)).metadata);
    catalog.replace_create_query(name, ast);
}

} // namespace basalt
