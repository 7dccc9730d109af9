#pragma once

// One HTTP/1.1 request read from a socket: head at once, body as a stream. Bytes only: nothing here
// knows of queries.

#include "base/error.h"
#include "io/buffer.h"
#include "io/socket.h"

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace basalt
{

inline constexpr size_t kMaxHttpUriBytes = 1 << 20; // path and query as they are sent
inline constexpr size_t kMaxHttpHeadBytes = 2 << 20; // request line and headers
inline constexpr size_t kMaxHttpFields = 1000;
inline constexpr size_t kMaxHttpFieldBytes = 63 << 10; // name and value of one header
// From the first byte of a head to its last, however slowly they come.
inline constexpr int64_t kHttpHeadTimeoutMs = 30000;

// A head that is answered with this status, after which the connection must be closed.
class HttpHeadError : public Error
{
public:
    HttpHeadError(int status, std::string text)
        : Error(error_codes::BAD_ARGUMENTS, std::move(text)), status_(status)
    {
    }
    int status() const { return status_; }

private:
    int status_;
};

struct HttpRequest
{
    std::string method;
    std::string path;                            // decoded, without the query
    std::vector<std::pair<std::string, std::string>> parameters; // decoded, in order
    std::map<std::string, std::string> headers;  // names in lower case
    bool keep_alive = true;
    bool is_http_1_0 = false;
    bool has_body = false;   // and it is not empty
    bool has_length = false; // Content-Length or chunks
    std::vector<std::string> certificate_names = {}; // of the client, see TlsSession

    const std::string* header(const std::string& lower_name) const;
    const std::string* parameter(const std::string& name) const; // the last of that name
};

// %41 and + to bytes. A broken escape is kept as it is.
std::string decode_url(std::string_view text, bool plus_is_space);
// a=1&b=2, decoded.
std::vector<std::pair<std::string, std::string>> parse_url_parameters(std::string_view text);

// Requests of one connection, one after another. Blocking.
class HttpConnectionReader
{
public:
    explicit HttpConnectionReader(Socket& socket,
                                  int64_t head_timeout_ms = kHttpHeadTimeoutMs);
    ~HttpConnectionReader();

    // The next request's head; nothing when the peer has closed the connection between requests.
    // Throws NETWORK_ERROR, or HttpHeadError for what is not HTTP, too large or too slow.
    std::optional<HttpRequest> next_head();
    // The body of that request, dechunked; ends where the body ends.
    InputBuffer& body();
    // Reads what is left of the body, at most `max_bytes`; false if there was more.
    bool drain_body(size_t max_bytes);

private:
    struct Impl;
    std::unique_ptr<Impl> impl_;
};

} // namespace basalt
