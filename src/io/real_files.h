#pragma once

// Open files of the real file system; used through io/file_system.h.

#include "io/file_system.h"

namespace basalt
{

std::unique_ptr<WritableFile> open_real_for_write(const std::string& path, OpenMode mode);
std::unique_ptr<ReadableFile> open_real_for_read(const std::string& path, ReadOptions options);

} // namespace basalt
