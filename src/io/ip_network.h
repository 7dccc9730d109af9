#pragma once

// Addresses of clients against networks and names. Addresses are numeric texts; IPv4 in IPv6
// (::ffff:1.2.3.4) counts as IPv4. Thread-safe.

#include <string>
#include <string_view>

namespace basalt
{

bool is_loopback(const std::string& address);
// network: "10.0.0.0/8", "10.0.0.0/255.0.0.0", "::1" or a single address; false for anything else.
bool in_network(const std::string& address, std::string_view network);
// Whether the name has the address (asks DNS; may block). False when the name is not known.
bool resolves_to(const std::string& host_name, const std::string& address);

} // namespace basalt
