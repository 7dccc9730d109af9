#pragma once

// TLS 1.2 and 1.3 through OpenSSL, under a Socket (Socket::start_tls). Errors: NETWORK_ERROR for a
// handshake or a record that is wrong, SOCKET_TIMEOUT, OPENSSL_ERROR and BAD_ARGUMENTS for files.

#include "base/int_types.h"

#include <memory>
#include <string>
#include <vector>

namespace basalt
{

// Certificates of a server. Files are read anew when they change (asked at most once a second, by a
// handshake); while what stands there cannot be used, the last good ones serve. Thread-safe.
struct TlsServerOptions
{
    std::string certificate_file; // PEM: the server's, then the chain
    std::string key_file;
    std::string client_ca_file; // whose certificates clients may show; empty: none are asked for
    bool require_client_certificate = false;
};

struct TlsClientOptions
{
    bool verify = true;
    std::string ca_file; // empty: the system's
    std::string certificate_file, key_file; // to show; may be empty
};

class TlsContext
{
public:
    // Reads the files; throws when they cannot be used.
    static std::shared_ptr<TlsContext> for_server(TlsServerOptions options);
    static std::shared_ptr<TlsContext> for_client(TlsClientOptions options);
    ~TlsContext();

    struct Impl;
    Impl& impl() { return *impl_; }

private:
    explicit TlsContext(std::unique_ptr<Impl> impl);
    std::unique_ptr<Impl> impl_;
};

// One side of a connection over a non-blocking descriptor, which is the caller's. read() and write() may
// come from two threads at once.
class TlsSession
{
public:
    // server_name: of a client, for SNI and the check of the certificate; empty for a server.
    TlsSession(TlsContext& context, int fd, const std::string& server_name);
    ~TlsSession();

    enum class Step : uint8_t
    {
        Done,
        WantRead, // wait until the descriptor is readable, then call again
        WantWrite,
        PlainHttp, // of handshake(): the client speaks HTTP without TLS
    };

    // Throws NETWORK_ERROR with OpenSSL's reason.
    Step handshake();
    // done: bytes read; 0 when the peer has ended. Throws NETWORK_ERROR.
    Step read(char* to, size_t size, size_t& done);
    Step write(const char* data, size_t size, size_t& done);
    bool has_pending(); // bytes that were received and not read
    void close_notify(); // tells the peer that nothing follows; does not wait

    // "CN:name", "SAN:DNS:name", "SAN:URI:…" of a certificate that was checked; empty without one.
    std::vector<std::string> peer_names();
    std::string version();

private:
    struct Impl;
    std::unique_ptr<Impl> impl_;
};

} // namespace basalt
