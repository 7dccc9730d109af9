#include "io/socket.h"

#include "tests/unit/io/error_code_of.h"

#include <csignal>
#include <gtest/gtest.h>
#include <thread>

namespace basalt
{
namespace
{

struct Pair
{
    Socket client;
    Socket server;
};

Pair connected(const std::string& host = "127.0.0.1")
{
    Listener listener(host, 0);
    Pair pair;
    pair.client = Socket::connect(host, listener.port(), 5000);
    pair.server = std::move(*listener.accept(5000));
    return pair;
}

TEST(Socket, BothFamiliesTalk)
{
    for (const char* host : {"127.0.0.1", "::1"})
    {
        auto [client, server] = connected(host);
        EXPECT_EQ(client.peer().host, host);
        EXPECT_EQ(client.peer().port, server.local().port);
        EXPECT_EQ(server.peer().port, client.local().port);
        client.write_all("ping");
        char buffer[16];
        EXPECT_EQ(server.read(buffer, sizeof(buffer)), 4u);
        EXPECT_EQ(std::string_view(buffer, 4), "ping");
        client.shutdown_write();
        EXPECT_EQ(server.read(buffer, sizeof(buffer)), 0u);
        server.write_all("still");
        EXPECT_EQ(client.read(buffer, sizeof(buffer)), 5u);
    }
    EXPECT_EQ((SocketAddress{"::1", 80}.text()), "[::1]:80");
    EXPECT_EQ((SocketAddress{"127.0.0.1", 80}.text()), "127.0.0.1:80");
}

TEST(Socket, LargeTransferThroughBuffers)
{
    auto [client, server] = connected();
    const std::string content = pattern(5'000'000);
    std::thread writer(
        [&]
        {
            SocketOutputBuffer out(client);
            for (size_t i = 0; i < content.size(); i += 99'999)
                out.write(std::string_view(content).substr(i, 99'999));
            out.finish();
            client.shutdown_write();
        });
    SocketInputBuffer in(server);
    EXPECT_EQ(in.read_all(), content);
    writer.join();
}

TEST(Socket, Timeouts)
{
    auto [client, server] = connected();
    client.set_timeouts(20, 20);
    char c;
    EXPECT_EQ(error_code_of([&] { client.read(&c, 1); }), error_codes::SOCKET_TIMEOUT);
    EXPECT_FALSE(client.wait_readable(10));
    const std::string much(64 << 20, 'x');
    EXPECT_EQ(error_code_of([&] { client.write_all(much); }), error_codes::SOCKET_TIMEOUT);
    EXPECT_TRUE(server.wait_readable(1000));
}

TEST(Socket, HangUpIsSeenWithoutReading)
{
    auto [client, server] = connected();
    EXPECT_FALSE(server.peer_hung_up());
    client.write_all("unread");
    EXPECT_TRUE(server.wait_readable(5000));
    EXPECT_FALSE(server.peer_hung_up());
    char buffer[6];
    EXPECT_EQ(server.read(buffer, 6), 6u);
    client.close();
    EXPECT_TRUE(server.wait_readable(5000));
    EXPECT_TRUE(server.peer_hung_up());
}

TEST(Socket, WritingToAClosedPeerIsAnErrorNotASignal)
{
    auto [client, server] = connected();
    server.close();
    int code = 0;
    for (int i = 0; i < 1000 && code == 0; ++i)
        code = error_code_of([&] { client.write_all(std::string(10000, 'x')); });
    EXPECT_EQ(code, error_codes::NETWORK_ERROR);
}

TEST(Socket, ShutdownWakesAReader)
{
    auto [client, server] = connected();
    std::thread reader(
        [&s = server]
        {
            char c;
            EXPECT_EQ(s.read(&c, 1), 0u);
        });
    server.shutdown();
    reader.join();
}

TEST(Listener, StopWakesAccept)
{
    Listener listener("127.0.0.1", 0);
    EXPECT_GT(listener.port(), 0);
    EXPECT_FALSE(listener.accept(5).has_value());
    std::thread acceptor([&] { EXPECT_FALSE(listener.accept().has_value()); });
    listener.stop();
    acceptor.join();
    EXPECT_FALSE(listener.accept().has_value());
}

TEST(Listener, PortInUse)
{
    Listener listener("127.0.0.1", 0);
    EXPECT_EQ(error_code_of([&] { Listener again("127.0.0.1", listener.port()); }),
              error_codes::NETWORK_ERROR);
}

TEST(Socket, NobodyListens)
{
    uint16_t port = 0;
    {
        Listener listener("127.0.0.1", 0);
        port = listener.port();
    }
    EXPECT_EQ(error_code_of([&] { Socket::connect("127.0.0.1", port, 5000); }),
              error_codes::NETWORK_ERROR);
    EXPECT_EQ(error_code_of([&] { Socket::connect("256.256.256.256", port, 5000); }),
              error_codes::DNS_ERROR);
}

} // namespace
} // namespace basalt
