#pragma once

// A certificate for one server, signed by an authority made for it alone, so that clients can
// check whom they talk to (sslmode=verify-full, sslrootcert=root.crt) without any set-up. The
// authority's key is thrown away: nothing else can ever be signed with it.
// Errors: OPENSSL_ERROR.

#include "base/int_types.h"

#include <string>
#include <vector>

namespace basalt::pg
{

inline constexpr int64_t kCertificateDays = 3650;

struct ServerCertificate
{
    std::string root_pem;
    std::string certificate_pem;
    std::string key_pem;
};

// `names` are host names and numeric addresses.
ServerCertificate make_certificate(const std::string& title, const std::vector<std::string>& names);

// `characters` letters and digits from the operating system's randomness.
std::string random_password(size_t characters);

} // namespace basalt::pg
