#pragma once

// LIKE patterns: % any text, _ one code point, \ before %, _ or \ takes it literally (before
// anything else it is a backslash). Matching needs no regular expression: a pattern is a list of
// pieces between the %s, each found leftmost after the one before.
// Thread-safe after construction.

#include "base/substring_search.h"

#include <vector>

namespace basalt
{

class LikePattern
{
public:
    enum class Kind : uint8_t
    {
        Everything, // %
        Equals,     // text
        Prefix,     // text%
        Suffix,     // %text
        Contains,   // %text%
        General,
    };

    // Throws CANNOT_PARSE_ESCAPE_SEQUENCE on a backslash at the end.
    // ascii_case_insensitive: ILIKE for patterns whose letters are ASCII.
    explicit LikePattern(std::string_view pattern, bool ascii_case_insensitive = false);

    Kind kind() const { return kind_; }
    // The one text of every kind but General and Everything (folded when insensitive).
    const std::string& text() const { return text_; }
    // Bytes that every match begins with.
    const std::string& prefix() const { return prefix_; }
    // Texts that every match holds, in this order and not overlapping.
    std::vector<std::string_view> required_texts() const;

    bool matches(std::string_view value) const;
    // hits[i] = 1 when row i matches, else 0.
    void mark_rows(const char* chars, const uint64_t* offsets, size_t rows, uint8_t* hits) const;

private:
    // A piece without %: literal runs and single code points, in order.
    struct Piece
    {
        std::string bytes;             // literals back to back
        std::vector<size_t> any_after; // a _ stands before bytes[i]; may repeat
        SubstringSearcher searcher;    // of bytes, when there is no _
        size_t longest_begin = 0;      // the longest run without _
        size_t longest_size = 0;
    };
    // The end of the piece matched at `at`, or null.
    const char* match_piece(const Piece& piece, const char* at, const char* end) const;
    const char* find_piece(const Piece& piece, const char* at, const char* end,
                           const char*& match_end) const;
    bool matches_general(std::string_view value) const;

    bool fold_;
    Kind kind_ = Kind::General;
    std::string text_;
    std::string prefix_;
    std::vector<Piece> pieces_;
    bool open_begin_ = false; // the pattern begins with %
    bool open_end_ = false;
    int filter_piece_ = -1; // its longest run must be in every match
    std::vector<SubstringSearcher> filter_;
};

} // namespace basalt
