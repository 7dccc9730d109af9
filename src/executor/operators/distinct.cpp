// DISTINCT, LIMIT BY, INTERSECT and EXCEPT: all ask which rows were seen before.

#include "base/error.h"
#include "executor/build.h"
#include "executor/key_index.h"
#include "executor/overflow.h"

namespace basalt
{

namespace
{

Types types_at(const Header& header, const std::vector<size_t>& positions)
{
    Types types;
    for (size_t p : positions)
        types.push_back(header[p].type);
    return types;
}

Columns columns_at(const Block& block, const std::vector<size_t>& positions)
{
    Columns columns;
    for (size_t p : positions)
        columns.push_back(block[p].column);
    return columns;
}

std::vector<size_t> positions_of(const Header& header, const std::vector<std::string>& names)
{
    std::vector<size_t> positions;
    for (const auto& name : names)
        positions.push_back(position_of(header, name));
    if (names.empty())
        for (size_t i = 0; i < header.size(); ++i)
            positions.push_back(i);
    return positions;
}

class DistinctOperator : public Operator
{
public:
    DistinctOperator(DistinctNode& node, OperatorPtr input, QueryContextPtr context)
        : Operator(node.output), input_(std::move(input)),
          keys_(positions_of(input_->header(), node.keys)),
          index_(types_at(input_->header(), keys_)), limit_(node.limit),
          charge_(&context->memory, 0)
    {
        size_limit_ = {context->settings.get_uint("max_rows_in_distinct"),
                       context->settings.get_uint("max_bytes_in_distinct"),
                       overflow_mode(*context, "distinct_overflow_mode"), "DISTINCT",
                       error_codes::SET_SIZE_LIMIT_EXCEEDED};
    }

    size_t stream_count() const override { return 1; }
    Block next(size_t) override
    {
        for (;;)
        {
            if (full_ || (limit_ && index_.size() >= limit_))
                return {};
            Block block = input_->next(0);
            if (block.rows() == 0)
                return block;
            index_.insert(columns_at(block, keys_), block.rows(), ids_, new_rows_);
            charge_.resize(index_.byte_size());
            if (new_rows_.empty())
                continue;
            full_ = !size_limit_.check(index_.size(), index_.byte_size());
            return new_rows_.size() == block.rows() ? block : block.take(new_rows_);
        }
    }
    std::optional<Block> totals() override { return input_->totals(); }

private:
    OperatorPtr input_;
    std::vector<size_t> keys_;
    KeyIndex index_;
    uint64_t limit_;
    SizeLimit size_limit_;
    bool full_ = false; // distinct_overflow_mode = 'break' has struck
    PodVector<uint32_t> ids_;
    RowIndexes new_rows_;
    MemoryCharge charge_;
};

class LimitByOperator : public Operator
{
public:
    LimitByOperator(LimitByNode& node, OperatorPtr input, QueryContextPtr context)
        : Operator(node.output), input_(std::move(input)),
          keys_(positions_of(input_->header(), node.keys)),
          index_(types_at(input_->header(), keys_)), offset_(node.offset),
          end_(node.limit > UINT64_MAX - node.offset ? UINT64_MAX : node.offset + node.limit),
          charge_(&context->memory, 0)
    {
    }

    size_t stream_count() const override { return 1; }
    Block next(size_t) override
    {
        for (;;)
        {
            Block block = input_->next(0);
            if (block.rows() == 0)
                return block;
            index_.insert(columns_at(block, keys_), block.rows(), ids_, new_rows_);
            seen_.resize_fill(index_.size(), 0);
            charge_.resize(index_.byte_size() + seen_.capacity_bytes());
            RowIndexes kept;
            for (size_t i = 0; i < block.rows(); ++i)
            {
                const uint64_t n = seen_[ids_[i]]++;
                if (n >= offset_ && n < end_)
                    kept.push_back(static_cast<uint32_t>(i));
            }
            if (kept.empty())
                continue;
            return kept.size() == block.rows() ? block : block.take(kept);
        }
    }
    std::optional<Block> totals() override { return input_->totals(); }

private:
    OperatorPtr input_;
    std::vector<size_t> keys_;
    KeyIndex index_;
    uint64_t offset_, end_;
    PodVector<uint32_t> ids_;
    RowIndexes new_rows_;
    PodVector<uint64_t> seen_;
    MemoryCharge charge_;
};

// left INTERSECT/EXCEPT right, ALL or DISTINCT: the right side is counted first. ALL keeps
// duplicates as min(l, r) and l - r.
class SetOperator : public Operator
{
public:
    SetOperator(SetOperationNode& node, OperatorPtr left, OperatorPtr right,
                QueryContextPtr context)
        : Operator(node.output), left_(std::move(left)), right_(std::move(right)),
          keys_(positions_of(left_->header(), {})), index_(types_at(left_->header(), keys_)),
          except_(node.except), all_(node.all), charge_(&context->memory, 0)
    {
    }

    size_t stream_count() const override { return 1; }
    Block next(size_t) override
    {
        count_right();
        for (;;)
        {
            Block block = left_->next(0);
            if (block.rows() == 0)
                return block;
            index_.insert(columns_at(block, keys_), block.rows(), ids_, new_rows_);
            counts_.resize_fill(index_.size(), 0);
            given_.resize_fill(index_.size(), 0);
            charge_.resize(index_.byte_size() + counts_.capacity_bytes() + given_.capacity());
            RowIndexes kept;
            for (size_t i = 0; i < block.rows(); ++i)
                if (keep(ids_[i]))
                    kept.push_back(static_cast<uint32_t>(i));
            if (kept.empty())
                continue;
            Block out = block.take(kept);
            for (size_t c = 0; c < out.width(); ++c)
                out[c].name = header()[c].name;
            return out;
        }
    }

private:
    void count_right()
    {
        if (!right_)
            return;
        for (;;)
        {
            Block block = right_->next(0);
            if (block.rows() == 0)
                break;
            index_.insert(columns_at(block, keys_), block.rows(), ids_, new_rows_);
            counts_.resize_fill(index_.size(), 0);
            charge_.resize(index_.byte_size() + counts_.capacity_bytes());
            for (size_t i = 0; i < block.rows(); ++i)
                ++counts_[ids_[i]];
        }
        right_.reset();
    }

    bool keep(uint32_t id)
    {
        if (!all_)
        {
            if (given_[id] || (counts_[id] > 0) == except_)
                return false;
            given_[id] = 1;
            return true;
        }
        if (counts_[id] > 0)
        {
            --counts_[id];
            return !except_;
        }
        return except_;
    }

    OperatorPtr left_, right_;
    std::vector<size_t> keys_;
    KeyIndex index_;
    bool except_, all_;
    PodVector<uint32_t> ids_;
    RowIndexes new_rows_;
    PodVector<uint64_t> counts_;
    PodVector<uint8_t> given_;
    MemoryCharge charge_;
};

} // namespace

OperatorPtr build_distinct(DistinctNode& node, OperatorPtr input, BuildState& state)
{
    return std::make_unique<DistinctOperator>(node, gather(std::move(input), state.context),
                                              state.context);
}

OperatorPtr build_limit_by(LimitByNode& node, OperatorPtr input, BuildState& state)
{
    return std::make_unique<LimitByOperator>(node, gather(std::move(input), state.context),
                                             state.context);
}

OperatorPtr build_set_operation(SetOperationNode& node, std::vector<OperatorPtr> inputs,
                                BuildState& state)
{
    BASALT_ASSERT(inputs.size() == 2);
    return std::make_unique<SetOperator>(node, gather(std::move(inputs[0]), state.context),
                                         gather(std::move(inputs[1]), state.context),
                                         state.context);
}

} // namespace basalt
