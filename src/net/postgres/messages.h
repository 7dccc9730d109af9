#pragma once

// Messages of PostgreSQL's wire protocol 3.0: bytes to structs and back, nothing else. Numbers are
// big-endian. docs/protocol/postgres.md has the tables. Broken bytes throw INCORRECT_DATA,
// TOO_LARGE_STRING_SIZE or ATTEMPT_TO_READ_AFTER_EOF. Threads: pure functions.

#include "base/error.h"
#include "io/buffer.h"

#include <map>
#include <optional>
#include <string>
#include <vector>

namespace basalt
{

inline constexpr uint32_t kMaxPostgresStartupBytes = 10000;
inline constexpr uint32_t kMaxPostgresMessageBytes = 256 << 20;
inline constexpr uint32_t kMaxPostgresPasswordBytes = 8192; // before a client is known
inline constexpr size_t kMaxPostgresStatements = 10000; // prepared, and portals, of a connection

struct PostgresStartup
{
    enum class Kind
    {
        Session,
        Cancel,
        WantsTls,
        WantsGss,
    } kind = Kind::Session;
    std::map<std::string, std::string> parameters; // user, database, application_name …
    uint32_t process_id = 0, secret = 0;           // of Cancel
};
// The first message of a connection, which has no letter.
PostgresStartup read_postgres_startup(InputBuffer& in);

// A message behind the startup: its letter and its body. nullopt at the end of the stream.
struct PostgresMessage
{
    char letter = 0;
    std::string body;
};
std::optional<PostgresMessage> read_postgres_message(
    InputBuffer& in, uint32_t max_bytes = kMaxPostgresMessageBytes);

struct PostgresParse
{
    std::string name, text;
    std::vector<uint32_t> parameter_types; // object ids; 0 or absent: not said
};
PostgresParse parse_postgres_parse(const std::string& body);

struct PostgresBind
{
    std::string portal, statement;
    std::vector<int16_t> parameter_formats; // 0 text, 1 binary; none, one for all, or one each
    std::vector<std::optional<std::string>> parameters;
    std::vector<int16_t> result_formats;

    int16_t parameter_format(size_t i) const;
    int16_t result_format(size_t i) const;
};
PostgresBind parse_postgres_bind(const std::string& body);

struct PostgresTarget // of Describe and Close
{
    char kind = 'S'; // S a statement, P a portal
    std::string name;
};
PostgresTarget parse_postgres_target(const std::string& body);

struct PostgresExecute
{
    std::string portal;
    uint32_t max_rows = 0; // 0: all
};
PostgresExecute parse_postgres_execute(const std::string& body);
std::string parse_postgres_text(const std::string& body); // of Query

// Builds one message of the server.
class PostgresWriter
{
public:
    explicit PostgresWriter(char letter) : bytes_(1, letter) { bytes_.append(4, '\0'); }

    void i16(int64_t value);
    void i32(int64_t value);
    void text(std::string_view value) // with a zero behind
    {
        bytes_ += value;
        bytes_ += '\0';
    }
    void byte(char c) { bytes_ += c; }
    void bytes(std::string_view value) { bytes_ += value; }
    // A value with its length in front; nullopt is NULL.
    void value(const std::optional<std::string>& value);
    void send(OutputBuffer& out);

private:
    std::string bytes_;
};

struct PostgresColumn
{
    std::string name;
    uint32_t type = 25;
    int16_t type_bytes = -1; // -1: of any length
    int16_t format = 0;
};
void write_postgres_row_description(OutputBuffer& out, const std::vector<PostgresColumn>& columns);
void write_postgres_parameter_description(OutputBuffer& out, const std::vector<uint32_t>& types);
// severity: ERROR, FATAL.
void write_postgres_error(OutputBuffer& out, const Error& error, std::string_view severity);
void write_postgres_letter(OutputBuffer& out, char letter); // a message without a body
void write_postgres_complete(OutputBuffer& out, std::string_view tag);

// The five characters that PostgreSQL has for what our code means.
std::string_view sqlstate_of(int code);

} // namespace basalt
