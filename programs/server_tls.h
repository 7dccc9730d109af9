#pragma once

// Flags of `basalt server` about TLS: certificate files, the ports that speak it.

#include "io/tls.h"

#include <CLI/CLI.hpp>

#include <memory>

namespace basalt
{

class ServerTls
{
public:
    void add_options(CLI::App& app);
    // Reads the certificate; null when none is given. BAD_ARGUMENTS for a port without a certificate.
    std::shared_ptr<TlsContext> context() const;

    uint16_t https_port = 0, tcp_port = 0; // 0: not served
    bool require_postgres = false;         // connections without TLS are refused

private:
    TlsServerOptions options_;
};

} // namespace basalt
