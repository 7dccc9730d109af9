#include "encodings/page_pattern.h"

#include <algorithm>

namespace basalt::inline encodings
{

namespace
{

using Kind = PagePredicate::Kind;

bool is_ascii(std::string_view text)
{
    return std::none_of(text.begin(), text.end(),
                        [](char c) { return static_cast<unsigned char>(c) >= 0x80; });
}

bool ends_in_escape(std::string_view pattern)
{
    size_t backslashes = 0;
    while (backslashes < pattern.size() && pattern[pattern.size() - 1 - backslashes] == '\\')
        ++backslashes;
    return backslashes % 2 == 1;
}

} // namespace

std::string ascii_lower(std::string_view text)
{
    std::string lower(text);
    for (char& c : lower)
        if (c >= 'A' && c <= 'Z')
            c = static_cast<char>(c + ('a' - 'A'));
    return lower;
}

std::optional<PagePattern> PagePattern::make(const PagePredicate& predicate)
{
    const Kind kind = predicate.kind;
    const bool is_like = kind == Kind::Like || kind == Kind::NotLike || kind == Kind::ILike ||
                         kind == Kind::NotILike;
    if (!is_like || predicate.values.size() != 1)
        return std::nullopt;
    const auto* pattern = predicate.values[0].get_if<std::string>();
    const bool ignores_case = kind == Kind::ILike || kind == Kind::NotILike;
    // An error in the pattern is reported where rows are decided.
    if (!pattern || ends_in_escape(*pattern) || (ignores_case && !is_ascii(*pattern)))
        return std::nullopt;
    PagePattern result(*pattern, ignores_case);
    result.negated_ = kind == Kind::NotLike || kind == Kind::NotILike;
    result.split(*pattern);
    return result;
}

void PagePattern::split(std::string_view pattern)
{
    std::string text;
    bool at_begin = true;
    const auto end_piece = [&](bool at_end)
    {
        if (!text.empty() || (at_begin && at_end))
            pieces_.push_back({text, at_begin, at_end});
        // An inner part that is empty says nothing: %% is %.
        if (parts_.empty() || !text.empty() || at_end)
            parts_.push_back(text);
        at_begin = false;
        text.clear();
    };
    for (size_t i = 0; i < pattern.size(); ++i)
    {
        const char c = pattern[i];
        if (c == '_' || c == '%')
        {
            has_any_character_ |= c == '_';
            end_piece(false);
            continue;
        }
        if (c == '\\')
        {
            const char next = pattern[i + 1]; // there is one: make() has looked
            if (next == '%' || next == '_' || next == '\\')
            {
                text.push_back(next);
                ++i;
                continue;
            }
        }
        text.push_back(c);
    }
    end_piece(true);
    if (has_any_character_)
        parts_.clear();
    if (!ignores_case_)
        return;
    for (auto& part : parts_)
        part = ascii_lower(part);
    for (auto& piece : pieces_)
        piece.text = ascii_lower(piece.text);
}

} // namespace basalt::encodings
