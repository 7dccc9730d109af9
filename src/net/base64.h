#pragma once

// RFC 4648, standard alphabet. Thread-safe.

#include <optional>
#include <string>
#include <string_view>

namespace basalt
{

std::string encode_base64(std::string_view bytes); // with padding
// Nothing for other characters; what stands behind the first '=' is not looked at.
std::optional<std::string> decode_base64(std::string_view text);

} // namespace basalt
