#pragma once

// The interactive prompt of `basalt client` and `basalt local`.

#include "programs/remote.h"

#include <optional>
#include <string>

namespace basalt
{

// Until the user leaves; the exit code.
int run_shell(RemoteRunner& runner, ScriptOptions& script, const RemoteOptions& options);

// psql's \d, \dt, \l, \c name, \d table as SQL; nothing for other words.
std::optional<std::string> expand_shortcut(const std::string& word);

} // namespace basalt
