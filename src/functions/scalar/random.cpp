// rand, rand64, randConstant, randUniform and other distributions, generateUUIDv4 and v7,
// randomString and its kind, fuzzBits. Randomness comes from the query's source.

#include "base/error.h"
#include "functions/named_function.h"
#include "functions/numeric_convert.h"
#include "functions/physical_dispatch.h"

#include <fmt/format.h>

#include <random>

namespace basalt
{

namespace
{

constexpr uint64_t kMaxRandomBytes = uint64_t{1} << 24; // of one string

// A generator of its own per block, seeded from the query's source.
using Generator = SeededRandom;

struct UniformBits // what std's distributions want
{
    using result_type = uint64_t;
    static constexpr uint64_t min() { return 0; }
    static constexpr uint64_t max() { return ~uint64_t{0}; }
    uint64_t operator()() { return source.next_u64(); }
    Generator& source;
};

class RandomFunction : public NamedFunction
{
public:
    using NamedFunction::NamedFunction;
    bool default_nulls() const override { return false; }
    bool default_constants() const override { return false; }
    bool default_dictionary() const override { return false; }
    bool deterministic() const override { return false; }
    bool deterministic_in_query() const override { return false; }
    bool worth_short_circuit() const override { return false; }

protected:
    static Generator generator(const QueryContext& context)
    {
        return Generator(context.random->next_u64());
    }
};

// An argument is allowed and not looked at: it tells equal calls apart.
template <class T> class Rand final : public RandomFunction
{
public:
    using RandomFunction::RandomFunction;
    TypePtr return_type(const Arguments& arguments) const override
    {
        check_argument_count(*this, arguments.size(), 0, 1);
        return simple_type(sizeof(T) == 4 ? TypeId::UInt32 : TypeId::UInt64);
    }
    ColumnPtr execute(const Arguments&, const TypePtr&, size_t rows,
                      const QueryContext& context) const override
    {
        Generator random = generator(context);
        auto result = std::make_shared<VectorColumn<T>>(rows);
        for (auto& value : result->data())
            value = static_cast<T>(random.next_u64() >> (64 - sizeof(T) * 8));
        return result;
    }
};

class RandConstant final : public RandomFunction
{
public:
    explicit RandConstant(const QueryContext& context)
        : RandomFunction("randConstant"), value_(context.random->next_u64() >> 32)
    {
    }
    TypePtr return_type(const Arguments& arguments) const override
    {
        check_argument_count(*this, arguments.size(), 0, 1);
        return simple_type(TypeId::UInt32);
    }
    ColumnPtr execute(const Arguments&, const TypePtr& type, size_t rows,
                      const QueryContext&) const override
    {
        return make_constant(type, Value(value_), rows);
    }

private:
    uint64_t value_;
};

class RandCanonical final : public RandomFunction
{
public:
    RandCanonical() : RandomFunction("randCanonical") {}
    TypePtr return_type(const Arguments& arguments) const override
    {
        check_argument_count(*this, arguments.size(), 0, 1);
        return simple_type(TypeId::Float64);
    }
    ColumnPtr execute(const Arguments&, const TypePtr&, size_t rows,
                      const QueryContext& context) const override
    {
        Generator random = generator(context);
        auto result = std::make_shared<VectorColumn<double>>(rows);
        for (auto& value : result->data())
            value = static_cast<double>(random.next_u64() >> 11) * 0x1p-53;
        return result;
    }
};

// Parameters are constant numbers. `draw` makes rows many values.
class Distribution final : public RandomFunction
{
public:
    using Draw = ColumnPtr (*)(const ScalarFunction&, const double* parameters, size_t rows,
                               UniformBits bits);
    Distribution(std::string name, size_t parameters, TypeId result, Draw draw)
        : RandomFunction(std::move(name)), parameters_(parameters), result_(result), draw_(draw)
    {
    }
    TypePtr return_type(const Arguments& arguments) const override
    {
        check_argument_count(*this, arguments.size(), parameters_, parameters_ + 1);
        for (size_t i = 0; i < parameters_; ++i)
            if (!arguments[i].type->is_integer() && !arguments[i].type->is_float())
                throw_illegal_type(*this, arguments[i].type);
        return simple_type(result_);
    }
    ColumnPtr execute(const Arguments& arguments, const TypePtr&, size_t rows,
                      const QueryContext& context) const override
    {
        double parameters[2] = {};
        for (size_t i = 0; i < parameters_; ++i)
        {
            if (!is_constant(*arguments[i].column))
                throw Error(error_codes::ILLEGAL_COLUMN,
                            fmt::format("Parameter number {} of function {} is expected to be "
                                        "constant",
                                        i + 1, name()));
            const ColumnPtr number =
                convert_numbers(arguments[i].column, arguments[i].type->physical(),
                                PhysicalType::Float64);
            parameters[i] = VectorView<double>(*number)[0];
        }
        Generator random = generator(context);
        return draw_(*this, parameters, rows, UniformBits{random});
    }

private:
    size_t parameters_;
    TypeId result_;
    Draw draw_;
};

[[noreturn]] void throw_bad_parameter(const ScalarFunction& function)
{
    throw Error(error_codes::BAD_ARGUMENTS,
                fmt::format("Argument of function {} is out of its range", function.name()));
}

template <class T, class D> ColumnPtr drawn(D distribution, size_t rows, UniformBits& bits)
{
    auto result = std::make_shared<VectorColumn<T>>(rows);
    for (auto& value : result->data())
        value = static_cast<T>(distribution(bits));
    return result;
}

ColumnPtr draw_uniform(const ScalarFunction&, const double* p, size_t rows, UniformBits bits)
{
    auto result = std::make_shared<VectorColumn<double>>(rows);
    for (auto& value : result->data())
        value = p[0] + (p[1] - p[0]) * (static_cast<double>(bits() >> 11) * 0x1p-53);
    return result;
}
ColumnPtr draw_normal(const ScalarFunction& f, const double* p, size_t rows, UniformBits bits)
{
    if (!(p[1] > 0))
        throw_bad_parameter(f);
    return drawn<double>(std::normal_distribution<double>(p[0], p[1]), rows, bits);
}
ColumnPtr draw_log_normal(const ScalarFunction& f, const double* p, size_t rows, UniformBits bits)
{
    if (!(p[1] > 0))
        throw_bad_parameter(f);
    return drawn<double>(std::lognormal_distribution<double>(p[0], p[1]), rows, bits);
}
ColumnPtr draw_exponential(const ScalarFunction& f, const double* p, size_t rows, UniformBits bits)
{
    if (!(p[0] > 0))
        throw_bad_parameter(f);
    return drawn<double>(std::exponential_distribution<double>(p[0]), rows, bits);
}
ColumnPtr draw_chi_squared(const ScalarFunction& f, const double* p, size_t rows, UniformBits bits)
{
    if (!(p[0] > 0))
        throw_bad_parameter(f);
    return drawn<double>(std::chi_squared_distribution<double>(p[0]), rows, bits);
}
ColumnPtr draw_student_t(const ScalarFunction& f, const double* p, size_t rows, UniformBits bits)
{
    if (!(p[0] > 0))
        throw_bad_parameter(f);
    return drawn<double>(std::student_t_distribution<double>(p[0]), rows, bits);
}
ColumnPtr draw_fisher_f(const ScalarFunction& f, const double* p, size_t rows, UniformBits bits)
{
    if (!(p[0] > 0) || !(p[1] > 0))
        throw_bad_parameter(f);
    return drawn<double>(std::fisher_f_distribution<double>(p[0], p[1]), rows, bits);
}
ColumnPtr draw_bernoulli(const ScalarFunction& f, const double* p, size_t rows, UniformBits bits)
{
    if (!(p[0] >= 0 && p[0] <= 1))
        throw_bad_parameter(f);
    return drawn<uint8_t>(std::bernoulli_distribution(p[0]), rows, bits);
}
ColumnPtr draw_binomial(const ScalarFunction& f, const double* p, size_t rows, UniformBits bits)
{
    if (!(p[0] >= 0 && p[0] < 9e18) || !(p[1] >= 0 && p[1] <= 1))
        throw_bad_parameter(f);
    return drawn<uint64_t>(
        std::binomial_distribution<int64_t>(static_cast<int64_t>(p[0]), p[1]), rows, bits);
}
ColumnPtr draw_negative_binomial(const ScalarFunction& f, const double* p, size_t rows,
                                 UniformBits bits)
{
    if (!(p[0] >= 1 && p[0] < 9e18) || !(p[1] > 0 && p[1] <= 1))
        throw_bad_parameter(f);
    return drawn<uint64_t>(
        std::negative_binomial_distribution<int64_t>(static_cast<int64_t>(p[0]), p[1]), rows,
        bits);
}
ColumnPtr draw_poisson(const ScalarFunction& f, const double* p, size_t rows, UniformBits bits)
{
    if (!(p[0] > 0 && p[0] < 1e15))
        throw_bad_parameter(f);
    return drawn<uint64_t>(std::poisson_distribution<int64_t>(p[0]), rows, bits);
}

class GenerateUuid final : public RandomFunction
{
public:
    GenerateUuid(std::string name, bool by_time) : RandomFunction(std::move(name)), by_time_(by_time)
    {
    }
    TypePtr return_type(const Arguments& arguments) const override
    {
        check_argument_count(*this, arguments.size(), 0, 1);
        return simple_type(TypeId::UUID);
    }
    ColumnPtr execute(const Arguments&, const TypePtr&, size_t rows,
                      const QueryContext& context) const override
    {
        Generator random = generator(context);
        auto result = std::make_shared<VectorColumn<UInt128>>(rows);
        constexpr uint64_t kVariant = uint64_t{1} << 63;
        constexpr uint64_t kVariantMask = ~(uint64_t{3} << 62);
        // Version 7: milliseconds, then a counter that keeps the rows of a block in order.
        const auto now_ms = static_cast<uint64_t>(context.clock->unix_us() / 1000);
        uint64_t counter = random.next_u64() & 0x1ffffffffffull;
        for (auto& value : result->data())
        {
            uint64_t high = random.next_u64();
            uint64_t low = (random.next_u64() & kVariantMask) | kVariant;
            if (by_time_)
            {
                ++counter; // 42 bits: 12 beside the version, 30 after the variant
                high = (now_ms << 16) | 0x7000 | ((counter >> 30) & 0xfff);
                low = kVariant | ((counter & 0x3fffffff) << 32) | (low & 0xffffffff);
            }
            else
                high = (high & ~uint64_t{0xf000}) | 0x4000;
            value = (static_cast<UInt128>(high) << 64) | low;
        }
        return result;
    }

private:
    bool by_time_;
};

enum class TextKind : uint8_t
{
    Bytes,
    Printable,
    Utf8,
};

void append_utf8(PodVector<char>& out, uint32_t code)
{
    if (code < 0x80)
        out.push_back(static_cast<char>(code));
    else if (code < 0x800)
    {
        out.push_back(static_cast<char>(0xc0 | (code >> 6)));
        out.push_back(static_cast<char>(0x80 | (code & 0x3f)));
    }
    else if (code < 0x10000)
    {
        out.push_back(static_cast<char>(0xe0 | (code >> 12)));
        out.push_back(static_cast<char>(0x80 | ((code >> 6) & 0x3f)));
        out.push_back(static_cast<char>(0x80 | (code & 0x3f)));
    }
    else
    {
        out.push_back(static_cast<char>(0xf0 | (code >> 18)));
        out.push_back(static_cast<char>(0x80 | ((code >> 12) & 0x3f)));
        out.push_back(static_cast<char>(0x80 | ((code >> 6) & 0x3f)));
        out.push_back(static_cast<char>(0x80 | (code & 0x3f)));
    }
}

class RandomText final : public RandomFunction
{
public:
    RandomText(std::string name, TextKind kind) : RandomFunction(std::move(name)), kind_(kind) {}
    TypePtr return_type(const Arguments& arguments) const override
    {
        check_argument_count(*this, arguments.size(), 1, 2);
        if (!arguments[0].type->is_integer())
            throw_illegal_argument(*this, 0, arguments[0].type);
        return simple_type(TypeId::String);
    }
    ColumnPtr execute(const Arguments& arguments, const TypePtr&, size_t rows,
                      const QueryContext& context) const override
    {
        const ColumnPtr lengths = convert_numbers(
            arguments[0].column, arguments[0].type->physical(), PhysicalType::UInt64);
        const VectorView<uint64_t> view(*lengths);
        Generator random = generator(context);
        auto result = std::make_shared<StringColumn>();
        auto& chars = result->chars();
        for (size_t row = 0; row < rows; ++row)
        {
            if (view[row] > kMaxRandomBytes)
                throw Error(error_codes::TOO_LARGE_STRING_SIZE,
                            "Too large string size in function " + name());
            for (uint64_t i = 0; i < view[row]; ++i)
                append_one(chars, random);
            result->offsets().push_back(chars.size());
        }
        return result;
    }

private:
    void append_one(PodVector<char>& chars, Generator& random) const
    {
        const uint64_t bits = random.next_u64() >> 32;
        if (kind_ == TextKind::Bytes)
            chars.push_back(static_cast<char>(bits));
        else if (kind_ == TextKind::Printable)
            chars.push_back(static_cast<char>(' ' + ((bits * 95) >> 32)));
        else
        {
            // Every code point but the surrogates.
            auto code = static_cast<uint32_t>((bits * (0x110000 - 0x800)) >> 32);
            append_utf8(chars, code < 0xd800 ? code : code + 0x800);
        }
    }
    TextKind kind_;
};

class RandomFixedString final : public RandomFunction
{
public:
    RandomFixedString() : RandomFunction("randomFixedString") {}
    TypePtr return_type(const Arguments& arguments) const override
    {
        check_argument_count(*this, arguments.size(), 1, 2);
        const int64_t width = constant_int(*this, arguments, 0);
        if (width < 1 || static_cast<uint64_t>(width) > kMaxRandomBytes)
            throw Error(error_codes::ARGUMENT_OUT_OF_BOUND,
                        "Width of randomFixedString is out of bounds");
        return std::make_shared<FixedStringType>(static_cast<size_t>(width));
    }
    ColumnPtr execute(const Arguments&, const TypePtr& type, size_t rows,
                      const QueryContext& context) const override
    {
        auto result = std::make_shared<FixedStringColumn>(type_as<FixedStringType>(type).width());
        result->chars().resize(result->width() * rows);
        Generator random = generator(context);
        for (auto& c : result->chars())
            c = static_cast<char>(random.next_u64() >> 56);
        return result;
    }
};

class FuzzBits final : public RandomFunction
{
public:
    FuzzBits() : RandomFunction("fuzzBits") {}
    TypePtr return_type(const Arguments& arguments) const override
    {
        check_argument_count(*this, arguments.size(), 2);
        if (!arguments[0].type->is_string())
            throw_illegal_argument(*this, 0, arguments[0].type);
        if (!arguments[1].type->is_float())
            throw_illegal_argument(*this, 1, arguments[1].type);
        return arguments[0].type;
    }
    ColumnPtr execute(const Arguments& arguments, const TypePtr& type, size_t rows,
                      const QueryContext& context) const override
    {
        const Value value = constant_value(*this, arguments, 1);
        const double probability = value.get<double>();
        if (!(probability >= 0 && probability <= 1))
            throw Error(error_codes::ARGUMENT_OUT_OF_BOUND,
                        "Second argument of function fuzzBits must be from 0.0 to 1.0");
        Generator random = generator(context);
        const TextView texts(*arguments[0].column);
        auto result = type->create_column();
        for (size_t row = 0; row < rows; ++row)
        {
            std::string text(texts[row]);
            for (char& c : text)
                for (int bit = 0; bit < 8; ++bit)
                    if (static_cast<double>(random.next_u64() >> 11) * 0x1p-53 < probability)
                        c = static_cast<char>(c ^ (1 << bit));
            result->append_value(Value(std::move(text)));
        }
        return result;
    }
};

template <class F> ScalarFunctionPtr make(const QueryContext&)
{
    return std::make_shared<F>();
}

} // namespace

#define BASALT_DISTRIBUTION(NAME, PARAMETERS, RESULT, DRAW)                                        \
    registry.add(NAME, [](const QueryContext&) -> ScalarFunctionPtr                                \
                 { return std::make_shared<Distribution>(NAME, PARAMETERS, TypeId::RESULT, DRAW); });
#define BASALT_RANDOM_TEXT(NAME, KIND)                                                             \
    registry.add(NAME, [](const QueryContext&) -> ScalarFunctionPtr                                \
                 { return std::make_shared<RandomText>(NAME, TextKind::KIND); });

void register_random(ScalarRegistry& registry)
{
    registry.add(
        "rand", [](const QueryContext&) -> ScalarFunctionPtr
        { return std::make_shared<Rand<uint32_t>>("rand"); }, true);
    registry.add_alias("rand32", "rand");
    registry.add("rand64", [](const QueryContext&) -> ScalarFunctionPtr
                 { return std::make_shared<Rand<uint64_t>>("rand64"); });
    registry.add("randConstant", [](const QueryContext& context) -> ScalarFunctionPtr
                 { return std::make_shared<RandConstant>(context); });
    registry.add("randCanonical", make<RandCanonical>);
    BASALT_DISTRIBUTION("randUniform", 2, Float64, draw_uniform)
    BASALT_DISTRIBUTION("randNormal", 2, Float64, draw_normal)
    BASALT_DISTRIBUTION("randLogNormal", 2, Float64, draw_log_normal)
    BASALT_DISTRIBUTION("randExponential", 1, Float64, draw_exponential)
    BASALT_DISTRIBUTION("randChiSquared", 1, Float64, draw_chi_squared)
    BASALT_DISTRIBUTION("randStudentT", 1, Float64, draw_student_t)
    BASALT_DISTRIBUTION("randFisherF", 2, Float64, draw_fisher_f)
    BASALT_DISTRIBUTION("randBernoulli", 1, UInt8, draw_bernoulli)
    BASALT_DISTRIBUTION("randBinomial", 2, UInt64, draw_binomial)
    BASALT_DISTRIBUTION("randNegativeBinomial", 2, UInt64, draw_negative_binomial)
    BASALT_DISTRIBUTION("randPoisson", 1, UInt64, draw_poisson)
    registry.add("generateUUIDv4", [](const QueryContext&) -> ScalarFunctionPtr
                 { return std::make_shared<GenerateUuid>("generateUUIDv4", false); });
    registry.add("generateUUIDv7", [](const QueryContext&) -> ScalarFunctionPtr
                 { return std::make_shared<GenerateUuid>("generateUUIDv7", true); });
    BASALT_RANDOM_TEXT("randomString", Bytes)
    BASALT_RANDOM_TEXT("randomPrintableASCII", Printable)
    BASALT_RANDOM_TEXT("randomStringUTF8", Utf8)
    registry.add("randomFixedString", make<RandomFixedString>);
    registry.add("fuzzBits", make<FuzzBits>);
}

#undef BASALT_DISTRIBUTION
#undef BASALT_RANDOM_TEXT

} // namespace basalt
