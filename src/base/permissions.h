#pragma once

// What the user of a query may do, seen from rooms that know no users. The catalog's access control
// implements it (catalog/access); a context without one is the server's own work and may do all.

#include <string>
#include <string_view>
#include <vector>

namespace basalt
{

class Permissions
{
public:
    virtual ~Permissions() = default;

    // Whether the privilege ("SELECT", "SHOW TABLES": words in capitals, of system.privileges) is
    // granted on the column, table or database; with empty names on every one of them.
    virtual bool granted(std::string_view privilege, std::string_view database = {},
                         std::string_view table = {}, std::string_view column = {}) const = 0;
    // Whether it is granted on the object or on anything in it.
    virtual bool granted_on_some(std::string_view privilege, std::string_view database = {},
                                 std::string_view table = {}) const = 0;
};

} // namespace basalt
