#include "base/settings.h"

#include <algorithm>
#include <iterator>

namespace basalt
{

namespace
{

// Both lists sorted. What stands in neither concerns only speed, caching, logging, formats, engines
// and servers that are not here, or is a promise that holds anyway.

// Read somewhere in the code.
constexpr std::string_view kHonoured[] = {
    "add_http_cors_header", "allow_drop_detached", "allow_suspicious_codecs",
    "allow_suspicious_low_cardinality_types", "apply_prewhere_after_final",
    "asterisk_include_alias_columns", "asterisk_include_materialized_columns",
    "bool_false_representation", "bool_true_representation", "cast_keep_nullable",
    "count_distinct_implementation", "data_type_default_nullable", "date_time_input_format",
    "date_time_output_format", "default_table_engine", "default_temporary_table_engine",
    "do_not_merge_across_partitions_select_final", "empty_result_for_aggregation_by_empty_set",
    "enable_automatic_decision_for_merging_across_partitions_for_final",
    "enable_extended_results_for_datetime_functions", "enable_http_compression",
    "enable_positional_arguments", "enable_unaligned_array_join",
    "engine_file_empty_if_not_exists", "engine_file_truncate_on_insert", "except_default_mode",
    "extract_key_value_pairs_max_pairs_per_row", "extremes", "final", "flatten_nested",
    "force_data_skipping_indices", "force_grouping_standard_compatibility", "force_index_by_date",
    "force_primary_key", "format_csv_allow_double_quotes", "format_csv_allow_single_quotes",
    "format_csv_delimiter", "format_csv_null_representation",
    "format_json_object_each_row_column_for_object_name", "format_tsv_null_representation",
    "formatdatetime_e_with_space_padding", "formatdatetime_f_prints_scale_number_of_digits",
    "formatdatetime_f_prints_single_zero", "formatdatetime_format_without_leading_zeros",
    "formatdatetime_parsedatetime_m_is_month_name",
    "function_locate_has_mysql_compatible_argument_order", "function_range_max_elements_in_block",
    "group_by_use_nulls", "http_headers_progress_interval_ms", "http_headers_read_timeout",
    "http_response_buffer_size", "http_wait_end_of_query", "http_zlib_compression_level",
    "ignore_data_skipping_indices", "input_format_allow_errors_num",
    "input_format_allow_errors_ratio", "input_format_csv_deserialize_separate_columns_into_tuple",
    "input_format_csv_empty_as_default", "input_format_csv_trim_whitespaces",
    "input_format_json_compact_allow_variable_number_of_columns",
    "input_format_json_defaults_for_missing_elements_in_named_tuple",
    "input_format_json_ignore_unknown_keys_in_named_tuple",
    "input_format_json_ignore_unnecessary_fields", "input_format_json_read_arrays_as_strings",
    "input_format_json_read_bools_as_numbers", "input_format_json_read_bools_as_strings",
    "input_format_json_read_numbers_as_strings", "input_format_json_read_objects_as_strings",
    "input_format_max_bytes_to_read_for_schema_inference",
    "input_format_max_rows_to_read_for_schema_inference",
    "input_format_native_allow_types_conversion", "input_format_null_as_default",
    "input_format_skip_unknown_fields", "input_format_try_infer_dates",
    "input_format_try_infer_datetimes", "input_format_try_infer_exponent_floats",
    "input_format_try_infer_integers", "input_format_tsv_crlf_end_of_line",
    "input_format_tsv_empty_as_default", "input_format_values_interpret_expressions",
    "input_format_with_names_use_header", "input_format_with_types_use_header",
    "insert_deduplicate", "insert_deduplication_token", "intersect_default_mode",
    "join_default_strictness", "join_use_nulls", "joined_subquery_requires_alias",
    "lightweight_deletes_sync", "limit", "log_comment", "log_queries", "log_queries_cut_to_length",
    "materialize_ttl_after_modify", "max_ast_depth", "max_block_size", "max_bytes_in_join",
    "max_bytes_to_read", "max_execution_time", "max_insert_threads", "max_memory_usage",
    "max_parser_backtracks", "max_parser_depth", "max_partitions_per_insert_block",
    "max_query_size", "max_recursive_cte_evaluation_depth", "max_result_bytes", "max_result_rows",
    "max_rows_in_join", "max_rows_to_group_by", "max_rows_to_read", "max_threads",
    "min_bytes_to_use_direct_io", "mutations_sync", "offset", "optimize_on_insert",
    "optimize_read_in_order", "optimize_trivial_count_query", "output_format_csv_crlf_end_of_line",
    "output_format_csv_header_serialize_tuple_into_separate_columns",
    "output_format_csv_serialize_tuple_into_separate_columns",
    "output_format_decimal_trailing_zeros", "output_format_json_array_of_rows",
    "output_format_json_escape_forward_slashes", "output_format_json_map_as_array_of_tuples",
    "output_format_json_named_tuples_as_objects", "output_format_json_quote_64bit_floats",
    "output_format_json_quote_64bit_integers", "output_format_json_quote_decimals",
    "output_format_json_quote_denormals", "output_format_json_skip_null_value_in_named_tuples",
    "output_format_json_validate_utf8", "output_format_markdown_escape_special_characters",
    "output_format_pretty_color", "output_format_pretty_display_footer_column_names",
    "output_format_pretty_display_footer_column_names_min_rows",
    "output_format_pretty_fallback_to_vertical",
    "output_format_pretty_fallback_to_vertical_max_rows_per_chunk",
    "output_format_pretty_fallback_to_vertical_min_columns",
    "output_format_pretty_fallback_to_vertical_min_table_width",
    "output_format_pretty_grid_charset", "output_format_pretty_highlight_digit_groups",
    "output_format_pretty_highlight_trailing_spaces",
    "output_format_pretty_max_column_name_width_cut_to",
    "output_format_pretty_max_column_name_width_min_chars_to_cut",
    "output_format_pretty_max_column_pad_width", "output_format_pretty_max_rows",
    "output_format_pretty_max_value_width",
    "output_format_pretty_max_value_width_apply_for_single_value",
    "output_format_pretty_multiline_fields", "output_format_pretty_named_tuples_as_json",
    "output_format_pretty_row_numbers", "output_format_pretty_single_large_number_tip_threshold",
    "output_format_sql_insert_include_column_names", "output_format_sql_insert_max_batch_size",
    "output_format_sql_insert_quote_names", "output_format_sql_insert_table_name",
    "output_format_sql_insert_use_replace", "output_format_tsv_crlf_end_of_line",
    "output_format_values_escape_quote_with_quote", "output_format_write_statistics",
    "prefer_column_name_to_alias", "query_plan_enable_optimizations",
    "query_plan_filter_push_down", "query_plan_max_limit_for_lazy_materialization",
    "query_plan_optimize_lazy_materialization", "query_plan_push_down_limit", "readonly",
    "replace_running_query", "result_overflow_mode", "send_progress_in_http_headers",
    "session_timezone", "short_circuit_function_evaluation",
    "show_table_uuid_in_table_create_query_if_not_nil", "single_join_prefer_left_table",
    "splitby_max_substrings_includes_remaining_string", "totals_mode", "transform_null_in",
    "union_default_mode", "use_partition_pruning", "use_primary_key", "use_skip_indexes",
};

// Would change answers, set limits or give or take access.
constexpr std::string_view kNotImplemented[] = {
    "additional_result_filter", "additional_table_filters", "aggregate_function_input_format",
    "aggregate_functions_null_for_empty", "allow_ddl", "allow_get_client_http_header",
    "alter_partition_verbose_result", "analyzer_compatibility_allow_non_aggregate_in_having",
    "analyzer_compatibility_apply_final_to_all_joined_tables",
    "analyzer_compatibility_join_using_top_level_identifier",
    "analyzer_compatibility_prefer_alias_over_subcolumn", "any_join_distinct_right_table_keys",
    "apply_deleted_mask", "apply_mutations_on_fly", "cast_ipv4_ipv6_default_on_conversion_error",
    "cast_string_to_date_time_mode", "cast_string_to_dynamic_use_inference",
    "cast_string_to_variant_use_inference", "check_query_single_value_result", "compatibility",
    "count_matches_stop_at_empty_match", "create_if_not_exists",
    "date_time_64_output_format_cut_trailing_zeros_align_to_groups_of_thousands",
    "date_time_overflow_behavior", "decimal_check_overflow", "describe_compact_output",
    "describe_include_subcolumns", "dialect", "discard_query_data",
    "empty_result_for_aggregation_by_constant_keys_on_empty_set", "enable_global_with_statement",
    "enable_lightweight_delete", "enable_named_columns_in_function_tuple", "enable_order_by_all",
    "enable_scopes_for_with_statement", "enforce_strict_identifier_format",
    "engine_file_allow_create_multiple_files", "engine_file_skip_empty_files",
    "force_optimize_projection", "force_optimize_projection_name", "format_binary_max_array_size",
    "format_binary_max_object_size", "format_binary_max_string_size",
    "function_date_trunc_return_type_behavior", "function_json_value_return_type_allow_complex",
    "function_json_value_return_type_allow_nullable", "function_visible_width_behavior",
    "functions_h3_default_if_invalid", "geo_distance_returns_float64_on_float64_arguments",
    "geotoh3_argument_order", "h3togeo_lon_lat_result_order", "highlight_max_matches_per_row",
    "http_max_field_name_size", "http_max_field_value_size", "http_max_fields",
    "http_max_multipart_form_data_size", "http_max_request_header_size",
    "http_max_request_param_data_size", "http_max_uri_size", "http_response_headers",
    "http_write_exception_in_output_format", "ignore_materialized_views_with_dropped_target_table",
    "implicit_select", "implicit_table_at_top_level", "implicit_transaction",
    "inject_random_order_for_select_without_order_by",
    "input_format_binary_decode_types_in_binary_format", "input_format_column_name_matching_mode",
    "input_format_csv_allow_cr_end_of_line",
    "input_format_csv_allow_whitespace_or_tab_as_delimiter",
    "input_format_csv_arrays_as_nested_csv", "input_format_csv_enum_as_number",
    "input_format_csv_missing_nullable_as_empty_string",
    "input_format_csv_use_default_on_bad_values", "input_format_defaults_for_omitted_fields",
    "input_format_force_null_for_omitted_fields", "input_format_import_nested_json",
    "input_format_ipv4_default_on_conversion_error",
    "input_format_ipv6_default_on_conversion_error", "input_format_json_empty_as_default",
    "input_format_json_map_as_array_of_tuples", "input_format_json_max_depth",
    "input_format_json_named_tuples_as_objects", "input_format_json_throw_on_bad_escape_sequence",
    "input_format_json_validate_types_from_metadata",
    "input_format_native_decode_types_in_binary_format", "input_format_record_errors_file_path",
    "input_format_tsv_enum_as_number", "insert_allow_materialized_columns",
    "insert_null_as_default", "insert_quorum", "interval_output_format", "join_any_take_last_row",
    "least_greatest_legacy_null_behavior", "legacy_column_name_of_tuple_literal",
    "low_cardinality_allow_in_native_format", "materialized_views_ignore_errors",
    "max_analyze_depth", "max_ast_elements", "max_bytes_in_set", "max_bytes_to_read_leaf",
    "max_bytes_to_transfer", "max_columns_to_read", "max_concurrent_queries_for_all_users",
    "max_concurrent_queries_for_user", "max_estimated_execution_time", "max_execution_speed",
    "max_execution_speed_bytes", "max_execution_time_leaf", "max_expanded_ast_elements",
    "max_memory_usage_for_user", "max_network_bandwidth", "max_network_bandwidth_for_all_users",
    "max_network_bandwidth_for_user", "max_network_bytes", "max_partitions_to_read",
    "max_rand_distribution_parameter", "max_rand_distribution_trials", "max_rows_in_set",
    "max_rows_to_read_leaf", "max_rows_to_transfer", "max_sessions_for_user", "max_subquery_depth",
    "max_temporary_columns", "max_temporary_non_const_columns", "min_execution_speed",
    "min_execution_speed_bytes", "min_free_disk_bytes_to_perform_insert",
    "min_free_disk_ratio_to_perform_insert", "optimize_throw_if_noop",
    "output_format_always_write_decimal_point_in_float_and_decimal",
    "output_format_binary_encode_types_in_binary_format", "output_format_float_precision",
    "output_format_json_pretty_print", "output_format_native_encode_types_in_binary_format",
    "output_format_schema", "output_format_trim_fixed_string",
    "parsedatetime_e_requires_space_padding", "parsedatetime_parse_without_leading_zeros",
    "partial_result_on_first_cancel", "print_pretty_type_names", "read_overflow_mode",
    "read_overflow_mode_leaf", "regexp_max_matches_per_row", "rows_before_aggregation",
    "set_overflow_mode", "show_create_query_identifier_quoting_rule",
    "show_create_query_identifier_quoting_style", "system_events_show_zero_values",
    "throw_if_no_data_to_insert", "throw_on_max_partitions_per_insert_block",
    "timeout_overflow_mode", "timeout_overflow_mode_leaf", "transfer_overflow_mode",
    "use_legacy_to_time",
};

template <size_t n> bool among(const std::string_view (&names)[n], std::string_view name)
{
    return std::binary_search(std::begin(names), std::end(names), name);
}

} // namespace

SettingSupport setting_support(std::string_view name)
{
    if (among(kHonoured, name) || name.starts_with("basalt_") ||
        name == "postgres_min_lsn")
        return SettingSupport::Honoured;
    return among(kNotImplemented, name) ? SettingSupport::NotImplemented
                                        : SettingSupport::Accepted;
}

} // namespace basalt
