#include "programs/history_file.h"

#include "base/error.h"
#include "io/file_system.h"

#include <algorithm>
#include <sys/stat.h>

namespace basalt
{

namespace
{

// The first line of a file that libedit wrote: blanks are \040 in it.
constexpr std::string_view kLibeditHead = "_HiStOrY_V2_";

std::string escaped(const std::string& entry)
{
    std::string line;
    for (const char c : entry)
        if (c == '\n')
            line += "\\n";
        else if (c == '\\')
            line += "\\\\";
        else
            line += c;
    return line + "\n";
}

std::string unescaped(std::string_view line, bool octal)
{
    std::string entry;
    for (size_t i = 0; i < line.size(); ++i)
    {
        if (line[i] != '\\' || i + 1 == line.size())
            entry += line[i];
        else if (octal && i + 3 < line.size() && line[i + 1] >= '0' && line[i + 1] <= '3')
        {
            entry += static_cast<char>((line[i + 1] - '0') * 64 + (line[i + 2] - '0') * 8 +
                                       (line[i + 3] - '0'));
            i += 3;
        }
        else
            entry += line[++i] == 'n' ? '\n' : line[i];
    }
    return entry;
}

} // namespace

HistoryFile::HistoryFile(std::string path) : path_(std::move(path))
{
    if (path_.empty())
        return;
    try
    {
        if (!real_file_system().exists(path_))
            return;
        const std::string text = real_file_system().read_whole(path_);
        const bool octal = text.starts_with(kLibeditHead);
        size_t lines = 0;
        for (size_t at = octal ? std::min(text.find('\n'), text.size() - 1) + 1 : 0;
             at < text.size();)
        {
            const size_t end = std::min(text.find('\n', at), text.size());
            if (end > at)
                entries_.push_back(unescaped(std::string_view(text).substr(at, end - at), octal));
            ++lines;
            at = end + 1;
        }
        if (entries_.size() > kMaxHistoryEntries)
            entries_.erase(entries_.begin(), entries_.end() -
                                                 static_cast<std::ptrdiff_t>(kMaxHistoryEntries));
        if (octal || lines > 2 * kMaxHistoryEntries)
        {
            std::string all;
            for (const auto& entry : entries_)
                all += escaped(entry);
            real_file_system().replace_whole(path_, all);
        }
    }
    catch (const Error&)
    {
        // A history that cannot be read or made shorter is no reason not to work.
    }
}

void HistoryFile::add(const std::string& entry)
{
    if (entry.empty() || entry.size() > kMaxHistoryEntryBytes ||
        (!entries_.empty() && entries_.back() == entry))
        return;
    entries_.push_back(entry);
    if (path_.empty())
        return;
    try
    {
        const bool is_new = !real_file_system().exists(path_);
        const auto file = real_file_system().open_for_write(path_, OpenMode::Append);
        if (is_new)
            ::chmod(path_.c_str(), 0600); // statements may hold secrets
        file->append(escaped(entry));
        file->close();
    }
    catch (const Error&)
    {
        // It is still there until the program ends.
    }
}

} // namespace basalt
