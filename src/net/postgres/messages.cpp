#include "net/postgres/messages.h"

#include <fmt/format.h>

namespace basalt
{

namespace
{

constexpr uint32_t kProtocolMajor = 3;
constexpr uint32_t kCancelRequest = 80877102, kTlsRequest = 80877103, kGssRequest = 80877104;

[[noreturn]] void broken(const char* what)
{
    throw Error(error_codes::INCORRECT_DATA, fmt::format("Broken message: {}", what));
}

uint32_t big_endian(const char* at)
{
    uint32_t value = 0;
    for (int i = 0; i < 4; ++i)
        value = value << 8 | static_cast<unsigned char>(at[i]);
    return value;
}

uint32_t read_i32(InputBuffer& in)
{
    char bytes[4];
    in.read_exact(bytes, sizeof(bytes));
    return big_endian(bytes);
}

// Grows only as bytes arrive.
std::string read_body(InputBuffer& in, uint32_t size)
{
    constexpr size_t kStep = 1 << 16;
    std::string body;
    while (body.size() < size)
    {
        const size_t old = body.size(), step = std::min<size_t>(kStep, size - old);
        body.resize(old + step);
        in.read_exact(body.data() + old, step);
    }
    return body;
}

class Reader
{
public:
    explicit Reader(const std::string& body) : body_(body) {}

    std::string text()
    {
        const size_t end = body_.find('\0', at_);
        if (end == std::string::npos)
            broken("a text does not end");
        std::string value = body_.substr(at_, end - at_);
        at_ = end + 1;
        return value;
    }
    uint16_t u16()
    {
        need(2);
        const auto value = static_cast<uint16_t>(static_cast<unsigned char>(body_[at_]) << 8 |
                                                 static_cast<unsigned char>(body_[at_ + 1]));
        at_ += 2;
        return value;
    }
    uint32_t u32()
    {
        need(4);
        const uint32_t value = big_endian(body_.data() + at_);
        at_ += 4;
        return value;
    }
    char byte()
    {
        need(1);
        return body_[at_++];
    }
    std::string bytes(size_t size)
    {
        need(size);
        std::string value = body_.substr(at_, size);
        at_ += size;
        return value;
    }
    bool at_end() const { return at_ == body_.size(); }
    void expect_end() const
    {
        if (!at_end())
            broken("bytes behind its end");
    }

private:
    void need(size_t size) const
    {
        if (body_.size() - at_ < size)
            broken("it is too short");
    }

    const std::string& body_;
    size_t at_ = 0;
};

int16_t format_at(const std::vector<int16_t>& formats, size_t i)
{
    if (formats.empty())
        return 0;
    return formats.size() == 1 ? formats[0] : i < formats.size() ? formats[i] : int16_t{0};
}

} // namespace

PostgresStartup read_postgres_startup(InputBuffer& in)
{
    const uint32_t size = read_i32(in);
    if (size < 8 || size > kMaxPostgresStartupBytes)
        broken("the length of the first message");
    const std::string body = read_body(in, size - 4);
    Reader reader(body);
    const uint32_t code = reader.u32();
    PostgresStartup startup;
    if (code == kTlsRequest || code == kGssRequest)
    {
        startup.kind = code == kTlsRequest ? PostgresStartup::Kind::WantsTls
                                           : PostgresStartup::Kind::WantsGss;
        return startup;
    }
    if (code == kCancelRequest)
    {
        startup.kind = PostgresStartup::Kind::Cancel;
        startup.process_id = reader.u32();
        startup.secret = reader.u32();
        return startup;
    }
    if (code >> 16 != kProtocolMajor)
        throw Error(error_codes::NOT_IMPLEMENTED,
                    fmt::format("Protocol {}.{} of PostgreSQL is not implemented; 3.0 is",
                                code >> 16, code & 0xFFFF));
    for (;;)
    {
        std::string name = reader.text();
        if (name.empty())
            break;
        startup.parameters[std::move(name)] = reader.text();
    }
    return startup;
}

std::optional<PostgresMessage> read_postgres_message(InputBuffer& in, uint32_t max_bytes)
{
    if (in.eof())
        return std::nullopt;
    PostgresMessage message;
    message.letter = in.read_byte();
    const uint32_t size = read_i32(in);
    if (size < 4)
        broken("its length");
    if (size - 4 > max_bytes)
        throw Error(error_codes::TOO_LARGE_STRING_SIZE,
                    fmt::format("A message of {} bytes; the limit is {}", size - 4, max_bytes));
    message.body = read_body(in, size - 4);
    return message;
}

PostgresParse parse_postgres_parse(const std::string& body)
{
    Reader reader(body);
    PostgresParse parse;
    parse.name = reader.text();
    parse.text = reader.text();
    const uint16_t count = reader.u16();
    for (uint16_t i = 0; i < count; ++i)
        parse.parameter_types.push_back(reader.u32());
    reader.expect_end();
    return parse;
}

int16_t PostgresBind::parameter_format(size_t i) const
{
    return format_at(parameter_formats, i);
}

int16_t PostgresBind::result_format(size_t i) const
{
    return format_at(result_formats, i);
}

PostgresBind parse_postgres_bind(const std::string& body)
{
    Reader reader(body);
    PostgresBind bind;
    bind.portal = reader.text();
    bind.statement = reader.text();
    const auto formats = [&](std::vector<int16_t>& into)
    {
        const uint16_t count = reader.u16();
        for (uint16_t i = 0; i < count; ++i)
        {
            const uint16_t format = reader.u16();
            if (format > 1)
                broken("an unknown format of a value");
            into.push_back(static_cast<int16_t>(format));
        }
    };
    formats(bind.parameter_formats);
    const uint16_t count = reader.u16();
    for (uint16_t i = 0; i < count; ++i)
    {
        const auto size = static_cast<int32_t>(reader.u32());
        if (size == -1)
            bind.parameters.emplace_back();
        else if (size < 0)
            broken("the length of a parameter");
        else
            bind.parameters.emplace_back(reader.bytes(static_cast<size_t>(size)));
    }
    formats(bind.result_formats);
    reader.expect_end();
    return bind;
}

PostgresTarget parse_postgres_target(const std::string& body)
{
    Reader reader(body);
    PostgresTarget target;
    target.kind = reader.byte();
    if (target.kind != 'S' && target.kind != 'P')
        broken("neither a statement nor a portal");
    target.name = reader.text();
    reader.expect_end();
    return target;
}

PostgresExecute parse_postgres_execute(const std::string& body)
{
    Reader reader(body);
    PostgresExecute execute;
    execute.portal = reader.text();
    execute.max_rows = reader.u32();
    reader.expect_end();
    return execute;
}

std::string parse_postgres_text(const std::string& body)
{
    Reader reader(body);
    std::string text = reader.text();
    reader.expect_end();
    return text;
}

void PostgresWriter::i16(int64_t value)
{
    bytes_ += static_cast<char>(value >> 8);
    bytes_ += static_cast<char>(value);
}

void PostgresWriter::i32(int64_t value)
{
    i16(value >> 16);
    i16(value);
}

void PostgresWriter::value(const std::optional<std::string>& value)
{
    if (!value)
    {
        i32(-1);
        return;
    }
    i32(static_cast<int64_t>(value->size()));
    bytes_ += *value;
}

void PostgresWriter::send(OutputBuffer& out)
{
    const size_t size = bytes_.size() - 1;
    if (size > kMaxPostgresMessageBytes)
        throw Error(error_codes::TOO_LARGE_STRING_SIZE,
                    fmt::format("A row of {} bytes; the limit is {}", size,
                                kMaxPostgresMessageBytes));
    for (int i = 0; i < 4; ++i)
        bytes_[1 + static_cast<size_t>(i)] = static_cast<char>(size >> (24 - 8 * i));
    out.write(bytes_);
}

void write_postgres_row_description(OutputBuffer& out, const std::vector<PostgresColumn>& columns)
{
    PostgresWriter message('T');
    message.i16(static_cast<int64_t>(columns.size()));
    for (const auto& column : columns)
    {
        message.text(column.name);
        message.i32(0); // no table
        message.i16(0); // nor a column of one
        message.i32(column.type);
        message.i16(column.type_bytes);
        message.i32(-1); // no modifier
        message.i16(column.format);
    }
    message.send(out);
}

void write_postgres_parameter_description(OutputBuffer& out, const std::vector<uint32_t>& types)
{
    PostgresWriter message('t');
    message.i16(static_cast<int64_t>(types.size()));
    for (const uint32_t type : types)
        message.i32(type);
    message.send(out);
}

void write_postgres_error(OutputBuffer& out, const Error& error, std::string_view severity)
{
    PostgresWriter message('E');
    const auto field = [&](char letter, std::string_view value)
    {
        message.byte(letter);
        message.text(value.substr(0, value.find('\0')));
    };
    field('S', severity);
    field('V', severity);
    field('C', sqlstate_of(error.code()));
    field('M', error.full_text());
    message.byte('\0');
    message.send(out);
}

void write_postgres_letter(OutputBuffer& out, char letter)
{
    PostgresWriter(letter).send(out);
}

void write_postgres_complete(OutputBuffer& out, std::string_view tag)
{
    PostgresWriter message('C');
    message.text(tag);
    message.send(out);
}

std::string_view sqlstate_of(int code)
{
    switch (code)
    {
    case error_codes::UNKNOWN_TABLE:
        return "42P01";
    case error_codes::SYNTAX_ERROR:
        return "42601";
    case error_codes::UNKNOWN_IDENTIFIER:
    case error_codes::NO_SUCH_COLUMN_IN_TABLE:
        return "42703";
    case error_codes::UNKNOWN_FUNCTION:
        return "42883";
    case error_codes::UNKNOWN_DATABASE:
        return "3D000";
    case error_codes::TABLE_ALREADY_EXISTS:
        return "42P07";
    case error_codes::DATABASE_ALREADY_EXISTS:
        return "42P04";
    case error_codes::QUERY_WAS_CANCELLED:
    case error_codes::TIMEOUT_EXCEEDED:
        return "57014";
    case error_codes::AUTHENTICATION_FAILED:
        return "28P01";
    case error_codes::NOT_IMPLEMENTED:
        return "0A000";
    case error_codes::ILLEGAL_DIVISION:
        return "22012";
    case error_codes::TYPE_MISMATCH:
    case error_codes::ILLEGAL_TYPE_OF_ARGUMENT:
        return "42804";
    case error_codes::CANNOT_PARSE_TEXT:
    case error_codes::CANNOT_PARSE_INPUT_ASSERTION_FAILED:
    case error_codes::CANNOT_PARSE_NUMBER:
    case error_codes::CANNOT_PARSE_DATETIME:
    case error_codes::CANNOT_PARSE_DATE:
    case error_codes::CANNOT_PARSE_UUID:
        return "22P02";
    case error_codes::MEMORY_LIMIT_EXCEEDED:
        return "53200";
    case error_codes::TOO_MANY_SIMULTANEOUS_QUERIES:
        return "53300";
    case error_codes::READONLY:
        return "25006";
    case error_codes::VIOLATED_CONSTRAINT:
        return "23514";
    case error_codes::INCORRECT_DATA:
    case error_codes::TOO_LARGE_STRING_SIZE:
    case error_codes::UNEXPECTED_PACKET_FROM_CLIENT:
        return "08P01";
    default:
        return "XX000";
    }
}

} // namespace basalt
