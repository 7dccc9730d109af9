#include "programs/bench/embedded.h"

#include "base/error.h"
#include "engine/engine.h"
#include "io/file_system.h"
#include "io/socket.h"
#include "net/http/server.h"
#include "programs/peer_script.h"
#include "system/system_tables.h"

#include <cstdlib>
#include <fmt/format.h>
#include <unistd.h>

namespace basalt::bench
{

namespace
{

uint16_t free_port()
{
    Listener listener("127.0.0.1", 0);
    return listener.port();
}

} // namespace

struct EmbeddedServer::Impl
{
    std::unique_ptr<FileLock> lock;
    std::unique_ptr<Engine> engine;
    std::unique_ptr<HttpServer> server;
};

EmbeddedServer::EmbeddedServer(const std::string& path) : impl_(std::make_unique<Impl>())
{
    FileSystem& files = real_file_system();
    files.create_directories(path);
    impl_->lock = files.lock_file(path + "/lock");
    EngineOptions options;
    options.path = path;
    impl_->engine = std::make_unique<Engine>(files, options);
    impl_->engine->start();
    register_system_tables(*impl_->engine);
    HttpServerOptions http;
    http.port = 0;
    impl_->server = std::make_unique<HttpServer>(*impl_->engine, http);
    impl_->server->start();
}

EmbeddedServer::~EmbeddedServer()
{
    impl_->server->stop();
    impl_->engine->stop();
}

std::string EmbeddedServer::url() const
{
    return fmt::format("http://127.0.0.1:{}", impl_->server->port());
}

struct PeerServer::Impl
{
    std::string script;
    std::unique_ptr<Process> process;
    ~Impl()
    {
        process.reset();
        if (!script.empty())
            real_file_system().remove_file_if_exists(script);
    }
};

PeerServer::PeerServer() : impl_(std::make_unique<Impl>())
{
    const char* given = std::getenv("PEER_MODULES");
    const std::string modules = given ? given : "build/peer";
    FileSystem& files = real_file_system();
    if (!files.exists(modules + "/node_modules/chdb"))
        throw Error(error_codes::BAD_ARGUMENTS,
                    fmt::format("--against chdb needs the npm package chdb in {0}: npm install "
                                "--prefix {0} chdb (or say where it is in PEER_MODULES)",
                                modules));
    impl_->script = fmt::format("{}/basalt-peer-{}.mjs", modules, getpid());
    files.replace_whole(impl_->script, kPeerScript);
    const uint16_t port = free_port();
    ProcessOptions options;
    options.arguments = {"node", impl_->script, "--port", fmt::format("{}", port), "--path",
                         modules + "/data"};
    options.environment = {{"PEER_MODULES", modules}};
    options.stdout_stream.kind = StreamOptions::Kind::Pipe;
    options.stderr_stream.kind = StreamOptions::Kind::Inherit;
    options.new_group = true;
    try
    {
        impl_->process = std::make_unique<Process>(options);
    }
    catch (const Error& error)
    {
        throw Error(error_codes::BAD_ARGUMENTS,
                    fmt::format("--against chdb needs node on the PATH: {}", error.message()));
    }
    char line[64];
    if (impl_->process->read_stdout(line, sizeof(line)) == 0)
        throw Error(error_codes::BAD_ARGUMENTS, "node ended before it was ready");
    url_ = fmt::format("http://127.0.0.1:{}", port);
}

PeerServer::~PeerServer() = default;

} // namespace basalt::bench
