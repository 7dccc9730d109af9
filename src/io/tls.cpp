#include "io/tls.h"

#include "base/error.h"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <fmt/format.h>
#include <mutex>
#include <openssl/err.h>
#include <openssl/ssl.h>
#include <openssl/x509v3.h>
#include <sys/stat.h>

namespace basalt
{

namespace
{

using ContextPtr = std::shared_ptr<SSL_CTX>;

std::string openssl_reason()
{
    std::string text;
    while (const unsigned long code = ERR_get_error())
    {
        char line[256];
        ERR_error_string_n(code, line, sizeof(line));
        // "error:0A000086:SSL routines::certificate verify failed": the last part says it.
        const std::string whole = line;
        text = whole.substr(whole.rfind(':') + 1);
    }
    return text.empty() ? "unknown reason" : text;
}

[[noreturn]] void bad_file(const std::string& what, const std::string& path)
{
    throw Error(error_codes::BAD_ARGUMENTS,
                fmt::format("Cannot use {} {}: {}", what, path, openssl_reason()));
}

ContextPtr new_context(const SSL_METHOD* method)
{
    ContextPtr context(SSL_CTX_new(method), SSL_CTX_free);
    if (!context)
        throw Error(error_codes::OPENSSL_ERROR,
                    fmt::format("Cannot make a TLS context: {}", openssl_reason()));
    SSL_CTX_set_min_proto_version(context.get(), TLS1_2_VERSION);
    SSL_CTX_set_mode(context.get(), SSL_MODE_ENABLE_PARTIAL_WRITE |
                                        SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER |
                                        SSL_MODE_RELEASE_BUFFERS);
    // Clients may ask for new keys; renegotiation of TLS 1.2 only costs.
    SSL_CTX_set_options(context.get(), SSL_OP_NO_RENEGOTIATION | SSL_OP_IGNORE_UNEXPECTED_EOF);
    return context;
}

void use_certificate(SSL_CTX* context, const std::string& certificate, const std::string& key)
{
    if (SSL_CTX_use_certificate_chain_file(context, certificate.c_str()) != 1)
        bad_file("certificate", certificate);
    if (SSL_CTX_use_PrivateKey_file(context, key.c_str(), SSL_FILETYPE_PEM) != 1 ||
        SSL_CTX_check_private_key(context) != 1)
        bad_file("private key", key);
}

ContextPtr server_context(const TlsServerOptions& options)
{
    ContextPtr context = new_context(TLS_server_method());
    use_certificate(context.get(), options.certificate_file, options.key_file);
    if (!options.client_ca_file.empty())
    {
        if (SSL_CTX_load_verify_locations(context.get(), options.client_ca_file.c_str(), nullptr) !=
            1)
            bad_file("certificates of authorities", options.client_ca_file);
        SSL_CTX_set_client_CA_list(context.get(),
                                   SSL_load_client_CA_file(options.client_ca_file.c_str()));
        SSL_CTX_set_verify(context.get(),
                           SSL_VERIFY_PEER | (options.require_client_certificate
                                                  ? SSL_VERIFY_FAIL_IF_NO_PEER_CERT
                                                  : 0),
                           nullptr);
    }
    static constexpr unsigned char kSessionContext[] = "basalt";
    SSL_CTX_set_session_id_context(context.get(), kSessionContext, sizeof(kSessionContext) - 1);
    return context;
}

// Changes when a file was written or replaced.
std::string stamp_of(const TlsServerOptions& options)
{
    std::string stamp;
    for (const std::string* path :
         {&options.certificate_file, &options.key_file, &options.client_ca_file})
    {
        struct stat status{};
        if (!path->empty() && ::stat(path->c_str(), &status) == 0)
            stamp += fmt::format("{}.{}.{}.{} ", static_cast<uint64_t>(status.st_ino),
                                 static_cast<int64_t>(status.st_size),
                                 static_cast<int64_t>(status.st_mtim.tv_sec),
                                 static_cast<int64_t>(status.st_mtim.tv_nsec));
    }
    return stamp;
}

} // namespace

struct TlsContext::Impl
{
    bool is_server = false;
    TlsServerOptions server;
    TlsClientOptions client;
    std::mutex mutex; // of what follows
    ContextPtr context;
    std::string stamp;
    std::chrono::steady_clock::time_point looked;

    ContextPtr current()
    {
        std::lock_guard lock(mutex);
        const auto now = std::chrono::steady_clock::now();
        if (!is_server || now - looked < std::chrono::seconds(1))
            return context;
        looked = now;
        std::string now_there = stamp_of(server);
        if (now_there == stamp)
            return context;
        stamp = std::move(now_there);
        try
        {
            context = server_context(server);
        }
        catch (const Error& error)
        {
            std::fprintf(stderr, "basalt: the TLS certificate stays the old one: %s\n",
                         error.message().c_str());
        }
        return context;
    }
};

TlsContext::TlsContext(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
TlsContext::~TlsContext() = default;

std::shared_ptr<TlsContext> TlsContext::for_server(TlsServerOptions options)
{
    auto impl = std::make_unique<Impl>();
    impl->is_server = true;
    impl->stamp = stamp_of(options);
    impl->looked = std::chrono::steady_clock::now();
    impl->context = server_context(options);
    impl->server = std::move(options);
    return std::shared_ptr<TlsContext>(new TlsContext(std::move(impl)));
}

std::shared_ptr<TlsContext> TlsContext::for_client(TlsClientOptions options)
{
    auto impl = std::make_unique<Impl>();
    impl->context = new_context(TLS_client_method());
    SSL_CTX* context = impl->context.get();
    if (!options.ca_file.empty())
    {
        if (SSL_CTX_load_verify_locations(context, options.ca_file.c_str(), nullptr) != 1)
            bad_file("certificates of authorities", options.ca_file);
    }
    else
        SSL_CTX_set_default_verify_paths(context);
    if (!options.certificate_file.empty())
        use_certificate(context, options.certificate_file, options.key_file);
    SSL_CTX_set_verify(context, options.verify ? SSL_VERIFY_PEER : SSL_VERIFY_NONE, nullptr);
    impl->client = std::move(options);
    return std::shared_ptr<TlsContext>(new TlsContext(std::move(impl)));
}

struct TlsSession::Impl
{
    ContextPtr context; // outlives the session's SSL
    std::unique_ptr<SSL, void (*)(SSL*)> ssl{nullptr, SSL_free};
    std::mutex mutex; // an SSL is for one thread at a time
    bool established = false;

    Step step_of(int result, bool in_handshake)
    {
        switch (SSL_get_error(ssl.get(), result))
        {
        case SSL_ERROR_WANT_READ:
            return Step::WantRead;
        case SSL_ERROR_WANT_WRITE:
            return Step::WantWrite;
        case SSL_ERROR_ZERO_RETURN:
            return Step::Done;
        default:
            break;
        }
        if (in_handshake && ERR_GET_REASON(ERR_peek_error()) == SSL_R_HTTP_REQUEST)
        {
            ERR_clear_error();
            return Step::PlainHttp;
        }
        const long verified = SSL_get_verify_result(ssl.get());
        std::string why = openssl_reason();
        if (in_handshake && verified != X509_V_OK)
            why += fmt::format(" ({})", X509_verify_cert_error_string(verified));
        throw Error(error_codes::NETWORK_ERROR,
                    fmt::format("TLS {}: {}", in_handshake ? "handshake failed" : "connection broke",
                                why));
    }
};

TlsSession::TlsSession(TlsContext& context, int fd, const std::string& server_name)
    : impl_(std::make_unique<Impl>())
{
    impl_->context = context.impl().current();
    impl_->ssl.reset(SSL_new(impl_->context.get()));
    if (!impl_->ssl || SSL_set_fd(impl_->ssl.get(), fd) != 1)
        throw Error(error_codes::OPENSSL_ERROR,
                    fmt::format("Cannot begin TLS: {}", openssl_reason()));
    if (context.impl().is_server)
    {
        SSL_set_accept_state(impl_->ssl.get());
        return;
    }
    SSL_set_connect_state(impl_->ssl.get());
    // Addresses are no server names, but certificates may hold them.
    X509_VERIFY_PARAM* check = SSL_get0_param(impl_->ssl.get());
    if (X509_VERIFY_PARAM_set1_ip_asc(check, server_name.c_str()) != 1)
    {
        SSL_set_tlsext_host_name(impl_->ssl.get(), server_name.c_str());
        SSL_set1_host(impl_->ssl.get(), server_name.c_str());
    }
    ERR_clear_error();
}

TlsSession::~TlsSession() = default;

TlsSession::Step TlsSession::handshake()
{
    std::lock_guard lock(impl_->mutex);
    ERR_clear_error();
    const int result = SSL_do_handshake(impl_->ssl.get());
    if (result != 1)
    {
        const Step step = impl_->step_of(result, true);
        if (step == Step::Done)
            throw Error(error_codes::NETWORK_ERROR, "The peer ended the TLS handshake");
        return step;
    }
    impl_->established = true;
    return Step::Done;
}

TlsSession::Step TlsSession::read(char* to, size_t size, size_t& done)
{
    std::lock_guard lock(impl_->mutex);
    ERR_clear_error();
    done = 0;
    const int result = SSL_read_ex(impl_->ssl.get(), to, size, &done);
    return result == 1 ? Step::Done : impl_->step_of(result, false);
}

TlsSession::Step TlsSession::write(const char* data, size_t size, size_t& done)
{
    std::lock_guard lock(impl_->mutex);
    ERR_clear_error();
    done = 0;
    const int result = SSL_write_ex(impl_->ssl.get(), data, size, &done);
    if (result == 1)
        return Step::Done;
    const Step step = impl_->step_of(result, false);
    if (step == Step::Done)
        throw Error(error_codes::NETWORK_ERROR, "The peer has ended the TLS connection");
    return step;
}

bool TlsSession::has_pending()
{
    std::lock_guard lock(impl_->mutex);
    return SSL_pending(impl_->ssl.get()) > 0 || SSL_has_pending(impl_->ssl.get());
}

void TlsSession::close_notify()
{
    std::lock_guard lock(impl_->mutex);
    if (!impl_->established)
        return;
    ERR_clear_error();
    SSL_shutdown(impl_->ssl.get());
    ERR_clear_error();
}

std::vector<std::string> TlsSession::peer_names()
{
    std::lock_guard lock(impl_->mutex);
    std::vector<std::string> names;
    const std::unique_ptr<X509, void (*)(X509*)> certificate(
        SSL_get1_peer_certificate(impl_->ssl.get()), X509_free);
    if (!certificate || SSL_get_verify_result(impl_->ssl.get()) != X509_V_OK)
        return names;
    const X509_NAME* subject = X509_get_subject_name(certificate.get());
    const auto text_of = [](const ASN1_STRING* text)
    {
        unsigned char* utf8 = nullptr;
        const int size = ASN1_STRING_to_UTF8(&utf8, text);
        std::string value;
        if (size > 0)
            value.assign(reinterpret_cast<const char*>(utf8), static_cast<size_t>(size));
        OPENSSL_free(utf8);
        // A name with a zero in it is somebody's trick.
        return value.find('\0') == std::string::npos ? value : std::string();
    };
    for (int at = X509_NAME_get_index_by_NID(subject, NID_commonName, -1); at >= 0;
         at = X509_NAME_get_index_by_NID(subject, NID_commonName, at))
        if (const auto name = text_of(X509_NAME_ENTRY_get_data(X509_NAME_get_entry(subject, at)));
            !name.empty())
            names.push_back("CN:" + name);
    const std::unique_ptr<GENERAL_NAMES, void (*)(GENERAL_NAMES*)> others(
        static_cast<GENERAL_NAMES*>(
            X509_get_ext_d2i(certificate.get(), NID_subject_alt_name, nullptr, nullptr)),
        GENERAL_NAMES_free);
    for (int i = 0; others && i < sk_GENERAL_NAME_num(others.get()); ++i)
    {
        const GENERAL_NAME* one = sk_GENERAL_NAME_value(others.get(), i);
        if (one->type != GEN_DNS && one->type != GEN_URI)
            continue;
        if (const auto name = text_of(one->d.ia5); !name.empty())
            names.push_back((one->type == GEN_DNS ? "SAN:DNS:" : "SAN:URI:") + name);
    }
    return names;
}

std::string TlsSession::version()
{
    std::lock_guard lock(impl_->mutex);
    return SSL_get_version(impl_->ssl.get());
}

} // namespace basalt
