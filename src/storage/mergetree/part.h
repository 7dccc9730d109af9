#pragma once

// An open part: an immutable folder of encoded columns. Page tables, the key index and shared
// sections are read when first asked for and then kept.
// Threads: all const methods from any thread. A query holds the parts it reads; a part that was
// replaced removes its folder when the last holder lets go of it.

#include "storage/mergetree/part_manifest.h"
#include "storage/mergetree/part_name.h"

#include <atomic>
#include <functional>
#include <map>
#include <memory>
#include <mutex>

namespace basalt
{

class Part
{
public:
    // directory: the part's folder, which exists.
    Part(FileSystem& files, std::string directory, PartName name, PartManifest manifest);
    ~Part();
    Part(const Part&) = delete;
    Part& operator=(const Part&) = delete;

    const PartName& name() const { return name_; }
    const std::string& name_text() const { return name_text_; }
    const PartManifest& manifest() const { return manifest_; }
    uint64_t rows() const { return manifest_.rows; }
    std::string directory() const;
    const Header& header() const { return header_; } // columns of the manifest

    // Throw CORRUPTED_DATA or CHECKSUM_DOESNT_MATCH, naming the part.
    const PageTable& page_table(size_t column) const;
    const PartDecoder& decoder() const;
    // Key values at the start of each granule and of the last row: granules() + 1 rows, one flat
    // column per primary-key expression; no columns when the table has no key.
    const Columns& key_index() const;
    std::string read_section(const FileSection& section) const;
    // Open as long as somebody holds it: files of parts that nobody reads are closed.
    std::shared_ptr<const ReadableFile> file(uint32_t index, bool direct) const;

    // Before it is shown: the folder was renamed.
    void moved_to(std::string directory);
    // The folder goes when the last holder lets go: `remove` is then called with its path.
    void set_outdated(std::function<void(const std::string& directory)> remove);

    size_t index_memory_bytes() const; // of what was loaded

    // Reads every byte, compares every checksum and decodes every page; throws as reading does.
    // before_page is called now and then and may throw.
    void check(const std::function<void()>& before_page) const;
    // Something read from it was damaged: its table looks at it closer and sets it aside.
    void note_damage(int error_code) const;
    bool is_suspect() const { return is_suspect_.load(std::memory_order_relaxed); }
    void clear_suspicion() const;
    // Parts of all tables that are suspect: so that nobody has to look for them.
    static uint64_t suspects();

private:
    [[noreturn]] void rethrow_named() const;

    FileSystem& files_;
    mutable std::atomic<bool> is_suspect_{false};
    PartName name_;
    std::string name_text_;
    PartManifest manifest_;
    Header header_;

    mutable std::mutex mutex_;
    std::string directory_;
    std::function<void(const std::string&)> remove_;
    mutable std::vector<std::unique_ptr<PageTable>> page_tables_;
    mutable std::shared_ptr<const PartDecoder> decoder_;
    mutable std::unique_ptr<Columns> key_index_;
    mutable std::map<std::pair<uint32_t, bool>, std::weak_ptr<const ReadableFile>> open_files_;
};
using PartPtr = std::shared_ptr<const Part>;

// Errors that say that what is stored is not what was written; not those of a disk that cannot be
// read now.
bool is_damage(int error_code);

// Opens the folder; throws as read_part_manifest.
std::shared_ptr<Part> open_part(FileSystem& files, const std::string& directory,
                                const PartName& name);

} // namespace basalt
