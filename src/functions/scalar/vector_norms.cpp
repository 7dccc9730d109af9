// dotProduct, norms, distances and normalisation of tuples and arrays.

#include "functions/scalar/array_items.h"

#include <fmt/core.h>

#include <cmath>

namespace basalt
{
namespace
{

// Calls other functions on values or on types alone (columns are null then).
class Composer
{
public:
    Composer(const QueryContext& context, std::optional<size_t> rows)
        : context_(context), rows_(rows)
    {
    }
    Argument apply(std::string_view name, Arguments arguments) const
    {
        const ScalarFunctionPtr function = scalar_functions().get(name, context_);
        Argument result{nullptr, resolve_type(*function, arguments)};
        if (rows_)
            result.column = call_function(*function, arguments, result.type, *rows_, context_);
        return result;
    }
    Argument number(double value) const
    {
        const TypePtr& type = simple_type(TypeId::Float64);
        return {rows_ ? make_constant(type, value, *rows_) : nullptr, type};
    }

private:
    const QueryContext& context_;
    std::optional<size_t> rows_;
};

Arguments elements_of(const Argument& tuple)
{
    Arguments elements;
    const Types& types = type_as<TupleType>(tuple.type).elements();
    const ColumnPtr flat = tuple.column ? to_flat(tuple.column) : nullptr;
    for (size_t i = 0; i < types.size(); ++i)
        elements.push_back({flat ? column_as<TupleColumn>(flat).element(i) : nullptr, types[i]});
    return elements;
}

Argument fold(const Composer& composer, std::string_view name, const Arguments& values)
{
    Argument result = values[0];
    for (size_t i = 1; i < values.size(); ++i)
        result = composer.apply(name, {result, values[i]});
    return result;
}

enum class Norm
{
    L1,
    L2,
    L2Squared,
    Linf,
    Lp,
};

Argument tuple_norm(const Composer& composer, Norm norm, const Arguments& elements,
                    const Argument* p)
{
    Arguments terms;
    for (const Argument& element : elements)
    {
        if (norm == Norm::L2 || norm == Norm::L2Squared)
            terms.push_back(composer.apply("multiply", {element, element}));
        else if (norm == Norm::Lp)
            terms.push_back(composer.apply("pow", {composer.apply("abs", {element}), *p}));
        else
            terms.push_back(composer.apply("abs", {element}));
    }
    if (norm == Norm::Linf)
        return terms.size() == 1 ? composer.apply("max2", {terms[0], terms[0]})
                                 : fold(composer, "max2", terms);
    const Argument sum = fold(composer, "plus", terms);
    if (norm == Norm::L2)
        return composer.apply("sqrt", {sum});
    if (norm == Norm::Lp)
        return composer.apply("pow",
                              {sum, composer.apply("divide", {composer.number(1), *p})});
    return sum;
}

Arguments tuple_pairs(const Composer& composer, std::string_view function, const Argument& a,
                      const Argument& b, std::string_view name)
{
    const Arguments left = elements_of(a);
    const Arguments right = elements_of(b);
    if (left.size() != right.size() || left.empty())
        throw Error(error_codes::BAD_ARGUMENTS,
                    fmt::format("Function {} needs tuples of the same size", name));
    Arguments result;
    for (size_t i = 0; i < left.size(); ++i)
        result.push_back(composer.apply(function, {left[i], right[i]}));
    return result;
}

enum class Form
{
    Norm,
    Distance,
    Normalize,
    Dot,
    Cosine,
    Hamming,
};

Argument tuple_value(const Composer& composer, Form form, Norm norm, const Arguments& arguments,
                     std::string_view name)
{
    const Argument* p = norm == Norm::Lp ? &arguments.back() : nullptr;
    if (form == Form::Dot)
        return fold(composer, "plus",
                    tuple_pairs(composer, "multiply", arguments[0], arguments[1], name));
    if (form == Form::Hamming)
        return fold(composer, "plus",
                    tuple_pairs(composer, "notEquals", arguments[0], arguments[1], name));
    if (form == Form::Distance)
        return tuple_norm(composer, norm,
                          tuple_pairs(composer, "minus", arguments[0], arguments[1], name), p);
    if (form == Form::Cosine)
    {
        const Argument dot =
            tuple_value(composer, Form::Dot, norm, {arguments[0], arguments[1]}, name);
        const Argument a = tuple_norm(composer, Norm::L2, elements_of(arguments[0]), nullptr);
        const Argument b = tuple_norm(composer, Norm::L2, elements_of(arguments[1]), nullptr);
        const Argument similarity =
            composer.apply("divide", {dot, composer.apply("multiply", {a, b})});
        return composer.apply("minus", {composer.number(1), similarity});
    }
    const Arguments elements = elements_of(arguments[0]);
    if (elements.empty())
        throw Error(error_codes::ILLEGAL_TYPE_OF_ARGUMENT,
                    fmt::format("Function {} needs a tuple that is not empty", name));
    const Argument length = tuple_norm(composer, norm, elements, p);
    if (form == Form::Norm)
        return length;
    Arguments scaled;
    for (const Argument& element : elements)
        scaled.push_back(composer.apply("divide", {element, length}));
    return composer.apply("tuple", scaled);
}

// Arrays: all in double (or float) arithmetic.
TypePtr array_result(const TypeCall& call, Form form)
{
    bool all_float32 = true;
    bool all_unsigned = true;
    bool all_integers = true;
    size_t widest = 1;
    const size_t arrays = form == Form::Norm ? 1 : 2;
    for (size_t i = 0; i < arrays; ++i)
    {
        if (!call.type(i)->is(TypeId::Array))
            throw_illegal_type(call.name, call.arguments, i, "Array");
        const TypePtr& type = item_type(call.type(i));
        if (!type->is_number() && !type->is(TypeId::Nothing))
            throw_illegal_type(call.name, call.arguments, i, "Array of numbers");
        all_float32 = all_float32 && type->is(TypeId::Float32);
        all_unsigned = all_unsigned && type->is_unsigned();
        all_integers = all_integers && type->is_integer();
        if (type->is_integer())
            widest = std::max<size_t>(
                widest, type->is(TypeId::UInt16) || type->is(TypeId::Int16)   ? 2
                        : type->is(TypeId::UInt32) || type->is(TypeId::Int32) ? 4
                        : type->is(TypeId::UInt8) || type->is(TypeId::Int8) ||
                                type->is(TypeId::Bool)
                            ? 1
                            : 8);
    }
    if (all_float32)
        return simple_type(TypeId::Float32);
    // The type of a product.
    if (form == Form::Dot && all_integers)
        switch (widest)
        {
            case 1: return simple_type(all_unsigned ? TypeId::UInt16 : TypeId::Int16);
            case 2: return simple_type(all_unsigned ? TypeId::UInt32 : TypeId::Int32);
            default: return simple_type(all_unsigned ? TypeId::UInt64 : TypeId::Int64);
        }
    return simple_type(TypeId::Float64);
}

double array_norm(Norm norm, size_t n, double p, const auto& value_at)
{
    double total = 0;
    for (size_t j = 0; j < n; ++j)
    {
        const double value = value_at(j);
        switch (norm)
        {
            case Norm::L1: total += std::fabs(value); break;
            case Norm::L2:
            case Norm::L2Squared: total += value * value; break;
            case Norm::Linf: total = std::fmax(total, std::fabs(value)); break;
            case Norm::Lp: total += std::pow(std::fabs(value), p); break;
        }
    }
    if (norm == Norm::L2)
        return std::sqrt(total);
    if (norm == Norm::Lp)
        return std::pow(total, 1.0 / p);
    return total;
}

template <class T> ColumnPtr array_values(const Call& call, Form form, Norm norm)
{
    const double p =
        norm == Norm::Lp ? DoubleRows(call[call.size() - 1].column->slice(0, 1),
                                      call.type(call.size() - 1))[0]
                         : 0;
    const ColumnPtr first = to_flat(call.column(0));
    const ArrayRows a(first);
    const DoubleRows x(a.items(), item_type(call.type(0)));
    if (form == Form::Norm)
        return map_rows<T>(call.rows,
                           [&](size_t i)
                           {
                               const size_t at = a.begin(i);
                               return array_norm(norm, a.length(i), p,
                                                 [&](size_t j) { return x[at + j]; });
                           });
    const ColumnPtr second = to_flat(call.column(1));
    const ArrayRows b(second);
    check_equal_lengths(call.name, {a, b}, call.rows);
    const DoubleRows y(b.items(), item_type(call.type(1)));
    return map_rows<T>(call.rows,
                       [&](size_t i)
                       {
                           const size_t ax = a.begin(i);
                           const size_t by = b.begin(i);
                           const size_t n = a.length(i);
                           if (form == Form::Distance)
                               return array_norm(norm, n, p, [&](size_t j)
                                                 { return x[ax + j] - y[by + j]; });
                           T dot = 0, xx = 0, yy = 0;
                           for (size_t j = 0; j < n; ++j)
                           {
                               const T left = static_cast<T>(x[ax + j]);
                               const T right = static_cast<T>(y[by + j]);
                               dot += left * right;
                               xx += left * left;
                               yy += right * right;
                           }
                           return static_cast<double>(form == Form::Dot ? dot : T(1) - dot / std::sqrt(xx * yy));
                       });
}

// Integer dot products wrap in the result's type.
template <class T> ColumnPtr integer_dot(const Call& call)
{
    const ColumnPtr first = to_flat(call.column(0));
    const ColumnPtr second = to_flat(call.column(1));
    const ArrayRows a(first);
    const ArrayRows b(second);
    check_equal_lengths(call.name, {a, b}, call.rows);
    const IntegerRows x({a.items(), item_type(call.type(0))});
    const IntegerRows y({b.items(), item_type(call.type(1))});
    return map_rows<T>(call.rows,
                       [&](size_t i)
                       {
                           uint64_t dot = 0;
                           for (size_t j = 0; j < a.length(i); ++j)
                               dot += static_cast<uint64_t>(x[a.begin(i) + j]) *
                                      static_cast<uint64_t>(y[b.begin(i) + j]);
                           return dot;
                       });
}

template <Form kForm, Norm kNorm> TypePtr norm_type(const TypeCall& call)
{
    if (call.type(0)->is(TypeId::Tuple))
    {
        const size_t tuples = kForm == Form::Norm || kForm == Form::Normalize ? 1 : 2;
        if (tuples == 2 && !call.type(1)->is(TypeId::Tuple))
            throw_illegal_type(call.name, call.arguments, 1, "Tuple");
        return tuple_value(Composer(call.context, std::nullopt), kForm, kNorm, call.arguments,
                           call.name)
            .type;
    }
    if (kForm == Form::Normalize || kForm == Form::Hamming)
        throw_illegal_type(call.name, call.arguments, 0, "Tuple");
    return array_result(call, kForm);
}

template <Form kForm, Norm kNorm> ColumnPtr run_norm(const Call& call)
{
    if (call.type(0)->is(TypeId::Tuple))
        return tuple_value(Composer(call.context, call.rows), kForm, kNorm, call.arguments,
                           call.name)
            .column;
    ColumnPtr result;
    visit_vector(call.result_type->physical(),
                 [&](auto tag)
                 {
                     using T = decltype(tag);
                     if constexpr (std::is_floating_point_v<T>)
                         result = array_values<T>(call, kForm, kNorm);
                     else if constexpr (sizeof(T) <= 8)
                         result = integer_dot<T>(call);
                 });
    return result;
}

template <Form kForm, Norm kNorm>
constexpr FunctionSpec norm_spec(std::string_view name, std::string_view signature,
                                 std::string_view aliases = "")
{
    return {name, signature, norm_type<kForm, kNorm>, run_norm<kForm, kNorm>, 0, aliases};
}

constexpr auto kDot = norm_spec<Form::Dot, Norm::L1>("dotProduct", "ta ta", "scalarProduct*");
constexpr auto kArrayDot = norm_spec<Form::Dot, Norm::L1>("arrayDotProduct", "a a");
constexpr auto kL1 = norm_spec<Form::Norm, Norm::L1>("L1Norm", "ta", "normL1*");
constexpr auto kL2 = norm_spec<Form::Norm, Norm::L2>("L2Norm", "ta", "normL2*");
constexpr auto kL2S = norm_spec<Form::Norm, Norm::L2Squared>("L2SquaredNorm", "ta",
                                                             "normL2Squared*");
constexpr auto kLinf = norm_spec<Form::Norm, Norm::Linf>("LinfNorm", "ta", "normLinf*");
constexpr auto kLp = norm_spec<Form::Norm, Norm::Lp>("LpNorm", "ta n!", "normLp*");
constexpr auto kDL1 = norm_spec<Form::Distance, Norm::L1>("L1Distance", "ta ta", "distanceL1*");
constexpr auto kDL2 = norm_spec<Form::Distance, Norm::L2>("L2Distance", "ta ta", "distanceL2*");
constexpr auto kDL2S = norm_spec<Form::Distance, Norm::L2Squared>("L2SquaredDistance", "ta ta",
                                                                  "distanceL2Squared*");
constexpr auto kDLinf = norm_spec<Form::Distance, Norm::Linf>("LinfDistance", "ta ta",
                                                              "distanceLinf*");
constexpr auto kDLp = norm_spec<Form::Distance, Norm::Lp>("LpDistance", "ta ta n!",
                                                          "distanceLp*");
constexpr auto kNL1 = norm_spec<Form::Normalize, Norm::L1>("L1Normalize", "t", "normalizeL1*");
constexpr auto kNL2 = norm_spec<Form::Normalize, Norm::L2>("L2Normalize", "t", "normalizeL2*");
constexpr auto kNLinf = norm_spec<Form::Normalize, Norm::Linf>("LinfNormalize", "t",
                                                               "normalizeLinf*");
constexpr auto kNLp = norm_spec<Form::Normalize, Norm::Lp>("LpNormalize", "t n!",
                                                           "normalizeLp*");
constexpr auto kCosine = norm_spec<Form::Cosine, Norm::L2>("cosineDistance", "ta ta",
                                                           "distanceCosine*");
constexpr auto kHamming = norm_spec<Form::Hamming, Norm::L1>("tupleHammingDistance", "t t");

} // namespace

void register_vector_norms(ScalarRegistry& registry)
{
    add_all<kDot, kArrayDot, kL1, kL2, kL2S, kLinf, kLp, kDL1, kDL2, kDL2S, kDLinf, kDLp, kNL1,
            kNL2, kNLinf, kNLp, kCosine, kHamming>(registry);
}

} // namespace basalt
