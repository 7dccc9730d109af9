#pragma once

// SCRAM-SHA-256 (RFC 5802, 7677) as PostgreSQL's clients speak it: the texts of the exchange, server's
// side, without channel binding. Who the user is and what is kept of his password is the caller's.
// Broken texts throw INCORRECT_DATA. Not thread-safe.

#include <string>
#include <string_view>

namespace basalt
{

inline constexpr size_t kMaxScramTextBytes = 4096;

class ScramExchange
{
public:
    // client_first: "n,,n=,r=NONCE". server_nonce: printable, without commas, not used before.
    ScramExchange(std::string_view client_first, std::string_view server_nonce);

    // "r=…,s=…,i=…" to send. salt: bytes.
    std::string server_first(std::string_view salt, unsigned iterations);

    // client_final: "c=biws,r=…,p=PROOF": gives the proof's bytes; auth_message() is known then.
    std::string take_client_final(std::string_view client_final);
    const std::string& auth_message() const { return auth_message_; }

private:
    std::string client_first_bare_, header_, nonce_, server_first_, auth_message_;
};

// The body of SASLInitialResponse: mechanism and its first text. Throws INCORRECT_DATA, NOT_IMPLEMENTED
// for another mechanism.
std::string parse_sasl_initial_response(const std::string& body);

} // namespace basalt
