#include "net/http/client.h"

#include "base/error.h"
#include "net/base64.h"
#include "net/http/request.h"

#include <boost/asio/buffer.hpp>
#include <boost/beast/http/buffer_body.hpp>
#include <boost/beast/http/parser.hpp>

#include <algorithm>
#include <charconv>
#include <fmt/format.h>
#include <mutex>

namespace basalt
{

namespace beast_http = boost::beast::http;

namespace
{

constexpr size_t kErrorTailBytes = 64 << 10;

std::optional<std::string> exception_text(std::string_view tail, std::string_view tag);

} // namespace

HttpUrl parse_http_url(std::string_view text)
{
    HttpUrl url;
    const std::string whole(text);
    const auto fail = [&](const char* why)
    {
        throw Error(error_codes::BAD_ARGUMENTS,
                    fmt::format("Cannot use '{}' as http[s]://[user[:password]@]host[:port][/path]: "
                                "{}",
                                whole, why));
    };
    if (text.starts_with("https://"))
    {
        url.secure = true;
        url.port = 8443;
        text.remove_prefix(8);
    }
    else if (text.starts_with("http://"))
        text.remove_prefix(7);
    if (const size_t slash = text.find('/'); slash != std::string_view::npos)
    {
        url.path = std::string(text.substr(slash));
        text = text.substr(0, slash);
    }
    if (const size_t at = text.rfind('@'); at != std::string_view::npos)
    {
        const std::string_view who = text.substr(0, at);
        const size_t colon = who.find(':');
        url.user = decode_url(who.substr(0, colon), false);
        if (colon != std::string_view::npos)
            url.password = decode_url(who.substr(colon + 1), false);
        text.remove_prefix(at + 1);
    }
    std::string_view port;
    if (text.starts_with('['))
    {
        const size_t end = text.find(']');
        if (end == std::string_view::npos)
            fail("']' is missing");
        url.host = std::string(text.substr(1, end - 1));
        port = text.substr(end + 1);
    }
    else
    {
        const size_t colon = std::min(text.find(':'), text.size());
        url.host = std::string(text.substr(0, colon));
        port = text.substr(colon);
    }
    if (url.host.empty())
        fail("the host is missing");
    if (!port.empty())
    {
        port.remove_prefix(1);
        const auto [end, ec] = std::from_chars(port.data(), port.data() + port.size(), url.port);
        if (ec != std::errc() || end != port.data() + port.size())
            fail("the port is not a number");
    }
    return url;
}

std::string encode_url(std::string_view text)
{
    std::string out;
    for (const char c : text)
    {
        if ((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
            c == '-' || c == '_' || c == '.' || c == '~')
            out.push_back(c);
        else
            out += fmt::format("%{:02X}", static_cast<unsigned char>(c));
    }
    return out;
}

namespace
{

// The message of the block that ends a result which failed: docs/protocol/http.md.
std::optional<std::string> exception_text(std::string_view tail, std::string_view tag)
{
    const std::string head = fmt::format("\r\n__exception__\r\n{}\r\n", tag);
    const std::string end = fmt::format(" {}\r\n__exception__\r\n", tag);
    const size_t begin = tail.rfind(head);
    if (begin == std::string_view::npos || !tail.ends_with(end))
        return std::nullopt;
    std::string_view text = tail.substr(begin + head.size());
    text.remove_suffix(std::min(end.size(), text.size()));
    return std::string(text.substr(0, text.rfind('\n')));
}

} // namespace

Error error_of_reply(const HttpReply& reply, const std::string& body)
{
    int code = 0;
    if (auto it = reply.headers.find("x-clickhouse-exception-code"); it != reply.headers.end())
        code = std::atoi(it->second.c_str());
    std::string text = body;
    while (!text.empty() && (text.back() == '\n' || text.back() == '\r'))
        text.pop_back();
    if (text.starts_with("Code: "))
    {
        if (code == 0)
            code = std::atoi(text.c_str() + 6);
        if (const size_t at = text.find("DB::Exception: "); at != std::string::npos)
            text.erase(0, at + 15);
        const std::string tail = fmt::format(" ({})", error_code_name(code));
        if (text.ends_with(tail))
            text.resize(text.size() - tail.size());
    }
    if (code == 0)
    {
        code = error_codes::NETWORK_ERROR;
        text = fmt::format("HTTP status {}: {}", reply.status, text.substr(0, 500));
    }
    return Error(code, text);
}

struct HttpClient::Impl
{
    using Parser = beast_http::response_parser<beast_http::buffer_body>;

    std::shared_ptr<TlsContext> tls;
    Socket socket;
    std::mutex mutex; // for abort()
    std::string bytes;
    size_t at = 0;

    bool read_more()
    {
        bytes.erase(0, at);
        at = 0;
        const size_t old = bytes.size();
        bytes.resize(old + kStreamBufferBytes);
        const size_t got = socket.read(bytes.data() + old, kStreamBufferBytes);
        bytes.resize(old + got);
        return got > 0;
    }
    boost::asio::const_buffer unread() const { return {bytes.data() + at, bytes.size() - at}; }

    HttpReply receive(const std::function<void(std::string_view)>& on_body, bool& keep)
    {
        Parser parser;
        parser.header_limit(kMaxHttpHeadBytes);
        parser.body_limit(boost::none);
        parser.eager(false);
        auto put = [&]
        {
            boost::system::error_code ec;
            const size_t used = at < bytes.size() ? parser.put(unread(), ec) : 0;
            at += used;
            if (ec && ec != beast_http::error::need_more && ec != beast_http::error::need_buffer)
                throw Error(error_codes::NETWORK_ERROR,
                            fmt::format("Broken HTTP reply: {}", ec.message()));
            // One put() may stop after a chunk's head with more at hand.
            return used > 0 && at < bytes.size();
        };
        while (!parser.is_header_done())
        {
            const bool more_at_hand = put();
            if (!parser.is_header_done() && !more_at_hand && !read_more())
                throw Error(error_codes::NETWORK_ERROR,
                            "The server closed the connection without a reply");
        }
        HttpReply reply;
        reply.status = parser.get().result_int();
        for (const auto& field : parser.get())
        {
            std::string name(field.name_string());
            std::transform(name.begin(), name.end(), name.begin(),
                           [](char c) { return c >= 'A' && c <= 'Z' ? char(c + 32) : c; });
            reply.headers[name] = std::string(field.value());
        }
        keep = parser.get().keep_alive();
        const auto tag = reply.headers.find("x-clickhouse-exception-tag");
        std::string tail; // of the body, where an error after the first rows stands
        char piece[65536];
        while (!parser.is_done())
        {
            auto& body = parser.get().body();
            body.data = piece;
            body.size = sizeof(piece);
            body.more = true;
            const bool more_at_hand = put();
            const size_t produced = sizeof(piece) - body.size;
            if (produced > 0)
            {
                if (tag != reply.headers.end())
                {
                    tail.append(piece, produced);
                    if (tail.size() > 2 * kErrorTailBytes)
                        tail.erase(0, tail.size() - kErrorTailBytes);
                }
                on_body({piece, produced});
            }
            else if (!parser.is_done() && !more_at_hand && !read_more())
            {
                boost::system::error_code ec;
                parser.put_eof(ec);
                if (tag != reply.headers.end())
                    if (const auto text = exception_text(tail, tag->second))
                        throw error_of_reply({}, *text);
                if (ec || !parser.is_done())
                    throw Error(error_codes::NETWORK_ERROR, "The reply broke off in the middle");
            }
        }
        return reply;
    }
};

HttpClient::HttpClient(HttpUrl url, int64_t timeout_ms)
    : url_(std::move(url)), timeout_ms_(timeout_ms), impl_(std::make_unique<Impl>())
{
}

HttpClient::~HttpClient() = default;

void HttpClient::abort()
{
    std::lock_guard lock(impl_->mutex);
    if (impl_->socket.is_open())
        impl_->socket.shutdown();
}

HttpReply HttpClient::post(const std::vector<std::pair<std::string, std::string>>& parameters,
                           InputBuffer* body,
                           const std::function<void(std::string_view)>& on_body)
{
    if (!impl_->socket.is_open() || impl_->socket.peer_hung_up())
    {
        Socket fresh = Socket::connect(url_.host, url_.port, 10000);
        fresh.set_timeouts(timeout_ms_, timeout_ms_);
        if (url_.secure)
        {
            if (!impl_->tls)
                impl_->tls = TlsContext::for_client(url_.tls);
            fresh.start_tls(*impl_->tls, url_.host);
        }
        std::lock_guard lock(impl_->mutex);
        impl_->socket = std::move(fresh);
        impl_->bytes.clear();
        impl_->at = 0;
    }
    std::string head = "POST " + url_.path;
    char separator = url_.path.find('?') == std::string::npos ? '?' : '&';
    for (const auto& [name, value] : parameters)
    {
        head += separator + encode_url(name) + "=" + encode_url(value);
        separator = '&';
    }
    head += fmt::format(" HTTP/1.1\r\nHost: {}:{}\r\nUser-Agent: basalt\r\n", url_.host,
                        url_.port);
    if (!url_.user.empty())
        head += "Authorization: Basic " + encode_base64(url_.user + ":" + url_.password) + "\r\n";
    head += body ? "Transfer-Encoding: chunked\r\n\r\n" : "Content-Length: 0\r\n\r\n";
    try
    {
        impl_->socket.write_all(head);
        if (body)
        {
            while (!body->eof())
            {
                const auto piece = body->available();
                impl_->socket.write_all(fmt::format("{:x}\r\n", piece.size()));
                impl_->socket.write_all(piece);
                impl_->socket.write_all("\r\n");
                body->consume(piece.size());
            }
            impl_->socket.write_all("0\r\n\r\n");
        }
    }
    catch (const Error&)
    {
        // The server may have answered an error and closed before it read everything: its answer
        // says more than the failed write.
        if (!impl_->socket.wait_readable(1000))
            throw;
    }
    bool keep = false;
    try
    {
        HttpReply reply = impl_->receive(on_body, keep);
        if (!keep)
            impl_->socket.close();
        return reply;
    }
    catch (...)
    {
        impl_->socket.close();
        throw;
    }
}

std::string HttpClient::query(const std::string& sql,
                              const std::vector<std::pair<std::string, std::string>>& parameters)
{
    std::string answer;
    MemoryInputBuffer body(sql);
    const HttpReply reply =
        post(parameters, &body, [&](std::string_view piece) { answer.append(piece); });
    if (reply.status != 200 || reply.headers.contains("x-clickhouse-exception-code"))
        throw error_of_reply(reply, answer);
    return answer;
}

} // namespace basalt
