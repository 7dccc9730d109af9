#pragma once

// Files as tables: the table function file(), FROM 'file' and standard input of `basalt local`.
// A structure that is not given is guessed (formats/infer.h), a format and a compression follow from
// the file's name. Rows come file after file, sorted by path, with _path, _file, _size and _time.

#include "catalog/catalog.h"
#include "io/buffer.h"

#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>

namespace basalt
{

struct FileAccess
{
    // Only files below are read and written, links followed; relative paths begin here. Empty: all,
    // from the working directory.
    std::string root;
    // What file('-') reads; null: there is none.
    std::shared_ptr<InputBuffer> standard_input;
};

// As the arguments of file() say it; "auto" where nothing is said.
struct FileDescription
{
    std::string path;
    std::string format = "auto", structure = "auto", compression = "auto";
};

// Looks at the files when format or structure are "auto". Throws DATABASE_ACCESS_DENIED for what is
// outside of the root, CANNOT_STAT and CANNOT_EXTRACT_TABLE_STRUCTURE for a structure that cannot be
// found, CANNOT_DETECT_FORMAT.
TablePtr make_file_table(FileSystem& files, std::shared_ptr<const FileAccess> access,
                         FileDescription description, const QueryContext& context);

// The table function file().
void register_file_function(Catalog& catalog, FileSystem& files,
                            std::shared_ptr<const FileAccess> access);

} // namespace basalt
