#include "base/error.h"
#include "base/settings.h"

#include <gtest/gtest.h>

namespace basalt
{

// Every value that a client may write is either understood or refused by name.
TEST(SettingsSupport, OneOfThree)
{
    EXPECT_EQ(setting_support("max_threads"), SettingSupport::Honoured);
    EXPECT_EQ(setting_support("max_result_rows"), SettingSupport::Honoured);
    EXPECT_EQ(setting_support("zstd_window_log_max"), SettingSupport::Accepted);
    EXPECT_EQ(setting_support("max_rows_to_read_leaf"), SettingSupport::NotImplemented);
    EXPECT_EQ(setting_support("use_legacy_to_time"), SettingSupport::NotImplemented);
    size_t counts[3] = {};
    for (const auto& setting : setting_definitions())
        ++counts[static_cast<size_t>(setting_support(setting.name))];
    EXPECT_GT(counts[0], 150u);
    EXPECT_GT(counts[1], 1000u);
    EXPECT_GT(counts[2], 150u);
}

TEST(SettingsSupport, RefusesWhatIsNotBuilt)
{
    Settings settings;
    try
    {
        settings.set("max_rows_to_read_leaf", "10");
        FAIL() << "max_rows_to_read_leaf was taken";
    }
    catch (const Error& error)
    {
        EXPECT_EQ(error.code(), error_codes::NOT_IMPLEMENTED);
    }
    settings.set("max_rows_to_read_leaf", "0"); // its default
    settings.set("set_overflow_mode", "throw");
    EXPECT_THROW(settings.set("set_overflow_mode", "break"), Error);
    EXPECT_THROW(settings.set("no_such_setting", "1"), Error);
}

// What common drivers send with every query.
TEST(SettingsSupport, TakesWhatClientsSend)
{
    Settings settings;
    for (const auto& [name, value] : std::initializer_list<std::pair<const char*, const char*>>{
             {"send_progress_in_http_headers", "1"},
             {"enable_http_compression", "1"},
             {"cancel_http_readonly_queries_on_client_close", "1"},
             {"date_time_input_format", "best_effort"},
             {"output_format_json_quote_64bit_integers", "0"},
             {"max_execution_time", "60"},
             {"async_insert", "1"},
             {"wait_for_async_insert", "1"},
             {"insert_deduplicate", "0"},
             {"allow_experimental_json_type", "1"},
             {"log_queries", "1"},
             {"use_uncompressed_cache", "0"},
             {"max_bytes_before_external_group_by", "1000000000"},
             {"distributed_ddl_task_timeout", "180"},
             {"session_timezone", "UTC"},
             {"extremes", "0"}})
        EXPECT_NO_THROW(settings.set(name, value)) << name;
}

} // namespace basalt
