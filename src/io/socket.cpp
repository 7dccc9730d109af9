#include "io/socket.h"

#include "base/error.h"
#include "base/profile_events.h"

#include <algorithm>
#include <arpa/inet.h>
#include <cerrno>
#include <chrono>
#include <fcntl.h>
#include <fmt/core.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <system_error>
#include <unistd.h>
#include <utility>

namespace basalt
{

using namespace error_codes;

namespace
{

std::string reason(int errno_value)
{
    return std::generic_category().message(errno_value);
}

SocketAddress address_of(const sockaddr_storage& storage)
{
    SocketAddress address;
    char text[INET6_ADDRSTRLEN] = {};
    if (storage.ss_family == AF_INET)
    {
        const auto& v4 = reinterpret_cast<const sockaddr_in&>(storage);
        ::inet_ntop(AF_INET, &v4.sin_addr, text, sizeof(text));
        address.port = ntohs(v4.sin_port);
    }
    else if (storage.ss_family == AF_INET6)
    {
        const auto& v6 = reinterpret_cast<const sockaddr_in6&>(storage);
        ::inet_ntop(AF_INET6, &v6.sin6_addr, text, sizeof(text));
        address.port = ntohs(v6.sin6_port);
    }
    address.host = text;
    return address;
}

SocketAddress name_of(int fd, int (*get)(int, sockaddr*, socklen_t*))
{
    sockaddr_storage storage{};
    socklen_t size = sizeof(storage);
    if (get(fd, reinterpret_cast<sockaddr*>(&storage), &size) != 0)
        return {};
    return address_of(storage);
}

using AddressList = std::unique_ptr<addrinfo, void (*)(addrinfo*)>;

AddressList resolve(const std::string& host, uint16_t port, int flags)
{
    addrinfo hints{};
    hints.ai_family = AF_UNSPEC;
    hints.ai_socktype = SOCK_STREAM;
    hints.ai_flags = flags | AI_NUMERICSERV;
    addrinfo* found = nullptr;
    const int result = ::getaddrinfo(host.c_str(), std::to_string(port).c_str(), &hints, &found);
    if (result != 0)
        throw Error(DNS_ERROR,
                    fmt::format("Cannot resolve host {}: {}", host, ::gai_strerror(result)));
    return {found, &::freeaddrinfo};
}

int64_t now_ms()
{
    return std::chrono::duration_cast<std::chrono::milliseconds>(
               std::chrono::steady_clock::now().time_since_epoch())
        .count();
}

// Waits for `events` on `fd` (and for input on `wake_fd` if it is not -1). False after the
// timeout; errors and hang-ups count as ready, the call that follows reports them.
bool wait_for(int fd, short events, int64_t timeout_ms, int wake_fd = -1)
{
    const int64_t deadline_ms = timeout_ms < 0 ? 0 : now_ms() + timeout_ms;
    for (;;)
    {
        pollfd polled[2] = {{fd, events, 0}, {wake_fd, POLLIN, 0}};
        const int64_t left_ms = timeout_ms < 0 ? -1 : std::max<int64_t>(0, deadline_ms - now_ms());
        const int ready = ::poll(polled, wake_fd >= 0 ? 2 : 1,
                                 static_cast<int>(std::min<int64_t>(left_ms, INT32_MAX)));
        if (ready > 0)
            return true;
        if (ready == 0 && left_ms <= 0 && timeout_ms >= 0)
            return false;
        if (ready < 0 && errno != EINTR)
            throw Error(CANNOT_POLL, fmt::format("Cannot poll a socket: {}", reason(errno)));
    }
}

} // namespace

std::string SocketAddress::text() const
{
    return host.find(':') == std::string::npos ? fmt::format("{}:{}", host, port)
                                               : fmt::format("[{}]:{}", host, port);
}

Socket::Socket(int fd)
    : fd_(fd), peer_(name_of(fd, &::getpeername)), local_(name_of(fd, &::getsockname))
{
    // Waiting is done by poll(), so that timeouts hold for writes of any size.
    ::fcntl(fd_, F_SETFL, ::fcntl(fd_, F_GETFL) | O_NONBLOCK);
    const int on = 1;
    ::setsockopt(fd_, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
    ::setsockopt(fd_, SOL_SOCKET, SO_KEEPALIVE, &on, sizeof(on));
}

Socket::~Socket()
{
    close();
}

Socket::Socket(Socket&& other) noexcept
    : fd_(std::exchange(other.fd_, -1)), tls_(std::move(other.tls_)), read_timeout_ms_(other.read_timeout_ms_),
      write_timeout_ms_(other.write_timeout_ms_), peer_(std::move(other.peer_)),
      local_(std::move(other.local_))
{
}

Socket& Socket::operator=(Socket&& other) noexcept
{
    if (this != &other)
    {
        close();
        fd_ = std::exchange(other.fd_, -1);
        tls_ = std::move(other.tls_);
        read_timeout_ms_ = other.read_timeout_ms_;
        write_timeout_ms_ = other.write_timeout_ms_;
        peer_ = std::move(other.peer_);
        local_ = std::move(other.local_);
    }
    return *this;
}

Socket Socket::connect(const std::string& host, uint16_t port, int64_t timeout_ms)
{
    const AddressList addresses = resolve(host, port, AI_ADDRCONFIG);
    const int64_t deadline_ms = timeout_ms < 0 ? 0 : now_ms() + timeout_ms;
    int code = NETWORK_ERROR;
    std::string why = "no address";
    for (const addrinfo* address = addresses.get(); address; address = address->ai_next)
    {
        const int fd = ::socket(address->ai_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
        if (fd < 0)
        {
            why = reason(errno);
            continue;
        }
        int error = ::connect(fd, address->ai_addr, address->ai_addrlen) == 0 ? 0 : errno;
        if (error == EINPROGRESS)
        {
            const int64_t left_ms =
                timeout_ms < 0 ? kNoTimeoutMs : std::max<int64_t>(0, deadline_ms - now_ms());
            if (wait_for(fd, POLLOUT, left_ms))
            {
                socklen_t size = sizeof(error);
                ::getsockopt(fd, SOL_SOCKET, SO_ERROR, &error, &size);
            }
            else
                error = ETIMEDOUT;
        }
        if (error == 0)
            return Socket(fd);
        ::close(fd);
        code = error == ETIMEDOUT ? SOCKET_TIMEOUT : NETWORK_ERROR;
        why = reason(error);
    }
    throw Error(code,
                fmt::format("Cannot connect to {}: {}", SocketAddress{host, port}.text(), why));
}

void Socket::set_timeouts(int64_t read_timeout_ms, int64_t write_timeout_ms)
{
    read_timeout_ms_ = read_timeout_ms;
    write_timeout_ms_ = write_timeout_ms;
}

void Socket::wait(TlsSession::Step step, int64_t timeout_ms, const char* what)
{
    if (!wait_for(fd_, step == TlsSession::Step::WantWrite ? POLLOUT : POLLIN, timeout_ms))
        throw Error(SOCKET_TIMEOUT, fmt::format("Timeout exceeded while {} socket ({}, {} ms)", what,
                                                peer_.text(), timeout_ms));
}

bool Socket::start_tls(TlsContext& context, const std::string& server_name)
{
    auto session = std::make_unique<TlsSession>(context, fd_, server_name);
    for (;;)
    {
        const auto step = session->handshake();
        if (step == TlsSession::Step::PlainHttp)
            return false;
        if (step == TlsSession::Step::Done)
            break;
        wait(step, read_timeout_ms_, "waiting for the TLS handshake of a");
    }
    tls_ = std::move(session);
    return true;
}

std::vector<std::string> Socket::peer_names() const
{
    return tls_ ? tls_->peer_names() : std::vector<std::string>();
}

size_t Socket::read(char* to, size_t size)
{
    while (tls_)
    {
        size_t done = 0;
        const auto step = tls_->read(to, size, done);
        if (step == TlsSession::Step::Done)
        {
            server_profile_counters().add(ProfileEvent::NetworkReceiveBytes, done);
            return done;
        }
        wait(step, read_timeout_ms_, "reading from");
    }
    for (;;)
    {
        const ssize_t n = ::recv(fd_, to, size, 0);
        if (n >= 0)
        {
            server_profile_counters().add(ProfileEvent::NetworkReceiveBytes,
                                          static_cast<uint64_t>(n));
            return static_cast<size_t>(n);
        }
        if (errno == EINTR)
            continue;
        if (errno == EAGAIN || errno == EWOULDBLOCK)
        {
            if (!wait_for(fd_, POLLIN, read_timeout_ms_))
                throw Error(SOCKET_TIMEOUT, fmt::format("Timeout exceeded while reading from "
                                                        "socket ({}, {} ms)",
                                                        peer_.text(), read_timeout_ms_));
            continue;
        }
        if (errno == ECONNRESET || errno == EPIPE || errno == ENOTCONN || errno == ETIMEDOUT)
            throw Error(NETWORK_ERROR, fmt::format("Cannot read from socket ({}): {}", peer_.text(),
                                                   reason(errno)));
        throw Error(CANNOT_READ_FROM_SOCKET,
                    fmt::format("Cannot read from socket ({}): {}", peer_.text(), reason(errno)));
    }
}

void Socket::write_all(const char* data, size_t size)
{
    server_profile_counters().add(ProfileEvent::NetworkSendBytes, size);
    while (tls_ && size > 0)
    {
        size_t done = 0;
        const auto step = tls_->write(data, size, done);
        data += done;
        size -= done;
        if (step != TlsSession::Step::Done)
            wait(step, write_timeout_ms_, "writing to");
    }
    while (size > 0)
    {
        const ssize_t n = ::send(fd_, data, size, MSG_NOSIGNAL);
        if (n >= 0)
        {
            data += n;
            size -= static_cast<size_t>(n);
            continue;
        }
        if (errno == EINTR)
            continue;
        if (errno == EAGAIN || errno == EWOULDBLOCK)
        {
            if (!wait_for(fd_, POLLOUT, write_timeout_ms_))
                throw Error(SOCKET_TIMEOUT, fmt::format("Timeout exceeded while writing to "
                                                        "socket ({}, {} ms)",
                                                        peer_.text(), write_timeout_ms_));
            continue;
        }
        if (errno == ECONNRESET || errno == EPIPE || errno == ENOTCONN || errno == ETIMEDOUT)
            throw Error(NETWORK_ERROR, fmt::format("Cannot write to socket ({}): {}", peer_.text(),
                                                   reason(errno)));
        throw Error(CANNOT_WRITE_TO_SOCKET,
                    fmt::format("Cannot write to socket ({}): {}", peer_.text(), reason(errno)));
    }
}

bool Socket::wait_readable(int64_t timeout_ms)
{
    return (tls_ && tls_->has_pending()) || wait_for(fd_, POLLIN, timeout_ms);
}

bool Socket::peer_hung_up() const
{
    if (fd_ < 0)
        return true;
    pollfd polled = {fd_, POLLIN | POLLRDHUP, 0};
    if (::poll(&polled, 1, 0) <= 0)
        return false;
    if (polled.revents & (POLLERR | POLLHUP | POLLNVAL | POLLRDHUP))
        return true;
    char byte;
    const ssize_t n = ::recv(fd_, &byte, 1, MSG_PEEK | MSG_DONTWAIT);
    return n == 0 || (n < 0 && errno != EAGAIN && errno != EWOULDBLOCK && errno != EINTR);
}

void Socket::shutdown()
{
    if (fd_ >= 0)
        ::shutdown(fd_, SHUT_RDWR);
}

void Socket::shutdown_write()
{
    if (tls_)
        tls_->close_notify();
    if (fd_ >= 0)
        ::shutdown(fd_, SHUT_WR);
}

void Socket::close()
{
    if (tls_)
        tls_->close_notify();
    tls_.reset();
    if (fd_ >= 0)
        ::close(std::exchange(fd_, -1));
}

Listener::Listener(const std::string& host, uint16_t port, int backlog)
{
    const AddressList addresses = resolve(host, port, AI_PASSIVE);
    std::string why;
    for (const addrinfo* address = addresses.get(); address; address = address->ai_next)
    {
        const int fd = ::socket(address->ai_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
        if (fd < 0)
        {
            why = reason(errno);
            continue;
        }
        const int on = 1;
        ::setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on));
        // "::" takes IPv4 as well.
        const int off = 0;
        if (address->ai_family == AF_INET6)
            ::setsockopt(fd, IPPROTO_IPV6, IPV6_V6ONLY, &off, sizeof(off));
        if (::bind(fd, address->ai_addr, address->ai_addrlen) == 0 && ::listen(fd, backlog) == 0)
        {
            fd_ = fd;
            break;
        }
        why = reason(errno);
        ::close(fd);
    }
    if (fd_ < 0)
        throw Error(NETWORK_ERROR,
                    fmt::format("Cannot listen on {}: {}", SocketAddress{host, port}.text(), why));
    address_ = name_of(fd_, &::getsockname);
    wake_fd_ = ::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    if (wake_fd_ < 0)
    {
        ::close(fd_);
        throw Error(NETWORK_ERROR, fmt::format("Cannot make an eventfd: {}", reason(errno)));
    }
}

Listener::~Listener()
{
    ::close(fd_);
    ::close(wake_fd_);
}

std::optional<Socket> Listener::accept(int64_t timeout_ms)
{
    // Out of descriptors or memory passes; the pause keeps the caller's loop from spinning.
    constexpr int kPauseMs = 50;
    while (!stopped_.load())
    {
        if (!wait_for(fd_, POLLIN, timeout_ms, wake_fd_))
            return std::nullopt;
        if (stopped_.load())
            break;
        const int fd = ::accept4(fd_, nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK);
        if (fd >= 0)
            return Socket(fd);
        switch (errno)
        {
        case EMFILE:
        case ENFILE:
        case ENOBUFS:
        case ENOMEM:
            ::poll(nullptr, 0, kPauseMs);
            continue;
        case EBADF:
        case EINVAL:
        case ENOTSOCK:
            throw Error(NETWORK_ERROR,
                        fmt::format("Cannot accept on {}: {}", address_.text(), reason(errno)));
        default:
            continue; // the connection is gone already
        }
    }
    return std::nullopt;
}

void Listener::stop()
{
    stopped_.store(true);
    const uint64_t one = 1;
    (void)!::write(wake_fd_, &one, sizeof(one));
}

} // namespace basalt
