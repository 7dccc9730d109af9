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
};

std::string ascii_lower(std::string_view text);

} // namespace basalt::encodings
