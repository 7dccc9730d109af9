#pragma once

// CREATE texts in the data folder; layout in docs/format/catalog.md. A change of several files is
// first written whole into redo.log (atomically), then applied; what a crash left is applied at
// the next start, so each change happens entirely or not at all. Not thread-safe.

#include "io/file_system.h"

#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace basalt
{

// Letters, digits and _ stay; other bytes become %XX.
std::string escape_file_name(std::string_view name);
std::string unescape_file_name(std::string_view name);

struct MetadataChange
{
    std::string path;
    bool remove = false; // a file or a directory; missing is fine
    std::string content;
};

class MetadataFiles
{
public:
    // An empty path: nothing is kept.
    MetadataFiles(FileSystem& files, std::string data_path);

    bool enabled() const { return !root_.empty(); }
    std::string database_file(std::string_view database) const;
    std::string database_directory(std::string_view database) const;
    std::string table_file(std::string_view database, std::string_view table) const;

    // All of them or none, also after a crash. Once several changes stand in redo.log they are decided: a
    // failure after that is made good by the next call or start, not thrown. One change that fails is
    // taken back: at once, or by the next call when the disk does not let it.
    void apply(const std::vector<MetadataChange>& changes);
    // Does what is left to do or to take back. May throw; the next call tries again.
    void settle();
    // Finishes what redo.log holds. Called once before reading.
    void recover();

    struct DatabaseFile
    {
        std::string name;
        std::string text; // empty when only the directory is there
        std::vector<std::pair<std::string, std::string>> tables; // name, text
    };
    std::vector<DatabaseFile> read_all();
    std::string read_table(std::string_view database, std::string_view table);

private:
    void make_directory(const std::string& path);
    void apply_now(const std::vector<MetadataChange>& changes);
    void apply_one(const MetadataChange& change);
    void settle_redo();
    void settle_undo();

    FileSystem& files_;
    std::string root_;
    std::set<std::string> durable_directories_; // of this process
    // What is to be done with redo.log before the next change: its changes were decided and not all
    // made, or it could not be written and was refused.
    enum class Redo
    {
        None,
        Finish,
        Discard,
    } redo_ = Redo::None;
    // What takes a failed change back; of one that did not fail nothing.
    std::vector<MetadataChange> undo_;
};

} // namespace basalt
