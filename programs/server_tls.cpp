#include "programs/server_tls.h"

#include "base/error.h"

namespace basalt
{

void ServerTls::add_options(CLI::App& app)
{
    app.add_option("--tls-certificate,--openSSL.server.certificateFile", options_.certificate_file,
                   "PEM: the server's certificate, then its chain; read anew when it changes");
    app.add_option("--tls-key,--openSSL.server.privateKeyFile", options_.key_file, "PEM");
    app.add_option("--tls-client-ca,--openSSL.server.caConfig", options_.client_ca_file,
                   "PEM: whose certificates clients may show (IDENTIFIED WITH ssl_certificate)");
    app.add_flag("--tls-require-client-certificate", options_.require_client_certificate);
    app.add_option("--https-port,--https_port", https_port, "HTTP over TLS (usually 8443)");
    app.add_option("--tcp-port-secure,--tcp_port_secure", tcp_port,
                   "native protocol over TLS (usually 9440)");
    app.add_flag("--postgres-require-tls", require_postgres,
                 "with a certificate the PostgreSQL port speaks TLS to those who ask for it; with this "
                 "flag only to them");
}

std::shared_ptr<TlsContext> ServerTls::context() const
{
    if (options_.certificate_file.empty() != options_.key_file.empty())
        throw Error(error_codes::BAD_ARGUMENTS, "--tls-certificate and --tls-key go together");
    if (!options_.certificate_file.empty())
        return TlsContext::for_server(options_);
    if (https_port || tcp_port || require_postgres || !options_.client_ca_file.empty())
        throw Error(error_codes::BAD_ARGUMENTS,
                    "TLS is asked for without --tls-certificate and --tls-key");
    return nullptr;
}

} // namespace basalt
