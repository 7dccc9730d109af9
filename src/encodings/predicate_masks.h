#pragma once

// Predicates of pages over integers, and over single values.

#include "encodings/page.h"

namespace basalt::inline encodings
{

// A comparison or IN over integers of up to 64 bits; values are passed sign-extended.
class IntegerPredicate
{
public:
    // nullopt when the predicate or its constants are of another kind.
    static std::optional<IntegerPredicate> make(const PagePredicate& predicate, bool is_signed);

    void apply(const uint64_t* values, size_t count, uint8_t* mask) const;

private:
    PagePredicate::Kind kind_ = PagePredicate::Kind::Equals;
    uint64_t flip_ = 0;
    uint64_t constant_ = 0;     // flipped
    std::vector<uint64_t> set_; // sorted
};

// The same over floats. NaN is unequal to all and neither below nor above.
class FloatPredicate
{
public:
    static std::optional<FloatPredicate> make(const PagePredicate& predicate);
    void apply(const double* values, size_t count, uint8_t* mask) const;

private:
    PagePredicate::Kind kind_ = PagePredicate::Kind::Equals;
    std::vector<double> constants_;
};

// Comparisons and IN over texts, in byte order. nullopt where make() would be for others.
class TextPredicate
{
public:
    static std::optional<TextPredicate> make(const PagePredicate& predicate);
    bool matches(std::string_view text) const;

private:
    PagePredicate::Kind kind_ = PagePredicate::Kind::Equals;
    std::vector<std::string> constants_; // IN: sorted
};

inline bool is_negated(PagePredicate::Kind kind)
{
    using Kind = PagePredicate::Kind;
    return kind == Kind::NotEquals || kind == Kind::NotIn || kind == Kind::NotLike ||
           kind == Kind::NotILike;
}

} // namespace basalt::encodings
