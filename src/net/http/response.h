#pragma once

// An HTTP reply whose head is sent with the first bytes of its body, so that an error found before
// then still gets its status. Body: chunked, or with Content-Length when it fits the buffer.

#include "io/buffer.h"
#include "io/socket.h"

#include <functional>
#include <mutex>
#include <string>
#include <vector>

namespace basalt
{

class HttpResponse : public BlockOutputBuffer
{
public:
    // head_only: HEAD requests. buffer_bytes: kept back before the head is sent.
    HttpResponse(Socket& socket, bool keep_alive, bool head_only, size_t buffer_bytes);

    void set_status(int status) { status_ = status; }
    void set_header(std::string name, std::string value);
    // Called just before the head is sent, to add late headers (a summary).
    void before_head(std::function<void(HttpResponse&)> action) { before_head_ = std::move(action); }

    // From any thread, before the head is sent: a header of its own on the wire at once, to tell how
    // far a query is. The status is out then.
    void send_progress(const std::string& value);

    bool head_sent() const { return head_sent_; }
    bool keep_alive() const { return keep_alive_; }
    void close_after() { keep_alive_ = false; }
    // The end of a good reply. Without it a chunked reply is visibly broken off.
    void finish() override;
    // Drops what was not sent yet, for an error's text instead.
    void discard();
    // Sends the last bytes without the end mark and closes.
    void break_off();

protected:
    void sink(const char* data, size_t size) override;

private:
    void send_head(bool whole, size_t length);
    std::string next_headers(); // the status line, when it is still to come, and new headers

    Socket& socket_;
    bool keep_alive_;
    bool head_only_;
    int status_ = 200;
    std::vector<std::pair<std::string, std::string>> headers_;
    size_t headers_sent_ = 0;
    std::function<void(HttpResponse&)> before_head_;
    std::mutex head_mutex_; // of what is sent up to the end of the head
    bool head_begun_ = false;
    bool head_sent_ = false;
    bool finishing_ = false;
    bool finished_ = false;
    bool breaking_ = false;
    bool discarding_ = false;
};

std::string_view http_reason(int status);
// The status that ClickHouse answers an error code with.
int http_status_of_error(int code);

} // namespace basalt
