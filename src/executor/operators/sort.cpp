// ORDER BY, with and without LIMIT, and LIMIT itself.

#include "base/error.h"
#include "base/threads.h"
#include "executor/build.h"
#include "executor/overflow.h"

#include <fmt/format.h>

#include <cmath>

namespace basalt
{

namespace
{

class StreamInput : public SortedInput
{
public:
    StreamInput(Operator& input, size_t stream) : input_(input), stream_(stream) {}
    Block next() override
    {
        Block block = input_.next(stream_);
        return block.rows() == 0 ? block : block.flattened();
    }

private:
    Operator& input_;
    size_t stream_;
};

class BlockInput : public SortedInput
{
public:
    BlockInput(Block block, size_t slice_rows) : block_(std::move(block)), slice_rows_(slice_rows)
    {
    }
    Block next() override
    {
        if (at_ >= block_.rows())
            return {};
        const size_t count = std::min(slice_rows_, block_.rows() - at_);
        Block part = block_.slice(at_, count);
        at_ += count;
        return part;
    }

private:
    Block block_;
    size_t slice_rows_;
    size_t at_ = 0;
};

// Rows of one stream: whole blocks without a limit, the best `limit` rows with one.
class SortBuffer
{
public:
    SortBuffer(const SortKeys& keys, size_t limit, MemoryTracker& memory)
        : keys_(keys), limit_(limit), charge_(&memory, 0)
    {
    }

    void add(Block block)
    {
        block = block.flattened();
        if (limit_ && block.rows() > limit_)
            block = block.take(sort_rows(block, keys_, limit_));
        sorted_ = false;
        rows_ += block.rows();
        bytes_ += block.byte_size();
        blocks_.push_back(std::move(block));
        charge_.resize(bytes_);
        if (limit_ && rows_ > std::max<size_t>(limit_ * 4, 65536))
            shrink();
    }

    // Sorted, at most `limit` rows when there is one. Empty block when there were no rows.
    Block finish()
    {
        if (blocks_.empty())
            return {};
        shrink();
        return std::move(blocks_[0]);
    }

    // The best `limit` rows so far, when there are so many and sorting them again is cheap beside
    // what came since the last time.
    const Block* best()
    {
        if (!limit_ || rows_ < limit_)
            return nullptr;
        if (!sorted_)
        {
            if (limit_ > kOftenSorted && rows_ < limit_ * 2)
                return nullptr;
            shrink();
        }
        return &blocks_[0];
    }

private:
    static constexpr size_t kOftenSorted = 65536;

    void shrink()
    {
        charge_.resize(bytes_ * 2); // the rows before and after
        Block all = blocks_.size() == 1 ? std::move(blocks_[0]) : concat_blocks(blocks_);
        blocks_.clear();
        all = all.take(sort_rows(all, keys_, limit_));
        rows_ = all.rows();
        bytes_ = all.byte_size();
        blocks_.push_back(std::move(all));
        charge_.resize(bytes_);
        sorted_ = true;
    }

    const SortKeys& keys_;
    size_t limit_;
    std::vector<Block> blocks_;
    size_t rows_ = 0;
    size_t bytes_ = 0;
    bool sorted_ = false;
    MemoryCharge charge_;
};

std::shared_ptr<TopBound> find_top_bound(const PlanNode& node)
{
    const PlanNode* at = &node;
    while (at->kind == PlanKind::Filter || at->kind == PlanKind::Project)
        at = at->inputs[0].get();
    return at->kind == PlanKind::Read ? static_cast<const ReadNode*>(at)->request.top_bound
                                      : nullptr;
}

class SortOperator : public Operator
{
public:
    SortOperator(SortNode& node, OperatorPtr input, BuildState& state)
        : Operator(node.output), input_(std::move(input)), context_(state.context), node_(node),
          keys_(sort_keys_of(input_->header(), node.keys)), limit_(node.limit),
          block_rows_(state.block_rows)
    {
        if (state.counts_before_limit == &node)
            rows_before_ = state.rows_before_limit;
        size_limit_ = {context_->settings.get_uint("max_rows_to_sort"),
                       context_->settings.get_uint("max_bytes_to_sort"),
                       overflow_mode(*context_, "sort_overflow_mode"), "result",
                       error_codes::TOO_MANY_ROWS_OR_BYTES};
        presorted_ = node.sorted_prefix >= node.keys.size() && !node.keys.empty();
        bound_ = find_top_bound(*node.inputs[0]);
        if (presorted_)
        {
            std::vector<std::unique_ptr<SortedInput>> inputs;
            for (size_t s = 0; s < input_->stream_count(); ++s)
                inputs.push_back(std::make_unique<StreamInput>(*input_, s));
            merge_ = std::make_unique<SortedMerge>(std::move(inputs), keys_, block_rows_);
        }
    }

    size_t stream_count() const override { return 1; }

    Block next(size_t) override
    {
        if (!presorted_)
            once_([&] { sort(); });
        if (limit_ && given_ >= limit_)
            return {};
        Block block = merge_ ? merge_->next() : Block{};
        if (block.rows() == 0)
            return block;
        if (presorted_ && rows_before_)
            *rows_before_ += block.rows();
        if (limit_ && given_ + block.rows() > limit_)
            block = block.slice(0, limit_ - given_);
        given_ += block.rows();
        return node_.lazy_read ? fetch_lazy(std::move(block)) : block;
    }

    std::optional<Block> totals() override { return input_->totals(); }

private:
    void sort()
    {
        const size_t streams = input_->stream_count();
        std::vector<std::unique_ptr<SortBuffer>> buffers;
        for (size_t s = 0; s < streams; ++s)
            buffers.push_back(std::make_unique<SortBuffer>(keys_, limit_, context_->memory));
        std::atomic<uint64_t> rows{0}, bytes{0};
        StoppableInput input(*input_);
        drain(input, *context_,
              [&](size_t stream, Block&& block)
              {
                  if (rows_before_)
                      *rows_before_ += block.rows();
                  if (size_limit_.is_set())
                  {
                      const size_t block_bytes = block.byte_size();
                      if (!size_limit_.check(rows += block.rows(), bytes += block_bytes))
                          input.stop();
                  }
                  buffers[stream]->add(std::move(block));
                  if (bound_)
                      lower_bound(*buffers[stream]);
              });
        std::vector<Block> sorted(streams);
        run_parallel(streams, [&](size_t s) { sorted[s] = buffers[s]->finish(); });
        std::vector<std::unique_ptr<SortedInput>> inputs;
        for (Block& block : sorted)
            if (block.rows() > 0)
                inputs.push_back(std::make_unique<BlockInput>(std::move(block), block_rows_));
        kept_ = std::move(buffers); // their memory stays charged while the merge reads it
        if (!inputs.empty())
            merge_ = std::make_unique<SortedMerge>(std::move(inputs), keys_, block_rows_);
    }

    // Tells the scan the value beyond which rows cannot be among the best.
    void lower_bound(SortBuffer& buffer)
    {
        const Block* best = buffer.best();
        if (!best)
            return;
        Value value = (*best)[keys_[0].column].column->value_at(best->rows() - 1);
        const auto* number = value.get_if<double>();
        if (value.is_null() || (number && std::isnan(*number)))
            return;
        std::lock_guard lock(bound_->mutex);
        if (!bound_->is_set.load())
            bound_->value = std::move(value);
        else
        {
            const auto& type = (*best)[keys_[0].column].type;
            auto pair = type->create_column();
            pair->append_value(bound_->value);
            pair->append_value(value);
            const int order = pair->compare_at(1, *pair, 0, 1);
            if (bound_->descending ? order > 0 : order < 0)
                bound_->value = std::move(value);
        }
        bound_->is_set.store(true, std::memory_order_release);
    }

    Block fetch_lazy(Block block)
    {
        const int at = block.find(kRowIdColumn);
        BASALT_ASSERT(at >= 0);
        const ColumnPtr ids = to_flat(block[at].column);
        BASALT_ASSERT(node_.lazy_read->running_scan);
        Block fetched = node_.lazy_read->running_scan->fetch(
            column_as<VectorColumn<uint64_t>>(ids).data(), node_.lazy_columns);
        std::vector<NamedColumn> columns;
        for (size_t c = 0; c < block.width(); ++c)
            if (c != static_cast<size_t>(at))
                columns.push_back(block[c]);
        for (size_t c = 0; c < fetched.width(); ++c)
            columns.push_back(
                {fetched[c].column, node_.lazy_output[c].type, node_.lazy_output[c].name});
        return Block(std::move(columns), block.rows());
    }

    OperatorPtr input_;
    QueryContextPtr context_;
    SortNode& node_;
    SortKeys keys_;
    uint64_t limit_;
    size_t block_rows_;
    bool presorted_ = false;
    SizeLimit size_limit_;
    std::shared_ptr<std::atomic<uint64_t>> rows_before_;
    std::shared_ptr<TopBound> bound_;
    RunOnce once_;
    std::vector<std::unique_ptr<SortBuffer>> kept_;
    std::unique_ptr<SortedMerge> merge_;
    uint64_t given_ = 0;
};

class LimitOperator : public Operator
{
public:
    LimitOperator(LimitNode& node, OperatorPtr input, BuildState& state)
        : Operator(node.output), input_(std::move(input)), offset_(node.offset),
          limit_(node.has_limit ? node.limit : UINT64_MAX),
          ties_(sort_keys_of(input_->header(), node.with_ties))
    {
        if (state.counts_before_limit == &node)
            rows_before_ = state.rows_before_limit;
    }

    size_t stream_count() const override { return 1; }

    Block next(size_t) override
    {
        for (;;)
        {
            if (done_ || (limit_ == 0 && ties_.empty()))
                return {};
            Block block = input_->next(0);
            if (block.rows() == 0)
                return block;
            if (rows_before_)
                *rows_before_ += block.rows();
            size_t begin = 0;
            if (skipped_ < offset_)
            {
                begin = std::min<uint64_t>(offset_ - skipped_, block.rows());
                skipped_ += begin;
            }
            size_t count = std::min<uint64_t>(block.rows() - begin, limit_ - given_);
            if (given_ + count == limit_ && !ties_.empty() && limit_ > 0)
                count = with_ties(block, begin, count);
            else if (given_ + count == limit_)
                done_ = true;
            if (count == 0)
                continue;
            given_ = std::min<uint64_t>(limit_, given_ + count);
            if (begin == 0 && count == block.rows())
                return block;
            return block.slice(begin, count);
        }
    }

    std::optional<Block> totals() override { return input_->totals(); }

private:
    // Extends count over the rows that equal the limit's last one.
    size_t with_ties(const Block& block, size_t begin, size_t count)
    {
        const Block flat = block.flattened();
        if (count > 0)
            last_ = flat.slice(begin + count - 1, 1);
        size_t end = begin + count;
        while (end < flat.rows() && compare_rows(flat, end, last_, 0, ties_) == 0)
            ++end;
        done_ = end < flat.rows();
        return end - begin;
    }

    OperatorPtr input_;
    uint64_t offset_;
    uint64_t limit_;
    SortKeys ties_;
    std::shared_ptr<std::atomic<uint64_t>> rows_before_;
    uint64_t skipped_ = 0;
    uint64_t given_ = 0;
    bool done_ = false;
    Block last_;
};

} // namespace

OperatorPtr build_sort(SortNode& node, OperatorPtr input, BuildState& state)
{
    return std::make_unique<SortOperator>(node, std::move(input), state);
}

OperatorPtr build_limit(LimitNode& node, OperatorPtr input, BuildState& state)
{
    return std::make_unique<LimitOperator>(node, gather(std::move(input), state.context), state);
}

} // namespace basalt
