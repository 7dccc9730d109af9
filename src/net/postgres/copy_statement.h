#pragma once

// COPY: what it asks for, as a statement of ours. Pure functions over bytes.

#include "net/postgres/text.h"

#include <optional>
#include <string>
#include <vector>

namespace basalt
{

struct CopyStatement
{
    bool from = false;        // FROM STDIN; otherwise TO STDOUT
    std::string text;         // INSERT INTO … FORMAT f, or SELECT …
    std::string format;       // TabSeparated, CSV, CSVWithNames …
    std::vector<std::pair<std::string, std::string>> settings;
};

// Nothing when it is not a COPY. NOT_IMPLEMENTED for files, programs, binary and options that are
// not known; SYNTAX_ERROR.
std::optional<CopyStatement> parse_copy(const PostgresStatement& statement);

} // namespace basalt
