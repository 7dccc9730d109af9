#include "functions/scalar/json_values.h"

#include "columns/number_text.h"
#include "columns/serialization.h"

#include <fmt/core.h>

#include <cmath>
#include <limits>

namespace basalt
{

bool JsonParser::parse(std::string_view text, JsonElement& root)
{
    // Rows of a column are followed by other rows or by padding: no copy is needed.
    static_assert(kPodPadding >= simdjson::SIMDJSON_PADDING);
    if (text.empty())
        return false;
    return parser_.parse(text.data(), text.size(), false).get(root) == simdjson::SUCCESS;
}

JsonPath::JsonPath(std::string_view name, const Arguments& arguments, size_t first, size_t last,
                   bool any_case)
    : any_case_(any_case)
{
    for (size_t i = first; i < last; ++i)
    {
        Step step;
        if (arguments[i].type->is_string())
            step.keys.emplace(arguments[i].column);
        else if (arguments[i].type->is_integer())
            step.positions.emplace(arguments[i]);
        else
            throw_illegal_type(name, arguments, i, "String or integer");
        steps_.push_back(std::move(step));
    }
}

namespace
{

bool equal_any_case(std::string_view a, std::string_view b)
{
    if (a.size() != b.size())
        return false;
    const auto lower = [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c | 32) : c; };
    for (size_t i = 0; i < a.size(); ++i)
        if (lower(a[i]) != lower(b[i]))
            return false;
    return true;
}

} // namespace

bool JsonPath::step_key(std::string_view wanted, JsonElement& element, std::string_view* key) const
{
    if (!element.is_object())
        return false;
    for (const auto field : json_object(element))
    {
        const bool hit =
            any_case_ ? equal_any_case(field.key, wanted) : std::string_view(field.key) == wanted;
        if (!hit)
            continue;
        if (key)
            *key = field.key;
        element = field.value;
        return true;
    }
    return false;
}

bool JsonPath::step_position(int64_t position, JsonElement& element, std::string_view* key) const
{
    if (position == 0)
        return false;
    const auto index_of = [&](size_t size) -> std::optional<size_t>
    {
        const uint64_t distance = position > 0 ? static_cast<uint64_t>(position) - 1
                                               : uint64_t{0} - static_cast<uint64_t>(position);
        if (position > 0)
            return distance < size ? std::optional<size_t>(distance) : std::nullopt;
        return distance <= size ? std::optional<size_t>(size - distance) : std::nullopt;
    };
    if (element.is_array())
    {
        const auto array = json_array(element);
        const auto index = index_of(array.size());
        return index && array.at(*index).get(element) == simdjson::SUCCESS;
    }
    if (!element.is_object())
        return false;
    const auto object = json_object(element);
    const auto index = index_of(object.size());
    if (!index)
        return false;
    size_t i = 0;
    for (const auto field : object)
        if (i++ == *index)
        {
            if (key)
                *key = field.key;
            element = field.value;
            return true;
        }
    return false;
}

bool JsonPath::follow(size_t row, JsonElement& element, std::string_view* key) const
{
    for (const Step& step : steps_)
        if (!(step.keys ? step_key((*step.keys)[row], element, key)
                        : step_position((*step.positions)[row], element, key)))
            return false;
    return true;
}

void write_json_string(StringWriter& out, std::string_view text, HexCase hex)
{
    out.write('"');
    for (const char c : text)
    {
        const unsigned byte = static_cast<unsigned char>(c);
        switch (c)
        {
            case '"': out.write("\\\""); break;
            case '\\': out.write("\\\\"); break;
            case '\b': out.write("\\b"); break;
            case '\f': out.write("\\f"); break;
            case '\n': out.write("\\n"); break;
            case '\r': out.write("\\r"); break;
            case '\t': out.write("\\t"); break;
            default:
                if (byte >= 0x20)
                    out.write(c);
                else if (hex == HexCase::Upper)
                    out.write(fmt::format("\\u{:04X}", byte));
                else
                    out.write(fmt::format("\\u{:04x}", byte));
        }
    }
    out.write('"');
}

namespace
{

template <class T> void write_plain_number(StringWriter& out, T value)
{
    std::string bytes;
    StringOutputBuffer buffer(bytes);
    write_number(buffer, value);
    buffer.flush();
    out.write(bytes);
}

} // namespace

void write_json(StringWriter& out, const JsonElement& element)
{
    using simdjson::dom::element_type;
    switch (element.type())
    {
        case element_type::ARRAY:
        {
            out.write('[');
            bool first = true;
            for (const JsonElement item : json_array(element))
            {
                if (!first)
                    out.write(',');
                first = false;
                write_json(out, item);
            }
            out.write(']');
            break;
        }
        case element_type::OBJECT:
        {
            out.write('{');
            bool first = true;
            for (const auto field : json_object(element))
            {
                if (!first)
                    out.write(',');
                first = false;
                write_json_string(out, field.key);
                out.write(':');
                write_json(out, field.value);
            }
            out.write('}');
            break;
        }
        case element_type::INT64:
            write_plain_number(out, static_cast<int64_t>(element.get_int64().value_unsafe()));
            break;
        case element_type::UINT64:
            write_plain_number(out, static_cast<uint64_t>(element.get_uint64().value_unsafe()));
            break;
        case element_type::DOUBLE:
            write_plain_number(out, element.get_double().value_unsafe());
            break;
        case element_type::STRING:
            write_json_string(out, element.get_string().value_unsafe());
            break;
        case element_type::BOOL: out.write(element.get_bool().value_unsafe() ? "true" : "false"); break;
        case element_type::NULL_VALUE: out.write("null"); break;
    }
}

namespace
{

using simdjson::dom::element_type;

TextOptions text_options(const QueryContext& context)
{
    TextOptions options;
    options.session_timezone = context.timezone();
    return options;
}

// Integers to 256 bits and floats.
template <class T> class NumberReader final : public JsonReader
{
public:
    NumberReader(TypePtr type, const QueryContext& context, bool bool_is_number)
        : type_(std::move(type)), options_(text_options(context)), bool_is_number_(bool_is_number)
    {
    }
    bool append(const JsonElement& element, Column& column) const override
    {
        switch (element.type())
        {
            case element_type::INT64:
                return append_integer(element.get_int64().value_unsafe(), column);
            case element_type::UINT64:
                return append_integer(element.get_uint64().value_unsafe(), column);
            case element_type::DOUBLE:
                return append_double(element.get_double().value_unsafe(), column);
            case element_type::STRING:
                return try_parse_whole(element.get_string().value_unsafe(), type_, column,
                                       options_);
            case element_type::BOOL:
                return bool_is_number_ &&
                       put(static_cast<T>(element.get_bool().value_unsafe() ? 1 : 0), column);
            case element_type::NULL_VALUE: return put(T(0), column);
            default: return false;
        }
    }

private:
    static bool put(T value, Column& column)
    {
        column_as<VectorColumn<T>>(column).data().push_back(value);
        return true;
    }
    template <class S> static bool append_integer(S value, Column& column)
    {
        if constexpr (std::is_integral_v<T>)
        {
            if (!std::in_range<T>(value))
                return false;
        }
        else if constexpr (!std::is_floating_point_v<T>)
        {
            if (value < S(0) && !(T(-1) < T(0)))
                return false;
        }
        return put(static_cast<T>(value), column);
    }
    static bool append_double(double value, Column& column)
    {
        if constexpr (std::is_floating_point_v<T>)
            return put(static_cast<T>(value), column);
        else if constexpr (std::is_integral_v<T>)
        {
            const double whole = std::trunc(value);
            if (!(whole >= static_cast<double>(std::numeric_limits<T>::min()) &&
                  whole < std::ldexp(1.0, std::numeric_limits<T>::digits)))
                return false;
            return put(static_cast<T>(whole), column);
        }
        else
            return put(static_cast<T>(value), column);
    }

    TypePtr type_;
    TextOptions options_;
    bool bool_is_number_;
};

class BoolReader final : public JsonReader
{
public:
    bool append(const JsonElement& element, Column& column) const override
    {
        bool value;
        switch (element.type())
        {
            case element_type::BOOL: value = element.get_bool().value_unsafe(); break;
            case element_type::INT64: value = element.get_int64().value_unsafe() != 0; break;
            case element_type::UINT64: value = element.get_uint64().value_unsafe() != 0; break;
            case element_type::DOUBLE: value = element.get_double().value_unsafe() != 0; break;
            case element_type::NULL_VALUE: value = false; break;
            default: return false;
        }
        column_as<VectorColumn<uint8_t>>(column).data().push_back(value);
        return true;
    }
};

class StringReader final : public JsonReader
{
public:
    bool append(const JsonElement& element, Column& column) const override
    {
        auto& strings = column_as<StringColumn>(column);
        if (element.is_string())
            strings.append(element.get_string().value_unsafe());
        else if (element.is_null())
            strings.append_default();
        else
        {
            StringWriter text(1);
            write_json(text, element);
            text.end_row();
            strings.append(text.column().at(0));
        }
        return true;
    }
};

// Dates, UUID, addresses, decimals, enums, FixedString: from their text.
class TextReader final : public JsonReader
{
public:
    TextReader(TypePtr type, const QueryContext& context)
        : type_(std::move(type)), options_(text_options(context))
    {
    }
    bool append(const JsonElement& element, Column& column) const override
    {
        switch (element.type())
        {
            case element_type::STRING:
            {
                const std::string_view text = element.get_string().value_unsafe();
                if (type_->is(TypeId::FixedString) &&
                    text.size() > type_as<FixedStringType>(type_).width())
                    return false;
                return try_parse_whole(text, type_, column, options_);
            }
            case element_type::NULL_VALUE: column.append_default(); return true;
            case element_type::INT64:
            case element_type::UINT64:
            case element_type::DOUBLE: return append_number(element, column);
            default: return false;
        }
    }

private:
    bool append_number(const JsonElement& element, Column& column) const
    {
        if (type_->is_enum())
        {
            if (!element.is_int64())
                return false;
            const int64_t value = element.get_int64().value_unsafe();
            if (value < INT16_MIN || value > INT16_MAX ||
                !type_as<EnumType>(type_).find_name(static_cast<int16_t>(value)))
                return false;
            column.append_value(value);
            return true;
        }
        if (type_->is(TypeId::FixedString) || type_->is(TypeId::UUID) || type_->is(TypeId::IPv6) ||
            type_->is(TypeId::Date) || type_->is(TypeId::Date32))
            return false;
        StringWriter text(1);
        write_json(text, element);
        text.end_row();
        return try_parse_whole(text.column().at(0), type_, column, options_);
    }

    TypePtr type_;
    TextOptions options_;
};

class NullableReader final : public JsonReader
{
public:
    explicit NullableReader(std::unique_ptr<JsonReader> nested) : nested_(std::move(nested)) {}
    bool append(const JsonElement& element, Column& column) const override
    {
        auto& nullable = column_as<NullableColumn>(column);
        if (element.is_null())
        {
            nullable.append_default();
            return true;
        }
        if (!nested_->append(element, nullable.mutable_nested()))
            return false;
        nullable.mutable_null_map().push_back(0);
        return true;
    }

private:
    std::unique_ptr<JsonReader> nested_;
};

class ArrayReader final : public JsonReader
{
public:
    explicit ArrayReader(std::unique_ptr<JsonReader> nested) : nested_(std::move(nested)) {}
    bool append(const JsonElement& element, Column& column) const override
    {
        if (!element.is_array())
            return false;
        auto& array = column_as<ArrayColumn>(column);
        Column& items = array.mutable_items();
        const size_t before = items.size();
        bool any = false;
        for (const JsonElement item : json_array(element))
        {
            if (nested_->append(item, items))
                any = true;
            else
                items.append_default();
        }
        if (!any)
        {
            items.remove_last(items.size() - before);
            return false;
        }
        array.mutable_offsets().push_back(items.size());
        return true;
    }

private:
    std::unique_ptr<JsonReader> nested_;
};

class TupleReader final : public JsonReader
{
public:
    TupleReader(std::vector<std::unique_ptr<JsonReader>> readers, std::vector<std::string> names)
        : readers_(std::move(readers)), names_(std::move(names))
    {
    }
    bool append(const JsonElement& element, Column& column) const override
    {
        auto& tuple = column_as<TupleColumn>(column);
        const size_t width = readers_.size();
        std::vector<std::optional<JsonElement>> parts(width);
        if (element.is_array())
        {
            size_t i = 0;
            for (const JsonElement item : json_array(element))
                if (i < width)
                    parts[i++] = item;
        }
        else if (element.is_object())
        {
            size_t i = 0;
            for (const auto field : json_object(element))
            {
                if (names_.empty())
                {
                    if (i < width)
                        parts[i++] = field.value;
                    continue;
                }
                for (size_t j = 0; j < width; ++j)
                    if (names_[j] == field.key && !parts[j])
                        parts[j] = field.value;
            }
        }
        else
            return false;
        bool any = false;
        for (size_t i = 0; i < width; ++i)
        {
            if (parts[i] && readers_[i]->append(*parts[i], tuple.mutable_element(i)))
                any = true;
            else
                tuple.mutable_element(i).append_default();
        }
        if (!any)
        {
            for (size_t i = 0; i < width; ++i)
                tuple.mutable_element(i).remove_last(1);
            return false;
        }
        tuple.set_rows(tuple.size() + 1);
        return true;
    }

private:
    std::vector<std::unique_ptr<JsonReader>> readers_;
    std::vector<std::string> names_;
};

class MapReader final : public JsonReader
{
public:
    explicit MapReader(std::unique_ptr<JsonReader> values) : values_(std::move(values)) {}
    bool append(const JsonElement& element, Column& column) const override
    {
        if (!element.is_object())
            return false;
        auto& map = column_as<ArrayColumn>(column);
        auto& entries = column_as<TupleColumn>(map.mutable_items());
        size_t added = 0;
        for (const auto field : json_object(element))
        {
            if (!values_->append(field.value, entries.mutable_element(1)))
                entries.mutable_element(1).append_default();
            column_as<StringColumn>(entries.mutable_element(0)).append(field.key);
            ++added;
        }
        entries.set_rows(entries.size() + added);
        map.mutable_offsets().push_back(entries.size());
        return true;
    }

private:
    std::unique_ptr<JsonReader> values_;
};

} // namespace

std::unique_ptr<JsonReader> make_json_reader(const TypePtr& type, const QueryContext& context,
                                             bool bool_is_number)
{
    const auto nested = [&](const TypePtr& inner)
    { return make_json_reader(inner, context, bool_is_number); };
    switch (type->id())
    {
        case TypeId::Bool: return std::make_unique<BoolReader>();
        case TypeId::String: return std::make_unique<StringReader>();
        case TypeId::Nullable:
            return std::make_unique<NullableReader>(nested(type_as<NullableType>(type).nested()));
        case TypeId::LowCardinality: return nested(type_as<LowCardinalityType>(type).nested());
        case TypeId::Array:
            return std::make_unique<ArrayReader>(nested(type_as<ArrayType>(type).nested()));
        case TypeId::Tuple:
        {
            const auto& tuple = type_as<TupleType>(type);
            std::vector<std::unique_ptr<JsonReader>> readers;
            for (const TypePtr& element : tuple.elements())
                readers.push_back(nested(element));
            return std::make_unique<TupleReader>(std::move(readers), tuple.names());
        }
        case TypeId::Map:
        {
            const auto& map = type_as<MapType>(type);
            if (!remove_low_cardinality(map.key())->is(TypeId::String))
                throw Error(error_codes::BAD_ARGUMENTS,
                            "The keys of a Map out of JSON must be String, not " +
                                map.key()->name());
            return std::make_unique<MapReader>(nested(map.value()));
        }
        case TypeId::FixedString:
        case TypeId::Date:
        case TypeId::Date32:
        case TypeId::DateTime:
        case TypeId::DateTime64:
        case TypeId::Decimal32:
        case TypeId::Decimal64:
        case TypeId::Decimal128:
        case TypeId::Decimal256:
        case TypeId::Enum8:
        case TypeId::Enum16:
        case TypeId::UUID:
        case TypeId::IPv4:
        case TypeId::IPv6: return std::make_unique<TextReader>(type, context);
        default: break;
    }
    std::unique_ptr<JsonReader> reader;
    if (type->is_integer() || type->is_float())
        visit_vector(type->physical(),
                     [&](auto tag)
                     {
                         using T = decltype(tag);
                         reader = std::make_unique<NumberReader<T>>(
                             type, context, bool_is_number && type->is(TypeId::UInt8));
                     });
    if (!reader)
        throw Error(error_codes::ILLEGAL_TYPE_OF_ARGUMENT,
                    "JSON cannot be extracted as " + type->name());
    return reader;
}

} // namespace basalt
