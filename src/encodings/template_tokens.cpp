#include "encodings/template_tokens.h"

#include "encodings/slot_time.h"

#include <algorithm>

namespace basalt::inline encodings
{

namespace
{

constexpr size_t kLeastHexDigits = 6;
constexpr size_t kMostGroups = 3; // of letters and digits in one run that is cut

// What a run of word bytes is made of.
struct RunShape
{
    size_t digits = 0;
    size_t groups = 0; // changes between digits and others, and the first
    bool lower_hex = true;
    bool upper_hex = true;

    explicit RunShape(std::string_view run)
    {
        bool last_digit = false;
        for (size_t i = 0; i < run.size(); ++i)
        {
            const bool digit = is_digit_byte(run[i]);
            digits += digit;
            groups += i == 0 || digit != last_digit;
            last_digit = digit;
            lower_hex &= hex_digit(run[i], HexCase::Lower) >= 0;
            upper_hex &= hex_digit(run[i], HexCase::Upper) >= 0;
        }
    }
};

class Tokenizer
{
public:
    Tokenizer(std::string_view line, const std::vector<SiblingSpan>& spans,
              std::vector<Token>& tokens)
        : text_(line.data()), size_(line.size()), spans_(spans), tokens_(tokens)
    {
        tokens_.clear();
    }

    bool run()
    {
        size_t at = 0;
        for (const auto& span : spans_)
        {
            scan(at, span.begin, true);
            tokens_.push_back({SlotKind::SiblingText, span.begin, span.size, span.column});
            at = span.begin + span.size;
        }
        scan(at, size_, true);
        return tokens_.size() <= kMaxTokens;
    }

private:
    const char* end() const { return text_ + limit_; }

    // The text from `at` to `limit`; with_units: quoted texts and paths are told apart.
    void scan(size_t at, size_t limit, bool with_units)
    {
        const size_t outer = limit_;
        limit_ = limit;
        while (at < limit && tokens_.size() <= kMaxTokens)
        {
            const char c = text_[at];
            if (with_units && c == '"' && begins_quote(at))
                at = quoted(at);
            else if (is_word_byte(c) || (with_units && (c == '/' || c == '~')))
                at = word_run(at, with_units);
            else if (c == '-' && at + 1 < limit && is_digit_byte(text_[at + 1]) && begins_number(at))
                at = negative(at);
            else
                literal(at++, 1);
        }
        limit_ = outer;
    }

    bool begins_quote(size_t at) const { return at == 0 || !is_word_byte(text_[at - 1]); }

    size_t quoted(size_t at)
    {
        literal(at, 1);
        const auto* close =
            static_cast<const char*>(std::memchr(text_ + at + 1, '"', limit_ - at - 1));
        if (!close)
            return at + 1;
        unit(SlotKind::Quoted, at + 1, static_cast<size_t>(close - text_));
        literal(static_cast<size_t>(close - text_), 1);
        return static_cast<size_t>(close - text_) + 1;
    }

    void unit(SlotKind kind, size_t begin, size_t stop)
    {
        const size_t number = tokens_.size();
        tokens_.push_back(
            {kind, static_cast<uint32_t>(begin), static_cast<uint32_t>(stop - begin), 0});
        barrier_ = tokens_.size();
        scan(begin, stop, false);
        tokens_[number].detail = static_cast<uint32_t>(tokens_.size() - number - 1);
        barrier_ = tokens_.size();
    }

    // The end of a path of at least two names, or 0.
    size_t path_at(size_t at) const
    {
        const char* const begin = text_ + at;
        const char* const stop = end_of_path(begin, end());
        size_t names = 0;
        for (const char* next = begin; next < stop;)
        {
            const char* word = end_of_word(next, stop);
            names += std::any_of(next, word, [](char c) { return !is_digit_byte(c); });
            next = word == next ? next + 1 : word;
        }
        return names > 1 ? static_cast<size_t>(stop - text_) : 0;
    }

    void literal(size_t begin, size_t size)
    {
        if (tokens_.size() > barrier_ && tokens_.back().kind == SlotKind::Literal)
            tokens_.back().size += static_cast<uint32_t>(size);
        else
            tokens_.push_back(
                {SlotKind::Literal, static_cast<uint32_t>(begin), static_cast<uint32_t>(size), 0});
    }

    size_t token(SlotKind kind, size_t begin, const char* stop)
    {
        const auto size = static_cast<uint32_t>(stop - (text_ + begin));
        tokens_.push_back({kind, static_cast<uint32_t>(begin), size, 0});
        return begin + size;
    }

    // A minus sign only where no dash would stand.
    bool begins_number(size_t at) const
    {
        return at == 0 || std::string_view(" =:(,[\"'").find(text_[at - 1]) != std::string_view::npos;
    }

    size_t negative(size_t at)
    {
        SlotNumber number;
        if (const char* stop = decimal_at(at))
            return token(SlotKind::Decimal, at, stop);
        const char* stop = parse_integer(text_ + at, end(), number);
        if (!stop)
        {
            literal(at, 1);
            return at + 1;
        }
        return token(SlotKind::Integer, at, stop);
    }

    // A decimal with a point; not within times (12:00:01.5) and versions (1.2.3).
    const char* decimal_at(size_t at) const
    {
        if (at > 0 && text_[at - 1] == '.')
            return nullptr;
        if (at > 1 && text_[at - 1] == ':' && is_digit_byte(text_[at - 2]))
            return nullptr;
        SlotNumber number;
        const char* stop = parse_decimal(text_ + at, end(), number);
        if (!stop || number.form == 0)
            return nullptr;
        if (end() - stop > 1 && *stop == '.' && is_digit_byte(stop[1]))
            return nullptr;
        return stop;
    }

    size_t word_run(size_t at, bool with_units)
    {
        const char* const begin = text_ + at;
        const char* const stop = end_of_word(begin, end());
        if (is_uuid(begin, end()) && (begin + 36 == end() || !is_word_byte(begin[36])))
            return token(SlotKind::Uuid, at, begin + 36);
        TimeShape time;
        if (const char* time_end = detect_time(begin, end(), time))
        {
            at = token(SlotKind::Time, at, time_end);
            char bytes[TimeShape::kBytes];
            time.write(bytes);
            tokens_.back().detail = load<uint32_t>(bytes);
            return at;
        }
        SlotNumber number;
        if (is_digit_byte(*begin))
        {
            const char* address = parse_ipv4(begin, end(), number);
            if (address && (address == end() || (!is_word_byte(*address) &&
                                                 !(*address == '.' && address + 1 < end() &&
                                                   is_digit_byte(address[1])))))
                return token(SlotKind::Ipv4, at, address);
        }
        if (with_units)
        {
            if (const size_t path_end = path_at(at))
            {
                unit(SlotKind::Path, at, path_end);
                return path_end;
            }
            if (!is_word_byte(*begin))
            {
                literal(at, 1);
                return at + 1;
            }
        }
        const std::string_view run(begin, static_cast<size_t>(stop - begin));
        const RunShape shape(run);
        if (shape.digits == 0)
            return token(SlotKind::Word, at, stop);
        if (shape.digits < run.size() || run.size() > kMaxSlotDigits)
        {
            const bool hex = run.size() >= kLeastHexDigits && shape.digits >= 2;
            if (hex && shape.lower_hex)
                return token(SlotKind::HexLower, at, stop);
            if (hex && shape.upper_hex)
                return token(SlotKind::HexUpper, at, stop);
            if (run.size() > 2 && run[0] == '0' && run[1] == 'x' &&
                RunShape(run.substr(2)).lower_hex)
            {
                literal(at, 2);
                return token(SlotKind::HexLower, at + 2, stop);
            }
        }
        if (shape.groups > kMostGroups || run.size() > 2 * kMaxSlotDigits)
            return token(SlotKind::Word, at, stop);
        return mixed(at, stop);
    }

    // Letters stay text, digits become numbers.
    size_t mixed(size_t at, const char* stop)
    {
        while (text_ + at < stop)
        {
            const char* const begin = text_ + at;
            if (!is_digit_byte(*begin))
            {
                const char* letters = begin;
                while (letters < stop && !is_digit_byte(*letters))
                    ++letters;
                literal(at, static_cast<size_t>(letters - begin));
                at += static_cast<size_t>(letters - begin);
                continue;
            }
            SlotNumber number;
            const char* after = parse_integer(begin, stop, number);
            if (after == stop)
            {
                if (const char* fraction = decimal_at(at))
                {
                    at = token(SlotKind::Decimal, at, fraction);
                    // Letters that follow the fraction.
                    const char* letters = end_of_word(fraction, end());
                    literal_run(at, letters);
                    return static_cast<size_t>(letters - text_);
                }
            }
            if (!after)
            {
                const char* digits = begin;
                while (digits < stop && is_digit_byte(*digits))
                    ++digits;
                at = token(SlotKind::HexLower, at, digits);
                continue;
            }
            at = token(SlotKind::Integer, at, after);
        }
        return at;
    }

    void literal_run(size_t at, const char* stop)
    {
        if (text_ + at < stop)
            literal(at, static_cast<size_t>(stop - (text_ + at)));
    }

    const char* text_;
    size_t size_;
    size_t limit_ = 0;
    size_t barrier_ = 0; // tokens before this are not added to
    const std::vector<SiblingSpan>& spans_;
    std::vector<Token>& tokens_;
};

} // namespace

bool tokenize(std::string_view line, const std::vector<SiblingSpan>& spans,
              std::vector<Token>& tokens)
{
    return Tokenizer(line, spans, tokens).run();
}

} // namespace basalt::encodings
