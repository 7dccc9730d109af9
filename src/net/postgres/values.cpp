#include "net/postgres/values.h"

#include "net/postgres/text.h"

#include <bit>
#include <charconv>
#include <fmt/format.h>

namespace basalt
{

namespace
{

using namespace postgres_type;

// Days and microseconds from 1970-01-01 to 2000-01-01, where PostgreSQL begins to count.
constexpr int64_t kEpochDays = 10957;
constexpr int64_t kEpochUs = kEpochDays * 86400 * 1000000;

TypePtr plain_type(const TypePtr& type)
{
    return remove_nullable(remove_low_cardinality_deep(type));
}

template <class T> std::string big_endian_bytes(T value)
{
    std::string bytes(sizeof(T), '\0');
    for (size_t i = 0; i < sizeof(T); ++i)
        bytes[i] = static_cast<char>(static_cast<uint64_t>(value) >> 8 * (sizeof(T) - 1 - i));
    return bytes;
}

int64_t to_i64(const std::string& text)
{
    int64_t value = 0;
    std::from_chars(text.data(), text.data() + text.size(), value);
    return value;
}

// PostgreSQL's numeric: groups of four decimal digits around the point.
std::string numeric_bytes(std::string_view text)
{
    const bool negative = text.starts_with('-');
    if (negative)
        text.remove_prefix(1);
    const size_t point = text.find('.');
    std::string whole(text.substr(0, point));
    std::string fraction(point == std::string_view::npos ? "" : text.substr(point + 1));
    const size_t scale = fraction.size();
    whole.insert(0, (4 - whole.size() % 4) % 4, '0');
    fraction.append((4 - fraction.size() % 4) % 4, '0');
    std::vector<int16_t> groups;
    for (const std::string* digits : {&whole, &fraction})
        for (size_t i = 0; i < digits->size(); i += 4)
            groups.push_back(static_cast<int16_t>(to_i64(digits->substr(i, 4))));
    int64_t weight = static_cast<int64_t>(whole.size() / 4) - 1;
    size_t first = 0;
    while (first < groups.size() && groups[first] == 0)
    {
        ++first;
        --weight;
    }
    size_t last = groups.size();
    while (last > first && groups[last - 1] == 0)
        --last;
    if (first == last)
        weight = 0;
    std::string bytes = big_endian_bytes(static_cast<int16_t>(last - first)) +
                        big_endian_bytes(static_cast<int16_t>(weight)) +
                        big_endian_bytes(static_cast<uint16_t>(negative ? 0x4000 : 0)) +
                        big_endian_bytes(static_cast<int16_t>(scale));
    for (size_t i = first; i < last; ++i)
        bytes += big_endian_bytes(groups[i]);
    return bytes;
}

// Days since 1970-01-01 of "YYYY-MM-DD".
int64_t days_of(std::string_view text)
{
    int64_t year = to_i64(std::string(text.substr(0, 4)));
    const int64_t month = to_i64(std::string(text.substr(5, 2)));
    const int64_t day = to_i64(std::string(text.substr(8, 2)));
    // Howard Hinnant's days_from_civil.
    year -= month <= 2;
    const int64_t era = (year >= 0 ? year : year - 399) / 400;
    const int64_t year_of_era = year - era * 400;
    const int64_t day_of_year = (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1;
    return era * 146097 + year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + day_of_year -
           719468;
}

// Microseconds since 1970-01-01 of "YYYY-MM-DD hh:mm:ss[.f…]", as the clock on the wall has them.
int64_t wall_us_of(const std::string& text)
{
    int64_t us = days_of(text) * 86400;
    us += to_i64(text.substr(11, 2)) * 3600 + to_i64(text.substr(14, 2)) * 60 +
          to_i64(text.substr(17, 2));
    us *= 1000000;
    std::string fraction = text.size() > 20 ? text.substr(20) : "";
    fraction.resize(6, '0');
    return us + to_i64(fraction);
}

std::string float_text(std::string text)
{
    if (text == "inf")
        return "Infinity";
    if (text == "-inf")
        return "-Infinity";
    if (text == "nan" || text == "-nan")
        return "NaN";
    return text;
}

bool needs_array_quotes(const std::string& item)
{
    return item.empty() || item.find_first_of("{}\",\\ \t\n\r\v\f") != std::string::npos ||
           fold_name(item) == "null";
}

uint64_t big_endian_number(std::string_view bytes)
{
    uint64_t value = 0;
    for (const char c : bytes)
        value = value << 8 | static_cast<unsigned char>(c);
    return value;
}

void need_bytes(const std::string& value, size_t size)
{
    if (value.size() != size)
        throw Error(error_codes::INCORRECT_DATA,
                    fmt::format("A parameter of {} bytes where {} are wanted", value.size(), size));
}

std::string date_text(int64_t days)
{
    // Howard Hinnant's civil_from_days.
    days += 719468;
    const int64_t era = (days >= 0 ? days : days - 146096) / 146097;
    const int64_t of_era = days - era * 146097;
    const int64_t year_of_era = (of_era - of_era / 1460 + of_era / 36524 - of_era / 146096) / 365;
    const int64_t day_of_year = of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    const int64_t shifted = (5 * day_of_year + 2) / 153;
    const int64_t month = shifted + (shifted < 10 ? 3 : -9);
    return fmt::format("{:04}-{:02}-{:02}", year_of_era + era * 400 + (month <= 2), month,
                       day_of_year - (153 * shifted + 2) / 5 + 1);
}

// A binary parameter as the text that PostgreSQL has for it.
std::string text_of_binary(const std::string& value, uint32_t oid)
{
    switch (oid)
    {
    case kBool:
        need_bytes(value, 1);
        return value[0] ? "true" : "false";
    case kInt2:
        need_bytes(value, 2);
        return fmt::format("{}", static_cast<int16_t>(big_endian_number(value)));
    case kInt4:
        need_bytes(value, 4);
        return fmt::format("{}", static_cast<int32_t>(big_endian_number(value)));
    case kOid:
        need_bytes(value, 4);
        return fmt::format("{}", big_endian_number(value));
    case kInt8:
        need_bytes(value, 8);
        return fmt::format("{}", static_cast<int64_t>(big_endian_number(value)));
    case kFloat4:
        need_bytes(value, 4);
        return fmt::format("{}", std::bit_cast<float>(
                                     static_cast<uint32_t>(big_endian_number(value))));
    case kFloat8:
        need_bytes(value, 8);
        return fmt::format("{}", std::bit_cast<double>(big_endian_number(value)));
    case kDate:
        need_bytes(value, 4);
        return date_text(static_cast<int32_t>(big_endian_number(value)) + kEpochDays);
    case kTimestamp:
    case kTimestampTz:
    {
        need_bytes(value, 8);
        const int64_t us = static_cast<int64_t>(big_endian_number(value)) + kEpochUs;
        int64_t days = us / 86400000000, rest = us % 86400000000;
        if (rest < 0)
        {
            --days;
            rest += 86400000000;
        }
        return fmt::format("{} {:02}:{:02}:{:02}.{:06}", date_text(days), rest / 3600000000,
                           rest / 60000000 % 60, rest / 1000000 % 60, rest % 1000000);
    }
    case kUuid:
    {
        need_bytes(value, 16);
        std::string text;
        for (size_t i = 0; i < 16; ++i)
        {
            if (i == 4 || i == 6 || i == 8 || i == 10)
                text += '-';
            text += fmt::format("{:02x}", static_cast<unsigned char>(value[i]));
        }
        return text;
    }
    case 0:
    case kText:
    case kVarchar:
    case kBpchar:
    case kChar:
    case kName:
    case kBytea:
        return value;
    default:
        throw Error(error_codes::NOT_IMPLEMENTED,
                    fmt::format("Binary parameters of type {} are not implemented", oid));
    }
}

// What a parameter is cast to, so that results have the types that were told before it was known.
std::string_view cast_type_of(uint32_t oid)
{
    switch (oid)
    {
    case kBool:
        return "Bool";
    case kInt2:
        return "Int16";
    case kInt4:
        return "Int32";
    case kInt8:
    case kOid:
        return "Int64";
    case kFloat4:
        return "Float32";
    case kFloat8:
        return "Float64";
    case kText:
    case kVarchar:
    case kBpchar:
        return "String";
    default:
        return "";
    }
}

bool is_number(std::string_view text)
{
    double value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    return error == std::errc() && end == text.data() + text.size() && !text.empty();
}

} // namespace

PostgresColumn postgres_column_of(const std::string& name, const TypePtr& type)
{
    PostgresColumn column;
    column.name = name;
    column.type = postgres_oid_of(type);
    if (const auto* known = find_postgres_type(column.type))
        column.type_bytes = known->bytes;
    return column;
}

PostgresValues::PostgresValues(const TypePtr& type, int16_t format, const TextOptions& options)
    : type_(plain_type(type)), shape_(postgres_column_of("", type)),
      is_array_(shows_as_postgres_array(type_)), is_binary_(format == 1), options_(options),
      serialization_(serialization_of(type_))
{
    if (is_binary_ && is_array_)
        throw Error(error_codes::NOT_IMPLEMENTED, "Binary results of arrays are not implemented");
}

void PostgresValues::set(const ColumnPtr& column)
{
    column_ = to_flat(column);
}

std::string PostgresValues::text_at(const Column& column, size_t row, const TypePtr& type) const
{
    const uint32_t oid = shows_as_postgres_array(type) ? kText : postgres_oid_of(type);
    if (type->is(TypeId::Bool))
        return value_text(column, row, type, options_) == "true" ? "t" : "f";
    std::string text = value_text(column, row, type, options_);
    return oid == kFloat4 || oid == kFloat8 ? float_text(std::move(text)) : text;
}

std::string PostgresValues::array_text(const Column& column, size_t row) const
{
    const auto& array = column_as<ArrayColumn>(column);
    const TypePtr& nested = type_as<ArrayType>(type_).nested();
    const TypePtr plain = plain_type(nested);
    const ColumnPtr items = to_flat(array.items());
    const Column* values = items.get();
    if (nested->is_nullable() || is_nullable_or_lc_nullable(nested))
        values = column_as<NullableColumn>(*items).nested().get();
    std::string text = "{";
    const size_t begin = array.begin_of(row), end = begin + array.length_of(row);
    for (size_t i = begin; i < end; ++i)
    {
        if (i > begin)
            text += ',';
        if (items->is_null_at(i))
        {
            text += "NULL";
            continue;
        }
        const std::string item = text_at(*values, i, plain);
        if (!needs_array_quotes(item))
        {
            text += item;
            continue;
        }
        text += '"';
        for (const char c : item)
        {
            if (c == '"' || c == '\\')
                text += '\\';
            text += c;
        }
        text += '"';
    }
    return text + "}";
}

std::string PostgresValues::binary_at(size_t row) const
{
    const Column* column = column_.get();
    if (const auto* nullable = dynamic_cast<const NullableColumn*>(column))
        column = nullable->nested().get();
    const std::string text = text_at(*column, row, type_);
    switch (shape_.type)
    {
    case kBool:
        return std::string(1, text == "t" ? '\1' : '\0');
    case kInt2:
        return big_endian_bytes(static_cast<int16_t>(to_i64(text)));
    case kInt4:
        return big_endian_bytes(static_cast<int32_t>(to_i64(text)));
    case kInt8:
        return big_endian_bytes(to_i64(text));
    case kFloat4:
        return big_endian_bytes(std::bit_cast<uint32_t>(
            column_as<VectorColumn<float>>(*column).data()[row]));
    case kFloat8:
        return big_endian_bytes(std::bit_cast<uint64_t>(
            column_as<VectorColumn<double>>(*column).data()[row]));
    case kNumeric:
        return numeric_bytes(text);
    case kDate:
        return big_endian_bytes(static_cast<int32_t>(days_of(text) - kEpochDays));
    case kTimestamp:
        return big_endian_bytes(wall_us_of(text) - kEpochUs);
    case kUuid:
    {
        std::string bytes;
        std::string digits;
        for (const char c : text)
            if (c != '-')
                digits += c;
        for (size_t i = 0; i + 1 < digits.size(); i += 2)
        {
            unsigned value = 0;
            std::from_chars(digits.data() + i, digits.data() + i + 2, value, 16);
            bytes += static_cast<char>(value);
        }
        return bytes;
    }
    default:
        return text;
    }
}

std::optional<std::string> PostgresValues::at(size_t row) const
{
    if (column_->is_null_at(row))
        return std::nullopt;
    if (is_binary_)
        return binary_at(row);
    const Column* column = column_.get();
    if (const auto* nullable = dynamic_cast<const NullableColumn*>(column))
        column = nullable->nested().get();
    return is_array_ ? array_text(*column, row) : text_at(*column, row, type_);
}

std::string literal_of_parameter(const std::optional<std::string>& value, int16_t format,
                                 uint32_t oid, bool wants_number)
{
    if (!value)
        return "NULL";
    const std::string text = format == 1 ? text_of_binary(*value, oid) : *value;
    if (wants_number && is_number(text))
        return text;
    const std::string_view type = cast_type_of(oid);
    if (oid == kBool)
        return fmt::format("CAST({}, 'Bool')", text == "t" || text == "true" || text == "1");
    if (oid == kNumeric && is_number(text))
        return text.find_first_of(".eE") == std::string::npos ? "(" + text + ")"
                                                              : quote_for_us(text);
    if (oid == kNumeric || (!type.empty() && type != "String"))
    {
        if (!is_number(text))
            throw Error(error_codes::CANNOT_PARSE_NUMBER,
                        fmt::format("Parameter '{}' is not a number", text.substr(0, 100)));
        return fmt::format("CAST({}, '{}')", text, type);
    }
    return quote_for_us(text);
}

std::string null_of_type(uint32_t oid)
{
    const std::string_view type = cast_type_of(oid);
    return type.empty() ? "NULL" : fmt::format("CAST(NULL, 'Nullable({})')", type);
}

} // namespace basalt
