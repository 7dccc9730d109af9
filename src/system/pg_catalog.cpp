#include "system/pg_catalog.h"

#include "codecs/hash.h"
#include "sql/ast_create.h"
#include "sql/formatter.h"

#include <fmt/format.h>
#include <set>

namespace basalt
{

namespace
{

// PostgreSQL keeps the numbers below for itself; clients read oids as signed integers.
constexpr uint32_t kFirstOid = 16384;
constexpr uint32_t kOidCount = 0x7FFF0000;

uint32_t oid_of(const std::string& text)
{
    return kFirstOid + static_cast<uint32_t>(sip_hash64(text) % kOidCount);
}

// Tables of pg_catalog that others name by the numbers they have in PostgreSQL (classoid).
uint32_t pg_table_oid(std::string_view name)
{
    static constexpr std::pair<std::string_view, uint32_t> kKnown[] = {
        {"pg_type", 1247},      {"pg_attribute", 1249},  {"pg_proc", 1255},
        {"pg_class", 1259},     {"pg_database", 1262},   {"pg_constraint", 2606},
        {"pg_namespace", 2615},
    };
    for (const auto& [known, oid] : kKnown)
        if (known == name)
            return oid;
    return 0;
}

// Numbers of the columns that a key's text names, 0 for an expression.
std::vector<int16_t> key_columns(const Expressions& expressions, const TableMetadata& metadata)
{
    std::vector<int16_t> numbers;
    for (const ExpressionPtr& expression : expressions)
    {
        int16_t number = 0;
        if (expression->kind() == ExpressionKind::Input)
            for (size_t i = 0; i < metadata.columns.size(); ++i)
                if (metadata.columns[i].name == expression->name())
                    number = static_cast<int16_t>(i + 1);
        numbers.push_back(number);
    }
    return numbers;
}

class Objects
{
public:
    Objects(Engine& engine, const QueryContext& context) : engine_(engine), context_(context) {}

    std::vector<PgObject> take()
    {
        for (const auto& database : pg_schemas(engine_, context_))
            for (const auto& table : engine_.catalog().tables(database.name))
                if (context_.granted("SHOW TABLES", database.name, table->table_name().table))
                    add_table(database.name, table);
        return std::move(objects_);
    }

private:
    uint32_t unused(const std::string& text)
    {
        uint32_t oid = oid_of(text);
        while (!used_.insert(oid).second)
            oid = oid + 1 < kFirstOid + kOidCount ? oid + 1 : kFirstOid;
        return oid;
    }

    void add_table(const std::string& database, const TablePtr& table)
    {
        PgObject object;
        object.database = database;
        object.name = table->table_name().table;
        const uint32_t known = database == kPgCatalog ? pg_table_oid(object.name) : 0;
        object.oid = known ? known : unused("table " + database + "." + object.name);
        object.schema = pg_schema_oid(database);
        object.method = table->engine_name();
        object.table = table;
        object.visible = database == kPgCatalog || database == context_.current_database;
        if (object.method == "View")
            object.kind = 'v';
        else if (object.method == "MaterializedView")
            object.kind = 'm';
        if (object.kind != 'r')
            if (const AstPtr create = engine_.catalog().shown_create_query({database, object.name}))
                if (const auto* ast = create->as<AstCreateTable>(); ast && ast->select)
                    object.definition = format_query(*ast->select);
        const PgObject parent = object;
        objects_.push_back(std::move(object));
        const auto metadata = table->metadata();
        if (!metadata->sorting_key.text.empty())
            add_index(parent, parent.name + "_sorting_key", "sorting", metadata->sorting_key.text,
                      key_columns(metadata->sorting_key.expressions, *metadata));
        for (const auto& index : metadata->indexes)
            add_index(parent, index.name, index.type, index.expression_text,
                      index.expression ? key_columns({index.expression}, *metadata)
                                       : std::vector<int16_t>{0});
    }

    void add_index(const PgObject& parent, const std::string& name, const std::string& type,
                   const std::string& text, std::vector<int16_t> keys)
    {
        PgObject object;
        object.kind = 'i';
        object.database = parent.database;
        object.schema = parent.schema;
        object.visible = parent.visible;
        object.name = name;
        object.parent = parent.oid;
        object.method = type;
        object.table = parent.table;
        object.oid = unused("index " + parent.database + "." + parent.name + "." + name);
        object.key_text = text;
        object.keys = std::move(keys);
        object.definition = fmt::format("CREATE INDEX {} ON {}.{} USING {} ({})", name,
                                        parent.database, parent.name, type, text);
        objects_.push_back(std::move(object));
    }

    Engine& engine_;
    const QueryContext& context_;
    std::vector<PgObject> objects_;
    std::set<uint32_t> used_;
};

} // namespace

void PgCatalogTables::add(std::string name, std::string_view columns,
                          std::function<void(Engine&, const QueryContext&, RowBuilder&)> fill)
{
    if (!fill)
        fill = [](Engine&, const QueryContext&, RowBuilder&) {};
    SystemTableDefinition definition{std::move(name), parse_header(columns), std::move(fill), ""};
    definition.database = kPgCatalog;
    // Hidden from *, as there.
    definition.aliases = {{"tableoid", fmt::format("toUInt32({})", pg_table_oid(definition.name))}};
    list_.push_back(std::move(definition));
}

std::vector<PgObject> pg_objects(Engine& engine, const QueryContext& context)
{
    return Objects(engine, context).take();
}

std::vector<DatabaseInfo> pg_schemas(Engine& engine, const QueryContext& context)
{
    std::vector<DatabaseInfo> schemas;
    for (auto& database : engine.catalog().databases())
        if (database.name != "INFORMATION_SCHEMA" &&
            context.granted("SHOW DATABASES", database.name))
            schemas.push_back(std::move(database));
    return schemas;
}

uint32_t pg_schema_oid(const std::string& database)
{
    constexpr uint32_t kPgCatalogOid = 11; // as there
    return database == kPgCatalog ? kPgCatalogOid : oid_of("schema " + database);
}

uint32_t pg_database_oid(const std::string& database)
{
    return oid_of("database " + database);
}

void add_pg_roles(Engine& engine, const QueryContext& context, RowBuilder& rows)
{
    const auto add = [&](const std::string& name, bool can_login)
    {
        rows.add_row();
        rows.set_uint("oid", pg_role_oid(name));
        rows.set("rolname", name);
        rows.set_uint("rolinherit", 1);
        rows.set_uint("rolcanlogin", can_login);
        rows.set_int("rolconnlimit", -1);
    };
    const bool all = context.granted("SHOW USERS");
    const auto state = engine.access().state();
    for (const auto& [name, user] : state->users)
        if (all || name == context.user || name == "default")
            add(name, true);
    if (all)
        for (const auto& [name, role] : state->roles)
            add(name, false);
}

uint32_t pg_role_oid(const std::string& name)
{
    return name == "default" ? kPgOwnerOid : oid_of("role " + name);
}

uint32_t pg_method_oid(const std::string& name)
{
    return oid_of("method " + name);
}

uint32_t pg_constraint_oid(uint32_t table, const std::string& name)
{
    return oid_of(fmt::format("constraint {} {}", table, name));
}

void register_pg_catalog(Engine& engine)
{
    auto& catalog = engine.catalog();
    if (!catalog.database_exists(kPgCatalog))
        catalog.create_database({kPgCatalog, "Memory", "", "", true}, true);
    PgCatalogTables tables;
    register_all_pg_table(tables);
    for (const auto& definition : tables.list())
        add_system_table(engine, definition);
}

} // namespace basalt
