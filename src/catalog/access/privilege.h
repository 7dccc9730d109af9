#pragma once

// The privileges of GRANT, by ClickHouse's names (system.privileges). A group (ALTER, SYSTEM …) stands
// for all that it contains; a set of privileges holds leaves only. Thread-safe.

#include <bitset>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace basalt
{

inline constexpr size_t kMaxPrivileges = 256;
using PrivilegeSet = std::bitset<kMaxPrivileges>;

struct PrivilegeDefinition
{
    std::string_view name;
    // COLUMN, TABLE, DATABASE, VIEW, DICTIONARY, GLOBAL, USER_NAME, …; empty: a group.
    std::string_view level;
    std::string_view parent;  // the group that contains it; ALL at the top
    std::string_view aliases; // separated by |
};

std::span<const PrivilegeDefinition> privilege_definitions();

// What "SELECT", "ALTER", an alias, ALL or NONE stands for; words in any case.
// UNKNOWN_ACCESS_TYPE (508) for other names.
PrivilegeSet find_privileges(std::string_view name);
// The one privilege, known at compile time; aborts for a name that is none.
const PrivilegeSet& privilege(std::string_view name);

// The fewest names that stand for the set, groups before leaves; ALL for everything.
std::vector<std::string> privilege_names(const PrivilegeSet& set);

// Those that can be granted on one column, one table, one database.
const PrivilegeSet& column_privileges();
const PrivilegeSet& table_privileges();    // and columns
const PrivilegeSet& database_privileges(); // and tables and columns
const PrivilegeSet& all_privileges();

} // namespace basalt
