#include "encodings/template_learn.h"

#include "base/hash.h"
#include "encodings/template_tokens.h"

#include <algorithm>
#include <unordered_map>
#include <unordered_set>

namespace basalt::inline encodings
{

namespace
{

// Rows with one value from which on it is taken for text.
constexpr size_t kConstantRows = 8;
// Rows that must all equal a number column.
constexpr size_t kSiblingRows = 16;
constexpr size_t kLeastSiblingText = 6;
constexpr size_t kSiblingShare = 5; // one line in so many must hold the text

struct Line
{
    uint32_t row = 0;
    std::vector<Token> tokens;
};

struct Learnt
{
    TextTemplate parts;
    size_t rows = 0;
};

class Learner
{
public:
    Learner(const StringColumn& column, const RowIndexes& rows, SiblingColumns& siblings)
        : column_(column), siblings_(siblings)
    {
        choose_sibling_texts(rows);
        read_lines(rows);
    }

    std::vector<TextTemplate> learn()
    {
        for (const auto& [key, members] : groups_)
            learn_group(members);
        std::stable_sort(learnt_.begin(), learnt_.end(),
                         [](const Learnt& a, const Learnt& b) { return a.rows > b.rows; });
        std::vector<TextTemplate> result;
        for (auto& one : learnt_)
        {
            // Lines that come once in a sample are worth a template only among few.
            if (result.size() >= kMaxLearntAtOnce || (one.rows < 2 && result.size() >= 64))
                break;
            result.push_back(std::move(one.parts));
        }
        return result;
    }

private:
    using Members = std::vector<uint32_t>; // indexes into lines_

    std::string_view line_at(uint32_t row) const { return column_.at(row); }

    // Where the text of a column stands in the line as a whole, or npos.
    size_t find_sibling(std::string_view line, uint32_t column, uint32_t row) const
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

    void choose_sibling_texts(const RowIndexes& rows)
    {
        for (const uint32_t column : siblings_.texts())
        {
            size_t hits = 0;
            const size_t step = rows.size() / 256 + 1;
            size_t seen = 0;
            for (size_t i = 0; i < rows.size(); i += step, ++seen)
                hits += find_sibling(line_at(rows[i]), column, rows[i]) != std::string_view::npos;
            if (hits * kSiblingShare >= seen && hits >= 2)
                sibling_texts_.push_back(column);
        }
    }

    void read_lines(const RowIndexes& rows)
    {
        std::vector<SiblingSpan> spans;
        std::vector<Token> tokens;
        std::string key;
        for (const uint32_t row : rows)
        {
            const std::string_view line = line_at(row);
            if (line.size() > kMaxTemplateLine)
                continue;
            spans.clear();
            for (const uint32_t column : sibling_texts_)
            {
                const size_t at = find_sibling(line, column, row);
                if (at == std::string_view::npos)
                    continue;
                const auto size = static_cast<uint32_t>(siblings_.text(column).at(row).size());
                const bool overlaps = std::any_of(
                    spans.begin(), spans.end(), [&](const SiblingSpan& other)
                    { return at < other.begin + other.size && other.begin < at + size; });
                if (!overlaps)
                    spans.push_back({static_cast<uint32_t>(at), size, column});
            }
            std::sort(spans.begin(), spans.end(), [](const SiblingSpan& a, const SiblingSpan& b)
                      { return a.begin < b.begin; });
            if (!tokenize(line, spans, tokens))
                continue;
            skeleton_of(line, tokens, key);
            groups_[key].push_back(static_cast<uint32_t>(lines_.size()));
            lines_.push_back({row, tokens});
        }
    }

    static void skeleton_of(std::string_view line, const std::vector<Token>& tokens,
                            std::string& key)
    {
        key.clear();
        for (const auto& token : tokens)
        {
            switch (token.kind)
            {
            case SlotKind::Literal:
                for (const char c : line.substr(token.begin, token.size))
                {
                    if (static_cast<unsigned char>(c) < 8)
                        key.push_back('\7');
                    key.push_back(c);
                }
                break;
            case SlotKind::Integer:
            case SlotKind::Decimal:
            case SlotKind::HexLower:
            case SlotKind::HexUpper:
                key.push_back('\2');
                break;
            case SlotKind::SiblingText:
                key.push_back('\6');
                append_varint(key, token.detail);
                break;
            case SlotKind::Time:
                key.push_back('\1');
                key.append(reinterpret_cast<const char*>(&token.detail), sizeof token.detail);
                break;
            default:
                key.push_back(token.kind == SlotKind::Uuid   ? '\3'
                              : token.kind == SlotKind::Ipv4 ? '\4'
                                                             : '\5');
            }
        }
    }

    std::string_view text_of(uint32_t member, size_t position) const
    {
        const Line& line = lines_[member];
        const Token& token = line.tokens[position];
        return line_at(line.row).substr(token.begin, token.size);
    }

    void learn_group(const Members& members)
    {
        const size_t positions = lines_[members[0]].tokens.size();
        std::vector<TemplatePart> shape(positions);
        std::vector<size_t> words;
        for (size_t p = 0; p < positions; ++p)
        {
            shape[p] = part_at(members, p);
            if (shape[p].kind == SlotKind::Word)
                words.push_back(p);
        }
        // Which words stay text.
        std::vector<std::vector<uint32_t>> numbers(words.size());
        std::vector<size_t> distinct(words.size());
        for (size_t w = 0; w < words.size(); ++w)
            distinct[w] = number_texts(members, words[w], numbers[w]);
        std::vector<bool> is_text(words.size(), true);
        std::vector<uint64_t> tuples(members.size());
        while (count_tuples(numbers, is_text, tuples) > kMaxTuplesOfSkeleton)
        {
            size_t most = 0;
            for (size_t w = 0; w < words.size(); ++w)
                if (is_text[w] && (!is_text[most] || distinct[w] > distinct[most]))
                    most = w;
            is_text[most] = false;
        }
        for (size_t w = 0; w < words.size(); ++w)
            if (is_text[w])
                shape[words[w]].kind = SlotKind::Literal;
        std::unordered_map<uint64_t, Members> by_tuple;
        std::vector<uint64_t> order;
        for (size_t i = 0; i < members.size(); ++i)
        {
            auto& some = by_tuple[tuples[i]];
            if (some.empty())
                order.push_back(tuples[i]);
            some.push_back(members[i]);
        }
        for (const uint64_t tuple : order)
            add_template(by_tuple[tuple], shape);
    }

    // The slot that takes what all members have at a place; a Literal when they all have one
    // value, or are delimiters.
    TemplatePart part_at(const Members& members, size_t p)
    {
        TemplatePart part;
        const Token& first = lines_[members[0]].tokens[p];
        part.kind = first.kind;
        if (first.kind == SlotKind::SiblingText)
            part.sibling = first.detail;
        if (first.kind == SlotKind::Time)
            part.text.assign(reinterpret_cast<const char*>(&first.detail), sizeof first.detail);
        if (first.kind == SlotKind::Literal || first.kind == SlotKind::Word ||
            first.kind == SlotKind::SiblingText || first.kind == SlotKind::Time)
            return part;
        if (members.size() >= kConstantRows && is_constant(members, p))
        {
            part.kind = SlotKind::Literal;
            return part;
        }
        size_t decimals = 0, lower = 0, upper = 0, longest = 0;
        for (const uint32_t member : members)
        {
            const Token& token = lines_[member].tokens[p];
            decimals += token.kind == SlotKind::Decimal;
            lower += token.kind == SlotKind::HexLower;
            upper += token.kind == SlotKind::HexUpper;
            longest = std::max<size_t>(longest, token.size);
        }
        if (lower + upper > decimals)
        {
            part.kind = lower >= upper ? SlotKind::HexLower : SlotKind::HexUpper;
            part.text = longest > kMaxHexNumberDigits ? "t" : "";
            return part;
        }
        if (decimals)
            part.kind = SlotKind::Decimal;
        if (part.kind == SlotKind::Decimal || part.kind == SlotKind::Integer)
            find_sibling_number(members, p, part);
        return part;
    }

    bool is_constant(const Members& members, size_t p) const
    {
        const std::string_view text = text_of(members[0], p);
        return std::all_of(members.begin(), members.end(),
                           [&](uint32_t member) { return text_of(member, p) == text; });
    }

    void find_sibling_number(const Members& members, size_t p, TemplatePart& part)
    {
        if (members.size() < kSiblingRows)
            return;
        for (const uint32_t column : siblings_.numbers())
        {
            const SiblingNumbers& numbers = siblings_.number(column);
            const bool equal = std::all_of(
                members.begin(), members.end(),
                [&](uint32_t member)
                {
                    const std::string_view text = text_of(member, p);
                    return equals_sibling(text, numbers, lines_[member].row);
                });
            if (!equal)
                continue;
            part.kind = SlotKind::SiblingNumber;
            part.sibling = column;
            return;
        }
    }

    static bool equals_sibling(std::string_view text, const SiblingNumbers& numbers, uint32_t row)
    {
        const int64_t mantissa = numbers.mantissas[row];
        if (mantissa == SiblingNumbers::kNone)
            return false;
        char buffer[64];
        const char* end = write_shortest_decimal(mantissa, numbers.scale, numbers.power, buffer);
        return text == std::string_view(buffer, static_cast<size_t>(end - buffer));
    }

    // Numbers the distinct texts at a place; returns how many there are.
    size_t number_texts(const Members& members, size_t p, std::vector<uint32_t>& numbers) const
    {
        std::unordered_map<std::string_view, uint32_t> known;
        numbers.reserve(members.size());
        for (const uint32_t member : members)
            numbers.push_back(
                known.emplace(text_of(member, p), static_cast<uint32_t>(known.size()))
                    .first->second);
        return known.size();
    }

    static size_t count_tuples(const std::vector<std::vector<uint32_t>>& numbers,
                               const std::vector<bool>& is_text, std::vector<uint64_t>& tuples)
    {
        std::fill(tuples.begin(), tuples.end(), 0);
        for (size_t w = 0; w < numbers.size(); ++w)
            if (is_text[w])
                for (size_t i = 0; i < tuples.size(); ++i)
                    tuples[i] = hash_int(tuples[i] * 31 + numbers[w][i] + 1);
        std::unordered_set<uint64_t> distinct(tuples.begin(), tuples.end());
        return distinct.size();
    }

    void add_template(const Members& members, const std::vector<TemplatePart>& shape)
    {
        Learnt learnt;
        learnt.rows = members.size();
        for (size_t p = 0; p < shape.size(); ++p)
        {
            const bool fold = shape[p].kind == SlotKind::Literal ||
                              (!is_sibling(shape[p].kind) && shape[p].kind != SlotKind::Word &&
                               shape[p].kind != SlotKind::Time &&
                               members.size() >= 2 * kConstantRows && is_constant(members, p));
            if (!fold)
            {
                learnt.parts.push_back(shape[p]);
                continue;
            }
            if (learnt.parts.empty() || learnt.parts.back().kind != SlotKind::Literal)
                learnt.parts.push_back({});
            learnt.parts.back().text += text_of(members[0], p);
        }
        if (learnt.parts.size() <= kMaxTemplateParts)
            learnt_.push_back(std::move(learnt));
    }

    const StringColumn& column_;
    SiblingColumns& siblings_;
    std::vector<uint32_t> sibling_texts_;
    std::vector<Line> lines_;
    std::unordered_map<std::string, Members> groups_;
    std::vector<Learnt> learnt_;
};

} // namespace

std::vector<TextTemplate> learn_templates(const StringColumn& column, const RowIndexes& rows,
                                          SiblingColumns& siblings)
{
    return Learner(column, rows, siblings).learn();
}

} // namespace basalt::encodings
