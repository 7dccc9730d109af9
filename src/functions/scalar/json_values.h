#pragma once

// JSON texts and typed values out of them, over simdjson's tree.

#include "functions/scalar/column_rows.h"

#include <simdjson.h>

#include <memory>

namespace basalt
{

using JsonElement = simdjson::dom::element;

// The element as an object or array, which it must be.
inline simdjson::dom::object json_object(const JsonElement& element)
{
    simdjson::dom::object object;
    const simdjson::error_code error = element.get(object);
    BASALT_DCHECK(error == simdjson::SUCCESS);
    (void)error;
    return object;
}
inline simdjson::dom::array json_array(const JsonElement& element)
{
    simdjson::dom::array array;
    const simdjson::error_code error = element.get(array);
    BASALT_DCHECK(error == simdjson::SUCCESS);
    (void)error;
    return array;
}

// The text as a JSON string in quotes; control bytes without a letter of their own as \u00XX.
enum class HexCase : uint8_t
{
    Lower,
    Upper,
};
void write_json_string(StringWriter& out, std::string_view text, HexCase hex = HexCase::Lower);

// Parses one text after another into the same tree.
class JsonParser
{
public:
    // False when the text is not JSON. `readable` bytes past its end may be read (simdjson needs
    // kPodPadding of them or copies).
    bool parse(std::string_view text, JsonElement& root);

private:
    simdjson::dom::parser parser_;
};

// Steps of a path: keys, or positions (from 1, from the end when negative) in arrays and objects.
class JsonPath
{
public:
    // Arguments [first, last) are the steps.
    JsonPath(std::string_view name, const Arguments& arguments, size_t first, size_t last,
             bool any_case);
    // Goes down; false when there is no such element. key: the last key passed, if any.
    bool follow(size_t row, JsonElement& element, std::string_view* key = nullptr) const;

private:
    bool step_key(std::string_view wanted, JsonElement& element, std::string_view* key) const;
    bool step_position(int64_t position, JsonElement& element, std::string_view* key) const;

    struct Step
    {
        std::optional<StringRows> keys;
        std::optional<IntegerRows> positions;
    };
    std::vector<Step> steps_;
    bool any_case_;
};

// The element as JSON text without spaces.
void write_json(StringWriter& out, const JsonElement& element);

// Appends an element to a column of one type.
class JsonReader
{
public:
    virtual ~JsonReader() = default;
    // False when the element does not fit; then nothing was appended.
    virtual bool append(const JsonElement& element, Column& column) const = 0;
};
// bool_is_number: true and false count as 1 and 0 (for UInt8 of a general extraction).
// Throws NOT_IMPLEMENTED or ILLEGAL_TYPE_OF_ARGUMENT for types that JSON has no values for.
std::unique_ptr<JsonReader> make_json_reader(const TypePtr& type, const QueryContext& context,
                                             bool bool_is_number);

} // namespace basalt
