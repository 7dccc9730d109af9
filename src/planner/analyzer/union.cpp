#include "planner/analyzer/select_analyzer.h"

#include "planner/rules/rules.h"
#include "sql/formatter.h"

#include <fmt/format.h>

namespace basalt
{

namespace
{

enum class Combine : uint8_t
{
    UnionAll,
    UnionDistinct,
    IntersectAll,
    IntersectDistinct,
    ExceptAll,
    ExceptDistinct,
};

Combine combine_of(SetOperation operation, const QueryContext& context)
{
    auto by_default = [&](const char* setting, Combine all, Combine distinct)
    {
        const auto mode = context.settings.get(setting);
        if (mode == "ALL")
            return all;
        if (mode == "DISTINCT")
            return distinct;
        throw Error(error_codes::EXPECTED_ALL_OR_DISTINCT,
                    fmt::format("Expected ALL or DISTINCT in SelectWithUnion query, because "
                                "setting ({}) is empty",
                                setting));
    };
    switch (operation)
    {
    case SetOperation::UnionAll:
        return Combine::UnionAll;
    case SetOperation::UnionDistinct:
        return Combine::UnionDistinct;
    case SetOperation::IntersectAll:
        return Combine::IntersectAll;
    case SetOperation::IntersectDistinct:
        return Combine::IntersectDistinct;
    case SetOperation::ExceptAll:
        return Combine::ExceptAll;
    case SetOperation::ExceptDistinct:
        return Combine::ExceptDistinct;
    case SetOperation::UnionDefault:
        return by_default("union_default_mode", Combine::UnionAll, Combine::UnionDistinct);
    case SetOperation::IntersectDefault:
        return by_default("intersect_default_mode", Combine::IntersectAll,
                          Combine::IntersectDistinct);
    default:
        return by_default("except_default_mode", Combine::ExceptAll, Combine::ExceptDistinct);
    }
}

PlanPtr converted(PlanPtr input, const Header& to, const QueryContext& context)
{
    bool same = true;
    for (size_t i = 0; i < to.size(); ++i)
        same = same && same_type(input->output[i].type, to[i].type) &&
               input->output[i].name == to[i].name;
    if (same)
        return input;
    auto node = std::make_unique<ProjectNode>();
    node->output = to;
    for (size_t i = 0; i < to.size(); ++i)
        node->expressions.push_back(
            cast_to(Expression::input(input->output[i].name, input->output[i].type), to[i].type,
                    context));
    node->inputs.push_back(std::move(input));
    return node;
}

PlanPtr distinct_of(PlanPtr input)
{
    auto node = std::make_unique<DistinctNode>();
    node->output = input->output;
    node->inputs.push_back(std::move(input));
    return node;
}

PlannedQuery combine(PlannedQuery left, std::vector<PlannedQuery> rights, Combine how,
                     const QueryContext& context)
{
    Header header;
    for (size_t i = 0; i < left.names.size(); ++i)
    {
        Types types{left.root->output[i].type};
        for (const PlannedQuery& right : rights)
        {
            if (right.names.size() != left.names.size())
                throw Error(how <= Combine::UnionDistinct
                                ? error_codes::UNION_ALL_RESULT_STRUCTURES_MISMATCH
                                : error_codes::INTERSECT_OR_EXCEPT_RESULT_STRUCTURES_MISMATCH,
                            fmt::format("Different number of columns in {}: {} and {}",
                                        how <= Combine::UnionDistinct ? "UNION"
                                                                      : "INTERSECT or EXCEPT",
                                        left.names.size(), right.names.size()));
            types.push_back(right.root->output[i].type);
        }
        bool all_same = true;
        for (const TypePtr& type : types)
            all_same = all_same && same_type(type, types[0]);
        header.push_back({left.root->output[i].name, all_same ? types[0] : common_type(types)});
    }
    PlannedQuery result;
    result.names = left.names;
    if (how <= Combine::UnionDistinct)
    {
        auto node = std::make_unique<UnionNode>();
        node->output = header;
        node->inputs.push_back(converted(std::move(left.root), header, context));
        for (PlannedQuery& right : rights)
            node->inputs.push_back(converted(std::move(right.root), header, context));
        result.root = std::move(node);
        if (how == Combine::UnionDistinct)
            result.root = distinct_of(std::move(result.root));
        return result;
    }
    auto node = std::make_unique<SetOperationNode>();
    node->output = header;
    node->except = how >= Combine::ExceptAll;
    node->all = how == Combine::ExceptAll || how == Combine::IntersectAll;
    node->inputs.push_back(converted(std::move(left.root), header, context));
    node->inputs.push_back(converted(std::move(rights[0].root), header, context));
    result.root = std::move(node);
    return result;
}

} // namespace

PlannedQuery plan_query(const AstPtr& query, AnalysisState& state, SelectAnalyzer* parent,
                        const AstList* inherited_with)
{
    struct Nesting
    {
        size_t& depth;
        explicit Nesting(size_t& d) : depth(d) { ++depth; }
        ~Nesting() { --depth; }
    } nesting(state.nesting);
    if (state.nesting > kMaxQueryNesting)
        throw Error(error_codes::TOO_DEEP_SUBQUERIES,
                    fmt::format("Too deep subqueries. Maximum: {}", kMaxQueryNesting));
    if (const auto* subquery = query->as<AstSubquery>())
        return plan_query(subquery->query, state, parent, inherited_with);
    if (const auto* select = query->as<AstSelect>())
        return SelectAnalyzer(*select, state, parent, inherited_with).run();
    const auto* members = query->as<AstSelectUnion>();
    if (!members || members->selects.empty())
        throw Error(error_codes::UNSUPPORTED_METHOD,
                    fmt::format("{} is not a query that gives rows", format_query(*query)));

    // WITH of the first member serves the others too.
    const AstList* with = inherited_with;
    if (members->selects.size() > 1)
        if (const auto* first = members->selects[0]->as<AstSelect>(); first && !first->with.empty())
            with = &first->with;
    PlannedQuery result = plan_query(members->selects[0], state, parent, inherited_with);
    for (size_t i = 1; i < members->selects.size();)
    {
        const Combine how = combine_of(members->operations[i - 1], state.query());
        std::vector<PlannedQuery> rights;
        rights.push_back(plan_query(members->selects[i], state, parent, with));
        ++i;
        // One node for a chain of the same UNION.
        while (how <= Combine::UnionDistinct && i < members->selects.size() &&
               combine_of(members->operations[i - 1], state.query()) == how)
            rights.push_back(plan_query(members->selects[i++], state, parent, with));
        result = combine(std::move(result), std::move(rights), how, state.query());
    }
    return result;
}

QueryPlan analyze(const AstPtr& query, AnalyzerContext& context)
{
    AnalysisState state{context};
    state.database = context.database.empty() ? context.context->current_database
                                              : context.database;
    PlannedQuery planned = plan_query(query, state, nullptr);
    QueryPlan plan;
    plan.root = std::move(planned.root);
    plan.result_names = std::move(planned.names);
    plan.extremes = context.context->settings.get_bool("extremes");

    const uint64_t limit = context.context->settings.get_uint("limit");
    const uint64_t offset = context.context->settings.get_uint("offset");
    if (limit || offset)
    {
        auto node = std::make_unique<LimitNode>();
        node->output = plan.root->output;
        node->limit = limit;
        node->has_limit = limit != 0;
        node->offset = offset;
        node->inputs.push_back(std::move(plan.root));
        plan.root = std::move(node);
    }
    optimize(plan, context);
    return plan;
}

Header analyze_header(const AstPtr& query, AnalyzerContext& context)
{
    AnalysisState state{context};
    state.database = context.database.empty() ? context.context->current_database
                                              : context.database;
    PlannedQuery planned = plan_query(query, state, nullptr);
    // Types of columns are for those who may read them.
    if (context.on_read)
    {
        prune_columns(*planned.root);
        report_reads(*planned.root, context);
    }
    Header header;
    for (size_t i = 0; i < planned.names.size(); ++i)
        header.push_back({planned.names[i], planned.root->output[i].type});
    return header;
}

} // namespace basalt
