#pragma once

// The writer behind formatter.h, internal to this room. In one-line form every line break is a
// space. Methods append to `out`.

#include "sql/ast_access.h"
#include "sql/ast_alter.h"
#include "sql/formatter.h"

namespace basalt
{

class FormatWriter
{
public:
    FormatWriter(bool multiline, bool hide_secrets)
        : multiline_(multiline), hide_secrets_(hide_secrets)
    {
    }

    std::string out;

    // Any node: a statement, an expression, or a part of either.
    void node(const Ast& ast);

private:
    // --- format_expression.cpp
    // `inner`: an operand of an operator, where an operator needs brackets.
    void expression(const Ast& ast, bool inner = false);
    void expression_body(const Ast& ast, bool inner);
    void function(const AstFunction& ast, bool inner);
    bool operator_form(const AstFunction& ast, bool inner);
    void operand_of_bracket(const Ast& ast);
    void in_right_side(const Ast& ast);
    void arguments(const AstFunction& ast);
    void literal(const AstLiteral& ast);
    void identifier(const AstIdentifier& ast);
    void lambda(const AstLambda& ast);
    void qualifier(const std::vector<std::string>& parts);
    void transformers(const AstList& list);
    void window(const AstWindowDefinition& ast);
    void list(const AstList& items, const char* separator = ", ");
    void subquery(const Ast& query);
    void name(std::string_view text) { out += quote_identifier_if_needed(text); }
    // a.b written as names with dots between: reads back the same.
    void dotted_name(std::string_view text);
    void secret(const AstFunction& ast, size_t index);
    void query_parameter(const AstQueryParameter& ast);

    // --- format_select.cpp
    void select(const AstSelect& ast);
    void select_union(const AstSelectUnion& ast);
    void with(const AstSelect& ast);
    void clause_list(const char* words, const AstList& items);
    void table_element(const AstTableElement& ast, bool first);
    void table(const Ast& ast);
    void order_by_element(const AstOrderByElement& ast);
    void query(const AstQuery& ast);
    void format_name(const std::string& format);
    void settings(const Ast& ast);
    void settings_clause(const AstPtr& ast);
    void setting_changes(const std::vector<SettingChange>& changes);
    void setting_value(const Ast& ast);

    // --- format_create.cpp, format_elements.cpp
    void create_table(const AstCreateTable& ast);
    void create_database(const AstCreateDatabase& ast);
    void create_function(const AstCreateFunction& ast);
    void create_dictionary(const AstCreateDictionary& ast);
    void dictionary_function(const AstFunction& ast);
    void table_elements(const AstCreateTable& ast);
    void type(const AstTypeName& ast);
    void column(const AstColumnDeclaration& ast);
    void index(const AstIndexDeclaration& ast);
    void constraint(const AstConstraintDeclaration& ast);
    void projection(const AstProjectionDeclaration& ast);
    void storage(const AstStorage& ast);
    void ttl(const AstTtlElement& ast);
    void ttl_list(const AstList& items);
    void refresh(const AstRefreshStrategy& ast);
    void period(const Ast& ast);
    void sql_security(const std::string& security, const std::string& definer);
    void assignments(const AstList& items);

    // --- format_alter.cpp
    void alter(const AstAlter& ast);
    void alter_command(const AstAlterCommand& ast);
    void partition(const AstPartition& ast);
    void in_partition(const AstPtr& ast);

    // --- format_misc.cpp, format_show.cpp
    void table_name(const AstTableName& name);
    void database_name(const std::string& database, const AstPtr& parameter);
    void on_cluster(const std::string& cluster);
    void like(const AstPtr& like, bool negated, bool case_insensitive);
    void insert(const AstInsert& ast);
    void drop(const AstDrop& ast);
    void rename(const AstRename& ast);
    void exists(const AstExists& ast);
    void show(const AstShow& ast);
    void explain(const AstExplain& ast);
    void system(const AstSystem& ast);
    void optimize(const AstOptimize& ast);
    void kill(const AstKill& ast);
    void check(const AstCheck& ast);
    void backup(const AstBackup& ast);
    void transaction(const AstTransaction& ast);
    void delete_from(const AstDelete& ast);
    void update(const AstUpdate& ast);

    // --- format_access.cpp
    void access(const Ast& ast);
    void role_set(const RoleSet& set);
    void set_role(const AstSetRole& ast);
    void grant(const AstGrant& ast);
    void access_element(const AccessElement& element);
    void create_user(const AstCreateUser& ast);
    void create_role(const AstCreateRole& ast);
    void create_row_policy(const AstCreateRowPolicy& ast);
    void create_quota(const AstCreateQuota& ast);
    void create_profile(const AstCreateSettingsProfile& ast);
    void drop_access(const AstDropAccess& ast);
    void profile_changes(const ProfileChanges& changes, AccessVerb verb);
    void profile_elements(const std::vector<ProfileElement>& elements);
    void hosts(const char* words, const std::vector<HostRule>& rules);
    void user_names(const std::vector<std::string>& names);
    void user_name(const std::string& name);
    void access_head(AccessVerb verb, const char* what, bool or_replace, bool if_exists,
                     bool if_not_exists);

    void line_break();
    void indented_list(const AstList& items);

    bool multiline_;
    bool hide_secrets_;
    int indent_ = 0;
};

// Digits of a Float64 as ClickHouse prints it, with a point after a whole number when `point`.
std::string format_float(double value, bool point);

} // namespace basalt
