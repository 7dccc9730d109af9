#include "tests/unit/sql/corpus.h"

#include <algorithm>
#include <filesystem>
#include <fstream>

namespace basalt
{

namespace
{

// The tree of sources stands above the program.
std::filesystem::path corpus_folder(const char* folder)
{
    std::filesystem::path at = std::filesystem::read_symlink("/proc/self/exe").parent_path();
    for (const auto& start : {at, std::filesystem::current_path()})
    {
        for (at = start; !at.empty() && at != at.root_path(); at = at.parent_path())
            if (std::filesystem::exists(at / "tests/unit/sql" / folder))
                return at / "tests/unit/sql" / folder;
    }
    return {};
}

} // namespace

std::vector<std::string> read_corpus(const char* name)
{
    std::vector<std::string> statements;
    const std::filesystem::path folder = corpus_folder(name);
    if (folder.empty())
        return statements;
    std::vector<std::filesystem::path> files;
    for (const auto& entry : std::filesystem::directory_iterator(folder))
        files.push_back(entry.path());
    std::sort(files.begin(), files.end());
    for (const auto& path : files)
    {
        std::ifstream file(path);
        for (std::string line; std::getline(file, line);)
            if (!line.empty() && line.rfind("--", 0) != 0)
                statements.push_back(line);
    }
    return statements;
}

} // namespace basalt
