#pragma once

// How an error is told after the head of a reply with status 200 was sent: a block at the end of
// the body, made recognisable by a tag that stood in the head. docs/protocol/http.md

#include "base/clock.h"

#include <string>
#include <string_view>

namespace basalt
{

inline constexpr size_t kExceptionTagBytes = 16;
// Of the whole block; a longer text is cut.
inline constexpr size_t kMaxExceptionBlockBytes = 16 << 10;

// Lower-case letters that nobody can guess from other replies.
std::string random_exception_tag(RandomSource& random);
std::string exception_block(std::string_view tag, std::string_view text);

} // namespace basalt
