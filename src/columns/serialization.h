#pragma once

// Values to text and bytes and back, exactly as ClickHouse writes and reads them.
// One object per type, shared, immutable: serialization_of(type).

#include "columns/column.h"
#include "io/buffer.h"

#include <optional>

namespace basalt
{

// Where a value stands, which decides its escaping.
enum class TextPlace : uint8_t
{
    Escaped, // TabSeparated: \t \n \\ escaped, NULL is \N; nested values quoted
    Raw,     // TSVRaw: no escaping
    Quoted,  // inside Values, arrays, tuples: 'text'
    Csv,     // "text" with "" for "
    Json,    // JSON value
    Whole,   // toString and CAST: the whole input is the value
};

struct TextOptions
{
    std::string session_timezone = "UTC"; // for DateTime without a zone of its own
    bool json_quote_64bit_integers = false;
    bool json_quote_decimals = false;
    bool json_quote_denormals = false;
    bool json_named_tuples_as_objects = true;
    bool json_maps_as_objects = true;
    bool json_escape_forward_slashes = true;
    bool json_validate_utf8 = false;
    bool json_read_numbers_as_strings = true;
    bool json_read_bools_as_numbers = true;
    bool date_time_input_basic = false; // date_time_input_format = 'basic'; otherwise best effort
    enum class DateTimeOutput : uint8_t
    {
        Simple,
        Iso,
        UnixTimestamp
    } date_time_output = DateTimeOutput::Simple;
    bool bool_numeric_input = true;
    std::string bool_true = "true";
    std::string bool_false = "false";
    std::string tsv_null = "\\N";
    std::string csv_null = "\\N";
    char csv_delimiter = ',';
    bool csv_allow_single_quotes = false;
    bool csv_allow_double_quotes = true;
    bool empty_as_default = false;
    bool null_as_default = true; // reading NULL into a non-Nullable column gives its default
    bool pretty_floats_as_decimals = false;
};

class Serialization
{
public:
    virtual ~Serialization() = default;

    // Text. column: flat, constant or dictionary.
    virtual void write_text(const Column& column, size_t row, OutputBuffer& out, TextPlace place,
                            const TextOptions& options) const = 0;
    // Appends one value. Stops at the first byte that does not belong to the value (delimiter,
    // bracket, end). Throws CANNOT_PARSE_… ; then nothing was appended.
    virtual void read_text(Column& column, InputBuffer& in, TextPlace place,
                           const TextOptions& options) const = 0;

    // RowBinary: one value.
    virtual void write_binary(const Column& column, size_t row, OutputBuffer& out) const = 0;
    virtual void read_binary(Column& column, InputBuffer& in) const = 0;

    // Native: `count` values from `begin` in ClickHouse's column layout, including the
    // LowCardinality prefix and dictionary, null maps before values, array offsets before items.
    virtual void write_native(const Column& column, size_t begin, size_t count,
                              OutputBuffer& out) const = 0;
    virtual ColumnPtr read_native(size_t count, InputBuffer& in) const = 0;
};
using SerializationPtr = std::shared_ptr<const Serialization>;

SerializationPtr serialization_of(const TypePtr& type);

// toString of one value; parse of a whole text (throws with what stood there and what was expected).
std::string value_text(const Column& column, size_t row, const TypePtr& type,
                       const TextOptions& options = {});

// Appends the value that `text` spells in `type`; false when it does not (nothing appended).
bool try_parse_whole(std::string_view text, const TypePtr& type, Column& column,
                     const TextOptions& options);

// The Value converted to what a column of `type` holds (numbers widened or narrowed, text parsed
// to dates and numbers, items of arrays and tuples); nullopt when it does not fit exactly.
std::optional<Value> convert_value(const Value& value, const TypePtr& type,
                                   const TextOptions& options = {});

} // namespace basalt
