#pragma once

// Query plans: a tree of nodes, each with the header of what it returns. Column names inside a
// plan are unique; expressions refer to columns by these names. Built by the analyzer, changed by
// rules/, run by the executor. A plan is used once.

#include "functions/aggregate_function.h"
#include "functions/expression.h"
#include "storage/table.h"

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace basalt
{

enum class PlanKind : uint8_t
{
    Read,
    Blocks,
    Project,
    Filter,
    Aggregate,
    Window,
    Sort,
    Limit,
    LimitBy,
    Distinct,
    Union,
    SetOperation,
    Join,
    ArrayJoin,
    Fill,
};

struct PlanNode
{
    explicit PlanNode(PlanKind kind) : kind(kind) {}
    virtual ~PlanNode() = default;

    PlanKind kind;
    Header output;
    std::vector<std::unique_ptr<PlanNode>> inputs;
    std::string comment; // for EXPLAIN
};
using PlanPtr = std::unique_ptr<PlanNode>;

// A scan of a table. Output: request.columns renamed to output[i].name. The filter of the request
// uses the table's own column names.
struct ReadNode : PlanNode
{
    ReadNode() : PlanNode(PlanKind::Read) {}
    TablePtr table;
    ScanRequest request;
    // With a LIMIT above ORDER BY the executor may read keys first and fetch these columns for the
    // surviving rows only: they are then in output of the Sort above, not here (see SortNode).
    std::string alias;
    Scan* running_scan = nullptr; // set by the executor while the query runs; for fetch()
};

// Ready rows: VALUES, SELECT without FROM (one row, no columns), results of subqueries.
struct BlocksNode : PlanNode
{
    BlocksNode() : PlanNode(PlanKind::Blocks) {}
    std::vector<Block> blocks; // columns named as output
};

// output[i] = expressions[i] over the input.
struct ProjectNode : PlanNode
{
    ProjectNode() : PlanNode(PlanKind::Project) {}
    Expressions expressions;
};

struct FilterNode : PlanNode
{
    FilterNode() : PlanNode(PlanKind::Filter) {}
    ExpressionPtr condition; // output = input's header
    bool for_totals_too = false; // HAVING: decides which groups count in WITH TOTALS as well
};

struct AggregateCall
{
    AggregateFunctionPtr function;
    std::vector<std::string> arguments; // input column names
    std::string name;                   // of the output column
};

// Output: the keys (same names as in the input), then the aggregates; with grouping_sets also the
// UInt64 column kGroupingColumn last.
struct AggregateNode : PlanNode
{
    AggregateNode() : PlanNode(PlanKind::Aggregate) {}
    std::vector<std::string> keys;
    std::vector<AggregateCall> aggregates;
    // Each set: indexes into keys; other keys take their default (or NULL with
    // group_by_use_nulls). Empty: one set with all keys.
    std::vector<std::vector<size_t>> grouping_sets;
    bool with_totals = false; // the totals row travels beside the blocks (see executor)
    bool no_keys_returns_row = true; // a set without keys gives one row over no rows
    // HAVING over the output, when WITH TOTALS depends on it; set by the executor from the filter
    // above.
    ExpressionPtr having;
};
// Bit i (from the least significant) is 0 when key i belongs to the set that made the row.
inline constexpr const char* kGroupingColumn = "__grouping_set";

struct WindowFrame
{
    enum class Unit : uint8_t
    {
        Rows,
        Range,
        Groups
    } unit = Unit::Range;
    enum class Bound : uint8_t
    {
        UnboundedPreceding,
        Preceding,
        Current,
        Following,
        UnboundedFollowing
    } begin = Bound::UnboundedPreceding, end = Bound::Current;
    Value begin_offset, end_offset;
};

struct WindowCall
{
    std::string function;            // row_number, rank, lag, … or empty
    AggregateFunctionPtr aggregate;  // otherwise
    std::vector<std::string> arguments;
    Values constants; // lag/lead offset and default, nth_value n, ntile buckets
    TypePtr type;
    std::string name;
};

// One window; output = input + one column per call. The executor sorts the input itself.
struct WindowNode : PlanNode
{
    WindowNode() : PlanNode(PlanKind::Window) {}
    std::vector<std::string> partition_by;
    std::vector<std::string> order_by;
    std::vector<bool> descending, nulls_first;
    WindowFrame frame;
    std::vector<WindowCall> calls;
};

struct OrderKey
{
    std::string column;
    bool descending = false;
    bool nulls_first = false;
    std::string collation;
};

struct SortNode : PlanNode
{
    SortNode() : PlanNode(PlanKind::Sort) {}
    std::vector<OrderKey> keys;
    uint64_t limit = 0; // 0 = all; otherwise only the first `limit` rows are needed
    // When the input is a Read (or Filter/Project over it) already ordered by a prefix of keys.
    size_t sorted_prefix = 0;
    // Late materialisation: the input carries kRowIdColumn; after sorting and limiting, columns
    // `lazy_columns` (names in the table, in the order of `lazy_output`) of `lazy_read` are fetched
    // and appended to the output, and kRowIdColumn is dropped.
    const ReadNode* lazy_read = nullptr;
    std::vector<std::string> lazy_columns;
    Header lazy_output;
};

struct LimitNode : PlanNode
{
    LimitNode() : PlanNode(PlanKind::Limit) {}
    uint64_t offset = 0;
    uint64_t limit = 0;
    bool has_limit = true;          // false: only OFFSET
    std::vector<OrderKey> with_ties; // empty: without
};

struct LimitByNode : PlanNode
{
    LimitByNode() : PlanNode(PlanKind::LimitBy) {}
    std::vector<std::string> keys;
    uint64_t offset = 0;
    uint64_t limit = 0;
};

struct DistinctNode : PlanNode
{
    DistinctNode() : PlanNode(PlanKind::Distinct) {}
    std::vector<std::string> keys; // empty: all columns
    uint64_t limit = 0;            // stop after so many distinct rows; 0 = all
};

// UNION ALL: inputs have the same types; names are of `output`, by position.
struct UnionNode : PlanNode
{
    UnionNode() : PlanNode(PlanKind::Union) {}
};

struct SetOperationNode : PlanNode
{
    SetOperationNode() : PlanNode(PlanKind::SetOperation) {}
    bool except = false; // otherwise INTERSECT
    bool all = true;     // false: DISTINCT
};

enum class JoinKind : uint8_t
{
    Inner,
    Left,
    Right,
    Full,
    Cross,
};
enum class JoinStrictness : uint8_t
{
    All,
    Any,
    Semi,
    Anti,
    Asof,
};

// inputs[0] joins inputs[1] (which is built into a hash table). Output: columns of both that are
// named in `output`. Rows without partner: defaults, or NULL where output's type is Nullable.
struct JoinNode : PlanNode
{
    JoinNode() : PlanNode(PlanKind::Join) {}
    JoinKind join = JoinKind::Inner;
    JoinStrictness strictness = JoinStrictness::All;
    std::vector<std::string> left_keys, right_keys; // equal types pairwise; NULL equals nothing
    std::vector<bool> null_safe; // per key: IS NOT DISTINCT FROM
    // Further condition over columns of both inputs; may be null.
    ExpressionPtr condition;
    // ASOF: the last pair of keys, compared by this: left <op> right.
    enum class AsofOp : uint8_t
    {
        GreaterOrEquals,
        Greater,
        LessOrEquals,
        Less
    } asof_op = AsofOp::GreaterOrEquals;
};

// Rows multiplied by the arrays in `columns` (unfolded in step; each column becomes its item).
struct ArrayJoinNode : PlanNode
{
    ArrayJoinNode() : PlanNode(PlanKind::ArrayJoin) {}
    std::vector<std::string> columns; // arrays or maps of the input
    bool left = false;                // LEFT: an empty array gives one row with the default
};

struct FillNode : PlanNode // ORDER BY … WITH FILL
{
    struct Key
    {
        std::string column;
        bool descending = false;
        Value from, to, step, staleness; // Null when absent
        std::optional<IntervalKind> step_interval, staleness_interval;
    };
    FillNode() : PlanNode(PlanKind::Fill) {}
    std::vector<Key> keys;
    std::vector<std::string> sort_prefix; // columns before the first filled one
    std::vector<std::string> interpolate;
    Expressions interpolate_expressions;
};

// The result of a whole query beside its main rows.
struct QueryPlan
{
    PlanPtr root;
    // Names that the client sees, one per column of root->output (they may repeat).
    std::vector<std::string> result_names;
    bool extremes = false;
};

} // namespace basalt
