#pragma once

// One record of the server's log as bytes; layout in docs/format/log.md.

#include "base/int_types.h"

#include <compare>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace basalt
{

// Largest record; a transaction past it is refused.
inline constexpr size_t kMaxLogRecordBytes = 1u << 30;

struct TableEdit
{
    std::string table_uuid;
    uint8_t kind = 0; // the table's own numbering
    std::string payload;
};

// A hash of a token's text.
struct TokenKey
{
    uint64_t low = 0;
    uint64_t high = 0;
    auto operator<=>(const TokenKey&) const = default;
};

struct DeduplicationToken
{
    std::string table_uuid;
    bool by_content = false; // not the client's, but a hash of the rows
    TokenKey key;
    int64_t unix_s = 0;
    std::vector<std::string> partitions; // in which its rows stood
};

// Tokens that are not known any more.
struct ForgottenTokens
{
    std::string table_uuid;
    std::string partition_id; // empty: all of the table
};

struct LogRecord
{
    std::vector<TableEdit> edits;
    std::vector<DeduplicationToken> tokens;
    std::vector<std::pair<std::string, std::string>> values;
    std::vector<std::string> forgotten; // uuids of tables that were dropped
    std::vector<ForgottenTokens> forgotten_tokens;
    uint64_t follows = 0; // records before it that were made durable by the same sync

    bool empty() const
    {
        return edits.empty() && tokens.empty() && values.empty() && forgotten.empty() &&
               forgotten_tokens.empty();
    }
    std::string encode() const;
    // Throws CORRUPTED_DATA.
    static LogRecord decode(std::string_view bytes);
};

// The item that is appended to the body of a record that is not the first of its batch.
std::string encode_follows(uint64_t records_before);

// Varints and strings of varint length, appended to and read from memory. read_* throw
// CORRUPTED_DATA at the end of the bytes.
void append_varint(std::string& out, uint64_t value);
void append_text(std::string& out, std::string_view text);
void append_token(std::string& out, const DeduplicationToken& token);
uint64_t take_varint(std::string_view& bytes);
std::string_view take_text(std::string_view& bytes);
DeduplicationToken take_token(std::string_view& bytes);

} // namespace basalt
