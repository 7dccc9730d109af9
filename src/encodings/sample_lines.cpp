#include "encodings/sample_lines.h"

#include "base/hash.h"

#include <algorithm>

namespace basalt::inline encodings
{

namespace
{

constexpr size_t kLeastSiblingText = 6;
constexpr size_t kSiblingShare = 5; // one line in so many must hold the text

enum Shape : uint64_t
{
    kTime = 1,
    kNumber,
    kUuid,
    kAddress,
    kWord,
    kSibling,
    kUnit,
};

// What a token has in common with others of its kind. with_words: words are kept.
uint64_t shape_of(std::string_view line, const Token& token, bool with_words)
{
    const auto of_text = [&]
    { return hash_bytes(line.data() + token.begin, token.size) | uint64_t{1} << 63; };
    switch (token.kind)
    {
    case SlotKind::Literal:
        return of_text();
    case SlotKind::Word:
        return with_words ? of_text() : kWord;
    case SlotKind::Integer:
    case SlotKind::Decimal:
    case SlotKind::HexLower:
    case SlotKind::HexUpper:
        return kNumber;
    case SlotKind::SiblingText:
        return hash_int(kSibling << 32 | token.detail);
    case SlotKind::Time:
        return hash_int(kTime << 32 | token.detail);
    case SlotKind::Uuid:
        return kUuid;
    case SlotKind::Ipv4:
        return kAddress;
    default:
        return kUnit << 8 | static_cast<uint64_t>(token.kind);
    }
}

} // namespace

SampleLines::SampleLines(const StringColumn& column, const RowIndexes& rows,
                         SiblingColumns& siblings)
    : column_(column), siblings_(siblings)
{
    choose_sibling_texts(rows);
    lines_.reserve(rows.size());
    std::vector<SiblingSpan> spans;
    std::vector<Token> tokens;
    for (const uint32_t row : rows)
    {
        const std::string_view line = column_.at(row);
        if (line.size() > kMaxTemplateLine)
            continue;
        find_spans(line, row, spans);
        if (tokenize(line, spans, tokens))
            add_line(row, line, tokens);
    }
}

// Where the text of a column stands in the line as a whole, or npos.
size_t SampleLines::find_sibling(std::string_view line, uint32_t column, uint32_t row) const
{
    const std::string_view text = siblings_.text(column).at(row);
    if (text.size() < kLeastSiblingText || text.size() > line.size())
        return std::string_view::npos;
    const size_t at = line.find(text);
    if (at == std::string_view::npos)
        return at;
    const bool begins = at == 0 || !is_word_byte(line[at - 1]) || !is_word_byte(text.front());
    const size_t after = at + text.size();
    const bool ends =
        after == line.size() || !is_word_byte(line[after]) || !is_word_byte(text.back());
    return begins && ends ? at : std::string_view::npos;
}

void SampleLines::choose_sibling_texts(const RowIndexes& rows)
{
    for (const uint32_t column : siblings_.texts())
    {
        size_t hits = 0;
        const size_t step = rows.size() / 256 + 1;
        size_t seen = 0;
        for (size_t i = 0; i < rows.size(); i += step, ++seen)
            hits += find_sibling(column_.at(rows[i]), column, rows[i]) != std::string_view::npos;
        if (hits * kSiblingShare >= seen && hits >= 2)
            sibling_texts_.push_back(column);
    }
}

void SampleLines::find_spans(std::string_view line, uint32_t row,
                             std::vector<SiblingSpan>& spans) const
{
    spans.clear();
    for (const uint32_t column : sibling_texts_)
    {
        const size_t at = find_sibling(line, column, row);
        if (at == std::string_view::npos)
            continue;
        const auto size = static_cast<uint32_t>(siblings_.text(column).at(row).size());
        const bool overlaps =
            std::any_of(spans.begin(), spans.end(), [&](const SiblingSpan& other)
                        { return at < other.begin + other.size && other.begin < at + size; });
        if (!overlaps)
            spans.push_back({static_cast<uint32_t>(at), size, column});
    }
    std::sort(spans.begin(), spans.end(),
              [](const SiblingSpan& a, const SiblingSpan& b) { return a.begin < b.begin; });
}

void SampleLines::add_line(uint32_t row, std::string_view text, const std::vector<Token>& tokens)
{
    Line line;
    line.row = row;
    line.first_element = static_cast<uint32_t>(elements_.size());
    const auto first_token = static_cast<uint32_t>(tokens_.size());
    uint64_t skeleton = 0;
    for (uint32_t i = 0; i < tokens.size();)
    {
        const Token& token = tokens[i];
        Element element;
        element.token = first_token + i;
        element.shape = shape_of(text, token, false);
        skeleton = hash_int(combine_hash(skeleton, element.shape));
        element.content = element.shape;
        if (token.kind == SlotKind::Word)
            element.content = shape_of(text, token, true);
        ++i;
        if (token.is_unit())
            for (const uint32_t end = i + token.detail; i < end; ++i)
                element.content =
                    hash_int(combine_hash(element.content, shape_of(text, tokens[i], true)));
        elements_.push_back(element);
    }
    line.elements = static_cast<uint32_t>(elements_.size()) - line.first_element;
    const auto [found, is_new] = skeletons_.try_emplace(skeleton);
    if (is_new)
        found->second = {static_cast<uint32_t>(skeletons_.size()),
                         static_cast<uint32_t>(lines_.size())};
    else if (!has_shape_of(line, lines_[found->second.line]))
    {
        elements_.resize(line.first_element); // equal hashes of what differs
        return;
    }
    line.skeleton = found->second.number;
    tokens_.insert(tokens_.end(), tokens.begin(), tokens.end());
    lines_.push_back(line);
}

bool SampleLines::has_shape_of(const Line& a, const Line& b) const
{
    return a.elements == b.elements &&
           std::equal(elements_.begin() + a.first_element,
                      elements_.begin() + a.first_element + a.elements,
                      elements_.begin() + b.first_element,
                      [](const Element& x, const Element& y) { return x.shape == y.shape; });
}

} // namespace basalt::encodings
