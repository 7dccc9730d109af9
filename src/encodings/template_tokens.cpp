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
        size_t span = 0;
        while (at < size_)
        {
            if (tokens_.size() > kMaxTokens)
                return false;
            if (span < spans_.size() && spans_[span].begin == at)
            {
                tokens_.push_back({SlotKind::SiblingText, static_cast<uint32_t>(at),
                                   spans_[span].size, spans_[span].column});
                at += spans_[span++].size;
                continue;
            }
            limit_ = span < spans_.size() ? spans_[span].begin : size_;
            if (is_word_byte(text_[at]))
                at = word_run(at);
            else if (text_[at] == '-' && at + 1 < limit_ && is_digit_byte(text_[at + 1]) &&
                     begins_number(at))
                at = negative(at);
            else
                literal(at++, 1);
        }
        return tokens_.size() <= kMaxTokens;
    }

private:
    const char* end() const { return text_ + limit_; }

    void literal(size_t begin, size_t size)
    {
        if (!tokens_.empty() && tokens_.back().kind == SlotKind::Literal)
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
        if (at > 0 && (text_[at - 1] == '.' || text_[at - 1] == ':'))
            return nullptr;
        SlotNumber number;
        const char* stop = parse_decimal(text_ + at, end(), number);
        if (!stop || number.form == 0)
            return nullptr;
        if (end() - stop > 1 && *stop == '.' && is_digit_byte(stop[1]))
            return nullptr;
        return stop;
    }

    size_t word_run(size_t at)
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
