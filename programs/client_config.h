#pragma once

// Where the client takes its options from before the command line: a config file, the environment, a
// connection string; each goes over the one before. One thread.

#include "programs/remote.h"

#include <map>
#include <optional>
#include <string>
#include <vector>

namespace basalt
{

inline constexpr size_t kMaxConfigBytes = 1 << 20;

// Elements of a config file by path: "host", "connections_credentials/connection/name". Repeated ones
// are listed in order.
using ConfigValues = std::vector<std::pair<std::string, std::string>>;
// <config><host>h</host></config>, without attributes and entities but &lt; &gt; &amp; &quot; &apos;.
ConfigValues parse_xml_config(std::string_view text, const std::string& path);
// "host: h" on one line each; what is indented under "name:" belongs to it.
ConfigValues parse_yaml_config(std::string_view text, const std::string& path);

// The file of --config-file or, when it is empty, the first that there is of ./clickhouse-client,
// ~/.clickhouse-client/config and /etc/clickhouse-client/config with .xml, .yaml or .yml. Takes host, port,
// user, password, database, secure, history_file, pager, format and any setting; the rest is
// ClickHouse's and is left out. connection: a name of <connections_credentials>; empty: none.
// Throws FILE_DOESNT_EXIST, BAD_ARGUMENTS.
void apply_config(const std::string& config_file, const std::string& connection,
                  RemoteOptions& options, ScriptOptions& script);

// CLICKHOUSE_HOST, CLICKHOUSE_PORT, CLICKHOUSE_USER, CLICKHOUSE_PASSWORD, CLICKHOUSE_DATABASE,
// CLICKHOUSE_SECURE.
void apply_environment(RemoteOptions& options);

// clickhouse://user:password@host:port/database?secure&max_threads=4, all of it but the first word
// optional. Throws BAD_ARGUMENTS; NOT_IMPLEMENTED for several hosts.
void apply_connection_string(const std::string& text, RemoteOptions& options,
                             ScriptOptions& script);
bool is_connection_string(std::string_view text);

} // namespace basalt
