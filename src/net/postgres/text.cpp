#include "net/postgres/text.h"

#include "base/error.h"

#include <fmt/format.h>

namespace basalt
{

namespace
{

bool is_word_start(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' ||
           static_cast<unsigned char>(c) >= 0x80;
}

bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

bool is_word(char c)
{
    return is_word_start(c) || is_digit(c) || c == '$';
}

void append_utf8(std::string& to, uint32_t code)
{
    if (code < 0x80)
        to += static_cast<char>(code);
    else if (code < 0x800)
    {
        to += static_cast<char>(0xC0 | code >> 6);
        to += static_cast<char>(0x80 | (code & 0x3F));
    }
    else if (code < 0x10000)
    {
        to += static_cast<char>(0xE0 | code >> 12);
        to += static_cast<char>(0x80 | (code >> 6 & 0x3F));
        to += static_cast<char>(0x80 | (code & 0x3F));
    }
    else
    {
        to += static_cast<char>(0xF0 | code >> 18);
        to += static_cast<char>(0x80 | (code >> 12 & 0x3F));
        to += static_cast<char>(0x80 | (code >> 6 & 0x3F));
        to += static_cast<char>(0x80 | (code & 0x3F));
    }
}

class Splitter
{
public:
    explicit Splitter(std::string_view text) : text_(text) {}

    std::vector<PostgresStatement> split()
    {
        do
        {
            while (at_ < text_.size())
                step();
            end_statement();
        } while (at_ < text_.size());
        return std::move(statements_);
    }

private:
    char peek(size_t ahead = 0) const
    {
        return at_ + ahead < text_.size() ? text_[at_ + ahead] : '\0';
    }

    [[noreturn]] static void unterminated(const char* what)
    {
        throw Error(error_codes::SYNTAX_ERROR, fmt::format("Unterminated {}", what));
    }

    void step()
    {
        const char c = peek();
        if (c == '\'')
            plain_string();
        else if ((c == 'e' || c == 'E') && peek(1) == '\'')
            escape_string();
        else if (c == '"')
            identifier();
        else if (c == '-' && peek(1) == '-')
        {
            while (at_ < text_.size() && peek() != '\n')
                ++at_;
            piece_ += ' ';
        }
        else if (c == '/' && peek(1) == '*')
            comment();
        else if (c == '$')
            dollar();
        else if (c == ';')
        {
            ++at_;
            end_statement();
        }
        else if (is_word_start(c))
            word();
        else
        {
            // A number's letters are no word: 1e5, 0xFF.
            if (is_digit(c))
                while (is_word(peek()) && peek() != '$')
                    piece_ += text_[at_++];
            else
                piece_ += text_[at_++];
            if (c != ' ' && c != '\t' && c != '\n' && c != '\r')
            {
                leading_ = leading_ && c == '(';
                previous_word_.clear();
            }
        }
    }

    static bool is_catalog_name(std::string_view name)
    {
        const std::string low = fold_name(name.substr(0, sizeof("information_schema")));
        return low.starts_with("pg_") || low == "information_schema";
    }

    char last_character() const
    {
        const size_t last = piece_.find_last_not_of(" \t\r\n");
        return last == std::string::npos ? '\0' : piece_[last];
    }

    void word()
    {
        const size_t begin = at_;
        while (is_word(peek()))
            ++at_;
        const std::string found = folds_ ? fold_name(text_.substr(begin, at_ - begin))
                                         : std::string(text_.substr(begin, at_ - begin));
        if (is_catalog_name(found))
        {
            current_.reads_catalog = true;
            const bool is_table = previous_word_ == "FROM" || previous_word_ == "JOIN" ||
                                  last_character() == ',';
            if (is_table && found.starts_with("pg_") && peek() != '.' && peek() != '(')
                piece_ += "pg_catalog.";
        }
        std::string upper;
        for (const char c : found)
            upper += c >= 'a' && c <= 'z' ? static_cast<char>(c - 32) : c;
        if (leading_ && current_.words.size() < kMaxLeadingWords)
            current_.words.push_back(upper);
        previous_word_ = std::move(upper);
        piece_ += found;
    }

    void add_literal(std::string_view value)
    {
        piece_ += quote_for_us(value);
        leading_ = false;
        previous_word_.clear();
    }

    void plain_string()
    {
        ++at_;
        std::string value;
        for (;; ++at_)
        {
            if (at_ >= text_.size())
                unterminated("quoted string");
            if (peek() == '\'')
            {
                if (peek(1) != '\'')
                    break;
                ++at_;
            }
            value += peek();
        }
        ++at_;
        add_literal(value);
    }

    uint32_t hex_digits(size_t max)
    {
        uint32_t value = 0;
        for (size_t i = 0; i < max; ++i)
        {
            const char c = peek();
            const int digit = is_digit(c)               ? c - '0'
                              : c >= 'a' && c <= 'f' ? c - 'a' + 10
                              : c >= 'A' && c <= 'F' ? c - 'A' + 10
                                                     : -1;
            if (digit < 0)
                break;
            value = value * 16 + static_cast<uint32_t>(digit);
            ++at_;
        }
        return value;
    }

    void escape(std::string& value)
    {
        const char c = text_[at_++];
        switch (c)
        {
        case 'n':
            value += '\n';
            break;
        case 't':
            value += '\t';
            break;
        case 'r':
            value += '\r';
            break;
        case 'b':
            value += '\b';
            break;
        case 'f':
            value += '\f';
            break;
        case 'x':
            value += static_cast<char>(hex_digits(2));
            break;
        case 'u':
            append_utf8(value, hex_digits(4));
            break;
        case 'U':
            append_utf8(value, hex_digits(8) & 0x1FFFFF);
            break;
        default:
            if (c >= '0' && c <= '7')
            {
                uint32_t octal = static_cast<uint32_t>(c - '0');
                for (int i = 0; i < 2 && peek() >= '0' && peek() <= '7'; ++i)
                    octal = octal * 8 + static_cast<uint32_t>(text_[at_++] - '0');
                value += static_cast<char>(octal);
            }
            else
                value += c;
        }
    }

    void escape_string()
    {
        at_ += 2;
        std::string value;
        for (;;)
        {
            if (at_ >= text_.size())
                unterminated("quoted string");
            const char c = text_[at_++];
            if (c == '\\' && at_ < text_.size())
                escape(value);
            else if (c == '\'')
            {
                if (peek() != '\'')
                    break;
                value += text_[at_++];
            }
            else
                value += c;
        }
        add_literal(value);
    }

    void identifier()
    {
        ++at_;
        std::string name;
        for (;; ++at_)
        {
            if (at_ >= text_.size())
                unterminated("quoted identifier");
            if (peek() == '"')
            {
                if (peek(1) != '"')
                    break;
                ++at_;
            }
            name += peek();
        }
        ++at_;
        current_.reads_catalog = current_.reads_catalog || is_catalog_name(name);
        piece_ += '`';
        for (const char c : name)
        {
            if (c == '`' || c == '\\')
                piece_ += '\\';
            piece_ += c;
        }
        piece_ += '`';
        leading_ = false;
        previous_word_.clear();
    }

    void comment()
    {
        size_t depth = 0;
        do
        {
            if (at_ + 1 >= text_.size())
                unterminated("comment");
            if (peek() == '/' && peek(1) == '*')
            {
                ++depth;
                at_ += 2;
            }
            else if (peek() == '*' && peek(1) == '/')
            {
                --depth;
                at_ += 2;
            }
            else
                ++at_;
        } while (depth > 0);
        piece_ += ' ';
    }

    void dollar()
    {
        if (is_digit(peek(1)))
        {
            ++at_;
            uint64_t number = 0;
            while (is_digit(peek()) && number <= kMaxPostgresParameters)
                number = number * 10 + static_cast<uint64_t>(text_[at_++] - '0');
            if (number == 0 || number > kMaxPostgresParameters)
                throw Error(error_codes::SYNTAX_ERROR, fmt::format("There is no parameter ${}", number));
            current_.pieces.push_back(std::move(piece_));
            piece_.clear();
            current_.numbers.push_back(static_cast<uint32_t>(number));
            current_.wants_number.push_back(previous_word_ == "LIMIT" ||
                                            previous_word_ == "OFFSET" ||
                                            previous_word_ == "FETCH");
            current_.parameter_count =
                std::max(current_.parameter_count, static_cast<uint32_t>(number));
            leading_ = false;
            return;
        }
        size_t end = at_ + 1;
        while (end < text_.size() && is_word(text_[end]) && text_[end] != '$')
            ++end;
        if (end >= text_.size() || text_[end] != '$')
        {
            piece_ += text_[at_++];
            return;
        }
        const std::string tag(text_.substr(at_, end + 1 - at_));
        const size_t close = text_.find(tag, end + 1);
        if (close == std::string_view::npos)
            unterminated("dollar-quoted string");
        const std::string_view value = text_.substr(end + 1, close - end - 1);
        at_ = close + tag.size();
        add_literal(value);
    }

    void end_statement()
    {
        if (current_.reads_catalog && !folds_)
        {
            // Once more, with names folded.
            folds_ = true;
            at_ = begin_;
            clear();
            return;
        }
        const bool empty = current_.numbers.empty() &&
                           piece_.find_first_not_of(" \t\r\n") == std::string::npos;
        if (!empty)
        {
            current_.pieces.push_back(std::move(piece_));
            statements_.push_back(std::move(current_));
        }
        clear();
        folds_ = false;
        begin_ = at_;
    }

    void clear()
    {
        piece_.clear();
        current_ = {};
        previous_word_.clear();
        leading_ = true;
    }

    std::string_view text_;
    size_t at_ = 0, begin_ = 0; // begin_: of the statement
    bool folds_ = false;
    std::vector<PostgresStatement> statements_;
    PostgresStatement current_;
    std::string piece_, previous_word_;
    bool leading_ = true; // nothing but words so far
};

} // namespace

std::string fold_name(std::string_view text)
{
    std::string lower(text);
    for (char& c : lower)
        if (c >= 'A' && c <= 'Z')
            c = static_cast<char>(c + 32);
    return lower;
}

std::string quote_for_us(std::string_view text)
{
    std::string quoted = "'";
    for (const char c : text)
    {
        if (c == '\\' || c == '\'')
            quoted += '\\';
        if (c == '\0')
            quoted += "\\0";
        else
            quoted += c;
    }
    return quoted + "'";
}

bool PostgresStatement::returns_rows() const
{
    for (const char* word : {"SELECT", "WITH", "SHOW", "DESCRIBE", "DESC", "EXPLAIN", "VALUES",
                             "EXISTS", "CHECK", "FETCH"})
        if (is(word))
            return true;
    return false;
}

std::string PostgresStatement::text(const std::vector<std::string>& literals) const
{
    std::string text = pieces[0];
    for (size_t i = 0; i < numbers.size(); ++i)
        text += literals.at(numbers[i] - 1) + pieces[i + 1];
    return text;
}

std::string PostgresStatement::text_without_parameters() const
{
    return text(std::vector<std::string>(parameter_count, "NULL"));
}

std::vector<PostgresStatement> split_postgres_text(std::string_view text)
{
    return Splitter(text).split();
}

} // namespace basalt
