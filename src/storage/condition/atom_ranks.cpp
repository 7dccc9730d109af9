#include "storage/condition/atom_ranks.h"

#include "base/error.h"
#include "columns/serialization.h"
#include "columns/sort.h"
#include "encodings/page_statistics.h"
#include "storage/condition/mirrored.h"

#include <algorithm>

namespace basalt
{

namespace
{

using Kind = ConditionAtom::Kind;
using Monotonicity = ScalarFunction::Monotonicity;

constexpr const char* kKeyName = "key";

// The one argument of a call that is not constant; -1 when there are none or several.
int open_argument(const Expression& call)
{
    int found = -1;
    for (size_t i = 0; i < call.arguments().size(); ++i)
    {
        if (call.arguments()[i]->is_constant())
            continue;
        if (found >= 0)
            return -1;
        found = static_cast<int>(i);
    }
    return found;
}

// `expression` with the part that has the fingerprint replaced, when it is a chain of calls of one
// argument down to it; null when it is not.
ExpressionPtr replace_in_chain(const ExpressionPtr& expression, const std::string& fingerprint,
                               const ExpressionPtr& replacement, const QueryContext& context)
{
    if (expression->fingerprint() == fingerprint)
        return replacement;
    if (expression->kind() != ExpressionKind::Call || !expression->deterministic())
        return nullptr;
    const int at = open_argument(*expression);
    if (at < 0)
        return nullptr;
    const auto inner = replace_in_chain(expression->arguments()[static_cast<size_t>(at)],
                                        fingerprint, replacement, context);
    if (!inner)
        return nullptr;
    Expressions arguments = expression->arguments();
    arguments[static_cast<size_t>(at)] = inner;
    // Functions of a table's keys were made for a statement that is over: this query makes its own.
    if (!scalar_functions().exists(expression->name()))
        return nullptr;
    return Expression::call(expression->name(), std::move(arguments), context);
}

ColumnPtr column_of(const TypePtr& type, const Values& values)
{
    auto column = type->create_column();
    for (const auto& value : values)
        column->append_value(value);
    return column;
}

ColumnPtr run_on(const ExpressionPtr& expression, const ColumnPtr& key, const TypePtr& key_type,
                 const QueryContext& context)
{
    Block block;
    block.add({key, key_type, kKeyName});
    return to_flat(ExpressionProgram({expression}, context).run(block)[0]);
}

// How a chain of calls over Input "key" orders the values between low and high.
Monotonicity direction_of(const ExpressionPtr& chain, const TypePtr& key_type, const Value& low,
                          const Value& high, const QueryContext& context)
{
    if (chain->kind() == ExpressionKind::Input)
        return Monotonicity::Increasing;
    if (chain->kind() != ExpressionKind::Call || low.is_null() || high.is_null())
        return Monotonicity::None;
    const int at = open_argument(*chain);
    if (at < 0)
        return Monotonicity::None;
    const auto& inner = chain->arguments()[static_cast<size_t>(at)];
    const Monotonicity inner_direction = direction_of(inner, key_type, low, high, context);
    if (inner_direction == Monotonicity::None || is_nullable_or_lc_nullable(inner->type()))
        return Monotonicity::None;
    const ColumnPtr ends = run_on(inner, column_of(key_type, {low, high}), key_type, context);
    Value left = ends->value_at(0), right = ends->value_at(1);
    if (inner_direction == Monotonicity::Decreasing)
        std::swap(left, right);
    Arguments arguments;
    for (const auto& argument : chain->arguments())
        arguments.push_back({argument->is_constant() ? argument->constant_column() : nullptr,
                             argument->type()});
    const Monotonicity own =
        chain->function()->monotonicity(arguments, static_cast<size_t>(at), left, right);
    if (own == Monotonicity::None || inner_direction == Monotonicity::Increasing)
        return own;
    return own == Monotonicity::Increasing ? Monotonicity::Decreasing : Monotonicity::Increasing;
}

bool is_ranked(Kind kind)
{
    return kind != Kind::IsNull && kind != Kind::Has && kind != Kind::Other;
}

ColumnPtr one_row(const ColumnPtr& column)
{
    return column->form() == ColumnForm::Constant ? column_as<ConstantColumn>(column).nested()
                                                  : to_flat(column)->slice(0, 1);
}

// Members of a set as a flat column of the type, without NULL; null when they are of another type.
ColumnPtr members_of(const ConditionAtom& atom, const TypePtr& type)
{
    const TypePtr& member_type = atom.set->key_types()[atom.set_column];
    if (!same_type(strip_wrappers(member_type), type))
        return nullptr;
    ColumnPtr members = to_flat(atom.set->members()[atom.set_column]);
    if (members->form() == ColumnForm::Nullable)
    {
        const auto& nullable = column_as<NullableColumn>(members);
        Mask mask(members->size());
        size_t kept = 0;
        for (size_t i = 0; i < mask.size(); ++i)
            kept += mask[i] = nullable.null_map()[i] == 0;
        members = nullable.nested()->filter(mask, kept);
    }
    return members;
}

ColumnPtr sorted(const ColumnPtr& members, const TypePtr& type)
{
    Block block;
    block.add({members, type, "m"});
    return members->take(sort_rows(block, {SortKey{}}));
}

} // namespace

bool AtomRanks::take_constants(const ConditionAtom& atom, const TypePtr& type)
{
    type_ = strip_wrappers(type);
    if (kind_ == Kind::InSet)
    {
        const ColumnPtr members = members_of(atom, type_);
        // Zeros of both signs are one value to IN and two to an order.
        if (!members || !has_order_statistics(type_) || type_->is_float())
            return false;
        members_ = sorted(members, type_);
        return true;
    }
    if (kind_ == Kind::Prefix)
        return type_->is(TypeId::String);
    constant_ = one_row(atom.constant->constant_column());
    constant_type_ = atom.constant->type();
    return !constant_->is_null_at(0);
}

bool AtomRanks::settle_direction(const ExpressionPtr& chain, const TypePtr& key_type,
                                 const Value& low, const Value& high)
{
    const Monotonicity direction = direction_of(chain, key_type, low, high, context_);
    if (direction == Monotonicity::None)
        return false;
    reversed_ = direction == Monotonicity::Decreasing;
    return true;
}

std::unique_ptr<AtomRanks> AtomRanks::over(const ConditionAtom& atom, const ExpressionPtr& key,
                                           const Value& low, const Value& high,
                                           const QueryContext& context)
{
    if (!is_ranked(atom.kind))
        return nullptr;
    try
    {
        auto ranks = std::unique_ptr<AtomRanks>(new AtomRanks(atom, context));
        ranks->key_type_ = strip_wrappers(key->type());
        const auto chain =
            replace_in_chain(atom.argument, key->fingerprint(),
                             Expression::input(kKeyName, ranks->key_type_), context);
        if (!chain || is_nullable_or_lc_nullable(chain->type()) ||
            !ranks->take_constants(atom, chain->type()) ||
            !ranks->settle_direction(chain, ranks->key_type_, low, high))
            return nullptr;
        if (chain->kind() != ExpressionKind::Input)
            ranks->program_ = std::make_unique<ExpressionProgram>(Expressions{chain}, context);
        return ranks;
    }
    catch (const Error&)
    {
        // What cannot be computed here will fail, or not, where rows are read.
        return nullptr;
    }
}

std::unique_ptr<AtomRanks> AtomRanks::through(const ConditionAtom& atom, const ExpressionPtr& key,
                                              const Value& low, const Value& high,
                                              const QueryContext& context)
{
    if (!is_ranked(atom.kind) || atom.kind == Kind::Prefix)
        return nullptr;
    try
    {
        const TypePtr argument_type = strip_wrappers(atom.argument->type());
        const auto chain = replace_in_chain(key, atom.argument->fingerprint(),
                                            Expression::input(kKeyName, argument_type), context);
        if (!chain || chain->kind() == ExpressionKind::Input ||
            is_nullable_or_lc_nullable(chain->type()))
            return nullptr;
        auto ranks = std::unique_ptr<AtomRanks>(new AtomRanks(atom, context));
        ranks->key_type_ = ranks->type_ = strip_wrappers(key->type());
        ranks->relaxed_ = true;
        if (atom.kind == Kind::InSet)
        {
            const ColumnPtr members = members_of(atom, argument_type);
            if (!members || !has_order_statistics(ranks->type_))
                return nullptr;
            ranks->members_ =
                sorted(run_on(chain, members, argument_type, context), ranks->type_);
            return ranks;
        }
        TextOptions options;
        options.session_timezone = context.timezone();
        const auto constant = convert_value(atom.constant->constant_column()->value_at(0),
                                            argument_type, options);
        if (!constant || constant->is_null())
            return nullptr;
        // The conversion must be the one that the comparison makes.
        const auto same = Expression::call(
            "equals", {Expression::constant(argument_type, *constant), atom.constant}, context);
        Mask mask;
        if (!same->is_constant() ||
            column_to_mask(same->constant_column(), same->type(), mask) == 0)
            return nullptr;
        if (atom.kind != Kind::Equals)
        {
            if (low.is_null() || high.is_null())
                return nullptr;
            const auto below = compare_values(*constant, low);
            const auto above = compare_values(*constant, high);
            if (!below || !above ||
                !ranks->settle_direction(chain, argument_type, *below < 0 ? *constant : low,
                                         *above > 0 ? *constant : high))
                return nullptr;
            // Different arguments may have the same value.
            const Kind kind = ranks->reversed_ ? mirrored(atom.kind) : atom.kind;
            ranks->kind_ = kind == Kind::Less      ? Kind::LessOrEquals
                           : kind == Kind::Greater ? Kind::GreaterOrEquals
                                                   : kind;
            ranks->reversed_ = false;
        }
        ranks->constant_ =
            run_on(chain, column_of(argument_type, {*constant}), argument_type, context);
        ranks->constant_type_ = ranks->type_;
        return ranks;
    }
    catch (const Error&)
    {
        return nullptr;
    }
}

PodVector<uint32_t> AtomRanks::rank(const ColumnPtr& values) const
{
    try
    {
        ColumnPtr compared = values;
        if (program_)
        {
            Block block;
            block.add({values, key_type_, kKeyName});
            compared = to_flat(program_->run(block, context_)[0]);
        }
        if (members_)
            return rank_in_set(*compared);
        if (kind_ == Kind::Prefix)
            return rank_by_prefix(*compared);
        return rank_by_comparison(compared);
    }
    catch (const Error&)
    {
        return PodVector<uint32_t>(values->size(), kNoRank);
    }
}

PodVector<uint32_t> AtomRanks::rank_by_comparison(const ColumnPtr& values) const
{
    const size_t rows = values->size();
    const Arguments arguments{{values, type_},
                              {std::make_shared<ConstantColumn>(constant_, rows), constant_type_}};
    PodVector<uint32_t> ranks(rows, kNoRank);
    uint32_t rank = 0;
    for (const char* name : {"less", "equals", "greater"})
    {
        const auto function = scalar_functions().get(name, context_);
        Arguments types = arguments;
        types[0].column = nullptr;
        const TypePtr type = resolve_type(*function, types);
        Mask mask;
        column_to_mask(call_function(*function, arguments, type, rows, context_), type, mask);
        for (size_t i = 0; i < rows; ++i)
            if (mask[i])
                ranks[i] = rank;
        ++rank;
    }
    return ranks; // NaN stays without a rank
}

PodVector<uint32_t> AtomRanks::rank_in_set(const Column& values) const
{
    PodVector<uint32_t> ranks(values.size());
    const size_t count = members_->size();
    for (size_t i = 0; i < ranks.size(); ++i)
    {
        size_t low = 0, high = count;
        while (low < high)
        {
            const size_t middle = (low + high) / 2;
            if (members_->compare_at(middle, values, i, 1) < 0)
                low = middle + 1;
            else
                high = middle;
        }
        const bool equal = low < count && members_->compare_at(low, values, i, 1) == 0;
        ranks[i] = static_cast<uint32_t>(low * 2 + (equal ? 1 : 0));
    }
    return ranks;
}

PodVector<uint32_t> AtomRanks::rank_by_prefix(const Column& values) const
{
    const auto& strings = column_as<StringColumn>(values);
    PodVector<uint32_t> ranks(values.size());
    for (size_t i = 0; i < ranks.size(); ++i)
    {
        const int order = strings.at(i).substr(0, prefix_.size()).compare(prefix_);
        ranks[i] = order < 0 ? 0 : order == 0 ? 1 : 2;
    }
    return ranks;
}

Outcomes AtomRanks::decide(Bound left, Bound right) const
{
    if (reversed_)
        std::swap(left, right);
    const uint32_t top =
        members_ ? static_cast<uint32_t>(members_->size() * 2) : 2;
    uint32_t low = left.rank == kNoRank ? 0 : left.rank;
    uint32_t high = right.rank == kNoRank ? top : right.rank;
    // Past a point itself. A chain of functions or a prefix may hold further values at the rank.
    if (!program_ && kind_ != Kind::Prefix)
    {
        if (left.open && left.rank != kNoRank && low % 2 == 1)
            ++low;
        if (right.open && right.rank != kNoRank && high % 2 == 1)
            --high;
    }
    Outcomes outcomes{false, false, false};
    if (low > high)
        return outcomes;
    switch (kind_)
    {
    case Kind::Less:
        outcomes.can_be_true = low < 1;
        outcomes.can_be_false = high >= 1;
        break;
    case Kind::LessOrEquals:
        outcomes.can_be_true = low <= 1;
        outcomes.can_be_false = high > 1;
        break;
    case Kind::Greater:
        outcomes.can_be_true = high > 1;
        outcomes.can_be_false = low <= 1;
        break;
    case Kind::GreaterOrEquals:
        outcomes.can_be_true = high >= 1;
        outcomes.can_be_false = low < 1;
        break;
    default: // at a point
        outcomes.can_be_true = (low | 1) <= high;
        outcomes.can_be_false = low != high || low % 2 == 0;
    }
    if (relaxed_)
        outcomes.can_be_false = true;
    return outcomes;
}

} // namespace basalt
