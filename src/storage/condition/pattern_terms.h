#pragma once

// Patterns to the texts that whatever matches them must hold.

#include "storage/condition/value_claims.h"

namespace basalt
{

// A run of ASCII letters, digits and bytes over 127, not empty.
bool is_word(std::string_view text);
std::vector<std::string> words_of(std::string_view text);

ValueTerm fragment_term(std::string text, TextFragment::Edge left, TextFragment::Edge right);
// Runs of a LIKE pattern without wildcards.
std::vector<ValueTerm> like_terms(std::string_view pattern);
// Adds the alternatives of a regular expression. False when some alternative needs no text that is
// known. Throws CANNOT_COMPILE_REGEXP.
bool add_regexp(std::string_view pattern, std::vector<std::vector<ValueTerm>>& any_of);

} // namespace basalt
