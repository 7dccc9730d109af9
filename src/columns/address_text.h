#pragma once

// UUIDs and IP addresses to text and back.

#include "columns/text_cursor.h"

namespace basalt
{

inline constexpr size_t kUuidTextBytes = 36;
inline constexpr size_t kMaxIpv4TextBytes = 15;
inline constexpr size_t kMaxIpv6TextBytes = 46;

// 8-4-4-4-12 lower-case hex digits; returns the end.
char* put_uuid(char* to, UInt128 value);
char* put_ipv4(char* to, uint32_t address);
// bytes: 16 in network order. The longest run of zero words is shortened; addresses that hold an
// IPv4 one end in its dotted form.
char* put_ipv6(char* to, const char* bytes);

// 36 characters with dashes or 32 without.
bool parse_uuid(TextCursor& cursor, UInt128& value);
bool parse_ipv4(TextCursor& cursor, uint32_t& address);
// A dotted IPv4 address is taken as ::ffff:a.b.c.d. bytes: 16 to fill.
bool parse_ipv6(TextCursor& cursor, char* bytes);

} // namespace basalt
