#include "engine/select.h"

#include "engine/access_check.h"

namespace basalt
{

Block run_plan(QueryPlan&& plan, QueryContextPtr context)
{
    QueryExecution execution(std::move(plan), context);
    std::vector<Block> blocks{Block::empty_of(execution.header())};
    for (Block block = execution.next(); block.rows() > 0; block = execution.next())
        blocks.push_back(block.flattened());
    return concat_blocks(blocks);
}

AnalyzerContext make_analyzer(StatementContext& statement)
{
    AnalyzerContext analyzer{statement.engine.catalog(), statement.context, {}, {}, {}, {}, {}};
    auto context = statement.context;
    analyzer.run_subquery = [context](QueryPlan&& plan)
    { return run_plan(std::move(plan), context); };
    auto* session = &statement.session;
    analyzer.find_temporary = [session](const std::string& name) -> TablePtr
    {
        auto it = session->temporary_tables.find(name);
        return it == session->temporary_tables.end() ? nullptr : it->second;
    };
    if (auto* objects = statement.objects)
        analyzer.on_read = [objects](const TablePtr& table, const std::vector<std::string>& columns)
        { objects->add(*table, columns); };
    add_read_checks(analyzer, statement);
    return analyzer;
}

namespace
{

class SelectResult : public ResultStream
{
public:
    SelectResult(QueryPlan plan, QueryContextPtr context)
        : execution_(std::move(plan), std::move(context))
    {
    }
    const Header& header() const override { return execution_.header(); }
    Block next() override { return execution_.next(); }
    std::optional<Block> totals() override { return execution_.totals(); }
    std::optional<Block> extremes() override { return execution_.extremes(); }
    std::optional<uint64_t> rows_before_limit() const override
    {
        return execution_.rows_before_limit();
    }

private:
    QueryExecution execution_;
};

} // namespace

ResultPtr run_select(const AstPtr& select, StatementContext& statement)
{
    AnalyzerContext analyzer = make_analyzer(statement);
    QueryPlan plan = analyze(select, analyzer);
    plan.extremes = plan.extremes || statement.context->settings.get_bool("extremes");
    return std::make_unique<SelectResult>(std::move(plan), statement.context);
}

} // namespace basalt
