#pragma once

// Statements typed before, one a line with \n and \\ escaped, oldest first; what one program adds others
// see at their next start. One thread.

#include <string>
#include <vector>

namespace basalt
{

inline constexpr size_t kMaxHistoryEntries = 10'000;
inline constexpr size_t kMaxHistoryEntryBytes = 64 << 10; // longer ones are not kept

class HistoryFile
{
public:
    // An unreadable file is an empty history; path may be empty: nothing is kept.
    explicit HistoryFile(std::string path);

    const std::vector<std::string>& entries() const { return entries_; }
    void add(const std::string& entry); // unless it is the last one again

private:
    std::string path_;
    std::vector<std::string> entries_;
};

} // namespace basalt
