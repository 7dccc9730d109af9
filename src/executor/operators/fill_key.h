#pragma once

// One column of ORDER BY … WITH FILL: its bounds and the arithmetic of its steps.

#include "executor/build.h"

namespace basalt
{

// A value of a filled column: the integer of a number, date or time, or a float. NaN is null.
struct FillNumber
{
    bool null = true;
    Int128 integer = 0;
    double real = 0;
};

class FillKey
{
public:
    // Throws INVALID_WITH_FILL_EXPRESSION for columns, bounds and steps that cannot be.
    FillKey(const FillNode::Key& key, const NamedType& column, size_t position,
            const QueryContext& context);
    FillKey(const FillKey&) = delete; // its steps refer to it
    FillKey& operator=(const FillKey&) = delete;

    size_t position() const { return position_; }
    const FillNumber& from() const { return from_; }
    const FillNumber& to() const { return to_; }
    bool has_staleness() const { return staleness_ != nullptr; }

    FillNumber read(const Column& column, size_t row) const;
    void append(const FillNumber& number, Column& column) const;

    // In the direction of the sort; null numbers are neither less nor equal.
    bool less(const FillNumber& a, const FillNumber& b) const;
    bool equal(const FillNumber& a, const FillNumber& b) const;

    FillNumber stepped(const FillNumber& number) const;
    // False below zero for types that have no such values.
    bool fits(const FillNumber& number) const
    {
        const bool no_negatives = type_->is_unsigned() || type_->is(TypeId::Date) ||
                                  type_->is(TypeId::DateTime);
        return is_real_ || number.null || number.integer >= 0 || !no_negatives;
    }
    // The first number that is too far from the row with this one to be filled in.
    FillNumber stale_from(const FillNumber& number) const;

private:
    class Step;

    FillNumber number_of(const Value& value) const;
    std::shared_ptr<const Step> make_step(const Value& value, std::optional<IntervalKind> interval,
                                          const char* what, const QueryContext& context) const;
    Int128 interval_ticks(IntervalKind kind) const;

    size_t position_;
    TypePtr type_; // without Nullable and LowCardinality
    bool descending_;
    bool is_real_;
    FillNumber from_, to_;
    std::shared_ptr<const Step> step_, staleness_;
};

} // namespace basalt
