#include "storage/log/checkpoint.h"

#include "base/error.h"
#include "base/failpoint.h"
#include "base/unaligned.h"
#include "codecs/hash.h"

#include <fmt/format.h>

namespace basalt
{

namespace
{

constexpr std::string_view kMagic = "BasaltCP";
constexpr uint32_t kVersion = 2; // 1 had tokens by their text
constexpr size_t kHeadBytes = 20;

constexpr const char* kNames[] = {"checkpoint", "checkpoint.copy"};

} // namespace

void write_checkpoint(FileSystem& files, const std::string& directory,
                      const LogCheckpoint& checkpoint)
{
    std::string body;
    append_varint(body, checkpoint.sequence);
    append_varint(body, checkpoint.last_sequence);
    append_varint(body, checkpoint.tables.size());
    for (const auto& [uuid, table] : checkpoint.tables)
    {
        append_text(body, uuid);
        append_text(body, table.state);
        append_varint(body, table.edits.size());
        for (const auto& edit : table.edits)
        {
            append_varint(body, edit.sequence);
            append_varint(body, edit.kind);
            append_text(body, edit.payload);
        }
    }
    append_varint(body, checkpoint.values.size());
    for (const auto& [key, value] : checkpoint.values)
    {
        append_text(body, key);
        append_text(body, value);
    }
    append_varint(body, checkpoint.tokens.size());
    for (const auto& token : checkpoint.tokens)
        append_token(body, token);
    std::string bytes(kMagic);
    bytes.append(reinterpret_cast<const char*>(&kVersion), sizeof kVersion);
    const uint64_t checksum = xxh3_64(body.data(), body.size());
    bytes.append(reinterpret_cast<const char*>(&checksum), sizeof checksum);
    bytes += body;
    failpoint(Failpoint::CheckpointBeforeWrite);
    for (const char* name : kNames)
        files.replace_whole(join_path(directory, name), bytes);
}

namespace
{

LogCheckpoint decode_checkpoint(FileSystem& files, const std::string& path)
{
    const std::string bytes = files.read_whole(path);
    std::string_view view = bytes;
    if (view.size() < kHeadBytes || view.substr(0, kMagic.size()) != kMagic)
        throw Error(error_codes::CORRUPTED_DATA, fmt::format("{} is not a checkpoint", path));
    const auto version = load<uint32_t>(view.data() + 8);
    if (version == 0 || version > kVersion)
        throw Error(error_codes::UNKNOWN_FORMAT_VERSION,
                    fmt::format("{} was written by a newer version", path));
    const auto checksum = load<uint64_t>(view.data() + 12);
    view.remove_prefix(kHeadBytes);
    if (xxh3_64(view.data(), view.size()) != checksum)
        throw Error(error_codes::CORRUPTED_DATA,
                    fmt::format("Checksum of {} does not match", path));
    LogCheckpoint checkpoint;
    checkpoint.sequence = take_varint(view);
    checkpoint.last_sequence = take_varint(view);
    for (uint64_t n = take_varint(view); n > 0; --n)
    {
        auto& table = checkpoint.tables[std::string(take_text(view))];
        table.state = take_text(view);
        for (uint64_t edits = take_varint(view); edits > 0; --edits)
        {
            LogCheckpoint::Edit edit;
            edit.sequence = take_varint(view);
            edit.kind = static_cast<uint8_t>(take_varint(view));
            edit.payload = take_text(view);
            table.edits.push_back(std::move(edit));
        }
    }
    for (uint64_t n = take_varint(view); n > 0; --n)
    {
        std::string key(take_text(view));
        checkpoint.values.emplace(std::move(key), take_text(view));
    }
    // Version 1 was written before anything brought tokens.
    for (uint64_t n = version == 1 ? 0 : take_varint(view); n > 0; --n)
        checkpoint.tokens.push_back(take_token(view));
    return checkpoint;
}

} // namespace

CheckpointRead read_checkpoint(FileSystem& files, const std::string& directory)
{
    CheckpointRead read;
    for (const char* name : kNames)
    {
        const std::string path = join_path(directory, name);
        if (read.checkpoint || !files.exists(path))
            continue;
        try
        {
            read.checkpoint = decode_checkpoint(files, path);
        }
        catch (const Error& error)
        {
            read.problems.push_back(error.full_text());
            files.rename(path, path + ".damaged");
        }
    }
    return read;
}

} // namespace basalt
