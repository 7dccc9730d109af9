#pragma once

// LIKE and ILIKE patterns whose meaning does not depend on where characters begin: text, %, and
// what a backslash escapes, but no _. ILIKE only of ASCII patterns.

#include "encodings/page.h"

namespace basalt
{

class PageLikePattern
{
public:
    // nullopt for predicates that are no LIKE or that this does not take.
    static std::optional<PageLikePattern> make(const PagePredicate& predicate);

    bool negated() const { return negated_; }
    bool ignores_case() const { return ignores_case_; }
    // Texts between the %; ILIKE: in lower case. The first is a prefix and the last a suffix
    // (empty where the pattern begins or ends with %); a pattern without % has one.
    const std::vector<std::string>& parts() const { return parts_; }

    // ILIKE of a text with bytes beyond ASCII is left to whoever knows Unicode.
    bool may_decide(std::string_view text) const;
    // With the negation.
    bool matches(std::string_view text) const;
    bool matches_positive(std::string_view text) const;

private:
    bool negated_ = false;
    bool ignores_case_ = false;
    std::vector<std::string> parts_;
};

// Where `needle` (not empty) begins in [text, text + size), or npos.
size_t find_text(std::string_view text, std::string_view needle);

std::string ascii_lower(std::string_view text);

} // namespace basalt
