#pragma once

#include "io/file_system.h"

namespace basalt
{

// Makes the directory and its parents so that they survive a power cut.
inline void create_durable_directory(FileSystem& files, const std::string& path)
{
    files.create_directories(path);
    std::string at = path;
    for (size_t depth = 0; depth < kMaxDirectoryDepth && at != "/" && at != "."; ++depth)
    {
        at = parent_directory(at);
        files.sync_directory(at);
    }
}

} // namespace basalt
