#pragma once

// What one client keeps between queries: settings, current database, parameters, temporary tables.
// One query at a time uses a session.

#include "base/settings.h"
#include "catalog/access/effective_access.h"
#include "engine/process_list.h"
#include "storage/table.h"

#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>

namespace basalt
{

struct Session
{
    std::string user = "default";
    // What the user may do; null: the server itself, or `basalt local`. Made anew by start_query when
    // users or roles have changed.
    EffectiveAccessPtr access;
    std::optional<std::set<std::string>> current_roles; // SET ROLE; nothing: the default ones
    std::string current_database = "default";
    Settings settings; // over the server's defaults
    std::map<std::string, std::string> parameters; // SET param_x = …
    std::map<std::string, TablePtr> temporary_tables;
    std::mutex busy; // held while a query runs
};
using SessionPtr = std::shared_ptr<Session>;

} // namespace basalt
