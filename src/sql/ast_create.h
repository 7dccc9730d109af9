#pragma once

// CREATE and ATTACH of tables, views, databases, functions, dictionaries.

#include "sql/ast_statements.h"

namespace basalt
{

enum class ColumnDefault : uint8_t
{
    None,
    Default,
    Materialized,
    Ephemeral, // default_expression may be null
    Alias,
    AutoIncrement,
};

enum class NullModifier : uint8_t
{
    None,
    Null,
    NotNull,
};

struct AstColumnDeclaration : AstNode<AstColumnDeclaration, AstKind::ColumnDeclaration>
{
    std::string name;
    AstPtr type; // AstTypeName; null when only a default gives the type
    NullModifier null_modifier = NullModifier::None;
    ColumnDefault default_kind = ColumnDefault::None;
    AstPtr default_expression;
    AstPtr comment;    // string literal
    AstPtr codec;      // AstFunction CODEC(..) whose arguments are AstFunction
    AstPtr statistics; // AstFunction STATISTICS(..)
    AstPtr ttl;        // expression
    AstPtr collation;
    AstPtr settings; // AstSetQuery
    void visit_fields(FieldVisitor& visitor) override;
};

struct AstIndexDeclaration : AstNode<AstIndexDeclaration, AstKind::IndexDeclaration>
{
    std::string name;
    AstPtr expression;
    AstPtr type; // AstFunction: minmax, set(100), bloom_filter(0.01); null: not written
    AstPtr granularity; // literal; the default where none was written
    bool unique = false; // CREATE UNIQUE INDEX
    void visit_fields(FieldVisitor& visitor) override;
};

struct AstConstraintDeclaration
    : AstNode<AstConstraintDeclaration, AstKind::ConstraintDeclaration>
{
    std::string name;
    bool assume = false; // ASSUME rather than CHECK
    AstPtr expression;
    void visit_fields(FieldVisitor& visitor) override;
};

// PROJECTION name (SELECT ..): no FROM; PROJECTION name INDEX expr TYPE t.
struct AstProjectionDeclaration
    : AstNode<AstProjectionDeclaration, AstKind::ProjectionDeclaration>
{
    std::string name;
    AstPtr query; // AstSelect
    AstPtr index_expression;
    AstPtr index_type;
    AstPtr settings;
    void visit_fields(FieldVisitor& visitor) override;
};

enum class TtlAction : uint8_t
{
    Delete,
    ToDisk,
    ToVolume,
    GroupBy,
    Recompress,
};

struct AstTtlElement : AstNode<AstTtlElement, AstKind::TtlElement>
{
    AstPtr expression;
    TtlAction action = TtlAction::Delete;
    bool explicit_delete = false;
    bool if_exists = false;
    std::string destination; // disk or volume
    AstPtr where;            // DELETE WHERE
    AstList group_by;
    AstList assignments; // AstAssignment
    AstPtr codec;        // RECOMPRESS CODEC(..)
    void visit_fields(FieldVisitor& visitor) override;
};

// ENGINE = .. with its clauses.
struct AstStorage : AstNode<AstStorage, AstKind::Storage>
{
    AstPtr engine; // AstFunction; null when not written
    AstPtr partition_by;
    // Expression; (a, b) is a tuple, () an empty tuple. PRIMARY KEY written in the list of columns
    // or behind a column arrives here too.
    AstPtr primary_key;
    AstPtr order_by;    // expression; elements with DESC are AstOrderByElement in a tuple
    AstPtr sample_by;
    AstList ttl; // AstTtlElement
    AstPtr settings;
    void visit_fields(FieldVisitor& visitor) override;
};

// REFRESH EVERY 1 DAY OFFSET 2 HOUR RANDOMIZE FOR 1 MINUTE DEPENDS ON a, b APPEND
struct AstRefreshStrategy : AstNode<AstRefreshStrategy, AstKind::RefreshStrategy>
{
    bool after = false; // AFTER rather than EVERY
    AstPtr period;      // AstFunction toIntervalX, or a concat of several
    AstPtr offset;
    AstPtr randomize;
    std::vector<AstTableName> depends_on;
    bool append = false;
    AstPtr settings;
    void visit_fields(FieldVisitor& visitor) override;
};

enum class CreateKind : uint8_t
{
    Table,
    View,
    MaterializedView,
};

struct AstCreateTable : AstNode<AstCreateTable, AstKind::CreateTable>
{
    CreateKind create = CreateKind::Table;
    bool attach = false;
    bool replace_table = false; // REPLACE TABLE
    bool create_or_replace = false;
    bool temporary = false;
    bool if_not_exists = false;
    AstTableName name;
    std::string uuid;
    std::string cluster;

    bool has_columns = false; // a list in parentheses, perhaps empty
    AstList columns;          // AstColumnDeclaration
    AstList indices;          // AstIndexDeclaration
    AstList constraints;      // AstConstraintDeclaration
    AstList projections;      // AstProjectionDeclaration
    std::vector<std::string> column_names; // view (a, b) AS SELECT: names without types

    AstPtr storage; // AstStorage
    AstPtr select;  // AstSelectUnion
    AstTableName as_table;
    AstPtr as_table_function; // AstFunction
    bool clone = false;       // CLONE AS
    bool empty = false;       // EMPTY AS SELECT
    AstPtr attach_from;       // ATTACH TABLE t FROM 'path'
    bool has_attach_as = false; // ATTACH TABLE t AS [NOT] REPLICATED
    bool attach_as_replicated = false;

    // Views
    AstTableName to_table;
    std::string to_uuid;
    bool populate = false;
    AstPtr refresh; // AstRefreshStrategy
    std::string sql_security; // DEFINER, INVOKER, NONE
    std::string definer;

    AstPtr comment; // string literal
    void visit_fields(FieldVisitor& visitor) override;
};

struct AstCreateDatabase : AstNode<AstCreateDatabase, AstKind::CreateDatabase>
{
    bool attach = false;
    bool if_not_exists = false;
    std::string name;
    AstPtr name_parameter;
    std::string uuid;
    std::string cluster;
    AstPtr storage; // AstStorage
    AstPtr comment;
    void visit_fields(FieldVisitor& visitor) override;
};

// CREATE FUNCTION name AS (x) -> body
struct AstCreateFunction : AstNode<AstCreateFunction, AstKind::CreateFunction>
{
    bool or_replace = false;
    bool if_not_exists = false;
    std::string name;
    std::string cluster;
    AstPtr lambda; // AstLambda
    void visit_fields(FieldVisitor& visitor) override;
};

struct AstDictionaryAttribute : AstNode<AstDictionaryAttribute, AstKind::DictionaryAttribute>
{
    std::string name;
    AstPtr type;
    AstPtr default_value;
    AstPtr expression;
    bool hierarchical = false;
    bool bidirectional = false;
    bool injective = false;
    bool is_object_id = false;
    void visit_fields(FieldVisitor& visitor) override;
};

struct AstCreateDictionary : AstNode<AstCreateDictionary, AstKind::CreateDictionary>
{
    bool attach = false;
    bool or_replace = false;
    bool if_not_exists = false;
    AstTableName name;
    std::string uuid;
    std::string cluster;
    AstList attributes; // AstDictionaryAttribute
    AstList primary_key;
    AstPtr source; // AstFunction named as the source; its arguments are name-value AstFunction
    AstPtr layout; // AstFunction
    bool has_lifetime = false;
    uint64_t lifetime_min_s = 0;
    uint64_t lifetime_max_s = 0;
    std::string range_min;
    std::string range_max;
    AstPtr settings;
    AstPtr comment;
    void visit_fields(FieldVisitor& visitor) override;
};

} // namespace basalt
