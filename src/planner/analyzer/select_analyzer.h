#pragma once

// One SELECT: the state that the files of this folder share. A SelectAnalyzer lives while its
// SELECT is analyzed; subqueries get analyzers of their own that know their parent.

#include "binder/binder.h"
#include "planner/analyzer.h"
#include "planner/analyzer/scope.h"
#include "sql/ast_select.h"

#include <map>
#include <optional>
#include <set>
#include <unordered_map>
#include <unordered_set>

namespace basalt
{

class SelectAnalyzer;

// Of a whole query: ids that are unique in it, results of subqueries that ran already.
struct AnalysisState
{
    AnalyzerContext& context;
    size_t next_table = 1;
    size_t next_subquery = 1;
    size_t nesting = 0;
    std::string database;                            // unqualified names resolve here
    std::set<const AstWithElement*> open_ctes;       // being planned: they do not see themselves
    std::unordered_map<std::string, ExpressionPtr> scalars;  // by text
    std::unordered_map<std::string, Block> set_blocks;       // by text
    // Recursive CTEs: the rows that the recursive part reads in this round.
    std::map<const AstWithElement*, Block> recursion_rounds;
    // Of a correlated subquery that is planned alone: what its names mean in the queries around it,
    // null for a name they do not know. Empty elsewhere.
    std::function<ExpressionPtr(const AstIdentifier&)> outer;
    // Set when a subquery named a column of this query, right before the error that says so.
    const SelectAnalyzer* correlated_with = nullptr;

    const QueryContext& query() const { return *context.context; }
    std::string table_prefix() { return "__table" + std::to_string(next_table++) + "."; }
};

struct PlannedQuery
{
    PlanPtr root;
    std::vector<std::string> names; // one per column of root->output
};

// Analyzes a SELECT or a union of them; `parent` gives CTEs and WITH aliases, and may be null.
PlannedQuery plan_query(const AstPtr& query, AnalysisState& state, SelectAnalyzer* parent,
                        const AstList* inherited_with = nullptr);

// subquery.cpp: runs the query for its first rows.
Block run_limited(PlannedQuery planned, uint64_t rows, AnalysisState& state);
QueryPlan plan_of(PlannedQuery planned, AnalysisState& state);

class SelectAnalyzer final : public ExpressionBinder
{
public:
    SelectAnalyzer(const AstSelect& select, AnalysisState& state, SelectAnalyzer* parent,
                   const AstList* inherited_with);

    PlannedQuery run();

    // Looks here and in the parents.
    struct CteReference
    {
        const AstWithElement* element = nullptr;
        SelectAnalyzer* owner = nullptr;
    };
    CteReference find_cte(const std::string& name);
    const AstPtr* find_with_alias(const std::string& name) const;

protected:
    ExpressionPtr resolve_identifier(const AstIdentifier& identifier) override;
    ExpressionPtr bind_special_call(const AstFunction& call) override;
    ExpressionPtr bind_subquery(const AstSubquery& subquery) override;
    ExpressionPtr bind_exists(const AstFunction& call) override;
    ExpressionPtr bind_query_set(const ExpressionPtr& left, const Ast& right) override;
    ExpressionPtr bind_aliased(const Ast& ast) override;
    const AstLambda* find_lambda(std::string_view name) override;
    bool expand_argument(const Ast& argument, AstList& out) override;
    std::string scope_text() const override;
    std::vector<std::string> known_names() const override;

private:
    // Where an expression stands; decides what it may hold and what columns mean.
    enum class Stage : uint8_t
    {
        Rows,        // FROM, WHERE, GROUP BY keys, arguments of aggregates
        Aggregated,  // SELECT, HAVING, ORDER BY of a query with aggregation
        Plain,       // the same of a query without
    };
    struct ProjectionItem
    {
        AstPtr ast;
        std::string name;
        ExpressionPtr value;
        std::string id;
    };
    struct ArrayJoinCall
    {
        std::string id;
        ExpressionPtr argument;
        bool after_aggregation = false;
        bool applied = false;
    };

    // names.cpp
    void expand_projection();
    bool expand_untuple(const Ast& ast);
    void expand_matcher(const Ast& matcher, AstList& out);
    bool is_matcher(const Ast& ast) const;
    AstPtr column_node(size_t table, size_t column) const;
    const ScopeColumn* column_of_node(const AstIdentifier& identifier) const;
    std::string display_name(const Ast& ast);
    void shorten_names(AstPtr& ast, const std::set<std::string>& hidden);

    // select.cpp
    void collect_aliases();
    void collect_aliases_of(const AstPtr& ast, bool in_lambda);
    ExpressionPtr bind_alias(const std::string& name, const Ast& ast);
    ExpressionPtr resolve_alias(const AstIdentifier& identifier);
    ExpressionPtr resolve_column(const AstIdentifier& identifier);
    ExpressionPtr resolve_own(const AstIdentifier& identifier);
    ExpressionPtr resolve_outer(const AstIdentifier& identifier);
    // subquery.cpp: nothing when the query reads columns of this one.
    std::optional<PlannedQuery> plan_alone(const AstPtr& query);
    // correlated.cpp
    ExpressionPtr bind_correlated(const AstPtr& query, bool exists);
    ExpressionPtr bind_in_stage(const Ast& ast, Stage stage, const char* clause);
    ExpressionPtr bind_output(const Ast& ast, const char* clause); // after aggregation
    void apply_filter(const AstPtr& ast, const char* clause);
    void check_prewhere() const;
    void prewhere_before_final();
    void keep_if(ExpressionPtr condition, bool for_totals);
    void project(const Expressions& values, const std::vector<std::string>& names,
                 bool keep_input);
    // Makes a column of each expression (named by its fingerprint) and returns the names.
    std::vector<std::string> ensure_columns(const Expressions& values);
    std::string column_of(const ExpressionPtr& value) const;
    bool has_current_column(const std::string& name) const;
    AstPtr positional(const AstPtr& ast, const char* clause) const;
    PlannedQuery finish_projection();

    // from.cpp
    void build_from();
    void check_alias(const AstTableElement& element) const;
    PlanPtr plan_table(const AstTableElement& element, ScopeTable& scope);
    PlanPtr plan_identifier(const AstIdentifier& identifier, const AstTableElement& element,
                            ScopeTable& scope);
    PlanPtr plan_stored_table(const TablePtr& table, const AstTableElement& element,
                              ScopeTable& scope);
    PlanPtr plan_table_function(const AstFunction& call, const AstTableElement& element,
                                ScopeTable& scope);
    PlanPtr plan_subquery(const AstPtr& query, SelectAnalyzer* parent,
                          const std::vector<std::string>& column_names, ScopeTable& scope);
    TablePtr find_caught_up(const TableName& name);
    PlanPtr plan_view(const ViewTable& view, ScopeTable& scope);
    PlanPtr plan_merge(const AstFunction& call, ScopeTable& scope);
    PlanPtr plan_cte(const std::string& name, ScopeTable& scope);
    static bool names_itself(const AstWithElement& cte);
    PlanPtr plan_recursive_cte(const AstWithElement& cte, SelectAnalyzer& owner,
                               ScopeTable& scope);
    PlanPtr plan_block(const Block& block, ScopeTable& scope);
    PlanPtr apply_row_policy(const TableName& name, PlanPtr plan, const ScopeTable& scope);
    std::vector<TableFunctionArgument> table_function_arguments(const AstFunction& call);
    void read_modifiers(const AstTableElement& element, ReadNode& read);

    // join.cpp
    void join(const AstTableElement& element, PlanPtr right, ScopeTable right_scope);
    struct JoinSides;
    void split_on(const AstPtr& on, JoinNode& node, JoinSides& sides);
    void array_join(const AstTableElement& element);

    // aggregate.cpp
    void find_aggregation();
    bool holds_aggregate(const Ast& ast, std::set<std::string>& seen) const;
    bool is_aggregate_name(const std::string& name) const;
    void build_aggregation();
    void collect_keys();
    void add_key(const AstPtr& ast, std::vector<size_t>* set);
    void collect_group_by_all(const AstPtr& ast);
    ExpressionPtr bind_aggregate(const AstFunction& call);
    ExpressionPtr bind_grouping(const AstFunction& call);
    ExpressionPtr finish_aggregated(const ExpressionPtr& value);
    AggregateFunctionPtr make_aggregate(const AstFunction& call, const Expressions& arguments);
    ExpressionPtr bind_array_join_call(const AstFunction& call);
    void apply_array_joins(bool after_aggregation);

    // window.cpp
    ExpressionPtr bind_window(const AstFunction& call);
    void build_windows();

    // order.cpp
    void bind_order();
    void build_order_and_limits();
    void build_fill();
    uint64_t constant_count(const Ast& ast, const char* clause);

    const AstSelect& select_;
    AnalysisState& state_;
    SelectAnalyzer* parent_;
    std::map<std::string, const AstWithElement*> ctes_;
    std::set<const AstWithElement*> recursive_ctes_;
    std::map<std::string, AstPtr> with_aliases_;
    const AstList* inherited_with_;

    FromScope from_;
    PlanPtr current_;
    std::vector<ProjectionItem> items_;

    std::map<std::string, AstPtr, std::less<>> aliases_;
    std::set<std::string> aliases_in_lambdas_; // may use the lambda's parameters
    std::set<std::string> resolving_;          // aliases being bound
    std::unordered_map<std::string, ExpressionPtr> alias_cache_[3];
    bool cycle_met_ = false;
    bool binding_from_ = false;

    Stage stage_ = Stage::Rows;
    const char* clause_ = "";
    bool in_aggregate_ = false;
    bool in_window_ = false;
    bool windows_allowed_ = false;

    bool aggregates_ = false;
    bool aggregation_built_ = false;
    bool grouping_sets_used_ = false;
    std::vector<ExpressionPtr> keys_;
    std::unordered_map<std::string, size_t> key_by_text_;
    std::vector<std::vector<size_t>> grouping_sets_;
    struct PendingAggregate
    {
        std::string id;
        AggregateFunctionPtr function;
        Expressions arguments;
    };
    std::vector<PendingAggregate> aggregate_calls_;
    std::unordered_set<std::string> kept_inputs_; // ids that exist after aggregation

    std::vector<ArrayJoinCall> array_joins_;

    struct PendingWindow
    {
        Expressions partition_by;
        Expressions order_by;
        std::vector<bool> descending, nulls_first;
        WindowFrame frame;
        struct Call
        {
            WindowCall call;
            Expressions arguments;
        };
        std::vector<Call> calls;
    };
    std::map<std::string, PendingWindow> windows_;
    std::vector<std::string> window_order_;

    struct OrderItem
    {
        ExpressionPtr value;
        const AstOrderByElement* element;
        std::string id;
    };
    std::vector<OrderItem> order_;
    Expressions limit_by_;
};

} // namespace basalt
