#include "storage/log/record.h"

#include "base/error.h"
#include "base/unaligned.h"
#include "io/binary.h"

namespace basalt
{

namespace
{

// Numbers on disk, never reused.
enum class Item : uint8_t
{
    Edit = 1,
    // 2 was a token by its text.
    Value = 3,
    Forgotten = 4,
    Token = 5,
    ForgottenTokens = 6,
    Follows = 7,
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

void append_token(std::string& out, const DeduplicationToken& token)
{
    append_text(out, token.table_uuid);
    out.push_back(token.by_content ? 1 : 0);
    out.append(reinterpret_cast<const char*>(&token.key.low), sizeof token.key.low);
    out.append(reinterpret_cast<const char*>(&token.key.high), sizeof token.key.high);
    append_varint(out, static_cast<uint64_t>(token.unix_s));
    append_varint(out, token.partitions.size());
    for (const auto& partition : token.partitions)
        append_text(out, partition);
}

DeduplicationToken take_token(std::string_view& bytes)
{
    DeduplicationToken token;
    token.table_uuid = take_text(bytes);
    constexpr size_t kFixedBytes = 1 + 2 * sizeof(uint64_t);
    if (bytes.size() < kFixedBytes)
        throw_corrupted();
    token.by_content = bytes[0] != 0;
    token.key.low = load<uint64_t>(bytes.data() + 1);
    token.key.high = load<uint64_t>(bytes.data() + 9);
    bytes.remove_prefix(kFixedBytes);
    token.unix_s = static_cast<int64_t>(take_varint(bytes));
    for (uint64_t n = take_varint(bytes); n > 0; --n)
        token.partitions.emplace_back(take_text(bytes));
    return token;
}

std::string encode_follows(uint64_t records_before)
{
    std::string number;
    append_varint(number, records_before);
    std::string out(1, static_cast<char>(Item::Follows));
    append_text(out, number);
    return out;
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
        append_token(out, token);
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
    for (const auto& tokens_gone : forgotten_tokens)
    {
        begin(Item::ForgottenTokens);
        append_text(out, tokens_gone.table_uuid);
        append_text(out, tokens_gone.partition_id);
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
        if (item == Item::Token)
        {
            record.tokens.push_back(take_token(bytes));
            continue;
        }
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
        case Item::Value:
            record.values.emplace_back(std::move(first), std::string(take_text(bytes)));
            break;
        case Item::Forgotten:
            record.forgotten.push_back(std::move(first));
            break;
        case Item::ForgottenTokens:
            record.forgotten_tokens.push_back({std::move(first), std::string(take_text(bytes))});
            break;
        case Item::Follows:
        {
            std::string_view number = first;
            record.follows = take_varint(number);
            break;
        }
        default:
            throw_corrupted();
        }
    }
    return record;
}

} // namespace basalt
