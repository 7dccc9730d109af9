#include "catalog/create_table.h"

#include "binder/binder.h"
#include "catalog/view.h"
#include "sql/formatter.h"
#include "sql/parser.h"

#include <algorithm>
#include <fmt/format.h>
#include <set>

namespace basalt
{

namespace
{

bool is_merge_tree(const std::string& engine)
{
    return engine.ends_with("MergeTree");
}

// Stored in a MergeTree of its own.
bool is_replica(const std::string& engine)
{
    return engine == "MaterializedPostgreSQL";
}

std::string literal_text(const Ast& ast)
{
    if (const auto* literal = ast.as<AstLiteral>())
    {
        switch (literal->literal_kind)
        {
        case LiteralKind::String:
            return literal->text;
        case LiteralKind::Bool:
        case LiteralKind::UInt64:
            return std::to_string(literal->unsigned_value);
        case LiteralKind::Int64:
            return std::to_string(literal->signed_value);
        default:
            return format_query(ast);
        }
    }
    return format_query(ast);
}

// Of ENGINE, then of AS other_table, then of the settings.
void choose_engine(AstCreateTable& create, const CreateTableSources& sources,
                   const QueryContext& context)
{
    auto storage = create.storage ? std::static_pointer_cast<AstStorage>(create.storage)
                                  : std::make_shared<AstStorage>();
    if (!storage->engine && sources.as_create_query)
    {
        const auto& other = *sources.as_create_query->as<AstCreateTable>();
        if (other.storage)
        {
            auto taken = std::static_pointer_cast<AstStorage>(other.storage->clone());
            if (storage->order_by || storage->primary_key || storage->partition_by)
            {
                storage->engine = taken->engine;
                if (!storage->settings)
                    storage->settings = taken->settings;
            }
            else
                storage = taken;
        }
    }
    if (!storage->engine)
    {
        std::string name(context.settings.get(create.temporary ? "default_temporary_table_engine"
                                                               : "default_table_engine"));
        if (name.empty() || name == "None")
            throw Error(error_codes::ENGINE_REQUIRED, "Table engine is not specified in CREATE query");
        auto engine = std::make_shared<AstFunction>(name);
        engine->no_parentheses = true;
        storage->engine = engine;
    }
    auto& engine = *storage->engine->as<AstFunction>();
    if (engine.arguments.empty())
        engine.no_parentheses = true;
    create.storage = storage;
}

void bind_storage(AstCreateTable& create, TableMetadata& metadata, bool is_new,
                  const QueryContext& context)
{
    auto& storage = *create.storage->as<AstStorage>();
    const std::string& engine = storage.engine->as<AstFunction>()->name;
    for (const AstPtr& argument : storage.engine->as<AstFunction>()->arguments)
        metadata.engine_arguments.push_back(literal_text(*argument));
    if (storage.settings)
        for (const SettingChange& change : storage.settings->as<AstSetQuery>()->changes)
            metadata.settings.emplace_back(change.name,
                                           change.value ? literal_text(*change.value) : "");
    if (!is_merge_tree(engine) && !is_replica(engine))
    {
        if (storage.partition_by || storage.primary_key || storage.order_by || storage.sample_by)
            throw Error(error_codes::BAD_ARGUMENTS,
                        fmt::format("Engine {} doesn't support PARTITION_BY, PRIMARY_KEY, "
                                    "ORDER_BY or SAMPLE_BY clauses",
                                    engine));
        if (!storage.ttl.empty())
            throw Error(error_codes::BAD_ARGUMENTS,
                        fmt::format("Engine {} doesn't support TTL clause", engine));
        if (!create.indices.empty())
            throw Error(error_codes::BAD_ARGUMENTS,
                        fmt::format("Engine {} doesn't support skipping indices", engine));
        return;
    }
    if (!storage.order_by)
    {
        if (storage.primary_key)
            storage.order_by = storage.primary_key->clone();
        else
            storage.order_by = make_ast_function("tuple");
    }
    bool nullable_key = false;
    for (const auto& [name, value] : metadata.settings)
        if (name == "allow_nullable_key")
            nullable_key = value == "1" || value == "true";
    metadata.sorting_key =
        bind_key(storage.order_by, metadata.columns, "Sorting key", nullable_key, context);
    metadata.primary_key = storage.primary_key
                               ? bind_key(storage.primary_key, metadata.columns, "Primary key",
                                          nullable_key, context)
                               : metadata.sorting_key;
    const auto& primary = metadata.primary_key.expressions;
    const auto& sorting = metadata.sorting_key.expressions;
    if (primary.size() > sorting.size())
        throw Error(error_codes::BAD_ARGUMENTS,
                    fmt::format("Primary key must be a prefix of the sorting key, but its "
                                "length: {} is greater than the sorting key length: {}",
                                primary.size(), sorting.size()));
    for (size_t i = 0; i < primary.size(); ++i)
        if (primary[i]->fingerprint() != sorting[i]->fingerprint())
            throw Error(error_codes::BAD_ARGUMENTS,
                        fmt::format("Primary key must be a prefix of the sorting key, but the "
                                    "column in the position {} is {}, not {}",
                                    i, sorting[i]->fingerprint(), primary[i]->fingerprint()));
    metadata.partition_key =
        bind_key(storage.partition_by, metadata.columns, "Partition key", true, context);
    for (const ExpressionPtr& part : metadata.partition_key.expressions)
        if (strip_wrappers(part->type())->is_float())
            throw Error(error_codes::BAD_ARGUMENTS,
                        fmt::format("Floating point partition key is not supported: {}",
                                    part->fingerprint()));
    bind_merging(engine, storage.engine->as<AstFunction>()->arguments, metadata, is_new);
    if (storage.sample_by)
    {
        const KeyDescription sampling =
            bind_key(storage.sample_by, metadata.columns, "Sampling key", false, context);
        bool found = false;
        for (const ExpressionPtr& part : primary)
            found = found || part->fingerprint() == sampling.expressions[0]->fingerprint();
        if (!found)
            throw Error(error_codes::BAD_ARGUMENTS,
                        "Sampling expression must be present in the primary key");
        metadata.sampling_key_text = sampling.text;
    }
    metadata.ttl_text = bind_ttl(storage.ttl, metadata, context);
    // The granularity that the table is made with stays with it.
    if (!storage.settings)
        storage.settings = std::make_shared<AstSetQuery>();
    auto& changes = storage.settings->as<AstSetQuery>()->changes;
    const bool has_granularity =
        std::any_of(changes.begin(), changes.end(), [](const SettingChange& change)
                    { return change.name == "index_granularity"; });
    if (!has_granularity)
    {
        SettingChange change;
        change.name = "index_granularity";
        change.value = AstLiteral::unsigned_number(8192);
        changes.push_back(std::move(change));
        metadata.settings.emplace_back("index_granularity", "8192");
    }
}

void take_over_columns(AstCreateTable& create, const CreateTableSources& sources)
{
    if (sources.as_metadata && create.columns.empty())
    {
        for (const ColumnDescription& column : sources.as_metadata->columns)
            create.columns.push_back(declaration_of(column));
        if (sources.as_create_query)
        {
            const auto& other = *sources.as_create_query->as<AstCreateTable>();
            for (const AstPtr& index : other.indices)
                create.indices.push_back(index->clone());
            for (const AstPtr& constraint : other.constraints)
                create.constraints.push_back(constraint->clone());
        }
        return;
    }
    if (!sources.select_columns)
        return;
    if (create.columns.empty())
    {
        for (const NamedType& column : *sources.select_columns)
        {
            ColumnDescription description;
            description.name = column.name;
            description.type = column.type;
            create.columns.push_back(declaration_of(description));
        }
    }
}

} // namespace

PreparedTable prepare_table(const AstCreateTable& written, const CreateTableSources& sources,
                            const Catalog& catalog, const QueryContext& context)
{
    auto create = std::static_pointer_cast<AstCreateTable>(
        static_cast<const Ast&>(written).clone());
    if (create->name.database.empty())
        create->name.database = sources.database;
    create->if_not_exists = create->create_or_replace = create->replace_table = false;
    create->clone = create->empty = false;
    create->cluster.clear();
    if (!create->projections.empty())
        throw Error(error_codes::NOT_IMPLEMENTED, "Projections are not implemented");
    take_over_columns(*create, sources);
    create->select = nullptr;
    create->as_table = {};
    create->as_table_function = nullptr;

    auto metadata = std::make_shared<TableMetadata>();
    metadata->columns = bind_columns(create->columns, context);
    choose_engine(*create, sources, context);
    const std::string engine = create->storage->as<AstStorage>()->engine->as<AstFunction>()->name;
    if (!catalog.find_engine(engine))
        throw Error(error_codes::UNKNOWN_STORAGE,
                    fmt::format("Unknown table engine {}{}", engine,
                                near_names_text(engine, catalog.engine_names())));
    bind_storage(*create, *metadata, !sources.exists, context);
    std::set<std::string> index_names;
    for (const AstPtr& ast : create->indices)
    {
        metadata->indexes.push_back(
            bind_index(*ast->as<AstIndexDeclaration>(), metadata->columns, context));
        if (!index_names.insert(metadata->indexes.back().name).second)
            throw Error(error_codes::ILLEGAL_INDEX,
                        fmt::format("Duplicated index name {} is not allowed",
                                    metadata->indexes.back().name));
    }
    for (const AstPtr& ast : create->constraints)
        bind_constraint(*ast->as<AstConstraintDeclaration>(), metadata->columns, *metadata,
                        context);
    if (create->comment)
        metadata->comment = literal_text(*create->comment);
    // Columns as they were understood.
    create->has_columns = true;
    create->columns.clear();
    for (const ColumnDescription& column : metadata->columns)
        create->columns.push_back(declaration_of(column));

    PreparedTable prepared;
    prepared.engine = engine;
    prepared.metadata = std::move(metadata);
    prepared.create_query = std::move(create);
    return prepared;
}

PreparedView prepare_view(const AstCreateTable& written, const CreateTableSources& sources,
                          const Catalog& catalog, const QueryContext& context)
{
    auto create = std::static_pointer_cast<AstCreateTable>(
        static_cast<const Ast&>(written).clone());
    if (create->name.database.empty())
        create->name.database = sources.database;
    if (create->refresh)
        throw Error(error_codes::NOT_IMPLEMENTED, "Refreshable views are not implemented");
    create->if_not_exists = create->create_or_replace = create->populate = create->empty = false;
    create->cluster.clear();
    if (!create->select)
        throw Error(error_codes::INCORRECT_QUERY, "A view needs AS SELECT");
    qualify_tables(create->select, sources.database);
    const bool materialized = create->create == CreateKind::MaterializedView;
    const bool has_target = !create->to_table.table.empty();
    if (has_target && create->to_table.database.empty())
        create->to_table.database = sources.database;

    if (create->columns.empty() && sources.select_columns)
    {
        if (!create->column_names.empty() &&
            create->column_names.size() != sources.select_columns->size())
            throw Error(error_codes::NUMBER_OF_COLUMNS_DOESNT_MATCH,
                        fmt::format("The view has {} names for {} columns",
                                    create->column_names.size(), sources.select_columns->size()));
        for (size_t i = 0; i < sources.select_columns->size(); ++i)
        {
            ColumnDescription description;
            description.name = create->column_names.empty() ? (*sources.select_columns)[i].name
                                                            : create->column_names[i];
            description.type = (*sources.select_columns)[i].type;
            create->columns.push_back(declaration_of(description));
        }
        create->column_names.clear();
    }
    PreparedView prepared;
    prepared.engine = materialized ? "MaterializedView" : "View";
    prepared.query = create->select;
    if (materialized && !has_target)
    {
        auto inner = std::make_shared<AstCreateTable>();
        inner->name.database = create->name.database;
        inner->name.table = inner_table_name(create->uuid, create->name.table);
        inner->has_columns = true;
        inner->columns = create->columns;
        inner->indices = create->indices;
        inner->storage = create->storage;
        const PreparedTable table = prepare_table(*inner, sources, catalog, context);
        prepared.inner_table = table.create_query;
        prepared.metadata = table.metadata;
        create->storage = table.create_query->storage;
        create->columns = table.create_query->columns;
    }
    else
    {
        auto metadata = std::make_shared<TableMetadata>();
        metadata->columns = bind_columns(create->columns, context);
        if (create->comment)
            metadata->comment = literal_text(*create->comment);
        prepared.metadata = std::move(metadata);
        create->columns.clear();
        for (const ColumnDescription& column : prepared.metadata->columns)
            create->columns.push_back(declaration_of(column));
    }
    create->has_columns = true;
    prepared.create_query = std::move(create);
    return prepared;
}

namespace
{

void qualify(AstPtr& ast, const std::string& database, std::set<std::string> ctes)
{
    if (auto* select = ast->as<AstSelect>())
    {
        for (const AstPtr& element : select->with)
            if (const auto* cte = element->as<AstWithElement>())
                ctes.insert(cte->name);
    }
    if (auto* element = ast->as<AstTableElement>(); element && element->table)
        if (auto* name = element->table->as<AstIdentifier>();
            name && name->parts.size() == 1 && !ctes.contains(name->parts[0]))
        {
            // An alias keeps the column references t.x of the query right.
            name->parts.insert(name->parts.begin(), database);
        }
    if (auto* call = ast->as<AstFunction>();
        call && call->arguments.size() == 2 &&
        (call->name == "in" || call->name == "notIn" || call->name == "globalIn" ||
         call->name == "globalNotIn"))
        for (size_t i = 0; i < 2; ++i)
            qualify(call->arguments[i], database, ctes);
    else
        ast->for_each_child([&](AstPtr& child) { qualify(child, database, ctes); });
}

} // namespace

void qualify_tables(AstPtr& query, const std::string& database)
{
    qualify(query, database, {});
}

} // namespace basalt
