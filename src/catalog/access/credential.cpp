#include "catalog/access/credential.h"

#include "base/error.h"

#include <crypt.h>
#include <cstring>
#include <fmt/format.h>
#include <memory>
#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>

namespace basalt
{

namespace
{

std::string digest(const EVP_MD* method, std::string_view bytes)
{
    std::string out(static_cast<size_t>(EVP_MD_get_size(method)), '\0');
    unsigned size = 0;
    if (!EVP_Digest(bytes.data(), bytes.size(), reinterpret_cast<unsigned char*>(out.data()),
                    &size, method, nullptr))
        throw Error(error_codes::OPENSSL_ERROR, "Cannot compute a digest");
    return out;
}

std::string hmac_sha256(std::string_view key, std::string_view message)
{
    std::string out(32, '\0');
    unsigned size = 0;
    if (!HMAC(EVP_sha256(), key.data(), static_cast<int>(key.size()),
              reinterpret_cast<const unsigned char*>(message.data()), message.size(),
              reinterpret_cast<unsigned char*>(out.data()), &size))
        throw Error(error_codes::OPENSSL_ERROR, "Cannot compute an HMAC");
    return out;
}

std::string random_bytes(RandomSource& random, size_t size)
{
    std::string bytes;
    while (bytes.size() < size)
    {
        const uint64_t word = random.next_u64();
        bytes.append(reinterpret_cast<const char*>(&word), sizeof(word));
    }
    bytes.resize(size);
    return bytes;
}

std::string bcrypt(const std::string& password, const std::string& setting)
{
    const auto state = std::make_unique<crypt_data>();
    const char* text = crypt_r(password.c_str(), setting.c_str(), state.get());
    if (!text || text[0] == '*')
        throw Error(error_codes::BAD_ARGUMENTS, "Not a bcrypt hash");
    return text;
}

std::string bcrypt_setting(RandomSource& random)
{
    const std::string bytes = random_bytes(random, 16);
    char setting[CRYPT_GENSALT_OUTPUT_SIZE];
    if (!crypt_gensalt_rn("$2b$", kDefaultBcryptCost, bytes.data(), static_cast<int>(bytes.size()),
                          setting, sizeof(setting)))
        throw Error(error_codes::NOT_IMPLEMENTED, "This system's crypt(3) does not know bcrypt");
    return setting;
}

} // namespace

bool equal_in_constant_time(std::string_view a, std::string_view b)
{
    return a.size() == b.size() && CRYPTO_memcmp(a.data(), b.data(), a.size()) == 0;
}

std::string to_hex(std::string_view bytes)
{
    std::string text;
    for (const char c : bytes)
        text += fmt::format("{:02X}", static_cast<unsigned char>(c));
    return text;
}

std::optional<std::string> from_hex(std::string_view text)
{
    const auto digit = [](char c)
    {
        return c >= '0' && c <= '9'   ? c - '0'
               : c >= 'a' && c <= 'f' ? c - 'a' + 10
               : c >= 'A' && c <= 'F' ? c - 'A' + 10
                                      : -1;
    };
    if (text.size() % 2)
        return std::nullopt;
    std::string bytes;
    for (size_t i = 0; i < text.size(); i += 2)
    {
        const int high = digit(text[i]), low = digit(text[i + 1]);
        if (high < 0 || low < 0)
            return std::nullopt;
        bytes += static_cast<char>(high * 16 + low);
    }
    return bytes;
}

std::string sha256(std::string_view bytes)
{
    return digest(EVP_sha256(), bytes);
}

std::string scram_salted_password(std::string_view password, std::string_view salt,
                                  uint32_t iterations)
{
    std::string out(32, '\0');
    if (!PKCS5_PBKDF2_HMAC(password.data(), static_cast<int>(password.size()),
                           reinterpret_cast<const unsigned char*>(salt.data()),
                           static_cast<int>(salt.size()), static_cast<int>(iterations),
                           EVP_sha256(), static_cast<int>(out.size()),
                           reinterpret_cast<unsigned char*>(out.data())))
        throw Error(error_codes::OPENSSL_ERROR, "Cannot compute a salted password");
    return out;
}

std::optional<std::string> check_scram_proof(std::string_view salted_password,
                                             std::string_view auth_message,
                                             std::string_view proof)
{
    const std::string client_key = hmac_sha256(salted_password, "Client Key");
    const std::string stored_key = sha256(client_key);
    std::string expected = hmac_sha256(stored_key, auth_message);
    for (size_t i = 0; i < expected.size(); ++i)
        expected[i] = static_cast<char>(expected[i] ^ client_key[i]);
    if (!equal_in_constant_time(expected, proof))
        return std::nullopt;
    return hmac_sha256(hmac_sha256(salted_password, "Server Key"), auth_message);
}

std::string Credential::type_name() const
{
    switch (kind)
    {
    case CredentialKind::NoPassword:
        return "no_password";
    case CredentialKind::Plaintext:
        return "plaintext_password";
    case CredentialKind::Sha256:
        return "sha256_password";
    case CredentialKind::DoubleSha1:
        return "double_sha1_password";
    case CredentialKind::ScramSha256:
        return "scram_sha256_password";
    case CredentialKind::Bcrypt:
        return "bcrypt_password";
    case CredentialKind::SslCertificate:
        return "ssl_certificate";
    }
    return "";
}

Credential credential_of_password(CredentialKind kind, std::string_view password,
                                  RandomSource& random)
{
    if (password.size() > kMaxPasswordBytes)
        throw Error(error_codes::BAD_ARGUMENTS,
                    fmt::format("A password has at most {} bytes", kMaxPasswordBytes));
    Credential made;
    made.kind = kind;
    switch (kind)
    {
    case CredentialKind::Plaintext:
        made.data = password;
        break;
    case CredentialKind::Sha256:
        made.salt = to_hex(random_bytes(random, 32));
        made.data = sha256(std::string(password) + made.salt);
        break;
    case CredentialKind::DoubleSha1:
        made.data = digest(EVP_sha1(), digest(EVP_sha1(), password));
        break;
    case CredentialKind::ScramSha256:
        made.salt = to_hex(random_bytes(random, 16));
        made.data = scram_salted_password(password, made.salt);
        break;
    case CredentialKind::Bcrypt:
        // bcrypt looks at 72 bytes only and ends at a zero.
        if (password.size() > 72 || password.find('\0') != std::string_view::npos)
            throw Error(error_codes::BAD_ARGUMENTS,
                        "A password for bcrypt has at most 72 bytes and no zero byte");
        made.data = bcrypt(std::string(password), bcrypt_setting(random));
        break;
    case CredentialKind::NoPassword:
    case CredentialKind::SslCertificate:
        break;
    }
    return made;
}

bool accepts_password(const Credential& credential, std::string_view password)
{
    if (password.size() > kMaxPasswordBytes)
        return false;
    switch (credential.kind)
    {
    case CredentialKind::NoPassword:
        return true;
    case CredentialKind::Plaintext:
        return equal_in_constant_time(sha256(credential.data), sha256(password));
    case CredentialKind::Sha256:
        return equal_in_constant_time(credential.data,
                                      sha256(std::string(password) + credential.salt));
    case CredentialKind::DoubleSha1:
        return equal_in_constant_time(credential.data,
                                      digest(EVP_sha1(), digest(EVP_sha1(), password)));
    case CredentialKind::ScramSha256:
        return equal_in_constant_time(credential.data,
                                      scram_salted_password(password, credential.salt));
    case CredentialKind::Bcrypt:
        return password.size() <= 72 && password.find('\0') == std::string_view::npos &&
               equal_in_constant_time(credential.data,
                                      bcrypt(std::string(password), credential.data));
    case CredentialKind::SslCertificate:
        return false;
    }
    return false;
}

} // namespace basalt
