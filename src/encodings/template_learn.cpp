#include "encodings/template_learn.h"

#include "base/hash.h"
#include "encodings/sample_lines.h"

#include <algorithm>
#include <numeric>
#include <optional>
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
// Lines that begin alike are cut behind that where at least so many skeletons follow, and where at
// least one line in kLinesOfHeader begins in its own way.
constexpr size_t kSkeletonsOfHeader = 8;
constexpr size_t kLinesOfHeader = 64;
constexpr size_t kLeastHeaderRows = 64;
constexpr size_t kLeastHeaderValues = 16; // of its last value
constexpr size_t kMaxHeaderElements = 64;
constexpr size_t kMaxHeaderText = 64;
constexpr size_t kMaxChildren = 32;
// A text that repeats so often is better kept whole than cut into several numbers.
constexpr size_t kRepeats = 6;

struct Learnt
{
    TextTemplate parts;
    size_t rows = 0;
};

class Learner
{
public:
    Learner(const StringColumn& column, const RowIndexes& rows, SiblingColumns& siblings)
        : lines_(column, rows, siblings), siblings_(siblings)
    {
    }

    std::vector<TextTemplate> learn()
    {
        Members all(lines_.size());
        std::iota(all.begin(), all.end(), 0u);
        Members others;
        if (!lines_.uses_sibling_texts())
            split_headers(all, 0, others);
        else
            others = std::move(all);
        std::unordered_map<uint32_t, Members> groups;
        std::vector<uint32_t> order;
        for (const uint32_t line : others)
        {
            auto& group = groups[lines_.skeleton(line)];
            if (group.empty())
                order.push_back(lines_.skeleton(line));
            group.push_back(line);
        }
        for (const uint32_t skeleton : order)
        {
            const Members& members = groups[skeleton];
            learn_group(members, lines_.elements(members[0]), std::nullopt);
        }
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

    // Templates "what lines begin with, and a rest", for lines whose first `depth` elements are
    // alike; others: lines that are not among them.
    void split_headers(const Members& lines, size_t depth, Members& others)
    {
        Members same = lines;
        Members past; // of the last division
        std::vector<std::pair<uint64_t, Members>> children;
        for (; depth < kMaxHeaderElements; ++depth)
        {
            divide(same, depth, children, past);
            size_t most = 0;
            for (size_t i = 0; i < children.size(); ++i)
                if (children[i].second.size() > children[most].second.size())
                    most = i;
            if (children.empty() || children[most].first == 0 ||
                children[most].second.size() * 10 < lines.size() * 9)
                break;
            for (size_t i = 0; i < children.size(); ++i)
                if (i != most)
                    others.insert(others.end(), children[i].second.begin(),
                                  children[i].second.end());
            others.insert(others.end(), past.begin(), past.end());
            same = std::move(children[most].second);
        }
        if (same.size() < kLeastHeaderRows || count_skeletons(same) < kSkeletonsOfHeader)
            others.insert(others.end(), same.begin(), same.end());
        else if (const size_t header = header_of(same, depth))
            learn_group(same, header, common_text(same, header));
        else if (depth == kMaxHeaderElements)
            others.insert(others.end(), same.begin(), same.end());
        else
        {
            others.insert(others.end(), past.begin(), past.end());
            for (auto& [shape, child] : children)
            {
                if (shape && child.size() * 8 >= same.size() && depth + 1 < kMaxHeaderElements)
                    split_headers(child, depth + 1, others);
                else
                    others.insert(others.end(), child.begin(), child.end());
            }
        }
    }

    // Lines by what their element is like; those that have none are one more child. past: lines
    // behind many children.
    void divide(const Members& lines, size_t element,
                std::vector<std::pair<uint64_t, Members>>& children, Members& past) const
    {
        children.clear();
        past.clear();
        size_t last = 0;
        for (const uint32_t line : lines)
        {
            const uint64_t shape =
                element < lines_.elements(line) ? lines_.element(line, element).shape : 0;
            if (children.empty() || children[last].first != shape)
            {
                last = 0;
                while (last < children.size() && children[last].first != shape)
                    ++last;
                if (last == kMaxChildren)
                {
                    last = 0;
                    past.push_back(line);
                    continue;
                }
                if (last == children.size())
                    children.push_back({shape, {}});
            }
            children[last].second.push_back(line);
        }
    }

    size_t count_skeletons(const Members& lines) const
    {
        std::unordered_set<uint32_t> distinct;
        for (const uint32_t line : lines)
            distinct.insert(lines_.skeleton(line));
        return distinct.size();
    }

    // How many of the first elements are worth columns of their own. The last is a value of many:
    // words, and what takes few values, often go with what follows.
    size_t header_of(const Members& lines, size_t elements) const
    {
        std::unordered_set<std::string_view> distinct;
        for (; elements > 0; --elements)
        {
            const SlotKind kind = lines_.token(lines[0], elements - 1).kind;
            if (kind == SlotKind::Literal || kind == SlotKind::Word || kind == SlotKind::Quoted ||
                kind == SlotKind::Path)
                continue;
            distinct.clear();
            for (const uint32_t line : lines)
                distinct.insert(lines_.token_text(line, elements - 1));
            if (distinct.size() > kLeastHeaderValues)
                break;
        }
        if (elements == 0)
            return 0;
        distinct.clear();
        for (const uint32_t line : lines)
            distinct.insert(lines_.text(line).substr(0, begin_of(line, elements)));
        return distinct.size() * kLinesOfHeader >= lines.size() ? elements : 0;
    }

    size_t begin_of(uint32_t line, size_t element) const
    {
        return element < lines_.elements(line) ? lines_.token(line, element).begin
                                               : lines_.text(line).size();
    }

    // What all lines have from an element on, without a part of a word.
    std::string_view common_text(const Members& lines, size_t element) const
    {
        const auto rest = [&](uint32_t line)
        { return lines_.text(line).substr(begin_of(line, element)); };
        const auto text_at = [&](uint32_t line)
        {
            const bool is_text = element < lines_.elements(line) &&
                                 lines_.token(line, element).kind == SlotKind::Literal;
            return is_text ? lines_.token_text(line, element) : std::string_view();
        };
        std::string_view common = text_at(lines[0]);
        if (std::all_of(lines.begin(), lines.end(),
                        [&](uint32_t line) { return text_at(line) == common; }))
            return common;
        common = rest(lines[0]).substr(0, kMaxHeaderText);
        for (const uint32_t line : lines)
        {
            const std::string_view text = rest(line);
            size_t size = 0;
            while (size < common.size() && size < text.size() && text[size] == common[size] &&
                   !is_word_byte(text[size]) && text[size] != '-')
                ++size;
            common = common.substr(0, size);
        }
        return common;
    }

    // Learns from lines whose first `elements` elements are of one skeleton; when that is not all
    // of them, a text and a rest follow.
    void learn_group(const Members& members, size_t elements,
                     const std::optional<std::string_view>& before_rest)
    {
        std::vector<TemplatePart> shape(elements);
        std::vector<size_t> choices; // elements that may be text
        for (size_t p = 0; p < elements; ++p)
        {
            const Token& token = lines_.token(members[0], p, 0);
            if (!token.is_unit())
                shape[p] = part_at(members, p, 0);
            else
                shape[p].kind = token.kind;
            if (token.is_unit() || shape[p].kind == SlotKind::Word)
                choices.push_back(p);
        }
        std::vector<std::vector<uint32_t>> numbers(choices.size());
        std::vector<size_t> distinct(choices.size());
        std::vector<bool> is_text(choices.size(), true);
        for (size_t c = 0; c < choices.size(); ++c)
        {
            distinct[c] = number_contents(members, choices[c], numbers[c]);
            is_text[c] = !is_repeated(members, choices[c], distinct[c]);
        }
        std::vector<uint64_t> tuples(members.size());
        while (count_tuples(numbers, is_text, tuples) > kMaxTuplesOfSkeleton)
        {
            size_t most = 0;
            for (size_t c = 0; c < choices.size(); ++c)
                if (is_text[c] && (!is_text[most] || distinct[c] > distinct[most]))
                    most = c;
            is_text[most] = false;
        }
        std::vector<bool> expand(elements, false);
        for (size_t c = 0; c < choices.size(); ++c)
            expand[choices[c]] = is_text[c];
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
            add_template(by_tuple[tuple], shape, expand, before_rest);
    }

    // A unit of several numbers whose texts come again and again.
    bool is_repeated(const Members& members, size_t element, size_t contents) const
    {
        const Token& first = lines_.token(members[0], element, 0);
        if (!first.is_unit() || members.size() < kRepeats)
            return false;
        size_t values = 0;
        for (size_t i = 1; i <= lines_.inner_tokens(members[0], element); ++i)
        {
            const SlotKind kind = lines_.token(members[0], element, i).kind;
            values += kind != SlotKind::Literal && kind != SlotKind::Word;
        }
        if (values < 2 && contents < 2)
            return false;
        std::unordered_set<std::string_view> texts;
        for (const uint32_t member : members)
            texts.insert(lines_.token_text(member, element));
        return texts.size() > contents && texts.size() * kRepeats < members.size();
    }

    // The slot that takes what all members have at a place; a Literal when they all have one
    // value, or are delimiters.
    TemplatePart part_at(const Members& members, size_t p, size_t inner)
    {
        TemplatePart part;
        const Token& first = lines_.token(members[0], p, inner);
        part.kind = first.kind;
        if (first.kind == SlotKind::SiblingText)
            part.sibling = first.detail;
        if (first.kind == SlotKind::Time)
            part.text.assign(reinterpret_cast<const char*>(&first.detail), sizeof first.detail);
        if (first.kind == SlotKind::Literal || first.kind == SlotKind::Word ||
            first.kind == SlotKind::SiblingText || first.kind == SlotKind::Time)
            return part;
        if (members.size() >= kConstantRows && is_constant(members, p, inner))
        {
            part.kind = SlotKind::Literal;
            return part;
        }
        size_t decimals = 0, lower = 0, upper = 0, longest = 0;
        for (const uint32_t member : members)
        {
            const Token& token = lines_.token(member, p, inner);
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
            find_sibling_number(members, p, inner, part);
        return part;
    }

    bool is_constant(const Members& members, size_t p, size_t inner) const
    {
        const std::string_view text = lines_.token_text(members[0], p, inner);
        return std::all_of(members.begin(), members.end(),
                           [&](uint32_t member) { return lines_.token_text(member, p, inner) == text; });
    }

    void find_sibling_number(const Members& members, size_t p, size_t inner, TemplatePart& part)
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
                    const std::string_view text = lines_.token_text(member, p, inner);
                    return equals_sibling(text, numbers, lines_.row(member));
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

    // Numbers the distinct words at a place, or what units have in common; returns how many there
    // are.
    size_t number_contents(const Members& members, size_t p, std::vector<uint32_t>& numbers) const
    {
        std::unordered_map<uint64_t, uint32_t> known;
        numbers.reserve(members.size());
        uint64_t last = 0;
        for (const uint32_t member : members)
        {
            const uint64_t content = lines_.element(member, p).content;
            if (!numbers.empty() && content == last)
            {
                numbers.push_back(numbers.back());
                continue;
            }
            last = content;
            numbers.push_back(
                known.emplace(content, static_cast<uint32_t>(known.size())).first->second);
        }
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

    void add_template(const Members& members, const std::vector<TemplatePart>& shape,
                      const std::vector<bool>& expand,
                      const std::optional<std::string_view>& before_rest)
    {
        Learnt learnt;
        learnt.rows = members.size();
        for (size_t p = 0; p < shape.size(); ++p)
        {
            const size_t inner = shape[p].kind == SlotKind::Quoted || shape[p].kind == SlotKind::Path
                                     ? lines_.inner_tokens(members[0], p)
                                     : 0;
            const bool alike =
                std::all_of(members.begin(), members.end(), [&](uint32_t member)
                            { return lines_.inner_tokens(member, p) == lines_.inner_tokens(members[0], p); });
            if (inner == 0 && expand[p])
                append_text(learnt.parts, lines_.token_text(members[0], p));
            else if (!expand[p] || !alike)
                add_part(members, p, 0, shape[p], learnt.parts);
            else
                for (size_t i = 1; i <= inner; ++i)
                {
                    TemplatePart part = part_at(members, p, i);
                    if (part.kind == SlotKind::Word)
                        part.kind = SlotKind::Literal;
                    add_part(members, p, i, part, learnt.parts);
                }
        }
        if (before_rest)
        {
            append_text(learnt.parts, *before_rest);
            learnt.parts.push_back({SlotKind::Rest, 0, {}});
        }
        if (learnt.parts.size() <= kMaxTemplateParts)
            learnt_.push_back(std::move(learnt));
    }

    void add_part(const Members& members, size_t p, size_t inner, const TemplatePart& part,
                  TextTemplate& parts) const
    {
        const bool fold = part.kind == SlotKind::Literal ||
                          (!is_sibling(part.kind) && part.kind != SlotKind::Word &&
                           part.kind != SlotKind::Quoted && part.kind != SlotKind::Path &&
                           part.kind != SlotKind::Time && members.size() >= 2 * kConstantRows &&
                           is_constant(members, p, inner));
        if (fold)
            append_text(parts, lines_.token_text(members[0], p, inner));
        else
            parts.push_back(part);
    }

    static void append_text(TextTemplate& parts, std::string_view text)
    {
        if (text.empty())
            return;
        if (parts.empty() || parts.back().kind != SlotKind::Literal)
            parts.push_back({});
        parts.back().text += text;
    }

    SampleLines lines_;
    SiblingColumns& siblings_;
    std::vector<Learnt> learnt_;
};

} // namespace

std::vector<TextTemplate> learn_templates(const StringColumn& column, const RowIndexes& rows,
                                          SiblingColumns& siblings)
{
    return Learner(column, rows, siblings).learn();
}

RowIndexes template_sample(const RowIndexes& rows, size_t most)
{
    if (rows.size() <= most)
        return rows;
    // Stretches of neighbours, so that what comes in bursts is seen as such.
    constexpr size_t kStretch = 64;
    RowIndexes sample;
    const size_t stretches = most / kStretch;
    for (size_t i = 0; i < stretches; ++i)
    {
        const size_t begin = (rows.size() - kStretch) * i / (stretches - 1);
        sample.append(rows.data() + begin, kStretch);
    }
    std::sort(sample.begin(), sample.end());
    RowIndexes distinct;
    for (const uint32_t row : sample)
        if (distinct.empty() || distinct.back() != row)
            distinct.push_back(row);
    return distinct;
}

} // namespace basalt::encodings
