#include "columns/number_text.h"
#include "columns/serialization_kinds.h"

#include <fmt/core.h>

namespace basalt
{

namespace
{

template <class T> class EnumSerialization final : public Serialization
{
public:
    explicit EnumSerialization(TypePtr type) : type_(std::move(type)) {}

    void write_text(const Column& column, size_t row, OutputBuffer& out, TextPlace place,
                    const TextOptions& options) const override
    {
        const FlatCell cell(column, row);
        const T value = column_as<VectorColumn<T>>(*cell.column).data()[cell.row];
        const std::string* name = enumeration().find_name(value);
        if (!name)
            throw Error(error_codes::UNKNOWN_ELEMENT_OF_ENUM,
                        fmt::format("Unexpected value {} in enum", value));
        write_string_text(out, *name, place, options);
    }

    bool parse_text(Column& column, TextCursor& cursor, TextPlace place,
                    const TextOptions& options) const override
    {
        const int next = cursor.peek();
        const bool bare = (place == TextPlace::Json && next != '"') ||
                          (place == TextPlace::Quoted && next != '\'');
        T value;
        if (bare)
        {
            int64_t number;
            if (!parse_integer(cursor, number))
                return false;
            value = static_cast<T>(number);
            if (value != number || !enumeration().find_name(value))
                return cursor.fail(error_codes::UNKNOWN_ELEMENT_OF_ENUM,
                                   fmt::format("Unexpected value {} in enum", number));
        }
        else
        {
            PodVector<char> text;
            if (!parse_string_text(cursor, text, place, options) ||
                !find(cursor, {text.data(), text.size()}, value))
                return false;
        }
        column_as<VectorColumn<T>>(column).data().push_back(value);
        return true;
    }

    BASALT_FIXED_WIDTH_BINARY(T)

private:
    const EnumType& enumeration() const { return type_as<EnumType>(type_); }

    // By name, else by number.
    bool find(TextCursor& cursor, std::string_view name, T& value) const
    {
        if (const int16_t* found = enumeration().find_value(name))
        {
            value = static_cast<T>(*found);
            return true;
        }
        TextCursor inner(name, true);
        int16_t number;
        if (parse_integer_checked(inner, number) && inner.at_end() &&
            enumeration().find_name(number))
        {
            value = static_cast<T>(number);
            return true;
        }
        if (cursor.quiet)
            return cursor.fail(error_codes::UNKNOWN_ELEMENT_OF_ENUM, "");
        return cursor.fail(error_codes::UNKNOWN_ELEMENT_OF_ENUM,
                           "Unknown element " + quoted_excerpt(name) + " for enum");
    }

    TypePtr type_;
};

} // namespace

SerializationPtr make_enum_serialization(const TypePtr& type)
{
    if (type->is(TypeId::Enum8))
        return std::make_shared<EnumSerialization<int8_t>>(type);
    return std::make_shared<EnumSerialization<int16_t>>(type);
}

} // namespace basalt
