#pragma once

// Cryptographic digests, through OpenSSL.

#include "base/int_types.h"

#include <string>
#include <string_view>

struct evp_md_st;

namespace basalt
{

// The first eight bytes of MD5, big-endian.
uint64_t half_md5(const char* data, size_t size);

// A digest by OpenSSL's name ("sha256"), usable for many texts. Not thread-safe.
class Digest
{
public:
    explicit Digest(const char* name); // throws OPENSSL_ERROR when this OpenSSL has none
    ~Digest();
    Digest(const Digest&) = delete;
    Digest& operator=(const Digest&) = delete;

    size_t size() const { return size_; }
    void compute(std::string_view text, char* to);

private:
    void* context_;
    evp_md_st* method_;
    size_t size_;
};

// HMAC by digest name, as raw bytes; throws BAD_ARGUMENTS for an unknown name.
std::string hmac(const std::string& digest_name, std::string_view message, std::string_view key);

} // namespace basalt
