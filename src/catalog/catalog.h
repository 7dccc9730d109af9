#pragma once

// Databases and their tables by name; table functions. DDL that makes or drops tables is written
// to the data folder before it is answered (metadata/<database>/<table>.sql, atomically), and read
// at start. Threads: every method from any thread.

#include "base/query_context.h"
#include "io/file_system.h"
#include "sql/ast.h"
#include "storage/table.h"

#include <functional>
#include <map>
#include <memory>
#include <shared_mutex>
#include <string>
#include <vector>

namespace basalt
{

// A view's query is kept as a syntax tree; the analyzer puts it in place of the table.
class ViewTable : public Table
{
public:
    virtual AstPtr view_query() const = 0;
    virtual std::string view_database() const = 0; // names in the query resolve here
};

struct MaterializedViewInfo
{
    TablePtr view;
    AstPtr query;      // its FROM is the source table
    TableName target;
    std::string database;
};

// Everything an engine needs to open or make its table.
struct TableCreation
{
    TableName name;
    std::string uuid;
    std::string engine; // "MergeTree"
    TableMetadataPtr metadata;
    AstPtr create_query; // normalised CREATE, as SHOW CREATE TABLE prints it
    bool attach = false; // exists already: open its data
};

class Catalog;
using TableFactory = std::function<TablePtr(const TableCreation&, Catalog&, QueryContextPtr)>;
// Arguments: constant-folded values with types, or the syntax of those that are not constant
// (identifiers, subqueries).
struct TableFunctionArgument
{
    Value value;
    TypePtr type;
    AstPtr ast;
};
using TableFunctionFactory = std::function<TablePtr(const std::vector<TableFunctionArgument>&,
                                                    Catalog&, QueryContextPtr)>;

struct DatabaseInfo
{
    std::string name;
    std::string engine; // Atomic, Memory
    std::string uuid;
    std::string comment;
    bool system = false; // system, INFORMATION_SCHEMA: not persisted
    // "MaterializedPostgreSQL('host:port', …) SETTINGS …" of a DatabaseEngine; may hold passwords.
    std::string engine_full = {};
};

// Databases whose tables come from elsewhere. Threads: any; never called with a lock of the catalog.
class DatabaseEngine
{
public:
    virtual ~DatabaseEngine() = default;
    virtual void check(const DatabaseInfo& info) = 0;   // throws for what cannot be made
    virtual void created(const DatabaseInfo& info) = 0; // it is in the catalog
    virtual void dropping(const DatabaseInfo& info) = 0; // its tables go next
};

// Limits of names and of what one database may hold.
inline constexpr size_t kMaxNameBytes = 206; // escaped it must fit a file name with its suffix
inline constexpr size_t kMaxTables = 100'000;

class Catalog
{
public:
    // data_path: where metadata/ lives; empty = nothing is persisted (basalt local).
    Catalog(FileSystem& files, std::string data_path);
    ~Catalog();

    void register_engine(std::string name, TableFactory factory);
    void register_table_function(std::string name, TableFunctionFactory factory);
    // Before load(); the engine lives as long as the catalog.
    void register_database_engine(std::string name, DatabaseEngine& engine);
    bool is_database_engine(const std::string& name) const;
    std::vector<std::string> engine_names() const;
    std::vector<std::string> table_function_names() const;
    const TableFactory* find_engine(const std::string& name) const;
    const TableFunctionFactory* find_table_function(const std::string& name) const; // any case

    // What a name means that no table has: `basalt local` reads files by their paths. Gives null for
    // a name that means nothing. Set before queries run.
    using NamedElsewhere =
        std::function<TablePtr(const std::string& name, const QueryContext& context)>;
    void set_named_elsewhere(NamedElsewhere find) { named_elsewhere_ = std::move(find); }
    TablePtr find_elsewhere(const std::string& name, const QueryContext& context) const
    {
        return named_elsewhere_ ? named_elsewhere_(name, context) : nullptr;
    }

    std::vector<DatabaseInfo> databases() const;
    bool database_exists(const std::string& name) const;
    void create_database(const DatabaseInfo& info, bool if_not_exists); // DATABASE_ALREADY_EXISTS
    void drop_database(const std::string& name, bool if_exists);

    TablePtr find_table(const TableName& name) const; // null when absent
    TablePtr get_table(const TableName& name) const;  // UNKNOWN_DATABASE, UNKNOWN_TABLE with hints
    std::vector<TablePtr> tables(const std::string& database) const;
    AstPtr create_query(const TableName& name) const;
    // A copy without UUIDs, as SHOW CREATE and system.tables give it; null as above.
    AstPtr shown_create_query(const TableName& name) const;

    // Persists, then publishes. TABLE_ALREADY_EXISTS unless replace.
    void add_table(TablePtr table, AstPtr create_query, bool replace = false);
    void add_system_table(TablePtr table); // not persisted
    // After ALTER. is_logged: the table's log holds the statement already, so the ALTER has happened
    // even if the text cannot be written now; the next start writes it.
    void replace_create_query(const TableName& name, AstPtr create_query, bool is_logged = false);
    void drop_table(const TableName& name); // unpublishes; the table removes its data when unused
    void detach_table(const TableName& name, bool permanently);
    void rename_tables(const std::vector<std::pair<TableName, TableName>>& moves, bool exchange);

    // Views that take what is inserted into `source`.
    std::vector<MaterializedViewInfo> views_of(const TableName& source) const;

    // Opens every persisted database and table; a table that cannot be opened is counted, left out
    // and listed in load_failures(). attach: makes the table from its CREATE text, which says
    // ATTACH and has the full name (needs the parser and binder).
    using Attach = std::function<TablePtr(const std::string& create_text)>;
    void load(const Attach& attach);
    struct LoadFailure
    {
        TableName name;
        std::string error;
    };
    std::vector<LoadFailure> load_failures() const;
    void shutdown(); // of all tables
    // Removes the data of dropped tables that no query uses any more. Called by every DDL too.
    void sweep_dropped();
    // CREATE text of a table that was detached (not dropped): for ATTACH TABLE t. Empty if none.
    std::string detached_create_text(const TableName& name) const;
    void alter_database_comment(const std::string& name, const std::string& comment);
    void rename_database(const std::string& from, const std::string& to);

    FileSystem& files() { return files_; }
    const std::string& data_path() const { return data_path_; }

private:
    struct Impl;
    FileSystem& files_;
    std::string data_path_;
    NamedElsewhere named_elsewhere_;
    std::unique_ptr<Impl> impl_;
};

// Defined by the build: calls register_<name>(catalog) of each file in table_function/.
void register_all_table_function(Catalog& catalog);

} // namespace basalt
