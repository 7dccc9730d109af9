#include "executor/operators/fill_key.h"

#include "base/error.h"

#include <cmath>
#include <fmt/format.h>

namespace basalt
{

namespace
{

[[noreturn]] void refuse(const std::string& message)
{
    throw Error(error_codes::INVALID_WITH_FILL_EXPRESSION, message);
}

bool is_days(const TypePtr& type)
{
    return type->is(TypeId::Date) || type->is(TypeId::Date32);
}

// Nanoseconds of the intervals that are always as long; 0 for months and longer.
Int128 nanoseconds_of(IntervalKind kind)
{
    constexpr int64_t kSecond = 1000000000;
    switch (kind)
    {
    case IntervalKind::Nanosecond:
        return 1;
    case IntervalKind::Microsecond:
        return 1000;
    case IntervalKind::Millisecond:
        return 1000000;
    case IntervalKind::Second:
        return kSecond;
    case IntervalKind::Minute:
        return 60 * kSecond;
    case IntervalKind::Hour:
        return 3600 * kSecond;
    case IntervalKind::Day:
        return 86400 * kSecond;
    case IntervalKind::Week:
        return 604800 * kSecond;
    default:
        return 0;
    }
}

Int128 ticks_per_second(const TypePtr& type)
{
    Int128 ticks = 1;
    if (type->is(TypeId::DateTime64))
        for (uint32_t i = 0; i < type_as<DateTime64Type>(type).scale(); ++i)
            ticks *= 10;
    return ticks;
}

} // namespace

// A distance: a number, or an interval that the calendar measures.
class FillKey::Step
{
public:
    explicit Step(FillNumber amount) : amount_(amount) {}
    Step(const FillKey& key, IntervalKind kind, int64_t count, const QueryContext& context)
        : key_(&key)
    {
        const TypePtr interval = std::make_shared<IntervalType>(kind);
        program_ = std::make_unique<ExpressionProgram>(
            Expressions{Expression::call("plus",
                                         {Expression::input("x", key.type_),
                                          Expression::constant(interval, Value(count))},
                                         context)},
            context);
    }

    FillNumber add(const FillNumber& number, bool is_real) const
    {
        FillNumber sum = number;
        if (!program_)
        {
            if (is_real)
                sum.real += amount_.real;
            else
                sum.integer += amount_.integer;
            return sum;
        }
        auto column = key_->type_->create_column();
        key_->append(number, *column);
        const Block block({{column, key_->type_, "x"}}, 1);
        return key_->read(*to_flat(program_->run(block)[0]), 0);
    }

private:
    FillNumber amount_;
    const FillKey* key_ = nullptr;
    std::unique_ptr<ExpressionProgram> program_;
};

FillKey::FillKey(const FillNode::Key& key, const NamedType& column, size_t position,
                 const QueryContext& context)
    : position_(position), type_(strip_wrappers(column.type)), descending_(key.descending),
      is_real_(type_->is_float())
{
    if (type_->is(TypeId::UInt256) || type_->is(TypeId::Int256))
        throw Error(error_codes::NOT_IMPLEMENTED,
                    "WITH FILL of 256-bit integers is not implemented");
    if (!type_->is_integer() && !is_real_ && !type_->is_date_or_time())
        refuse(fmt::format("Incompatible types of WITH FILL expression values with column type {}",
                           column.type->name()));
    from_ = number_of(key.from);
    to_ = number_of(key.to);
    if (type_->is_unsigned() && (from_.integer < 0 || to_.integer < 0))
        refuse(fmt::format("WITH FILL bound values cannot be negative for unsigned type {}",
                           column.type->name()));
    const char* direction = descending_ ? "descending" : "ascending";
    if (less(to_, from_))
        refuse(fmt::format("WITH FILL TO value cannot be {} than FROM value for sorting in {} "
                           "direction",
                           descending_ ? "greater" : "less", direction));
    step_ = make_step(key.step.is_null() ? Value(int64_t{descending_ ? -1 : 1}) : key.step,
                      key.step_interval, "STEP", context);
    if (!key.staleness.is_null())
    {
        if (!from_.null)
            refuse("WITH FILL STALENESS cannot be used together with WITH FILL FROM");
        staleness_ = make_step(key.staleness, key.staleness_interval, "STALENESS", context);
    }
}

Int128 FillKey::interval_ticks(IntervalKind kind) const
{
    const Int128 nanoseconds = nanoseconds_of(kind);
    if (is_days(type_))
        return nanoseconds / nanoseconds_of(IntervalKind::Day);
    return nanoseconds * ticks_per_second(type_) / nanoseconds_of(IntervalKind::Second);
}

std::shared_ptr<const FillKey::Step> FillKey::make_step(const Value& value,
                                                        std::optional<IntervalKind> interval,
                                                        const char* what,
                                                        const QueryContext& context) const
{
    FillNumber amount = number_of(value);
    const bool negative = is_real_ ? amount.real < 0 : amount.integer < 0;
    const bool zero = is_real_ ? amount.real == 0 : amount.integer == 0;
    if (amount.null || (zero && what == std::string_view("STEP")))
        refuse(fmt::format("WITH FILL {} value cannot be {}", what, zero ? "zero" : "NULL"));
    if (!zero && negative != descending_)
        refuse(fmt::format("WITH FILL {} value cannot be {} for sorting in {} direction", what,
                           negative ? "negative" : "positive",
                           descending_ ? "descending" : "ascending"));
    if (!interval)
    {
        if (type_->is(TypeId::DateTime64))
            amount.integer *= ticks_per_second(type_); // a bare number is seconds
        return std::make_shared<Step>(amount);
    }
    if (!type_->is_date_or_time())
        refuse(fmt::format("{} of Interval type can be used only with Date/DateTime types, but got "
                           "{}",
                           what, type_->name()));
    // Days of a time are of the calendar, as time zones have it.
    const bool by_calendar =
        *interval >= (is_days(type_) ? IntervalKind::Month : IntervalKind::Day);
    if (by_calendar)
        return std::make_shared<Step>(*this, *interval, static_cast<int64_t>(amount.integer),
                                      context);
    amount.integer *= interval_ticks(*interval);
    if (amount.integer == 0 && !zero)
    {
        if (is_days(type_))
            refuse("Value of step is too low. Must be >= 1 day");
        refuse(fmt::format("Value of step is too low for {}", type_->name()));
    }
    return std::make_shared<Step>(amount);
}

FillNumber FillKey::number_of(const Value& value) const
{
    FillNumber number;
    if (const auto* u = value.get_if<uint64_t>())
        number = {false, Int128(*u), static_cast<double>(*u)};
    else if (const auto* i = value.get_if<int64_t>())
        number = {false, Int128(*i), static_cast<double>(*i)};
    else if (const auto* wide = value.get_if<Int128>())
        number = {false, *wide, static_cast<double>(*wide)};
    else if (const auto* unsigned_wide = value.get_if<UInt128>())
        number = {false, static_cast<Int128>(*unsigned_wide), 0};
    else if (const auto* d = value.get_if<double>())
    {
        if (!is_real_)
            refuse(fmt::format(
                "Incompatible types of WITH FILL expression values with column type {}",
                type_->name()));
        number = {std::isnan(*d), 0, *d};
    }
    else if (!value.is_null())
        refuse(fmt::format("Incompatible types of WITH FILL expression values with column type {}",
                           type_->name()));
    return number;
}

FillNumber FillKey::read(const Column& column, size_t row) const
{
    return column.is_null_at(row) ? FillNumber{} : number_of(column.value_at(row));
}

void FillKey::append(const FillNumber& number, Column& column) const
{
    if (number.null)
        column.append_default();
    else if (is_real_)
        column.append_value(Value(number.real));
    else if (type_->physical() == PhysicalType::Int128)
        column.append_value(Value(number.integer));
    else if (type_->physical() == PhysicalType::UInt128)
        column.append_value(Value(static_cast<UInt128>(number.integer)));
    else if (type_->physical() >= PhysicalType::UInt8 && type_->physical() <= PhysicalType::UInt64)
        column.append_value(Value(static_cast<uint64_t>(number.integer)));
    else
        column.append_value(Value(static_cast<int64_t>(number.integer)));
}

bool FillKey::less(const FillNumber& a, const FillNumber& b) const
{
    if (a.null || b.null)
        return false;
    if (is_real_)
        return descending_ ? b.real < a.real : a.real < b.real;
    return descending_ ? b.integer < a.integer : a.integer < b.integer;
}

bool FillKey::equal(const FillNumber& a, const FillNumber& b) const
{
    return !a.null && !b.null && (is_real_ ? a.real == b.real : a.integer == b.integer);
}

FillNumber FillKey::stepped(const FillNumber& number) const
{
    FillNumber next = step_->add(number, is_real_);
    // A step that vanishes beside a large float, or a date at the end of its range.
    if (!less(number, next))
        refuse("WITH FILL STEP does not lead to another value");
    return next;
}

FillNumber FillKey::stale_from(const FillNumber& number) const
{
    return number.null ? FillNumber{} : staleness_->add(number, is_real_);
}

} // namespace basalt
