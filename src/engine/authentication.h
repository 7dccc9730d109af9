#pragma once

// Who is at the other end: names and passwords, client certificates, SCRAM. Wrong guesses are slowed
// down: after kFreeFailures of one user from one address, each attempt waits, longer every time.
// Thread-safe; authenticate() may block for kMaxDelay_ms.

#include "catalog/access/access_control.h"

#include <map>
#include <mutex>
#include <string>
#include <vector>

namespace basalt
{

struct Session;

inline constexpr uint32_t kFreeFailures = 3;
inline constexpr int64_t kFirstDelay_ms = 100;
inline constexpr int64_t kMaxDelay_ms = 5000;       // an attempt that would wait longer is refused
inline constexpr int64_t kForgetFailuresAfter_s = 60;
inline constexpr size_t kMaxTrackedFailures = 10'000; // pairs of user and address
inline constexpr size_t kMaxKnownPasswords = 10'000;

struct LoginAttempt
{
    std::string user; // empty: default
    std::string password;
    std::string address; // numeric
    // Names in the client's certificate, "CN:…" and "SAN:…"; empty without one.
    std::vector<std::string> certificate_names;
};

class Authentication
{
public:
    Authentication(AccessControl& access, Clock& clock) : access_(access), clock_(clock) {}

    // Throws AUTHENTICATION_FAILED (516), the same for a wrong password, an unknown user, an address
    // that is not allowed and a credential that has expired.
    EffectiveAccessPtr authenticate(const LoginAttempt& attempt);

    // For SCRAM-SHA-256. begin: what to ask the client with; a user that is not there or has no such
    // credential gets one that no password meets. Waits as above.
    struct ScramChallenge
    {
        std::string salt;
        std::string salted_password;
        bool real = false;
    };
    ScramChallenge begin_scram(const LoginAttempt& attempt);
    // After the proof was checked.
    EffectiveAccessPtr finish_scram(const LoginAttempt& attempt, bool proven);

    // How the user's password can be asked for; users that are not there look like those with SCRAM.
    enum class Method : uint8_t
    {
        None,      // no password at all
        Scram,
        Password,  // as text
    };
    Method method_of(const LoginAttempt& attempt) const;

private:
    struct Failures
    {
        uint32_t count = 0;
        int64_t last_ms = 0;      // monotonic
        int64_t next_try_ms = 0; // attempts wait for it
    };

    void wait_for_turn(const std::string& key);
    void failed(const std::string& key);
    void succeeded(const std::string& key);
    bool accepts(const Credential& credential, std::string_view password);
    bool usable(const Credential& credential) const;
    [[noreturn]] static void refuse(const std::string& user);
    int64_t now_ms() const { return clock_.monotonic_ns() / 1'000'000; }

    AccessControl& access_;
    Clock& clock_;
    std::mutex mutex_;
    std::map<std::string, Failures> failures_;
    // Digests of passwords that slow methods have accepted, by what is kept of them.
    std::map<std::string, std::string> known_;
    std::string process_salt_ = to_hex(sha256(std::to_string(system_random().next_u64())));
};

// Gives the session its user: name, rights, database (unless one was asked for), settings.
void log_in(Session& session, const EffectiveAccessPtr& access);

// Makes these the session's current roles; nothing: the user's default ones. UNKNOWN_ROLE,
// SET_NON_GRANTED_ROLE.
void set_roles(AccessControl& access, Session& session,
               std::optional<std::set<std::string>> roles);

// Whether the user may come from there.
bool host_allowed(const User& user, const std::string& address);

} // namespace basalt
