#include "storage/log/segment.h"

#include "base/error.h"
#include "base/unaligned.h"
#include "codecs/hash.h"
#include "storage/log/record.h"

#include <charconv>
#include <fmt/format.h>
#include <vector>

namespace basalt
{

namespace
{

constexpr std::string_view kMagic = "BasaltWL";
constexpr uint32_t kVersion = 1;
constexpr size_t kReadBytes = 1 << 20;

std::string head_of_segment()
{
    std::string head(kMagic);
    head.append(reinterpret_cast<const char*>(&kVersion), sizeof kVersion);
    head.resize(kSegmentHeadBytes, '\0');
    return head;
}

uint64_t checksum_of(uint64_t sequence, std::string_view body)
{
    return xxh3_64(body.data(), body.size()) ^ (sequence * 0x9E3779B97F4A7C15ull);
}

// Reads a file from start to end in large pieces.
class ForwardReader
{
public:
    explicit ForwardReader(const ReadableFile& file) : file_(file), size_(file.size()) {}

    // The next `bytes` bytes, or an empty view when the file ends before.
    std::string_view take(size_t bytes)
    {
        if (buffer_.size() - at_ < bytes && !fill(bytes))
            return {};
        const std::string_view result = std::string_view(buffer_).substr(at_, bytes);
        at_ += bytes;
        return result;
    }
    bool at_end() const { return at_ == buffer_.size() && offset_ >= size_; }

private:
    bool fill(size_t bytes)
    {
        buffer_.erase(0, at_);
        at_ = 0;
        if (bytes - buffer_.size() > size_ - std::min(offset_, size_))
            return false;
        const size_t old = buffer_.size();
        const size_t more =
            std::min<uint64_t>(std::max(bytes - old, kReadBytes), size_ - offset_);
        buffer_.resize(old + more);
        file_.read_exact(buffer_.data() + old, more, offset_);
        offset_ += more;
        return true;
    }

    const ReadableFile& file_;
    uint64_t size_;
    uint64_t offset_ = 0;
    std::string buffer_;
    size_t at_ = 0;
};

} // namespace

std::string segment_name(uint64_t first_sequence)
{
    return fmt::format("{:016x}.log", first_sequence);
}

bool parse_segment_name(std::string_view name, uint64_t& first_sequence)
{
    if (name.size() != 20 || name.substr(16) != ".log")
        return false;
    const auto [end, error] = std::from_chars(name.data(), name.data() + 16, first_sequence, 16);
    return error == std::errc() && end == name.data() + 16;
}

SegmentWriter::SegmentWriter(FileSystem& files, const std::string& directory,
                             uint64_t first_sequence)
    : path_(join_path(directory, segment_name(first_sequence)))
{
    file_ = files.open_for_write(path_, OpenMode::Truncate);
    file_->append(head_of_segment());
    file_->sync();
    files.sync_directory(directory);
    bytes_ = synced_bytes_ = kSegmentHeadBytes;
}

void SegmentWriter::append(uint64_t sequence, std::string_view body)
{
    char head[kRecordHeadBytes];
    store(head, static_cast<uint32_t>(body.size()));
    store(head + 4, checksum_of(sequence, body));
    store(head + 12, sequence);
    file_->append(head, sizeof head);
    file_->append(body);
    bytes_ += sizeof head + body.size();
}

void SegmentWriter::sync()
{
    file_->sync();
    synced_bytes_ = bytes_;
}

namespace
{

struct FoundRecord
{
    uint64_t sequence = 0;
    std::string body;
};

struct LaterRecords
{
    std::vector<FoundRecord> records;
    bool of_a_later_sync = false; // than the record that is missing before them
};

// Whole records anywhere in the rest of the file. The sequence number tells where it is worth
// computing a checksum.
LaterRecords find_later_records(const ReadableFile& file, uint64_t offset, uint64_t last_sequence,
                                uint64_t end_sequence)
{
    constexpr uint64_t kMaxSkippedRecords = 1 << 20;
    std::string rest(file.size() - offset, '\0');
    file.read_exact(rest.data(), rest.size(), offset);
    LaterRecords later;
    uint64_t last = last_sequence;
    for (size_t at = 0; at + kRecordHeadBytes < rest.size(); ++at)
    {
        const auto sequence = load<uint64_t>(rest.data() + at + 12);
        const auto size = load<uint32_t>(rest.data() + at);
        if (sequence <= last || sequence >= end_sequence || sequence - last > kMaxSkippedRecords ||
            size == 0 || size > rest.size() - at - kRecordHeadBytes)
            continue;
        const auto body = std::string_view(rest).substr(at + kRecordHeadBytes, size);
        if (checksum_of(sequence, body) != load<uint64_t>(rest.data() + at + 4))
            continue;
        uint64_t follows = 0;
        try
        {
            follows = LogRecord::decode(body).follows;
        }
        catch (const Error&)
        {
            // Whole, but of a newer version: whoever takes it names it.
        }
        later.of_a_later_sync |= sequence - follows > last_sequence + 1;
        later.records.push_back({sequence, std::string(body)});
        last = sequence;
        at += kRecordHeadBytes + size - 1;
    }
    return later;
}

} // namespace

SegmentScan scan_segment(const ReadableFile& file, uint64_t first_sequence, uint64_t end_sequence,
                         const std::function<void(uint64_t sequence, std::string body)>& record)
{
    SegmentScan scan;
    ForwardReader reader(file);
    uint64_t last_sequence = first_sequence - 1;
    const std::string_view head = reader.take(kSegmentHeadBytes);
    bool has_head = !head.empty() && head.substr(0, kMagic.size()) == kMagic;
    if (has_head && load<uint32_t>(head.data() + kMagic.size()) != kVersion)
    {
        scan.is_newer = true;
        has_head = false;
    }
    while (has_head)
    {
        scan.valid_bytes = std::max<uint64_t>(scan.valid_bytes, kSegmentHeadBytes);
        if (reader.at_end())
        {
            scan.whole = true;
            return scan;
        }
        const std::string_view record_head = reader.take(kRecordHeadBytes);
        if (record_head.empty())
            break;
        const auto size = load<uint32_t>(record_head.data());
        const auto checksum = load<uint64_t>(record_head.data() + 4);
        const auto sequence = load<uint64_t>(record_head.data() + 12);
        if (size == 0 || size > kMaxLogRecordBytes || sequence >= end_sequence)
            break;
        const std::string_view body = reader.take(size);
        if (body.empty() || checksum_of(sequence, body) != checksum)
            break;
        record(sequence, std::string(body));
        last_sequence = sequence;
        scan.valid_bytes += kRecordHeadBytes + size;
    }
    const uint64_t offset = std::max<uint64_t>(scan.valid_bytes, kSegmentHeadBytes);
    if (file.size() <= offset)
        return scan;
    LaterRecords later = find_later_records(file, offset, last_sequence, end_sequence);
    // Without a head nothing is known to be torn.
    scan.damaged = later.of_a_later_sync || (!has_head && !later.records.empty());
    scan.is_newer &= !scan.damaged; // its records are of this version: the head is damaged
    if (scan.damaged)
        for (auto& found : later.records)
            record(found.sequence, std::move(found.body));
    return scan;
}

} // namespace basalt
