#include "functions/digest.h"

#include "base/error.h"

#include <openssl/evp.h>
#include <openssl/hmac.h>
#include <openssl/provider.h>

namespace basalt
{

uint64_t half_md5(const char* data, size_t size)
{
    thread_local Digest digest("md5");
    unsigned char bytes[EVP_MAX_MD_SIZE];
    digest.compute({data, size}, reinterpret_cast<char*>(bytes));
    uint64_t half = 0;
    for (int i = 0; i < 8; ++i)
        half = (half << 8) | bytes[i];
    return half;
}

Digest::Digest(const char* name)
    : context_(EVP_MD_CTX_new()), method_(EVP_MD_fetch(nullptr, name, nullptr)), size_(0)
{
    if (!method_)
    {
        // MD4 and RIPEMD160 live among the old ones.
        static OSSL_PROVIDER* const legacy = OSSL_PROVIDER_try_load(nullptr, "legacy", 1);
        (void)legacy;
        method_ = EVP_MD_fetch(nullptr, name, nullptr);
    }
    if (!method_)
    {
        EVP_MD_CTX_free(static_cast<EVP_MD_CTX*>(context_));
        throw Error(error_codes::OPENSSL_ERROR,
                    std::string("The OpenSSL of this machine has no digest ") + name);
    }
    size_ = static_cast<size_t>(EVP_MD_get_size(method_));
}

Digest::~Digest()
{
    EVP_MD_CTX_free(static_cast<EVP_MD_CTX*>(context_));
    EVP_MD_free(method_);
}

void Digest::compute(std::string_view text, char* to)
{
    auto* const context = static_cast<EVP_MD_CTX*>(context_);
    const bool fine = EVP_DigestInit_ex2(context, method_, nullptr) == 1 &&
                      EVP_DigestUpdate(context, text.data(), text.size()) == 1 &&
                      EVP_DigestFinal_ex(context, reinterpret_cast<unsigned char*>(to), nullptr) == 1;
    if (!fine)
        throw Error(error_codes::OPENSSL_ERROR, "OpenSSL could not compute a digest");
}

std::string hmac(const std::string& digest_name, std::string_view message, std::string_view key)
{
    const EVP_MD* const method = EVP_get_digestbyname(digest_name.c_str());
    if (!method)
        throw Error(error_codes::BAD_ARGUMENTS, "Unknown digest '" + digest_name + "' of HMAC");
    unsigned char bytes[EVP_MAX_MD_SIZE];
    unsigned int size = 0;
    if (!HMAC(method, key.data(), static_cast<int>(key.size()),
              reinterpret_cast<const unsigned char*>(message.data()), message.size(), bytes, &size))
        throw Error(error_codes::OPENSSL_ERROR, "OpenSSL could not compute an HMAC");
    return {reinterpret_cast<const char*>(bytes), size};
}

} // namespace basalt
