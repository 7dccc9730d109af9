#pragma once

// LIKE and ILIKE on pages: LikePattern, and the texts between the % where there is no _, for
// those who decide from parts of a value. ILIKE only of ASCII patterns.

#include "base/like_pattern.h"
#include "encodings/page.h"

namespace basalt::inline encodings
{

class PagePattern
{
public:
    // nullopt for predicates that are no LIKE or that this does not take.
    static std::optional<PagePattern> make(const PagePredicate& predicate);

    bool negated() const { return negated_; }
    bool ignores_case() const { return ignores_case_; }
    // Texts between the %; ILIKE: in lower case. The first is a prefix and the last a suffix
    // (empty where the pattern begins or ends with %); a pattern without % has one. None when the
    // pattern has a _.
    const std::vector<std::string>& parts() const { return parts_; }

    // Texts without wildcards that a match holds: what stands between the % and _, those that are
    // not empty. A pattern without wildcards is one piece. ILIKE: in lower case.
    struct Piece
    {
        std::string text;
        bool at_begin = false; // of the value
        bool at_end = false;
    };
    const std::vector<Piece>& pieces() const { return pieces_; }
    bool has_any_character() const { return has_any_character_; } // a _

    // With the negation.
    bool matches(std::string_view text) const { return pattern_.matches(text) != negated_; }

private:
    PagePattern(std::string_view pattern, bool ignores_case)
        : ignores_case_(ignores_case), pattern_(pattern, ignores_case)
    {
    }
    void split(std::string_view pattern);

    bool negated_ = false;
    bool ignores_case_ = false;
    LikePattern pattern_;
    std::vector<std::string> parts_;
    std::vector<Piece> pieces_;
    bool has_any_character_ = false;
};

std::string ascii_lower(std::string_view text);

} // namespace basalt::encodings
