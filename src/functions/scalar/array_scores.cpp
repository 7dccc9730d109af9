// Measures over arrays of numbers: arrayROCAUC, arrayAUCPR, arrayNormalizedGini,
// arrayAutocorrelation, seriesOutliersDetectTukey, arrayLevenshteinDistanceWeighted,
// arraySimilarity.

#include "functions/scalar/array_items.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <optional>

namespace basalt
{

// Most items of an array for which work grows with the square of its length.
inline constexpr size_t kMaxScoredItems = 1 << 16;

namespace
{

// One array argument's items as doubles.
struct NumberArrays
{
    ColumnPtr owner;
    ArrayRows rows;
    DoubleRows values;

    NumberArrays(const Call& call, size_t argument)
        : owner(to_flat(call.column(argument))), rows(owner),
          values(rows.items(), item_type(call.type(argument)))
    {
    }
    size_t length(size_t row) const { return rows.length(row); }
    double at(size_t row, size_t i) const { return values[rows.begin(row) + i]; }
};

void check_number_arrays(const TypeCall& call, size_t begin, size_t end)
{
    for (size_t i = begin; i < end; ++i)
    {
        const TypePtr& type = item_type(call.type(i));
        if (!type->is_number() && !type->is_enum() &&
            !(type->is(TypeId::Nothing) && call.size() == 1))
            throw Error(error_codes::ILLEGAL_TYPE_OF_ARGUMENT,
                        fmt::format("Argument {} of function {} must be a numeric array. Found {} "
                                    "instead",
                                    i + 1, call.name, type->name()));
    }
}

void check_lengths(std::string_view name, size_t a, size_t b)
{
    if (a != b)
        throw Error(error_codes::BAD_ARGUMENTS,
                    fmt::format("Illegal arguments of function {}: arrays of sizes {} and {}", name,
                                a, b));
}

std::vector<size_t> by_score(const NumberArrays& scores, size_t row)
{
    std::vector<size_t> order(scores.length(row));
    std::iota(order.begin(), order.end(), size_t{0});
    std::stable_sort(order.begin(), order.end(), [&](size_t a, size_t b)
                     { return scores.at(row, a) > scores.at(row, b); });
    return order;
}

// Calls group(true positives, false positives) after each run of equal scores, the highest first.
template <class F>
void for_each_score(const NumberArrays& scores, const NumberArrays& labels, size_t row, F&& group)
{
    const std::vector<size_t> order = by_score(scores, row);
    double positives = 0;
    double negatives = 0;
    for (size_t i = 0; i < order.size(); ++i)
    {
        (labels.at(row, order[i]) > 0 ? positives : negatives) += 1;
        if (i + 1 == order.size() || scores.at(row, order[i + 1]) != scores.at(row, order[i]))
            group(positives, negatives);
    }
}

TypePtr score_type(const TypeCall& call)
{
    check_number_arrays(call, 0, 2);
    if (call.size() > (call.name == "arrayAUCPR" ? 2 : 3))
        throw Error(error_codes::NOT_IMPLEMENTED,
                    fmt::format("Partial offsets of function {} are not implemented", call.name));
    return simple_type(TypeId::Float64);
}

ColumnPtr run_roc(const Call& call)
{
    const NumberArrays scores(call, 0);
    const NumberArrays labels(call, 1);
    const bool scaled = call.size() < 3 || constant_integer(call.name, call.arguments, 2) != 0;
    return map_rows<double>(call.rows,
                            [&](size_t row)
                            {
                                check_lengths(call.name, scores.length(row), labels.length(row));
                                double area = 0;
                                double last_positives = 0;
                                double last_negatives = 0;
                                for_each_score(scores, labels, row,
                                               [&](double positives, double negatives)
                                               {
                                                   area += (negatives - last_negatives) *
                                                           (positives + last_positives) / 2;
                                                   last_positives = positives;
                                                   last_negatives = negatives;
                                               });
                                if (!scaled)
                                    return area;
                                const double whole = last_positives * last_negatives;
                                return whole == 0 ? NAN : area / whole;
                            });
}

ColumnPtr run_precision_recall(const Call& call)
{
    const NumberArrays scores(call, 0);
    const NumberArrays labels(call, 1);
    return map_rows<double>(call.rows,
                            [&](size_t row)
                            {
                                check_lengths(call.name, scores.length(row), labels.length(row));
                                double area = 0;
                                double last = 0;
                                for_each_score(scores, labels, row,
                                               [&](double positives, double negatives)
                                               {
                                                   area += positives / (positives + negatives) *
                                                           (positives - last);
                                                   last = positives;
                                               });
                                return last == 0 ? 0.0 : area / last;
                            });
}

TypePtr gini_type(const TypeCall& call)
{
    check_number_arrays(call, 0, 2);
    return std::make_shared<TupleType>(Types(3, simple_type(TypeId::Float64)));
}

// Of labels in the given order, the highest score first.
double gini_of(const NumberArrays& labels, size_t row, const std::vector<size_t>& order)
{
    const auto n = static_cast<double>(order.size());
    double total = 0;
    for (const size_t i : order)
        total += labels.at(row, i);
    double part = 0;
    double sum = 0;
    for (size_t i = order.size(); i > 0; --i)
    {
        part += labels.at(row, order[i - 1]) / total;
        sum += part;
    }
    return ((n + 1) / 2 - sum) / n;
}

ColumnPtr run_gini(const Call& call)
{
    const NumberArrays scores(call, 0);
    const NumberArrays labels(call, 1);
    std::vector<std::shared_ptr<VectorColumn<double>>> out;
    for (size_t k = 0; k < 3; ++k)
        out.push_back(std::make_shared<VectorColumn<double>>(call.rows));
    for (size_t row = 0; row < call.rows; ++row)
    {
        check_lengths(call.name, scores.length(row), labels.length(row));
        const double predicted = gini_of(labels, row, by_score(scores, row));
        const double best = gini_of(labels, row, by_score(labels, row));
        out[0]->data()[row] = predicted;
        out[1]->data()[row] = best;
        out[2]->data()[row] = predicted / best;
    }
    return TupleColumn::make(Columns(out.begin(), out.end()), call.rows);
}

TypePtr autocorrelation_type(const TypeCall& call)
{
    check_number_arrays(call, 0, 1);
    return array_of(simple_type(TypeId::Float64));
}

ColumnPtr run_autocorrelation(const Call& call)
{
    auto items = std::make_shared<VectorColumn<double>>();
    PodVector<uint64_t> offsets;
    if (item_type(call.type(0))->is(TypeId::Nothing))
        return make_array(items, PodVector<uint64_t>(call.rows, 0));
    const NumberArrays numbers(call, 0);
    std::optional<IntegerRows> lags;
    if (call.size() == 2)
        lags.emplace(call[1]);
    std::vector<double> differences;
    for (size_t row = 0; row < call.rows; ++row)
    {
        const size_t n = numbers.length(row);
        if (n > kMaxScoredItems)
            throw Error(error_codes::TOO_LARGE_ARRAY_SIZE,
                        fmt::format("Function {} takes at most {} items, got {}", call.name,
                                    kMaxScoredItems, n));
        double sum = 0;
        for (size_t i = 0; i < n; ++i)
            sum += numbers.at(row, i);
        const double mean = sum / static_cast<double>(n);
        differences.clear();
        double variance = 0;
        for (size_t i = 0; i < n; ++i)
        {
            differences.push_back(numbers.at(row, i) - mean);
            variance += differences[i] * differences[i];
        }
        size_t count = n;
        if (lags)
            count = (*lags)[row] < 0 ? 0 : std::min(n, static_cast<size_t>((*lags)[row]));
        for (size_t lag = 0; lag < count; ++lag)
        {
            double product = 0;
            for (size_t i = 0; i + lag < n; ++i)
                product += differences[i] * differences[i + lag];
            items->data().push_back(product / variance);
        }
        offsets.push_back(items->size());
    }
    return make_array(items, std::move(offsets));
}

// How far each value lies outside the fences of Tukey (1977): K times the range between two
// quantiles below the lower and above the upper of them.
TypePtr tukey_type(const TypeCall& call)
{
    check_number_arrays(call, 0, 1);
    if (call.size() != 1 && call.size() != 4)
        throw Error(error_codes::NUMBER_OF_ARGUMENTS_DOESNT_MATCH,
                    fmt::format("Function {} needs either 1 or 4 arguments; passed {}.", call.name,
                                call.size()));
    return array_of(simple_type(TypeId::Float64));
}

double number_argument(const Call& call, size_t argument)
{
    const Value value = constant_value(call.name, call.arguments, argument);
    if (const auto* number = value.get_if<double>())
        return *number;
    if (const auto number = value_to_integer(value))
        return static_cast<double>(*number);
    throw_illegal_type(call.name, call.arguments, argument, "number");
}

ColumnPtr run_tukey(const Call& call)
{
    double low_level = 0.25;
    double high_level = 0.75;
    double factor = 1.5;
    if (call.size() == 4)
    {
        low_level = number_argument(call, 1);
        high_level = number_argument(call, 2);
        factor = number_argument(call, 3);
        if (!(low_level >= 0.02 && low_level <= 0.98 && high_level >= 0.02 && high_level <= 0.98 &&
              factor >= 0))
            throw Error(error_codes::BAD_ARGUMENTS,
                        fmt::format("Percentiles of function {} must be in range [0.02, 0.98] and "
                                    "K not negative",
                                    call.name));
    }
    const NumberArrays numbers(call, 0);
    auto items = std::make_shared<VectorColumn<double>>();
    std::vector<double> sorted;
    for (size_t row = 0; row < call.rows; ++row)
    {
        const size_t n = numbers.length(row);
        if (n < 4)
            throw Error(error_codes::BAD_ARGUMENTS,
                        fmt::format("At least four data points are needed for function {}",
                                    call.name));
        sorted.clear();
        for (size_t i = 0; i < n; ++i)
            sorted.push_back(numbers.at(row, i));
        std::sort(sorted.begin(), sorted.end());
        const auto quantile = [&](double level)
        {
            const double place = level * static_cast<double>(n);
            auto at = static_cast<size_t>(place);
            if (static_cast<double>(at) == place && at > 0)
                return (sorted[at - 1] + sorted[std::min(at, n - 1)]) / 2;
            return sorted[std::min(at, n - 1)];
        };
        const double low = quantile(low_level);
        const double high = quantile(high_level);
        const double reach = (high - low) * factor;
        for (size_t i = 0; i < n; ++i)
        {
            const double value = numbers.at(row, i);
            const double below = value - (low - reach);
            const double above = value - (high + reach);
            items->data().push_back(below < 0 ? below : above > 0 ? above : 0);
        }
    }
    return ArrayColumn::make(items, numbers.rows.array().offsets_column());
}

TypePtr weighted_type(const TypeCall& call)
{
    comparable_type(item_type(call.type(0)), item_type(call.type(1)));
    check_number_arrays(call, 2, 4);
    return simple_type(TypeId::Float64);
}

// Levenshtein's distance where an item costs its weight to drop or to add, and a replacement both.
template <bool kSimilarity> ColumnPtr run_weighted(const Call& call)
{
    const TypePtr common = comparable_type(item_type(call.type(0)), item_type(call.type(1)));
    const ColumnPtr left = flat_as(call[0], array_of(common), call.context);
    const ColumnPtr right = flat_as(call[1], array_of(common), call.context);
    const ArrayRows lefts(left);
    const ArrayRows rights(right);
    EqualityIds numbers;
    const PodVector<uint64_t> left_ids = numbers.add(*lefts.items());
    const PodVector<uint64_t> right_ids = numbers.add(*rights.items());
    const NumberArrays left_weights(call, 2);
    const NumberArrays right_weights(call, 3);
    std::vector<double> line;
    return map_rows<double>(
        call.rows,
        [&](size_t row)
        {
            const size_t m = lefts.length(row);
            const size_t n = rights.length(row);
            check_lengths(call.name, m, left_weights.length(row));
            check_lengths(call.name, n, right_weights.length(row));
            if (m > kMaxScoredItems || n > kMaxScoredItems)
                throw Error(error_codes::TOO_LARGE_ARRAY_SIZE,
                            fmt::format("Function {} takes at most {} items", call.name,
                                        kMaxScoredItems));
            line.assign(1, 0);
            double all = 0;
            for (size_t j = 0; j < n; ++j)
            {
                line.push_back(line.back() + right_weights.at(row, j));
                all += right_weights.at(row, j);
            }
            for (size_t i = 0; i < m; ++i)
            {
                const double drop = left_weights.at(row, i);
                all += drop;
                double diagonal = line[0];
                line[0] += drop;
                for (size_t j = 0; j < n; ++j)
                {
                    const double above = line[j + 1];
                    const double add = right_weights.at(row, j);
                    const bool same =
                        left_ids[lefts.begin(row) + i] == right_ids[rights.begin(row) + j];
                    line[j + 1] = same ? diagonal : std::min(above + drop, line[j] + add);
                    diagonal = above;
                }
            }
            if (!kSimilarity)
                return line[n];
            return all == 0 ? 1.0 : 1.0 - line[n] / all;
        });
}

constexpr FunctionSpec kRoc{"arrayROCAUC", "a a [ i! a", score_type, run_roc, 0, "arrayAUC"};
constexpr FunctionSpec kPrecision{"arrayAUCPR", "a a [ a", score_type, run_precision_recall, 0,
                                  "arrayPRAUC"};
constexpr FunctionSpec kGini{"arrayNormalizedGini", "a a", gini_type, run_gini};
constexpr FunctionSpec kAuto{"arrayAutocorrelation", "a [ i", autocorrelation_type,
                             run_autocorrelation};
constexpr FunctionSpec kTukey{"seriesOutliersDetectTukey", "a [ n! n! n!", tukey_type, run_tukey};
constexpr FunctionSpec kDistance{"arrayLevenshteinDistanceWeighted", "a a a a", weighted_type,
                                 run_weighted<false>};
constexpr FunctionSpec kSimilarity{"arraySimilarity", "a a a a", weighted_type,
                                   run_weighted<true>};

} // namespace

void register_array_scores(ScalarRegistry& registry)
{
    add_all<kRoc, kPrecision, kGini, kAuto, kTukey, kDistance, kSimilarity>(registry);
}

} // namespace basalt
