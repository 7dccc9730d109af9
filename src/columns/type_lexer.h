#pragma once

// Words, literals and marks of type texts, for type_parser.cpp.

#include "base/error.h"
#include "columns/value.h"

#include <string>
#include <string_view>

namespace basalt
{

class TypeLexer
{
public:
    using Mark = size_t;

    explicit TypeLexer(std::string_view text) : text_(text) { skip_spaces(); }

    Mark mark() const { return at_; }
    void reset(Mark mark) { at_ = mark; }
    bool at_end() const { return at_ == text_.size(); }
    bool at_number() const { return !at_end() && text_[at_] >= '0' && text_[at_] <= '9'; }

    bool take(char c); // the mark and the spaces after it
    void expect(char c);
    std::string try_word();  // an unquoted word, or empty
    std::string peek_word(); // the same, left in place
    std::string word(const char* expected);
    std::string identifier(); // a word, or a name in backquotes or double quotes
    // A number, a text, an array, a tuple or NULL.
    Value literal();

    // Whether an element "name type" stands here rather than a type alone. is_type_words tells
    // words that form one type together ("double precision").
    template <class IsTypeWords> bool element_has_name(IsTypeWords&& is_type_words)
    {
        if (at_end())
            return false;
        if (text_[at_] == '`' || text_[at_] == '"')
            return true;
        const Mark start = at_;
        std::string words = try_word();
        const std::string second = try_word();
        bool has_name = !second.empty();
        if (has_name)
        {
            std::string third = peek_word();
            has_name = !is_type_words(words + " " + second) &&
                       (third.empty() || !is_type_words(words + " " + second + " " + third));
        }
        at_ = start;
        return has_name;
    }

    [[noreturn]] void fail(std::string_view expected) const;

private:
    void skip_spaces();
    std::string quoted(char quote);
    Value number();
    Values items(char end);

    std::string_view text_;
    size_t at_ = 0;
    size_t depth_ = 0;
};

} // namespace basalt
