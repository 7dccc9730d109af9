// Heads and bodies of HTTP requests, whole, in pieces and damaged.

#include "base/error.h"
#include "net/http/request.h"

#include <gtest/gtest.h>

#include <random>
#include <sys/socket.h>
#include <thread>

namespace basalt
{
namespace
{

struct Answer
{
    std::vector<std::string> requests; // method, path, parameters, headers, body of each
    std::string error;
    int status = 0;
};

// What the reader makes of these bytes when the client then ends its side.
Answer read_requests(const std::string& bytes, size_t piece = SIZE_MAX)
{
    int fds[2];
    EXPECT_EQ(socketpair(AF_UNIX, SOCK_STREAM, 0, fds), 0);
    Socket client(fds[0]), server(fds[1]);
    std::thread writer(
        [&]
        {
            try
            {
                for (size_t at = 0; at < bytes.size(); at += std::min(piece, bytes.size() - at))
                    client.write_all(std::string_view(bytes).substr(at, piece));
                client.shutdown_write();
            }
            catch (const Error&)
            {
            }
        });
    Answer answer;
    try
    {
        HttpConnectionReader reader(server);
        while (auto request = reader.next_head())
        {
            std::string text = request->method + " " + request->path;
            for (const auto& [name, value] : request->parameters)
                text += " " + name + "=" + value;
            for (const auto& [name, value] : request->headers)
                text += "|" + name + ":" + value;
            answer.requests.push_back(text + "|" + reader.body().read_all(1 << 20));
        }
    }
    catch (const HttpHeadError& error)
    {
        answer.error = error.message();
        answer.status = error.status();
    }
    catch (const Error& error)
    {
        answer.error = error.message();
    }
    server.shutdown();
    writer.join();
    return answer;
}

const std::string kPost = "POST /a%20b?query=SELECT+1&x=%41 HTTP/1.1\r\nHost: h\r\nContent-Length: 5\r\n"
                          "\r\nhello";
const std::string kChunked = "POST / HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n"
                             "3\r\nabc\r\n7;ext=1\r\ndefghij\r\n0\r\nTrailer: x\r\n\r\n";
const std::string kGet = "GET /ping HTTP/1.1\r\nHost: h\r\nX-Long: " + std::string(300, 'x') +
                         "\r\n\r\n";

TEST(HttpRequest, OneAfterAnotherInPiecesOfAnySize)
{
    const std::vector<std::string> expected = {
        "POST /a b query=SELECT 1 x=A|content-length:5|host:h|hello",
        "POST /|host:h|transfer-encoding:chunked|abcdefghij",
        "GET /ping|host:h|x-long:" + std::string(300, 'x') + "|"};
    for (const size_t piece : {size_t{1}, size_t{2}, size_t{3}, size_t{7}, size_t{50}, SIZE_MAX})
    {
        const Answer answer = read_requests(kPost + kChunked + kGet, piece);
        EXPECT_EQ(answer.error, "") << piece;
        // A trailer may be added to the headers or not.
        ASSERT_EQ(answer.requests.size(), 3u) << piece;
        EXPECT_EQ(answer.requests, expected) << piece;
    }
}

TEST(HttpRequest, EveryTruncationIsAnErrorOrNothing)
{
    for (const auto& whole : {kPost, kChunked, kGet})
        for (size_t size = 0; size < whole.size(); ++size)
        {
            const Answer answer = read_requests(whole.substr(0, size));
            EXPECT_TRUE(answer.requests.empty()) << size << " of " << whole;
            EXPECT_EQ(answer.error.empty(), size == 0) << size << " of " << whole;
        }
}

TEST(HttpRequest, FlippedBitsGiveARequestOrAnError)
{
    std::mt19937 random(1);
    size_t good = 0, bad = 0;
    for (const auto& whole : {kPost, kChunked, kGet})
        for (size_t bit = 0; bit < 8 * std::min<size_t>(whole.size(), 160); ++bit)
        {
            std::string damaged = whole;
            damaged[bit / 8] = static_cast<char>(damaged[bit / 8] ^ (1 << bit % 8));
            const Answer answer = read_requests(damaged);
            ++(answer.error.empty() ? good : bad);
            EXPECT_FALSE(answer.error.empty() && answer.requests.empty());
            EXPECT_TRUE(answer.status == 0 || answer.status == 400 || answer.status == 431 ||
                        answer.status == 414)
                << answer.status;
        }
    EXPECT_GT(good, 100u);
    EXPECT_GT(bad, 100u);
}

TEST(HttpRequest, TwoLengthsAreRefused)
{
    const std::string both = "POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 3\r\nTransfer-Encoding: "
                             "chunked\r\n\r\n0\r\n\r\n";
    EXPECT_EQ(read_requests(both).status, 400);
    const std::string twice = "POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 3\r\nContent-Length: 4"
                              "\r\n\r\nabcd";
    EXPECT_EQ(read_requests(twice).status, 400);
}

TEST(HttpRequest, ASlowHeadEnds)
{
    int fds[2];
    ASSERT_EQ(socketpair(AF_UNIX, SOCK_STREAM, 0, fds), 0);
    Socket client(fds[0]), server(fds[1]);
    client.write_all("GET / HT");
    HttpConnectionReader reader(server, 1);
    try
    {
        reader.next_head();
        FAIL();
    }
    catch (const HttpHeadError& error)
    {
        EXPECT_EQ(error.status(), 408);
    }
}

} // namespace
} // namespace basalt
