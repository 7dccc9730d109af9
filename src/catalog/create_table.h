#pragma once

// CREATE TABLE and CREATE VIEW as a tree: bound metadata, and the normalised statement that SHOW
// CREATE TABLE prints and the data folder keeps. Nothing is made or changed here.

#include "catalog/catalog.h"
#include "sql/ast_create.h"

namespace basalt
{

struct PreparedTable
{
    std::string engine; // "MergeTree", "View", "MaterializedView"
    TableMetadataPtr metadata;
    std::shared_ptr<AstCreateTable> create_query; // normalised, with the full name
};

struct CreateTableSources
{
    // Columns of AS SELECT (and of a view's query), from analyze_header().
    std::optional<Header> select_columns;
    // AS other_table, and AS table_function(): their columns, defaults, codecs, indexes are taken
    // over.
    TableMetadataPtr as_metadata;
    AstPtr as_create_query; // of AS other_table: its engine is taken over when none is given
    std::string database;   // where unqualified names resolve
    // The table is there: what only a new one must satisfy is not checked.
    bool exists = false;
};

// For tables. Throws what ClickHouse throws: ILLEGAL_COLUMN (44), BAD_ARGUMENTS (36),
// UNKNOWN_STORAGE (56), UNKNOWN_CODEC (432), INCORRECT_QUERY (80), UNKNOWN_IDENTIFIER (47) …
// The statement may be the stored form (ATTACH).
PreparedTable prepare_table(const AstCreateTable& create, const CreateTableSources& sources,
                            const Catalog& catalog, const QueryContext& context);

// For views; a materialised view without TO also gives the statement of its inner table.
struct PreparedView : PreparedTable
{
    AstPtr query;                                // with full table names
    std::shared_ptr<AstCreateTable> inner_table; // null: TO, or a plain view
};
PreparedView prepare_view(const AstCreateTable& create, const CreateTableSources& sources,
                          const Catalog& catalog, const QueryContext& context);

// The steps, for ALTER too. -------------------------------------------------------------------

// Columns with types, defaults (types inferred where not written), codecs; Nested taken apart.
// Names are checked for repetition.
std::vector<ColumnDescription> bind_columns(const AstList& declarations,
                                            const QueryContext& context);
// The columns that a declaration stands for: n.a, n.b for n Nested(…) (setting flatten_nested).
AstList flatten_nested(const AstPtr& declaration, const QueryContext& context);
// Binds the default expressions of all columns again, after columns came or went.
void bind_defaults(std::vector<ColumnDescription>& columns, const QueryContext& context);
AstPtr declaration_of(const ColumnDescription& column);

// "a, b" of an expression or a tuple of them. `what` for messages: "Sorting key".
KeyDescription bind_key(const AstPtr& ast, const std::vector<ColumnDescription>& columns,
                        std::string_view what, bool allow_nullable, const QueryContext& context);
IndexDescription bind_index(const AstIndexDeclaration& declaration,
                            const std::vector<ColumnDescription>& columns,
                            const QueryContext& context);
void bind_constraint(const AstConstraintDeclaration& declaration,
                     const std::vector<ColumnDescription>& columns, TableMetadata& metadata,
                     const QueryContext& context);
// What is kept of a CREATE: without a name, so that the name of the file is the table's.
std::string stored_create_text(const AstPtr& create_query);
// What stands behind ENGINE = in an AstStorage, with its settings.
std::string engine_text(const Ast& storage);

// The engine's arguments; also puts a version that orders rows at the end of the sorting key.
// Throws NO_SUCH_COLUMN_IN_TABLE (16), BAD_TYPE_OF_FIELD (169), BAD_ARGUMENTS (36),
// NUMBER_OF_ARGUMENTS_DOESNT_MATCH (42). is_new: checks also what older tables may have.
void bind_merging(const std::string& engine, const AstList& arguments, TableMetadata& metadata,
                  bool is_new);

// Checks a TTL list and returns its text. metadata: with columns and keys.
std::string bind_ttl(const AstList& ttl, const TableMetadata& metadata,
                     const QueryContext& context);
// GROUP BY … SET of one element.
std::shared_ptr<const TtlRollup> bind_rollup(const AstTtlElement& element,
                                             const TableMetadata& metadata,
                                             const QueryContext& context);
// RECOMPRESS CODEC(…), which is for columns of every type.
std::string bind_ttl_codec(const Ast& codec, const QueryContext& context);
// CODEC(…) checked for this type, parameters filled in: "Delta(8), ZSTD(1)".
std::string bind_codec(const Ast& codec, const TypePtr& type, const QueryContext& context);
Header header_of_columns(const std::vector<ColumnDescription>& columns, bool with_aliases);

// Table names without a database get `database`, except names of CTEs in reach.
void qualify_tables(AstPtr& query, const std::string& database);

} // namespace basalt
