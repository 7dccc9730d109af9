// set(n): the distinct values of each entry, as long as they are no more than n (0: no limit).
// Bytes: varint entries; for each a varint: 0 = too many values, otherwise 1 + their number; then
// all values in order as one block (block_bytes.h).

#include "encodings/page_dictionary.h"
#include "storage/block_bytes.h"
#include "storage/log/record.h"
#include "storage/skip_index/skip_index.h"

#include "base/error.h"

#include <algorithm>

namespace basalt
{

namespace
{

TypePtr value_type(const IndexDescription& index)
{
    return remove_low_cardinality(index.expression->type());
}

// Whether the predicate is a function of the index's expression alone. used: it occurs.
bool reads_only(const Expression& predicate, const Expression& key, bool& used)
{
    if (predicate.fingerprint() == key.fingerprint())
        return used = true;
    if (predicate.is_constant())
        return true;
    return predicate.kind() == ExpressionKind::Call && predicate.deterministic() &&
           std::all_of(predicate.arguments().begin(), predicate.arguments().end(),
                       [&](const ExpressionPtr& argument)
                       { return reads_only(*argument, key, used); });
}

// The predicate with the index's expression replaced by a column.
ExpressionPtr over_value(const ExpressionPtr& predicate, const Expression& key,
                         const ExpressionPtr& value, const QueryContext& context)
{
    if (predicate->fingerprint() == key.fingerprint())
        return value;
    if (predicate->is_constant())
        return predicate;
    Expressions arguments;
    for (const auto& argument : predicate->arguments())
        arguments.push_back(over_value(argument, key, value, context));
    return Expression::call(predicate->function(), std::move(arguments), context);
}

class Builder final : public SkipIndexBuilder
{
public:
    Builder(TypePtr type, size_t limit)
        : type_(std::move(type)), limit_(limit), distinct_(type_), values_(type_->create_column())
    {
    }

    void add_entry(const Column& flat, size_t begin, size_t count) override
    {
        distinct_.clear();
        PodVector<uint32_t> codes;
        ++count_;
        // Row by row in small steps: the sampling of longer ones could give up too early.
        constexpr size_t kStep = 1024;
        for (size_t at = 0; at < count; at += kStep)
        {
            codes.clear();
            if (distinct_.add(flat, begin + at, std::min(kStep, count - at), limit_, codes))
                continue;
            append_varint(sizes_, 0);
            return;
        }
        append_varint(sizes_, 1 + distinct_.size());
        values_->append_range(*distinct_.values(), 0, distinct_.size());
    }
    std::string take_bytes() override { return {}; }
    std::string finish() override
    {
        std::string out;
        append_varint(out, count_);
        out += sizes_;
        Block block;
        block.add({values_, type_, "value"});
        append_text(out, encode_block(block));
        return out;
    }

private:
    TypePtr type_;
    size_t limit_;
    DistinctValues distinct_;
    MutableColumnPtr values_;
    std::string sizes_;
    uint64_t count_ = 0;
};

class Reader final : public SkipIndexReader
{
public:
    Reader(const IndexDescription& index, const SkipIndexSource& source) : key_(index.expression)
    {
        const std::string bytes = source.read(0, source.size);
        std::string_view view = bytes;
        if (take_varint(view) != source.entries)
            throw Error(error_codes::CORRUPTED_DATA, "It has the wrong number of entries");
        uint64_t total = 0;
        for (size_t i = 0; i < source.entries; ++i)
        {
            sizes_.push_back(take_varint(view));
            total += sizes_.back() ? sizes_.back() - 1 : 0;
        }
        values_ = decode_block(take_text(view))[0].column;
        if (values_->size() != total)
            throw Error(error_codes::CORRUPTED_DATA, "It has the wrong number of values");
    }

    void narrow(const IndexQuestion& question, const QueryContext& context,
                std::vector<Outcomes>& outcomes) const override
    {
        if (values_->size() == 0)
            return;
        Mask truth, null;
        if (!decide(question, context, truth, null))
            return;
        size_t at = 0;
        for (size_t i = 0; i < outcomes.size(); ++i)
        {
            if (sizes_[i] == 0)
                continue;
            Outcomes all{false, false, false};
            for (size_t n = 1; n < sizes_[i]; ++n, ++at)
            {
                all.can_be_null |= null[at] != 0;
                all.can_be_true |= truth[at] != 0;
                all.can_be_false |= !null[at] && !truth[at];
            }
            outcomes[i] = outcomes[i].narrowed_by(all);
        }
    }

private:
    // The predicate itself, of every value.
    bool decide(const IndexQuestion& question, const QueryContext& context, Mask& truth,
                Mask& null) const
    {
        constexpr const char* kValue = "value";
        try
        {
            const ExpressionPtr predicate = over_value(
                question.atom->source, *key_, Expression::input(kValue, key_->type()), context);
            Block block;
            block.add({values_, key_->type(), kValue});
            const ColumnPtr result =
                to_flat(ExpressionProgram({predicate}, context).run(block, context)[0]);
            column_to_mask(result, predicate->type(), truth);
            null.assign(truth.size(), 0);
            for (size_t i = 0; i < null.size(); ++i)
            {
                null[i] = result->is_null_at(i);
                truth[i] = !null[i] && (truth[i] != 0) != question.atom->negated;
            }
            return true;
        }
        catch (const Error&)
        {
            // A value that no row of the query has may be what the predicate refuses.
            return false;
        }
    }

    ExpressionPtr key_;
    std::vector<uint64_t> sizes_;
    ColumnPtr values_;
};

class Set final : public SkipIndexKind
{
public:
    std::string name() const override { return "set"; }
    void check(const IndexDescription& index) const override
    {
        if (index.arguments.size() != 1)
            throw Error(error_codes::INCORRECT_QUERY, "Set index must have exactly one argument");
        if (!index.arguments[0].get_if<uint64_t>())
            throw Error(error_codes::INCORRECT_QUERY,
                        "Set index argument must be a positive integer");
        if (!can_be_inside_low_cardinality(value_type(index)))
            throw Error(error_codes::NOT_IMPLEMENTED, "Set index over type " +
                                                          index.expression->type()->name() +
                                                          " is not implemented");
    }
    std::unique_ptr<SkipIndexBuilder> make_builder(const IndexDescription& index,
                                                   size_t) const override
    {
        const uint64_t limit = index.arguments[0].get<uint64_t>();
        return std::make_unique<Builder>(value_type(index), limit ? limit : SIZE_MAX);
    }
    std::unique_ptr<SkipIndexReader> open(const IndexDescription& index,
                                          SkipIndexSource source) const override
    {
        return std::make_unique<Reader>(index, source);
    }
    bool useful_for(const IndexDescription& index, const IndexQuestion& question) const override
    {
        bool used = false;
        return question.atom->source &&
               reads_only(*question.atom->source, *index.expression, used) && used;
    }
};

} // namespace

void register_set(SkipIndexRegistry& registry)
{
    registry.add(std::make_unique<Set>());
}

} // namespace basalt
