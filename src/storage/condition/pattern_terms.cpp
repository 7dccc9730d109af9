#include "storage/condition/pattern_terms.h"

#include "functions/scalar/regexp.h"

#include <algorithm>

namespace basalt
{

namespace
{

using Edge = TextFragment::Edge;

// The alternatives of an expression at its top: "a|b(c|d)|[|]" has three.
std::vector<std::string> top_alternatives(std::string_view pattern)
{
    std::vector<std::string> parts(1);
    size_t depth = 0;
    bool in_class = false;
    for (size_t i = 0; i < pattern.size(); ++i)
    {
        const char c = pattern[i];
        if (c == '\\' && i + 1 < pattern.size())
        {
            parts.back() += c;
            parts.back() += pattern[++i];
            continue;
        }
        if (in_class)
        {
            in_class = c != ']';
        }
        else if (c == '[')
        {
            // A bracket right behind the opening one is a member.
            in_class = true;
            parts.back() += c;
            if (i + 1 < pattern.size() && pattern[i + 1] == '^')
                parts.back() += pattern[++i];
            if (i + 1 < pattern.size() && pattern[i + 1] == ']')
                parts.back() += pattern[++i];
            continue;
        }
        else if (c == '(')
            ++depth;
        else if (c == ')')
            depth -= depth > 0;
        else if (c == '|' && depth == 0)
        {
            parts.emplace_back();
            continue;
        }
        parts.back() += c;
    }
    return parts;
}

} // namespace

bool is_word(std::string_view text)
{
    return !text.empty() && std::all_of(text.begin(), text.end(),
                                        [](char c)
                                        {
                                            const auto u = static_cast<unsigned char>(c);
                                            return u >= 0x80 || (u >= '0' && u <= '9') ||
                                                   ((u | 0x20) >= 'a' && (u | 0x20) <= 'z');
                                        });
}

std::vector<std::string> words_of(std::string_view text)
{
    std::vector<std::string> words;
    for (size_t at = 0; at < text.size();)
    {
        size_t end = at;
        while (end < text.size() && is_word(text.substr(end, 1)))
            ++end;
        if (end > at)
            words.emplace_back(text.substr(at, end - at));
        at = end + 1;
    }
    return words;
}

ValueTerm fragment_term(std::string text, Edge left, Edge right)
{
    ValueTerm term;
    if (left == Edge::Value && right == Edge::Value)
        term.constant = Expression::constant(simple_type(TypeId::String), text);
    term.fragment = TextFragment{std::move(text), left, right};
    return term;
}

std::vector<ValueTerm> like_terms(std::string_view pattern)
{
    std::vector<ValueTerm> terms;
    std::string run;
    bool wild_before = false;
    const auto end_run = [&](bool at_end)
    {
        if (!run.empty() || (at_end && !wild_before && terms.empty()))
            terms.push_back(fragment_term(run, wild_before ? Edge::Open : Edge::Value,
                                          at_end ? Edge::Value : Edge::Open));
        run.clear();
        wild_before = true;
    };
    for (size_t i = 0; i < pattern.size(); ++i)
    {
        if (pattern[i] == '%' || pattern[i] == '_')
        {
            end_run(false);
            continue;
        }
        if (pattern[i] == '\\' && i + 1 < pattern.size() &&
            (pattern[i + 1] == '%' || pattern[i + 1] == '_' || pattern[i + 1] == '\\'))
            ++i;
        run.push_back(pattern[i]);
    }
    end_run(true);
    return terms;
}

bool add_regexp(std::string_view pattern, std::vector<std::vector<ValueTerm>>& any_of)
{
    // Flags and quoting change how the rest is read.
    if (pattern.find("(?") != std::string_view::npos ||
        pattern.find("\\Q") != std::string_view::npos ||
        pattern.find("[:") != std::string_view::npos)
        return false;
    for (const auto& part : top_alternatives(pattern))
    {
        const Regexp regexp(part);
        if (!regexp.required() || regexp.required()->needle().empty())
            return false;
        any_of.push_back({fragment_term(regexp.required()->needle(), Edge::Open, Edge::Open)});
    }
    return true;
}

} // namespace basalt
