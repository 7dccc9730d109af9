// formatReadableSize, formatReadableDecimalSize, formatReadableQuantity, formatReadableTimeDelta,
// bar, parseReadableSize and its OrNull and OrZero forms.

#include "base/error.h"
#include "functions/date_arithmetic.h"
#include "functions/decimal_scale.h"
#include "functions/named_function.h"
#include "functions/physical_dispatch.h"

#include <fmt/format.h>

#include <array>
#include <cmath>
#include <span>

namespace basalt
{

namespace
{

using Writer = std::string (*)(double value, int digits);

constexpr int kDefaultDigits = 2;

std::string with_unit(double value, int digits, double step, std::span<const char* const> units)
{
    size_t unit = 0;
    while (std::isfinite(value) && unit + 1 < units.size() && std::fabs(value) >= step)
    {
        value /= step;
        ++unit;
    }
    return fmt::format("{:.{}f}{}", value, digits, units[unit]);
}

std::string readable_size(double value, int digits)
{
    constexpr const char* kUnits[] = {" B",   " KiB", " MiB", " GiB", " TiB",
                                      " PiB", " EiB", " ZiB", " YiB"};
    return with_unit(value, digits, 1024, kUnits);
}

std::string readable_decimal_size(double value, int digits)
{
    constexpr const char* kUnits[] = {" B", " KB", " MB", " GB", " TB", " PB", " EB", " ZB", " YB"};
    return with_unit(value, digits, 1000, kUnits);
}

std::string readable_quantity(double value, int digits)
{
    constexpr const char* kUnits[] = {"",
                                      " thousand",
                                      " million",
                                      " billion",
                                      " trillion",
                                      " quadrillion",
                                      " quintillion",
                                      " sextillion",
                                      " septillion",
                                      " octillion",
                                      " nonillion",
                                      " decillion",
                                      " undecillion",
                                      " duodecillion",
                                      " tredecillion",
                                      " quattuordecillion",
                                      " quindecillion",
                                      " sexdecillion",
                                      " septendecillion",
                                      " octodecillion",
                                      " novemdecillion",
                                      " vigintillion"};
    return with_unit(value, digits, 1000, kUnits);
}

class Readable final : public NamedFunction
{
public:
    Readable(std::string name, Writer writer) : NamedFunction(std::move(name)), writer_(writer) {}
    TypePtr return_type(const Arguments& arguments) const override
    {
        check_argument_count(*this, arguments.size(), 1, 2);
        if (!arguments[0].type->is_number())
            throw_illegal_type(*this, arguments[0].type);
        if (arguments.size() == 2 && !arguments[1].type->is(TypeId::UInt8))
            throw_illegal_argument(*this, 1, arguments[1].type);
        return simple_type(TypeId::String);
    }
    ColumnPtr execute(const Arguments& arguments, const TypePtr&, size_t rows,
                      const QueryContext&) const override
    {
        const int digits = arguments.size() == 2
                               ? static_cast<int>(constant_int(*this, arguments, 1))
                               : kDefaultDigits;
        const ColumnPtr floats = decimal_as_float(arguments[0]);
        const VectorView<double> view(*floats);
        auto result = std::make_shared<StringColumn>();
        for (size_t i = 0; i < rows; ++i)
            result->append(writer_(view[i], digits));
        return result;
    }
    std::vector<size_t> constant_arguments() const override { return {1}; }

private:
    Writer writer_;
};

struct TimeUnit
{
    const char* singular;
    double seconds;
};
constexpr std::array<TimeUnit, 9> kTimeUnits = {{{"year", 365 * 86400},
                                                 {"month", 30.5 * 86400},
                                                 {"day", 86400},
                                                 {"hour", 3600},
                                                 {"minute", 60},
                                                 {"second", 1},
                                                 {"millisecond", 1e-3},
                                                 {"microsecond", 1e-6},
                                                 {"nanosecond", 1e-9}}};
constexpr size_t kSecondUnit = 5;

class ReadableTimeDelta final : public NamedFunction
{
public:
    ReadableTimeDelta() : NamedFunction("formatReadableTimeDelta") {}
    TypePtr return_type(const Arguments& arguments) const override
    {
        check_argument_count(*this, arguments.size(), 1, 3);
        if (!arguments[0].type->is_number() && !arguments[0].type->is(TypeId::Interval))
            throw_illegal_type(*this, arguments[0].type);
        seconds_of(arguments[0].type);
        unit(arguments, 1, "maximum", 0);
        unit(arguments, 2, "minimum", kSecondUnit);
        return simple_type(TypeId::String);
    }
    ColumnPtr execute(const Arguments& arguments, const TypePtr&, size_t rows,
                      const QueryContext&) const override
    {
        const size_t largest = unit(arguments, 1, "maximum", 0);
        const size_t smallest = unit(arguments, 2, "minimum", kSecondUnit);
        if (smallest < largest)
            throw Error(error_codes::BAD_ARGUMENTS,
                        "Explicit minimum unit value of function formatReadableTimeDelta is "
                        "greater than its maximum unit");
        const double seconds = seconds_of(arguments[0].type);
        auto result = std::make_shared<StringColumn>();
        if (arguments[0].type->is(TypeId::Interval))
        {
            const VectorView<int64_t> view(*arguments[0].column);
            for (size_t i = 0; i < rows; ++i)
                result->append(
                    written(static_cast<double>(view[i]) * seconds, largest, smallest));
            return result;
        }
        const ColumnPtr floats = decimal_as_float(arguments[0]);
        const VectorView<double> view(*floats);
        for (size_t i = 0; i < rows; ++i)
            result->append(written(view[i], largest, smallest));
        return result;
    }
    std::vector<size_t> constant_arguments() const override { return {1, 2}; }

private:
    // Of an interval's unit; 1 for a number.
    static double seconds_of(const TypePtr& type)
    {
        if (!type->is(TypeId::Interval))
            return 1;
        const IntervalKind kind = type_as<IntervalType>(type).kind();
        if (interval_months(kind) != 0)
            throw Error(error_codes::BAD_ARGUMENTS,
                        "Not possible to get precise number of seconds in non-precise interval");
        if (const int32_t days = interval_days(kind))
            return days * 86400.0;
        return static_cast<double>(interval_nanoseconds(kind)) / 1e9;
    }

    size_t unit(const Arguments& arguments, size_t at, const char* which, size_t otherwise) const
    {
        if (arguments.size() <= at)
            return otherwise;
        const std::string text = constant_string(*this, arguments, at);
        for (size_t i = 0; i < kTimeUnits.size(); ++i)
            if (text == std::string(kTimeUnits[i].singular) + "s")
                return i;
        throw Error(error_codes::BAD_ARGUMENTS,
                    fmt::format("Unexpected value of {} unit argument ({}) for function {}", which,
                                text, name()));
    }

    static std::string written(double value, size_t largest, size_t smallest)
    {
        if (!std::isfinite(value))
            return fmt::format("{}", value);
        std::string text = value < 0 ? "-" : "";
        // Whole smallest units, counted once so that no rounding error spreads.
        const double count = std::trunc(std::fabs(value) / kTimeUnits[smallest].seconds + 1e-7);
        std::vector<std::string> parts;
        double left = count;
        for (size_t i = largest; i <= smallest; ++i)
        {
            const double size =
                std::round(kTimeUnits[i].seconds / kTimeUnits[smallest].seconds);
            const double whole = i == smallest ? left : std::trunc(left / size);
            left -= whole * size;
            if (whole >= 1)
                parts.push_back(fmt::format("{:.0f} {}{}", whole, kTimeUnits[i].singular,
                                            whole == 1 ? "" : "s"));
        }
        if (parts.empty())
            return fmt::format("{}0 {}s", text, kTimeUnits[smallest].singular);
        for (size_t i = 0; i < parts.size(); ++i)
        {
            if (i > 0)
                text += i + 1 == parts.size() ? " and " : ", ";
            text += parts[i];
        }
        return text;
    }
};

class Bar final : public NamedFunction
{
public:
    Bar() : NamedFunction("bar") {}
    TypePtr return_type(const Arguments& arguments) const override
    {
        check_argument_count(*this, arguments.size(), 3, 4);
        for (const auto& argument : arguments)
            if (!argument.type->is_number())
                throw_illegal_type(*this, argument.type);
        return simple_type(TypeId::String);
    }
    ColumnPtr execute(const Arguments& arguments, const TypePtr&, size_t rows,
                      const QueryContext&) const override
    {
        constexpr double kDefaultWidth = 80;
        constexpr double kMaxWidth = 1000;
        double width = kDefaultWidth;
        if (arguments.size() == 4)
        {
            const ColumnPtr widths = decimal_as_float(arguments[3]);
            width = VectorView<double>(*widths)[0];
        }
        if (!(width >= 1))
            throw Error(error_codes::ARGUMENT_OUT_OF_BOUND, "Argument max_width must be >= 1");
        if (width > kMaxWidth)
            throw Error(error_codes::ARGUMENT_OUT_OF_BOUND, "Argument max_width must be <= 1000");
        Columns floats;
        for (size_t i = 0; i < 3; ++i)
            floats.push_back(decimal_as_float(arguments[i]));
        const VectorView<double> values(*floats[0]);
        const VectorView<double> low(*floats[1]);
        const VectorView<double> high(*floats[2]);
        auto result = std::make_shared<StringColumn>();
        for (size_t i = 0; i < rows; ++i)
            result->append(drawn(values[i], low[i], high[i], width));
        return result;
    }
    std::vector<size_t> constant_arguments() const override { return {3}; }

private:
    static std::string drawn(double value, double low, double high, double width)
    {
        if (!std::isfinite(value) || !std::isfinite(low) || !std::isfinite(high) || low >= high ||
            value <= low)
            return "";
        const double length = value >= high ? width : (value - low) / (high - low) * width;
        const auto eighths = static_cast<size_t>(std::floor(length * 8));
        constexpr const char* kParts[] = {"", "▏", "▎", "▍", "▌", "▋", "▊", "▉"};
        std::string text;
        for (size_t i = 0; i < eighths / 8; ++i)
            text += "█";
        return text + kParts[eighths % 8];
    }
};

enum class Failing : uint8_t
{
    Throws,
    Null,
    Zero,
};

class ParseReadableSize final : public NamedFunction
{
public:
    ParseReadableSize(std::string name, Failing failing)
        : NamedFunction(std::move(name)), failing_(failing)
    {
    }
    TypePtr return_type(const Arguments& arguments) const override
    {
        check_argument_count(*this, arguments.size(), 1);
        if (!arguments[0].type->is_string())
            throw_illegal_type(*this, arguments[0].type);
        const TypePtr& number = simple_type(TypeId::UInt64);
        return failing_ == Failing::Null ? make_nullable(number) : number;
    }
    ColumnPtr execute(const Arguments& arguments, const TypePtr&, size_t rows,
                      const QueryContext&) const override
    {
        const TextView texts(*arguments[0].column);
        auto values = std::make_shared<VectorColumn<uint64_t>>(rows);
        auto nulls = std::make_shared<VectorColumn<uint8_t>>(rows, uint8_t{0});
        for (size_t i = 0; i < rows; ++i)
        {
            std::string why;
            const bool parsed = parse(texts[i], values->data()[i], why);
            if (parsed)
                continue;
            if (failing_ == Failing::Throws)
                throw Error(error_codes::CANNOT_PARSE_TEXT,
                            fmt::format("Invalid expression for function {} - {}", name(), why));
            values->data()[i] = 0;
            nulls->data()[i] = 1;
        }
        if (failing_ == Failing::Null)
            return NullableColumn::make(values, nulls);
        return values;
    }

private:
    static bool parse(std::string_view text, uint64_t& bytes, std::string& why)
    {
        const std::string copy(text);
        char* end = nullptr;
        const double number = std::strtod(copy.c_str(), &end);
        if (end == copy.c_str() || !std::isfinite(number) || number < 0)
        {
            why = "no number at the beginning";
            return false;
        }
        while (*end == ' ')
            ++end;
        std::string unit(end);
        for (char& c : unit)
            c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
        constexpr std::string_view kPrefixes = "kmgtpe";
        double factor = 0;
        if (unit == "b")
            factor = 1;
        const size_t prefix = unit.empty() ? std::string_view::npos : kPrefixes.find(unit[0]);
        if (prefix != std::string_view::npos)
        {
            if (unit.substr(1) == "ib")
                factor = std::pow(1024.0, static_cast<double>(prefix + 1));
            else if (unit.substr(1) == "b")
                factor = std::pow(1000.0, static_cast<double>(prefix + 1));
        }
        if (factor == 0)
        {
            why = fmt::format("Unknown readable size unit (\"{}\")", end);
            return false;
        }
        const double product = std::ceil(number * factor);
        if (product >= 18446744073709551616.0)
        {
            why = "the number is too large";
            return false;
        }
        bytes = static_cast<uint64_t>(product);
        return true;
    }

    Failing failing_;
};

template <class F> ScalarFunctionPtr make(const QueryContext&)
{
    return std::make_shared<F>();
}

} // namespace

#define BASALT_READABLE(NAME, WRITER)                                                              \
    registry.add(NAME, [](const QueryContext&) -> ScalarFunctionPtr                                \
                 { return std::make_shared<Readable>(NAME, WRITER); });
#define BASALT_PARSE_SIZE(NAME, FAILING)                                                           \
    registry.add(NAME, [](const QueryContext&) -> ScalarFunctionPtr                                \
                 { return std::make_shared<ParseReadableSize>(NAME, Failing::FAILING); });

void register_readable(ScalarRegistry& registry)
{
    BASALT_READABLE("formatReadableSize", readable_size)
    BASALT_READABLE("formatReadableDecimalSize", readable_decimal_size)
    BASALT_READABLE("formatReadableQuantity", readable_quantity)
    registry.add_alias("FORMAT_BYTES", "formatReadableSize", true);
    registry.add("formatReadableTimeDelta", make<ReadableTimeDelta>);
    registry.add("bar", make<Bar>);
    BASALT_PARSE_SIZE("parseReadableSize", Throws)
    BASALT_PARSE_SIZE("parseReadableSizeOrNull", Null)
    BASALT_PARSE_SIZE("parseReadableSizeOrZero", Zero)
}

#undef BASALT_READABLE
#undef BASALT_PARSE_SIZE

} // namespace basalt
