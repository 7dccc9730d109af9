// sparkbar: a bar chart in one line of text; largestTriangleThreeBuckets: the points that keep the
// shape of a curve (Steinarsson, 2013).

#include "functions/aggregate/over_doubles.h"

#include <algorithm>
#include <cmath>

namespace basalt
{

// Most bars of sparkbar and points of largestTriangleThreeBuckets.
inline constexpr uint64_t kMaxBars = 1024;
inline constexpr uint64_t kMaxKeptPoints = 1 << 24;

namespace
{

struct Point
{
    double x;
    double y;
};

struct Points
{
    PodVector<Point> points;
};

void write_points(const Points& from, std::string& out)
{
    put_count(out, from.points.size());
    for (const Point& point : from.points)
        put_fixed(out, point);
}
void read_points(Points& into, StateReader& in)
{
    into.points.clear();
    constexpr double kMostPlace = 1e300; // so that differences are finite
    for (size_t left = in.count_of(sizeof(Point)); left > 0; --left)
    {
        into.points.push_back(in.fixed<Point>());
        if (!(std::fabs(into.points.back().x) <= kMostPlace))
            StateReader::corrupted();
    }
}

class Sparkbar final : public OverDoubles<Points, Sparkbar, 2>
{
public:
    Sparkbar(const std::string& name, const Types& arguments, const Values& parameters,
             size_t width, double begin, double end)
        : OverDoubles(name, arguments, parameters, simple_type(TypeId::String)), width_(width),
          begin_(begin), end_(end), whole_(!arguments[1]->is_float())
    {
    }
    void add_numbers(Points& state, const double* values) const
    {
        if (values[0] >= begin_ && values[0] <= end_)
            state.points.push_back({values[0], values[1]});
    }
    void merge(Points& into, const Points& from, Arena&) const
    {
        into.points.append(from.points.data(), from.points.size());
    }
    void write(const Points& from, std::string& out) const { write_points(from, out); }
    void read(Points& into, StateReader& in, Arena&) const { read_points(into, in); }
    void result(Points& from, Column& into, Arena&) const
    {
        column_as<StringColumn>(into).append(bars(from.points));
    }

private:
    std::string bars(PodVector<Point>& points) const
    {
        if (points.empty())
            return "";
        // Values at one place are added up.
        std::sort(points.begin(), points.end(),
                  [](const Point& a, const Point& b) { return a.x < b.x; });
        const double first = std::isfinite(begin_) ? begin_ : points[0].x;
        const double last = std::isfinite(end_) ? end_ : points[points.size() - 1].x;
        const double span = last - first + 1;
        std::vector<double> sums(std::min(static_cast<double>(width_), span) >= 1
                                     ? static_cast<size_t>(
                                           std::min(static_cast<double>(width_), span))
                                     : 1);
        std::vector<double> counts(sums.size());
        for (size_t i = 0; i < points.size();)
        {
            const double x = points[i].x;
            double y = 0;
            // Bars show what is above zero.
            for (; i < points.size() && points[i].x == x; ++i)
                if (points[i].y > 0)
                    y += points[i].y;
            if (y == 0)
                continue;
            const auto bar = std::min(
                sums.size() - 1, static_cast<size_t>(static_cast<double>(sums.size()) / span *
                                                     (x - first)));
            sums[bar] += y;
            ++counts[bar];
        }
        double most = 0;
        for (size_t i = 0; i < sums.size(); ++i)
        {
            if (counts[i] > 0)
                sums[i] /= counts[i];
            if (whole_)
                sums[i] = std::trunc(sums[i]);
            most = std::max(most, sums[i]);
        }
        if (most == 0)
            return "";
        constexpr const char* kBars[] = {" ", "▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"};
        std::string text;
        for (const double sum : sums)
            text += kBars[sum <= 0 || std::isnan(sum) ? 0
                                                      : static_cast<size_t>(sum * 7 / most + 1)];
        return text;
    }

    size_t width_;
    double begin_;
    double end_;
    bool whole_;
};

AggregateFunctionPtr make_sparkbar(const std::string& name, const Types& arguments,
                                   const Values& parameters)
{
    expect_arguments(name, arguments, 2);
    if (parameters.size() != 1 && parameters.size() != 3)
        throw Error(error_codes::NUMBER_OF_ARGUMENTS_DOESNT_MATCH,
                    "The number of params does not match for aggregate function '" + name +
                        "', expected 1 or 3, got " + std::to_string(parameters.size()));
    const TypePtr& x = arguments[0];
    const bool taken = (x->is_unsigned() && x->physical() <= PhysicalType::UInt64) ||
                       x->is(TypeId::Date) || x->is(TypeId::DateTime);
    if (!taken)
        illegal_argument(name, x);
    if (!arguments[1]->is_integer() && !arguments[1]->is_float())
        illegal_argument(name, arguments[1]);
    const uint64_t width = unsigned_parameter(name, parameters[0], 1);
    if (width < 2 || width > kMaxBars)
        throw Error(error_codes::BAD_ARGUMENTS,
                    "Parameter `width` must be in range [2, " + std::to_string(kMaxBars) + "]");
    double begin = -INFINITY;
    double end = INFINITY;
    if (parameters.size() == 3)
    {
        begin = number_parameter(name, parameters[1]);
        end = number_parameter(name, parameters[2]);
        if (begin >= end)
            throw Error(error_codes::BAD_ARGUMENTS,
                        "Parameter `min_x` must be less than `max_x`");
    }
    return std::make_shared<Sparkbar>(name, arguments, parameters, width, begin, end);
}

class LargestTriangles final : public OverDoubles<Points, LargestTriangles, 2>
{
public:
    LargestTriangles(const std::string& name, const Types& arguments, const Values& parameters,
                     size_t kept)
        : OverDoubles(name, arguments, parameters,
                      std::make_shared<ArrayType>(std::make_shared<TupleType>(arguments))),
          kept_(kept)
    {
    }
    void add_numbers(Points& state, const double* values) const
    {
        if (std::isfinite(values[0]))
            state.points.push_back({values[0], values[1]});
    }
    void merge(Points& into, const Points& from, Arena&) const
    {
        into.points.append(from.points.data(), from.points.size());
    }
    void write(const Points& from, std::string& out) const { write_points(from, out); }
    void read(Points& into, StateReader& in, Arena&) const { read_points(into, in); }
    void result(Points& from, Column& into, Arena&) const
    {
        auto& array = column_as<ArrayColumn>(into);
        auto& tuple = column_as<TupleColumn>(array.mutable_items());
        for (const Point& point : chosen(from.points))
        {
            append(tuple.mutable_element(0), 0, point.x);
            append(tuple.mutable_element(1), 1, point.y);
        }
        tuple.set_rows(tuple.element(0)->size());
        array.mutable_offsets().push_back(tuple.size());
    }

private:
    void append(Column& column, size_t argument, double value) const
    {
        dispatch_vector(argument_types()[argument]->physical(),
                        [&](auto tag)
                        {
                            using T = typename decltype(tag)::type;
                            vector_of<T>(column).push_back(static_cast<T>(value));
                        });
    }

    std::vector<Point> chosen(PodVector<Point>& points) const
    {
        std::stable_sort(points.begin(), points.end(),
                         [](const Point& a, const Point& b) { return a.x < b.x; });
        const size_t n = points.size();
        if (n <= kept_ || kept_ < 3)
        {
            std::vector<Point> all(points.begin(), points.end());
            if (n > kept_)
                all = kept_ == 2   ? std::vector<Point>{points[0], points[n - 1]}
                      : kept_ == 1 ? std::vector<Point>{points[0]}
                                   : std::vector<Point>();
            return all;
        }
        std::vector<Point> kept{points[0]};
        const double step = static_cast<double>(n - 2) / static_cast<double>(kept_ - 2);
        const auto bound = [&](size_t bucket)
        { return static_cast<size_t>(std::floor(static_cast<double>(bucket) * step)) + 1; };
        for (size_t i = 0; i + 2 < kept_; ++i)
        {
            // The mean of the next bucket is the third corner.
            const size_t next = bound(i + 1);
            const size_t next_end = std::min(bound(i + 2), n);
            Point mean{0, 0};
            for (size_t j = next; j < next_end; ++j)
            {
                mean.x += points[j].x;
                mean.y += points[j].y;
            }
            mean.x /= static_cast<double>(next_end - next);
            mean.y /= static_cast<double>(next_end - next);
            const Point from = kept.back();
            double largest = -1;
            Point best = points[bound(i)];
            for (size_t j = bound(i); j < next; ++j)
            {
                const double area = std::fabs((from.x - mean.x) * (points[j].y - from.y) -
                                              (from.x - points[j].x) * (mean.y - from.y)) *
                                    0.5;
                if (area > largest)
                {
                    largest = area;
                    best = points[j];
                }
            }
            kept.push_back(best);
        }
        kept.push_back(points[n - 1]);
        return kept;
    }

    size_t kept_;
};

AggregateFunctionPtr make_triangles(const std::string& name, const Types& arguments,
                                    const Values& parameters)
{
    expect_arguments(name, arguments, 2);
    if (parameters.size() != 1)
        throw Error(error_codes::NUMBER_OF_ARGUMENTS_DOESNT_MATCH,
                    "Aggregate function " + name + " requires exactly one parameter.");
    const uint64_t kept = unsigned_parameter(name, parameters[0]);
    if (kept > kMaxKeptPoints)
        throw Error(error_codes::BAD_ARGUMENTS, "Aggregate function " + name +
                                                    " keeps at most " +
                                                    std::to_string(kMaxKeptPoints) + " points");
    for (const TypePtr& type : arguments)
    {
        const bool taken = (type->is_integer() && type->physical() <= PhysicalType::Int64 &&
                            !type->is(TypeId::UInt128) && !type->is(TypeId::UInt256)) ||
                           type->is_float() || type->is_date_or_time();
        if (!taken)
            illegal_argument(name, type);
    }
    return std::make_shared<LargestTriangles>(name, arguments, parameters, kept);
}

} // namespace

void register_shape_of_points(AggregateRegistry& registry)
{
    registry.add("sparkbar", make_sparkbar);
    registry.add_alias("sparkBar", "sparkbar");
    registry.add("largestTriangleThreeBuckets", make_triangles);
    registry.add_alias("lttb", "largestTriangleThreeBuckets");
}

} // namespace basalt
