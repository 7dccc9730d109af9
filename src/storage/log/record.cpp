#include "storage/log/record.h"

#include "base/error.h"
#include "io/binary.h"

namespace basalt
{

namespace
{

// Numbers on disk, never reused.
enum class Item : uint8_t
{
    Edit = 1,
    Token = 2,
    Value = 3,
    Forgotten = 4,
};

[[noreturn]] void throw_corrupted()
{
    throw Error(error_codes::CORRUPTED_DATA, "Damaged log record");
}

} // namespace

void append_varint(std::string& out, uint64_t value)
{
    char bytes[kMaxVarintBytes];
    out.append(bytes, static_cast<size_t>(put_varint(value, bytes) - bytes));
}

void append_text(std::string& out, std::string_view text)
{
    append_varint(out, text.size());
    out.append(text);
}

uint64_t take_varint(std::string_view& bytes)
{
    uint64_t value = 0;
    const char* next = get_varint(value, bytes.data(), bytes.data() + bytes.size());
    if (!next)
        throw_corrupted();
    bytes.remove_prefix(static_cast<size_t>(next - bytes.data()));
    return value;
}

std::string_view take_text(std::string_view& bytes)
{
    const uint64_t size = take_varint(bytes);
    if (size > bytes.size())
        throw_corrupted();
    const std::string_view text = bytes.substr(0, size);
    bytes.remove_prefix(size);
    return text;
}

std::string LogRecord::encode() const
{
    std::string out;
    const auto begin = [&](Item item) { out.push_back(static_cast<char>(item)); };
    for (const auto& edit : edits)
    {
        begin(Item::Edit);
        append_text(out, edit.table_uuid);
        out.push_back(static_cast<char>(edit.kind));
        append_text(out, edit.payload);
    }
    for (const auto& token : tokens)
    {
        begin(Item::Token);
        append_text(out, token.table_uuid);
        append_text(out, token.token);
        append_varint(out, static_cast<uint64_t>(token.unix_s));
    }
    for (const auto& [key, value] : values)
    {
        begin(Item::Value);
        append_text(out, key);
        append_text(out, value);
    }
    for (const auto& uuid : forgotten)
    {
        begin(Item::Forgotten);
        append_text(out, uuid);
    }
    return out;
}

LogRecord LogRecord::decode(std::string_view bytes)
{
    LogRecord record;
    while (!bytes.empty())
    {
        const auto item = static_cast<Item>(bytes[0]);
        bytes.remove_prefix(1);
        std::string first(take_text(bytes));
        switch (item)
        {
        case Item::Edit:
        {
            if (bytes.empty())
                throw_corrupted();
            const auto kind = static_cast<uint8_t>(bytes[0]);
            bytes.remove_prefix(1);
            record.edits.push_back({std::move(first), kind, std::string(take_text(bytes))});
            break;
        }
        case Item::Token:
        {
            std::string token(take_text(bytes));
            const auto unix_s = static_cast<int64_t>(take_varint(bytes));
            record.tokens.push_back({std::move(first), std::move(token), unix_s});
            break;
        }
        case Item::Value:
            record.values.emplace_back(std::move(first), std::string(take_text(bytes)));
            break;
        case Item::Forgotten:
            record.forgotten.push_back(std::move(first));
            break;
        default:
            throw_corrupted();
        }
    }
    return record;
}

} // namespace basalt
