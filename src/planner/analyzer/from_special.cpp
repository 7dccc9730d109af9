#include "planner/analyzer/select_analyzer.h"

#include "planner/rules/rules.h"

#include <fmt/format.h>
#include <re2/re2.h>

namespace basalt
{

PlanPtr SelectAnalyzer::plan_cte(const std::string& name, ScopeTable& scope)
{
    const CteReference cte = find_cte(name);
    if (!cte.element)
        return nullptr;
    const auto round = state_.recursion_rounds.find(cte.element);
    if (round != state_.recursion_rounds.end())
        return plan_block(round->second, scope);
    if (state_.open_ctes.contains(cte.element))
        return nullptr; // its own name inside means a table
    if (cte.owner->recursive_ctes_.contains(cte.element) && names_itself(*cte.element))
        return plan_recursive_cte(*cte.element, *cte.owner, scope);
    state_.open_ctes.insert(cte.element);
    struct Close
    {
        std::set<const AstWithElement*>& open;
        const AstWithElement* element;
        ~Close() { open.erase(element); }
    } close{state_.open_ctes, cte.element};
    return plan_subquery(cte.element->subquery->as<AstSubquery>()->query, cte.owner,
                         cte.element->columns, scope);
}

namespace
{

bool reads_table(const Ast& ast, const std::string& name)
{
    if (const auto* element = ast.as<AstTableElement>(); element && element->table)
        if (const auto* identifier = element->table->as<AstIdentifier>();
            identifier && identifier->parts.size() == 1 && identifier->parts[0] == name)
            return true;
    bool found = false;
    const_cast<Ast&>(ast).for_each_child([&](AstPtr& child)
                                         { found = found || reads_table(*child, name); });
    return found;
}

} // namespace

bool SelectAnalyzer::names_itself(const AstWithElement& cte)
{
    return reads_table(*cte.subquery, cte.name);
}

PlanPtr SelectAnalyzer::plan_block(const Block& block, ScopeTable& scope)
{
    auto node = std::make_unique<BlocksNode>();
    const std::string prefix = state_.table_prefix();
    Block renamed(std::vector<NamedColumn>{}, block.rows());
    for (const NamedColumn& column : block.columns())
    {
        const std::string id = prefix + column.name;
        node->output.push_back({id, column.type});
        renamed.add({column.column, column.type, id});
        scope.add({column.name, Expression::input(id, column.type)});
    }
    if (block.rows() > 0)
        node->blocks.push_back(std::move(renamed));
    return node;
}

// Runs while the query is analyzed: the first member of the UNION, then the others over the rows
// of the round before, until a round gives none.
PlanPtr SelectAnalyzer::plan_recursive_cte(const AstWithElement& cte, SelectAnalyzer& owner,
                                           ScopeTable& scope)
{
    const AstPtr& query = cte.subquery->as<AstSubquery>()->query;
    const auto* members = query->as<AstSelectUnion>();
    if (!members || members->selects.size() < 2)
        throw Error(error_codes::UNSUPPORTED_METHOD,
                    fmt::format("Recursive CTE {} must be a UNION ALL", cte.name));
    for (const SetOperation operation : members->operations)
        if (operation != SetOperation::UnionAll)
            throw Error(error_codes::UNSUPPORTED_METHOD,
                        fmt::format("Recursive CTE {} must use UNION ALL", cte.name));
    const uint64_t max_rounds =
        context_.settings.get_uint("max_recursive_cte_evaluation_depth");
    Header header;
    auto plan_member = [&](const AstPtr& member)
    {
        PlannedQuery planned = plan_query(member, state_, &owner);
        if (!header.empty() && planned.names.size() != header.size())
            throw Error(error_codes::UNION_ALL_RESULT_STRUCTURES_MISMATCH,
                        fmt::format("Members of recursive CTE {} have different numbers of "
                                    "columns",
                                    cte.name));
        return planned;
    };
    auto run = [&](PlannedQuery planned)
    {
        auto project = std::make_unique<ProjectNode>();
        project->output = header;
        for (size_t i = 0; i < header.size(); ++i)
            project->expressions.push_back(
                cast_to(Expression::input(planned.root->output[i].name,
                                          planned.root->output[i].type),
                        header[i].type, context_));
        project->inputs.push_back(std::move(planned.root));
        QueryPlan plan;
        plan.root = std::move(project);
        for (const NamedType& column : header)
            plan.result_names.push_back(column.name);
        optimize(plan, state_.context);
        return state_.context.run_subquery(std::move(plan));
    };
    PlannedQuery first = plan_member(members->selects[0]);
    for (size_t i = 0; i < first.names.size(); ++i)
        header.push_back({i < cte.columns.size() ? cte.columns[i] : first.names[i],
                          first.root->output[i].type});
    // Types that hold what every round gives: n UInt8 with n + 1 grows to UInt64.
    constexpr size_t kMaxTypeRounds = 16;
    const auto scalars_before = state_.scalars;
    const auto sets_before = state_.set_blocks;
    for (size_t round = 0; round < kMaxTypeRounds; ++round)
    {
        state_.recursion_rounds[&cte] = Block::empty_of(header);
        bool changed = false;
        for (size_t m = 1; m < members->selects.size(); ++m)
        {
            const PlannedQuery planned = plan_member(members->selects[m]);
            for (size_t i = 0; i < header.size(); ++i)
            {
                const TypePtr type =
                    common_type({header[i].type, planned.root->output[i].type});
                changed = changed || !same_type(type, header[i].type);
                header[i].type = type;
            }
        }
        if (!changed)
            break;
    }
    state_.scalars = scalars_before;
    state_.set_blocks = sets_before;
    std::vector<Block> rounds{run(std::move(first))};
    for (uint64_t round = 0; rounds.back().rows() > 0; ++round)
    {
        if (round >= max_rounds)
            throw Error(error_codes::TOO_DEEP_RECURSION,
                        fmt::format("Maximum recursive CTE evaluation depth ({}) exceeded during "
                                    "evaluation of {}. Consider raising "
                                    "max_recursive_cte_evaluation_depth setting",
                                    max_rounds, cte.name));
        context_.check_alive();
        state_.recursion_rounds[&cte] = rounds.back();
        // Results of subqueries that read the CTE belong to this round only.
        const auto scalars = state_.scalars;
        const auto set_blocks = state_.set_blocks;
        std::vector<Block> next;
        for (size_t i = 1; i < members->selects.size(); ++i)
            next.push_back(run(plan_member(members->selects[i])));
        state_.scalars = scalars;
        state_.set_blocks = set_blocks;
        rounds.push_back(concat_blocks(next));
    }
    state_.recursion_rounds.erase(&cte);
    return plan_block(concat_blocks(rounds), scope);
}

PlanPtr SelectAnalyzer::plan_merge(const AstFunction& call, ScopeTable& scope)
{
    const auto arguments = table_function_arguments(call);
    if (arguments.empty() || arguments.size() > 2)
        throw Error(error_codes::NUMBER_OF_ARGUMENTS_DOESNT_MATCH,
                    "Table function 'merge' requires from 1 to 2 parameters: "
                    "merge(['db_name',] 'tables_regexp')");
    auto text = [&](const TableFunctionArgument& argument)
    {
        if (const auto* value = argument.value.get_if<std::string>())
            return *value;
        if (const auto* identifier = argument.ast->as<AstIdentifier>())
            return identifier->full_name();
        throw Error(error_codes::BAD_ARGUMENTS, "Arguments of 'merge' must be strings");
    };
    const std::string database = arguments.size() == 2 ? text(arguments[0]) : state_.database;
    const re2::RE2 regex(text(arguments.back()), re2::RE2::Quiet);
    std::vector<TablePtr> tables;
    for (const TablePtr& table : state_.context.catalog.tables(database))
        if (re2::RE2::PartialMatch(table->table_name().table, regex))
            tables.push_back(table);
    if (tables.empty())
        throw Error(error_codes::CANNOT_EXTRACT_TABLE_STRUCTURE,
                    fmt::format("There is no table satisfied the regexp {} in database {}",
                                text(arguments.back()), database));
    // Columns of all tables; where one has no such column it gives the default.
    std::vector<std::string> names;
    std::map<std::string, Types> types;
    std::vector<ScopeTable> scopes(tables.size());
    std::vector<PlanPtr> plans;
    AstTableElement plain;
    for (size_t t = 0; t < tables.size(); ++t)
    {
        plans.push_back(plan_stored_table(tables[t], plain, scopes[t]));
        for (const ScopeColumn& column : scopes[t].columns)
        {
            if (column.hidden)
                continue;
            if (!types.contains(column.name))
                names.push_back(column.name);
            types[column.name].push_back(column.value->type());
        }
    }
    auto node = std::make_unique<UnionNode>();
    const std::string prefix = state_.table_prefix();
    for (const std::string& name : names)
        node->output.push_back({prefix + name, common_type(types[name])});
    const TypePtr text_type =
        std::make_shared<LowCardinalityType>(simple_type(TypeId::String));
    node->output.push_back({prefix + "_database", text_type});
    node->output.push_back({prefix + "_table", text_type});
    for (size_t t = 0; t < tables.size(); ++t)
    {
        auto project = std::make_unique<ProjectNode>();
        project->output = node->output;
        for (size_t c = 0; c < names.size(); ++c)
        {
            const TypePtr& type = node->output[c].type;
            auto it = scopes[t].by_name.find(names[c]);
            project->expressions.push_back(
                it == scopes[t].by_name.end()
                    ? Expression::constant(type, type->default_value())
                    : cast_to(scopes[t].columns[it->second].value, type, context_));
        }
        const TableName name = tables[t]->table_name();
        project->expressions.push_back(Expression::constant(text_type, Value(name.database)));
        project->expressions.push_back(Expression::constant(text_type, Value(name.table)));
        project->inputs.push_back(std::move(plans[t]));
        node->inputs.push_back(std::move(project));
    }
    for (const NamedType& column : node->output)
        scope.add({column.name.substr(prefix.size()), Expression::input(column.name, column.type),
                   column.name.substr(prefix.size())[0] == '_'});
    return node;
}

} // namespace basalt
