// ORDER BY … WITH FILL. The filled columns count like an odometer from FROM (or the first row) in
// their steps; whatever number the odometer shows between two rows becomes a row. Rows with equal
// values in the columns before the first filled one are filled by themselves.

#include "executor/build.h"
#include "executor/operators/fill_key.h"

#include <deque>

namespace basalt
{

namespace
{

using FillRow = std::vector<FillNumber>;

class FillOperator : public Operator
{
public:
    FillOperator(FillNode& node, OperatorPtr input, BuildState& state)
        : Operator(node.output), input_(std::move(input)), context_(state.context),
          block_rows_(state.block_rows)
    {
        for (const auto& key : node.keys)
        {
            const size_t at = position_of(header(), key.column);
            keys_.emplace_back(key, header()[at], at, *context_);
        }
        if (context_->settings.get_bool("use_with_fill_by_sorting_prefix"))
            for (const auto& name : node.sort_prefix)
                prefix_.push_back({position_of(header(), name), false, false});
        if (!node.interpolate.empty())
        {
            for (const auto& name : node.interpolate)
                interpolated_.push_back(position_of(header(), name));
            program_ = std::make_unique<ExpressionProgram>(node.interpolate_expressions,
                                                           *context_);
        }
        odometer_.resize(keys_.size());
        target_.resize(keys_.size());
        border_.resize(keys_.size());
        last_row_.resize(keys_.size());
        start_output();
    }

    size_t stream_count() const override { return 1; }

    Block next(size_t) override
    {
        while (!ended_ && out_rows_ < block_rows_)
        {
            if (gap_ == Gap::Filling)
                fill();
            else if (at_ < block_.rows())
                next_row();
            else
                next_block();
        }
        flush();
        if (out_rows_ == 0)
            return {};
        return take_output();
    }

    std::optional<Block> totals() override { return input_->totals(); }

private:
    enum class Gap : uint8_t
    {
        None,
        Filling, // the odometer runs up to target_
        Done,    // before the row at at_, or after the last of a range
    };

    // The input's next block. At the end the last range is filled to its end.
    void next_block()
    {
        flush();
        if (last_block_)
        {
            if (range_open_ || !any_rows_)
                begin_suffix();
            else
                ended_ = true;
            return;
        }
        context_->check_alive();
        block_ = input_->next(0);
        at_ = begin_ = 0;
        if (block_.rows() == 0)
        {
            last_block_ = true;
            return;
        }
        block_ = block_.flattened();
        any_rows_ = true;
    }

    void next_row()
    {
        if (gap_ == Gap::None)
        {
            if (range_open_ && !prefix_.empty() &&
                compare_rows(block_, at_, range_row_, 0, prefix_) != 0)
            {
                begin_suffix();
                return;
            }
            begin_gap();
            return;
        }
        // The row itself: copied with its neighbours, see flush().
        for (size_t k = 0; k < keys_.size(); ++k)
            if (keys_[k].has_staleness())
            {
                last_row_[k] = keys_[k].read(*block_[keys_[k].position()].column, at_);
                border_[k] = keys_[k].stale_from(last_row_[k]);
            }
        ++at_;
        ++out_rows_;
        gap_ = Gap::None;
    }

    void begin_gap()
    {
        FillRow row;
        for (const auto& key : keys_)
            row.push_back(key.read(*block_[key.position()].column, at_));
        if (!range_open_)
            begin_range(row);
        const bool show_first = !odometer_shown_ && before(target_, odometer_);
        for (size_t k = 0; k < keys_.size(); ++k)
            target_[k] =
                keys_[k].to().null || keys_[k].less(row[k], keys_[k].to()) ? row[k] : keys_[k].to();
        skip_stale();
        if (show_first && before(odometer_, target_))
            insert();
        gap_ = Gap::Filling;
        in_suffix_ = false;
    }

    void begin_range(const FillRow& row)
    {
        range_open_ = true;
        range_row_ = block_.slice(at_, 1);
        odometer_shown_ = true;
        odometer_.assign(keys_.size(), {});
        target_.assign(keys_.size(), {});
        border_.assign(keys_.size(), {});
        last_row_.assign(keys_.size(), {});
        for (size_t k = 0; k < keys_.size(); ++k)
        {
            const FillNumber& from = keys_[k].from();
            if (!from.null && !keys_[k].equal(row[k], from))
            {
                rewind(k);
                odometer_shown_ = false;
                if (keys_[k].less(from, row[k]))
                    insert();
                return;
            }
            odometer_[k] = row[k];
        }
    }

    // After the last row of a range, up to TO.
    void begin_suffix()
    {
        const bool no_rows = !any_rows_;
        if (no_rows)
        {
            rewind(0);
            odometer_shown_ = false;
            any_rows_ = true; // of the one range that is filled now
        }
        const bool show_first = no_rows || (!odometer_shown_ && before(target_, odometer_));
        for (size_t k = 0; k < keys_.size(); ++k)
        {
            target_[k] = keys_[k].to();
            if (target_[k].null || keys_[k].less(border_[k], target_[k]))
                target_[k] = border_[k];
        }
        skip_stale();
        range_open_ = false;
        if (!before(odometer_, target_))
            return;
        if (show_first)
            insert();
        gap_ = Gap::Filling;
        in_suffix_ = true;
    }

    // Rows between the odometer and target_, until the output is full or the gap is filled.
    void fill()
    {
        while (out_rows_ < block_rows_)
        {
            if (!advance())
            {
                gap_ = in_suffix_ ? Gap::None : Gap::Done;
                return;
            }
            insert();
        }
        context_->check_alive();
    }

    // Columns k and later as they begin.
    void rewind(size_t k)
    {
        for (; k < keys_.size(); ++k)
            odometer_[k] = keys_[k].from();
    }

    bool before(const FillRow& a, const FillRow& b) const
    {
        for (size_t k = 0; k < keys_.size(); ++k)
            if (!a[k].null && !b[k].null && !keys_[k].equal(a[k], b[k]))
                return keys_[k].less(a[k], b[k]);
        return false;
    }

    bool is_stale(size_t k, const FillNumber& number) const
    {
        return !border_[k].null &&
               (!keys_[k].less(number, border_[k]) || !keys_[k].fits(number));
    }

    // What was stale before the last row stays out; after it filling starts again.
    void skip_stale()
    {
        for (size_t k = 0; k < keys_.size(); ++k)
            while (keys_[k].has_staleness() && keys_[k].less(odometer_[k], last_row_[k]))
            {
                const FillNumber next = keys_[k].stepped(odometer_[k]);
                if (keys_[k].less(last_row_[k], next))
                    break;
                odometer_[k] = next;
            }
    }

    // The next number towards target_; false when there is none before it.
    bool advance()
    {
        size_t at = 0;
        while (at < keys_.size() && (odometer_[at].null || target_[at].null ||
                                     keys_[at].equal(odometer_[at], target_[at])))
            ++at;
        if (at == keys_.size() || keys_[at].less(target_[at], odometer_[at]))
            return false;
        // Later columns with a TO count up to it first.
        for (size_t k = keys_.size(); k-- > at + 1;)
        {
            if (keys_[k].to().null || odometer_[k].null)
                continue;
            const FillNumber next = keys_[k].stepped(odometer_[k]);
            if (keys_[k].less(next, keys_[k].to()) && !is_stale(k, next))
            {
                odometer_[k] = next;
                rewind(k + 1);
                return true;
            }
        }
        const FillNumber next = keys_[at].stepped(odometer_[at]);
        if (keys_[at].less(target_[at], next) || keys_[at].equal(next, keys_[at].to()) ||
            is_stale(at, next))
            return false;
        odometer_[at] = next;
        if (!keys_[at].equal(next, target_[at]))
        {
            rewind(at + 1);
            return true;
        }
        bool is_before = false;
        for (size_t k = at + 1; k < keys_.size(); ++k)
        {
            odometer_[k] = keys_[k].from().null ? target_[k] : keys_[k].from();
            is_before = is_before || keys_[k].less(odometer_[k], target_[k]);
        }
        odometer_shown_ = is_before;
        return is_before;
    }

    // Copies the input's rows that were passed since the last time.
    void flush()
    {
        if (begin_ == at_)
            return;
        for (size_t c = 0; c < out_.size(); ++c)
            out_[c]->append_range(*block_[c].column, begin_, at_ - begin_);
        begin_ = at_;
    }

    // A row of the odometer's numbers.
    void insert()
    {
        flush();
        odometer_shown_ = true;
        Columns interpolated;
        if (program_)
            interpolated = program_->run(previous_row());
        std::vector<char> done(out_.size(), 0);
        for (size_t k = 0; k < keys_.size(); ++k)
        {
            keys_[k].append(odometer_[k], *out_[keys_[k].position()]);
            done[keys_[k].position()] = 1;
        }
        for (size_t i = 0; i < interpolated_.size(); ++i)
            if (const size_t c = interpolated_[i]; !done[c])
            {
                out_[c]->append_from(*to_flat(interpolated[i]), 0);
                done[c] = 1;
            }
        for (const auto& key : prefix_)
            if (range_row_.rows() > 0 && !done[key.column])
            {
                out_[key.column]->append_from(*range_row_[key.column].column, 0);
                done[key.column] = 1;
            }
        for (size_t c = 0; c < out_.size(); ++c)
            if (!done[c])
                out_[c]->append_value(header()[c].type->default_value());
        ++out_rows_;
    }

    // The last row given out, for INTERPOLATE; defaults before the first.
    Block previous_row() const
    {
        const size_t rows = out_[0]->size();
        if (rows == 0)
            return last_output_;
        std::vector<NamedColumn> columns;
        for (size_t c = 0; c < out_.size(); ++c)
            columns.push_back({out_[c]->slice(rows - 1, 1), header()[c].type, header()[c].name});
        return Block(std::move(columns), 1);
    }

    void start_output()
    {
        std::vector<NamedColumn> columns;
        for (const auto& column : header())
        {
            out_.push_back(column.type->create_column());
            columns.push_back({make_constant(column.type, column.type->default_value(), 1),
                               column.type, column.name});
        }
        last_output_ = Block(std::move(columns), 1).flattened();
    }

    Block take_output()
    {
        std::vector<NamedColumn> columns;
        for (size_t c = 0; c < out_.size(); ++c)
        {
            columns.push_back({out_[c], header()[c].type, header()[c].name});
            out_[c] = header()[c].type->create_column();
        }
        Block block(std::move(columns), out_rows_);
        if (program_)
            last_output_ = block.slice(out_rows_ - 1, 1);
        out_rows_ = 0;
        return block;
    }

    OperatorPtr input_;
    QueryContextPtr context_;
    size_t block_rows_;
    std::deque<FillKey> keys_; // which do not move: their steps refer to them
    SortKeys prefix_;
    std::vector<size_t> interpolated_;
    std::unique_ptr<ExpressionProgram> program_;

    Block block_;                 // of the input
    size_t begin_ = 0, at_ = 0;   // rows before begin_ are in out_, at_ is the next
    bool last_block_ = false, ended_ = false;
    bool any_rows_ = false;

    Gap gap_ = Gap::None;
    bool in_suffix_ = false;
    bool range_open_ = false;
    Block range_row_;             // the first row of the range
    FillRow odometer_;
    bool odometer_shown_ = true;  // a row with its numbers was given
    FillRow target_;
    FillRow border_;              // staleness: from here on nothing is filled
    FillRow last_row_;            // of the columns with staleness

    std::vector<MutableColumnPtr> out_;
    size_t out_rows_ = 0;
    Block last_output_;
};

} // namespace

OperatorPtr build_fill(FillNode& node, OperatorPtr input, BuildState& state)
{
    return std::make_unique<FillOperator>(node, gather(std::move(input), state.context), state);
}

} // namespace basalt
