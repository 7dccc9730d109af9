// editDistance, damerauLevenshteinDistance, byteHammingDistance, jaro*, stringJaccardIndex.

#include "functions/scalar/column_rows.h"
#include "functions/scalar/utf8.h"

#include <fmt/core.h>

#include <algorithm>

namespace basalt
{

// Most bytes of a text whose distance (quadratic work) is computed.
inline constexpr size_t kMaxDistanceBytes = 1 << 16;

namespace
{

using Points = std::vector<uint32_t>;

template <bool kUtf8> Points points_of(std::string_view text, std::string_view name)
{
    if (text.size() > kMaxDistanceBytes)
        throw Error(error_codes::TOO_LARGE_STRING_SIZE,
                    fmt::format("Function {} takes at most {} bytes, got {}", name,
                                kMaxDistanceBytes, text.size()));
    Points points;
    points.reserve(text.size());
    if (!kUtf8)
    {
        for (const char c : text)
            points.push_back(static_cast<unsigned char>(c));
        return points;
    }
    for (size_t at = 0; at < text.size();)
    {
        size_t length;
        const uint32_t code = utf8_decode(text, at, length);
        if (code == kUtf8Invalid)
            throw Error(error_codes::BAD_ARGUMENTS,
                        fmt::format("A text of function {} is not valid UTF-8", name));
        points.push_back(code);
        at += length;
    }
    return points;
}

// Levenshtein, two rows of the table.
uint64_t edit_distance(const Points& a, const Points& b)
{
    std::vector<uint64_t> row(b.size() + 1);
    for (size_t j = 0; j <= b.size(); ++j)
        row[j] = j;
    for (size_t i = 1; i <= a.size(); ++i)
    {
        uint64_t diagonal = row[0];
        row[0] = i;
        for (size_t j = 1; j <= b.size(); ++j)
        {
            const uint64_t above = row[j];
            row[j] = std::min({above + 1, row[j - 1] + 1, diagonal + (a[i - 1] != b[j - 1])});
            diagonal = above;
        }
    }
    return row[b.size()];
}

// With transpositions of neighbours (optimal string alignment).
uint64_t damerau_distance(const Points& a, const Points& b)
{
    const size_t width = b.size() + 1;
    std::vector<uint64_t> before(width), last(width), row(width);
    for (size_t j = 0; j < width; ++j)
        last[j] = j;
    for (size_t i = 1; i <= a.size(); ++i)
    {
        row[0] = i;
        for (size_t j = 1; j < width; ++j)
        {
            row[j] = std::min({last[j] + 1, row[j - 1] + 1, last[j - 1] + (a[i - 1] != b[j - 1])});
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
                row[j] = std::min(row[j], before[j - 2] + 1);
        }
        before.swap(last);
        last.swap(row);
    }
    return last[b.size()];
}

double jaro(const Points& a, const Points& b)
{
    if (a.empty() || b.empty())
        return a.empty() && b.empty() ? 1.0 : 0.0;
    const size_t longest = std::max(a.size(), b.size());
    const size_t window = longest / 2 > 0 ? longest / 2 - 1 : 0;
    std::vector<bool> used_a(a.size()), used_b(b.size());
    size_t matches = 0;
    for (size_t i = 0; i < a.size(); ++i)
    {
        const size_t from = i > window ? i - window : 0;
        const size_t to = std::min(b.size(), i + window + 1);
        for (size_t j = from; j < to; ++j)
            if (!used_b[j] && a[i] == b[j])
            {
                used_a[i] = used_b[j] = true;
                ++matches;
                break;
            }
    }
    if (matches == 0)
        return 0;
    size_t swapped = 0;
    size_t j = 0;
    for (size_t i = 0; i < a.size(); ++i)
    {
        if (!used_a[i])
            continue;
        while (!used_b[j])
            ++j;
        swapped += a[i] != b[j];
        ++j;
    }
    const auto m = static_cast<double>(matches);
    return (m / static_cast<double>(a.size()) + m / static_cast<double>(b.size()) +
            (m - static_cast<double>(swapped / 2)) / m) *
           (1.0 / 3.0);
}

double jaro_winkler(const Points& a, const Points& b)
{
    const double similarity = jaro(a, b);
    if (similarity <= 0.7)
        return similarity;
    size_t prefix = 0;
    while (prefix < 4 && prefix < a.size() && prefix < b.size() && a[prefix] == b[prefix])
        ++prefix;
    return similarity + 0.1 * static_cast<double>(prefix) * (1.0 - similarity);
}

// Of the sets of characters.
double jaccard(const Points& a, const Points& b)
{
    const auto distinct = [](Points points)
    {
        std::sort(points.begin(), points.end());
        points.erase(std::unique(points.begin(), points.end()), points.end());
        return points;
    };
    const Points x = distinct(a);
    const Points y = distinct(b);
    size_t common = 0;
    for (size_t i = 0, j = 0; i < x.size() && j < y.size();)
    {
        if (x[i] == y[j])
        {
            ++common;
            ++i;
            ++j;
        }
        else if (x[i] < y[j])
            ++i;
        else
            ++j;
    }
    return static_cast<double>(common) / static_cast<double>(x.size() + y.size() - common);
}

uint64_t hamming(const Points& a, const Points& b)
{
    uint64_t distance = std::max(a.size(), b.size()) - std::min(a.size(), b.size());
    for (size_t i = 0; i < std::min(a.size(), b.size()); ++i)
        distance += a[i] != b[i];
    return distance;
}

template <class T, T (*kDistance)(const Points&, const Points&), bool kUtf8>
ColumnPtr run_distance(const Call& call)
{
    const StringRows lefts(call.column(0));
    const StringRows rights(call.column(1));
    return map_rows<T>(call.rows,
                       [&](size_t i) {
                           return kDistance(points_of<kUtf8>(lefts[i], call.name),
                                            points_of<kUtf8>(rights[i], call.name));
                       });
}

constexpr auto kNumber = type_is<TypeId::UInt64>;
constexpr auto kFloat = type_is<TypeId::Float64>;
constexpr FunctionSpec kEdit{"editDistance", "s s", kNumber,
                             run_distance<uint64_t, edit_distance, false>, 0,
                             "levenshteinDistance"};
constexpr FunctionSpec kEditUtf8{"editDistanceUTF8", "s s", kNumber,
                                 run_distance<uint64_t, edit_distance, true>, 0,
                                 "levenshteinDistanceUTF8"};
constexpr FunctionSpec kDamerau{"damerauLevenshteinDistance", "s s", kNumber,
                                run_distance<uint64_t, damerau_distance, false>};
constexpr FunctionSpec kHamming{"byteHammingDistance", "s s", kNumber,
                                run_distance<uint64_t, hamming, false>, 0, "mismatches"};
constexpr FunctionSpec kJaro{"jaroSimilarity", "s s", kFloat, run_distance<double, jaro, false>};
constexpr FunctionSpec kWinkler{"jaroWinklerSimilarity", "s s", kFloat,
                                run_distance<double, jaro_winkler, false>};
constexpr FunctionSpec kJaccard{"stringJaccardIndex", "s s", kFloat,
                                run_distance<double, jaccard, false>};
constexpr FunctionSpec kJaccardUtf8{"stringJaccardIndexUTF8", "s s", kFloat,
                                    run_distance<double, jaccard, true>};

} // namespace

void register_string_distance(ScalarRegistry& registry)
{
    add_all<kEdit, kEditUtf8, kDamerau, kHamming, kJaro, kWinkler, kJaccard, kJaccardUtf8>(
        registry);
}

} // namespace basalt
