#include "net/postgres/server.h"

#include "net/connection_threads.h"
#include "net/postgres/connection.h"

namespace basalt
{

struct PostgresServer::Impl
{
    Impl(Engine& engine_ref, PostgresServerOptions opts)
        : engine(engine_ref), options(std::move(opts)),
          threads({options.host, options.port, options.max_connections, options.io_timeout_ms},
                  [this](Socket& socket) { serve(socket); },
                  [](Socket& socket) { PostgresConnection::refuse(socket); })
    {
    }

    void serve(Socket& socket)
    {
        try
        {
            PostgresConnection(engine, options, socket, cancels,
                               [this] { return threads.stopping(); })
                .run();
        }
        catch (const std::exception&)
        {
            // The connection is closed; the server goes on.
        }
    }

    Engine& engine;
    PostgresServerOptions options;
    PostgresCancels cancels;
    ConnectionThreads threads;
};

PostgresServer::PostgresServer(Engine& engine, PostgresServerOptions options)
    : impl_(std::make_unique<Impl>(engine, std::move(options)))
{
}

PostgresServer::~PostgresServer()
{
    impl_->threads.stop();
}

uint16_t PostgresServer::port() const
{
    return impl_->threads.port();
}

void PostgresServer::start()
{
    impl_->threads.start();
}

void PostgresServer::stop()
{
    impl_->threads.stop();
}

} // namespace basalt
