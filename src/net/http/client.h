#pragma once

// An HTTP/1.1 client for ClickHouse's HTTP interface: one request at a time over one kept
// connection. Blocking.

#include "io/buffer.h"
#include "io/socket.h"

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace basalt
{

struct HttpUrl
{
    std::string host = "127.0.0.1";
    uint16_t port = 8123;
    std::string path = "/";
    std::string user, password;
    bool secure = false; // https; the port is 8443 unless given
    TlsClientOptions tls = {};
};
// "http[s]://user:password@host:port/path"; BAD_ARGUMENTS for anything else.
HttpUrl parse_http_url(std::string_view text);

std::string encode_url(std::string_view text);

struct HttpReply
{
    int status = 0;
    std::map<std::string, std::string> headers; // names in lower case
};

class HttpClient
{
public:
    explicit HttpClient(HttpUrl url, int64_t timeout_ms = 600000);
    ~HttpClient();

    // Sends POST path?parameters with `body` (may be null: no body), and gives the reply's body in
    // pieces. Throws NETWORK_ERROR; a reply that breaks off is an error too. A reply with another
    // status than 200 is returned like any other.
    HttpReply post(const std::vector<std::pair<std::string, std::string>>& parameters,
                   InputBuffer* body, const std::function<void(std::string_view)>& on_body);

    // One query: its whole answer. Throws the server's error with its code.
    std::string query(const std::string& sql,
                      const std::vector<std::pair<std::string, std::string>>& parameters = {});

    // From any thread: breaks the running request off.
    void abort();
    const HttpUrl& url() const { return url_; }

private:
    struct Impl;
    HttpUrl url_;
    int64_t timeout_ms_;
    std::unique_ptr<Impl> impl_;
};

// "Code: 60. DB::Exception: …" as an Error with that code; code 1000 (POCO_EXCEPTION) without one.
class Error;
Error error_of_reply(const HttpReply& reply, const std::string& body);

} // namespace basalt
