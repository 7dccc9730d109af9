#include "io/ip_network.h"

#include "base/int_types.h"

#include <arpa/inet.h>
#include <array>
#include <charconv>
#include <cstring>
#include <netdb.h>
#include <optional>
#include <sys/socket.h>

namespace basalt
{

namespace
{

// Sixteen bytes; IPv4 as ::ffff:a.b.c.d.
using Bytes = std::array<uint8_t, 16>;

std::optional<Bytes> parse(const std::string& text)
{
    Bytes bytes{};
    in_addr v4{};
    if (inet_pton(AF_INET, text.c_str(), &v4) == 1)
    {
        bytes[10] = bytes[11] = 0xff;
        std::memcpy(bytes.data() + 12, &v4, 4);
        return bytes;
    }
    // Without the zone of a link-local address.
    if (inet_pton(AF_INET6, text.substr(0, text.find('%')).c_str(), bytes.data()) == 1)
        return bytes;
    return std::nullopt;
}

bool is_v4(const Bytes& bytes)
{
    static constexpr uint8_t kPrefix[12] = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff};
    return std::memcmp(bytes.data(), kPrefix, sizeof(kPrefix)) == 0;
}

} // namespace

bool is_loopback(const std::string& address)
{
    return in_network(address, "127.0.0.0/8") || in_network(address, "::1");
}

bool in_network(const std::string& address, std::string_view network)
{
    const auto own = parse(address);
    const size_t slash = network.find('/');
    const auto base = parse(std::string(network.substr(0, slash)));
    if (!own || !base || is_v4(*own) != is_v4(*base))
        return false;
    Bytes mask;
    mask.fill(0xff);
    if (slash != std::string_view::npos)
    {
        const std::string_view text = network.substr(slash + 1);
        unsigned bits = 0;
        const auto [end, ec] = std::from_chars(text.data(), text.data() + text.size(), bits);
        if (ec == std::errc() && end == text.data() + text.size())
        {
            const unsigned most = is_v4(*base) ? 32 : 128;
            if (bits > most)
                return false;
            const unsigned kept = bits + 128 - most;
            for (unsigned i = 0; i < 16; ++i)
                mask[i] = kept >= (i + 1) * 8  ? 0xff
                          : kept <= i * 8 ? 0
                                           : static_cast<uint8_t>(0xff00u >> (kept - i * 8));
        }
        else
        {
            const auto written = parse(std::string(text));
            if (!written || is_v4(*written) != is_v4(*base))
                return false;
            mask = *written;
        }
    }
    for (size_t i = 0; i < 16; ++i)
        if (((*own)[i] ^ (*base)[i]) & mask[i])
            return false;
    return true;
}

bool resolves_to(const std::string& host_name, const std::string& address)
{
    const auto own = parse(address);
    if (!own)
        return false;
    addrinfo hints{};
    hints.ai_socktype = SOCK_STREAM;
    addrinfo* found = nullptr;
    if (getaddrinfo(host_name.c_str(), nullptr, &hints, &found) != 0)
        return false;
    bool same = false;
    for (const addrinfo* one = found; one && !same; one = one->ai_next)
    {
        char text[NI_MAXHOST];
        if (getnameinfo(one->ai_addr, one->ai_addrlen, text, sizeof(text), nullptr, 0,
                        NI_NUMERICHOST) == 0)
            same = parse(text) == own;
    }
    freeaddrinfo(found);
    return same;
}

} // namespace basalt
