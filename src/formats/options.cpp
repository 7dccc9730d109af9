#include "base/error.h"
#include "formats/format.h"

namespace basalt
{

FormatOptions FormatOptions::from(const Settings& settings, const std::string& session_timezone)
{
    FormatOptions options;
    options.settings = settings;
    TextOptions& text = options.text;
    text.session_timezone = session_timezone;
    const auto on = [&](std::string_view name) { return settings.get_bool(name); };
    const auto word = [&](std::string_view name) { return std::string(settings.get(name)); };

    text.json_quote_64bit_integers = on("output_format_json_quote_64bit_integers");
    text.json_quote_64bit_floats = on("output_format_json_quote_64bit_floats");
    text.json_quote_decimals = on("output_format_json_quote_decimals");
    text.json_quote_denormals = on("output_format_json_quote_denormals");
    text.json_escape_forward_slashes = on("output_format_json_escape_forward_slashes");
    text.json_validate_utf8 = on("output_format_json_validate_utf8");
    text.json_skip_null_in_named_tuples = on("output_format_json_skip_null_value_in_named_tuples");
    text.json_named_tuples_as_objects = on("output_format_json_named_tuples_as_objects");
    text.json_maps_as_objects = !on("output_format_json_map_as_array_of_tuples");
    text.json_read_numbers_as_strings = on("input_format_json_read_numbers_as_strings");
    text.json_read_bools_as_numbers = on("input_format_json_read_bools_as_numbers");
    text.json_read_bools_as_strings = on("input_format_json_read_bools_as_strings");
    text.json_read_arrays_as_strings = on("input_format_json_read_arrays_as_strings");
    text.json_read_objects_as_strings = on("input_format_json_read_objects_as_strings");
    text.json_ignore_unknown_keys_in_named_tuple =
        on("input_format_json_ignore_unknown_keys_in_named_tuple");
    text.json_defaults_for_missing_in_named_tuple =
        on("input_format_json_defaults_for_missing_elements_in_named_tuple");

    text.date_time_input_basic = settings.get("date_time_input_format") == "basic";
    const std::string_view output = settings.get("date_time_output_format");
    text.date_time_output = output == "iso" ? TextOptions::DateTimeOutput::Iso
                            : output == "unix_timestamp"
                                ? TextOptions::DateTimeOutput::UnixTimestamp
                                : TextOptions::DateTimeOutput::Simple;
    text.bool_true = word("bool_true_representation");
    text.bool_false = word("bool_false_representation");
    text.tsv_null = word("format_tsv_null_representation");
    text.csv_null = word("format_csv_null_representation");
    const std::string_view delimiter = settings.get("format_csv_delimiter");
    if (delimiter.size() != 1)
        throw Error(error_codes::SIZE_OF_FIXED_STRING_DOESNT_MATCH,
                    "format_csv_delimiter must be one character");
    text.csv_delimiter = delimiter[0];
    text.csv_allow_single_quotes = on("format_csv_allow_single_quotes");
    text.csv_allow_double_quotes = on("format_csv_allow_double_quotes");
    text.csv_empty_as_default = on("input_format_csv_empty_as_default");
    text.csv_tuple_as_columns = on("output_format_csv_serialize_tuple_into_separate_columns");
    text.csv_read_tuple_from_columns =
        on("input_format_csv_deserialize_separate_columns_into_tuple");
    text.empty_as_default = on("input_format_tsv_empty_as_default");
    text.null_as_default = on("input_format_null_as_default");
    text.decimal_trailing_zeros = on("output_format_decimal_trailing_zeros");
    text.values_escape_quote_with_quote = on("output_format_values_escape_quote_with_quote");
    return options;
}

} // namespace basalt
