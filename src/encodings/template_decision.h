#pragma once

// What a predicate says about the lines of each template of a page: no, yes, where slots meet
// conditions, or only after a look at the line.

#include "encodings/page_pattern.h"
#include "encodings/predicate_masks.h"
#include "encodings/template_alignment.h"

namespace basalt::inline encodings
{

// A predicate over texts in a form that can be aligned with templates.
class LinePredicate
{
public:
    // nullopt where templates say nothing: <, an IN of many.
    static std::optional<LinePredicate> make(const PagePredicate& predicate);

    bool negated() const { return negated_; }
    bool ignores_case() const { return pattern_ && pattern_->ignores_case(); }
    // With the negation.
    bool matches(std::string_view line) const
    {
        return pattern_ ? pattern_->matches(line) : test_->matches(line);
    }

    // Without the negation. All groups must hold, of a group one way; none: always.
    struct Verdict
    {
        enum class Kind : uint8_t
        {
            Never,
            Exact,     // the groups decide
            Necessary, // lines that fail the groups do not match
        } kind = Kind::Exact;
        std::vector<std::vector<Alignment>> groups;
    };
    Verdict verdict_of(const std::vector<TemplatePage::Part>& parts,
                       const std::vector<ByteSet>& sets) const;

private:
    Verdict verdict_of_pieces(const std::vector<TemplatePage::Part>& parts,
                              const std::vector<ByteSet>& sets) const;

    std::optional<PagePattern> pattern_;
    std::optional<TextPredicate> test_;  // for what has no pattern
    std::vector<std::string> equal_to_; // of =, IN
    bool negated_ = false;
};

// One predicate over all templates of a page; immutable.
class TemplateDecision
{
public:
    // Of a template, the negation taken in.
    enum Answer : uint8_t
    {
        kNo = 0,
        kYes = 1,
        kConditions = 2,
        kCandidates = 3, // conditions, then a look at the lines that meet them
        kLook = 4,
    };
    // A condition on a column beside the page's; those of all templates, each once.
    struct Beside
    {
        const TemplatePage::Part* part;
        SlotCondition condition;
    };
    struct Way
    {
        std::vector<SlotCondition> own;
        std::vector<uint32_t> beside;
    };
    using Group = std::vector<Way>;

    // sets: by template, part. The templates outlive this.
    TemplateDecision(PagePredicate predicate,
                     const std::vector<TemplatePage::PageTemplate>& templates,
                     const std::vector<std::vector<ByteSet>>& sets);

    const PagePredicate& predicate() const { return predicate_; }
    const LinePredicate* lines() const { return lines_ ? &*lines_ : nullptr; }
    bool negated() const { return lines_->negated(); }
    const PodVector<uint8_t>& answers() const { return answers_; }
    const std::vector<Group>& groups(size_t number) const { return groups_[number]; }
    const std::vector<Beside>& beside() const { return beside_; }

private:
    void decide(const std::vector<TemplatePage::Part>& parts, const std::vector<ByteSet>& sets);
    uint32_t beside_number(const TemplatePage::Part& part, const SlotCondition& condition);

    PagePredicate predicate_;
    std::optional<LinePredicate> lines_; // nullopt: not ours to decide
    PodVector<uint8_t> answers_;
    std::vector<std::vector<Group>> groups_;
    std::vector<Beside> beside_;
};

// Bytes that the texts of a part may hold; of literals: none.
ByteSet bytes_of_part(const TemplatePage::Part& part);

} // namespace basalt::encodings
