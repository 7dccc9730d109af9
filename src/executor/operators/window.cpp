// Window functions: the whole input is sorted by PARTITION BY and ORDER BY, then each partition is
// walked once per call. Aggregates whose frame starts at the partition's start are extended row by
// row; other frames are aggregated afresh for each row.

#include "base/error.h"
#include "executor/build.h"

#include <fmt/format.h>

namespace basalt
{

namespace
{

struct Partition
{
    size_t begin;
    size_t end;
};

// [begin, end) of a row's frame, absolute row numbers.
struct Frame
{
    size_t begin;
    size_t end;
};

class WindowOperator : public Operator
{
public:
    WindowOperator(WindowNode& node, OperatorPtr input, BuildState& state)
        : Operator(node.output), input_(std::move(input)), context_(state.context), node_(node),
          block_rows_(state.block_rows), charge_(&context_->memory, 0)
    {
        for (const auto& name : node.partition_by)
            keys_.push_back({position_of(input_->header(), name), false, false});
        partition_keys_ = keys_.size();
        for (size_t i = 0; i < node.order_by.size(); ++i)
            keys_.push_back({position_of(input_->header(), node.order_by[i]), node.descending[i],
                             node.nulls_first[i]});
        order_keys_.assign(keys_.begin() + static_cast<ptrdiff_t>(partition_keys_), keys_.end());
    }

    size_t stream_count() const override { return 1; }

    Block next(size_t) override
    {
        once_([&] { compute(); });
        if (at_ >= result_.rows())
            return {};
        const size_t count = std::min(block_rows_, result_.rows() - at_);
        Block block = result_.slice(at_, count);
        at_ += count;
        return block;
    }

private:
    void compute()
    {
        std::vector<Block> blocks;
        size_t bytes = 0;
        for (;;)
        {
            context_->check_alive();
            Block block = input_->next(0);
            if (block.rows() == 0)
                break;
            blocks.push_back(block.flattened());
            bytes += blocks.back().byte_size();
            charge_.resize(bytes);
        }
        if (blocks.empty())
            return;
        charge_.resize(bytes * 2); // the rows before and after joining, and around sorting
        Block all = concat_blocks(blocks);
        blocks.clear();
        if (!keys_.empty())
            all = all.take(sort_rows(all, keys_));
        sorted_ = std::move(all);
        charge_.resize(bytes + 2 * sizeof(size_t) * sorted_.rows());
        const SortKeys partition_keys(keys_.begin(),
                                      keys_.begin() + static_cast<ptrdiff_t>(partition_keys_));
        std::vector<Partition> partitions;
        size_t begin = 0;
        for (size_t i = 1; i <= sorted_.rows(); ++i)
            if (i == sorted_.rows() ||
                compare_rows(sorted_, i - 1, sorted_, i, partition_keys) != 0)
            {
                partitions.push_back({begin, i});
                begin = i;
            }
        number_peers(partitions);
        std::vector<NamedColumn> columns = sorted_.columns();
        for (size_t c = 0; c < columns.size(); ++c)
        {
            columns[c].name = header()[c].name;
            columns[c].type = header()[c].type;
        }
        for (const auto& call : node_.calls)
        {
            columns.push_back({run_call(call, partitions), call.type, call.name});
            charge_.resize(charge_.bytes() + columns.back().column->byte_size());
        }
        const size_t rows = sorted_.rows();
        result_ = Block(std::move(columns), rows);
    }

    // peer_begin_/peer_end_[i]: the rows that equal row i by ORDER BY within its partition.
    void number_peers(const std::vector<Partition>& partitions)
    {
        peer_begin_.resize(sorted_.rows());
        peer_end_.resize(sorted_.rows());
        for (const auto& p : partitions)
        {
            size_t begin = p.begin;
            for (size_t i = p.begin + 1; i <= p.end; ++i)
                if (i == p.end || compare_rows(sorted_, i - 1, sorted_, i, order_keys_) != 0)
                {
                    for (size_t k = begin; k < i; ++k)
                    {
                        peer_begin_[k] = begin;
                        peer_end_[k] = i;
                    }
                    begin = i;
                }
        }
    }

    const Column& argument(const WindowCall& call, size_t i) const
    {
        return *sorted_[position_of(input_->header(), call.arguments[i])].column;
    }

    ColumnPtr run_call(const WindowCall& call, const std::vector<Partition>& partitions)
    {
        if (call.aggregate)
            return run_aggregate(call, partitions);
        if (call.function == "lag" || call.function == "lead" || call.function == "lagInFrame" ||
            call.function == "leadInFrame" || call.function == "nth_value")
            return run_offset(call, partitions);
        return run_rank(call, partitions);
    }

    ColumnPtr run_rank(const WindowCall& call, const std::vector<Partition>& partitions) const
    {
        const std::string& f = call.function;
        const size_t rows = sorted_.rows();
        if (f == "percent_rank" || f == "percentRank" || f == "cume_dist")
        {
            auto out = std::make_shared<VectorColumn<double>>(rows);
            for (const auto& p : partitions)
                for (size_t i = p.begin; i < p.end; ++i)
                {
                    const auto n = static_cast<double>(p.end - p.begin);
                    const auto before = static_cast<double>(peer_begin_[i] - p.begin);
                    out->data()[i] = f == "cume_dist"
                                         ? static_cast<double>(peer_end_[i] - p.begin) / n
                                         : (n > 1 ? before / (n - 1) : 0);
                }
            return out;
        }
        auto out = std::make_shared<VectorColumn<uint64_t>>(rows);
        for (const auto& p : partitions)
        {
            uint64_t dense = 0;
            for (size_t i = p.begin; i < p.end; ++i)
            {
                dense += peer_begin_[i] == i;
                uint64_t value;
                if (f == "row_number")
                    value = i - p.begin + 1;
                else if (f == "rank")
                    value = peer_begin_[i] - p.begin + 1;
                else if (f == "dense_rank" || f == "denseRank")
                    value = dense;
                else if (f == "ntile")
                    value = ntile(call, i - p.begin, p.end - p.begin);
                else
                    throw Error(error_codes::NOT_IMPLEMENTED,
                                fmt::format("Window function {} is not implemented", f));
                out->data()[i] = value;
            }
        }
        return out;
    }

    static uint64_t as_uint(const Value& value, const char* what)
    {
        if (const auto* u = value.get_if<uint64_t>())
            return *u;
        if (const auto* i = value.get_if<int64_t>(); i && *i >= 0)
            return static_cast<uint64_t>(*i);
        throw Error(error_codes::BAD_ARGUMENTS,
                    fmt::format("{} must be a non-negative integer constant", what));
    }

    static uint64_t ntile(const WindowCall& call, size_t row, size_t rows)
    {
        const uint64_t buckets =
            call.constants.empty() ? 0 : as_uint(call.constants[0], "The argument of ntile");
        if (buckets == 0)
            throw Error(error_codes::BAD_ARGUMENTS, "The argument of ntile must be positive");
        const size_t small = rows / buckets, large_buckets = rows % buckets;
        const size_t in_large = large_buckets * (small + 1);
        if (row < in_large)
            return row / (small + 1) + 1;
        return large_buckets + (small ? (row - in_large) / small : 0) + 1;
    }

    // constants of lag/lead: [offset, default]; of nth_value: [n].
    ColumnPtr run_offset(const WindowCall& call, const std::vector<Partition>& partitions) const
    {
        const Column& values = argument(call, 0);
        const bool back = call.function.starts_with("lag");
        const bool in_frame = call.function.ends_with("InFrame") || call.function == "nth_value";
        const uint64_t n = call.constants.empty()
                               ? 1
                               : as_uint(call.constants[0], "The offset of a window function");
        MutableColumnPtr fallback = call.type->create_column();
        if (call.constants.size() > 1)
            fallback->append_value(call.constants[1]);
        else if (call.type->is_nullable())
            fallback->append_default();
        else
            fallback->append_value(call.type->default_value());
        auto out = call.type->create_column();
        auto source = [&](size_t row) -> void
        {
            if (call.type->is_nullable() && values.form() != ColumnForm::Nullable)
            {
                auto& nullable = column_as<NullableColumn>(*out);
                nullable.mutable_nested().append_from(values, row);
                nullable.mutable_null_map().push_back(0);
            }
            else
                out->append_from(values, row);
        };
        for (const auto& p : partitions)
            for (size_t i = p.begin; i < p.end; ++i)
            {
                const Frame frame = in_frame ? frame_of(i, p) : Frame{p.begin, p.end};
                std::optional<size_t> row;
                if (call.function == "nth_value")
                {
                    if (n >= 1 && frame.end > frame.begin && n <= frame.end - frame.begin)
                        row = frame.begin + n - 1;
                }
                else if (back)
                {
                    if (i >= n && i - n >= frame.begin && i - n < frame.end)
                        row = i - n;
                }
                else if (n < frame.end && i < frame.end - n && i + n >= frame.begin)
                    row = i + n;
                if (row)
                    source(*row);
                else
                    out->append_from(*fallback, 0);
            }
        return out;
    }

    ColumnPtr run_aggregate(const WindowCall& call, const std::vector<Partition>& partitions) const
    {
        const auto& function = *call.aggregate;
        std::vector<const Column*> arguments;
        for (size_t i = 0; i < call.arguments.size(); ++i)
            arguments.push_back(&argument(call, i));
        auto out = call.type->create_column();
        Arena arena;
        char* place = arena.allocate(std::max<size_t>(function.state_size(), 1),
                                     std::max<size_t>(function.state_alignment(), 1));
        for (const auto& p : partitions)
        {
            bool live = false;
            Frame done{0, 0};
            for (size_t i = p.begin; i < p.end; ++i)
            {
                const Frame frame = frame_of(i, p);
                if (live && (frame.begin != done.begin || frame.end < done.end))
                {
                    function.destroy_state(place);
                    live = false;
                }
                if (!live)
                {
                    function.create_state(place);
                    live = true;
                    done = {frame.begin, frame.begin};
                }
                if (frame.end > done.end)
                    function.add_range(place, arguments, done.end, frame.end, arena);
                done.end = std::max(done.end, frame.end);
                function.append_result(place, *out, arena);
            }
            if (live)
                function.destroy_state(place);
        }
        return out;
    }

    Frame frame_of(size_t row, const Partition& p) const
    {
        const auto& f = node_.frame;
        using Bound = WindowFrame::Bound;
        Frame frame{p.begin, p.end};
        switch (f.begin)
        {
        case Bound::UnboundedPreceding:
            break;
        case Bound::Current:
            frame.begin = f.unit == WindowFrame::Unit::Rows ? row : peer_begin_[row];
            break;
        case Bound::Preceding:
            frame.begin = offset_bound(row, p, f.begin_offset, true, true);
            break;
        case Bound::Following:
            frame.begin = offset_bound(row, p, f.begin_offset, false, true);
            break;
        case Bound::UnboundedFollowing:
            frame.begin = p.end;
            break;
        }
        switch (f.end)
        {
        case Bound::UnboundedFollowing:
            break;
        case Bound::Current:
            frame.end = f.unit == WindowFrame::Unit::Rows ? row + 1 : peer_end_[row];
            break;
        case Bound::Preceding:
            frame.end = offset_bound(row, p, f.end_offset, true, false);
            break;
        case Bound::Following:
            frame.end = offset_bound(row, p, f.end_offset, false, false);
            break;
        case Bound::UnboundedPreceding:
            frame.end = p.begin;
            break;
        }
        if (frame.end < frame.begin)
            frame.end = frame.begin;
        return frame;
    }

    size_t offset_bound(size_t row, const Partition& p, const Value& offset, bool preceding,
                        bool is_begin) const
    {
        if (node_.frame.unit == WindowFrame::Unit::Rows)
        {
            const uint64_t n = as_uint(offset, "A ROWS frame offset");
            if (preceding)
            {
                const size_t at = row - std::min<uint64_t>(n, row - p.begin);
                if (is_begin)
                    return at;
                return n > row - p.begin ? p.begin : at + 1;
            }
            const size_t at = std::min<uint64_t>(n, p.end - row) + row;
            return is_begin ? at : std::min(p.end, at + 1);
        }
        if (node_.frame.unit == WindowFrame::Unit::Groups || order_keys_.size() != 1)
            throw Error(error_codes::NOT_IMPLEMENTED,
                        "GROUPS frames and RANGE frames with offsets over several keys are not "
                        "implemented");
        return range_bound(row, p, offset, preceding, is_begin);
    }

    // Integers, dates and times exactly, floats as they are.
    struct RangeNumber
    {
        Int128 integer = 0;
        double real = 0;
        bool is_real = false;
    };
    static RangeNumber range_number(const Value& value)
    {
        if (const auto* u = value.get_if<uint64_t>())
            return {Int128(*u)};
        if (const auto* i = value.get_if<int64_t>())
            return {Int128(*i)};
        if (const auto* d = value.get_if<double>())
            return {Int128(0), *d, true};
        throw Error(error_codes::NOT_IMPLEMENTED,
                    "RANGE frame offsets are implemented for numbers of up to 64 bits and for "
                    "dates only");
    }
    static double real_of(const RangeNumber& n)
    {
        return n.is_real ? n.real : static_cast<double>(n.integer);
    }
    static RangeNumber moved(const RangeNumber& n, const RangeNumber& step, bool down)
    {
        if (n.is_real || step.is_real)
            return {Int128(0), real_of(n) + (down ? -real_of(step) : real_of(step)), true};
        return {down ? n.integer - step.integer : n.integer + step.integer};
    }
    static bool is_less(const RangeNumber& a, const RangeNumber& b)
    {
        if (a.is_real || b.is_real)
            return real_of(a) < real_of(b);
        return a.integer < b.integer;
    }

    // The first row whose key is within (begin) or past (end) the bound, by binary search.
    size_t range_bound(size_t row, const Partition& p, const Value& offset, bool preceding,
                       bool is_begin) const
    {
        const Column& keys = *sorted_[order_keys_[0].column].column;
        const bool descending = order_keys_[0].descending;
        if (keys.is_null_at(row))
            return is_begin ? peer_begin_[row] : peer_end_[row];
        const RangeNumber bound = moved(range_number(keys.value_at(row)), range_number(offset),
                                        preceding != descending);
        auto before = [&](size_t i, bool or_equal)
        {
            if (keys.is_null_at(i))
                return order_keys_[0].nulls_first;
            const RangeNumber key = range_number(keys.value_at(i));
            const RangeNumber &a = descending ? bound : key, &b = descending ? key : bound;
            return or_equal ? !is_less(b, a) : is_less(a, b);
        };
        size_t low = p.begin, high = p.end;
        while (low < high)
        {
            const size_t middle = (low + high) / 2;
            if (before(middle, !is_begin))
                low = middle + 1;
            else
                high = middle;
        }
        return low;
    }

    OperatorPtr input_;
    QueryContextPtr context_;
    WindowNode& node_;
    size_t block_rows_;
    SortKeys keys_;
    SortKeys order_keys_;
    size_t partition_keys_ = 0;
    RunOnce once_;
    Block sorted_;
    PodVector<size_t> peer_begin_, peer_end_;
    Block result_;
    size_t at_ = 0;
    MemoryCharge charge_;
};

} // namespace

OperatorPtr build_window(WindowNode& node, OperatorPtr input, BuildState& state)
{
    return std::make_unique<WindowOperator>(node, gather(std::move(input), state.context), state);
}

} // namespace basalt
