#include "base/like_pattern.h"

#include "base/error.h"

namespace basalt
{
namespace
{

char fold_char(char c)
{
    return c >= 'A' && c <= 'Z' ? static_cast<char>(c | 0x20) : c;
}

// The end of the code point at `at`: bytes that continue one belong to it.
const char* next_point(const char* at, const char* end)
{
    ++at;
    while (at < end && (static_cast<unsigned char>(*at) & 0xC0) == 0x80)
        ++at;
    return at;
}

} // namespace

LikePattern::LikePattern(std::string_view pattern, bool ascii_case_insensitive)
    : fold_(ascii_case_insensitive)
{
    std::string bytes;
    std::vector<size_t> any_after;
    open_begin_ = pattern.starts_with('%');
    bool many = false; // a % was seen
    const auto end_piece = [&]
    {
        if (bytes.empty() && any_after.empty())
            return;
        Piece piece{std::move(bytes), std::move(any_after), SubstringSearcher("", fold_)};
        size_t run = 0;
        for (size_t i = 0; i <= piece.any_after.size(); ++i)
        {
            const size_t end = i < piece.any_after.size() ? piece.any_after[i] : piece.bytes.size();
            if (end - run > piece.longest_size)
            {
                piece.longest_begin = run;
                piece.longest_size = end - run;
            }
            run = end;
        }
        piece.searcher = SubstringSearcher(piece.bytes, fold_);
        if (fold_)
            piece.bytes = piece.searcher.needle();
        pieces_.push_back(std::move(piece));
        bytes.clear();
        any_after.clear();
    };
    for (size_t i = 0; i < pattern.size(); ++i)
    {
        const char c = pattern[i];
        open_end_ = false;
        if (c == '%')
        {
            end_piece();
            open_end_ = true;
            many = true;
        }
        else if (c == '_')
            any_after.push_back(bytes.size());
        else if (c == '\\')
        {
            if (i + 1 == pattern.size())
                throw Error(error_codes::CANNOT_PARSE_ESCAPE_SEQUENCE,
                            "Invalid escape sequence at the end of LIKE pattern '" +
                                std::string(pattern) + "'");
            const char next = pattern[i + 1];
            if (next == '%' || next == '_' || next == '\\')
            {
                bytes += next;
                ++i;
            }
            else
                bytes += c;
        }
        else
            bytes += c;
    }
    end_piece();

    const bool plain = pieces_.size() == 1 && pieces_[0].any_after.empty();
    if (pieces_.empty())
        kind_ = many ? Kind::Everything : Kind::Equals;
    else if (plain)
    {
        text_ = pieces_[0].bytes;
        kind_ = open_begin_ ? (open_end_ ? Kind::Contains : Kind::Suffix)
                            : (open_end_ ? Kind::Prefix : Kind::Equals);
    }
    if (!open_begin_ && !pieces_.empty())
    {
        const Piece& first = pieces_[0];
        prefix_ = first.bytes.substr(
            0, first.any_after.empty() ? first.bytes.size() : first.any_after[0]);
    }
    if (kind_ == Kind::General)
    {
        for (size_t i = 0; i < pieces_.size(); ++i)
            if (pieces_[i].longest_size > 0 &&
                (filter_piece_ < 0 ||
                 pieces_[i].longest_size > pieces_[static_cast<size_t>(filter_piece_)].longest_size))
                filter_piece_ = static_cast<int>(i);
        if (filter_piece_ >= 0)
        {
            const Piece& piece = pieces_[static_cast<size_t>(filter_piece_)];
            filter_.emplace_back(
                std::string_view(piece.bytes).substr(piece.longest_begin, piece.longest_size),
                fold_);
        }
    }
}

std::vector<std::string_view> LikePattern::required_texts() const
{
    std::vector<std::string_view> texts;
    for (const Piece& piece : pieces_)
    {
        size_t begin = 0;
        for (size_t i = 0; i <= piece.any_after.size(); ++i)
        {
            const size_t end = i < piece.any_after.size() ? piece.any_after[i] : piece.bytes.size();
            if (end > begin)
                texts.push_back(std::string_view(piece.bytes).substr(begin, end - begin));
            begin = end;
        }
    }
    return texts;
}

const char* LikePattern::match_piece(const Piece& piece, const char* at, const char* end) const
{
    size_t any = 0;
    for (size_t i = 0;; ++i)
    {
        while (any < piece.any_after.size() && piece.any_after[any] == i)
        {
            if (at == end)
                return nullptr;
            at = next_point(at, end);
            ++any;
        }
        if (i == piece.bytes.size())
            return at;
        if (at == end || (fold_ ? fold_char(*at) : *at) != piece.bytes[i])
            return nullptr;
        ++at;
    }
}

const char* LikePattern::find_piece(const Piece& piece, const char* at, const char* end,
                                    const char*& match_end) const
{
    if (piece.any_after.empty())
    {
        const char* hit = piece.searcher.find(at, end);
        if (hit == end)
            return nullptr;
        match_end = hit + piece.bytes.size();
        return hit;
    }
    for (;; at = next_point(at, end))
    {
        if (const char* stop = match_piece(piece, at, end))
        {
            match_end = stop;
            return at;
        }
        if (at == end)
            return nullptr;
    }
}

bool LikePattern::matches_general(std::string_view value) const
{
    // Null means "no match" below, so an empty value must not be null.
    const char* at = value.empty() ? "" : value.data();
    const char* const end = at + value.size();
    size_t first = 0;
    size_t last = pieces_.size();
    if (!open_begin_)
    {
        at = match_piece(pieces_[0], at, end);
        if (!at)
            return false;
        first = 1;
        if (last == 1)
            return open_end_ || at == end;
    }
    if (!open_end_)
        --last;
    for (size_t i = first; i < last; ++i)
    {
        const char* stop = nullptr;
        if (!find_piece(pieces_[i], at, end, stop))
            return false;
        at = stop;
    }
    if (open_end_)
        return true;
    // The last piece must end where the value does.
    const Piece& piece = pieces_.back();
    if (piece.any_after.empty())
        return static_cast<size_t>(end - at) >= piece.bytes.size() &&
               match_piece(piece, end - piece.bytes.size(), end);
    for (;; at = next_point(at, end))
    {
        if (match_piece(piece, at, end) == end)
            return true;
        if (at == end)
            return false;
    }
}

bool LikePattern::matches(std::string_view value) const
{
    const auto equal_at = [&](size_t at)
    {
        if (!fold_)
            return std::memcmp(value.data() + at, text_.data(), text_.size()) == 0;
        for (size_t i = 0; i < text_.size(); ++i)
            if (fold_char(value[at + i]) != text_[i])
                return false;
        return true;
    };
    switch (kind_)
    {
        case Kind::Everything: return true;
        case Kind::Equals:
            return value.size() == text_.size() && (text_.empty() || equal_at(0));
        case Kind::Prefix: return value.size() >= text_.size() && equal_at(0);
        case Kind::Suffix:
            return value.size() >= text_.size() && equal_at(value.size() - text_.size());
        case Kind::Contains: return pieces_[0].searcher.in(value);
        case Kind::General: return matches_general(value);
    }
    return false;
}

void LikePattern::mark_rows(const char* chars, const uint64_t* offsets, size_t rows,
                            uint8_t* hits) const
{
    if (kind_ == Kind::Contains)
    {
        pieces_[0].searcher.mark_rows(chars, offsets, rows, hits);
        return;
    }
    const bool filtered = !filter_.empty();
    if (filtered)
        filter_[0].mark_rows(chars, offsets, rows, hits);
    uint64_t begin = 0;
    for (size_t i = 0; i < rows; ++i)
    {
        if (!filtered || hits[i])
            hits[i] = matches({chars + begin, offsets[i] - begin});
        begin = offsets[i];
    }
}

} // namespace basalt
