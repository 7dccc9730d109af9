#pragma once

// Text to tokens, one at a time and only as far as asked: the data of an INSERT is never lexed.
// Words are not divided into keywords and identifiers here; no word is reserved.

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace basalt
{

enum class TokenType : uint8_t
{
    End,
    Word,             // bare: letters, digits, '_', '$'
    QuotedIdentifier, // `x` or "x"
    String,           // 'x'
    Heredoc,          // $tag$x$tag$
    HexString,        // x'4142'
    BinaryString,     // b'0101'
    Number,
    OpenRound,
    CloseRound,
    OpenSquare,
    CloseSquare,
    OpenCurly,
    CloseCurly,
    Comma,
    Semicolon,
    VerticalDelimiter, // \G
    Dot,
    Asterisk,
    Plus,
    Minus,
    Slash,
    Percent,
    Arrow,       // ->
    Question,
    Colon,
    DoubleColon,
    Equals,      // = and ==
    NotEquals,   // != and <>
    Less,
    Greater,
    LessOrEquals,
    GreaterOrEquals,
    Spaceship, // <=>
    Concat,    // ||
    Pipe,
    At,
    DoubleAt,
    Caret,
    Dollar,
    PostgresOperator, // ~ ~* ~~ ~~* and the same behind !, where the lexer is told to
    Error, // see Lexer::error()
};

struct Token
{
    TokenType type = TokenType::End;
    size_t begin = 0;
    size_t end = 0;
};

class Lexer
{
public:
    // `text` must outlive the lexer. Positions are those in text; lexing begins at `offset`.
    explicit Lexer(std::string_view text, size_t offset = 0) : text_(text), position_(offset) {}

    // Words of PostgreSQL's dialect are tokens too: its operators.
    void use_postgres_operators() { postgres_operators_ = true; }

    // The next token that is not blank or a comment. After End, or Error, the same again.
    Token next();

    // What is wrong with the last Error token: "Single quoted string is not closed".
    const char* error() const { return error_; }

private:
    bool skip_blanks();
    Token make(TokenType type, size_t length);
    Token quoted(TokenType type, char quote, size_t prefix, const char* unclosed);
    Token number();
    Token word();
    Token heredoc_or_dollar();
    Token fail(size_t end, const char* what);

    std::string_view text_;
    size_t position_;
    TokenType previous_ = TokenType::End;
    bool postgres_operators_ = false;
    const char* error_ = nullptr;
};

// The value of a String, QuotedIdentifier, Heredoc, HexString or BinaryString token's text.
// Strings: escapes \b \f \n \r \t \0 \a \v \e \xHH \N and doubled quotes; a backslash before any
// other character stays, as in ClickHouse. Nothing when a hex or binary string is malformed.
bool unquote_token(TokenType type, std::string_view text, std::string& value);

// An ASCII letter, digit or '_'.
bool is_word_character(char c);

} // namespace basalt
