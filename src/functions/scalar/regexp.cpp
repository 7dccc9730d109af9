#include "functions/scalar/regexp.h"

#include "base/error.h"

namespace basalt
{
namespace
{

constexpr std::string_view kQuoted("\\^$.[]|()?*+{-:\0", 15);

// The longest text in the top-level sequence of the pattern that no quantifier, group or
// alternative makes optional. Only the plain syntax is looked at; anything doubtful ends a run.
std::string required_text(std::string_view pattern, bool& literal)
{
    literal = true;
    std::string best;
    std::string run;
    int depth = 0;
    const auto end_run = [&]
    {
        literal = false;
        if (run.size() > best.size())
            best = run;
        run.clear();
    };
    for (size_t i = 0; i < pattern.size(); ++i)
    {
        const char c = pattern[i];
        switch (c)
        {
            case '|':
                if (depth == 0)
                {
                    literal = false;
                    return {};
                }
                break;
            case '(':
                // Flags and named groups may change what follows.
                if (i + 1 < pattern.size() && pattern[i + 1] == '?' && pattern.substr(i, 3) != "(?:")
                {
                    literal = false;
                    return {};
                }
                end_run();
                ++depth;
                break;
            case ')':
                end_run();
                --depth;
                break;
            case '[':
            {
                end_run();
                size_t j = i + 1;
                if (j < pattern.size() && pattern[j] == '^')
                    ++j;
                if (j < pattern.size() && pattern[j] == ']')
                    ++j;
                while (j < pattern.size() && pattern[j] != ']')
                {
                    if (pattern[j] == '\\')
                        ++j;
                    else if (pattern[j] == '[' && j + 1 < pattern.size() && pattern[j + 1] == ':')
                    {
                        const size_t close = pattern.find(":]", j + 2);
                        if (close != pattern.npos)
                            j = close + 1;
                    }
                    ++j;
                }
                i = j;
                break;
            }
            case '?':
            case '*':
            case '{':
                // The last character of the run is optional. It may be a multi-byte one.
                while (!run.empty() && (run.back() & 0xC0) == 0x80)
                    run.pop_back();
                if (!run.empty())
                    run.pop_back();
                end_run();
                if (c == '{')
                {
                    const size_t close = pattern.find('}', i);
                    if (close != pattern.npos)
                        i = close;
                }
                break;
            case '+': end_run(); break;
            case '^':
            case '$':
            case '.': end_run(); break;
            case '\\':
            {
                if (i + 1 == pattern.size())
                {
                    end_run();
                    break;
                }
                const char next = pattern[i + 1];
                const bool word = (next >= '0' && next <= '9') || (next >= 'a' && next <= 'z') ||
                                  (next >= 'A' && next <= 'Z');
                if (word)
                {
                    // Classes, \Q…\E, \x and the like: nothing after it is trusted but simple
                    // classes.
                    literal = false;
                    if (std::string_view("dDwWsSbB").find(next) == std::string_view::npos)
                        return {};
                    end_run();
                }
                else if (depth == 0)
                    run += next;
                ++i;
                break;
            }
            default:
                if (depth == 0)
                    run += c;
        }
    }
    const bool whole = literal;
    if (run.size() > best.size())
        best = run;
    literal = whole;
    return best;
}

} // namespace

Regexp::Regexp(std::string_view pattern, bool case_insensitive)
{
    re2::RE2::Options options;
    options.set_log_errors(false);
    options.set_dot_nl(true);
    options.set_case_sensitive(!case_insensitive);
    re2_ = std::make_unique<re2::RE2>(re2::StringPiece(pattern.data(), pattern.size()), options);
    if (!re2_->ok())
        throw Error(error_codes::CANNOT_COMPILE_REGEXP,
                    "Cannot compile the regular expression '" + std::string(pattern) +
                        "': " + re2_->error());
    if (case_insensitive)
        return;
    std::string text = required_text(pattern, literal_);
    if (!text.empty())
        required_.emplace(text);
}

bool Regexp::matches(std::string_view text) const
{
    if (required_ && !required_->in(text))
        return false;
    return literal_ || re2_->Match({text.data(), text.size()}, 0, text.size(),
                                   re2::RE2::UNANCHORED, nullptr, 0);
}

void Regexp::mark_rows(const char* chars, const uint64_t* offsets, size_t rows,
                       uint8_t* hits) const
{
    if (required_)
    {
        required_->mark_rows(chars, offsets, rows, hits);
        if (literal_)
            return;
    }
    uint64_t begin = 0;
    for (size_t i = 0; i < rows; ++i)
    {
        if (!required_ || hits[i])
            hits[i] = re2_->Match({chars + begin, offsets[i] - begin}, 0, offsets[i] - begin,
                                  re2::RE2::UNANCHORED, nullptr, 0);
        begin = offsets[i];
    }
}

std::string quote_regexp(std::string_view text)
{
    std::string result;
    for (const char c : text)
    {
        if (kQuoted.find(c) != kQuoted.npos)
            result += '\\';
        result += c;
    }
    return result;
}

} // namespace basalt
