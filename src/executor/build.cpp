#include "executor/build.h"

#include "base/error.h"

#include <fmt/format.h>

#include <unordered_map>

namespace basalt
{

size_t position_of(const Header& header, std::string_view name)
{
    for (size_t i = 0; i < header.size(); ++i)
        if (header[i].name == name)
            return i;
    std::fprintf(stderr, "basalt: plan column '%.*s' is missing\n", static_cast<int>(name.size()),
                 name.data());
    BASALT_ASSERT(!"a plan names a column that its input does not have");
    return 0;
}

SortKeys sort_keys_of(const Header& header, const std::vector<OrderKey>& keys)
{
    SortKeys sort_keys;
    for (const OrderKey& key : keys)
    {
        if (!key.collation.empty())
            throw Error(error_codes::NOT_IMPLEMENTED, "COLLATE in ORDER BY is not implemented");
        sort_keys.push_back(
            {position_of(header, key.column), key.descending, key.nulls_first});
    }
    return sort_keys;
}

namespace
{

// Before the inputs are built: the outermost LIMIT is the one met first.
void claim_rows_before_limit(const PlanNode& limit, BuildState& state)
{
    if (state.rows_before_limit)
        return;
    state.rows_before_limit = std::make_shared<std::atomic<uint64_t>>(0);
    const PlanNode* at = limit.inputs[0].get();
    while (at->kind == PlanKind::Project)
        at = at->inputs[0].get();
    state.counts_before_limit = at->kind == PlanKind::Sort ? at : &limit;
}

// HAVING above GROUP BY … WITH TOTALS also says which groups count in the totals.
void give_having(const FilterNode& filter, const QueryContext& context)
{
    if (!filter.for_totals_too)
        return;
    ExpressionPtr condition = filter.condition;
    PlanNode* at = filter.inputs[0].get();
    for (; at->kind == PlanKind::Project; at = at->inputs[0].get())
    {
        const auto& project = static_cast<const ProjectNode&>(*at);
        std::unordered_map<std::string, ExpressionPtr> values;
        for (size_t i = 0; i < project.expressions.size(); ++i)
            values.emplace(project.output[i].name, project.expressions[i]);
        condition = replace_inputs(condition, values, context);
    }
    if (at->kind == PlanKind::Aggregate)
        static_cast<AggregateNode*>(at)->having = condition;
}

} // namespace

OperatorPtr build_operator(PlanNode& node, BuildState& state)
{
    if (node.kind == PlanKind::Limit)
        claim_rows_before_limit(node, state);
    if (node.kind == PlanKind::Filter)
        give_having(static_cast<const FilterNode&>(node), *state.context);
    auto input = [&](size_t i) { return build_operator(*node.inputs[i], state); };
    auto all_inputs = [&]
    {
        std::vector<OperatorPtr> inputs;
        for (auto& child : node.inputs)
            inputs.push_back(build_operator(*child, state));
        return inputs;
    };
    switch (node.kind)
    {
    case PlanKind::Read:
        return build_read(static_cast<ReadNode&>(node), state);
    case PlanKind::Blocks:
        return build_blocks(static_cast<BlocksNode&>(node), state);
    case PlanKind::Project:
        return build_project(static_cast<ProjectNode&>(node), input(0), state);
    case PlanKind::Filter:
        return build_filter(static_cast<FilterNode&>(node), input(0), state);
    case PlanKind::Aggregate:
        return build_aggregate(static_cast<AggregateNode&>(node), input(0), state);
    case PlanKind::Window:
        return build_window(static_cast<WindowNode&>(node), input(0), state);
    case PlanKind::Sort:
        return build_sort(static_cast<SortNode&>(node), input(0), state);
    case PlanKind::Limit:
        return build_limit(static_cast<LimitNode&>(node), input(0), state);
    case PlanKind::LimitBy:
        return build_limit_by(static_cast<LimitByNode&>(node), input(0), state);
    case PlanKind::Distinct:
        return build_distinct(static_cast<DistinctNode&>(node), input(0), state);
    case PlanKind::Union:
        return build_union(static_cast<UnionNode&>(node), all_inputs(), state);
    case PlanKind::SetOperation:
        return build_set_operation(static_cast<SetOperationNode&>(node), all_inputs(), state);
    case PlanKind::Join:
        return build_join(static_cast<JoinNode&>(node), input(0), input(1), state);
    case PlanKind::ArrayJoin:
        return build_array_join(static_cast<ArrayJoinNode&>(node), input(0), state);
    case PlanKind::Fill:
        return build_fill(static_cast<FillNode&>(node), input(0), state);
    }
    BASALT_ASSERT(!"unknown plan node");
    return nullptr;
}

QueryExecution::QueryExecution(QueryPlan plan, QueryContextPtr context)
    : context_(std::move(context)), plan_(std::move(plan)), with_extremes_(plan_.extremes)
{
    BuildState state;
    state.context = context_;
    state.max_threads = std::min<size_t>(context_->max_threads(), 128);
    state.block_rows =
        std::clamp<size_t>(context_->settings.get_uint("max_block_size"), 1, 1 << 20);
    root_ = build_operator(*plan_.root, state);
    rows_before_limit_ = state.rows_before_limit;
    header_ = root_->header();
    BASALT_ASSERT(header_.size() == plan_.result_names.size());
    for (size_t i = 0; i < header_.size(); ++i)
        header_[i].name = plan_.result_names[i];
}

QueryExecution::~QueryExecution()
{
    // Operators refer to the plan: they go first.
    gathered_.reset();
    root_.reset();
}

QueryExecution::QueryExecution(QueryExecution&&) noexcept = default;

Block QueryExecution::renamed(Block block) const
{
    for (size_t i = 0; i < block.width(); ++i)
        block[i].name = header_[i].name;
    return block;
}

size_t QueryExecution::stream_count() const
{
    return root_ ? root_->stream_count() : 1;
}

Block QueryExecution::next()
{
    if (!gathered_)
        gathered_ = gather(std::move(root_), context_);
    context_->check_alive();
    Block block = gathered_->next(0);
    if (block.rows() == 0)
        return block;
    block = renamed(std::move(block));
    if (with_extremes_)
        note_extremes(block);
    return block;
}

void QueryExecution::drain_parallel(const std::function<void(size_t, Block&&)>& consume)
{
    drain(*root_, *context_,
          [&](size_t stream, Block&& block) { consume(stream, renamed(std::move(block))); });
}

std::optional<Block> QueryExecution::totals()
{
    Operator* top = gathered_ ? gathered_.get() : root_.get();
    auto totals = top->totals();
    if (totals)
        totals = renamed(std::move(*totals));
    return totals;
}

namespace
{

// Two rows: the least and the greatest value; of a tuple those of each element. NULL and NaN only
// when there is nothing else. At least one row, flat.
ColumnPtr extremes_of(const Column& column)
{
    if (column.form() == ColumnForm::Tuple)
    {
        Columns elements;
        for (const auto& element : column_as<TupleColumn>(column).elements())
            elements.push_back(extremes_of(*element));
        return TupleColumn::make(std::move(elements), 2);
    }
    size_t low = 0, high = 0;
    for (size_t i = 1; i < column.size(); ++i)
    {
        if (column.compare_at(i, column, low, 1) < 0)
            low = i;
        if (column.compare_at(i, column, high, -1) > 0)
            high = i;
    }
    auto pair = column.clone_empty();
    pair->append_from(column, low);
    pair->append_from(column, high);
    return pair;
}

} // namespace

void QueryExecution::note_extremes(const Block& block)
{
    const Block flat = block.flattened();
    std::vector<NamedColumn> columns;
    for (size_t c = 0; c < flat.width(); ++c)
    {
        ColumnPtr pair = extremes_of(*flat[c].column);
        if (extremes_)
        {
            auto both = pair->clone_empty();
            both->append_range(*(*extremes_)[c].column, 0, 2);
            both->append_range(*pair, 0, 2);
            pair = extremes_of(*both);
        }
        columns.push_back({pair, flat[c].type, flat[c].name});
    }
    extremes_ = Block(std::move(columns), 2);
}

std::optional<Block> QueryExecution::extremes() const
{
    return extremes_;
}

std::optional<uint64_t> QueryExecution::rows_before_limit() const
{
    if (!rows_before_limit_)
        return std::nullopt;
    return rows_before_limit_->load();
}

} // namespace basalt
