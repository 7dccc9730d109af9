// Hash join. The right input is read whole into one block with a chain of rows per key; the left
// is probed block by block on all its streams. ASOF keeps the rows of each key sorted by the last
// key instead of a chain.

#include "base/error.h"
#include "executor/build.h"
#include "executor/key_index.h"
#include "executor/overflow.h"

#include <fmt/format.h>

namespace basalt
{

namespace
{

constexpr uint32_t kNoRow = UINT32_MAX;
constexpr size_t kPairBatch = 65536; // matched pairs materialised at a time

// 1 where any key of the row is NULL and its comparison is not null-safe.
Mask null_keys(const Columns& keys, const std::vector<bool>& null_safe, size_t rows)
{
    Mask nulls;
    for (size_t k = 0; k < keys.size(); ++k)
    {
        const Column& column = *keys[k];
        const bool safe = k < null_safe.size() && null_safe[k];
        if (safe || column.form() == ColumnForm::Vector || column.form() == ColumnForm::String)
            continue;
        if (nulls.empty())
            nulls.assign(rows, 0);
        for (size_t i = 0; i < rows; ++i)
            nulls[i] |= column.is_null_at(i) ? 1 : 0;
    }
    return nulls;
}

class JoinOperator : public Operator
{
public:
    JoinOperator(JoinNode& node, OperatorPtr left, OperatorPtr right, QueryContextPtr context)
        : Operator(node.output), node_(node), left_(std::move(left)), right_(std::move(right)),
          context_(std::move(context)), charge_(&context_->memory, 0)
    {
        for (const auto& name : node.left_keys)
            left_keys_.push_back(position_of(left_->header(), name));
        for (const auto& name : node.right_keys)
            right_keys_.push_back(position_of(right_->header(), name));
        if (node.strictness == JoinStrictness::Asof)
        {
            BASALT_ASSERT(!left_keys_.empty());
            asof_left_ = left_keys_.back();
            asof_right_ = right_keys_.back();
            left_keys_.pop_back();
            right_keys_.pop_back();
        }
        for (const auto& column : node.output)
            outputs_.push_back(locate(column.name));
        if (node.condition)
        {
            condition_ = std::make_unique<ExpressionProgram>(Expressions{node.condition},
                                                             *context_);
            for (const auto& name : condition_->inputs())
                condition_inputs_.push_back({locate(name), name});
        }
        // Right and full joins give the rows that found no partner after all streams have ended,
        // so they probe with one stream.
        emits_unmatched_right_ = node.join == JoinKind::Right || node.join == JoinKind::Full;
        size_limit_ = {context_->settings.get_uint("max_rows_in_join"),
                       context_->settings.get_uint("max_bytes_in_join"),
                       overflow_mode(*context_, "join_overflow_mode"), "JOIN",
                       error_codes::SET_SIZE_LIMIT_EXCEEDED};
        if (emits_unmatched_right_)
            left_ = gather(std::move(left_), context_);
        streams_.resize(left_->stream_count());
    }

    size_t stream_count() const override { return streams_.size(); }

    Block next(size_t stream) override
    {
        once_([&] { build(); });
        auto& s = streams_[stream];
        for (;;)
        {
            context_->check_alive();
            if (!s.active)
            {
                s.block = left_->next(stream);
                if (s.block.rows() == 0)
                    break;
                start_probe(s);
            }
            Block out = continue_probe(s);
            if (out.rows() > 0)
                return out;
        }
        return emits_unmatched_right_ ? unmatched_right() : Block{};
    }

    // The totals of both sides beside each other, defaults for a side without.
    std::optional<Block> totals() override
    {
        auto left = left_->totals(), right = right_->totals();
        if (!left && !right)
            return std::nullopt;
        std::vector<NamedColumn> columns;
        for (size_t c = 0; c < outputs_.size(); ++c)
        {
            const auto& place = outputs_[c];
            const auto& side = place.right ? right : left;
            const auto& type = header()[c].type;
            ColumnPtr column;
            if (side)
                column = to_flat(as_output((*side)[place.position].column,
                                           (*side)[place.position].type, type));
            else
                column = make_constant(type, type->default_value(), 1);
            columns.push_back({std::move(column), type, header()[c].name});
        }
        return Block(std::move(columns), 1);
    }

private:
    struct Place
    {
        bool right;
        size_t position;
    };
    // Probing of one left block, resumed when a batch of pairs is full.
    struct Probe
    {
        bool active = false;
        Block block;
        PodVector<uint32_t> ids;
        Mask nulls;
        Mask matched;       // left rows that found a partner
        uint32_t row = 0;   // next left row
        uint32_t chain = kNoRow; // next right row of the current left row, when in_chain
        bool in_chain = false;
    };

    Place locate(const std::string& name) const
    {
        const auto& left = left_->header();
        for (size_t i = 0; i < left.size(); ++i)
            if (left[i].name == name)
                return {false, i};
        return {true, position_of(right_->header(), name)};
    }

    void build()
    {
        std::vector<Block> blocks;
        std::mutex mutex;
        size_t rows = 0, bytes = 0;
        StoppableInput input(*right_);
        drain(input, *context_,
              [&](size_t, Block&& block)
              {
                  Block flat = block.flattened();
                  std::lock_guard lock(mutex);
                  rows += flat.rows();
                  bytes += flat.byte_size();
                  if (!size_limit_.check(rows, bytes))
                      input.stop();
                  charge_.resize(bytes);
                  blocks.push_back(std::move(flat));
              });
        if (rows >= kNoRow)
            throw Error(error_codes::TOO_MANY_ROWS, "Too many rows on the right side of a JOIN");
        charge_.resize(bytes * 2); // the rows before and after joining
        right_block_ = blocks.empty() ? Block::empty_of(right_->header()) : concat_blocks(blocks);
        blocks.clear();
        bytes = right_block_.byte_size();
        right_matched_.assign(rows, 0);

        Types types;
        for (size_t p : right_keys_)
            types.push_back(right_->header()[p].type);
        index_ = std::make_unique<KeyIndex>(types);
        first_.clear();
        next_.assign(rows, kNoRow);
        Columns keys;
        for (size_t p : right_keys_)
            keys.push_back(right_block_[p].column);
        PodVector<uint32_t> ids;
        if (keys.empty())
        {
            ids.assign(rows, 0);
            first_.assign(1, kNoRow);
        }
        else
        {
            RowIndexes new_rows;
            index_->insert(keys, rows, ids, new_rows);
            first_.assign(index_->size(), kNoRow);
        }
        const Mask nulls = null_keys(keys, node_.null_safe, rows);
        if (node_.strictness == JoinStrictness::Asof)
            sort_for_asof(ids, nulls);
        // Backwards, so that each chain is in row order.
        for (size_t i = rows; i-- > 0;)
        {
            if (!nulls.empty() && nulls[i])
                continue;
            next_[i] = first_[ids[i]];
            first_[ids[i]] = static_cast<uint32_t>(i);
        }
        charge_.resize(bytes + index_->byte_size() + next_.capacity_bytes() +
                       first_.capacity_bytes() + right_matched_.capacity_bytes() +
                       asof_rows_.capacity_bytes() + asof_ends_.capacity_bytes());
    }

    // Rows with a key grouped by it, each group ascending by the ASOF key; equal values keep the
    // order of rows.
    void sort_for_asof(const PodVector<uint32_t>& ids, const Mask& nulls)
    {
        const NamedColumn& asof = right_block_[asof_right_];
        auto id_column = std::make_shared<VectorColumn<uint32_t>>(ids);
        const Block keys({{id_column, simple_type(TypeId::UInt32), "id"}, asof});
        asof_ends_.assign(first_.size(), 0);
        for (const uint32_t row : sort_rows(keys, {{0, false, false}, {1, false, false}}))
        {
            if ((!nulls.empty() && nulls[row]) || asof.column->is_null_at(row))
                continue;
            asof_rows_.push_back(row);
            asof_ends_[ids[row]] = static_cast<uint32_t>(asof_rows_.size());
        }
        // Keys whose rows all dropped out have empty groups.
        for (size_t id = 1; id < asof_ends_.size(); ++id)
            asof_ends_[id] = std::max(asof_ends_[id], asof_ends_[id - 1]);
    }

    void start_probe(Probe& s) const
    {
        const size_t rows = s.block.rows();
        s.active = true;
        s.row = 0;
        s.in_chain = false;
        Columns keys;
        for (size_t p : left_keys_)
            keys.push_back(s.block[p].column);
        if (keys.empty())
            s.ids.assign(rows, 0);
        else
            index_->find(keys, rows, s.ids);
        s.nulls = null_keys(keys, node_.null_safe, rows);
        s.matched.assign(rows, 0);
        if (node_.strictness == JoinStrictness::Asof)
            for (size_t c = 0; c < s.block.width(); ++c)
                if (c == asof_left_)
                    s.block[c].column = to_flat(s.block[c].column);
    }

    uint32_t chain_of(const Probe& s, uint32_t row) const
    {
        if (s.ids[row] == kMissingKey || (!s.nulls.empty() && s.nulls[row]))
            return kNoRow;
        return first_[s.ids[row]];
    }

    // Pairs of the next left rows; rows of the left without partner at the end of the block.
    Block continue_probe(Probe& s)
    {
        const auto rows = static_cast<uint32_t>(s.block.rows());
        RowIndexes left_rows, right_rows;
        const bool any_pair = condition_ == nullptr && takes_one_partner();
        while (s.row < rows && left_rows.size() < kPairBatch)
        {
            if (!s.in_chain)
            {
                s.chain = node_.strictness == JoinStrictness::Asof ? asof_partner(s, s.row)
                                                                   : chain_of(s, s.row);
                s.in_chain = true;
            }
            while (s.chain != kNoRow && left_rows.size() < kPairBatch)
            {
                left_rows.push_back(s.row);
                right_rows.push_back(s.chain);
                s.chain = any_pair || node_.strictness == JoinStrictness::Asof ? kNoRow
                                                                               : next_[s.chain];
            }
            if (s.chain == kNoRow)
            {
                ++s.row;
                s.in_chain = false;
            }
        }
        if (condition_ && !left_rows.empty())
            apply_condition(s.block, left_rows, right_rows);
        apply_strictness(s, left_rows, right_rows);
        const bool block_done = s.row >= rows;
        std::vector<Block> parts;
        if (!left_rows.empty())
            parts.push_back(pairs(s.block, left_rows, right_rows));
        if (block_done)
        {
            s.active = false;
            Block alone = unmatched_left(s);
            if (alone.rows() > 0)
                parts.push_back(std::move(alone));
        }
        if (parts.empty())
            return {};
        return parts.size() == 1 ? std::move(parts[0]) : concat_blocks(parts);
    }

    // Semi and Any on the left side need one partner per left row.
    bool takes_one_partner() const
    {
        if (node_.strictness == JoinStrictness::All || node_.join == JoinKind::Cross)
            return false;
        return node_.join != JoinKind::Right && node_.join != JoinKind::Full;
    }

    void apply_condition(const Block& left, RowIndexes& left_rows, RowIndexes& right_rows) const
    {
        std::vector<NamedColumn> columns;
        for (const auto& [place, name] : condition_inputs_)
        {
            const auto& source = place.right ? right_block_[place.position] : left[place.position];
            columns.push_back(
                {source.column->take(place.right ? right_rows : left_rows), source.type, name});
        }
        const Block block(std::move(columns), left_rows.size());
        Mask mask;
        const size_t kept = column_to_mask(condition_->run(block)[0],
                                           node_.condition->type(), mask);
        if (kept == left_rows.size())
            return;
        RowIndexes kept_left, kept_right;
        for (size_t i = 0; i < mask.size(); ++i)
            if (mask[i])
            {
                kept_left.push_back(left_rows[i]);
                kept_right.push_back(right_rows[i]);
            }
        left_rows = std::move(kept_left);
        right_rows = std::move(kept_right);
    }

    // Keeps the pairs that the strictness lets through and notes who found a partner.
    void apply_strictness(Probe& s, RowIndexes& left_rows, RowIndexes& right_rows)
    {
        RowIndexes kept_left, kept_right;
        const bool semi = node_.strictness == JoinStrictness::Semi;
        const bool anti = node_.strictness == JoinStrictness::Anti;
        const bool any = node_.strictness == JoinStrictness::Any;
        const bool right_side = node_.join == JoinKind::Right;
        for (size_t i = 0; i < left_rows.size(); ++i)
        {
            const uint32_t l = left_rows[i], r = right_rows[i];
            bool keep = !anti;
            if (semi || any)
            {
                // ANY INNER gives each key once per side; others one partner per driving row.
                if (right_side)
                    keep = !mark_right(r);
                else if (any && node_.join == JoinKind::Inner)
                    keep = !s.matched[l] && !mark_right(r);
                else
                    keep = !s.matched[l];
            }
            if (emits_unmatched_right_)
                mark_right(r);
            s.matched[l] = 1;
            if (keep)
            {
                kept_left.push_back(l);
                kept_right.push_back(r);
            }
        }
        left_rows = std::move(kept_left);
        right_rows = std::move(kept_right);
    }

    // Returns whether it was marked before. Several streams may mark at once.
    bool mark_right(uint32_t row)
    {
        return __atomic_exchange_n(&right_matched_[row], uint8_t{1}, __ATOMIC_RELAXED) != 0;
    }

    uint32_t asof_partner(const Probe& s, uint32_t row) const
    {
        const Column& left = *s.block[asof_left_].column;
        const uint32_t id = s.ids[row];
        if (id == kMissingKey || (!s.nulls.empty() && s.nulls[row]) || left.is_null_at(row) ||
            asof_ends_.empty())
            return kNoRow;
        using Op = JoinNode::AsofOp;
        const Op op = node_.asof_op;
        const uint32_t begin = id == 0 ? 0 : asof_ends_[id - 1];
        const uint32_t end = asof_ends_[id];
        if (op == Op::Less || op == Op::LessOrEquals)
        {
            const uint32_t at = asof_bound(begin, end, left, row, op == Op::LessOrEquals);
            return at == end ? kNoRow : asof_rows_[at];
        }
        const uint32_t past = asof_bound(begin, end, left, row, op == Op::Greater);
        if (past == begin)
            return kNoRow;
        // Of equal right values the first row.
        const Column& right = *right_block_[asof_right_].column;
        return asof_rows_[asof_bound(begin, past, right, asof_rows_[past - 1], true)];
    }

    // In asof_rows_[begin, end) the first whose ASOF key is greater than the given value, or not
    // less than it.
    uint32_t asof_bound(uint32_t begin, uint32_t end, const Column& value, uint32_t row,
                        bool or_equal) const
    {
        const Column& right = *right_block_[asof_right_].column;
        while (begin < end)
        {
            const uint32_t middle = begin + (end - begin) / 2;
            const int order = right.compare_at(asof_rows_[middle], value, row, 1);
            if (or_equal ? order < 0 : order <= 0)
                begin = middle + 1;
            else
                end = middle;
        }
        return begin;
    }

    ColumnPtr as_output(ColumnPtr column, const TypePtr& source, const TypePtr& wanted) const
    {
        if (!is_nullable_or_lc_nullable(wanted) || is_nullable_or_lc_nullable(source))
            return column;
        column = to_flat(column);
        if (column->form() == ColumnForm::Nullable)
            return column;
        const size_t rows = column->size();
        return NullableColumn::make(column,
                                    std::make_shared<VectorColumn<uint8_t>>(rows, uint8_t{0}));
    }

    Block pairs(const Block& left, const RowIndexes& left_rows, const RowIndexes& right_rows) const
    {
        std::vector<NamedColumn> columns;
        for (size_t c = 0; c < outputs_.size(); ++c)
        {
            const auto& place = outputs_[c];
            const auto& source = place.right ? right_block_[place.position] : left[place.position];
            ColumnPtr column = source.column->take(place.right ? right_rows : left_rows);
            columns.push_back({to_flat(as_output(std::move(column), source.type,
                                                 header()[c].type)),
                               header()[c].type, header()[c].name});
        }
        return Block(std::move(columns), left_rows.size());
    }

    // Rows of one side with defaults (or NULLs) for the other.
    Block one_sided(const Block& side, bool is_right, const RowIndexes& rows) const
    {
        std::vector<NamedColumn> columns;
        for (size_t c = 0; c < outputs_.size(); ++c)
        {
            const auto& place = outputs_[c];
            const auto& type = header()[c].type;
            ColumnPtr column;
            if (place.right == is_right)
                column = to_flat(as_output(side[place.position].column->take(rows),
                                           side[place.position].type, type));
            else
            {
                auto defaults = type->create_column();
                if (is_nullable_or_lc_nullable(type))
                    defaults->append_defaults(rows.size());
                else
                {
                    auto one = type->create_column();
                    one->append_value(type->default_value());
                    defaults->append_repeated(*one, 0, rows.size());
                }
                column = defaults;
            }
            columns.push_back({std::move(column), type, header()[c].name});
        }
        return Block(std::move(columns), rows.size());
    }

    Block unmatched_left(const Probe& s) const
    {
        const bool anti = node_.strictness == JoinStrictness::Anti;
        const bool wanted = (node_.join == JoinKind::Left || node_.join == JoinKind::Full) &&
                            node_.strictness != JoinStrictness::Semi;
        if (!wanted && !(anti && node_.join != JoinKind::Right))
            return {};
        RowIndexes rows;
        for (size_t i = 0; i < s.matched.size(); ++i)
            if (!s.matched[i])
                rows.push_back(static_cast<uint32_t>(i));
        return rows.empty() ? Block{} : one_sided(s.block, false, rows);
    }

    Block unmatched_right()
    {
        if (node_.strictness == JoinStrictness::Semi)
            return {};
        RowIndexes rows;
        while (unmatched_at_ < right_matched_.size() && rows.size() < kPairBatch)
        {
            if (!right_matched_[unmatched_at_])
                rows.push_back(static_cast<uint32_t>(unmatched_at_));
            ++unmatched_at_;
        }
        return rows.empty() ? Block{} : one_sided(right_block_, true, rows);
    }

    JoinNode& node_;
    OperatorPtr left_, right_;
    QueryContextPtr context_;
    std::vector<size_t> left_keys_, right_keys_;
    size_t asof_left_ = 0, asof_right_ = 0;
    std::vector<Place> outputs_;
    std::unique_ptr<ExpressionProgram> condition_;
    std::vector<std::pair<Place, std::string>> condition_inputs_;
    bool emits_unmatched_right_ = false;
    SizeLimit size_limit_;

    RunOnce once_;
    MemoryCharge charge_;
    Block right_block_;
    std::unique_ptr<KeyIndex> index_;
    PodVector<uint32_t> first_, next_; // chains of right rows by key number
    PodVector<uint32_t> asof_rows_, asof_ends_; // ends of the groups of rows, by key number
    PodVector<uint8_t> right_matched_;
    size_t unmatched_at_ = 0;
    std::vector<Probe> streams_;
};

} // namespace

OperatorPtr build_join(JoinNode& node, OperatorPtr left, OperatorPtr right, BuildState& state)
{
    if (node.strictness == JoinStrictness::Any && node.join == JoinKind::Full)
        throw Error(error_codes::NOT_IMPLEMENTED, "ANY FULL JOINs are not implemented");
    return std::make_unique<JoinOperator>(node, std::move(left), std::move(right), state.context);
}

} // namespace basalt
