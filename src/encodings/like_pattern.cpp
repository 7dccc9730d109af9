#include "encodings/like_pattern.h"

#include <algorithm>
#include <cstring>

namespace basalt
{

namespace
{

using Kind = PagePredicate::Kind;

bool is_ascii(std::string_view text)
{
    return std::none_of(text.begin(), text.end(),
                        [](char c) { return static_cast<unsigned char>(c) >= 0x80; });
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

size_t find_text(std::string_view text, std::string_view needle)
{
    if (text.size() < needle.size())
        return std::string_view::npos;
    const void* at = ::memmem(text.data(), text.size(), needle.data(), needle.size());
    return at ? static_cast<size_t>(static_cast<const char*>(at) - text.data())
              : std::string_view::npos;
}

std::optional<PageLikePattern> PageLikePattern::make(const PagePredicate& predicate)
{
    PageLikePattern result;
    switch (predicate.kind)
    {
    case Kind::Like:
        break;
    case Kind::NotLike:
        result.negated_ = true;
        break;
    case Kind::ILike:
        result.ignores_case_ = true;
        break;
    case Kind::NotILike:
        result.negated_ = true;
        result.ignores_case_ = true;
        break;
    default:
        return std::nullopt;
    }
    if (predicate.values.size() != 1)
        return std::nullopt;
    const auto* pattern = predicate.values[0].get_if<std::string>();
    if (!pattern || (result.ignores_case_ && !is_ascii(*pattern)))
        return std::nullopt;
    std::string part;
    for (size_t i = 0; i < pattern->size(); ++i)
    {
        const char c = (*pattern)[i];
        if (c == '_')
            return std::nullopt;
        if (c == '%')
        {
            // An inner part that is empty says nothing: %% is %.
            if (result.parts_.empty() || !part.empty())
                result.parts_.push_back(std::move(part));
            part.clear();
            continue;
        }
        if (c == '\\')
        {
            if (i + 1 == pattern->size())
                return std::nullopt; // an error to report, or none: not ours to say
            const char next = (*pattern)[i + 1];
            if (next == '%' || next == '_' || next == '\\')
            {
                part.push_back(next);
                ++i;
                continue;
            }
        }
        part.push_back(c);
    }
    result.parts_.push_back(std::move(part));
    if (result.ignores_case_)
        for (auto& text : result.parts_)
            text = ascii_lower(text);
    return result;
}

bool PageLikePattern::may_decide(std::string_view text) const
{
    return !ignores_case_ || is_ascii(text);
}

bool PageLikePattern::matches(std::string_view text) const
{
    if (ignores_case_)
        return matches_positive(ascii_lower(text)) != negated_;
    return matches_positive(text) != negated_;
}

bool PageLikePattern::matches_positive(std::string_view text) const
{
    const std::string& prefix = parts_.front();
    if (parts_.size() == 1)
        return text == prefix;
    const std::string& suffix = parts_.back();
    if (text.size() < prefix.size() + suffix.size() || !text.starts_with(prefix) ||
        !text.ends_with(suffix))
        return false;
    text = text.substr(prefix.size(), text.size() - prefix.size() - suffix.size());
    for (size_t i = 1; i + 1 < parts_.size(); ++i)
    {
        const size_t at = find_text(text, parts_[i]);
        if (at == std::string_view::npos)
            return false;
        text = text.substr(at + parts_[i].size());
    }
    return true;
}

} // namespace basalt
