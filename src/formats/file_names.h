#pragma once

// What the names of files say of their content. Threads: pure functions.

#include <optional>
#include <string>
#include <string_view>

namespace basalt
{

// By the extension: "a.csv.gz" is CSV; nothing when it tells nothing.
std::optional<std::string> format_of_file_name(std::string_view name);
// "gzip", "zstd", … as compressing_buffer() takes them, empty for none. method: a name as file() takes it, or
// "auto": by the file's name. Throws NOT_IMPLEMENTED for others, .xz, .bz2 and .snappy among them.
std::string compression_method(std::string_view method, std::string_view file_name);

} // namespace basalt
