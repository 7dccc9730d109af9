#pragma once

#include "io/file_system.h"

#include <cstdlib>
#include <string>

namespace basalt
{

// A directory of the real file system, removed with everything in it.
class TestDirectory
{
public:
    TestDirectory()
    {
        const char* base = std::getenv("TMPDIR");
        path_ = std::string(base ? base : "/tmp") + "/basalt_test_XXXXXX";
        if (!::mkdtemp(path_.data()))
            std::abort();
    }
    ~TestDirectory() { real_file_system().remove_directory_recursive(path_); }
    const std::string& path() const { return path_; }
    std::string file(const std::string& name) const { return path_ + "/" + name; }

private:
    std::string path_;
};

} // namespace basalt
