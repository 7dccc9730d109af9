#include "net/postgres/postgres_settings.h"

#include <set>

namespace basalt
{

namespace
{

// Settable without effect.
const std::set<std::string, std::less<>>& other_names()
{
    static const std::set<std::string, std::less<>> names = {
        "bytea_output",          "client_min_messages", "extra_float_digits",
        "idle_in_transaction_session_timeout",          "jit",
        "lock_timeout",          "row_security",        "search_path",
        "session_authorization", "role",                "statement_timeout",
        "synchronize_seqscans",  "xmloption",           "default_transaction_read_only",
        "geqo",                  "names"};
    return names;
}

} // namespace

std::map<std::string, std::string> initial_postgres_settings(const std::string& timezone)
{
    return {{"server_version", "15.0"},
            {"server_version_num", "150000"},
            {"server_encoding", "UTF8"},
            {"client_encoding", "UTF8"},
            {"datestyle", "ISO, MDY"},
            {"intervalstyle", "postgres"},
            {"integer_datetimes", "on"},
            {"standard_conforming_strings", "on"},
            {"timezone", timezone},
            {"application_name", ""},
            {"is_superuser", "off"},
            {"session_authorization", "default"},
            {"transaction_isolation", "read committed"},
            {"default_transaction_isolation", "read committed"},
            {"transaction_read_only", "off"},
            {"max_identifier_length", "63"},
            {"search_path", "default"}};
}

std::vector<std::pair<std::string, std::string>>
reported_postgres_settings(const std::map<std::string, std::string>& settings)
{
    std::vector<std::pair<std::string, std::string>> reported;
    for (const char* name :
         {"server_version", "server_encoding", "client_encoding", "DateStyle", "IntervalStyle",
          "integer_datetimes", "standard_conforming_strings", "TimeZone", "application_name",
          "is_superuser", "session_authorization"})
        reported.emplace_back(name, settings.at(fold_name(name)));
    return reported;
}

std::optional<std::string> set_postgres_setting(const PostgresStatement& statement,
                                                std::map<std::string, std::string>& settings)
{
    const auto& words = statement.words;
    if (words.size() < 2 || (words[0] != "SET" && words[0] != "RESET"))
        return std::nullopt;
    size_t at = 1;
    if ((words[at] == "SESSION" || words[at] == "LOCAL") && words.size() > at + 1)
        ++at;
    if (words[at] == "CHARACTERISTICS" || words[at] == "TRANSACTION")
        return "SET";
    std::string name = fold_name(words[at]);
    if (name == "time" && words.size() > at + 1 && words[at + 1] == "ZONE")
        name = "timezone";
    if (!settings.contains(name) && !other_names().contains(name))
        return std::nullopt;
    if (words[0] == "RESET")
        return "RESET";

    // The value: what stands behind =, TO or ZONE, without quotes.
    const std::string text = statement.text_without_parameters();
    const std::string low = fold_name(text);
    size_t begin = text.find('=');
    if (begin != std::string::npos)
        ++begin;
    else if ((begin = low.find(" to ")) != std::string::npos)
        begin += 4;
    else if ((begin = low.find(" zone ")) != std::string::npos)
        begin += 6;
    else
        return "SET";
    std::string value = text.substr(begin);
    value.erase(0, value.find_first_not_of(" \t\r\n'\""));
    value.erase(value.find_last_not_of(" \t\r\n'\"") + 1);
    if (fold_name(value) != "default")
        settings[name] = value;
    return "SET";
}

} // namespace basalt
