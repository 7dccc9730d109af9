#include "encodings/predicate_masks.h"

#include <algorithm>

namespace basalt::inline encodings
{

namespace
{

using Kind = PagePredicate::Kind;

std::optional<uint64_t> integer_of(const Value& value, bool is_signed)
{
    if (const auto* number = value.get_if<uint64_t>())
    {
        if (is_signed && *number >> 63)
            return std::nullopt;
        return *number;
    }
    if (const auto* number = value.get_if<int64_t>())
    {
        if (!is_signed && *number < 0)
            return std::nullopt;
        return static_cast<uint64_t>(*number);
    }
    return std::nullopt;
}

bool is_comparison(Kind kind)
{
    return kind <= Kind::GreaterOrEquals;
}

// Fills mask with compare(values[i], constant).
template <class T, class F>
void fill(const T* values, size_t count, uint8_t* mask, F&& decide)
{
    for (size_t i = 0; i < count; ++i)
        mask[i] = decide(values[i]);
}

template <class T>
void compare(const T* values, size_t count, Kind kind, T constant, uint8_t* mask)
{
    switch (kind)
    {
    case Kind::Equals:
        return fill(values, count, mask, [=](T value) { return value == constant; });
    case Kind::NotEquals:
        return fill(values, count, mask, [=](T value) { return value != constant; });
    case Kind::Less:
        return fill(values, count, mask, [=](T value) { return value < constant; });
    case Kind::LessOrEquals:
        return fill(values, count, mask, [=](T value) { return value <= constant; });
    case Kind::Greater:
        return fill(values, count, mask, [=](T value) { return value > constant; });
    default:
        return fill(values, count, mask, [=](T value) { return value >= constant; });
    }
}

} // namespace

std::optional<IntegerPredicate> IntegerPredicate::make(const PagePredicate& predicate,
                                                       bool is_signed)
{
    IntegerPredicate result;
    result.kind_ = predicate.kind;
    result.flip_ = is_signed ? uint64_t{1} << 63 : 0;
    if (is_comparison(predicate.kind))
    {
        const auto constant =
            predicate.values.size() == 1 ? integer_of(predicate.values[0], is_signed) : std::nullopt;
        if (!constant)
            return std::nullopt;
        result.constant_ = *constant ^ result.flip_;
        return result;
    }
    if (predicate.kind != Kind::In && predicate.kind != Kind::NotIn)
        return std::nullopt;
    for (const auto& value : predicate.values)
    {
        const auto constant = integer_of(value, is_signed);
        if (!constant)
            return std::nullopt;
        result.set_.push_back(*constant);
    }
    std::sort(result.set_.begin(), result.set_.end());
    result.set_.erase(std::unique(result.set_.begin(), result.set_.end()), result.set_.end());
    return result;
}

void IntegerPredicate::apply(const uint64_t* values, size_t count, uint8_t* mask) const
{
    if (kind_ == Kind::In || kind_ == Kind::NotIn)
    {
        const bool negated = kind_ == Kind::NotIn;
        if (set_.size() <= 4)
        {
            std::fill_n(mask, count, negated);
            for (const uint64_t one : set_)
                for (size_t i = 0; i < count; ++i)
                    mask[i] ^= values[i] == one ? 1 : 0;
            return;
        }
        fill(values, count, mask, [&](uint64_t value)
             { return std::binary_search(set_.begin(), set_.end(), value) != negated; });
        return;
    }
    if (flip_ == 0)
        return compare(values, count, kind_, constant_, mask);
    compare(reinterpret_cast<const int64_t*>(values), count, kind_,
            static_cast<int64_t>(constant_ ^ flip_), mask);
}

std::optional<FloatPredicate> FloatPredicate::make(const PagePredicate& predicate)
{
    FloatPredicate result;
    result.kind_ = predicate.kind;
    if (!is_comparison(predicate.kind) || predicate.values.size() != 1)
        return std::nullopt;
    for (const auto& value : predicate.values)
    {
        const auto* number = value.get_if<double>();
        if (!number)
            return std::nullopt;
        result.constants_.push_back(*number);
    }
    return result;
}

void FloatPredicate::apply(const double* values, size_t count, uint8_t* mask) const
{
    compare(values, count, kind_, constants_[0], mask);
}

std::optional<TextPredicate> TextPredicate::make(const PagePredicate& predicate)
{
    TextPredicate result;
    result.kind_ = predicate.kind;
    const bool is_in = predicate.kind == Kind::In || predicate.kind == Kind::NotIn;
    if (!is_in && (!is_comparison(predicate.kind) || predicate.values.size() != 1))
        return std::nullopt;
    for (const auto& value : predicate.values)
    {
        const auto* text = value.get_if<std::string>();
        if (!text)
            return std::nullopt;
        result.constants_.push_back(*text);
    }
    std::sort(result.constants_.begin(), result.constants_.end());
    return result;
}

bool TextPredicate::matches(std::string_view text) const
{
    switch (kind_)
    {
    case Kind::In:
    case Kind::NotIn:
    {
        const auto at = std::lower_bound(constants_.begin(), constants_.end(), text);
        return (at != constants_.end() && *at == text) == (kind_ == Kind::In);
    }
    case Kind::Equals:
        return text == constants_[0];
    case Kind::NotEquals:
        return text != constants_[0];
    case Kind::Less:
        return text < constants_[0];
    case Kind::LessOrEquals:
        return text <= constants_[0];
    case Kind::Greater:
        return text > constants_[0];
    default:
        return text >= constants_[0];
    }
}

} // namespace basalt::encodings
