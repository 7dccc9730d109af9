#pragma once

// PostgreSQL's own settings, as far as clients set and show them. They change nothing here but
// the time zone.

#include "net/postgres/text.h"

#include <map>
#include <optional>
#include <string>

namespace basalt
{

// Names in lower case.
std::map<std::string, std::string> initial_postgres_settings(const std::string& timezone);
// Those that a client is told of when it connects, with PostgreSQL's spelling.
std::vector<std::pair<std::string, std::string>>
reported_postgres_settings(const std::map<std::string, std::string>& settings);

// SET and RESET of such a setting: the tag of the answer. Nothing for other statements and for
// settings that are not PostgreSQL's.
std::optional<std::string> set_postgres_setting(const PostgresStatement& statement,
                                                std::map<std::string, std::string>& settings);

} // namespace basalt
