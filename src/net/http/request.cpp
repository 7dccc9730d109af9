#include "net/http/request.h"

#include "base/error.h"

#include <boost/asio/buffer.hpp>
#include <boost/beast/http/buffer_body.hpp>
#include <boost/beast/http/parser.hpp>

#include <algorithm>
#include <chrono>
#include <fmt/format.h>
#include <stdexcept>

namespace basalt
{

namespace beast_http = boost::beast::http;

namespace
{

std::string lower(std::string_view text)
{
    std::string out(text);
    std::transform(out.begin(), out.end(), out.begin(),
                   [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; });
    return out;
}

HttpHeadError uri_too_long()
{
    return HttpHeadError(414, fmt::format("Path and query of more than {} bytes: send the query in "
                                          "the body",
                                          kMaxHttpUriBytes));
}

HttpHeadError headers_too_large()
{
    return HttpHeadError(431, fmt::format("More than {} headers, one of more than {} bytes, or more "
                                          "than {} bytes of them",
                                          kMaxHttpFields, kMaxHttpFieldBytes, kMaxHttpHeadBytes));
}

int hex_digit(char c)
{
    if (c >= '0' && c <= '9')
        return c - '0';
    if (c >= 'a' && c <= 'f')
        return c - 'a' + 10;
    if (c >= 'A' && c <= 'F')
        return c - 'A' + 10;
    return -1;
}

} // namespace

const std::string* HttpRequest::header(const std::string& lower_name) const
{
    auto it = headers.find(lower_name);
    return it == headers.end() ? nullptr : &it->second;
}

const std::string* HttpRequest::parameter(const std::string& name) const
{
    for (size_t i = parameters.size(); i-- > 0;)
        if (parameters[i].first == name)
            return &parameters[i].second;
    return nullptr;
}

std::string decode_url(std::string_view text, bool plus_is_space)
{
    std::string out;
    out.reserve(text.size());
    for (size_t i = 0; i < text.size(); ++i)
    {
        if (text[i] == '%' && i + 2 < text.size() && hex_digit(text[i + 1]) >= 0 &&
            hex_digit(text[i + 2]) >= 0)
        {
            out.push_back(static_cast<char>(hex_digit(text[i + 1]) * 16 + hex_digit(text[i + 2])));
            i += 2;
        }
        else
            out.push_back(plus_is_space && text[i] == '+' ? ' ' : text[i]);
    }
    return out;
}

std::vector<std::pair<std::string, std::string>> parse_url_parameters(std::string_view text)
{
    std::vector<std::pair<std::string, std::string>> parameters;
    while (!text.empty())
    {
        const size_t end = std::min(text.find('&'), text.size());
        const std::string_view pair = text.substr(0, end);
        text.remove_prefix(std::min(end + 1, text.size()));
        if (pair.empty())
            continue;
        const size_t equals = pair.find('=');
        const std::string_view name = pair.substr(0, equals);
        const std::string_view value =
            equals == std::string_view::npos ? std::string_view{} : pair.substr(equals + 1);
        parameters.emplace_back(decode_url(name, true), decode_url(value, true));
    }
    return parameters;
}

// Beast does the parsing; bytes come from the socket into `bytes_`, of which [at_, end) is unread.
struct HttpConnectionReader::Impl
{
    using Parser = beast_http::request_parser<beast_http::buffer_body>;

    class Body : public InputBuffer
    {
    public:
        explicit Body(Impl& impl) : impl_(impl) {}

    protected:
        size_t read_some(char* to, size_t size) override { return impl_.read_body(to, size); }

    private:
        Impl& impl_;
    };

    Impl(Socket& socket, int64_t head_timeout_ms)
        : socket_(socket), head_timeout_ms_(head_timeout_ms)
    {
    }

    bool read_more()
    {
        if (at_ > 0)
        {
            bytes_.erase(0, at_);
            at_ = 0;
        }
        const size_t old = bytes_.size();
        bytes_.resize(old + kStreamBufferBytes);
        const size_t got = socket_.read(bytes_.data() + old, kStreamBufferBytes);
        bytes_.resize(old + got);
        return got > 0;
    }

    boost::asio::const_buffer unread() const
    {
        return {bytes_.data() + at_, bytes_.size() - at_};
    }

    size_t read_body(char* to, size_t size)
    {
        if (!parser_ || parser_->is_done())
            return 0;
        auto& body = parser_->get().body();
        body.data = to;
        body.size = size;
        body.more = true;
        for (;;)
        {
            boost::system::error_code ec;
            size_t used = 0;
            if (at_ < bytes_.size())
            {
                used = parser_->put(unread(), ec);
                at_ += used;
                if (ec && ec != beast_http::error::need_buffer &&
                    ec != beast_http::error::need_more)
                    throw Error(error_codes::NETWORK_ERROR,
                                fmt::format("Broken HTTP body: {}", ec.message()));
            }
            const size_t produced = size - body.size;
            if (produced > 0 || parser_->is_done())
                return produced;
            // One put() may stop after a chunk's head with more at hand.
            if (used > 0 && at_ < bytes_.size())
                continue;
            if (!read_more())
                throw Error(error_codes::NETWORK_ERROR,
                            "The connection ended in the middle of a request's body");
        }
    }

    Socket& socket_;
    int64_t head_timeout_ms_;
    std::string bytes_;
    size_t at_ = 0;
    std::unique_ptr<Parser> parser_;
    std::unique_ptr<Body> body_;
};

HttpConnectionReader::HttpConnectionReader(Socket& socket, int64_t head_timeout_ms)
    : impl_(std::make_unique<Impl>(socket, head_timeout_ms))
{
}

HttpConnectionReader::~HttpConnectionReader() = default;

std::optional<HttpRequest> HttpConnectionReader::next_head()
{
    auto& s = *impl_;
    s.body_.reset();
    s.parser_ = std::make_unique<Impl::Parser>();
    s.parser_->header_limit(kMaxHttpHeadBytes);
    s.parser_->body_limit(boost::none);
    s.parser_->eager(false);
    const auto deadline =
        std::chrono::steady_clock::now() + std::chrono::milliseconds(s.head_timeout_ms_);
    while (!s.parser_->is_header_done())
    {
        boost::system::error_code ec;
        if (s.at_ < s.bytes_.size())
        {
            // Who speaks another protocol would wait long for an answer to half a line.
            const unsigned char first = static_cast<unsigned char>(s.bytes_[s.at_]);
            if (!s.parser_->got_some() && first < ' ' && first != '\r' && first != '\n')
                throw HttpHeadError(400, "Not an HTTP request: this port speaks HTTP");
            try
            {
                s.at_ += s.parser_->put(s.unread(), ec);
            }
            catch (const std::length_error&) // Beast's own limit of one header, 64 KiB
            {
                throw headers_too_large();
            }
            if (ec == beast_http::error::header_limit && s.parser_->get().target().empty())
                throw uri_too_long();
            if (ec == beast_http::error::header_limit)
                throw headers_too_large();
            if (ec && ec != beast_http::error::need_more)
                throw HttpHeadError(400, fmt::format("Not an HTTP request: {}", ec.message()));
            if (s.parser_->is_header_done())
                break;
        }
        const bool in_the_middle = s.at_ < s.bytes_.size();
        if (const auto left_ms = deadline - std::chrono::steady_clock::now();
            !s.socket_.wait_readable(std::max<int64_t>(
                0, std::chrono::duration_cast<std::chrono::milliseconds>(left_ms).count())))
            throw HttpHeadError(408, fmt::format("The head of a request took more than {} ms",
                                                 s.head_timeout_ms_));
        if (!s.read_more())
        {
            if (in_the_middle || s.parser_->got_some())
                throw Error(error_codes::NETWORK_ERROR,
                            "The connection ended in the middle of a request's head");
            return std::nullopt;
        }
    }

    const auto& message = s.parser_->get();
    HttpRequest request;
    request.method = std::string(message.method_string());
    const std::string_view target{message.target().data(), message.target().size()};
    const size_t question = target.find('?');
    request.path = decode_url(target.substr(0, question), false);
    if (question != std::string_view::npos)
        request.parameters = parse_url_parameters(target.substr(question + 1));
    if (target.size() > kMaxHttpUriBytes)
        throw uri_too_long();
    size_t fields = 0;
    for (const auto& field : message)
        if (++fields > kMaxHttpFields ||
            field.name_string().size() + field.value().size() > kMaxHttpFieldBytes)
            throw headers_too_large();
    for (const auto& field : message)
        request.headers[lower({field.name_string().data(), field.name_string().size()})] =
            std::string(field.value());
    request.keep_alive = message.keep_alive();
    request.is_http_1_0 = message.version() < 11;
    request.has_body = !s.parser_->is_done();
    request.has_length = message.has_content_length() || message.chunked();
    if (const auto* expect = request.header("expect");
        expect && lower(*expect) == "100-continue" && request.has_body)
        s.socket_.write_all("HTTP/1.1 100 Continue\r\n\r\n");
    s.body_ = std::make_unique<Impl::Body>(s);
    return request;
}

InputBuffer& HttpConnectionReader::body()
{
    return *impl_->body_;
}

bool HttpConnectionReader::drain_body(size_t max_bytes)
{
    size_t seen = 0;
    while (!impl_->body_->eof())
    {
        const size_t n = impl_->body_->available().size();
        impl_->body_->consume(n);
        seen += n;
        if (seen > max_bytes)
            return false;
    }
    return true;
}

} // namespace basalt
