#pragma once

// Parts of URLs, found without validating the whole. Every function returns a piece of its text.

#include <string_view>

namespace basalt
{

std::string_view url_scheme(std::string_view url);
// host: the name without user, password and port; empty when it is not one.
std::string_view url_host(std::string_view url);
// The same by the rules of RFC 3986: user and password may stand before, an IPv6 address in brackets.
std::string_view url_host_rfc(std::string_view url);
// user:password@host:port
std::string_view url_netloc(std::string_view url);
std::string_view url_without_www(std::string_view host);
std::string_view url_top_level(std::string_view url);
std::string_view host_top_level(std::string_view host);
std::string_view url_path(std::string_view url);      // to "?" or "#"
std::string_view url_path_full(std::string_view url); // with query and fragment
std::string_view url_query(std::string_view url);
std::string_view url_fragment(std::string_view url);
std::string_view url_query_and_fragment(std::string_view url);
std::string_view url_first_significant(std::string_view url);
// The host from its first significant label on.
std::string_view url_cut_to_first_significant(std::string_view url, bool keep_www);
std::string_view host_cut_to_first_significant(std::string_view host, bool keep_www);
int url_port(std::string_view url); // 0 when there is none or it is wrong
int port_after(std::string_view url, std::string_view host); // host: a piece of url

} // namespace basalt
