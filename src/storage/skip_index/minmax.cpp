// minmax: the least and greatest value of each entry.
// Bytes: varint entries, then for each: u8 flags (1: bounds follow, 2: has NULL, 4: only NULL),
// two values.

#include "encodings/page_statistics.h"
#include "storage/condition/bounds.h"
#include "storage/log/record.h"
#include "storage/skip_index/skip_index.h"
#include "storage/value_bytes.h"

#include "base/error.h"

#include <fmt/format.h>

namespace basalt
{

namespace
{

enum Flag : uint8_t
{
    kBounds = 1,
    kHasNull = 2,
    kOnlyNull = 4,
};

class Builder final : public SkipIndexBuilder
{
public:
    explicit Builder(TypePtr type) : type_(std::move(type)) {}

    void add_entry(const Column& flat, size_t begin, size_t count) override
    {
        const PageStatistics statistics = statistics_of(flat, type_, begin, count);
        const bool bounded = statistics.min && statistics.max;
        uint8_t flags = bounded ? kBounds : 0;
        if (statistics.null_count)
            flags |= kHasNull;
        if (statistics.null_count == count)
            flags |= kOnlyNull;
        entries_.push_back(static_cast<char>(flags));
        if (bounded)
        {
            append_value(entries_, *statistics.min);
            append_value(entries_, *statistics.max);
        }
        ++count_;
    }
    std::string take_bytes() override { return {}; }
    std::string finish() override
    {
        std::string out;
        append_varint(out, count_);
        return out + entries_;
    }

private:
    TypePtr type_;
    std::string entries_;
    uint64_t count_ = 0;
};

class Reader final : public SkipIndexReader
{
public:
    Reader(const IndexDescription& index, const SkipIndexSource& source)
    {
        const std::string bytes = source.read(0, source.size);
        std::string_view view = bytes;
        if (take_varint(view) != source.entries)
            throw Error(error_codes::CORRUPTED_DATA, "It has the wrong number of entries");
        std::vector<std::optional<Value>> min, max;
        KeyBounds key;
        key.key = index.expression;
        for (size_t i = 0; i < source.entries; ++i)
        {
            if (view.empty())
                throw Error(error_codes::CORRUPTED_DATA, "It is cut off");
            const auto flags = static_cast<uint8_t>(view[0]);
            view.remove_prefix(1);
            min.emplace_back();
            max.emplace_back();
            if (flags & kBounds)
            {
                min.back() = take_value(view);
                max.back() = take_value(view);
            }
            key.has_null.push_back((flags & kHasNull) != 0);
            key.only_null.push_back((flags & kOnlyNull) != 0);
        }
        key.min = bound_column(index.expression->type(), min);
        key.max = bound_column(index.expression->type(), max);
        keys_.push_back(std::move(key));
    }

    void narrow(const IndexQuestion& question, const QueryContext& context,
                std::vector<Outcomes>& outcomes) const override
    {
        const Condition condition(*question.atom);
        const BoundedCondition bounded(condition, keys_, context);
        if (!bounded.useful())
            return;
        for (size_t i = 0; i < outcomes.size(); ++i)
            outcomes[i] = outcomes[i].narrowed_by(bounded.of_atom(0, i));
    }

private:
    std::vector<KeyBounds> keys_;
};

// Whether it is the key or functions of it, each with one argument that is not constant.
bool is_chain_over(ExpressionPtr expression, const Expression& key)
{
    while (expression->fingerprint() != key.fingerprint())
    {
        if (expression->kind() != ExpressionKind::Call)
            return false;
        ExpressionPtr open;
        for (const auto& argument : expression->arguments())
        {
            if (argument->is_constant())
                continue;
            if (open)
                return false;
            open = argument;
        }
        if (!open)
            return false;
        expression = open;
    }
    return true;
}

class MinMax final : public SkipIndexKind
{
public:
    std::string name() const override { return "minmax"; }
    void check(const IndexDescription& index) const override
    {
        if (!index.arguments.empty())
            throw Error(error_codes::INCORRECT_QUERY, "Minmax index should not have any arguments");
        if (!has_order_statistics(index.expression->type()))
            throw Error(error_codes::BAD_ARGUMENTS,
                        fmt::format("Data type of argument for minmax index must be comparable, "
                                    "got {} type for index {} instead",
                                    index.expression->type()->name(), index.name));
    }
    std::unique_ptr<SkipIndexBuilder> make_builder(const IndexDescription& index,
                                                   size_t) const override
    {
        return std::make_unique<Builder>(index.expression->type());
    }
    std::unique_ptr<SkipIndexReader> open(const IndexDescription& index,
                                          SkipIndexSource source) const override
    {
        return std::make_unique<Reader>(index, source);
    }
    bool useful_for(const IndexDescription& index, const IndexQuestion& question) const override
    {
        using Kind = ConditionAtom::Kind;
        const ConditionAtom& atom = *question.atom;
        if (!atom.argument || atom.kind == Kind::Other || atom.kind == Kind::Has)
            return false;
        return atom.kind == Kind::IsNull ? question.direct
                                         : is_chain_over(atom.argument, *index.expression);
    }
};

} // namespace

void register_minmax(SkipIndexRegistry& registry)
{
    registry.add(std::make_unique<MinMax>());
}

} // namespace basalt
