#include "engine/authentication.h"

#include "base/error.h"
#include "base/like_pattern.h"
#include "engine/session.h"
#include "io/ip_network.h"

#include <algorithm>
#include <chrono>
#include <fmt/format.h>
#include <thread>

namespace basalt
{

namespace
{

const std::string& name_of(const LoginAttempt& attempt)
{
    static const std::string fallback = "default";
    return attempt.user.empty() ? fallback : attempt.user;
}

std::string key_of(const LoginAttempt& attempt)
{
    return name_of(attempt) + '\0' + attempt.address;
}

bool is_password(const Credential& credential)
{
    return credential.kind != CredentialKind::SslCertificate;
}

// Whether the client's certificate has one of the names.
bool shows_name(const Credential& credential, const LoginAttempt& attempt)
{
    const auto& shown = attempt.certificate_names;
    return credential.kind == CredentialKind::SslCertificate &&
           std::any_of(credential.names.begin(), credential.names.end(), [&](const auto& name)
                       { return std::find(shown.begin(), shown.end(), name) != shown.end(); });
}

} // namespace

bool host_allowed(const User& user, const std::string& address)
{
    if (user.hosts.empty())
        return true;
    return std::any_of(user.hosts.begin(), user.hosts.end(),
                       [&](const HostRule& rule)
                       {
                           if (rule.kind == "LOCAL")
                               return is_loopback(address);
                           if (rule.kind == "IP")
                               return in_network(address, rule.value);
                           if (rule.kind == "NAME")
                               return resolves_to(rule.value, address);
                           if (rule.kind == "LIKE")
                               return LikePattern(rule.value).matches(address) ||
                                      (is_loopback(address) &&
                                       LikePattern(rule.value).matches("localhost"));
                           return false;
                       });
}

void Authentication::refuse(const std::string& user)
{
    throw Error(error_codes::AUTHENTICATION_FAILED,
                fmt::format("{}: Authentication failed: password is incorrect, or there is no user "
                            "with such name",
                            user));
}

void Authentication::wait_for_turn(const std::string& key)
{
    int64_t wait_ms = 0;
    {
        std::lock_guard lock(mutex_);
        const auto it = failures_.find(key);
        if (it == failures_.end() || it->second.count < kFreeFailures)
            return;
        Failures& failures = it->second;
        wait_ms = std::max<int64_t>(0, failures.next_try_ms - now_ms());
        if (wait_ms > kMaxDelay_ms)
            throw Error(error_codes::AUTHENTICATION_FAILED,
                        fmt::format("Too many failed attempts, try again in {} s",
                                    wait_ms / 1000 + 1));
        // Others wait behind this one.
        const int64_t delay_ms = std::min(
            kMaxDelay_ms,
            kFirstDelay_ms << std::min<uint32_t>(failures.count - kFreeFailures, 10));
        failures.next_try_ms = std::max(failures.next_try_ms, now_ms()) + delay_ms;
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(wait_ms));
}

void Authentication::failed(const std::string& key)
{
    std::lock_guard lock(mutex_);
    const int64_t now = now_ms();
    if (failures_.size() >= kMaxTrackedFailures)
        std::erase_if(failures_, [&](const auto& item)
                      { return now - item.second.last_ms > kForgetFailuresAfter_s * 1000; });
    // Still full: that many addresses guess at once. The longest quiet one goes.
    if (failures_.size() >= kMaxTrackedFailures && !failures_.contains(key))
        failures_.erase(std::min_element(failures_.begin(), failures_.end(),
                                         [](const auto& a, const auto& b)
                                         { return a.second.last_ms < b.second.last_ms; }));
    Failures& failures = failures_[key];
    if (now - failures.last_ms > kForgetFailuresAfter_s * 1000)
        failures = {};
    ++failures.count;
    failures.last_ms = now;
    if (failures.count >= kFreeFailures)
        failures.next_try_ms =
            std::max(failures.next_try_ms,
                     now + std::min(kMaxDelay_ms,
                                    kFirstDelay_ms << std::min<uint32_t>(
                                        failures.count - kFreeFailures, 10)));
}

void Authentication::succeeded(const std::string& key)
{
    std::lock_guard lock(mutex_);
    failures_.erase(key);
}

bool Authentication::usable(const Credential& credential) const
{
    return !credential.valid_until_unix_s || clock_.unix_s() <= *credential.valid_until_unix_s;
}

bool Authentication::accepts(const Credential& credential, std::string_view password)
{
    const bool slow = credential.kind == CredentialKind::Bcrypt ||
                      credential.kind == CredentialKind::ScramSha256;
    if (!slow)
        return accepts_password(credential, password);
    const std::string stored = credential.data + credential.salt;
    const std::string digest = sha256(process_salt_ + std::string(password));
    {
        std::lock_guard lock(mutex_);
        const auto it = known_.find(stored);
        if (it != known_.end() && equal_in_constant_time(it->second, digest))
            return true;
    }
    if (!accepts_password(credential, password))
        return false;
    std::lock_guard lock(mutex_);
    if (known_.size() >= kMaxKnownPasswords)
        known_.clear();
    known_[stored] = digest;
    return true;
}

EffectiveAccessPtr Authentication::authenticate(const LoginAttempt& attempt)
{
    const std::string& name = name_of(attempt);
    const std::string key = key_of(attempt);
    wait_for_turn(key);
    const auto state = access_.state();
    const auto it = state->users.find(name);
    bool good = false;
    if (it != state->users.end() && host_allowed(it->second, attempt.address))
        for (const auto& credential : it->second.credentials)
        {
            if (!usable(credential))
                continue;
            good = good || (is_password(credential) ? accepts(credential, attempt.password)
                                                    : shows_name(credential, attempt));
        }
    if (!good)
    {
        failed(key);
        refuse(name);
    }
    succeeded(key);
    return access_.effective(name);
}

Authentication::Method Authentication::method_of(const LoginAttempt& attempt) const
{
    const auto state = access_.state();
    const auto it = state->users.find(name_of(attempt));
    if (it == state->users.end())
        return Method::Scram;
    const auto& credentials = it->second.credentials;
    const auto has = [&](CredentialKind kind)
    {
        return std::any_of(credentials.begin(), credentials.end(),
                           [&](const auto& one) { return one.kind == kind; });
    };
    if (has(CredentialKind::NoPassword) ||
        std::none_of(credentials.begin(), credentials.end(), is_password))
        return Method::None;
    if (std::any_of(credentials.begin(), credentials.end(),
                    [&](const auto& one) { return shows_name(one, attempt); }))
        return Method::None;
    // Only what all of them can answer.
    if (has(CredentialKind::ScramSha256) && std::count_if(credentials.begin(), credentials.end(),
                                                          is_password) == 1)
        return Method::Scram;
    return Method::Password;
}

Authentication::ScramChallenge Authentication::begin_scram(const LoginAttempt& attempt)
{
    wait_for_turn(key_of(attempt));
    const auto state = access_.state();
    const auto it = state->users.find(name_of(attempt));
    if (it != state->users.end() && host_allowed(it->second, attempt.address))
        for (const auto& credential : it->second.credentials)
            if (credential.kind == CredentialKind::ScramSha256 && usable(credential))
                return {credential.salt, credential.data, true};
    // The same salt every time, as a user who is there would have.
    return {to_hex(sha256(process_salt_ + name_of(attempt))).substr(0, 32),
            sha256(process_salt_ + "no password " + name_of(attempt)), false};
}

EffectiveAccessPtr Authentication::finish_scram(const LoginAttempt& attempt, bool proven)
{
    const std::string key = key_of(attempt);
    if (!proven)
    {
        failed(key);
        refuse(name_of(attempt));
    }
    succeeded(key);
    return access_.effective(name_of(attempt));
}

void set_roles(AccessControl& access, Session& session, std::optional<std::set<std::string>> roles)
{
    const auto state = access.state();
    if (roles)
        for (const auto& role : *roles)
            state->role(role);
    session.access = access.effective(session.user, roles);
    session.current_roles = std::move(roles);
}

void log_in(Session& session, const EffectiveAccessPtr& access)
{
    session.user = access->user().name;
    session.access = access;
    if (!access->user().default_database.empty())
        session.current_database = access->user().default_database;
}

} // namespace basalt
