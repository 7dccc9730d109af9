#include "net/native/messages.h"

#include "io/binary.h"
#include "net/native/old_settings.h"

#include <fmt/format.h>

namespace basalt
{

namespace
{

std::string hello_string(InputBuffer& in)
{
    return read_string(in, kMaxHelloStringBytes);
}

std::string info_string(InputBuffer& in)
{
    return read_string(in, kMaxClientInfoStringBytes);
}

uint8_t read_u8(InputBuffer& in)
{
    return static_cast<uint8_t>(in.read_byte());
}

uint64_t read_count(InputBuffer& in, uint64_t limit, const char* what)
{
    const uint64_t count = read_varint(in);
    if (count > limit)
        throw Error(error_codes::TOO_LARGE_ARRAY_SIZE,
                    fmt::format("{} {}; the limit is {}", count, what, limit));
    return count;
}

// Name, flags, value until an empty name.
std::vector<NativeSetting> read_string_settings(InputBuffer& in, uint64_t max_count,
                                                uint64_t max_bytes, const char* what)
{
    constexpr uint64_t kImportant = 1, kCustom = 2;
    std::vector<NativeSetting> settings;
    for (;;)
    {
        NativeSetting setting;
        setting.name = read_string(in, kMaxSettingBytes);
        if (setting.name.empty())
            return settings;
        if (settings.size() >= max_count)
            throw Error(error_codes::TOO_LARGE_ARRAY_SIZE,
                        fmt::format("More than {} {}", max_count, what));
        const uint64_t flags = read_varint(in);
        setting.important = flags & kImportant;
        setting.custom = flags & kCustom;
        setting.value = read_string(in, max_bytes);
        settings.push_back(std::move(setting));
    }
}

void write_string_setting(OutputBuffer& out, const NativeSetting& setting)
{
    write_string(out, setting.name);
    write_varint(out, (setting.important ? 1 : 0) | (setting.custom ? 2 : 0));
    write_string(out, setting.value);
}

// A custom setting's value is written as a literal: 'a\'b' stands for a'b.
std::string unquote(const std::string& text)
{
    if (text.size() < 2 || text.front() != '\'' || text.back() != '\'')
        return text;
    std::string value;
    for (size_t i = 1; i + 1 < text.size(); ++i)
    {
        char c = text[i];
        if (c == '\\' && i + 2 < text.size())
        {
            c = text[++i];
            switch (c)
            {
            case 'n':
                c = '\n';
                break;
            case 't':
                c = '\t';
                break;
            case 'r':
                c = '\r';
                break;
            case 'b':
                c = '\b';
                break;
            case 'f':
                c = '\f';
                break;
            case '0':
                c = '\0';
                break;
            default:
                break;
            }
        }
        value += c;
    }
    return value;
}

std::string quote(const std::string& text)
{
    std::string quoted = "'";
    for (const char c : text)
    {
        if (c == '\\' || c == '\'')
            quoted += '\\';
        quoted += c;
    }
    return quoted + "'";
}

} // namespace

void write_packet(OutputBuffer& out, ServerPacket packet)
{
    write_varint(out, static_cast<uint64_t>(packet));
}

void write_packet(OutputBuffer& out, ClientPacket packet)
{
    write_varint(out, static_cast<uint64_t>(packet));
}

ClientHello read_client_hello(InputBuffer& in)
{
    ClientHello hello;
    hello.client_name = hello_string(in);
    hello.version_major = read_varint(in);
    hello.version_minor = read_varint(in);
    hello.revision = read_varint(in);
    hello.database = hello_string(in);
    hello.user = hello_string(in);
    hello.password = hello_string(in);
    return hello;
}

void write_client_hello(OutputBuffer& out, const ClientHello& hello)
{
    write_packet(out, ClientPacket::Hello);
    write_string(out, hello.client_name);
    write_varint(out, hello.version_major);
    write_varint(out, hello.version_minor);
    write_varint(out, hello.revision);
    write_string(out, hello.database);
    write_string(out, hello.user);
    write_string(out, hello.password);
}

bool is_chunking_preference(std::string_view text)
{
    return text == "chunked" || text == "notchunked" || text == "chunked_optional" ||
           text == "notchunked_optional";
}

bool agree_on_chunking(std::string_view server, std::string_view client)
{
    const bool server_chunks = server.starts_with("chunked");
    const bool client_chunks = client.starts_with("chunked");
    if (server.ends_with("_optional"))
        return client_chunks;
    if (client.ends_with("_optional") || server_chunks == client_chunks)
        return server_chunks;
    throw Error(error_codes::NETWORK_ERROR,
                fmt::format("Incompatible protocol: the server has {} and the client {}", server,
                            client));
}

ServerHello read_server_hello(InputBuffer& in, uint64_t own_revision)
{
    ServerHello hello;
    hello.server_name = hello_string(in);
    hello.version_major = read_varint(in);
    hello.version_minor = read_varint(in);
    hello.revision = read_varint(in);
    const uint64_t revision = std::min(own_revision, hello.revision);
    if (revision < kMinNativeRevision)
        throw Error(error_codes::NOT_IMPLEMENTED,
                    fmt::format("The server's protocol revision {} is too old; at least {} is "
                                "wanted",
                                hello.revision, kMinNativeRevision));
    if (revision >= revision::kParallelReplicasVersion)
        read_varint(in);
    hello.timezone = hello_string(in);
    hello.display_name = hello_string(in);
    hello.version_patch = read_varint(in);
    if (revision >= revision::kChunkedPackets)
    {
        hello.send_chunked = hello_string(in);
        hello.receive_chunked = hello_string(in);
    }
    if (revision >= revision::kPasswordRules)
    {
        const uint64_t count = read_count(in, kMaxPasswordRules, "password rules");
        for (uint64_t i = 0; i < 2 * count; ++i)
            hello_string(in);
    }
    if (revision >= revision::kInterserverSecretV2)
        hello.nonce = read_fixed<uint64_t>(in);
    if (revision >= revision::kServerSettings)
        read_string_settings(in, kMaxQuerySettings, kMaxSettingBytes, "settings");
    if (revision >= revision::kQueryPlan)
        read_varint(in);
    if (revision >= revision::kClusterFunctionVersion)
        read_varint(in);
    return hello;
}

void write_server_hello(OutputBuffer& out, const ServerHello& hello, uint64_t revision)
{
    write_packet(out, ServerPacket::Hello);
    write_string(out, hello.server_name);
    write_varint(out, hello.version_major);
    write_varint(out, hello.version_minor);
    write_varint(out, hello.revision);
    if (revision >= revision::kParallelReplicasVersion)
        write_varint(out, kParallelReplicasProtocolVersion);
    write_string(out, hello.timezone);
    write_string(out, hello.display_name);
    write_varint(out, hello.version_patch);
    if (revision >= revision::kChunkedPackets)
    {
        write_string(out, hello.send_chunked);
        write_string(out, hello.receive_chunked);
    }
    if (revision >= revision::kPasswordRules)
        write_varint(out, 0);
    if (revision >= revision::kInterserverSecretV2)
        write_fixed<uint64_t>(out, hello.nonce);
    if (revision >= revision::kServerSettings)
        write_string(out, "");
    if (revision >= revision::kQueryPlan)
        write_varint(out, kQueryPlanVersion);
    if (revision >= revision::kClusterFunctionVersion)
        write_varint(out, kClusterFunctionProtocolVersion);
}

Addendum read_addendum(InputBuffer& in, uint64_t revision)
{
    Addendum addendum;
    if (revision < revision::kAddendum)
        return addendum;
    addendum.quota_key = hello_string(in);
    if (revision >= revision::kChunkedPackets)
    {
        addendum.send_chunked = hello_string(in);
        addendum.receive_chunked = hello_string(in);
        if (!is_chunking_preference(addendum.send_chunked) ||
            !is_chunking_preference(addendum.receive_chunked))
            throw Error(error_codes::INCORRECT_DATA,
                        "The client's choice of chunked packets is not one");
    }
    if (revision >= revision::kParallelReplicasVersion)
        addendum.parallel_replicas_version = read_varint(in);
    return addendum;
}

void write_addendum(OutputBuffer& out, const Addendum& addendum, uint64_t revision)
{
    if (revision < revision::kAddendum)
        return;
    write_string(out, addendum.quota_key);
    if (revision >= revision::kChunkedPackets)
    {
        write_string(out, addendum.send_chunked);
        write_string(out, addendum.receive_chunked);
    }
    if (revision >= revision::kParallelReplicasVersion)
        write_varint(out, addendum.parallel_replicas_version);
}

NativeClientInfo read_client_info(InputBuffer& in, uint64_t revision)
{
    using Kind = NativeClientInfo::QueryKind;
    using Interface = NativeClientInfo::Interface;
    NativeClientInfo info;
    const uint8_t kind = read_u8(in);
    if (kind > static_cast<uint8_t>(Kind::Secondary))
        throw Error(error_codes::INCORRECT_DATA, fmt::format("Unknown kind of query {}", kind));
    info.query_kind = static_cast<Kind>(kind);
    if (info.query_kind == Kind::None)
        return info;
    info.initial_user = info_string(in);
    info.initial_query_id = info_string(in);
    info.initial_address = info_string(in);
    if (revision >= revision::kInitialQueryStartTime)
        info.initial_query_start_us = read_fixed<int64_t>(in);
    info.interface = read_u8(in);
    const bool is_tcp = info.interface == static_cast<uint8_t>(Interface::Tcp);
    if (is_tcp)
    {
        info.os_user = info_string(in);
        info.client_hostname = info_string(in);
        info.client_name = info_string(in);
        info.version_major = read_varint(in);
        info.version_minor = read_varint(in);
        info.revision = read_varint(in);
    }
    else if (info.interface == static_cast<uint8_t>(Interface::Http))
    {
        info.http_method = read_u8(in);
        info.http_user_agent = info_string(in);
        if (revision >= revision::kForwardedFor)
            info.forwarded_for = info_string(in);
        if (revision >= revision::kReferer)
            info.http_referer = info_string(in);
    }
    info.quota_key = info_string(in);
    if (revision >= revision::kDistributedDepth)
        info.distributed_depth = read_varint(in);
    if (is_tcp)
        info.version_patch = read_varint(in);
    if (revision >= revision::kOpenTelemetry && read_u8(in) != 0)
    {
        constexpr size_t kTraceAndSpanBytes = 16 + 8;
        in.ignore(kTraceAndSpanBytes);
        info_string(in); // trace state
        read_u8(in);     // flags
    }
    if (revision >= revision::kParallelReplicas)
        for (int i = 0; i < 3; ++i)
            read_varint(in);
    if (revision >= revision::kQueryAndLineNumbers)
        for (int i = 0; i < 2; ++i)
            read_varint(in);
    if (revision >= revision::kJwt && read_u8(in) != 0)
        info_string(in);
    if (revision >= revision::kClientAgent)
        info.client_agent = info_string(in);
    if (revision >= revision::kInternalQuery)
        info.is_internal = read_u8(in) != 0;
    return info;
}

void write_client_info(OutputBuffer& out, const NativeClientInfo& info, uint64_t revision)
{
    using Interface = NativeClientInfo::Interface;
    out.write(static_cast<char>(info.query_kind));
    if (info.query_kind == NativeClientInfo::QueryKind::None)
        return;
    write_string(out, info.initial_user);
    write_string(out, info.initial_query_id);
    write_string(out, info.initial_address);
    if (revision >= revision::kInitialQueryStartTime)
        write_fixed<int64_t>(out, info.initial_query_start_us);
    out.write(static_cast<char>(info.interface));
    const bool is_tcp = info.interface == static_cast<uint8_t>(Interface::Tcp);
    if (is_tcp)
    {
        write_string(out, info.os_user);
        write_string(out, info.client_hostname);
        write_string(out, info.client_name);
        write_varint(out, info.version_major);
        write_varint(out, info.version_minor);
        write_varint(out, info.revision);
    }
    else if (info.interface == static_cast<uint8_t>(Interface::Http))
    {
        out.write(static_cast<char>(info.http_method));
        write_string(out, info.http_user_agent);
        if (revision >= revision::kForwardedFor)
            write_string(out, info.forwarded_for);
        if (revision >= revision::kReferer)
            write_string(out, info.http_referer);
    }
    write_string(out, info.quota_key);
    if (revision >= revision::kDistributedDepth)
        write_varint(out, info.distributed_depth);
    if (is_tcp)
        write_varint(out, info.version_patch);
    if (revision >= revision::kOpenTelemetry)
        out.write('\0');
    if (revision >= revision::kParallelReplicas)
        for (int i = 0; i < 3; ++i)
            write_varint(out, 0);
    if (revision >= revision::kQueryAndLineNumbers)
        for (int i = 0; i < 2; ++i)
            write_varint(out, 0);
    if (revision >= revision::kJwt)
        out.write('\0');
    if (revision >= revision::kClientAgent)
        write_string(out, info.client_agent);
    if (revision >= revision::kInternalQuery)
        out.write(info.is_internal ? '\1' : '\0');
}

NativeQuery read_query(InputBuffer& in, uint64_t revision)
{
    NativeQuery query;
    query.query_id = info_string(in);
    query.client = read_client_info(in, revision);
    query.settings =
        revision >= revision::kSettingsAsStrings
            ? read_string_settings(in, kMaxQuerySettings, kMaxSettingBytes, "settings")
            : read_binary_settings(in);
    if (revision >= revision::kExternalRoles)
        info_string(in);
    if (revision >= revision::kInterserverSecret && !info_string(in).empty())
        throw Error(error_codes::NOT_IMPLEMENTED,
                    "Queries signed with a cluster's secret are not implemented");
    query.stage = read_varint(in);
    const uint64_t compression = read_varint(in);
    if (compression > 1)
        throw Error(error_codes::INCORRECT_DATA, fmt::format("Unknown compression {}", compression));
    query.compressed = compression != 0;
    query.text = read_string(in, kMaxQueryTextBytes);
    if (revision >= revision::kParameters)
        for (auto& parameter :
             read_string_settings(in, kMaxQueryParameters, kMaxParameterBytes, "parameters"))
            query.parameters.emplace_back(parameter.name, unquote(parameter.value));
    return query;
}

void write_query(OutputBuffer& out, const NativeQuery& query, uint64_t revision)
{
    write_packet(out, ClientPacket::Query);
    write_string(out, query.query_id);
    write_client_info(out, query.client, revision);
    if (revision < revision::kSettingsAsStrings)
        throw Error(error_codes::NOT_IMPLEMENTED,
                    "Sending settings to a server this old is not implemented");
    for (const auto& setting : query.settings)
        write_string_setting(out, setting);
    write_string(out, "");
    if (revision >= revision::kExternalRoles)
        write_string(out, "");
    if (revision >= revision::kInterserverSecret)
        write_string(out, "");
    write_varint(out, query.stage);
    write_varint(out, query.compressed ? 1 : 0);
    write_string(out, query.text);
    if (revision < revision::kParameters)
    {
        if (!query.parameters.empty())
            throw Error(error_codes::NOT_IMPLEMENTED,
                        "The server is too old for query parameters");
        return;
    }
    for (const auto& [name, value] : query.parameters)
        write_string_setting(out, {name, quote(value), false, true});
    write_string(out, "");
}

NativeProgress read_progress(InputBuffer& in, uint64_t revision)
{
    NativeProgress progress;
    progress.read_rows = read_varint(in);
    progress.read_bytes = read_varint(in);
    progress.total_rows = read_varint(in);
    if (revision >= revision::kTotalBytesInProgress)
        progress.total_bytes = read_varint(in);
    if (revision >= revision::kWriteInfoInProgress)
    {
        progress.written_rows = read_varint(in);
        progress.written_bytes = read_varint(in);
    }
    if (revision >= revision::kElapsedInProgress)
        progress.elapsed_ns = read_varint(in);
    return progress;
}

void write_progress(OutputBuffer& out, const NativeProgress& progress, uint64_t revision)
{
    write_packet(out, ServerPacket::Progress);
    write_varint(out, progress.read_rows);
    write_varint(out, progress.read_bytes);
    write_varint(out, progress.total_rows);
    if (revision >= revision::kTotalBytesInProgress)
        write_varint(out, progress.total_bytes);
    if (revision >= revision::kWriteInfoInProgress)
    {
        write_varint(out, progress.written_rows);
        write_varint(out, progress.written_bytes);
    }
    if (revision >= revision::kElapsedInProgress)
        write_varint(out, progress.elapsed_ns);
}

NativeProfileInfo read_profile_info(InputBuffer& in, uint64_t revision)
{
    NativeProfileInfo info;
    info.rows = read_varint(in);
    info.blocks = read_varint(in);
    info.bytes = read_varint(in);
    const bool applied_limit = read_u8(in) != 0;
    const uint64_t rows_before_limit = read_varint(in);
    const bool calculated = read_u8(in) != 0;
    if (applied_limit && calculated)
        info.rows_before_limit = rows_before_limit;
    if (revision >= revision::kRowsBeforeAggregation)
    {
        read_u8(in);
        read_varint(in);
    }
    return info;
}

void write_profile_info(OutputBuffer& out, const NativeProfileInfo& info, uint64_t revision)
{
    write_packet(out, ServerPacket::ProfileInfo);
    write_varint(out, info.rows);
    write_varint(out, info.blocks);
    write_varint(out, info.bytes);
    out.write(info.rows_before_limit ? '\1' : '\0');
    write_varint(out, info.rows_before_limit.value_or(0));
    // "Is calculated": without it ClickHouse 18.16 calculates by itself and crashes.
    out.write('\1');
    if (revision >= revision::kRowsBeforeAggregation)
    {
        out.write('\0');
        write_varint(out, 0);
    }
}

Error read_exception(InputBuffer& in)
{
    std::string message;
    int code = 0;
    for (uint64_t depth = 0; depth < kMaxExceptionDepth; ++depth)
    {
        const auto its_code = read_fixed<int32_t>(in);
        read_string(in, kMaxExceptionBytes); // name of the class
        std::string text = read_string(in, kMaxExceptionBytes);
        read_string(in, kMaxExceptionBytes); // stack trace
        constexpr std::string_view kPrefix = "DB::Exception: ";
        if (text.starts_with(kPrefix))
            text.erase(0, kPrefix.size());
        if (depth == 0)
        {
            code = its_code;
            message = std::move(text);
        }
        else if (message.size() + text.size() < kMaxExceptionBytes)
            message += ": " + text;
        if (read_u8(in) == 0)
            return Error(code, message);
    }
    throw Error(error_codes::INCORRECT_DATA,
                fmt::format("An exception nested more than {} deep", kMaxExceptionDepth));
}

void write_exception(OutputBuffer& out, const Error& error)
{
    write_packet(out, ServerPacket::Exception);
    write_fixed<int32_t>(out, error.code());
    write_string(out, "DB::Exception");
    write_string(out, "DB::Exception: " + error.message());
    write_string(out, "");
    out.write('\0');
}

std::vector<std::pair<std::string, std::string>> read_tables_status_request(InputBuffer& in)
{
    const uint64_t count = read_count(in, kMaxStatusTables, "tables in a status request");
    std::vector<std::pair<std::string, std::string>> tables;
    for (uint64_t i = 0; i < count; ++i)
    {
        std::string database = read_string(in, kMaxTableNameBytes);
        tables.emplace_back(std::move(database), read_string(in, kMaxTableNameBytes));
    }
    return tables;
}

void write_tables_status(OutputBuffer& out,
                         const std::vector<std::pair<std::string, std::string>>& tables)
{
    write_packet(out, ServerPacket::TablesStatusResponse);
    write_varint(out, tables.size());
    for (const auto& [database, table] : tables)
    {
        write_string(out, database);
        write_string(out, table);
        out.write('\0'); // not replicated, so neither a delay nor read-only follow
    }
}

} // namespace basalt
