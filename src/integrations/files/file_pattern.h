#pragma once

// Paths with *, ?, {a,b} and {1..3}: which files they mean. Threads: pure but for reading directories.

#include "io/file_system.h"

#include <string>
#include <string_view>
#include <vector>

namespace basalt
{

inline constexpr size_t kMaxMatchedFiles = 1'000'000;
inline constexpr size_t kMaxBraceAlternatives = 100'000;

bool has_pattern(std::string_view path);
// {a,b} and {1..3} written out; throws TOO_LARGE_ARRAY_SIZE past kMaxBraceAlternatives.
std::vector<std::string> expand_braces(const std::string& pattern);
// * is any text, ? one character; neither means '/'.
bool matches_pattern(std::string_view name, std::string_view pattern);
// Files, sorted by path; "**" stands for any depth of directories. A path without a pattern is given back
// when there is such a file; a directory means all files in it.
std::vector<std::string> find_files(FileSystem& files, const std::string& pattern);

} // namespace basalt
