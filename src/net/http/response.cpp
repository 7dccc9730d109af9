#include "net/http/response.h"

#include "base/error.h"

#include <algorithm>
#include <ctime>
#include <fmt/format.h>

namespace basalt
{

namespace
{

std::string http_date()
{
    const std::time_t now = std::time(nullptr);
    std::tm utc{};
    gmtime_r(&now, &utc);
    char text[64];
    const size_t n = std::strftime(text, sizeof(text), "%a, %d %b %Y %H:%M:%S GMT", &utc);
    return std::string(text, n);
}

} // namespace

std::string_view http_reason(int status)
{
    switch (status)
    {
    case 200:
        return "OK";
    case 204:
        return "No Content";
    case 301:
        return "Moved Permanently";
    case 302:
        return "Found";
    case 307:
        return "Temporary Redirect";
    case 400:
        return "Bad Request";
    case 401:
        return "Unauthorized";
    case 403:
        return "Forbidden";
    case 404:
        return "Not Found";
    case 405:
        return "Method Not Allowed";
    case 408:
        return "Request Timeout";
    case 411:
        return "Length Required";
    case 413:
        return "Request Entity Too Large";
    case 414:
        return "URI Too Long";
    case 431:
        return "Request Header Fields Too Large";
    case 500:
        return "Internal Server Error";
    case 501:
        return "Not Implemented";
    case 503:
        return "Service Unavailable";
    default:
        return "Unknown";
    }
}

int http_status_of_error(int code)
{
    using namespace error_codes;
    switch (code)
    {
    case REQUIRED_PASSWORD:
        return 401;
    case UNKNOWN_USER:
    case WRONG_PASSWORD:
    case AUTHENTICATION_FAILED:
    case DATABASE_ACCESS_DENIED:
    case READONLY:
    case ACCESS_DENIED:
        return 403;
    case BAD_ARGUMENTS:
    case CANNOT_COMPILE_REGEXP:
    case CANNOT_PARSE_TEXT:
    case CANNOT_PARSE_ESCAPE_SEQUENCE:
    case CANNOT_PARSE_QUOTED_STRING:
    case CANNOT_PARSE_DATE:
    case CANNOT_PARSE_DATETIME:
    case CANNOT_PARSE_NUMBER:
    case CANNOT_PARSE_DOMAIN_VALUE_FROM_STRING:
    case CANNOT_PARSE_IPV4:
    case CANNOT_PARSE_IPV6:
    case CANNOT_PARSE_INPUT_ASSERTION_FAILED:
    case CANNOT_PARSE_UUID:
    case DUPLICATE_COLUMN:
    case ILLEGAL_COLUMN:
    case THERE_IS_NO_COLUMN:
    case UNKNOWN_ELEMENT_IN_AST:
    case UNKNOWN_TYPE_OF_AST_NODE:
    case TOO_DEEP_AST:
    case TOO_BIG_AST:
    case UNEXPECTED_AST_STRUCTURE:
    case SYNTAX_ERROR:
    case INCORRECT_DATA:
    case TYPE_MISMATCH:
    case VALUE_IS_OUT_OF_RANGE_OF_DATA_TYPE:
    case NUMBER_OF_ARGUMENTS_DOESNT_MATCH:
    case ILLEGAL_TYPE_OF_ARGUMENT:
        return 400;
    case UNKNOWN_TABLE:
    case UNKNOWN_FUNCTION:
    case UNKNOWN_IDENTIFIER:
    case UNKNOWN_TYPE:
    case UNKNOWN_STORAGE:
    case UNKNOWN_DATABASE:
    case UNKNOWN_SETTING:
    case UNKNOWN_DIRECTION_OF_SORTING:
    case UNKNOWN_AGGREGATE_FUNCTION:
    case UNKNOWN_FORMAT:
    case UNKNOWN_DATABASE_ENGINE:
    case UNKNOWN_TYPE_OF_QUERY:
    case UNKNOWN_ROLE:
    case NO_ELEMENTS_IN_CONFIG:
        return 404;
    case QUERY_IS_TOO_LARGE:
        return 413;
    case TIMEOUT_EXCEEDED:
        return 408;
    case HTTP_LENGTH_REQUIRED:
        return 411;
    case NOT_IMPLEMENTED:
        return 501;
    case SOCKET_TIMEOUT:
    case CANNOT_OPEN_FILE:
    case CANNOT_SCHEDULE_TASK:
    case TOO_MANY_SIMULTANEOUS_QUERIES:
    case TOO_MANY_PARTS: // of inserts that may be tried again
        return 503;
    default:
        return 500;
    }
}

HttpResponse::HttpResponse(Socket& socket, const HttpResponseOptions& options)
    : BlockOutputBuffer(options.buffer_bytes), socket_(socket), options_(options)
{
    // Without chunks the end of the connection is the end of the body.
    if (!options_.chunked)
        options_.keep_alive = false;
}

void HttpResponse::set_header(std::string name, std::string value)
{
    // A line end in a value would let it add headers of its own.
    std::replace_if(value.begin(), value.end(), [](char c) { return c == '\r' || c == '\n'; },
                    ' ');
    std::lock_guard lock(head_mutex_);
    for (size_t i = headers_sent_; i < headers_.size(); ++i)
        if (headers_[i].first == name)
        {
            headers_[i].second = std::move(value);
            return;
        }
    headers_.emplace_back(std::move(name), std::move(value));
}

void HttpResponse::remove_header(const std::string& name)
{
    std::lock_guard lock(head_mutex_);
    headers_.erase(std::remove_if(headers_.begin() + static_cast<ptrdiff_t>(headers_sent_),
                                  headers_.end(),
                                  [&](const auto& header) { return header.first == name; }),
                   headers_.end());
}

void HttpResponse::hold(uint64_t bytes, std::string folder)
{
    hold_bytes_ = bytes;
    held_.set_folder(std::move(folder));
}

void HttpResponse::write_headers(std::string_view last)
{
    std::string head;
    if (!head_begun_)
    {
        head = fmt::format("HTTP/1.1 {} {}\r\nDate: {}\r\nConnection: {}\r\n", status_,
                           http_reason(status_), http_date(),
                           options_.keep_alive ? "keep-alive" : "close");
        if (options_.keep_alive)
            head += fmt::format("Keep-Alive: timeout={}, max=9999\r\n",
                                options_.keep_alive_timeout_ms / 1000);
    }
    head_begun_ = true;
    for (; headers_sent_ < headers_.size(); ++headers_sent_)
        head += headers_[headers_sent_].first + ": " + headers_[headers_sent_].second + "\r\n";
    head += last;
    socket_.write_all(head);
}

bool HttpResponse::send_early_header(const std::string& name, const std::string& value)
{
    std::lock_guard lock(head_mutex_);
    if (head_sent_)
        return false;
    write_headers(name + ": " + value + "\r\n");
    return true;
}

void HttpResponse::send_head(bool whole, uint64_t length)
{
    if (before_head_)
        before_head_(*this);
    if (status_ == 204)
        options_.head_only = true; // has no body, and no length
    else if (whole)
        set_header("Content-Length", fmt::format("{}", length));
    else if (options_.chunked)
        set_header("Transfer-Encoding", "chunked");
    std::lock_guard lock(head_mutex_);
    head_sent_ = true;
    write_headers("\r\n");
}

void HttpResponse::send_body(std::string_view bytes)
{
    if (options_.head_only || bytes.empty())
        return;
    if (options_.chunked)
        socket_.write_all(fmt::format("{:x}\r\n", bytes.size()));
    socket_.write_all(bytes);
    if (options_.chunked)
        socket_.write_all("\r\n");
}

void HttpResponse::sink(const char* data, size_t size)
{
    if (discarding_)
        return;
    const std::string_view bytes(data, size);
    if (!head_sent_)
    {
        if (!finishing_ && held_.size() + size <= hold_bytes_)
        {
            held_.add(bytes);
            return;
        }
        if (finishing_)
        {
            send_head(true, held_.size() + size);
            finished_ = true;
            if (options_.head_only)
                return;
            held_.read([&](std::string_view piece) { socket_.write_all(piece); });
            socket_.write_all(bytes);
            return;
        }
        send_head(false, 0);
        held_.read([&](std::string_view piece) { send_body(piece); });
        held_.clear();
    }
    send_body(bytes);
}

void HttpResponse::finish()
{
    finishing_ = true;
    flush();
    if (finished_)
        return;
    if (!head_sent_)
    {
        send_head(true, held_.size());
        if (!options_.head_only)
            held_.read([&](std::string_view piece) { socket_.write_all(piece); });
    }
    else if (!options_.head_only && options_.chunked)
        socket_.write_all("0\r\n\r\n");
    finished_ = true;
    held_.clear();
}

void HttpResponse::discard()
{
    discarding_ = true;
    flush();
    held_.clear();
    discarding_ = false;
}

void HttpResponse::break_off()
{
    options_.keep_alive = false;
    flush();
}

} // namespace basalt
