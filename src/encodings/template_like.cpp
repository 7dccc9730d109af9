#include "encodings/page_pattern.h"
#include "encodings/predicate_masks.h"
#include "encodings/template_alignment.h"
#include "encodings/template_conditions.h"

#include <algorithm>

namespace basalt::inline encodings
{

namespace
{

using Kind = PagePredicate::Kind;

constexpr size_t kMaxTexts = 16; // of an IN

void add_bytes(ByteSet& set, std::string_view bytes)
{
    for (const char c : bytes)
        set.set(static_cast<unsigned char>(c));
}

// What the texts of a slot may hold.
ByteSet bytes_of(const TemplatePage::Part& part, const std::vector<EncodedPagePtr>& siblings)
{
    ByteSet set;
    switch (part.kind)
    {
    case SlotKind::Literal:
        return set;
    case SlotKind::Integer:
        add_bytes(set, "-0123456789");
        return set;
    case SlotKind::Decimal:
    case SlotKind::SiblingNumber:
        add_bytes(set, "-.0123456789");
        return set;
    case SlotKind::HexLower:
        add_bytes(set, "0123456789abcdef");
        return set;
    case SlotKind::HexUpper:
        add_bytes(set, "0123456789ABCDEF");
        return set;
    case SlotKind::Ipv4:
        add_bytes(set, ".0123456789");
        return set;
    case SlotKind::Time:
        add_bytes(set, ":0123456789");
        add_bytes(set, part.time.format == TimeShape::kTime     ? ""
                       : part.time.format == TimeShape::kDashes ? "-"
                       : part.time.format == TimeShape::kSyslog ? " JFMASONDabceglnoprtuvy"
                                                                : "/JFMASONDabceglnoprtuvy");
        set.set(static_cast<unsigned char>(part.time.separator));
        set.set(static_cast<unsigned char>(part.time.fraction_separator));
        return set;
    default:
        break;
    }
    if (part.texts && part.texts->dictionary())
    {
        const auto& chars = part.texts->dictionary()->chars();
        add_bytes(set, {chars.data(), chars.size()});
        return set;
    }
    const EncodedPage* page = part.texts ? part.texts->page() : siblings[part.sibling].get();
    if (const auto alphabet = hex_alphabet_of(*page); !alphabet.empty())
        add_bytes(set, alphabet);
    else
        set.set();
    return set;
}

// Whether the literals alone hold all texts of a pattern, in order.
bool literals_match(const std::vector<TemplatePage::Part>& parts,
                    const std::vector<std::string>& texts, bool ignores_case)
{
    std::vector<std::string> lower;
    std::vector<std::string_view> literals;
    lower.reserve(parts.size());
    for (const auto& part : parts)
    {
        if (part.kind != SlotKind::Literal)
            literals.emplace_back();
        else if (ignores_case)
            literals.push_back(lower.emplace_back(ascii_lower(part.text)));
        else
            literals.push_back(part.text);
    }
    if (literals.empty())
        return false;
    const std::string& prefix = texts.front();
    const std::string& suffix = texts.back();
    if (!literals[0].starts_with(prefix) || !literals.back().ends_with(suffix))
        return false;
    size_t at = 0; // literal, and position in it
    size_t from = prefix.size();
    for (size_t i = 1; i + 1 < texts.size(); ++i)
    {
        for (;; ++at, from = 0)
        {
            if (at == literals.size())
                return false;
            const size_t found = literals[at].find(texts[i], from);
            if (found == std::string_view::npos)
                continue;
            from = found + texts[i].size();
            break;
        }
    }
    return at + 1 < literals.size() || from + suffix.size() <= literals.back().size();
}

} // namespace

// What a predicate says about a template's lines.
struct TemplatePage::Verdict
{
    enum class Kind : uint8_t
    {
        No,
        Yes,
        Conditions,
        Look,
    } kind = Kind::Look;
    std::vector<Alignment> ways; // of Conditions
};

// A predicate in the form that verdicts come from.
struct TemplatePage::LinePredicate
{
    std::optional<PagePattern> pattern;
    std::optional<TextPredicate> test; // for what has no pattern
    std::vector<std::string> equal_to; // of =, IN
    bool negated = false;

    bool matches(std::string_view line) const
    {
        return pattern ? pattern->matches(line) : test->matches(line);
    }

    static std::optional<LinePredicate> make(const PagePredicate& predicate)
    {
        LinePredicate result;
        result.negated = is_negated(predicate.kind);
        result.pattern = PagePattern::make(predicate);
        if (result.pattern)
            return result;
        switch (predicate.kind)
        {
        case Kind::Equals:
        case Kind::NotEquals:
        case Kind::In:
        case Kind::NotIn:
            break;
        default:
            return std::nullopt;
        }
        result.test = TextPredicate::make(predicate);
        if (!result.test || predicate.values.size() > kMaxTexts)
            return std::nullopt;
        for (const auto& value : predicate.values)
            result.equal_to.push_back(value.get<std::string>());
        return result;
    }

    // Of the predicate without its negation.
    Verdict verdict_of(const std::vector<Part>& parts, const std::vector<ByteSet>& sets) const
    {
        Verdict verdict;
        if (!pattern)
        {
            Alignments all;
            for (const auto& text : equal_to)
            {
                const Alignments some = align_text(parts, sets, text, true, true);
                all.too_many |= some.too_many;
                all.ways.insert(all.ways.end(), some.ways.begin(), some.ways.end());
            }
            return of_alignments(std::move(all));
        }
        const auto& texts = pattern->parts();
        if (texts.empty())
            return verdict; // has a _
        if (texts.size() > 1 && literals_match(parts, texts, pattern->ignores_case()))
        {
            verdict.kind = Verdict::Kind::Yes;
            return verdict;
        }
        if (pattern->ignores_case())
            return verdict_ignoring_case(parts, sets, texts);
        if (texts.size() == 1)
            return of_alignments(align_text(parts, sets, texts[0], true, true));
        // One text alone decides; of several, any that is impossible.
        size_t some = 0;
        for (size_t i = 0; i < texts.size(); ++i)
        {
            if (texts[i].empty())
                continue;
            ++some;
            verdict = of_alignments(
                align_text(parts, sets, texts[i], i == 0, i + 1 == texts.size()));
            if (verdict.kind == Verdict::Kind::No)
                return verdict;
        }
        if (some == 0)
            verdict.kind = Verdict::Kind::Yes;
        else if (some > 1)
            verdict = {};
        return verdict;
    }

private:
    static Verdict of_alignments(Alignments found)
    {
        Verdict verdict;
        if (found.always())
            verdict.kind = Verdict::Kind::Yes;
        else if (found.too_many)
            verdict.kind = Verdict::Kind::Look;
        else if (found.ways.empty())
            verdict.kind = Verdict::Kind::No;
        else
        {
            verdict.kind = Verdict::Kind::Conditions;
            verdict.ways = std::move(found.ways);
        }
        return verdict;
    }

    // Over lower-case literals, with slots that may hold a letter of either case: only "nowhere"
    // can be told.
    static Verdict verdict_ignoring_case(const std::vector<Part>& parts,
                                         const std::vector<ByteSet>& sets,
                                         const std::vector<std::string>& texts)
    {
        std::vector<Part> lower = parts;
        std::vector<ByteSet> lower_sets = sets;
        for (auto& part : lower)
            part.text = ascii_lower(part.text);
        for (auto& set : lower_sets)
            for (size_t c = 'A'; c <= 'Z'; ++c)
                if (set[c])
                    set.set(c + ('a' - 'A'));
        Verdict verdict;
        for (size_t i = 0; i < texts.size(); ++i)
        {
            if (texts[i].empty() && texts.size() > 1)
                continue;
            const Alignments found =
                align_text(lower, lower_sets, texts[i], i == 0, i + 1 == texts.size());
            if (found.ways.empty() && !found.too_many)
            {
                verdict.kind = Verdict::Kind::No;
                return verdict;
            }
        }
        return verdict;
    }
};

// The verdicts of one predicate over all templates of a page.
struct TemplatePage::Decided
{
    PagePredicate predicate;
    std::optional<LinePredicate> lines; // nullopt: not ours to decide
    std::vector<Verdict> verdicts;
    PodVector<uint8_t> codes; // by template; 0 and 1: the answer
    bool all_decided = true;
    static constexpr uint8_t kLook = 2;
    static constexpr uint8_t kConditions = 3;
};

// Scans ask granule by granule, so the last predicate is kept.
std::shared_ptr<const TemplatePage::Decided>
TemplatePage::decide(const PagePredicate& predicate) const
{
    const std::lock_guard lock(decided_mutex_);
    if (decided_ && decided_->predicate.kind == predicate.kind &&
        decided_->predicate.values == predicate.values)
        return decided_;
    auto decided = std::make_shared<Decided>();
    decided->predicate = predicate;
    decided->lines = LinePredicate::make(predicate);
    decided_ = decided;
    if (!decided->lines)
        return decided;
    if (byte_sets_.empty())
    {
        byte_sets_.resize(templates_.size());
        for (size_t t = 0; t < templates_.size(); ++t)
            for (const auto& part : templates_[t].parts)
                byte_sets_[t].push_back(bytes_of(part, siblings_));
    }
    for (size_t t = 0; t < templates_.size(); ++t)
    {
        decided->verdicts.push_back(
            decided->lines->verdict_of(templates_[t].parts, byte_sets_[t]));
        const auto kind = decided->verdicts.back().kind;
        const uint8_t code = kind == Verdict::Kind::Look         ? Decided::kLook
                             : kind == Verdict::Kind::Conditions ? Decided::kConditions
                             : (kind == Verdict::Kind::Yes) != decided->lines->negated;
        decided->codes.push_back(code);
        decided->all_decided &= code < Decided::kLook;
    }
    return decided;
}

void TemplatePage::look(const LinePredicate& predicate, size_t block, size_t first,
                        const RowIndexes& rows, uint8_t* mask) const
{
    if (rows.empty())
        return;
    Selection selection;
    select(block, 0, rows.back() + 1, &rows, selection);
    StringColumn lines;
    render(selection, lines);
    for (size_t i = 0; i < rows.size(); ++i)
        mask[rows[i] - first] = predicate.matches(lines.at(i));
}

bool TemplatePage::evaluate(const PagePredicate& predicate, size_t begin, size_t count,
                            uint8_t* mask) const
{
    BASALT_ASSERT(begin + count <= rows_);
    const auto decided = decide(predicate);
    if (!decided->lines)
        return false;
    const auto& lines = decided->lines;
    const auto& codes = decided->codes;
    const bool all_decided = decided->all_decided;
    const bool same = std::all_of(codes.begin(), codes.end(),
                                  [&](uint8_t code) { return code == codes[0]; });
    if (all_decided && same)
    {
        std::fill_n(mask, count, codes.empty() ? 0 : codes[0]);
        return true;
    }
    PodVector<uint64_t> ids(kIntegerBlock);
    while (count)
    {
        const size_t block = begin / kIntegerBlock;
        const size_t first = begin % kIntegerBlock;
        const size_t some = std::min(count, kIntegerBlock - first);
        ids_.read(begin, some, ids.data());
        uint64_t largest = 0;
        for (size_t i = 0; i < some; ++i)
            largest = std::max(largest, ids[i]);
        if (largest >= templates_.size())
            throw_damaged_page("a template is missing");
        for (size_t i = 0; i < some; ++i)
            mask[i] = codes[ids[i]];
        if (!all_decided)
        {
            RowIndexes to_look;
            for (size_t i = 0; i < some; ++i)
                if (mask[i] == Decided::kLook)
                    to_look.push_back(static_cast<uint32_t>(first + i));
            look(*lines, block, first, to_look, mask);
            for (size_t t = 0; t < templates_.size(); ++t)
                if (codes[t] == Decided::kConditions)
                    check_conditions(t, decided->verdicts[t].ways, lines->negated, begin, some, ids.data(),
                                     mask);
        }
        begin += some;
        count -= some;
        mask += some;
    }
    return true;
}

// Rows [begin, begin + count) lie in one block; ids are theirs.
void TemplatePage::check_conditions(size_t number, const std::vector<Alignment>& ways,
                                    bool negated, size_t begin, size_t count, const uint64_t* ids,
                                    uint8_t* mask) const
{
    const PageTemplate& lines = templates_[number];
    const size_t block = begin / kIntegerBlock;
    // Slot values of this template in these rows.
    size_t from = cursors(block)[number];
    if (const size_t first = begin % kIntegerBlock)
    {
        PodVector<uint64_t> before(first);
        ids_.read(begin - first, first, before.data());
        from += static_cast<size_t>(std::count(before.begin(), before.end(), number));
    }
    const auto own = static_cast<size_t>(std::count(ids, ids + count, number));
    if (own == 0)
        return;
    if (from + own > lines.count)
        throw_damaged_page("a template has another number of rows");
    PodVector<uint8_t> all_own, all_row, one;
    PodVector<uint8_t> hits(own, 0);
    for (const auto& way : ways)
    {
        all_own.assign(own, 1);
        all_row.clear();
        for (const auto& condition : way)
        {
            const Part& part = lines.parts[condition.part];
            if (!is_sibling(part.kind))
            {
                one.resize(own);
                test_slot(part, condition, from, own, one.data());
                for (size_t i = 0; i < own; ++i)
                    all_own[i] &= one[i];
                continue;
            }
            if (all_row.empty())
                all_row.assign(count, 1);
            one.resize(count);
            test_sibling(part, *siblings_[part.sibling], condition, begin, count, one.data());
            for (size_t i = 0; i < count; ++i)
                all_row[i] &= one[i];
        }
        if (all_row.empty())
        {
            for (size_t i = 0; i < own; ++i)
                hits[i] |= all_own[i];
            continue;
        }
        size_t index = 0;
        for (size_t i = 0; i < count; ++i)
            if (ids[i] == number)
            {
                hits[index] |= static_cast<uint8_t>(all_own[index] & all_row[i]);
                ++index;
            }
    }
    size_t index = 0;
    for (size_t i = 0; i < count; ++i)
        if (ids[i] == number)
            mask[i] = static_cast<uint8_t>(hits[index++] ^ static_cast<uint8_t>(negated));
}

} // namespace basalt::encodings
