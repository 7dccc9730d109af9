// parseDateTimeBestEffort and its US, 32, 64, OrNull and OrZero forms.

#include "base/error.h"
#include "columns/date_text.h"
#include "functions/date_arithmetic.h"
#include "functions/named_function.h"
#include "functions/physical_dispatch.h"

namespace basalt
{

namespace
{

enum class Failing : uint8_t
{
    Throws,
    Null,
    Zero,
};

class BestEffort final : public NamedFunction
{
public:
    BestEffort(std::string name, bool is_64, bool month_first, Failing failing)
        : NamedFunction(std::move(name)), is_64_(is_64), month_first_(month_first),
          failing_(failing)
    {
    }

    TypePtr return_type(const Arguments& arguments) const override
    {
        check_argument_count(*this, arguments.size(), 1, is_64_ ? 3 : 2);
        if (!arguments[0].type->is_string())
            throw_illegal_argument(*this, 0, arguments[0].type);
        std::string zone;
        uint32_t scale = 3;
        size_t at = 1;
        if (is_64_ && arguments.size() > 1 && arguments[1].type->is_integer())
        {
            const int64_t wanted = constant_int(*this, arguments, 1);
            constexpr int64_t kMaxScale = 9;
            if (wanted < 0 || wanted > kMaxScale)
                throw Error(error_codes::ARGUMENT_OUT_OF_BOUND,
                            "Scale of function " + name() + " is out of bounds");
            scale = static_cast<uint32_t>(wanted);
            ++at;
        }
        if (arguments.size() > at)
        {
            zone = constant_string(*this, arguments, at);
            timezone(zone); // throws for an unknown one
        }
        const TypePtr type = is_64_
                                 ? TypePtr(std::make_shared<DateTime64Type>(scale, zone))
                                 : TypePtr(std::make_shared<DateTimeType>(zone));
        return failing_ == Failing::Null ? make_nullable(type) : type;
    }

    ColumnPtr execute(const Arguments& arguments, const TypePtr& result_type, size_t rows,
                      const QueryContext& context) const override
    {
        const TypePtr type = remove_nullable(result_type);
        const TimeZone& zone = zone_of_type(*type, context);
        const uint32_t scale = is_64_ ? type_as<DateTime64Type>(type).scale() : 0;
        const TextView texts(*arguments[0].column);
        PodVector<int64_t> ticks(rows);
        auto nulls = std::make_shared<VectorColumn<uint8_t>>(rows, uint8_t{0});
        for (size_t i = 0; i < rows; ++i)
        {
            TextCursor cursor(texts[i], failing_ != Failing::Throws);
            if (parse(cursor, zone, scale, ticks[i]))
                continue;
            if (failing_ == Failing::Throws)
                cursor.throw_error();
            ticks[i] = 0;
            nulls->data()[i] = 1;
        }
        ColumnPtr result;
        if (is_64_)
            result = std::make_shared<VectorColumn<int64_t>>(std::move(ticks));
        else
        {
            auto seconds = std::make_shared<VectorColumn<uint32_t>>(rows);
            for (size_t i = 0; i < rows; ++i)
                seconds->data()[i] = static_cast<uint32_t>(ticks[i]);
            result = seconds;
        }
        return failing_ == Failing::Null ? NullableColumn::make(result, nulls) : result;
    }

    std::vector<size_t> constant_arguments() const override { return {1, 2}; }

private:
    bool parse(TextCursor& cursor, const TimeZone& zone, uint32_t scale, int64_t& ticks) const
    {
        DateTimeParts parts;
        if (!parse_date_time_best_effort(cursor, is_64_, zone, month_first_, parts))
            return false;
        if (!cursor.at_end())
            return cursor.fail(error_codes::CANNOT_PARSE_DATETIME,
                               "Cannot read DateTime: unexpected text after it");
        uint64_t fraction = parts.fraction;
        for (uint32_t digits = parts.fraction_digits; digits > scale; --digits)
            fraction /= 10;
        for (uint32_t digits = parts.fraction_digits; digits < scale; ++digits)
            fraction *= 10;
        ticks = parts.unix_s * power_of_ten(scale) + static_cast<int64_t>(fraction);
        return true;
    }

    bool is_64_;
    bool month_first_;
    Failing failing_;
};

} // namespace

#define BASALT_BEST_EFFORT(NAME, IS_64, MONTH_FIRST)                                               \
    registry.add(NAME, [](const QueryContext&) -> ScalarFunctionPtr                                \
                 {                                                                                 \
                     return std::make_shared<BestEffort>(NAME, IS_64, MONTH_FIRST,                 \
                                                         Failing::Throws);                         \
                 });                                                                               \
    registry.add(NAME "OrNull", [](const QueryContext&) -> ScalarFunctionPtr                       \
                 {                                                                                 \
                     return std::make_shared<BestEffort>(NAME "OrNull", IS_64, MONTH_FIRST,        \
                                                         Failing::Null);                           \
                 });                                                                               \
    registry.add(NAME "OrZero", [](const QueryContext&) -> ScalarFunctionPtr                       \
                 {                                                                                 \
                     return std::make_shared<BestEffort>(NAME "OrZero", IS_64, MONTH_FIRST,        \
                                                         Failing::Zero);                           \
                 });

void register_best_effort(ScalarRegistry& registry)
{
    BASALT_BEST_EFFORT("parseDateTimeBestEffort", false, false)
    BASALT_BEST_EFFORT("parseDateTimeBestEffortUS", false, true)
    BASALT_BEST_EFFORT("parseDateTime32BestEffort", false, false)
    BASALT_BEST_EFFORT("parseDateTime64BestEffort", true, false)
    BASALT_BEST_EFFORT("parseDateTime64BestEffortUS", true, true)
}

#undef BASALT_BEST_EFFORT

} // namespace basalt
