#pragma once

// Values to text and bytes and back, exactly as ClickHouse writes and reads them.
// One object per type, shared, immutable: serialization_of(type).

#include "columns/column.h"
#include "columns/text_cursor.h"
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
    Xml,     // < and & as entities, arrays as <array><elem>; written only
};

struct TextOptions
{
    std::string session_timezone = "UTC"; // for DateTime without a zone of its own
    bool json_quote_64bit_integers = false;
    bool json_quote_decimals = false;
    bool json_quote_denormals = false;
    bool json_quote_64bit_floats = false;
    bool json_skip_null_in_named_tuples = false;
    std::string_view json_indent = "\t"; // a literal; one level of write_json_pretty
    bool named_tuples_as_json = false;   // in text for people: objects over several lines
    bool json_named_tuples_as_objects = true;
    bool json_maps_as_objects = true;
    bool json_escape_forward_slashes = true;
    bool json_validate_utf8 = false;
    bool json_read_numbers_as_strings = true;
    bool json_read_bools_as_numbers = true;
    bool json_read_bools_as_strings = true;
    bool json_read_arrays_as_strings = true;
    bool json_read_objects_as_strings = true;
    bool json_ignore_unknown_keys_in_named_tuple = true;
    bool json_defaults_for_missing_in_named_tuple = true;
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
    bool csv_empty_as_default = true;
    bool csv_tuple_as_columns = true;    // writing (1, 2) gives two CSV fields
    bool csv_read_tuple_from_columns = true;
    bool empty_as_default = false;       // in TabSeparated
    bool decimal_trailing_zeros = false;
    bool values_escape_quote_with_quote = false; // 'it''s' instead of 'it\'s'
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
    // The JSON value over several lines, as FORMAT JSON shows objects: what follows the first line
    // is indented by `indent` tabs. Scalars are as write_text has them.
    virtual void write_json_pretty(const Column& column, size_t row, OutputBuffer& out,
                                   const TextOptions& options, size_t indent) const;

    // Appends one value to a flat column. The whole value stands before cursor.end. Stops at the
    // first byte that does not belong to it (delimiter, bracket, end). False after cursor.fail();
    // then nothing was appended. In place Whole the caller looks whether something is left.
    virtual bool parse_text(Column& column, TextCursor& cursor, TextPlace place,
                            const TextOptions& options) const = 0;
    // The same from a stream; throws what the cursor says.
    void read_text(Column& column, InputBuffer& in, TextPlace place,
                   const TextOptions& options) const;

    // RowBinary: one value.
    virtual void write_binary(const Column& column, size_t row, OutputBuffer& out) const = 0;
    virtual void read_binary(Column& column, InputBuffer& in) const = 0;

    // Native: `count` values from `begin` in ClickHouse's column layout, including the
    // LowCardinality prefix and dictionary, null maps before values, array offsets before items.
    void write_native(const Column& column, size_t begin, size_t count, OutputBuffer& out) const;
    ColumnPtr read_native(size_t count, InputBuffer& in) const;

    // The two halves of the above: composite types write the prefixes of all their parts first.
    // write_native_data: column flat, or in dictionary form for LowCardinality.
    virtual void write_native_prefix(OutputBuffer& out) const;
    virtual void read_native_prefix(InputBuffer& in) const;
    virtual void write_native_data(const Column& column, size_t begin, size_t count,
                                   OutputBuffer& out) const = 0;
    virtual ColumnPtr read_native_data(size_t count, InputBuffer& in) const = 0;
};
using SerializationPtr = std::shared_ptr<const Serialization>;

SerializationPtr serialization_of(const TypePtr& type);

// Consumes a NULL of `place` (\N, NULL, null, an empty CSV field) when one stands here.
bool parse_null(TextCursor& cursor, TextPlace place, const TextOptions& options);

// toString of one value.
std::string value_text(const Column& column, size_t row, const TypePtr& type,
                       const TextOptions& options = {});

// Appends the value that `text` spells in `type`; false when it does not (nothing appended).
bool try_parse_whole(std::string_view text, const TypePtr& type, Column& column,
                     const TextOptions& options);

// Appends the value that `text` spells in `type`; throws what CAST throws for text that does not.
void parse_whole(std::string_view text, const TypePtr& type, Column& column,
                 const TextOptions& options);

// The Value converted to what a column of `type` holds (numbers widened or narrowed, text parsed
// to dates and numbers, items of arrays and tuples); nullopt when it does not fit exactly.
// from: the type that the value has, when it is not a literal: without it a number is a number of
// seconds for DateTime and DateTime64, of days for Date.
std::optional<Value> convert_value(const Value& value, const TypePtr& type,
                                   const TextOptions& options = {}, const TypePtr& from = nullptr);

} // namespace basalt
