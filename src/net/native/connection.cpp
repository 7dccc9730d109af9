#include "net/native/connection.h"

#include "base/error.h"
#include "io/binary.h"
#include "net/native/profile_events.h"
#include "net/native/state_exchange.h"

#include <fmt/format.h>
#include <map>

namespace basalt
{

namespace
{

// How often a running query is looked after: progress, Cancel, a client that left.
constexpr int64_t kTickMs = 100;
// While blocks of the client are awaited.
constexpr int64_t kInputTickMs = 10;

constexpr uint64_t kVersionMajor = 26, kVersionMinor = 7, kVersionPatch = 2;

[[noreturn]] void unexpected_packet(uint64_t packet)
{
    throw Error(error_codes::UNEXPECTED_PACKET_FROM_CLIENT,
                fmt::format("Unexpected packet {} from the client", packet));
}

// Settings that a peer sends along and that change nothing here: unknown ones unless they are
// marked as important, what the peer does with the text before or with the blocks after.
bool matters(const NativeSetting& setting, const NativeClientInfo& client)
{
    if (!Settings::exists(setting.name))
        return setting.important || setting.custom;
    if (setting_support(setting.name) != SettingSupport::NotImplemented)
        return true;
    if (setting.name.starts_with("output_format_"))
        return false;
    return setting.name != "implicit_select" ||
           client.query_kind != NativeClientInfo::QueryKind::Secondary;
}

std::string output_codec(const Settings& settings)
{
    std::string method(settings.get("network_compression_method"));
    for (char& c : method)
        c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
    if (method == "ZSTD")
        return fmt::format("ZSTD({})", settings.get_int("network_zstd_compression_level"));
    if (method == "LZ4" || method == "LZ4HC" || method == "NONE")
        return method;
    throw Error(error_codes::UNKNOWN_CODEC,
                fmt::format("Unknown network_compression_method {}", method));
}

} // namespace

// A query from its packet to its end.
struct NativeConnection::RunningState
{
    RunningState(InputBuffer& in, OutputBuffer& out, uint64_t revision, const NativeQuery& query,
                 const std::string& codec)
        : blocks(in, out, revision, query.compressed, codec), compressed(query.compressed)
    {
    }

    BlockStream blocks;
    bool compressed;
    std::vector<std::unique_ptr<ExternalTable>> tables; // go after the task, which uses them
    std::unique_ptr<QueryTask> task;
    struct Sent
    {
        Header header;
        std::vector<Block> blocks;
    };
    std::map<std::string, Sent> external;
    uint64_t external_bytes = 0;
    bool ready = false;      // the block that ends external tables has come
    bool inserting = false;  // rows of an INSERT are awaited
    bool rows_ended = false;
    bool cancelled = false;
    bool over = false;
    NativeProgress sent;
    NativeProfileInfo profile;
    ProfileEventsSender profile_events;
};

NativeConnection::NativeConnection(Engine& engine, const NativeServerOptions& options,
                                   Socket& socket, std::function<bool()> stopping)
    : engine_(engine), options_(options), socket_(socket), stopping_(std::move(stopping)),
      stream_(socket)
{
}

void NativeConnection::refuse(Socket& socket)
{
    try
    {
        std::string bytes;
        {
            StringOutputBuffer out(bytes);
            write_exception(out, Error(error_codes::TOO_MANY_SIMULTANEOUS_QUERIES,
                                       "Too many connections"));
        }
        socket.write_all(bytes);
    }
    catch (const Error&)
    {
        // The client left by itself.
    }
}

void NativeConnection::run()
{
    try
    {
        if (!handshake())
            return;
        while (!stopping_() && serve_packet())
        {
        }
    }
    catch (const Error& error)
    {
        // Where the client's bytes cannot be followed any more the connection ends.
        send_error(error);
    }
}

void NativeConnection::send_error(const Error& error)
{
    try
    {
        write_exception(stream_.out(), error);
        stream_.end_packet();
        stream_.flush();
    }
    catch (const Error&)
    {
        // The client left.
    }
}

bool NativeConnection::answer_wrong_protocol(int first_byte)
{
    // GET, POST, PUT, HEAD, OPTIONS, DELETE; a TLS hello begins with 22.
    if (std::string_view("GPHOD").find(static_cast<char>(first_byte)) != std::string_view::npos)
    {
        const std::string text =
            fmt::format("This port speaks the native protocol of clickhouse-client.\n{}{}\n",
                        options_.http_hint.empty() ? "" : "HTTP is at ", options_.http_hint);
        socket_.write_all(fmt::format("HTTP/1.0 400 Bad Request\r\nConnection: close\r\n"
                                      "Content-Type: text/plain\r\nContent-Length: {}\r\n\r\n{}",
                                      text.size(), text));
        return true;
    }
    return first_byte == 22;
}

bool NativeConnection::handshake()
{
    socket_.set_timeouts(options_.handshake_timeout_ms, options_.io_timeout_ms);
    InputBuffer& in = stream_.in();
    const int first = in.peek();
    if (first < 0 || answer_wrong_protocol(first))
        return false;
    if (read_varint(in) != static_cast<uint64_t>(ClientPacket::Hello))
        throw Error(error_codes::UNEXPECTED_PACKET_FROM_CLIENT,
                    "The first packet of a client must be Hello");
    hello_ = read_client_hello(in);
    if (hello_.revision < kMinNativeRevision)
        throw Error(error_codes::NOT_IMPLEMENTED,
                    fmt::format("Protocol revision {} of the client is too old; at least {} is "
                                "wanted",
                                hello_.revision, kMinNativeRevision));
    authenticate(hello_);
    revision_ = std::min(hello_.revision, kNativeRevision);
    if (!hello_.database.empty())
    {
        if (!engine_.catalog().database_exists(hello_.database))
            throw Error(error_codes::UNKNOWN_DATABASE,
                        fmt::format("Database {} does not exist", hello_.database));
        session_.current_database = hello_.database;
    }

    ServerHello answer;
    answer.server_name = "ClickHouse"; // clients look at it
    answer.version_major = kVersionMajor;
    answer.version_minor = kVersionMinor;
    answer.version_patch = kVersionPatch;
    answer.revision = kNativeRevision;
    answer.timezone = engine_.options().timezone;
    answer.display_name = options_.display_name;
    answer.nonce = system_random().next_u64();
    write_server_hello(stream_.out(), answer, revision_);
    stream_.flush();

    const Addendum addendum = read_addendum(in, revision_);
    if (agree_on_chunking(answer.receive_chunked, addendum.send_chunked))
        stream_.frame_input();
    if (agree_on_chunking(answer.send_chunked, addendum.receive_chunked))
        stream_.frame_output();
    socket_.set_timeouts(options_.io_timeout_ms, options_.io_timeout_ms);
    return true;
}

void NativeConnection::authenticate(const ClientHello& hello)
{
    if (hello.user.starts_with(" INTERSERVER SECRET ") ||
        hello.user.starts_with(" SSH KEY AUTHENTICATION ") || hello.user.starts_with(" JWT "))
        throw Error(error_codes::NOT_IMPLEMENTED,
                    "Only users with a password or none are implemented");
    LoginAttempt attempt;
    attempt.user = hello.user;
    attempt.password = hello.password;
    attempt.address = socket_.peer().host;
    attempt.certificate_names = socket_.peer_names();
    log_in(session_, engine_.authentication().authenticate(attempt));
}

bool NativeConnection::serve_packet()
{
    if (!stream_.wait_for_input(options_.idle_timeout_ms))
        return false;
    InputBuffer& in = stream_.in();
    if (in.eof())
        return false;
    const uint64_t packet = read_varint(in);
    switch (static_cast<ClientPacket>(packet))
    {
    case ClientPacket::Query:
        run_query();
        break;
    case ClientPacket::Ping:
        write_packet(stream_.out(), ServerPacket::Pong);
        stream_.end_packet();
        stream_.flush();
        break;
    case ClientPacket::Cancel: // of a query that has ended by now
    case ClientPacket::KeepAlive:
        break;
    case ClientPacket::TablesStatusRequest:
        answer_tables_status();
        break;
    case ClientPacket::Data:
    case ClientPacket::Scalar:
        if (!tolerates_data_)
            unexpected_packet(packet);
        skip_data();
        break;
    default:
        throw Error(error_codes::UNKNOWN_PACKET_FROM_CLIENT,
                    fmt::format("Unknown packet {} from the client", packet));
    }
    return true;
}

void NativeConnection::skip_data()
{
    InputBuffer& in = stream_.in();
    read_string(in, kMaxTableNameBytes);
    BlockStream(in, stream_.out(), revision_, last_compressed_, "LZ4").read();
}

void NativeConnection::answer_tables_status()
{
    std::vector<std::pair<std::string, std::string>> found;
    for (auto& name : read_tables_status_request(stream_.in()))
        if (engine_.catalog().find_table({name.first, name.second}))
            found.push_back(std::move(name));
    write_tables_status(stream_.out(), found);
    stream_.end_packet();
    stream_.flush();
}

QueryRequest NativeConnection::make_request(const NativeQuery& query) const
{
    if (query.stage != kStageComplete)
        throw Error(error_codes::NOT_IMPLEMENTED,
                    fmt::format("Running a query to stage {} only is not implemented",
                                query.stage));
    QueryRequest request;
    request.text = query.text;
    request.query_id = query.query_id;
    request.client.interface = ClientInfo::Interface::Tcp;
    request.client.address = socket_.peer().host;
    request.client.port = socket_.peer().port;
    request.client.client_name =
        query.client.client_name.empty() ? hello_.client_name : query.client.client_name;
    for (const auto& setting : query.settings)
        if (matters(setting, query.client))
            request.settings.set(setting.name, setting.value);
    for (const auto& [name, value] : query.parameters)
        request.parameters[name] = value;
    return request;
}

void NativeConnection::run_query()
{
    const NativeQuery query = read_query(stream_.in(), revision_);
    last_compressed_ = query.compressed;
    tolerates_data_ = true;
    std::unique_ptr<RunningState> state;
    try
    {
        QueryRequest request = make_request(query);
        Settings settings = session_.settings;
        settings.apply(request.settings);
        state = std::make_unique<RunningState>(stream_.in(), stream_.out(), revision_, query,
                                               output_codec(settings));
        state->profile_events.enable(revision_ >= revision::kProfileEvents &&
                                     settings.get_bool("send_profile_events"));
        state->task = std::make_unique<QueryTask>(engine_, session_, std::move(request));
    }
    catch (const Error& error)
    {
        send_error(error);
        return;
    }
    auto& task = *state->task;
    while (!state->over)
    {
        if (stopping_())
            task.cancel();
        const bool awaits_input = !state->ready || (state->inserting && !state->rows_ended);
        if (stream_.wait_for_input(awaits_input ? kInputTickMs : 0))
            handle_packet(*state);
        auto event = task.wait(awaits_input ? 0 : kTickMs);
        if (event)
            handle_event(*state, std::move(*event));
        else
            send_progress(*state);
    }
}

void NativeConnection::handle_packet(RunningState& state)
{
    InputBuffer& in = stream_.in();
    if (in.eof())
    {
        state.task->cancel();
        throw Error(error_codes::NETWORK_ERROR, "The client left while its query ran");
    }
    const uint64_t packet = read_varint(in);
    switch (static_cast<ClientPacket>(packet))
    {
    case ClientPacket::Cancel:
        state.cancelled = true;
        state.task->cancel();
        break;
    case ClientPacket::Data:
        handle_data(state);
        break;
    case ClientPacket::Scalar: // values that another server has computed; queries carry them too
        read_string(in, kMaxTableNameBytes);
        state.blocks.read();
        break;
    case ClientPacket::KeepAlive:
        break;
    default:
        unexpected_packet(packet);
    }
}

void NativeConnection::handle_data(RunningState& state)
{
    const std::string name = read_string(stream_.in(), kMaxTableNameBytes);
    Block block = state.blocks.read();
    if (!name.empty())
    {
        if (state.ready)
            throw Error(error_codes::UNEXPECTED_PACKET_FROM_CLIENT,
                        "An external table came after the query had begun");
        add_external_rows(state, name, std::move(block));
        return;
    }
    if (!state.ready)
    {
        // The block that ends external tables. Clients of INSERT may leave it out.
        set_ready(state);
        if (block.rows() == 0)
            return;
    }
    if (state.rows_ended)
        throw Error(error_codes::UNEXPECTED_PACKET_FROM_CLIENT, "Rows came after their end");
    state.rows_ended = block.rows() == 0;
    while (!state.over && !state.task->offer_rows(block))
        if (auto event = state.task->wait(kInputTickMs))
            handle_event(state, std::move(*event));
}

void NativeConnection::add_external_rows(RunningState& state, const std::string& name, Block block)
{
    auto& sent = state.external[name];
    if (state.external.size() > kMaxExternalTables)
        throw Error(error_codes::TOO_LARGE_ARRAY_SIZE,
                    fmt::format("More than {} external tables", kMaxExternalTables));
    state.external_bytes += block.byte_size();
    if (state.external_bytes > kMaxExternalTableBytes)
        throw Error(error_codes::TOO_MANY_BYTES,
                    fmt::format("External tables of more than {} bytes", kMaxExternalTableBytes));
    if (sent.header.empty())
        sent.header = block.header();
    if (block.width() != sent.header.size())
        throw Error(error_codes::NUMBER_OF_COLUMNS_DOESNT_MATCH,
                    fmt::format("Blocks of external table {} differ in columns", name));
    for (size_t i = 0; i < block.width(); ++i)
        if (!same_type(block[i].type, sent.header[i].type))
            throw Error(error_codes::TYPE_MISMATCH,
                        fmt::format("Blocks of external table {} differ in types", name));
    if (block.rows() > 0)
        sent.blocks.push_back(std::move(block));
}

void NativeConnection::set_ready(RunningState& state)
{
    // The query's thread waits for this before it looks for tables.
    for (auto& [name, sent] : state.external)
        state.tables.push_back(std::make_unique<ExternalTable>(
            session_, name, std::move(sent.header), std::move(sent.blocks)));
    state.external.clear();
    state.ready = true;
    state.task->ready();
}

void NativeConnection::handle_event(RunningState& state, QueryEvent event)
{
    switch (event.kind)
    {
    case QueryEvent::Kind::InsertHeader:
        state.inserting = true;
        send_insert_header(state, event);
        break;
    case QueryEvent::Kind::Header:
        if (revision_ >= revision::kTimezoneUpdates &&
            state.task->context()->timezone() != engine_.options().timezone)
        {
            write_packet(stream_.out(), ServerPacket::TimezoneUpdate);
            write_string(stream_.out(), state.task->context()->timezone());
            stream_.end_packet();
        }
        send_block(state, ServerPacket::Data, event.block);
        break;
    case QueryEvent::Kind::Rows:
        state.profile.rows += event.block.rows();
        state.profile.bytes += event.block.byte_size();
        ++state.profile.blocks;
        send_block(state, ServerPacket::Data, event.block);
        break;
    case QueryEvent::Kind::Totals:
        send_block(state, ServerPacket::Totals, event.block);
        break;
    case QueryEvent::Kind::Extremes:
        send_block(state, ServerPacket::Extremes, event.block);
        break;
    case QueryEvent::Kind::Finished:
        state.over = true;
        send_end(state, event);
        break;
    case QueryEvent::Kind::Failed:
        state.over = true;
        // Who cancels gets a plain end, as from ClickHouse.
        if (state.cancelled && event.error->code() == error_codes::QUERY_WAS_CANCELLED)
        {
            write_packet(stream_.out(), ServerPacket::EndOfStream);
            stream_.end_packet();
            stream_.flush();
        }
        else
            send_error(*event.error);
        break;
    }
}

void NativeConnection::send_block(RunningState& state, ServerPacket packet, const Block& block)
{
    // Our own programs lay states out as we do.
    if (!hello_.client_name.starts_with("Basalt"))
        check_exchanged_states(block.header());
    write_packet(stream_.out(), packet);
    write_string(stream_.out(), "");
    state.blocks.write(block);
    stream_.end_packet();
    stream_.flush();
}

void NativeConnection::send_insert_header(RunningState& state, const QueryEvent& event)
{
    const bool has_defaults = event.text.find('\t') != std::string::npos;
    if (has_defaults && revision_ >= revision::kColumnDefaults &&
        state.task->context()->settings.get_bool("input_format_defaults_for_omitted_fields"))
    {
        write_packet(stream_.out(), ServerPacket::TableColumns);
        const bool packed = revision_ >= revision::kCompressedProfileEvents;
        OutputBuffer& out = packed ? state.blocks.compressed_out() : stream_.out();
        write_string(out, "");
        write_string(out, event.text);
        state.blocks.end();
        stream_.end_packet();
    }
    send_block(state, ServerPacket::Data, event.block);
}

void NativeConnection::send_progress(RunningState& state)
{
    const auto context = state.task->context();
    if (!context)
        return;
    if (state.inserting && (!state.rows_ended || revision_ < revision::kProgressOfInsert))
        return; // clients expect nothing but the end then
    NativeProgress now;
    now.read_rows = context->read_rows;
    now.read_bytes = context->read_bytes;
    now.total_rows = context->total_rows_to_read;
    now.written_rows = context->written_rows;
    now.written_bytes = context->written_bytes;
    now.elapsed_ns = static_cast<uint64_t>(context->clock->monotonic_ns() -
                                           context->start_monotonic_ns);
    NativeProgress step;
    step.read_rows = now.read_rows - state.sent.read_rows;
    step.read_bytes = now.read_bytes - state.sent.read_bytes;
    step.total_rows =
        now.total_rows > state.sent.total_rows ? now.total_rows - state.sent.total_rows : 0;
    step.written_rows = now.written_rows - state.sent.written_rows;
    step.written_bytes = now.written_bytes - state.sent.written_bytes;
    if (step.empty())
        return;
    step.elapsed_ns = now.elapsed_ns - state.sent.elapsed_ns;
    now.total_rows = std::max(now.total_rows, state.sent.total_rows);
    state.sent = now;
    write_progress(stream_.out(), step, revision_);
    stream_.end_packet();
    send_profile_events(state);
    stream_.flush();
}

void NativeConnection::send_profile_events(RunningState& state)
{
    const auto context = state.task->context();
    if (!context)
        return;
    const auto block = state.profile_events.changes(*context);
    if (!block)
        return;
    write_packet(stream_.out(), ServerPacket::ProfileEvents);
    write_string(stream_.out(), "");
    if (revision_ >= revision::kCompressedProfileEvents)
        state.blocks.write(*block);
    else
        BlockStream(stream_.in(), stream_.out(), revision_, false, "").write(*block);
    stream_.end_packet();
}

void NativeConnection::send_end(RunningState& state, const QueryEvent& event)
{
    OutputBuffer& out = stream_.out();
    state.profile.rows_before_limit = event.rows_before_limit;
    // An INSERT has no result to describe.
    if (!state.inserting && state.profile.blocks > 0)
    {
        write_profile_info(out, state.profile, revision_);
        stream_.end_packet();
    }
    state.rows_ended = true;
    send_progress(state);
    if (!state.inserting || revision_ >= revision::kProgressOfInsert)
        send_profile_events(state);
    write_packet(out, ServerPacket::EndOfStream);
    stream_.end_packet();
    stream_.flush();
    tolerates_data_ = false;
}

} // namespace basalt
