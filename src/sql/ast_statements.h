#pragma once

// Statements other than SELECT, CREATE, ALTER and access control.

#include "sql/ast_select.h"

namespace basalt
{

// One assignment of a setting. `value` is AstLiteral, AstQueryParameter, AstFunction (array, tuple,
// map, disk(..)) or AstIdentifier; null when reset to DEFAULT.
struct SettingChange
{
    std::string name;
    AstPtr value;
    bool is_default = false; // SET x = DEFAULT
};

// SET x = 1, y = 2, and every SETTINGS clause. `SET param_x = 1` arrives under its name param_x.
struct AstSetQuery : AstNode<AstSetQuery, AstKind::SetQuery>
{
    std::vector<SettingChange> changes;
    // A statement of its own, rather than a clause.
    bool is_statement = false;
    void visit_fields(FieldVisitor& visitor) override;
};

// [db.]table, the form in which statements name tables. Parts may be query parameters.
struct AstTableName
{
    std::string database; // empty: the current database
    std::string table;
    AstPtr database_parameter; // AstQueryParameter of type Identifier in place of the text
    AstPtr table_parameter;

    void visit_fields(FieldVisitor& visitor);
};

struct AstInsert : AstNode<AstInsert, AstKind::Insert>
{
    AstTableName target;
    AstPtr table_function; // AstFunction: INSERT INTO FUNCTION f(..); target is empty then
    AstPtr partition_by;   // of INSERT INTO FUNCTION
    bool has_columns = false;
    AstList columns; // AstIdentifier, AstAsterisk or AstColumnsMatcher (with EXCEPT)
    AstPtr settings; // AstSetQuery
    AstPtr select;   // AstSelectUnion
    AstPtr infile;   // string literal
    AstPtr compression;
    std::string format; // "Values" for VALUES; empty for SELECT
    // Where the inline data starts in the query text; meaningful when has_inline_data. The parser
    // never reads beyond it. For VALUES it is the byte after the keyword and white space; for
    // another format ClickHouse's rule holds: spaces and at most one line end are skipped.
    bool has_inline_data = false;
    uint64_t data_offset = 0;
    void visit_fields(FieldVisitor& visitor) override;
};

enum class DropAction : uint8_t
{
    Drop,
    Detach,
    Truncate,
    Undrop,
};

enum class ObjectKind : uint8_t
{
    Table,
    View,
    Dictionary,
    Database,
    Function,
    AllTables,       // TRUNCATE ALL TABLES FROM db [LIKE ..]
    TablesLike,      // TRUNCATE TABLES FROM db [LIKE ..]: the same
    Index,           // DROP INDEX: parsed into AstAlter
    NamedCollection,
    Workload,
    Resource,
};

struct AstDrop : AstNode<AstDrop, AstKind::Drop>
{
    DropAction action = DropAction::Drop;
    ObjectKind object = ObjectKind::Table;
    bool temporary = false;
    bool if_exists = false;
    bool if_empty = false;
    bool permanently = false;
    bool sync = false;
    std::vector<AstTableName> names; // database, function: in .table... of the first for functions
    std::string database;         // DATABASE and TABLES FROM
    AstPtr database_parameter;
    AstPtr like; // string literal
    bool not_like = false;
    bool case_insensitive_like = false;
    std::string cluster;
    std::string uuid; // UNDROP
    AstPtr settings;
    void visit_fields(FieldVisitor& visitor) override;
};

struct RenamePair
{
    AstTableName from;
    AstTableName to;
};

struct AstRename : AstNode<AstRename, AstKind::Rename>
{
    ObjectKind object = ObjectKind::Table; // Table, Dictionary, Database (names in .database)
    bool exchange = false;
    bool if_exists = false;
    std::vector<RenamePair> pairs;
    std::string cluster;
    void visit_fields(FieldVisitor& visitor) override;
};

struct AstExists : AstNode<AstExists, AstKind::Exists>
{
    ObjectKind object = ObjectKind::Table;
    bool temporary = false;
    AstTableName name; // a database stands in .database
    void visit_fields(FieldVisitor& visitor) override;
};

enum class ShowKind : uint8_t
{
    Tables,
    Dictionaries,
    Databases,
    Clusters,
    Cluster,
    CreateTable, // name, also views
    CreateView,
    CreateDictionary,
    CreateDatabase,
    CreateFunction,
    CreateUser, // names; empty: the current user
    CreateRole,
    CreateRowPolicy,
    CreateQuota,
    CreateSettingsProfile,
    Columns,
    Indexes,
    Functions,
    Settings,
    Setting,
    ProcessList,
    Grants,
    Engines,
    Formats,
    Merges,
    FilesystemCaches,
    Users,
    Roles,
    CurrentRoles,
    EnabledRoles,
    RowPolicies,
    Quotas,
    CurrentQuota,
    SettingsProfiles,
    Access,
    Privileges,
    NamedCollections,
};

struct AstShow : AstNode<AstShow, AstKind::Show>
{
    ShowKind show = ShowKind::Tables;
    bool temporary = false;
    bool full = false;
    bool extended = false;
    bool changed = false;
    AstTableName name;       // CREATE .., COLUMNS, INDEXES
    std::string database; // FROM
    std::vector<std::string> names;
    AstPtr like; // string literal
    bool not_like = false;
    bool case_insensitive_like = false;
    AstPtr where;
    AstPtr limit;
    bool with_implicit = false; // SHOW GRANTS
    bool with_final = false;
    void visit_fields(FieldVisitor& visitor) override;
};

struct AstDescribe : AstNode<AstDescribe, AstKind::Describe>
{
    AstPtr table; // AstTableElement
    void visit_fields(FieldVisitor& visitor) override { visitor.child("table", table); }
};

enum class ExplainKind : uint8_t
{
    Plan,
    Ast,
    Syntax,
    QueryTree,
    Pipeline,
    Estimate,
    TableOverride,
    CurrentTransaction,
};

struct AstExplain : AstNode<AstExplain, AstKind::Explain>
{
    ExplainKind explain = ExplainKind::Plan;
    AstPtr settings; // AstSetQuery
    AstPtr query;    // any statement; null for CURRENT TRANSACTION
    AstPtr table_function;
    void visit_fields(FieldVisitor& visitor) override;
};

struct AstUse : AstNode<AstUse, AstKind::Use>
{
    std::string database;
    AstPtr database_parameter;
    void visit_fields(FieldVisitor& visitor) override
    {
        visitor.text("database", database);
        visitor.child("database_parameter", database_parameter);
    }
};

// SYSTEM STOP MERGES db.t: command = "STOP MERGES", table set. Commands are kept as their words in
// capitals; what follows the words is in the other fields.
struct AstSystem : AstNode<AstSystem, AstKind::System>
{
    std::string command;
    std::string cluster;
    AstTableName table;
    AstList arguments; // literals and identifiers: FLUSH LOGS query_log; WAIT LOADING PARTS ..
    AstPtr settings;
    void visit_fields(FieldVisitor& visitor) override;
};

struct AstOptimize : AstNode<AstOptimize, AstKind::Optimize>
{
    AstTableName table;
    std::string cluster;
    AstPtr partition; // AstPartition
    bool is_final = false;
    bool force = false;
    bool cleanup = false;
    bool dry_run = false;
    AstList parts; // DRY RUN PARTS: string literals
    bool deduplicate = false;
    AstList deduplicate_by; // expressions, * and COLUMNS()
    AstPtr settings;
    void visit_fields(FieldVisitor& visitor) override;
};

enum class KillMode : uint8_t
{
    Async,
    Sync,
    Test,
};

enum class KillKind : uint8_t
{
    Query,
    Mutation,
    PartMoveToShard,
    Transaction,
};

struct AstKill : AstNode<AstKill, AstKind::Kill>
{
    KillKind target = KillKind::Query;
    KillMode mode = KillMode::Async;
    std::string cluster;
    AstPtr where;
    void visit_fields(FieldVisitor& visitor) override;
};

struct AstCheck : AstNode<AstCheck, AstKind::Check>
{
    bool all_tables = false;
    AstTableName table;
    AstPtr partition; // AstPartition
    AstPtr settings;
    void visit_fields(FieldVisitor& visitor) override;
};

enum class BackupElementKind : uint8_t
{
    Table,
    Dictionary,
    View,
    Database,
    TemporaryTable,
    All,
};

struct BackupElement
{
    BackupElementKind element = BackupElementKind::Table;
    AstTableName name;
    AstTableName new_name; // AS
    AstList partitions; // AstPartition
    std::vector<AstTableName> except_tables;
    std::vector<std::string> except_databases;
};

struct AstBackup : AstNode<AstBackup, AstKind::Backup>
{
    bool restore = false;
    std::vector<BackupElement> elements;
    AstPtr location; // AstFunction: File('..'), Disk('..', '..'), S3(..)
    std::string cluster;
    bool async = false;
    bool sync = false;
    AstPtr settings;
    void visit_fields(FieldVisitor& visitor) override;
};

enum class TransactionAction : uint8_t
{
    Begin,
    Commit,
    Rollback,
    SetSnapshot,
};

struct AstTransaction : AstNode<AstTransaction, AstKind::Transaction>
{
    TransactionAction action = TransactionAction::Begin;
    uint64_t snapshot = 0;
    void visit_fields(FieldVisitor& visitor) override
    {
        visitor.choice("action", action);
        visitor.number("snapshot", static_cast<int64_t>(snapshot));
    }
};

// DELETE FROM t [ON CLUSTER c] [IN PARTITION p] WHERE e
struct AstDelete : AstNode<AstDelete, AstKind::Delete>
{
    AstTableName table;
    std::string cluster;
    AstPtr partition; // AstPartition
    AstPtr where;
    AstPtr settings;
    void visit_fields(FieldVisitor& visitor) override;
};

// UPDATE t SET a = e, .. [IN PARTITION p] WHERE e
struct AstUpdate : AstNode<AstUpdate, AstKind::Update>
{
    AstTableName table;
    std::string cluster;
    AstList assignments; // AstAssignment
    AstPtr partition;
    AstPtr where;
    AstPtr settings;
    void visit_fields(FieldVisitor& visitor) override;
};

struct AstAssignment : AstNode<AstAssignment, AstKind::Assignment>
{
    std::string column; // nested.name as written
    AstPtr expression;
    void visit_fields(FieldVisitor& visitor) override
    {
        visitor.text("column", column);
        visitor.child("expression", expression);
    }
};

// PARTITION expr | PARTITION ID 'x' | PARTITION ALL | PART 'name'
struct AstPartition : AstNode<AstPartition, AstKind::Partition>
{
    bool all = false;
    bool is_part = false;
    AstPtr id;    // string literal or parameter of PARTITION ID and PART
    AstPtr value; // expression
    void visit_fields(FieldVisitor& visitor) override;
};

// a PARALLEL WITH b PARALLEL WITH c
struct AstParallelWith : AstNode<AstParallelWith, AstKind::ParallelWith>
{
    AstList statements;
    void visit_fields(FieldVisitor& visitor) override
    {
        visitor.children("statements", statements);
    }
};

} // namespace basalt
