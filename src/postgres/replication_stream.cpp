#include "postgres/replication_stream.h"

#include "base/clock.h"
#include "base/error.h"
#include "postgres/connection.h"
#include "postgres/pgoutput.h"
#include "postgres/value_reader.h"

#include <cerrno>
#include <fmt/core.h>
#include <libpq-fe.h>
#include <poll.h>

namespace basalt::pg
{

namespace
{

using Result = std::unique_ptr<PGresult, decltype(&PQclear)>;

uint64_t take_uint64(const char* bytes)
{
    uint64_t value = 0;
    for (int i = 0; i < 8; ++i)
        value = value << 8 | static_cast<uint8_t>(bytes[i]);
    return value;
}

void put_uint64(std::string& out, uint64_t value)
{
    for (int shift = 56; shift >= 0; shift -= 8)
        out.push_back(static_cast<char>(value >> shift));
}

} // namespace

struct ReplicationStream::Impl
{
    PGconn* connection = nullptr;
    char* received = nullptr;

    ~Impl()
    {
        PQfreemem(received);
        PQfinish(connection);
    }

    [[noreturn]] void fail(const char* what)
    {
        std::string text = PQerrorMessage(connection);
        while (!text.empty() && text.back() == '\n')
            text.pop_back();
        throw Error(error_codes::POSTGRESQL_CONNECTION_FAILURE,
                    fmt::format("{}: {}", what, text));
    }

    Result command(const std::string& text, ExecStatusType wanted)
    {
        Result result(PQexec(connection, text.c_str()), &PQclear);
        if (PQresultStatus(result.get()) != wanted)
            fail("PostgreSQL refuses a replication command");
        return result;
    }
};

ReplicationStream::ReplicationStream(std::vector<std::pair<std::string, std::string>> options)
    : impl_(std::make_unique<Impl>())
{
    options.insert(options.end(), {{"replication", "database"},
                                   {"connect_timeout", "10"},
                                   {"application_name", "basalt"},
                                   {"options", kReaderSession}});
    std::vector<const char*> names, values;
    for (const auto& [name, value] : options)
    {
        names.push_back(name.c_str());
        values.push_back(value.c_str());
    }
    names.push_back(nullptr);
    values.push_back(nullptr);
    impl_->connection = PQconnectdbParams(names.data(), values.data(), 0);
    ignore_notices(impl_->connection);
    if (PQstatus(impl_->connection) != CONNECTION_OK)
        impl_->fail("Cannot connect to PostgreSQL for replication");
}

ReplicationStream::~ReplicationStream() = default;

std::string ReplicationStream::system_identifier()
{
    const Result result = impl_->command("IDENTIFY_SYSTEM", PGRES_TUPLES_OK);
    return PQgetvalue(result.get(), 0, 0);
}

Lsn ReplicationStream::create_slot(const std::string& name)
{
    const Result result =
        impl_->command(fmt::format("CREATE_REPLICATION_SLOT {} LOGICAL pgoutput NOEXPORT_SNAPSHOT",
                                   quote_name(name)),
                       PGRES_TUPLES_OK);
    const auto lsn = Lsn::parse(PQgetvalue(result.get(), 0, 1));
    if (!lsn)
        impl_->fail("PostgreSQL made a slot without a position");
    return *lsn;
}

void ReplicationStream::start(const std::string& slot, Lsn from,
                              const std::vector<std::string>& publications)
{
    std::string names;
    for (const auto& publication : publications)
        names += (names.empty() ? "" : ",") + quote_name(publication);
    impl_->command(fmt::format("START_REPLICATION SLOT {} LOGICAL {} (proto_version '1', "
                               "publication_names {})",
                               quote_name(slot), from.text(), quote_text(names)),
                   PGRES_COPY_BOTH);
}

std::optional<StreamMessage> ReplicationStream::next(int64_t timeout_ms)
{
    constexpr size_t kDataHeader = 1 + 8 + 8 + 8;
    constexpr size_t kKeepAlive = 1 + 8 + 8 + 1;
    PQfreemem(impl_->received);
    impl_->received = nullptr;
    int bytes = PQgetCopyData(impl_->connection, &impl_->received, 1);
    if (bytes == 0)
    {
        pollfd wait{PQsocket(impl_->connection), POLLIN, 0};
        const int ready = ::poll(&wait, 1, static_cast<int>(timeout_ms));
        if (ready == 0 || (ready < 0 && errno == EINTR))
            return std::nullopt;
        if (!PQconsumeInput(impl_->connection))
            impl_->fail("The replication connection is lost");
        bytes = PQgetCopyData(impl_->connection, &impl_->received, 1);
        if (bytes == 0)
            return std::nullopt;
    }
    if (bytes < 0)
    {
        const Result result(PQgetResult(impl_->connection), &PQclear);
        impl_->fail("The replication stream has ended");
    }
    const size_t size = static_cast<size_t>(bytes);
    StreamMessage message;
    if (impl_->received[0] == 'w' && size >= kDataHeader)
    {
        message.end.value = take_uint64(impl_->received + 9);
        message.payload = std::string_view(impl_->received, size).substr(kDataHeader);
        return message;
    }
    if (impl_->received[0] == 'k' && size >= kKeepAlive)
    {
        message.end.value = take_uint64(impl_->received + 1);
        message.wants_reply = impl_->received[17] != 0;
        return message;
    }
    throw Error(error_codes::INCORRECT_DATA, "The replication stream holds an unknown message");
}

void ReplicationStream::confirm(Lsn durable, bool ask)
{
    std::string message = "r";
    for (int i = 0; i < 3; ++i) // written, flushed, applied
        put_uint64(message, durable.value);
    put_uint64(message,
               static_cast<uint64_t>(system_clock().unix_us() - kPostgresEpochUnixUs));
    message.push_back(ask ? 1 : 0);
    if (PQputCopyData(impl_->connection, message.data(), static_cast<int>(message.size())) != 1 ||
        PQflush(impl_->connection) < 0)
        impl_->fail("The replication connection is lost");
}

} // namespace basalt::pg
