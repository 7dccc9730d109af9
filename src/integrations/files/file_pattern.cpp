#include "integrations/files/file_pattern.h"

#include "base/error.h"

#include <algorithm>
#include <cstdlib>
#include <fmt/format.h>
#include <set>

namespace basalt
{

namespace
{

// "1..3", "01..10": the numbers in between, as wide as the first is written.
bool expand_range(std::string_view body, std::vector<std::string>& options)
{
    const size_t dots = body.find("..");
    if (dots == std::string_view::npos)
        return false;
    const std::string from(body.substr(0, dots)), to(body.substr(dots + 2));
    const auto all_digits = [](const std::string& text)
    {
        return !text.empty() && text.size() < 10 &&
               text.find_first_not_of("0123456789") == std::string::npos;
    };
    if (!all_digits(from) || !all_digits(to))
        return false;
    const long first = std::atol(from.c_str()), last = std::atol(to.c_str());
    const size_t width = from[0] == '0' || to[0] == '0' ? std::max(from.size(), to.size()) : 0;
    const long step = first <= last ? 1 : -1;
    for (long i = first;; i += step)
    {
        options.push_back(fmt::format("{:0{}}", i, width));
        if (i == last || options.size() > kMaxBraceAlternatives)
            return true;
    }
}

class Walk
{
public:
    Walk(FileSystem& files, std::set<std::string>& found) : files_(files), found_(found) {}

    // rest: what of the pattern stands behind `directory`.
    void descend(const std::string& directory, std::string_view rest, size_t depth = 0)
    {
        if (depth > kMaxDirectoryDepth)
            return;
        const size_t slash = rest.find('/');
        const std::string_view part = rest.substr(0, slash);
        const bool last = slash == std::string_view::npos;
        const std::string_view behind = last ? std::string_view() : rest.substr(slash + 1);
        if (part.find_first_of("*?") == std::string_view::npos)
        {
            const std::string path = join(directory, part);
            if (last)
                take(path);
            else if (part.empty() || files_.exists(path))
                descend(path, behind, depth + 1);
            return;
        }
        if (part == "**" && !last)
            descend(directory, behind, depth + 1);
        const std::string listed = directory.empty() ? "." : directory;
        if (!files_.exists(listed) || !files_.is_directory(listed))
            return;
        for (const auto& entry : files_.list(listed))
        {
            // Links are followed by status(), not by the listing.
            const bool is_directory =
                entry.is_directory || files_.is_directory(join(directory, entry.name));
            if (part == "**" && is_directory)
                descend(join(directory, entry.name), rest, depth + 1);
            if (!matches_pattern(entry.name, part))
                continue;
            if (!last && is_directory)
                descend(join(directory, entry.name), behind, depth + 1);
            if (last && !is_directory)
                take(join(directory, entry.name));
        }
    }

private:
    static std::string join(const std::string& directory, std::string_view name)
    {
        if (directory.empty())
            return std::string(name.empty() ? "/" : name);
        return directory == "/" ? directory + std::string(name)
                                : directory + "/" + std::string(name);
    }

    void take(const std::string& path)
    {
        const auto status = files_.status(path);
        if (!status)
            return;
        if (status->is_directory)
        {
            for (const auto& entry : files_.list(path))
                if (!entry.is_directory)
                    take(join(path, entry.name));
            return;
        }
        if (found_.size() >= kMaxMatchedFiles)
            throw Error(error_codes::TOO_LARGE_ARRAY_SIZE,
                        fmt::format("More than {} files match", kMaxMatchedFiles));
        found_.insert(path);
    }

    FileSystem& files_;
    std::set<std::string>& found_;
};

} // namespace

bool has_pattern(std::string_view path)
{
    return path.find_first_of("*?{") != std::string_view::npos;
}

std::vector<std::string> expand_braces(const std::string& pattern)
{
    std::vector<std::string> done, todo = {pattern};
    while (!todo.empty())
    {
        std::string one = std::move(todo.back());
        todo.pop_back();
        const size_t open = one.find('{');
        const size_t close = open == std::string::npos ? open : one.find('}', open);
        if (close == std::string::npos)
        {
            done.push_back(std::move(one));
            continue;
        }
        const std::string body = one.substr(open + 1, close - open - 1);
        std::vector<std::string> options;
        if (!expand_range(body, options))
            for (size_t at = 0; at <= body.size();)
            {
                const size_t end = std::min(body.find(',', at), body.size());
                options.push_back(body.substr(at, end - at));
                at = end + 1;
            }
        for (const auto& option : options)
            todo.push_back(one.substr(0, open) + option + one.substr(close + 1));
        if (todo.size() + done.size() > kMaxBraceAlternatives)
            throw Error(error_codes::TOO_LARGE_ARRAY_SIZE,
                        fmt::format("{} means more than {} paths", pattern, kMaxBraceAlternatives));
    }
    return done;
}

bool matches_pattern(std::string_view name, std::string_view pattern)
{
    size_t n = 0, p = 0, star = std::string_view::npos, retry = 0;
    while (n < name.size())
    {
        if (p < pattern.size() && (pattern[p] == '?' || pattern[p] == name[n]) && pattern[p] != '*')
        {
            ++p;
            ++n;
        }
        else if (p < pattern.size() && pattern[p] == '*')
        {
            star = p++;
            retry = n;
        }
        else if (star != std::string_view::npos)
        {
            p = star + 1;
            n = ++retry;
        }
        else
            return false;
    }
    while (p < pattern.size() && pattern[p] == '*')
        ++p;
    return p == pattern.size();
}

std::vector<std::string> find_files(FileSystem& files, const std::string& pattern)
{
    std::set<std::string> found;
    for (const auto& one : expand_braces(pattern))
        Walk(files, found).descend("", one);
    return {found.begin(), found.end()};
}

} // namespace basalt
