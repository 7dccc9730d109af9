#include "postgres/value_reader.h"

#include "base/error.h"
#include "columns/date_text.h"
#include "columns/serialization.h"
#include "columns/timezone.h"

#include <algorithm>
#include <charconv>
#include <fmt/core.h>

namespace basalt::pg
{

namespace
{

constexpr int64_t kUsPerSecond = 1'000'000;
constexpr int64_t kUsPerDay = 86400 * kUsPerSecond;
constexpr int64_t kMinTime64 = kMinDate32 * kUsPerDay;
constexpr int64_t kMaxTime64 = (kMaxDate32 + 1LL) * kUsPerDay - 1;
constexpr size_t kMaxShownBytes = 64;

template <class T> bool append_number(const ValueReader&, Column& column, std::string_view text)
{
    T value;
    const auto end = std::from_chars(text.data(), text.data() + text.size(), value);
    if (end.ec != std::errc() || end.ptr != text.data() + text.size())
        return false;
    column_as<VectorColumn<T>>(column).data().push_back(value);
    return true;
}

template <class T> bool append_float(const ValueReader& reader, Column& column, std::string_view text)
{
    // "-nan" is not printed; from_chars reads NaN and Infinity in any case.
    return append_number<T>(reader, column, text);
}

bool append_bool(const ValueReader&, Column& column, std::string_view text)
{
    if (text != "t" && text != "f")
        return false;
    column_as<VectorColumn<uint8_t>>(column).data().push_back(text == "t");
    return true;
}

bool append_string(const ValueReader&, Column& column, std::string_view text)
{
    column_as<StringColumn>(column).append(text);
    return true;
}

bool take_digits(std::string_view& text, size_t at_least, size_t at_most, int64_t& value)
{
    size_t n = 0;
    value = 0;
    while (n < text.size() && n < at_most && text[n] >= '0' && text[n] <= '9')
        value = value * 10 + (text[n++] - '0');
    text.remove_prefix(n);
    return n >= at_least;
}

bool take_char(std::string_view& text, char wanted)
{
    if (text.empty() || text[0] != wanted)
        return false;
    text.remove_prefix(1);
    return true;
}

// "2024-02-29"; years of more than four digits are outside of every type, like those " BC".
bool take_date(std::string_view& text, int64_t& days)
{
    int64_t year, month, day;
    if (!take_digits(text, 4, 7, year) || !take_char(text, '-') ||
        !take_digits(text, 2, 2, month) || !take_char(text, '-') || !take_digits(text, 2, 2, day))
        return false;
    if (month < 1 || month > 12 || day < 1 || day > 31)
        return false;
    days = days_from_civil(static_cast<int32_t>(year), static_cast<uint32_t>(month),
                           static_cast<uint32_t>(day));
    return true;
}

bool append_date(const ValueReader&, Column& column, std::string_view text)
{
    int64_t days;
    if (text == "infinity")
        days = kMaxDate32;
    else if (text == "-infinity" || text.ends_with(" BC"))
        days = kMinDate32;
    else if (!take_date(text, days) || !text.empty())
        return false;
    column_as<VectorColumn<int32_t>>(column).data().push_back(static_cast<int32_t>(
        std::clamp<int64_t>(days, kMinDate32, kMaxDate32)));
    return true;
}

// "2024-02-29 12:34:56.789", with "+00" behind it for timestamptz.
bool parse_timestamp(std::string_view text, int64_t& us)
{
    int64_t days, hour, minute, second;
    if (!take_date(text, days) || !take_char(text, ' ') || !take_digits(text, 2, 2, hour) ||
        !take_char(text, ':') || !take_digits(text, 2, 2, minute) || !take_char(text, ':') ||
        !take_digits(text, 2, 2, second))
        return false;
    int64_t fraction = 0;
    if (take_char(text, '.'))
    {
        const size_t before = text.size();
        if (!take_digits(text, 1, 6, fraction))
            return false;
        for (size_t digits = before - text.size(); digits < 6; ++digits)
            fraction *= 10;
    }
    int64_t offset_s = 0;
    if (!text.empty() && (text[0] == '+' || text[0] == '-'))
    {
        const int64_t sign = text[0] == '-' ? -1 : 1;
        text.remove_prefix(1);
        int64_t hours, minutes = 0;
        if (!take_digits(text, 2, 2, hours) ||
            (take_char(text, ':') && !take_digits(text, 2, 2, minutes)))
            return false;
        offset_s = sign * (hours * 3600 + minutes * 60);
    }
    us = days * kUsPerDay + (hour * 3600 + minute * 60 + second - offset_s) * kUsPerSecond +
         fraction;
    return text.empty();
}

bool append_timestamp(const ValueReader&, Column& column, std::string_view text)
{
    int64_t us;
    if (text == "infinity")
        us = kMaxTime64;
    else if (text == "-infinity" || text.ends_with(" BC"))
        us = kMinTime64;
    else if (!parse_timestamp(text, us))
        return false;
    column_as<VectorColumn<int64_t>>(column).data().push_back(
        std::clamp(us, kMinTime64, kMaxTime64));
    return true;
}

bool append_uuid(const ValueReader&, Column& column, std::string_view text)
{
    UInt128 value = 0;
    size_t digits = 0;
    for (const char c : text)
    {
        if (c == '-')
            continue;
        int digit = c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
        if (digit < 0)
            return false;
        value = (value << 4) | static_cast<UInt128>(digit);
        ++digits;
    }
    if (digits != 32)
        return false;
    column_as<VectorColumn<UInt128>>(column).data().push_back(value);
    return true;
}

// The digits of a decimal with `scale` of them behind the point, in `digits`.
bool scaled_digits(std::string_view text, uint32_t precision, uint32_t scale, std::string& digits,
                   bool& negative)
{
    negative = take_char(text, '-');
    const size_t point = std::min(text.find('.'), text.size());
    std::string_view whole = text.substr(0, point);
    std::string_view fraction = point < text.size() ? text.substr(point + 1) : std::string_view();
    while (fraction.size() > scale && fraction.back() == '0')
        fraction.remove_suffix(1);
    if (fraction.size() > scale || whole.empty())
        return false;
    digits.assign(whole);
    digits.append(fraction);
    digits.append(scale - fraction.size(), '0');
    const size_t zeros = std::min(digits.find_first_not_of('0'), digits.size());
    digits.erase(0, zeros);
    return digits.size() <= precision &&
           std::all_of(digits.begin(), digits.end(), [](char c) { return c >= '0' && c <= '9'; });
}

template <class T> void push_digits(Column& column, const std::string& digits, bool negative)
{
    T value = 0;
    for (const char c : digits)
        value = value * T(10) + T(c - '0');
    column_as<VectorColumn<T>>(column).data().push_back(negative ? T(0) - value : value);
}

} // namespace

bool ValueReader::append_decimal(const ValueReader& reader, Column& column, std::string_view text)
{
    std::string digits;
    bool negative;
    if (!scaled_digits(text, reader.precision_, reader.scale_, digits, negative))
        return false;
    switch (reader.type_->id())
    {
    case TypeId::Decimal32:
        push_digits<int32_t>(column, digits, negative);
        return true;
    case TypeId::Decimal64:
        push_digits<int64_t>(column, digits, negative);
        return true;
    case TypeId::Decimal128:
        push_digits<Int128>(column, digits, negative);
        return true;
    default:
        push_digits<Int256>(column, digits, negative);
        return true;
    }
}

bool ValueReader::append_nullable(const ValueReader& reader, Column& column, std::string_view text)
{
    auto& nullable = column_as<NullableColumn>(column);
    if (!reader.nested_->append_(*reader.nested_, nullable.mutable_nested(), text))
        return false;
    nullable.mutable_null_map().push_back(0);
    return true;
}

namespace
{

// An array's text between its braces, element by element.
class ArrayText
{
public:
    // Takes "[1:3]=" away; false when no array stands here.
    explicit ArrayText(std::string_view text) : text_(text)
    {
        if (!text_.empty() && text_[0] == '[')
            text_.remove_prefix(std::min(text_.find('=') + 1, text_.size()));
        valid_ = text_.size() >= 2 && text_.front() == '{' && text_.back() == '}';
        if (valid_)
            text_ = text_.substr(1, text_.size() - 2);
    }
    bool valid() const { return valid_; }

    // The next element; its text lives until the next call.
    bool next(std::string_view& element, bool& is_null)
    {
        if (text_.empty())
            return false;
        is_null = false;
        if (text_[0] == '{')
            element = take_braces();
        else if (text_[0] == '"')
            element = take_quoted();
        else
        {
            element = take_bare();
            is_null = element == "NULL";
        }
        if (!text_.empty() && text_[0] == ',')
            text_.remove_prefix(1);
        return true;
    }

private:
    std::string_view take_bare()
    {
        buffer_.clear();
        size_t at = 0;
        while (at < text_.size() && text_[at] != ',')
        {
            if (text_[at] == '\\' && at + 1 < text_.size())
                ++at;
            buffer_.push_back(text_[at++]);
        }
        text_.remove_prefix(at);
        return buffer_;
    }

    std::string_view take_quoted()
    {
        buffer_.clear();
        size_t at = 1;
        while (at < text_.size() && text_[at] != '"')
        {
            if (text_[at] == '\\' && at + 1 < text_.size())
                ++at;
            buffer_.push_back(text_[at++]);
        }
        text_.remove_prefix(std::min(at + 1, text_.size()));
        return buffer_;
    }

    std::string_view take_braces()
    {
        size_t depth = 0, at = 0;
        bool quoted = false;
        for (; at < text_.size(); ++at)
        {
            const char c = text_[at];
            if (c == '\\')
                ++at;
            else if (c == '"')
                quoted = !quoted;
            else if (!quoted && c == '{')
                ++depth;
            else if (!quoted && c == '}' && --depth == 0)
            {
                ++at;
                break;
            }
        }
        const std::string_view element = text_.substr(0, std::min(at, text_.size()));
        text_.remove_prefix(element.size());
        return element;
    }

    std::string_view text_;
    std::string buffer_;
    bool valid_ = false;
};

} // namespace

bool ValueReader::append_array(const ValueReader& reader, Column& column, std::string_view text)
{
    ArrayText elements(text);
    if (!elements.valid())
        return false;
    auto& array = column_as<ArrayColumn>(column);
    Column& items = array.mutable_items();
    const size_t before = items.size();
    std::string_view element;
    bool is_null;
    while (elements.next(element, is_null))
    {
        if (is_null)
        {
            reader.nested_->append_null(items);
            continue;
        }
        if (!reader.nested_->append_(*reader.nested_, items, element))
        {
            items.remove_last(items.size() - before);
            return false;
        }
    }
    array.mutable_offsets().push_back(items.size());
    return true;
}

ValueReader::ValueReader(const TypePtr& type) : type_(type)
{
    switch (type->id())
    {
    case TypeId::LowCardinality:
        *this = ValueReader(type_as<LowCardinalityType>(type).nested());
        return;
    case TypeId::Nullable:
        append_ = append_nullable;
        nested_ = std::make_shared<ValueReader>(type_as<NullableType>(type).nested());
        return;
    case TypeId::Array:
        append_ = append_array;
        nested_ = std::make_shared<ValueReader>(type_as<ArrayType>(type).nested());
        return;
    case TypeId::Bool:
        append_ = append_bool;
        return;
    case TypeId::Int16:
        append_ = append_number<int16_t>;
        return;
    case TypeId::Int32:
        append_ = append_number<int32_t>;
        return;
    case TypeId::Int64:
        append_ = append_number<int64_t>;
        return;
    case TypeId::UInt32:
        append_ = append_number<uint32_t>;
        return;
    case TypeId::UInt64:
        append_ = append_number<uint64_t>;
        return;
    case TypeId::Float32:
        append_ = append_float<float>;
        return;
    case TypeId::Float64:
        append_ = append_float<double>;
        return;
    case TypeId::Date32:
        append_ = append_date;
        return;
    case TypeId::DateTime64:
        append_ = append_timestamp;
        return;
    case TypeId::UUID:
        append_ = append_uuid;
        return;
    case TypeId::Decimal32:
    case TypeId::Decimal64:
    case TypeId::Decimal128:
    case TypeId::Decimal256:
        append_ = append_decimal;
        precision_ = type_as<DecimalType>(type).precision();
        scale_ = type_as<DecimalType>(type).scale();
        return;
    case TypeId::String:
        append_ = append_string;
        return;
    default:
        append_ = append_other;
        return;
    }
}

// Of a column that a user declared: the text is what CAST takes.
bool ValueReader::append_other(const ValueReader& reader, Column& column, std::string_view text)
{
    return try_parse_whole(text, reader.type_, column, TextOptions());
}

void ValueReader::append(Column& column, std::string_view text) const
{
    if (!append_(*this, column, text))
        throw Error(error_codes::CANNOT_PARSE_TEXT,
                    fmt::format("The value {}{} of PostgreSQL cannot be kept as {}",
                                text.substr(0, kMaxShownBytes),
                                text.size() > kMaxShownBytes ? "…" : "", type_->name()));
}

namespace
{

void print_array(const ArrayColumn& array, size_t row, const TypePtr& item_type, std::string& out)
{
    out.push_back('{');
    const size_t begin = array.begin_of(row);
    for (size_t i = 0; i < array.length_of(row); ++i)
    {
        if (i)
            out.push_back(',');
        std::string item;
        if (!print_value(*array.items(), begin + i, item_type, item))
            out += "NULL";
        else if (strip_wrappers(item_type)->is(TypeId::Array))
            out += item;
        else
        {
            out.push_back('"');
            for (const char c : item)
            {
                if (c == '"' || c == '\\')
                    out.push_back('\\');
                out.push_back(c);
            }
            out.push_back('"');
        }
    }
    out.push_back('}');
}

} // namespace

bool print_value(const Column& column, size_t row, const TypePtr& type, std::string& out)
{
    if (column.is_null_at(row))
        return false;
    const TypePtr bare = strip_wrappers(type);
    const Column* values = &column;
    if (column.form() == ColumnForm::Nullable)
        values = column_as<NullableColumn>(column).nested().get();
    if (bare->is(TypeId::Array))
        print_array(column_as<ArrayColumn>(*values), row, type_as<ArrayType>(bare).nested(), out);
    else
    {
        TextOptions options;
        out += value_text(*values, row, bare, options);
        // Times without a zone are UTC for both sides.
        if (bare->is(TypeId::DateTime64) && !type_as<DateTime64Type>(bare).timezone().empty())
            out += " " + type_as<DateTime64Type>(bare).timezone();
    }
    return true;
}

} // namespace basalt::pg
