// geohashEncode, geohashDecode, geohashesInBox: places as texts of 5 bits a character, longitude
// and latitude in turn (Niemeyer, 2008). pointInPolygon, pointInEllipses.

#include "functions/scalar/array_items.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <memory>
#include <optional>

namespace basalt
{

// Most geohashes that geohashesInBox lists for a row.
inline constexpr uint64_t kMaxGeohashes = 10'000'000;

namespace
{

constexpr std::string_view kAlphabet = "0123456789bcdefghjkmnpqrstuvwxyz";
constexpr int kMaxCharacters = 12;

int characters_of(int64_t asked)
{
    return asked < 1 || asked > kMaxCharacters ? kMaxCharacters : static_cast<int>(asked);
}

int longitude_bits(int characters)
{
    return (characters * 5 + 1) / 2;
}
int latitude_bits(int characters)
{
    return characters * 5 / 2;
}

// The number of the cell of 2^bits between least and -least.
uint64_t cell_of(double value, double least, int bits)
{
    const double place = (value - least) / (-2 * least);
    const auto cells = static_cast<double>(uint64_t{1} << bits);
    if (!(place > 0))
        return 0;
    return static_cast<uint64_t>(std::min(place * cells, cells - 1));
}

std::string geohash_of(uint64_t longitude, uint64_t latitude, int characters)
{
    const int bits = characters * 5;
    uint64_t code = 0;
    int left_longitude = longitude_bits(characters);
    int left_latitude = latitude_bits(characters);
    for (int i = 0; i < bits; ++i)
        code = code << 1 | (i % 2 == 0 ? longitude >> --left_longitude & 1
                                       : latitude >> --left_latitude & 1);
    std::string text(static_cast<size_t>(characters), '0');
    for (int i = characters - 1; i >= 0; --i, code >>= 5)
        text[static_cast<size_t>(i)] = kAlphabet[code & 31];
    return text;
}

TypePtr encode_type(const TypeCall& call)
{
    for (size_t i = 0; i < 2; ++i)
        if (!call.type(i)->is_float())
            throw_illegal_type(call.name, call.arguments, i, "Float");
    return simple_type(TypeId::String);
}

ColumnPtr run_encode(const Call& call)
{
    const DoubleRows longitudes(call[0]);
    const DoubleRows latitudes(call[1]);
    std::optional<IntegerRows> precisions;
    if (call.size() > 2)
        precisions.emplace(call[2]);
    StringWriter out(call.rows, call.rows * kMaxCharacters);
    for (size_t i = 0; i < call.rows; ++i)
    {
        const int characters = characters_of(precisions ? (*precisions)[i] : kMaxCharacters);
        out.row(geohash_of(cell_of(longitudes[i], -180, longitude_bits(characters)),
                           cell_of(latitudes[i], -90, latitude_bits(characters)), characters));
    }
    return out.finish();
}

TypePtr decode_type(const TypeCall&)
{
    return std::make_shared<TupleType>(Types(2, simple_type(TypeId::Float64)),
                                       std::vector<std::string>{"longitude", "latitude"});
}

// The middle of the cell. What is no character of the alphabet counts as the last of it.
ColumnPtr run_decode(const Call& call)
{
    const StringRows rows(call.column(0));
    auto longitudes = std::make_shared<VectorColumn<double>>(call.rows);
    auto latitudes = std::make_shared<VectorColumn<double>>(call.rows);
    for (size_t i = 0; i < call.rows; ++i)
    {
        const std::string_view text = rows[i].substr(0, kMaxCharacters);
        std::array<double, 2> low{-180, -90};
        std::array<double, 2> high{180, 90};
        size_t side = 0;
        for (const char c : text)
        {
            const size_t found = kAlphabet.find(static_cast<char>(
                c >= 'A' && c <= 'Z' ? c | 0x20 : c));
            const size_t value = found == kAlphabet.npos ? 31 : found;
            for (int bit = 4; bit >= 0; --bit, side ^= 1)
            {
                const double middle = (low[side] + high[side]) / 2;
                (value >> bit & 1 ? low : high)[side] = middle;
            }
        }
        longitudes->data()[i] = (low[0] + high[0]) / 2;
        latitudes->data()[i] = (low[1] + high[1]) / 2;
    }
    return TupleColumn::make({longitudes, latitudes}, call.rows);
}

TypePtr box_type(const TypeCall& call)
{
    for (size_t i = 0; i < 4; ++i)
        if (!call.type(i)->is_float() || !same_type(call.type(i), call.type(0)))
            throw_illegal_type(call.name, call.arguments, i, "Float, the same for all");
    return array_of(simple_type(TypeId::String));
}

ColumnPtr run_box(const Call& call)
{
    std::vector<DoubleRows> sides;
    for (size_t i = 0; i < 4; ++i)
        sides.emplace_back(call[i]);
    std::optional<IntegerRows> precisions;
    if (call.size() > 4)
        precisions.emplace(call[4]);
    auto items = std::make_shared<StringColumn>();
    PodVector<uint64_t> offsets;
    for (size_t i = 0; i < call.rows; ++i)
    {
        const int characters = characters_of(precisions ? (*precisions)[i] : kMaxCharacters);
        const bool empty = !(sides[0][i] <= sides[2][i] && sides[1][i] <= sides[3][i]);
        if (!empty)
        {
            const int x_bits = longitude_bits(characters);
            const int y_bits = latitude_bits(characters);
            const uint64_t x_begin = cell_of(sides[0][i], -180, x_bits);
            const uint64_t x_end = cell_of(sides[2][i], -180, x_bits);
            const uint64_t y_begin = cell_of(sides[1][i], -90, y_bits);
            const uint64_t y_end = cell_of(sides[3][i], -90, y_bits);
            if ((x_end - x_begin + 1) > kMaxGeohashes / (y_end - y_begin + 1))
                throw Error(error_codes::TOO_LARGE_ARRAY_SIZE,
                            fmt::format("{} would produce more than {} array elements", call.name,
                                        kMaxGeohashes));
            for (uint64_t x = x_begin; x <= x_end; ++x)
                for (uint64_t y = y_begin; y <= y_end; ++y)
                    items->append(geohash_of(x, y, characters));
        }
        offsets.push_back(items->size());
    }
    return make_array(items, std::move(offsets));
}

struct Point
{
    double x;
    double y;
};

bool is_point(const TypePtr& type)
{
    if (!type->is(TypeId::Tuple))
        return false;
    const Types& elements = type_as<TupleType>(type).elements();
    return elements.size() == 2 && elements[0]->is_number() && elements[1]->is_number() &&
           !elements[0]->is_decimal() && !elements[1]->is_decimal();
}

bool is_ring(const TypePtr& type)
{
    return type->is(TypeId::Array) && is_point(item_type(type));
}

// x and y of the points of a column of tuples.
struct PointRows
{
    Argument x;
    Argument y;
    DoubleRows xs;
    DoubleRows ys;

    explicit PointRows(const Argument& points)
        : x(tuple_part(points, 0)), y(tuple_part(points, 1)), xs(x), ys(y)
    {
    }
    Point operator[](size_t row) const { return {xs[row], ys[row]}; }

    static Argument tuple_part(const Argument& points, size_t k)
    {
        const ColumnPtr flat = to_flat(points.column);
        return {column_as<TupleColumn>(flat).element(k),
                type_as<TupleType>(points.type).elements()[k]};
    }
};

enum class Side : uint8_t
{
    Outside,
    Inside,
    Border,
};

// Even-odd rule; the border is looked for first.
Side side_of(const Point& point, const std::vector<Point>& ring)
{
    bool inside = false;
    for (size_t i = 0, j = ring.size() - 1; i < ring.size(); j = i++)
    {
        const Point& a = ring[j];
        const Point& b = ring[i];
        const double cross = (b.x - a.x) * (point.y - a.y) - (b.y - a.y) * (point.x - a.x);
        if (cross == 0 && point.x >= std::min(a.x, b.x) && point.x <= std::max(a.x, b.x) &&
            point.y >= std::min(a.y, b.y) && point.y <= std::max(a.y, b.y))
            return Side::Border;
        if ((a.y > point.y) != (b.y > point.y) &&
            point.x < (b.x - a.x) * (point.y - a.y) / (b.y - a.y) + a.x)
            inside = !inside;
    }
    return inside ? Side::Inside : Side::Outside;
}

TypePtr polygon_type(const TypeCall& call)
{
    if (!is_point(call.type(0)))
        throw_illegal_type(call.name, call.arguments, 0, "tuple of two numbers");
    for (size_t i = 1; i < call.size(); ++i)
    {
        const TypePtr& type = call.type(i);
        const bool rings = call.size() == 2 && type->is(TypeId::Array) && is_ring(item_type(type));
        if (!is_ring(type) && !rings)
            throw Error(error_codes::NOT_IMPLEMENTED,
                        fmt::format("Function {} of {} is not implemented", call.name,
                                    type->name()));
    }
    return simple_type(TypeId::UInt8);
}

// The rings of one row: the outline, then the holes.
class Rings
{
public:
    explicit Rings(const Call& call)
    {
        for (size_t i = 1; i < call.size(); ++i)
        {
            owners_.push_back(to_flat(call.column(i)));
            arrays_.emplace_back(owners_.back());
            nested_ = !is_ring(call.type(i));
            TypePtr points = item_type(call.type(i));
            ColumnPtr items = arrays_.back().items();
            if (nested_)
            {
                owners_.push_back(items);
                inner_.emplace(owners_.back());
                points = item_type(points);
                items = inner_->items();
            }
            points_.push_back(std::make_unique<PointRows>(Argument{items, points}));
        }
    }
    void read(size_t row, std::vector<std::vector<Point>>& rings) const
    {
        rings.clear();
        for (size_t k = 0; k < arrays_.size(); ++k)
        {
            const ArrayRows& array = arrays_[k];
            if (!nested_)
                rings.push_back(ring(k, array.begin(row), array.end(row)));
            else
                for (size_t j = array.begin(row); j < array.end(row); ++j)
                    rings.push_back(ring(k, inner_->begin(j), inner_->end(j)));
        }
    }

private:
    std::vector<Point> ring(size_t k, size_t begin, size_t end) const
    {
        std::vector<Point> points;
        for (size_t i = begin; i < end; ++i)
            points.push_back((*points_[k])[i]);
        return points;
    }

    Columns owners_;
    std::vector<ArrayRows> arrays_;
    std::optional<ArrayRows> inner_;
    std::vector<std::unique_ptr<PointRows>> points_;
    bool nested_ = false;
};

ColumnPtr run_polygon(const Call& call)
{
    const PointRows points(call[0]);
    const Rings rings(call);
    bool constant = true;
    for (size_t i = 1; i < call.size(); ++i)
        constant = constant && is_constant(*call.column(i));
    std::vector<std::vector<Point>> polygon;
    return map_rows<uint8_t>(call.rows,
                             [&](size_t i)
                             {
                                 if (!constant || i == 0)
                                     rings.read(constant ? 0 : i, polygon);
                                 const Point point = points[i];
                                 if (polygon.empty() || polygon[0].empty() ||
                                     side_of(point, polygon[0]) == Side::Outside)
                                     return false;
                                 for (size_t k = 1; k < polygon.size(); ++k)
                                     if (!polygon[k].empty() &&
                                         side_of(point, polygon[k]) != Side::Outside)
                                         return false;
                                 return true;
                             });
}

TypePtr ellipses_type(const TypeCall& call)
{
    if (call.size() < 6 || (call.size() - 2) % 4 != 0)
        throw Error(error_codes::BAD_ARGUMENTS,
                    fmt::format("Incorrect number of arguments of function {}. Should be 2 for "
                                "your point plus 4 * N for ellipses (x_i, y_i, a_i, b_i).",
                                call.name));
    for (size_t i = 0; i < call.size(); ++i)
        if (!call.type(i)->is(TypeId::Float64))
            throw_illegal_type(call.name, call.arguments, i, "Float64");
    return simple_type(TypeId::UInt8);
}

ColumnPtr run_ellipses(const Call& call)
{
    std::vector<DoubleRows> numbers;
    for (size_t i = 0; i < call.size(); ++i)
        numbers.emplace_back(call[i]);
    return map_rows<uint8_t>(call.rows,
                             [&](size_t i)
                             {
                                 for (size_t k = 2; k < numbers.size(); k += 4)
                                 {
                                     const double x =
                                         (numbers[0][i] - numbers[k][i]) / numbers[k + 2][i];
                                     const double y =
                                         (numbers[1][i] - numbers[k + 1][i]) / numbers[k + 3][i];
                                     if (x * x + y * y <= 1)
                                         return true;
                                 }
                                 return false;
                             });
}

constexpr FunctionSpec kEncode{"geohashEncode", "n n [ i", encode_type, run_encode};
constexpr FunctionSpec kDecode{"geohashDecode", "s", decode_type, run_decode};
constexpr FunctionSpec kBox{"geohashesInBox", "n n n n [ i", box_type, run_box};
constexpr FunctionSpec kPolygon{"pointInPolygon", "t a...", polygon_type, run_polygon};
constexpr FunctionSpec kEllipses{"pointInEllipses", "f...", ellipses_type, run_ellipses};

} // namespace

void register_geohash(ScalarRegistry& registry)
{
    add_all<kEncode, kDecode, kBox, kPolygon, kEllipses>(registry);
}

} // namespace basalt
