#include "io/real_path.h"

#include "base/error.h"
#include "io/file_system.h"

#include <cerrno>
#include <climits>
#include <cstdlib>
#include <fmt/format.h>
#include <sys/stat.h>

namespace basalt
{

std::string real_path(const std::string& path)
{
    std::string head = path.empty() ? "." : path;
    std::string tail;
    for (;;)
    {
        char resolved[PATH_MAX];
        if (::realpath(head.c_str(), resolved))
        {
            const std::string found(resolved);
            return tail.empty() ? found : join_path(found == "/" ? "" : found, tail);
        }
        if (errno != ENOENT)
            throw_file_error(error_codes::CANNOT_STAT, "look at", path, errno);
        // A link to nothing would be followed when a file is made there.
        struct stat status;
        if (::lstat(head.c_str(), &status) == 0)
            throw Error(error_codes::CANNOT_STAT,
                        fmt::format("Cannot look at {}: {} is a link to nothing", path, head));
        while (head.size() > 1 && head.back() == '/')
            head.pop_back();
        const size_t slash = head.find_last_of('/');
        const std::string name = slash == std::string::npos ? head : head.substr(slash + 1);
        if (name == "..")
            throw Error(error_codes::BAD_ARGUMENTS,
                        fmt::format("Path {} goes up from what does not exist", path));
        if (name != ".")
            tail = tail.empty() ? name : name + "/" + tail;
        head = slash == std::string::npos ? "." : slash == 0 ? "/" : head.substr(0, slash);
    }
}

} // namespace basalt
