#pragma once

// Regular expressions as the functions of this folder use them: RE2 syntax, "." matches newlines,
// with a substring search in front where the expression has a text that every match holds.
// Thread-safe after construction.

#include "base/substring_search.h"

#include <re2/re2.h>

#include <memory>
#include <optional>
#include <vector>

namespace basalt
{

class Regexp
{
public:
    // Throws CANNOT_COMPILE_REGEXP.
    explicit Regexp(std::string_view pattern, bool case_insensitive = false);

    bool matches(std::string_view text) const;
    // hits[i] = 1 when row i has a match, else 0.
    void mark_rows(const char* chars, const uint64_t* offsets, size_t rows, uint8_t* hits) const;

    // Finds the next match at or after `from`: groups[0] the whole, then the captures. Groups that
    // took no part have null data.
    bool find(std::string_view text, size_t from, std::vector<re2::StringPiece>& groups) const
    {
        return re2_->Match({text.data(), text.size()}, from, text.size(), re2::RE2::UNANCHORED,
                           groups.data(), static_cast<int>(groups.size()));
    }
    size_t captures() const { return static_cast<size_t>(re2_->NumberOfCapturingGroups()); }
    // The expression is only a text.
    bool is_literal() const { return literal_; }
    // A text that every match holds; null when none is known.
    const SubstringSearcher* required() const { return required_ ? &*required_ : nullptr; }

private:
    std::unique_ptr<re2::RE2> re2_;
    std::optional<SubstringSearcher> required_;
    bool literal_ = false;
};

// A pattern that differs from row to row: keeps the last one compiled.
class RegexpCache
{
public:
    const Regexp& get(std::string_view pattern, bool case_insensitive = false)
    {
        if (!regexp_ || pattern != pattern_)
        {
            regexp_.emplace(pattern, case_insensitive);
            pattern_ = pattern;
        }
        return *regexp_;
    }

private:
    std::string pattern_;
    std::optional<Regexp> regexp_;
};

// The expression that matches `text` itself, as regexpQuoteMeta gives it.
std::string quote_regexp(std::string_view text);

} // namespace basalt
