#pragma once

// The database pg_catalog, which PostgreSQL's clients read: one file a table in pg_table/, over the same
// catalog as the tables of `system`. Our databases are its schemas, and its databases too. Object ids
// are made of names, so that they stay; within one reading they differ.

#include "system/system_tables.h"

namespace basalt
{

inline constexpr const char* kPgCatalog = "pg_catalog";

class PgCatalogTables
{
public:
    // columns: as parse_header() takes them. Without `fill` the table is always empty.
    void add(std::string name, std::string_view columns,
             std::function<void(Engine&, const QueryContext&, RowBuilder&)> fill = {});
    const std::vector<SystemTableDefinition>& list() const { return list_; }

private:
    std::vector<SystemTableDefinition> list_;
};

// A table, a view, or an index of a table.
struct PgObject
{
    uint32_t oid = 0;
    uint32_t schema = 0; // its oid
    uint32_t parent = 0; // of an index: its table
    char kind = 'r';     // pg_class.relkind: r a table, v a view, m a materialised view, i an index
    std::string database, name;
    std::string method;     // a table's engine, an index' type
    std::string definition; // of views and indexes
    std::string key_text;   // of indexes: what they are over
    std::vector<int16_t> keys; // of indexes: numbers of columns, 0 for an expression
    bool visible = false;   // without naming its schema
    TablePtr table;         // of an index: its table
};

// What the query's user may see.
std::vector<PgObject> pg_objects(Engine& engine, const QueryContext& context);
// Databases as schemas, INFORMATION_SCHEMA left out: information_schema is the same.
std::vector<DatabaseInfo> pg_schemas(Engine& engine, const QueryContext& context);

uint32_t pg_schema_oid(const std::string& database);
uint32_t pg_database_oid(const std::string& database);
// Rows of pg_roles and pg_authid: users and roles; without a grant oneself and the owner of everything.
void add_pg_roles(Engine& engine, const QueryContext& context, RowBuilder& rows);
uint32_t pg_role_oid(const std::string& name);
uint32_t pg_method_oid(const std::string& name);
// Of a check: the oid of its table, its name.
uint32_t pg_constraint_oid(uint32_t table, const std::string& name);
inline constexpr uint32_t kPgOwnerOid = 10;      // what everything belongs to
inline constexpr uint32_t kPgCollationOid = 950; // "C": texts are compared byte by byte

// Makes the database and its tables.
void register_pg_catalog(Engine& engine);
void register_all_pg_table(PgCatalogTables& tables); // generated

} // namespace basalt
