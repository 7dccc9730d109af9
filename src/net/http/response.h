#pragma once

// An HTTP reply whose head is sent with the first bytes of its body, so that an error found before
// then still gets its status. Body: chunked, or with Content-Length when all of it was held back;
// to a client of HTTP/1.0 up to the end of the connection.
// One thread at a time, except for send_early_header().

#include "io/buffer.h"
#include "io/socket.h"
#include "net/http/held_bytes.h"

#include <functional>
#include <mutex>
#include <string>
#include <vector>

namespace basalt
{

struct HttpResponseOptions
{
    bool keep_alive = true;
    bool head_only = false; // HEAD
    bool chunked = true;    // false: HTTP/1.0
    size_t buffer_bytes = 1 << 20; // sent at a time, and before which no head is sent
    int64_t keep_alive_timeout_ms = 30000; // told to the client
};

class HttpResponse : public BlockOutputBuffer
{
public:
    HttpResponse(Socket& socket, const HttpResponseOptions& options);

    void set_status(int status) { status_ = status; }
    void set_header(std::string name, std::string value);
    void remove_header(const std::string& name);
    // Called just before the head is sent, to add late headers (a summary).
    void before_head(std::function<void(HttpResponse&)> action) { before_head_ = std::move(action); }
    // The head is not sent before there are more than `bytes` of body, or the end. What memory
    // should not hold goes to a file in `folder`.
    void hold(uint64_t bytes, std::string folder);
    // From any thread: sends the head without its end, and this line. False when the head is
    // complete. The status can then no longer change.
    bool send_early_header(const std::string& name, const std::string& value);

    bool head_sent() const { return head_sent_; }
    bool keep_alive() const { return options_.keep_alive; }
    void close_after() { options_.keep_alive = false; }
    // The end of a good reply. Without it a chunked reply is visibly broken off.
    void finish() override;
    // Drops what was not sent yet, for an error's text instead.
    void discard();
    // Sends the last bytes without the end mark and closes.
    void break_off();

protected:
    void sink(const char* data, size_t size) override;

private:
    // With head_mutex_ locked: what was not sent of them yet, and `last`.
    void write_headers(std::string_view last);
    void send_head(bool whole, uint64_t length);
    void send_body(std::string_view bytes);

    Socket& socket_;
    HttpResponseOptions options_;
    int status_ = 200;
    std::mutex head_mutex_; // of the headers, and of writing before the head is sent
    std::vector<std::pair<std::string, std::string>> headers_;
    size_t headers_sent_ = 0;
    bool head_begun_ = false; // its first lines were sent
    std::function<void(HttpResponse&)> before_head_;
    HeldBytes held_;
    uint64_t hold_bytes_ = 0;
    bool head_sent_ = false;
    bool finishing_ = false;
    bool finished_ = false;
    bool discarding_ = false;
};

std::string_view http_reason(int status);
// The status that ClickHouse answers an error code with.
int http_status_of_error(int code);

} // namespace basalt
