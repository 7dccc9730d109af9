#include "catalog/metadata_files.h"

#include "base/error.h"
#include "base/failpoint.h"

#include <charconv>
#include <fmt/format.h>
#include <map>

namespace basalt
{

namespace
{

constexpr size_t kUndoAttempts = 8;

constexpr const char* kRedoName = "redo.log";
constexpr std::string_view kRedoHeader = "basalt metadata redo 1\n";
constexpr std::string_view kSuffix = ".sql";

std::string encode_changes(const std::vector<MetadataChange>& changes)
{
    std::string out(kRedoHeader);
    for (const MetadataChange& change : changes)
        out += fmt::format("{} {} {}\n{}\n{}\n", change.remove ? "remove" : "write",
                           change.path.size(), change.content.size(), change.path,
                           change.content);
    return out + "end\n";
}

bool take(std::string_view& text, size_t bytes, std::string& out)
{
    if (text.size() < bytes + 1 || text[bytes] != '\n')
        return false;
    out.assign(text.substr(0, bytes));
    text.remove_prefix(bytes + 1);
    return true;
}

std::vector<MetadataChange> decode_changes(std::string_view text)
{
    auto bad = []
    { throw Error(error_codes::CORRUPTED_DATA, "The redo file of the metadata is damaged"); };
    if (!text.starts_with(kRedoHeader))
        bad();
    text.remove_prefix(kRedoHeader.size());
    std::vector<MetadataChange> changes;
    while (!text.starts_with("end\n"))
    {
        MetadataChange change;
        if (text.starts_with("remove "))
            change.remove = true;
        else if (!text.starts_with("write "))
            bad();
        text.remove_prefix(change.remove ? 7 : 6);
        size_t path_bytes = 0, content_bytes = 0;
        auto first = std::from_chars(text.data(), text.data() + text.size(), path_bytes);
        if (first.ec != std::errc() || first.ptr == text.data() + text.size() || *first.ptr != ' ')
            bad();
        auto second =
            std::from_chars(first.ptr + 1, text.data() + text.size(), content_bytes);
        if (second.ec != std::errc() || second.ptr == text.data() + text.size() ||
            *second.ptr != '\n')
            bad();
        text.remove_prefix(static_cast<size_t>(second.ptr + 1 - text.data()));
        if (!take(text, path_bytes, change.path) || !take(text, content_bytes, change.content))
            bad();
        changes.push_back(std::move(change));
    }
    return changes;
}

} // namespace

std::string escape_file_name(std::string_view name)
{
    constexpr char kHex[] = "0123456789ABCDEF";
    std::string out;
    for (const char c : name)
    {
        const bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
                           (c >= '0' && c <= '9') || c == '_';
        if (plain)
        {
            out += c;
            continue;
        }
        const auto byte = static_cast<unsigned char>(c);
        out += '%';
        out += kHex[byte >> 4];
        out += kHex[byte & 15];
    }
    return out;
}

std::string unescape_file_name(std::string_view name)
{
    auto digit = [](char c)
    { return c >= '0' && c <= '9' ? c - '0' : c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1; };
    std::string out;
    for (size_t i = 0; i < name.size(); ++i)
    {
        if (name[i] == '%' && i + 2 < name.size() && digit(name[i + 1]) >= 0 &&
            digit(name[i + 2]) >= 0)
        {
            out += static_cast<char>(digit(name[i + 1]) * 16 + digit(name[i + 2]));
            i += 2;
        }
        else
            out += name[i];
    }
    return out;
}

MetadataFiles::MetadataFiles(FileSystem& files, std::string data_path)
    : files_(files), root_(data_path.empty() ? "" : join_path(data_path, "metadata"))
{
}

std::string MetadataFiles::database_file(std::string_view database) const
{
    return join_path(root_, escape_file_name(database) + std::string(kSuffix));
}

std::string MetadataFiles::database_directory(std::string_view database) const
{
    return join_path(root_, escape_file_name(database));
}

std::string MetadataFiles::table_file(std::string_view database, std::string_view table) const
{
    return join_path(database_directory(database),
                     escape_file_name(table) + std::string(kSuffix));
}

void MetadataFiles::apply(const std::vector<MetadataChange>& changes)
{
    if (!enabled() || changes.empty())
        return;
    failpoint(Failpoint::CatalogBeforeWrite);
    make_directory(root_);
    settle();
    if (changes.size() == 1)
        return apply_one(changes.front());
    redo_ = Redo::Discard;
    try
    {
        files_.replace_whole(join_path(root_, kRedoName), encode_changes(changes));
    }
    catch (...)
    {
        try
        {
            settle_redo();
        }
        catch (const Error&)
        {
            // Before the next change, then.
        }
        throw;
    }
    redo_ = Redo::Finish;
    try
    {
        settle_redo();
    }
    catch (const Error&)
    {
        // Decided: see the header.
    }
}

void MetadataFiles::apply_one(const MetadataChange& change)
{
    const auto status = files_.status(change.path);
    std::vector<MetadataChange> undo;
    if (!status)
        undo.push_back({change.path, true, {}});
    else if (!status->is_directory)
        undo.push_back({change.path, false, files_.read_whole(change.path)});
    try
    {
        apply_now({change});
    }
    catch (const Error&)
    {
        undo_ = std::move(undo);
        // A disk that failed for a moment works again.
        for (size_t attempt = 0; attempt < kUndoAttempts && !undo_.empty(); ++attempt)
            try
            {
                settle_undo();
            }
            catch (const Error&)
            {
                // Before the next change, then.
            }
        throw;
    }
}

void MetadataFiles::settle_undo()
{
    if (undo_.empty())
        return;
    apply_now(undo_);
    // The removal of what is not there has not synced the folder that may not know it yet.
    const std::string folder = parent_directory(undo_.front().path);
    if (files_.exists(folder))
        files_.sync_directory(folder);
    undo_.clear();
}

void MetadataFiles::settle()
{
    settle_redo();
    settle_undo();
}

void MetadataFiles::settle_redo()
{
    if (redo_ == Redo::None)
        return;
    const std::string redo = join_path(root_, kRedoName);
    if (redo_ == Redo::Finish && files_.exists(redo))
        apply_now(decode_changes(files_.read_whole(redo)));
    files_.remove_file_if_exists(redo);
    files_.sync_directory(root_);
    redo_ = Redo::None;
}

// With its missing parents, each name made durable.
void MetadataFiles::make_directory(const std::string& path)
{
    const std::string parent = parent_directory(path);
    if (!files_.exists(path))
    {
        durable_directories_.erase(path);
        if (parent != path)
            make_directory(parent);
        files_.create_directories(path);
    }
    // One that is there may be of an attempt whose sync failed.
    if (durable_directories_.contains(path))
        return;
    files_.sync_directory(parent);
    durable_directories_.insert(path);
}

void MetadataFiles::apply_now(const std::vector<MetadataChange>& changes)
{
    for (const MetadataChange& change : changes)
    {
        const std::string directory = parent_directory(change.path);
        if (!change.remove)
        {
            make_directory(directory);
            files_.replace_whole(change.path, change.content);
            continue;
        }
        const auto status = files_.status(change.path);
        if (!status)
            continue;
        if (status->is_directory)
            files_.remove_directory_recursive(change.path);
        else
            files_.remove_file_if_exists(change.path);
        files_.sync_directory(directory);
    }
}

void MetadataFiles::recover()
{
    if (!enabled())
        return;
    if (!files_.exists(join_path(root_, kRedoName)))
        return;
    redo_ = Redo::Finish;
    settle_redo();
}

std::vector<MetadataFiles::DatabaseFile> MetadataFiles::read_all()
{
    std::map<std::string, DatabaseFile> found;
    if (!enabled() || !files_.exists(root_))
        return {};
    for (const DirectoryEntry& entry : files_.list(root_))
    {
        if (entry.is_directory)
        {
            DatabaseFile& database = found[unescape_file_name(entry.name)];
            const std::string directory = join_path(root_, entry.name);
            for (const DirectoryEntry& file : files_.list(directory))
            {
                if (file.is_directory || !file.name.ends_with(kSuffix))
                    continue;
                const auto stem = file.name.substr(0, file.name.size() - kSuffix.size());
                database.tables.emplace_back(unescape_file_name(stem),
                                             files_.read_whole(join_path(directory, file.name)));
            }
        }
        else if (entry.name.ends_with(kSuffix))
        {
            const auto stem = entry.name.substr(0, entry.name.size() - kSuffix.size());
            found[unescape_file_name(stem)].text = files_.read_whole(join_path(root_, entry.name));
        }
    }
    std::vector<DatabaseFile> result;
    for (auto& [name, database] : found)
    {
        database.name = name;
        result.push_back(std::move(database));
    }
    return result;
}

std::string MetadataFiles::read_table(std::string_view database, std::string_view table)
{
    if (!enabled())
        return {};
    settle_redo();
    const std::string path = table_file(database, table);
    return files_.exists(path) ? files_.read_whole(path) : std::string();
}

} // namespace basalt
