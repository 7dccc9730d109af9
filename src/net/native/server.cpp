#include "net/native/server.h"

#include "net/connection_threads.h"
#include "net/native/connection.h"

namespace basalt
{

struct NativeServer::Impl
{
    Impl(Engine& engine_ref, NativeServerOptions opts)
        : engine(engine_ref), options(std::move(opts)),
          threads({options.host, options.port, options.max_connections, options.io_timeout_ms,
                   options.tls},
                  [this](Socket& socket) { serve(socket); },
                  [](Socket& socket) { NativeConnection::refuse(socket); })
    {
    }

    void serve(Socket& socket)
    {
        try
        {
            NativeConnection(engine, options, socket, [this] { return threads.stopping(); }).run();
        }
        catch (const std::exception&)
        {
            // The connection is closed; the server goes on.
        }
    }

    Engine& engine;
    NativeServerOptions options;
    ConnectionThreads threads;
};

NativeServer::NativeServer(Engine& engine, NativeServerOptions options)
    : impl_(std::make_unique<Impl>(engine, std::move(options)))
{
}

NativeServer::~NativeServer()
{
    impl_->threads.stop();
}

uint16_t NativeServer::port() const
{
    return impl_->threads.port();
}

void NativeServer::start()
{
    impl_->threads.start();
}

void NativeServer::stop()
{
    impl_->threads.stop();
}

size_t NativeServer::connection_count() const
{
    return impl_->threads.count();
}

} // namespace basalt
