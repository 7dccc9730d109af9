#include "postgres/wal_archive.h"

#include "base/error.h"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <fmt/core.h>
#include <memory>
#include <zstd.h>

namespace basalt::pg
{

using namespace error_codes;

namespace
{

constexpr int kCompressionLevel = 1;

std::optional<uint32_t> hex(std::string_view text)
{
    uint32_t value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value, 16);
    if (text.empty() || error != std::errc() || end != text.data() + text.size())
        return std::nullopt;
    return value;
}

std::string base_name(const std::string& path)
{
    return path.substr(path.rfind('/') + 1);
}

std::string compress(const std::string& content)
{
    const std::unique_ptr<ZSTD_CCtx, decltype(&ZSTD_freeCCtx)> context(ZSTD_createCCtx(),
                                                                        &ZSTD_freeCCtx);
    ZSTD_CCtx_setParameter(context.get(), ZSTD_c_compressionLevel, kCompressionLevel);
    ZSTD_CCtx_setParameter(context.get(), ZSTD_c_checksumFlag, 1);
    std::string out(ZSTD_compressBound(content.size()), '\0');
    const size_t n = ZSTD_compress2(context.get(), out.data(), out.size(), content.data(),
                                    content.size());
    if (ZSTD_isError(n))
        throw Error(CANNOT_COMPRESS, fmt::format("ZSTD: {}", ZSTD_getErrorName(n)));
    out.resize(n);
    return out;
}

[[noreturn]] void throw_damaged(const std::string& path, const char* how)
{
    throw Error(CHECKSUM_DOESNT_MATCH,
                fmt::format("The archived file {} is damaged: {}. Restore from an older backup to a "
                            "time before it, or take the file from a copy of the archive",
                            path, how));
}

std::string read_archived(FileSystem& files, const std::string& path)
{
    const std::string packed = files.read_whole(path, kMaxArchivedFileBytes);
    const unsigned long long size = ZSTD_getFrameContentSize(packed.data(), packed.size());
    if (size == ZSTD_CONTENTSIZE_ERROR || size == ZSTD_CONTENTSIZE_UNKNOWN ||
        size > kMaxArchivedFileBytes)
        throw_damaged(path, "it is no ZSTD frame of a known size");
    std::string content(size, '\0');
    const size_t n = ZSTD_decompress(content.data(), content.size(), packed.data(), packed.size());
    if (ZSTD_isError(n))
        throw_damaged(path, ZSTD_getErrorName(n));
    if (n != size)
        throw_damaged(path, "it holds fewer bytes than it says");
    return content;
}

void write_synced(FileSystem& files, const std::string& path, const std::string& content)
{
    const auto file = files.open_for_write(path, OpenMode::Truncate);
    file->append(content);
    file->sync();
    file->close();
}

} // namespace

std::string Lsn::text() const
{
    return fmt::format("{:X}/{:X}", value >> 32, value & 0xFFFFFFFF);
}

std::optional<Lsn> Lsn::parse(std::string_view text)
{
    const size_t slash = text.find('/');
    if (slash == std::string_view::npos || slash > 8 || text.size() - slash - 1 > 8)
        return std::nullopt;
    const auto high = hex(text.substr(0, slash));
    const auto low = hex(text.substr(slash + 1));
    if (!high || !low)
        return std::nullopt;
    return Lsn{uint64_t{*high} << 32 | *low};
}

std::string Segment::name() const
{
    return fmt::format("{:08X}{:08X}{:08X}", timeline, number / kSegmentsPerLog,
                       number % kSegmentsPerLog);
}

std::optional<Segment> Segment::parse(std::string_view name)
{
    if (name.size() != 24)
        return std::nullopt;
    for (const char c : name)
        if (!std::isdigit(static_cast<unsigned char>(c)) && !(c >= 'A' && c <= 'F'))
            return std::nullopt;
    const auto timeline = hex(name.substr(0, 8));
    const auto log = hex(name.substr(8, 8));
    const auto part = hex(name.substr(16, 8));
    if (!timeline || !log || !part || *part >= kSegmentsPerLog)
        return std::nullopt;
    return Segment{*timeline, *log * kSegmentsPerLog + *part};
}

bool is_archivable_name(std::string_view name)
{
    if (Segment::parse(name))
        return true;
    if (name.size() == 16 && name.ends_with(".history"))
        return hex(name.substr(0, 8)).has_value();
    if (name.size() > 24 && Segment::parse(name.substr(0, 24)))
    {
        const std::string_view rest = name.substr(24);
        if (rest == ".partial")
            return true;
        // "….00000028.backup": the offset of a backup's start.
        return rest.size() == 16 && rest[0] == '.' && rest.ends_with(".backup") &&
               hex(rest.substr(1, 8)).has_value();
    }
    return false;
}

void archive_file(FileSystem& files, const std::string& source, const std::string& folder)
{
    const std::string name = base_name(source);
    if (!is_archivable_name(name))
        throw Error(INCORRECT_FILE_NAME, fmt::format("{} is no file of a PostgreSQL log", name));
    const std::string content = files.read_whole(source, kMaxArchivedFileBytes);
    const std::string target = folder + "/" + name + kArchiveSuffix;
    if (files.exists(target))
    {
        if (read_archived(files, target) == content)
            return;
        throw Error(CHECKSUM_DOESNT_MATCH,
                    fmt::format("{} is in the archive already, with other content: another server "
                                "writes there, or this one was put back in time",
                                target));
    }
    const std::string temporary = target + ".tmp";
    write_synced(files, temporary, compress(content));
    if (read_archived(files, temporary) != content)
        throw_damaged(temporary, "it does not read back as it was written");
    files.rename(temporary, target);
    files.sync_directory(folder);
}

bool fetch_file(FileSystem& files, const std::string& folder, const std::string& unfinished,
                const std::string& name, const std::string& target)
{
    if (!is_archivable_name(name))
        throw Error(INCORRECT_FILE_NAME, fmt::format("{} is no file of a PostgreSQL log", name));
    const std::string archived = folder + "/" + name + kArchiveSuffix;
    if (files.exists(archived))
    {
        write_synced(files, target, read_archived(files, archived));
        return true;
    }
    if (!unfinished.empty() && files.exists(unfinished + "/" + name))
    {
        write_synced(files, target,
                     files.read_whole(unfinished + "/" + name, kMaxArchivedFileBytes));
        return true;
    }
    return false;
}

ArchiveSummary look_at_archive(FileSystem& files, const std::string& folder,
                               std::optional<Segment> from, bool check_contents)
{
    ArchiveSummary result;
    for (const auto& entry : files.list(folder))
    {
        std::string_view name = entry.name;
        if (entry.is_directory || !name.ends_with(kArchiveSuffix))
            continue;
        name.remove_suffix(std::string_view(kArchiveSuffix).size());
        if (!is_archivable_name(name))
            continue;
        const std::string path = folder + "/" + entry.name;
        result.bytes += files.file_size(path);
        if (check_contents)
        {
            try
            {
                read_archived(files, path);
            }
            catch (const Error&)
            {
                result.damaged.push_back(entry.name);
            }
        }
        if (const auto segment = Segment::parse(name))
            result.segments.push_back(*segment);
    }
    std::sort(result.segments.begin(), result.segments.end());
    // A new timeline goes on within the segment where it left the old one.
    std::vector<Segment> by_number;
    for (const auto& segment : result.segments)
        if (!from || segment.number >= from->number)
            by_number.push_back(segment);
    std::sort(by_number.begin(), by_number.end(),
              [](const Segment& a, const Segment& b)
              { return std::pair(a.number, a.timeline) < std::pair(b.number, b.timeline); });
    Segment next = from ? *from : by_number.empty() ? Segment{} : by_number[0];
    for (const auto& segment : by_number)
    {
        for (; next.number < segment.number && result.gaps.size() < kMaxGaps; ++next.number)
            result.gaps.push_back(Segment{segment.timeline, next.number}.name());
        next = {segment.timeline, segment.number + 1};
    }
    return result;
}

size_t remove_older_segments(FileSystem& files, const std::string& folder, Segment oldest)
{
    size_t removed = 0;
    for (const auto& entry : files.list(folder))
    {
        // Labels of backups go with their segment; histories stay, they are needed and tiny.
        const auto segment = Segment::parse(std::string_view(entry.name).substr(0, 24));
        if (entry.is_directory || !segment || segment->number >= oldest.number ||
            segment->timeline > oldest.timeline)
            continue;
        files.remove_file(folder + "/" + entry.name);
        ++removed;
    }
    if (removed > 0)
        files.sync_directory(folder);
    return removed;
}

} // namespace basalt::pg
