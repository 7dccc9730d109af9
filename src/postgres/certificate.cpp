#include "postgres/certificate.h"

#include "base/error.h"

#include <arpa/inet.h>
#include <fmt/core.h>
#include <memory>
#include <openssl/bio.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/rand.h>
#include <openssl/x509.h>
#include <openssl/x509v3.h>

namespace basalt::pg
{

namespace
{

using KeyPtr = std::unique_ptr<EVP_PKEY, decltype(&EVP_PKEY_free)>;
using CertificatePtr = std::unique_ptr<X509, decltype(&X509_free)>;

[[noreturn]] void fail(const char* doing)
{
    char text[256] = "";
    ERR_error_string_n(ERR_get_error(), text, sizeof(text));
    throw Error(error_codes::OPENSSL_ERROR, fmt::format("Cannot {}: {}", doing, text));
}

KeyPtr make_key()
{
    KeyPtr key(EVP_EC_gen("P-256"), &EVP_PKEY_free);
    if (!key)
        fail("make a key");
    return key;
}

template <typename Write>
std::string to_pem(const Write& write)
{
    const std::unique_ptr<BIO, decltype(&BIO_free)> bio(BIO_new(BIO_s_mem()), &BIO_free);
    if (!bio || write(bio.get()) != 1)
        fail("write PEM");
    char* data = nullptr;
    const long size = BIO_get_mem_data(bio.get(), &data);
    return {data, static_cast<size_t>(size)};
}

void add_extension(X509* certificate, X509* issuer, int kind, const std::string& value)
{
    X509V3_CTX context;
    X509V3_set_ctx_nodb(&context);
    X509V3_set_ctx(&context, issuer, certificate, nullptr, nullptr, 0);
    const std::unique_ptr<X509_EXTENSION, decltype(&X509_EXTENSION_free)> extension(
        X509V3_EXT_conf_nid(nullptr, &context, kind, value.c_str()), &X509_EXTENSION_free);
    if (!extension || X509_add_ext(certificate, extension.get(), -1) != 1)
        fail("add an extension to a certificate");
}

CertificatePtr start_certificate(EVP_PKEY* key, const std::string& common_name)
{
    CertificatePtr certificate(X509_new(), &X509_free);
    unsigned char serial[16];
    if (!certificate || RAND_bytes(serial, sizeof(serial)) != 1)
        fail("make a certificate");
    serial[0] = static_cast<unsigned char>((serial[0] & 0x7f) | 0x40);
    X509_set_version(certificate.get(), 2);
    const std::unique_ptr<BIGNUM, decltype(&BN_free)> number(
        BN_bin2bn(serial, sizeof(serial), nullptr), &BN_free);
    BN_to_ASN1_INTEGER(number.get(), X509_get_serialNumber(certificate.get()));
    // An hour back, for clocks that disagree.
    X509_gmtime_adj(X509_getm_notBefore(certificate.get()), -3600);
    X509_gmtime_adj(X509_getm_notAfter(certificate.get()), kCertificateDays * 86400);
    X509_set_pubkey(certificate.get(), key);
    X509_NAME_add_entry_by_txt(X509_get_subject_name(certificate.get()), "CN", MBSTRING_UTF8,
                               reinterpret_cast<const unsigned char*>(common_name.c_str()), -1, -1,
                               0);
    return certificate;
}

void sign(X509* certificate, EVP_PKEY* key)
{
    if (X509_sign(certificate, key, EVP_sha256()) == 0)
        fail("sign a certificate");
}

bool is_address(const std::string& name)
{
    unsigned char bytes[16];
    return inet_pton(AF_INET, name.c_str(), bytes) == 1 ||
           inet_pton(AF_INET6, name.c_str(), bytes) == 1;
}

} // namespace

ServerCertificate make_certificate(const std::string& title, const std::vector<std::string>& names)
{
    const KeyPtr root_key = make_key();
    const CertificatePtr root = start_certificate(root_key.get(), title + " authority");
    X509_set_issuer_name(root.get(), X509_get_subject_name(root.get()));
    add_extension(root.get(), root.get(), NID_basic_constraints, "critical,CA:TRUE,pathlen:0");
    add_extension(root.get(), root.get(), NID_key_usage, "critical,keyCertSign,cRLSign");
    add_extension(root.get(), root.get(), NID_subject_key_identifier, "hash");
    sign(root.get(), root_key.get());

    const KeyPtr key = make_key();
    const CertificatePtr certificate = start_certificate(key.get(), title);
    X509_set_issuer_name(certificate.get(), X509_get_subject_name(root.get()));
    add_extension(certificate.get(), root.get(), NID_basic_constraints, "critical,CA:FALSE");
    add_extension(certificate.get(), root.get(), NID_key_usage, "critical,digitalSignature");
    add_extension(certificate.get(), root.get(), NID_ext_key_usage, "serverAuth");
    add_extension(certificate.get(), root.get(), NID_authority_key_identifier, "keyid");
    std::string alternatives;
    for (const auto& name : names)
        alternatives += fmt::format("{}{}:{}", alternatives.empty() ? "" : ",",
                                    is_address(name) ? "IP" : "DNS", name);
    add_extension(certificate.get(), root.get(), NID_subject_alt_name, alternatives);
    sign(certificate.get(), root_key.get());

    ServerCertificate result;
    result.root_pem = to_pem([&](BIO* bio) { return PEM_write_bio_X509(bio, root.get()); });
    result.certificate_pem =
        to_pem([&](BIO* bio) { return PEM_write_bio_X509(bio, certificate.get()); });
    result.key_pem = to_pem(
        [&](BIO* bio)
        { return PEM_write_bio_PrivateKey(bio, key.get(), nullptr, nullptr, 0, nullptr, nullptr); });
    return result;
}

std::string random_password(size_t characters)
{
    static constexpr std::string_view kAlphabet =
        "abcdefghijkmnopqrstuvwxyzABCDEFGHJKLMNPQRSTUVWXYZ23456789";
    std::string result;
    while (result.size() < characters)
    {
        unsigned char byte = 0;
        if (RAND_bytes(&byte, 1) != 1)
            fail("get random bytes");
        // Bytes past the last whole multiple would favour the first letters.
        if (byte < 256 / kAlphabet.size() * kAlphabet.size())
            result.push_back(kAlphabet[byte % kAlphabet.size()]);
    }
    return result;
}

} // namespace basalt::pg
