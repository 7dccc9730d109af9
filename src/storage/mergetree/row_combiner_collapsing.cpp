// Collapsing and VersionedCollapsing: states (sign 1) and what cancels them (sign -1).

#include "storage/mergetree/group_combiner.h"

#include "base/error.h"

#include <deque>
#include <fmt/format.h>

namespace basalt
{

namespace
{

// Rows of one key that VersionedCollapsing holds while it looks for their counterparts.
constexpr size_t kMaxOpenRows = 8192;

const PodVector<int8_t>& check_signs(ColumnPtr& column)
{
    const auto& signs = flat_values<int8_t>(column);
    for (const int8_t sign : signs)
        if (sign != 1 && sign != -1)
            throw Error(error_codes::INCORRECT_DATA,
                        fmt::format("Incorrect data: Sign = {} (must be 1 or -1).", sign));
    return signs;
}

// Of a key's rows there stay: the last state when there are more states; the first cancel row when
// there are more of those; both when there are as many and a state came last.
class Collapsing final : public GroupCombiner
{
public:
    Collapsing(size_t sign, CombinerOptions options)
        : GroupCombiner(std::move(options)), sign_(sign)
    {
    }

private:
    struct Counts
    {
        uint64_t states = 0, cancels = 0;
        bool state_is_last = false;

        bool keeps_state() const
        {
            return states > cancels || (states == cancels && state_is_last);
        }
        bool keeps_cancel() const
        {
            return cancels > states || (states == cancels && state_is_last);
        }
    };

    void add_groups(const Block& block, const RowIndexes& starts, bool continues,
                    const Emit& emit) override
    {
        ColumnPtr column = block[sign_].column;
        const auto& signs = check_signs(column);
        constexpr uint32_t kNone = UINT32_MAX;
        RowIndexes kept;
        for (size_t group = 0; group < starts.size(); ++group)
        {
            const bool goes_on = group == 0 && continues;
            Counts counts = goes_on ? counts_ : Counts();
            uint32_t first_cancel = kNone, last_state = kNone;
            const size_t end = end_of(starts, group, block.rows());
            for (size_t row = starts[group]; row < end; ++row)
            {
                counts.state_is_last = signs[row] > 0;
                if (signs[row] > 0)
                {
                    ++counts.states;
                    last_state = static_cast<uint32_t>(row);
                }
                else
                {
                    ++counts.cancels;
                    if (first_cancel == kNone)
                        first_cancel = static_cast<uint32_t>(row);
                }
            }
            const bool is_last = group + 1 == starts.size();
            if (is_last)
                emit_rows(block, kept, emit);
            if (is_last || goes_on)
            {
                if (!goes_on)
                    first_cancel_ = last_state_ = Block();
                counts_ = counts;
                if (last_state != kNone)
                    last_state_ = block.slice(last_state, 1);
                if (first_cancel != kNone && first_cancel_.rows() == 0)
                    first_cancel_ = block.slice(first_cancel, 1);
                if (!is_last)
                    close(emit);
                continue;
            }
            const bool keeps_cancel = counts.keeps_cancel() && !options().for_reading;
            const bool keeps_state = counts.keeps_state();
            if (keeps_cancel)
                kept.push_back(first_cancel);
            if (keeps_state) // of both it came last
                kept.push_back(last_state);
        }
    }

    void close(const Emit& emit) override
    {
        if (counts_.keeps_cancel() && !options().for_reading)
            emit(std::move(first_cancel_));
        if (counts_.keeps_state())
            emit(std::move(last_state_));
        first_cancel_ = last_state_ = Block();
    }

    size_t sign_;
    Counts counts_; // of the open group
    Block first_cancel_, last_state_;
};

// The version is part of the key: rows of one key and opposite signs go away in pairs.
class VersionedCollapsing final : public GroupCombiner
{
public:
    VersionedCollapsing(size_t sign, CombinerOptions options)
        : GroupCombiner(std::move(options)), sign_(sign)
    {
    }

private:
    void add_groups(const Block& block, const RowIndexes& starts, bool continues,
                    const Emit& emit) override
    {
        ColumnPtr column = block[sign_].column;
        const auto& signs = check_signs(column);
        RowIndexes kept;
        for (size_t group = 0; group < starts.size(); ++group)
        {
            const bool goes_on = group == 0 && continues;
            const size_t end = end_of(starts, group, block.rows());
            const bool is_last = group + 1 == starts.size();
            const size_t first_kept = kept.size();
            for (size_t row = starts[group]; row < end; ++row)
            {
                const bool has_own = kept.size() > first_kept;
                if (has_own && signs[kept[kept.size() - 1]] != signs[row])
                    kept.resize(kept.size() - 1);
                else if (!has_own && goes_on && !open_.empty() && open_sign_ != signs[row])
                    open_.pop_back();
                else
                    kept.push_back(static_cast<uint32_t>(row));
            }
            if (!is_last)
            {
                if (goes_on)
                    close(emit);
                continue;
            }
            RowIndexes own;
            for (size_t i = first_kept; i < kept.size(); ++i)
                own.push_back(kept[i]);
            kept.resize(first_kept);
            emit_rows(block, kept, emit);
            if (!goes_on)
                open_.clear();
            for (const uint32_t row : own)
            {
                open_.push_back(block.slice(row, 1));
                open_sign_ = signs[row];
            }
            for (; open_.size() > kMaxOpenRows; open_.pop_front())
                emit(std::move(open_.front()));
        }
    }

    void close(const Emit& emit) override
    {
        for (auto& row : open_)
            emit(std::move(row));
        open_.clear();
    }

    size_t sign_;
    std::deque<Block> open_; // rows of the open group, all of one sign
    int8_t open_sign_ = 0;
};

} // namespace

std::unique_ptr<RowCombiner> make_collapsing(size_t sign, CombinerOptions options)
{
    return std::make_unique<Collapsing>(sign, std::move(options));
}

std::unique_ptr<RowCombiner> make_versioned_collapsing(size_t sign, CombinerOptions options)
{
    return std::make_unique<VersionedCollapsing>(sign, std::move(options));
}

} // namespace basalt
