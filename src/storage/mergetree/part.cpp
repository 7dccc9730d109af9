#include "storage/mergetree/part.h"

#include "base/error.h"
#include "base/profile_events.h"
#include "codecs/hash.h"
#include "storage/block_bytes.h"
#include "storage/mergetree/page_cache.h"

namespace basalt
{

Part::Part(FileSystem& files, std::string directory, PartName name, PartManifest manifest)
    : files_(files), name_(std::move(name)), name_text_(name_.text()),
      manifest_(std::move(manifest)), directory_(std::move(directory)),
      page_tables_(manifest_.columns.size())
{
    for (const auto& column : manifest_.columns)
        header_.push_back({column.name, type_from_name(column.type)});
}

Part::~Part()
{
    page_cache().forget(this);
    clear_suspicion();
    open_files_.clear();
    if (remove_)
        remove_(directory_);
}

std::string Part::directory() const
{
    std::lock_guard lock(mutex_);
    return directory_;
}

void Part::moved_to(std::string directory)
{
    std::lock_guard lock(mutex_);
    directory_ = std::move(directory);
    open_files_.clear();
}

void Part::set_outdated(std::function<void(const std::string&)> remove)
{
    std::lock_guard lock(mutex_);
    remove_ = std::move(remove);
}

std::shared_ptr<const ReadableFile> Part::file(uint32_t index, bool direct) const
{
    std::lock_guard lock(mutex_);
    auto& open = open_files_[{index, direct}];
    std::shared_ptr<const ReadableFile> file = open.lock();
    if (!file)
    {
        BASALT_ASSERT(index < manifest_.files.size());
        ReadOptions options;
        options.direct = direct;
        file = files_.open_for_read(join_path(directory_, manifest_.files[index].name), options);
        open = file;
        server_profile_counters().add(ProfileEvent::FileOpen);
    }
    return file;
}

void Part::rethrow_named() const
{
    try
    {
        throw;
    }
    catch (Error& error)
    {
        error.add_context("While reading part " + name_text_);
        note_damage(error.code());
        throw;
    }
}

namespace
{

std::atomic<uint64_t> suspect_parts{0};

} // namespace

bool is_damage(int error_code)
{
    switch (error_code)
    {
    case error_codes::CORRUPTED_DATA:
    case error_codes::CHECKSUM_DOESNT_MATCH:
    case error_codes::UNKNOWN_FORMAT_VERSION:
    case error_codes::NO_FILE_IN_DATA_PART:
    case error_codes::BAD_SIZE_OF_FILE_IN_DATA_PART:
    case error_codes::FILE_DOESNT_EXIST:
    case error_codes::DIRECTORY_DOESNT_EXIST:
    case error_codes::CANNOT_READ_ALL_DATA:
        return true;
    default:
        return false;
    }
}

void Part::note_damage(int error_code) const
{
    if (is_damage(error_code) && !is_suspect_.exchange(true))
        ++suspect_parts;
}

void Part::clear_suspicion() const
{
    if (is_suspect_.exchange(false))
        --suspect_parts;
}

uint64_t Part::suspects()
{
    return suspect_parts.load(std::memory_order_relaxed);
}

std::string Part::read_section(const FileSection& section) const
{
    std::string bytes(section.size, '\0');
    if (section.size == 0)
        return bytes;
    file(section.file, false)->read_exact(bytes.data(), bytes.size(), section.offset);
    if (xxh3_64(bytes.data(), bytes.size()) != section.checksum)
    {
        Error error(error_codes::CHECKSUM_DOESNT_MATCH, "Checksum of a section does not match");
        error.add_context("While reading part " + name_text_);
        note_damage(error.code());
        throw error;
    }
    return bytes;
}

const PageTable& Part::page_table(size_t column) const
{
    {
        std::lock_guard lock(mutex_);
        if (page_tables_[column])
        {
            server_profile_counters().add(ProfileEvent::MarkCacheHits);
            return *page_tables_[column];
        }
    }
    server_profile_counters().add(ProfileEvent::MarkCacheMisses);
    std::unique_ptr<PageTable> table;
    try
    {
        table = std::make_unique<PageTable>(
            PageTable::decode(read_section(manifest_.columns[column].pages)));
        if (table->entries.size() != manifest_.pages())
            throw Error(error_codes::CORRUPTED_DATA, "A page table has the wrong size");
    }
    catch (const Error&)
    {
        rethrow_named();
    }
    std::lock_guard lock(mutex_);
    if (!page_tables_[column])
        page_tables_[column] = std::move(table);
    return *page_tables_[column];
}

const PartDecoder& Part::decoder() const
{
    {
        std::lock_guard lock(mutex_);
        if (decoder_)
            return *decoder_;
    }
    const auto keep_open = file(0, false);
    std::vector<std::string> shared;
    for (const auto& column : manifest_.columns)
        shared.push_back(read_section(column.shared));
    auto decoder = make_part_decoder(header_, std::move(shared), manifest_.granule_rows);
    std::lock_guard lock(mutex_);
    if (!decoder_)
        decoder_ = std::move(decoder);
    return *decoder_;
}

const Columns& Part::key_index() const
{
    {
        std::lock_guard lock(mutex_);
        if (key_index_)
            return *key_index_;
    }
    auto columns = std::make_unique<Columns>();
    if (manifest_.primary_index.size)
    {
        try
        {
            const Block block = decode_block(read_section(manifest_.primary_index));
            if (block.rows() != manifest_.granules() + 1)
                throw Error(error_codes::CORRUPTED_DATA, "The key index has the wrong size");
            for (const auto& column : block.columns())
                columns->push_back(column.column);
        }
        catch (const Error&)
        {
            rethrow_named();
        }
    }
    std::lock_guard lock(mutex_);
    if (!key_index_)
        key_index_ = std::move(columns);
    return *key_index_;
}

size_t Part::index_memory_bytes() const
{
    std::lock_guard lock(mutex_);
    size_t bytes = 0;
    if (key_index_)
        for (const auto& column : *key_index_)
            bytes += column->byte_size();
    return bytes;
}

std::shared_ptr<Part> open_part(FileSystem& files, const std::string& directory,
                                const PartName& name)
{
    return std::make_shared<Part>(files, directory, name, read_part_manifest(files, directory));
}

} // namespace basalt
