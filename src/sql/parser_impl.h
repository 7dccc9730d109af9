#pragma once

// The recursive-descent parser, internal to this room: one class whose methods stand in
// parser_core.cpp, parser_expression.cpp, parser_operand.cpp, parser_select.cpp and so on.
// Conventions: accept_x() consumes x when it is there and says so; expect_x() throws otherwise;
// parse_x() parses a required x. Every failed accept notes what would have fitted, so that the
// error at the furthest token can list it.

#include "sql/ast_access.h"
#include "sql/ast_alter.h"
#include "sql/lexer.h"
#include "sql/parser.h"

namespace basalt
{

// Past it a parse ends in TOO_DEEP_RECURSION whatever the limits ask for.
inline constexpr size_t kMaxParserStackBytes = size_t{3} << 20;

class Parser
{
public:
    Parser(std::string_view text, size_t offset, const ParserLimits& limits);

    // --- tokens (parser_core.cpp)
    const Token& peek(size_t ahead = 0)
    {
        while (tokens_.size() <= position_ + ahead)
            read_token();
        return tokens_[position_ + ahead];
    }
    bool peek_is(TokenType type, size_t ahead = 0) { return peek(ahead).type == type; }
    std::string_view token_text(const Token& token) const
    {
        return text_.substr(token.begin, token.end - token.begin);
    }
    // `word` in capitals.
    bool peek_word(std::string_view word, size_t ahead = 0);
    // Words divided by blanks: "ORDER BY". Consumes all or none.
    bool peek_words(std::string_view words);
    bool accept(TokenType type, const char* what);
    bool accept(TokenType type) { return accept(type, token_name(type)); }
    bool accept_word(const char* words);
    void expect(TokenType type);
    void expect_word(const char* words);
    void expected(const char* what);
    [[noreturn]] void fail();
    [[noreturn]] void fail(const char* what)
    {
        expected(what);
        fail();
    }
    [[noreturn]] void not_implemented(const std::string& what);
    static const char* token_name(TokenType type);
    bool at_end();
    void advance() { ++position_; }
    size_t mark() const { return position_; }
    // Goes back; counts against max_backtracks.
    void rewind(size_t mark);

    // Sets the byte range from the token at `mark` to the last consumed one and the height;
    // throws TOO_DEEP_AST past the limit.
    template <class T>
    std::shared_ptr<T> finish(std::shared_ptr<T> node, size_t mark)
    {
        finish_node(*node, mark);
        return node;
    }

    // --- names and literals
    bool peek_identifier(size_t ahead = 0);
    bool accept_identifier(std::string& name);
    std::string parse_identifier();
    // Identifier or string, for names that may be written in quotes.
    std::string parse_name_or_string();
    std::string parse_string();
    AstPtr parse_string_literal();
    // a.b.c as one text with dots (nested columns).
    std::string parse_compound_name();
    std::vector<std::string> parse_compound_parts();
    AstTableName parse_table_name();
    void parse_table_name_into(AstTableName& name);
    // Database name or a parameter.
    void parse_database_name(std::string& name, AstPtr& parameter);
    std::string parse_on_cluster(); // empty when not written
    std::string parse_uuid();
    uint64_t parse_unsigned();
    AstPtr parse_number_literal();
    AstPtr parse_literal();
    AstPtr make_number(size_t token, bool negative);

    // --- expressions (parser_expression.cpp, parser_operand.cpp, parser_function.cpp)
    AstPtr parse_expression() { return parse_operators(0); }
    AstPtr parse_operators(int min_priority);
    // With [AS alias]; `bare` also allows an alias without AS.
    AstPtr parse_aliased(bool bare = true);
    void parse_alias(Ast& node, bool bare);
    bool peek_bare_alias();
    AstList parse_expression_list(bool bare_aliases = true);
    AstPtr parse_operand();
    AstPtr parse_word_operand();
    AstPtr parse_name_operand();
    AstPtr parse_parenthesised();
    AstPtr parse_array_literal();
    AstPtr parse_map_literal();
    AstPtr parse_lambda();
    AstPtr parse_subquery_in_parentheses(); // at '('
    AstPtr parse_query_parameter();
    AstPtr parse_interval();
    AstPtr parse_case();
    AstPtr parse_cast_postfix(AstPtr operand, size_t begin);
    AstPtr parse_dot_postfix(AstPtr operand, size_t begin);
    AstPtr parse_function(std::string name, size_t begin);
    AstPtr parse_special_function(const std::string& name, size_t begin); // null: ordinary
    void parse_function_arguments(AstFunction& function);
    void parse_function_suffix(AstFunction& function);
    AstPtr parse_asterisk(std::vector<std::string> qualifier, size_t begin);
    AstPtr parse_columns_matcher(std::vector<std::string> qualifier, size_t begin);
    void parse_transformers(AstList& transformers);
    bool peek_subquery(size_t ahead); // at what follows '('
    bool peek_lambda();
    // DAY, DAYS, 'day' .. -> "Day"; consumes the word when `consume`.
    bool peek_interval_unit(std::string& unit, size_t ahead = 0);
    AstPtr parse_window_definition(); // from '(' on
    // --- PostgreSQL's dialect (parser_postgres.cpp, postgres_calls.cpp)
    // What the word at hand begins that only PostgreSQL has: ARRAY[..], ARRAY(SELECT ..). Or null.
    AstPtr parse_postgres_word();
    AstPtr parse_postgres_cast(AstPtr operand, size_t begin); // after :: or AS; null: not its type
    // unnest(array) and generate_series(a, b) as tables; null: neither follows.
    AstPtr parse_postgres_table();
    bool accept_collate();
    bool peek_postgres_operator();
    AstPtr parse_postgres_operator(AstPtr left, size_t begin);
    AstPtr parse_array_quantified(const std::string& operation, bool all, AstPtr left, size_t begin);
    AstPtr finish_postgres_call(AstPtr call, size_t begin);
    AstPtr parse_quantified(const std::string& operation, bool all, AstPtr left, size_t begin);

    // --- types
    AstPtr parse_type();
    AstPtr parse_type_argument();

    // --- queries (parser_select.cpp, parser_table.cpp)
    AstPtr parse_select_union();
    AstPtr parse_select_operand();
    AstPtr continue_select_union(AstPtr first, size_t begin);
    AstPtr continue_intersect(AstPtr first, size_t begin);
    SetOperation parse_set_quantity(SetOperation plain);
    bool peek_set_operation();
    AstPtr parse_select();
    void parse_with(AstSelect& select);
    void parse_select_clauses(AstSelect& select);
    void parse_group_by(AstSelect& select);
    void parse_order_by(AstSelect& select);
    void parse_limits(AstSelect& select);
    void parse_limit(AstSelect& select);
    void parse_fetch(AstSelect& select);
    AstPtr parse_order_by_element(bool allow_fill);
    AstList parse_order_by_list(bool allow_fill);
    void parse_from(AstSelect& select);
    bool accept_join(AstTableElement& element);
    AstPtr parse_table_element(std::shared_ptr<AstTableElement> element, size_t begin);
    AstPtr parse_table_expression();
    AstPtr parse_table_function_or_name();
    AstPtr parse_table_function();
    AstPtr parse_parameter_name(AstPtr database, size_t begin);
    AstPtr wrap_table(AstPtr table, size_t begin);
    AstPtr wrap_select(std::shared_ptr<AstSelect> select, size_t begin);
    AstPtr parse_settings(); // after the word SETTINGS
    AstPtr parse_setting_value();
    SettingChange parse_setting_change();

    // --- statements
    AstPtr parse_any_statement();
    AstPtr parse_with_output();
    AstPtr parse_output_statement();
    AstPtr parse_output_clauses(AstPtr statement, size_t begin);
    AstPtr parse_insert();
    AstPtr parse_explain();
    AstPtr parse_set();
    AstPtr parse_use();
    AstPtr parse_drop();
    AstPtr parse_rename(bool exchange);
    AstPtr parse_exists();
    AstPtr parse_show();
    AstPtr parse_describe();
    AstPtr parse_system();
    AstPtr parse_optimize();
    AstPtr parse_kill();
    AstPtr parse_check();
    AstPtr parse_backup(bool restore);
    AstPtr parse_transaction();
    AstPtr parse_delete();
    AstPtr parse_update();
    AstPtr parse_partition(); // from PARTITION or PART on
    AstPtr parse_assignment();
    AstList parse_assignments();
    AstList parse_update_assignments();
    void parse_like(AstPtr& like, bool& negated, bool& case_insensitive);

    AstPtr parse_create(bool attach);
    AstPtr parse_create_table(size_t begin, std::shared_ptr<AstCreateTable> create);
    AstPtr parse_create_view(size_t begin, std::shared_ptr<AstCreateTable> create);
    AstPtr parse_create_database(size_t begin, bool attach);
    AstPtr parse_create_function(size_t begin, bool or_replace);
    AstPtr parse_create_dictionary(size_t begin, bool attach, bool or_replace);
    AstPtr parse_dictionary_attribute();
    AstPtr parse_dictionary_function(); // SOURCE / LAYOUT contents
    AstPtr parse_create_index(size_t begin);
    void parse_create_name(AstCreateTable& create);
    void parse_table_elements(AstCreateTable& create); // inside ( )
    AstPtr parse_column_declaration(bool alter = false);
    AstPtr parse_index_declaration();
    AstPtr parse_constraint_declaration();
    AstPtr parse_projection_declaration();
    AstPtr parse_codec();
    AstPtr parse_engine();
    AstPtr parse_storage(bool with_engine_word = true); // null when nothing of it is there
    AstPtr parse_order_by_key();
    AstList parse_ttl_list();
    AstPtr parse_ttl_element();
    AstPtr parse_refresh();
    bool parse_sql_security(std::string& security, std::string& definer);
    AstPtr parse_simple_function(); // name or name(arguments)

    AstPtr parse_alter();
    AstPtr parse_alter_command();
    AstPtr parse_alter_database_command();
    void parse_alter_add(AstAlterCommand& command);
    void parse_alter_drop(AstAlterCommand& command);
    void parse_alter_modify(AstAlterCommand& command);
    void parse_alter_partition_word(AstAlterCommand& command);
    void parse_alter_statistics(AstAlterCommand& command, AlterAction action);
    bool parse_alter_object(AstAlterCommand& command, AlterAction column, AlterAction index,
                            AlterAction projection, AlterAction statistics);
    void parse_position(AstAlterCommand& command);
    std::vector<std::string> parse_setting_names();
    bool peek_next_alter_command();

    // --- access control (parser_access.cpp)
    AstPtr parse_grant(bool revoke);
    AstPtr parse_set_role();
    AstPtr parse_access_create(size_t begin, AccessVerb verb, bool or_replace); // null: not one
    AstPtr parse_access_drop(size_t begin);                                     // null: not one
    RoleSet parse_role_set();
    std::string parse_user_name();
    AstTableName parse_policy_table();
    AstPtr parse_create_user(size_t begin, std::shared_ptr<AstCreateUser> user);
    AstPtr parse_create_role(size_t begin, std::shared_ptr<AstCreateRole> role);
    AstPtr parse_create_row_policy(size_t begin, std::shared_ptr<AstCreateRowPolicy> policy);
    AstPtr parse_create_quota(size_t begin, std::shared_ptr<AstCreateQuota> quota);
    AstPtr parse_create_profile(size_t begin, std::shared_ptr<AstCreateSettingsProfile> profile);
    void parse_authentication(AstCreateUser& user);
    void parse_hosts(AstCreateUser& user);
    std::vector<ProfileElement> parse_profile_elements();
    AccessElement parse_access_element();
    bool parse_profile_changes(ProfileChanges& changes, AccessVerb verb);
    template <class Node>
    void parse_access_head(Node& node);

    // Whole-text entry points.
    AstPtr parse_whole_statement();
    void expect_end();
    const ParserLimits& limits() const { return limits_; }
    bool stopped_at_data() const { return stopped_at_data_; }
    std::string_view text() const { return text_; }

    class DepthGuard
    {
    public:
        explicit DepthGuard(Parser& parser) : parser_(parser) { parser_.enter(); }
        ~DepthGuard() { --parser_.depth_; }
        DepthGuard(const DepthGuard&) = delete;
        DepthGuard& operator=(const DepthGuard&) = delete;

    private:
        Parser& parser_;
    };

private:
    friend class DepthGuard;

    void read_token();
    void enter();
    void finish_node(Ast& node, size_t mark);
    bool words_match(std::string_view words, size_t& count);
    [[noreturn]] void throw_syntax_error(size_t token, const std::string& detail);
    void check_parentheses();

    std::string_view text_;
    ParserLimits limits_;
    Lexer lexer_;
    std::vector<Token> tokens_;
    size_t position_ = 0;
    size_t furthest_ = 0;
    std::vector<const char*> expected_;
    uint32_t depth_ = 0;
    uint64_t backtracks_ = 0;
    std::vector<size_t> interval_names_; // tokens INTERVAL that turned out to be names
    size_t copied_nodes_ = 0; // by BETWEEN
    const char* stack_base_ = nullptr;
    bool stopped_at_data_ = false;
    bool in_partition_follows_ = false; // IN PARTITION ends the expression
};

// "abc" -> "ABC", ASCII.
std::string to_upper(std::string_view text);
bool equals_ignoring_case(std::string_view text, std::string_view upper);

} // namespace basalt
