#pragma once

// ALTER as changes to the CREATE statement of a table: each command edits the tree, and what comes
// out is bound as a CREATE is. So a table altered is what a table made so would be. Nothing is
// changed here.

#include "catalog/create_table.h"
#include "sql/ast_alter.h"

#include <memory>
#include <string>
#include <vector>

namespace basalt
{

// Whether a command changes the description of the table (and not only its rows or parts).
bool changes_description(AlterAction action);

// "ADD_COLUMN": ClickHouse's name of an action in messages.
std::string action_name(AlterAction action);

class TableChange
{
public:
    // create: the statement as the catalog keeps it; a copy is edited.
    TableChange(const Table& table, const AstCreateTable& create, const QueryContext& context);

    // Throws what ClickHouse throws: NOT_FOUND_COLUMN_IN_BLOCK (10), DUPLICATE_COLUMN (15),
    // NO_SUCH_COLUMN_IN_TABLE (16), ILLEGAL_COLUMN (44), ALTER_OF_COLUMN_IS_FORBIDDEN (524) …
    void apply(const AstAlterCommand& command);
    // After the last command: binds the whole. New columns are checked under `context`'s settings,
    // those that the table had were checked when they came.
    PreparedTable finish(const Catalog& catalog, const QueryContext& lenient);

    // What stored parts must know, in order.
    const std::vector<MutationCommand>& commands() const { return commands_; }

private:
    void add_column(const AstAlterCommand& command);
    void drop_column(const AstAlterCommand& command);
    void modify_column(const AstAlterCommand& command);
    void modify_type(AstColumnDeclaration& column, const AstColumnDeclaration& written);
    void remove_property(AstColumnDeclaration& column, const std::string& what);
    void rename_column(const AstAlterCommand& command);
    void comment_column(const AstAlterCommand& command);
    void add_index(const AstAlterCommand& command);
    void drop_index(const AstAlterCommand& command);
    void add_constraint(const AstAlterCommand& command);
    void drop_constraint(const AstAlterCommand& command);
    void modify_settings(const AstAlterCommand& command);
    void reset_settings(const AstAlterCommand& command);
    void modify_order_by(const AstAlterCommand& command);

    AstColumnDeclaration* find_column(const std::string& name);
    AstColumnDeclaration& get_column(const std::string& name, const char* purpose);
    size_t place_for(const AstAlterCommand& command);
    void note(MutationCommand::Kind kind, const std::string& name, std::string new_name = {});
    void check_drops() const;
    void check_sorting_key(const TableMetadata& metadata) const;
    void check_new_columns(const PreparedTable& prepared) const;
    void check_not_null(const TableMetadata& metadata) const;
    bool is_merge_tree() const { return table_.engine_name().ends_with("MergeTree"); }

    const Table& table_;
    TableMetadataPtr old_;
    const QueryContext& context_;
    std::shared_ptr<AstCreateTable> create_;
    std::vector<MutationCommand> commands_;
    std::vector<std::string> dropped_; // columns that went
    std::vector<std::string> written_; // columns that came or got another type, default or codec
    std::vector<std::string> added_;
    std::vector<std::string> not_null_any_more_;
    std::vector<std::pair<std::string, std::string>> renames_;
    bool sorting_key_changed_ = false;
};

// Whether the expression names the column, or a part of it.
bool names_column(const Ast& expression, const std::string& column);
void rename_in(const AstPtr& expression, const std::string& from, const std::string& to);
// Throws ALTER_OF_COLUMN_IS_FORBIDDEN for columns that the engine's arguments name. action: DROP.
void check_deciding_column(const TableMetadata& metadata, const std::string& column,
                           std::string_view action);
// Whether any expression of the key reads the column.
bool key_reads(const KeyDescription& key, const std::string& column);

} // namespace basalt
