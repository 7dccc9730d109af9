#pragma once

// How a user proves who he is: what is kept of a password, and the comparison. Passwords themselves are
// kept only by plaintext_password. Comparisons take the same time for wrong and right secrets.
// Digests through OpenSSL; bcrypt through crypt(3). Thread-safe.

#include "base/clock.h"
#include "base/int_types.h"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace basalt
{

inline constexpr size_t kMaxPasswordBytes = 4096;
inline constexpr int kDefaultBcryptCost = 12; // 2^12 rounds
inline constexpr int kMaxBcryptCost = 15;     // half a second and more for each login
inline constexpr uint32_t kScramIterations = 4096;

enum class CredentialKind : uint8_t
{
    NoPassword,
    Plaintext,      // data: the password
    Sha256,         // data: SHA-256(password + salt)
    DoubleSha1,     // data: SHA-1(SHA-1(password))
    ScramSha256,    // data: salted password (PBKDF2 of RFC 5802); salt
    Bcrypt,         // data: the text of crypt(3), "$2b$12$…"
    SslCertificate, // names: CN:… or SAN:… of the client's certificate
};

struct Credential
{
    CredentialKind kind = CredentialKind::NoPassword;
    std::string data; // bytes
    std::string salt; // bytes as in the statement
    std::vector<std::string> names;
    std::optional<int64_t> valid_until_unix_s;

    // "sha256_password": as system.users and SHOW CREATE USER call it.
    std::string type_name() const;
};

// From a password. BAD_ARGUMENTS for one that is too long for the kind.
Credential credential_of_password(CredentialKind kind, std::string_view password,
                                  RandomSource& random);

// Whether the password is the one. SslCertificate never agrees.
bool accepts_password(const Credential& credential, std::string_view password);

// RFC 5802 for one who knows the password's SaltedPassword (SCRAM-SHA-256): checks the client's proof of
// `auth_message`; the server's signature to send back, or nothing for a wrong proof.
std::optional<std::string> check_scram_proof(std::string_view salted_password,
                                             std::string_view auth_message,
                                             std::string_view proof);
// Hi(password, salt, iterations) of RFC 5802.
std::string scram_salted_password(std::string_view password, std::string_view salt,
                                  uint32_t iterations = kScramIterations);

// Texts of equal length are compared in time that does not depend on where they differ.
bool equal_in_constant_time(std::string_view a, std::string_view b);

std::string to_hex(std::string_view bytes);
std::optional<std::string> from_hex(std::string_view text);
std::string sha256(std::string_view bytes);

} // namespace basalt
