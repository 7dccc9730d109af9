// encrypt, decrypt, tryDecrypt, aes_encrypt_mysql, aes_decrypt_mysql: AES by OpenSSL.

#include "functions/scalar/column_rows.h"

#include <fmt/core.h>
#include <openssl/evp.h>

#include <array>
#include <memory>
#include <optional>

namespace basalt
{
namespace
{

constexpr size_t kBlockBytes = 16;
constexpr size_t kTagBytes = 16;

struct Cipher
{
    const EVP_CIPHER* cipher;
    size_t key_bytes;
    size_t iv_bytes;
    bool gcm;
};

Cipher cipher_of(std::string_view name, const std::string& mode, bool mysql)
{
    const auto refuse = [&]
    {
        throw Error(error_codes::BAD_ARGUMENTS,
                    fmt::format("Invalid mode: {} of function {}", mode, name));
    };
    if (mode.size() != 11 || !mode.starts_with("aes-") || mode[7] != '-')
        refuse();
    const std::string kind = mode.substr(8);
    const bool known = kind == "ecb" || kind == "cbc" || kind == "ofb" || kind == "ctr" ||
                       kind == "gcm";
    if (!known || (mysql && (kind == "ctr" || kind == "gcm")))
        refuse();
    const EVP_CIPHER* cipher = EVP_get_cipherbyname(mode.c_str());
    if (!cipher && kind == "gcm")
        cipher = EVP_get_cipherbyname(("id-aes" + mode.substr(4, 3) + "-GCM").c_str());
    if (!cipher)
        refuse();
    return {cipher, static_cast<size_t>(EVP_CIPHER_key_length(cipher)),
            kind == "ecb" ? 0 : static_cast<size_t>(EVP_CIPHER_iv_length(cipher)),
            kind == "gcm"};
}

TypePtr crypt_type(const TypeCall& call)
{
    const bool mysql = call.name.ends_with("_mysql");
    const Cipher cipher =
        cipher_of(call.name, constant_text(call.name, call.arguments, 0), mysql);
    if (call.size() > 4 && !cipher.gcm)
        throw Error(error_codes::BAD_ARGUMENTS,
                    fmt::format("AAD of function {} can be only set for GCM-mode", call.name));
    const TypePtr text = simple_type(TypeId::String);
    return call.name == "tryDecrypt" ? make_nullable(text) : text;
}

// As MySQL: a longer key is folded over itself, a shorter one filled with zeros.
std::string mysql_key(std::string_view key, size_t bytes)
{
    std::string folded(bytes, '\0');
    for (size_t i = 0; i < key.size(); ++i)
        folded[i % bytes] = static_cast<char>(folded[i % bytes] ^ key[i]);
    return folded;
}

struct ContextDeleter
{
    void operator()(EVP_CIPHER_CTX* context) const { EVP_CIPHER_CTX_free(context); }
};

const unsigned char* bytes_of(std::string_view text)
{
    return reinterpret_cast<const unsigned char*>(text.data());
}

// Appends what became of the text; false when OpenSSL refuses it.
bool crypt(EVP_CIPHER_CTX* context, const Cipher& cipher, bool encrypts, std::string_view text,
           std::string_view key, std::string_view iv, std::string_view aad, StringWriter& out)
{
    EVP_CIPHER_CTX_reset(context);
    std::string_view tag;
    if (cipher.gcm && !encrypts)
    {
        if (text.size() < kTagBytes)
            return false;
        tag = text.substr(text.size() - kTagBytes);
        text.remove_suffix(kTagBytes);
    }
    if (EVP_CipherInit_ex(context, cipher.cipher, nullptr, nullptr, nullptr, encrypts) != 1)
        return false;
    if (cipher.gcm &&
        EVP_CIPHER_CTX_ctrl(context, EVP_CTRL_AEAD_SET_IVLEN, static_cast<int>(iv.size()),
                            nullptr) != 1)
        return false;
    if (EVP_CipherInit_ex(context, nullptr, nullptr, bytes_of(key),
                          iv.empty() ? nullptr : bytes_of(iv), encrypts) != 1)
        return false;
    int size = 0;
    if (!aad.empty() && EVP_CipherUpdate(context, nullptr, &size, bytes_of(aad),
                                         static_cast<int>(aad.size())) != 1)
        return false;
    auto* to = reinterpret_cast<unsigned char*>(out.room(text.size() + 2 * kBlockBytes));
    if (EVP_CipherUpdate(context, to, &size, bytes_of(text), static_cast<int>(text.size())) != 1)
        return false;
    int rest = 0;
    if (cipher.gcm && !encrypts &&
        EVP_CIPHER_CTX_ctrl(context, EVP_CTRL_AEAD_SET_TAG, kTagBytes,
                            const_cast<char*>(tag.data())) != 1)
        return false;
    if (EVP_CipherFinal_ex(context, to + size, &rest) != 1)
        return false;
    auto whole = static_cast<size_t>(size) + static_cast<size_t>(rest);
    if (cipher.gcm && encrypts)
    {
        if (EVP_CIPHER_CTX_ctrl(context, EVP_CTRL_AEAD_GET_TAG, kTagBytes, to + whole) != 1)
            return false;
        whole += kTagBytes;
    }
    out.advance(whole);
    return true;
}

// mode, text, key [, iv, aad]
template <bool kEncrypts, bool kMysql> ColumnPtr run_crypt(const Call& call)
{
    const bool tries = call.name == "tryDecrypt";
    const Cipher cipher =
        cipher_of(call.name, constant_text(call.name, call.arguments, 0), kMysql);
    const StringRows texts(call.column(1));
    const StringRows keys(call.column(2));
    std::optional<StringRows> ivs;
    std::optional<StringRows> aads;
    if (call.size() > 3)
        ivs.emplace(call.column(3));
    if (call.size() > 4)
        aads.emplace(call.column(4));
    const std::unique_ptr<EVP_CIPHER_CTX, ContextDeleter> context(EVP_CIPHER_CTX_new());
    BASALT_ASSERT(context);
    StringWriter out(call.rows);
    auto nulls = std::make_shared<VectorColumn<uint8_t>>(call.rows, uint8_t{0});
    std::string folded;
    for (size_t i = 0; i < call.rows; ++i)
    {
        std::string_view key = keys[i];
        std::string_view iv = ivs ? (*ivs)[i] : std::string_view();
        if (kMysql)
        {
            if (key.size() < cipher.key_bytes)
                throw Error(error_codes::BAD_ARGUMENTS,
                            fmt::format("Invalid key size: {} expected {}", key.size(),
                                        cipher.key_bytes));
            folded = mysql_key(key, cipher.key_bytes);
            key = folded;
            if (!iv.empty() && iv.size() < cipher.iv_bytes)
                throw Error(error_codes::BAD_ARGUMENTS,
                            fmt::format("Invalid IV size: {} expected {}", iv.size(),
                                        cipher.iv_bytes));
            iv = iv.substr(0, cipher.iv_bytes);
        }
        else
        {
            if (key.size() != cipher.key_bytes)
                throw Error(error_codes::BAD_ARGUMENTS,
                            fmt::format("Invalid key size: {} expected {}", key.size(),
                                        cipher.key_bytes));
            const bool good = cipher.gcm ? !iv.empty()
                                         : iv.empty() || iv.size() == cipher.iv_bytes;
            if (!good)
                throw Error(error_codes::BAD_ARGUMENTS,
                            fmt::format("Invalid IV size {} != expected size {}", iv.size(),
                                        cipher.iv_bytes));
        }
        constexpr std::array<char, kBlockBytes> kZeros{};
        if (iv.empty() && cipher.iv_bytes > 0)
            iv = {kZeros.data(), cipher.iv_bytes};
        if (!kEncrypts && texts[i].empty())
        {
            out.end_row();
            continue;
        }
        if (!kEncrypts && cipher.gcm && texts[i].size() < kTagBytes)
            throw Error(error_codes::BAD_ARGUMENTS,
                        fmt::format("Encrypted data is smaller than the size of additional data "
                                    "for AEAD mode, cannot decrypt, function {}",
                                    call.name));
        if (texts[i].size() > INT32_MAX - 2 * kBlockBytes)
            throw Error(error_codes::TOO_LARGE_STRING_SIZE,
                        fmt::format("A text of function {} is too long", call.name));
        if (!crypt(context.get(), cipher, kEncrypts, texts[i], key, iv,
                   aads ? (*aads)[i] : std::string_view(), out))
        {
            if (!tries)
                throw Error(error_codes::OPENSSL_ERROR,
                            fmt::format("Function {} failed: the key, IV or text is wrong",
                                        call.name));
            nulls->data()[i] = 1;
        }
        out.end_row();
    }
    return tries ? NullableColumn::make(out.finish(), nulls) : out.finish();
}

constexpr FunctionSpec kEncrypt{"encrypt", "s! s s [ s s", crypt_type, run_crypt<true, false>};
constexpr FunctionSpec kDecrypt{"decrypt", "s! s s [ s s", crypt_type, run_crypt<false, false>};
constexpr FunctionSpec kTryDecrypt{"tryDecrypt", "s! s s [ s s", crypt_type,
                                   run_crypt<false, false>};
constexpr FunctionSpec kEncryptMysql{"aes_encrypt_mysql", "s! s s [ s", crypt_type,
                                     run_crypt<true, true>};
constexpr FunctionSpec kDecryptMysql{"aes_decrypt_mysql", "s! s s [ s", crypt_type,
                                     run_crypt<false, true>};

} // namespace

void register_encryption(ScalarRegistry& registry)
{
    add_all<kEncrypt, kDecrypt, kTryDecrypt, kEncryptMysql, kDecryptMysql>(registry);
}

} // namespace basalt
