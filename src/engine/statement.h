#pragma once

// Statements by kind. Each run_… does its work and returns rows or null.

#include "engine/run_query.h"
#include "sql/ast_access.h"
#include "sql/ast_alter.h"
#include "sql/ast_create.h"

namespace basalt
{

struct StatementContext
{
    Engine& engine;
    Session& session;
    QueryContextPtr context;
    QueryRequest& request;
    // Bytes of the text behind an INSERT's head, then `more`.
    InputBuffer* data = nullptr;
    QueryObjects* objects = nullptr; // for the query log; may be null

    TableName resolve(const AstTableName& name) const; // with the current database
    TablePtr find_table(const AstTableName& name) const; // temporary tables first; null if absent
    TablePtr get_table(const AstTableName& name) const;
};

ResultPtr run_statement(const AstPtr& ast, StatementContext& statement);

ResultPtr run_select(const AstPtr& select, StatementContext& statement);
ResultPtr run_insert(const AstInsert& insert, StatementContext& statement);
ResultPtr run_create_table(const AstCreateTable& create, StatementContext& statement);
ResultPtr run_create_database(const AstCreateDatabase& create, StatementContext& statement);
ResultPtr run_drop(const AstDrop& drop, StatementContext& statement);
ResultPtr run_rename(const AstRename& rename, StatementContext& statement);
ResultPtr run_alter(const AstAlter& alter, StatementContext& statement);
ResultPtr run_delete(const AstDelete& statement_ast, StatementContext& statement);
ResultPtr run_update(const AstUpdate& statement_ast, StatementContext& statement);
ResultPtr run_optimize(const AstOptimize& optimize, StatementContext& statement);
ResultPtr run_exists(const AstExists& exists, StatementContext& statement);
ResultPtr run_show(const AstShow& show, StatementContext& statement);
ResultPtr run_describe(const AstDescribe& describe, StatementContext& statement);
ResultPtr run_explain(const AstExplain& explain, StatementContext& statement);
ResultPtr run_set(const AstSetQuery& set, StatementContext& statement);
ResultPtr run_use(const AstUse& use, StatementContext& statement);
ResultPtr run_system(const AstSystem& system, StatementContext& statement);
ResultPtr run_backup(const std::shared_ptr<const AstBackup>& backup, StatementContext& statement);
ResultPtr run_check(const AstCheck& check, StatementContext& statement);
ResultPtr run_set_role(const AstSetRole& set, StatementContext& statement);
// CREATE, ALTER, DROP of users, roles, profiles; GRANT, REVOKE.
ResultPtr run_access_change(const Ast& ast, StatementContext& statement);
// SHOW GRANTS, SHOW CREATE USER and their kind.
ResultPtr show_access(const AstShow& show, StatementContext& statement);
ResultPtr run_kill(const AstKill& kill, StatementContext& statement);

// Binds and applies commands that rewrite rows; returns when they are done if `wait`.
void mutate_table(const TablePtr& table, const AstList& commands, bool wait,
                  StatementContext& statement);
// Throws NOT_IMPLEMENTED: "Table engine Log doesn't support mutations".
void require_merge_tree(const Table& table, std::string_view what);

// SETTINGS written in the query: of the output clause, of the statement, of its last SELECT.
std::vector<const AstSetQuery*> settings_of(const Ast& ast);
// Applies SETTINGS of a query to a Settings object. Values may be literals or parameters.
// check: called before each change; throws for what the user may not set. May be empty.
using SettingCheck = std::function<void(const std::string& name, const std::string& value)>;
void apply_settings(const AstSetQuery& set, Settings& settings,
                    std::map<std::string, std::string>* parameters, const SettingCheck& check = {});
// By the rules of the session's user over what is in force, which must outlive the check.
SettingCheck setting_check(const Session& session, const Settings& in_force);

// A one-column result of texts.
ResultPtr text_result(const std::string& column, const std::vector<std::string>& lines);

} // namespace basalt
