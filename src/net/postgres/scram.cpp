#include "net/postgres/scram.h"

#include "base/error.h"
#include "base/int_types.h"
#include "net/base64.h"

#include <fmt/format.h>

namespace basalt
{

namespace
{

[[noreturn]] void broken(const char* why)
{
    throw Error(error_codes::INCORRECT_DATA, fmt::format("Broken SCRAM exchange: {}", why));
}

// "r=VALUE" up to the next comma; the rest stays in `text`.
std::string_view attribute(std::string_view& text, char name)
{
    if (text.size() < 2 || text[0] != name || text[1] != '=')
        broken("an attribute is missing");
    const size_t end = std::min(text.find(','), text.size());
    const std::string_view value = text.substr(2, end - 2);
    text.remove_prefix(std::min(end + 1, text.size()));
    return value;
}

} // namespace

ScramExchange::ScramExchange(std::string_view client_first, std::string_view server_nonce)
{
    if (client_first.size() > kMaxScramTextBytes)
        broken("a text is too long");
    // gs2 header: n (no channel binding), y (the client could, we cannot) and an authorization name.
    if (client_first.size() < 3 || (client_first[0] != 'n' && client_first[0] != 'y') ||
        client_first[1] != ',')
        broken("channel binding is not implemented");
    const size_t comma = client_first.find(',', 2);
    if (comma == std::string_view::npos)
        broken("its header does not end");
    header_ = client_first.substr(0, comma + 1);
    std::string_view rest = client_first.substr(comma + 1);
    client_first_bare_ = rest;
    attribute(rest, 'n'); // the name of the startup message counts
    const std::string_view nonce = attribute(rest, 'r');
    if (nonce.empty())
        broken("the nonce is empty");
    nonce_ = std::string(nonce) + std::string(server_nonce);
}

std::string ScramExchange::server_first(std::string_view salt, unsigned iterations)
{
    server_first_ = fmt::format("r={},s={},i={}", nonce_, encode_base64(salt), iterations);
    return server_first_;
}

std::string ScramExchange::take_client_final(std::string_view client_final)
{
    if (client_final.size() > kMaxScramTextBytes)
        broken("a text is too long");
    const size_t proof_at = client_final.rfind(",p=");
    if (proof_at == std::string_view::npos)
        broken("there is no proof");
    const std::string_view without_proof = client_final.substr(0, proof_at);
    std::string_view rest = without_proof;
    if (decode_base64(attribute(rest, 'c')) != header_)
        broken("the channel binding differs");
    if (attribute(rest, 'r') != nonce_)
        broken("the nonce differs");
    const auto proof = decode_base64(client_final.substr(proof_at + 3));
    if (!proof)
        broken("the proof is not base64");
    auth_message_ = client_first_bare_ + "," + server_first_ + "," + std::string(without_proof);
    return *proof;
}

std::string parse_sasl_initial_response(const std::string& body)
{
    const size_t end = body.find('\0');
    if (end == std::string::npos || body.size() < end + 5)
        broken("the first message is too short");
    if (body.compare(0, end, "SCRAM-SHA-256") != 0)
        throw Error(error_codes::NOT_IMPLEMENTED,
                    "Only the mechanism SCRAM-SHA-256 is implemented");
    uint32_t size = 0;
    for (size_t i = 1; i <= 4; ++i)
        size = size << 8 | static_cast<unsigned char>(body[end + i]);
    if (size != body.size() - end - 5)
        broken("its length differs");
    return body.substr(end + 5);
}

} // namespace basalt
