#include "encodings/template_decision.h"

#include <algorithm>

namespace basalt::inline encodings
{

namespace
{

using Kind = PagePredicate::Kind;
using Parts = std::vector<TemplatePage::Part>;

constexpr size_t kMaxTexts = 16; // of an IN
constexpr size_t kMaxTriedTexts = 4096; // of a dictionary, for a condition

void add_bytes(ByteSet& set, std::string_view bytes)
{
    for (const char c : bytes)
        set.set(static_cast<unsigned char>(c));
}

bool has_upper_case(const ByteSet& set)
{
    for (size_t c = 'A'; c <= 'Z'; ++c)
        if (set[c])
            return true;
    return false;
}

// Whether the literals alone hold all texts of a pattern, in order.
bool literals_match(const Parts& parts, const std::vector<std::string>& texts, bool ignores_case)
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

// False when no value of the part can meet the condition.
bool is_possible(const TemplatePage::Part& part, const SlotCondition& condition)
{
    using Test = SlotCondition::Kind;
    if (part.sibling_length)
        return condition.kind == Test::Equals ? condition.text.size() == part.sibling_length
                                              : condition.text.size() <= part.sibling_length;
    if (!part.texts || !part.texts->dictionary())
        return true;
    const StringColumn& texts = *part.texts->dictionary();
    if (texts.size() > kMaxTriedTexts)
        return true;
    for (size_t i = 0; i < texts.size(); ++i)
        if (condition.holds(texts.at(i)))
            return true;
    return false;
}

} // namespace

ByteSet bytes_of_part(const TemplatePage::Part& part)
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
    if (part.kind == SlotKind::SiblingText)
    {
        if (const auto alphabet = alphabet_bytes(part.sibling_alphabet); !alphabet.empty())
            add_bytes(set, alphabet);
        else
            set.set();
        return set;
    }
    if (part.texts->dictionary())
    {
        bool seen[256] = {};
        for (const char c : part.texts->dictionary()->chars())
            seen[static_cast<unsigned char>(c)] = true;
        for (size_t c = 0; c < 256; ++c)
            set[c] = seen[c];
        return set;
    }
    if (const auto alphabet = hex_alphabet_of(*part.texts->page()); !alphabet.empty())
        add_bytes(set, alphabet);
    else
        set.set();
    return set;
}

std::optional<LinePredicate> LinePredicate::make(const PagePredicate& predicate)
{
    LinePredicate result;
    result.negated_ = is_negated(predicate.kind);
    result.pattern_ = PagePattern::make(predicate);
    if (result.pattern_)
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
    result.test_ = TextPredicate::make(predicate);
    if (!result.test_ || predicate.values.size() > kMaxTexts)
        return std::nullopt;
    for (const auto& value : predicate.values)
        result.equal_to_.push_back(value.get<std::string>());
    return result;
}

LinePredicate::Verdict LinePredicate::verdict_of(const Parts& parts,
                                                 const std::vector<ByteSet>& sets) const
{
    if (!pattern_)
    {
        Verdict verdict;
        Alignments all;
        for (const auto& text : equal_to_)
        {
            const Alignments some = align_text(parts, sets, text, true, true);
            all.too_many |= some.too_many;
            all.ways.insert(all.ways.end(), some.ways.begin(), some.ways.end());
        }
        if (all.too_many)
            verdict.kind = Verdict::Kind::Necessary;
        else if (all.ways.empty())
            verdict.kind = Verdict::Kind::Never;
        else if (!all.always())
            verdict.groups.push_back(std::move(all.ways));
        return verdict;
    }
    const auto& texts = pattern_->parts();
    if (texts.size() > 1 && literals_match(parts, texts, pattern_->ignores_case()))
        return {};
    if (!pattern_->ignores_case())
        return verdict_of_pieces(parts, sets);
    // Everything in lower case; slots that may hold capitals are tested without regard to case.
    Parts lower = parts;
    std::vector<ByteSet> lower_sets = sets;
    for (auto& part : lower)
        part.text = ascii_lower(part.text);
    for (auto& set : lower_sets)
        for (size_t c = 'A'; c <= 'Z'; ++c)
            if (set[c])
                set.set(c + ('a' - 'A'));
    Verdict verdict = verdict_of_pieces(lower, lower_sets);
    for (auto& group : verdict.groups)
        for (auto& way : group)
            for (auto& condition : way)
                condition.ignores_case = has_upper_case(sets[condition.part]);
    return verdict;
}

LinePredicate::Verdict LinePredicate::verdict_of_pieces(const Parts& parts,
                                                        const std::vector<ByteSet>& sets) const
{
    Verdict verdict;
    const auto& pieces = pattern_->pieces();
    if (pieces.size() > 1 || pattern_->has_any_character())
        verdict.kind = Verdict::Kind::Necessary; // the order of the pieces is not looked at
    for (const auto& piece : pieces)
    {
        Alignments found = align_text(parts, sets, piece.text, piece.at_begin, piece.at_end);
        if (found.too_many)
            verdict.kind = Verdict::Kind::Necessary;
        else if (found.ways.empty())
        {
            verdict.kind = Verdict::Kind::Never;
            verdict.groups.clear();
            return verdict;
        }
        else if (!found.always())
            verdict.groups.push_back(std::move(found.ways));
    }
    return verdict;
}

TemplateDecision::TemplateDecision(PagePredicate predicate,
                                   const std::vector<TemplatePage::PageTemplate>& templates,
                                   const std::vector<std::vector<ByteSet>>& sets)
    : predicate_(std::move(predicate)), lines_(LinePredicate::make(predicate_))
{
    if (!lines_)
        return;
    for (size_t i = 0; i < templates.size(); ++i)
        decide(templates[i].parts, sets[i]);
}

void TemplateDecision::decide(const Parts& parts, const std::vector<ByteSet>& sets)
{
    using Verdict = LinePredicate::Verdict;
    const Verdict verdict = lines_->verdict_of(parts, sets);
    const uint8_t no = lines_->negated() ? kYes : kNo;
    auto& groups = groups_.emplace_back();
    if (verdict.kind == Verdict::Kind::Never)
        return answers_.push_back(no);
    for (const auto& alignments : verdict.groups)
    {
        Group group;
        for (const auto& alignment : alignments)
        {
            if (!std::all_of(alignment.begin(), alignment.end(), [&](const SlotCondition& one)
                             { return is_possible(parts[one.part], one); }))
                continue;
            Way way;
            for (const auto& condition : alignment)
            {
                const TemplatePage::Part& part = parts[condition.part];
                if (is_sibling(part.kind))
                    way.beside.push_back(beside_number(part, condition));
                else
                    way.own.push_back(condition);
            }
            group.push_back(std::move(way));
        }
        if (group.empty())
        {
            groups.clear();
            return answers_.push_back(no);
        }
        groups.push_back(std::move(group));
    }
    const bool exact = verdict.kind == Verdict::Kind::Exact;
    if (!groups.empty())
        answers_.push_back(exact ? kConditions : kCandidates);
    else if (exact)
        answers_.push_back(static_cast<uint8_t>(no ^ 1));
    else
        answers_.push_back(kLook);
}

uint32_t TemplateDecision::beside_number(const TemplatePage::Part& part,
                                         const SlotCondition& condition)
{
    for (uint32_t i = 0; i < beside_.size(); ++i)
    {
        const Beside& known = beside_[i];
        if (known.part->sibling == part.sibling && known.part->kind == part.kind &&
            known.part->scale == part.scale && known.condition.kind == condition.kind &&
            known.condition.ignores_case == condition.ignores_case &&
            known.condition.text == condition.text)
            return i;
    }
    beside_.push_back({&part, condition});
    return static_cast<uint32_t>(beside_.size() - 1);
}

} // namespace basalt::encodings
