#pragma once

// Colours of SQL on a terminal, and whether a text may end where it does. Pure functions.

#include <cstdint>
#include <string_view>
#include <vector>

namespace basalt
{

enum class Colour : uint8_t
{
    Plain,
    Keyword,
    Function,
    Quoted, // `x`, "x"
    String,
    Number,
    Comment,
    Wrong,
};

// One for each byte.
std::vector<Colour> colours_of(std::string_view sql);
// The escape sequence that begins it; that of Plain ends all others.
std::string_view escape_of(Colour colour);

// Quotes, brackets and comments are closed.
bool is_closed(std::string_view sql);
// Ends with ; or \G outside of quotes and comments.
bool has_end_mark(std::string_view sql);

// Words that are coloured as keywords and completed, in capitals, sorted.
const std::vector<std::string_view>& sql_keywords();

} // namespace basalt
