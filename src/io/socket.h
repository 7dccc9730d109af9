#pragma once

// TCP over IPv4 and IPv6 with blocking calls and timeouts: one thread per connection. A peer that
// vanished is an Error (NETWORK_ERROR), never a signal. Errors: NETWORK_ERROR, SOCKET_TIMEOUT,
// DNS_ERROR, CANNOT_READ_FROM_SOCKET, CANNOT_WRITE_TO_SOCKET; they name the peer.
// After start_tls() everything goes through TLS.
// Threads: one thread reads and one writes a Socket at a time; shutdown() comes from any thread.

#include "base/int_types.h"
#include "io/buffer.h"
#include "io/tls.h"

#include <atomic>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace basalt
{

inline constexpr int64_t kNoTimeoutMs = -1;

struct SocketAddress
{
    std::string host; // numeric: "127.0.0.1", "::1"
    uint16_t port = 0;

    // "127.0.0.1:8123", "[::1]:8123".
    std::string text() const;
};

class Socket
{
public:
    Socket() = default;
    // Takes over a connected descriptor.
    explicit Socket(int fd);
    ~Socket();
    Socket(Socket&& other) noexcept;
    Socket& operator=(Socket&& other) noexcept;

    // Tries each address that the name has; the timeout is for all of them together.
    static Socket connect(const std::string& host, uint16_t port, int64_t timeout_ms);

    bool is_open() const { return fd_ >= 0; }
    int descriptor() const { return fd_; }
    const SocketAddress& peer() const { return peer_; }
    const SocketAddress& local() const { return local_; }

    // How long one read() or write_all() step may wait for the peer.
    void set_timeouts(int64_t read_timeout_ms, int64_t write_timeout_ms);

    // Up to `size` bytes, at least one; 0 when the peer has ended its side.
    size_t read(char* to, size_t size);
    void write_all(const char* data, size_t size);
    void write_all(std::string_view bytes) { write_all(bytes.data(), bytes.size()); }

    // Waits until there is something to read (or the end). False after the timeout.
    bool wait_readable(int64_t timeout_ms);
    // Without waiting: whether the peer has closed or reset the connection, or ended its side
    // (which looks the same from here). Unread bytes alone mean false.
    bool peer_hung_up() const;

    // Begins TLS on a connection and waits for the handshake, each step at most as long as a read.
    // server_name: of a client: what the certificate must be for. False (only of a server): the
    // client spoke HTTP without TLS; it may be answered without TLS. Errors as of read().
    bool start_tls(TlsContext& context, const std::string& server_name = {});
    bool is_tls() const { return tls_ != nullptr; }
    // Names in the peer's certificate, see TlsSession; empty without TLS or certificate.
    std::vector<std::string> peer_names() const;

    // Ends both directions, so that a thread that waits in read() returns 0.
    void shutdown();
    // Ends our direction; the peer reads to its end.
    void shutdown_write();
    void close();

private:
    void wait(TlsSession::Step step, int64_t timeout_ms, const char* what);

    int fd_ = -1;
    std::unique_ptr<TlsSession> tls_;
    int64_t read_timeout_ms_ = kNoTimeoutMs;
    int64_t write_timeout_ms_ = kNoTimeoutMs;
    SocketAddress peer_;
    SocketAddress local_;
};

class Listener
{
public:
    // Port 0 takes any free port. NETWORK_ERROR if the address is in use or not ours.
    Listener(const std::string& host, uint16_t port, int backlog = 1024);
    ~Listener();
    Listener(const Listener&) = delete;
    Listener& operator=(const Listener&) = delete;

    const SocketAddress& address() const { return address_; }
    uint16_t port() const { return address_.port; }

    // Waits for a connection. Nothing after the timeout or once stop() was called.
    std::optional<Socket> accept(int64_t timeout_ms = kNoTimeoutMs);
    // From any thread: accept() returns at once, now and later.
    void stop();

private:
    int fd_ = -1;
    int wake_fd_ = -1;
    SocketAddress address_;
    std::atomic<bool> stopped_{false};
};

class SocketInputBuffer final : public InputBuffer
{
public:
    explicit SocketInputBuffer(Socket& socket, size_t buffer_bytes = kStreamBufferBytes)
        : InputBuffer(buffer_bytes), socket_(socket)
    {
    }

protected:
    size_t read_some(char* to, size_t size) override { return socket_.read(to, size); }

private:
    Socket& socket_;
};

class SocketOutputBuffer final : public BlockOutputBuffer
{
public:
    explicit SocketOutputBuffer(Socket& socket, size_t buffer_bytes = kStreamBufferBytes)
        : BlockOutputBuffer(buffer_bytes), socket_(socket)
    {
    }

protected:
    void sink(const char* data, size_t size) override { socket_.write_all(data, size); }

private:
    Socket& socket_;
};

} // namespace basalt
