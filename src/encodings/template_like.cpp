#include "encodings/template_conditions.h"
#include "encodings/template_decision.h"

#include <algorithm>
#include <numeric>

namespace basalt::inline encodings
{

namespace
{

bool holds_one(const uint8_t* mask, size_t count)
{
    return count && std::memchr(mask, 1, count);
}

size_t sum_of(const uint8_t* mask, size_t count)
{
    return std::accumulate(mask, mask + count, size_t{0});
}

// The answer for lines of all templates, when there is one.
std::optional<uint8_t> same_answer(const PodVector<uint8_t>& answers)
{
    if (answers.empty())
        return TemplateDecision::kNo;
    if (answers[0] > TemplateDecision::kYes ||
        std::any_of(answers.begin(), answers.end(),
                    [&](uint8_t answer) { return answer != answers[0]; }))
        return std::nullopt;
    return answers[0];
}

bool is_on_own_slots(const std::vector<TemplateDecision::Group>& groups)
{
    for (const auto& group : groups)
        for (const auto& way : group)
            if (!way.beside.empty())
                return false;
    return true;
}

} // namespace

// Masks of the conditions on columns beside, over the rows that are asked for; each is made at
// its first use.
class TemplatePage::BesideMasks
{
public:
    BesideMasks(const TemplatePage& page, const TemplateDecision& decision, size_t begin,
                size_t count)
        : page_(page), decision_(decision), begin_(begin), count_(count),
          known_(decision.beside().size())
    {
    }

    const PodVector<uint8_t>& mask(uint32_t number) { return make(number).mask; }
    bool any(uint32_t number) { return make(number).any; }
    // Whether rows [from, from + count) of the masks may meet all groups.
    bool may_meet(const std::vector<TemplateDecision::Group>& groups, size_t from, size_t count)
    {
        const auto is_open = [&](uint32_t number)
        {
            const Known& known = make(number);
            return known.any && (count == count_ || holds_one(known.mask.data() + from, count));
        };
        return std::all_of(
            groups.begin(), groups.end(),
            [&](const auto& group)
            {
                return std::any_of(
                    group.begin(), group.end(), [&](const auto& way)
                    { return std::all_of(way.beside.begin(), way.beside.end(), is_open); });
            });
    }

private:
    struct Known
    {
        bool made = false;
        bool any = false;
        PodVector<uint8_t> mask;
    };

    const Known& make(uint32_t number)
    {
        Known& known = known_[number];
        if (known.made)
            return known;
        const auto& beside = decision_.beside()[number];
        known.mask.resize(count_);
        const EncodedPage& page = *page_.siblings_[beside.part->sibling];
        if (beside.part->kind == SlotKind::SiblingNumber &&
            beside.condition.kind != SlotCondition::Kind::Equals)
            test_texts(texts_of(*beside.part, page), beside.condition, known.mask.data());
        else
            test_sibling(*beside.part, page, beside.condition, begin_, count_, known.mask.data());
        known.any = holds_one(known.mask.data(), count_);
        known.made = true;
        return known;
    }

    // Several conditions on one number are tested on its texts, written once.
    const StringColumn& texts_of(const Part& part, const EncodedPage& page)
    {
        for (const auto& known : texts_)
            if (known.sibling == part.sibling && known.scale == part.scale)
                return known.texts;
        auto& made = texts_.emplace_back();
        made.sibling = part.sibling;
        made.scale = part.scale;
        write_sibling_numbers(part, page, begin_, count_, made.texts);
        return made.texts;
    }

    struct Texts
    {
        size_t sibling = 0;
        unsigned scale = 0;
        StringColumn texts;
    };

    const TemplatePage& page_;
    const TemplateDecision& decision_;
    size_t begin_;
    size_t count_;
    std::vector<Known> known_;
    std::deque<Texts> texts_;
};

// Scans ask piece by piece, so the last predicate is kept.
std::shared_ptr<const TemplateDecision>
TemplatePage::decide(const PagePredicate& predicate) const
{
    const std::lock_guard lock(decision_mutex_);
    if (decision_ && decision_->predicate().kind == predicate.kind &&
        decision_->predicate().values == predicate.values)
        return decision_;
    if (byte_sets_.empty())
    {
        byte_sets_.resize(templates_.size());
        for (size_t t = 0; t < templates_.size(); ++t)
            for (const auto& part : templates_[t].parts)
                byte_sets_[t].push_back(bytes_of_part(part));
    }
    decision_ = std::make_shared<TemplateDecision>(predicate, templates_, byte_sets_);
    return decision_;
}

// hits[i]: whether line i of some lines of a template meets the groups. Their slot values begin
// at `from`; rows: where they stand in the masks, null where no condition is on columns beside.
void TemplatePage::meet(size_t number, const TemplateDecision& decision, size_t from, size_t count,
                        const uint32_t* rows, BesideMasks& beside, uint8_t* hits) const
{
    std::fill_n(hits, count, 1);
    PodVector<uint8_t> any(count), all(count), one(count);
    for (const auto& group : decision.groups(number))
    {
        std::fill_n(any.data(), count, 0);
        for (const auto& way : group)
        {
            if (!std::all_of(way.beside.begin(), way.beside.end(),
                             [&](uint32_t test) { return beside.any(test); }))
                continue;
            std::fill_n(all.data(), count, 1);
            for (const uint32_t test : way.beside)
            {
                const uint8_t* mask = beside.mask(test).data();
                for (size_t i = 0; i < count; ++i)
                    all[i] &= mask[rows[i]];
            }
            for (const auto& condition : way.own)
            {
                if (!holds_one(all.data(), count))
                    break;
                test_slot(templates_[number].parts[condition.part], condition, from, count,
                          one.data());
                for (size_t i = 0; i < count; ++i)
                    all[i] &= one[i];
            }
            for (size_t i = 0; i < count; ++i)
                any[i] |= all[i];
        }
        for (size_t i = 0; i < count; ++i)
            hits[i] &= any[i];
    }
}

// What is left open for rows [from, from + count) of the masks.
PodVector<uint8_t> TemplatePage::answers_of(const TemplateDecision& decision, size_t from,
                                            size_t count, BesideMasks& beside) const
{
    PodVector<uint8_t> answers = decision.answers();
    for (size_t t = 0; t < answers.size(); ++t)
    {
        const bool has_groups = answers[t] == TemplateDecision::kConditions ||
                                answers[t] == TemplateDecision::kCandidates;
        if (has_groups && !beside.may_meet(decision.groups(t), from, count))
            answers[t] = decision.negated() ? TemplateDecision::kYes : TemplateDecision::kNo;
    }
    return answers;
}

void TemplatePage::look(const TemplateDecision& decision, size_t block, size_t first,
                        const RowIndexes& rows, uint8_t* mask) const
{
    if (rows.empty())
        return;
    Selection selection;
    select(block, 0, rows.back() + 1, &rows, selection);
    StringColumn lines;
    render(selection, kWholeLine, lines);
    for (size_t i = 0; i < rows.size(); ++i)
        mask[rows[i] - first] = decision.lines()->matches(lines.at(i));
}

bool TemplatePage::evaluate(const PagePredicate& predicate, size_t begin, size_t count,
                            uint8_t* mask) const
{
    BASALT_ASSERT(begin + count <= rows_);
    const auto decision = decide(predicate);
    if (!decision->lines())
        return false;
    BesideMasks beside(*this, *decision, begin, count);
    evaluate_range(*decision, begin, count, beside, mask);
    return true;
}

void TemplatePage::evaluate_range(const TemplateDecision& decision, size_t begin, size_t count,
                                  BesideMasks& beside, uint8_t* mask) const
{
    for (size_t done = 0; done < count;)
    {
        const size_t some = std::min(count - done, kIntegerBlock - (begin + done) % kIntegerBlock);
        evaluate_block(decision, begin + done, some, static_cast<uint32_t>(done), beside,
                       mask + done);
        done += some;
    }
}

// Rows [begin, begin + count) lie in one block and stand at mask_begin in the masks beside.
void TemplatePage::evaluate_block(const TemplateDecision& decision, size_t begin, size_t count,
                                  uint32_t mask_begin, BesideMasks& beside, uint8_t* mask) const
{
    const PodVector<uint8_t> answers = answers_of(decision, mask_begin, count, beside);
    if (const auto answer = same_answer(answers))
    {
        std::fill_n(mask, count, *answer);
        return;
    }
    const size_t block = begin / kIntegerBlock;
    const size_t first = begin % kIntegerBlock;
    PodVector<uint64_t> ids(count);
    ids_.read(begin, count, ids.data());
    constexpr uint8_t kDamaged = 0x80;
    PodVector<uint8_t> answer_of = answers;
    answer_of.push_back(kDamaged);
    const uint64_t last = answers.size();
    uint8_t open = 0;
    for (size_t i = 0; i < count; ++i)
    {
        mask[i] = answer_of[std::min(ids[i], last)];
        open |= mask[i];
    }
    if (open & kDamaged)
        throw_damaged_page("a template is missing");
    if (open <= TemplateDecision::kYes)
        return;
    const auto has_groups = [](uint8_t answer)
    {
        return answer == TemplateDecision::kConditions || answer == TemplateDecision::kCandidates;
    };
    std::vector<PodVector<uint32_t>> rows_of(templates_.size());
    for (size_t i = 0; i < count; ++i)
        if (has_groups(mask[i]))
            rows_of[ids[i]].push_back(mask_begin + static_cast<uint32_t>(i));
    PodVector<uint32_t> before(templates_.size(), 0);
    if (first)
    {
        PodVector<uint64_t> earlier(first);
        ids_.read(begin - first, first, earlier.data());
        for (const uint64_t id : earlier)
            if (id < before.size())
                ++before[id];
    }
    const uint32_t* const cursor = cursors(block);
    const uint8_t no = decision.negated();
    PodVector<uint8_t> hits;
    for (size_t t = 0; t < templates_.size(); ++t)
    {
        const PodVector<uint32_t>& rows = rows_of[t];
        if (rows.empty())
            continue;
        const size_t from = cursor[t] + before[t];
        if (from + rows.size() > templates_[t].count)
            throw_damaged_page("a template has another number of rows");
        hits.resize(rows.size());
        meet(t, decision, from, rows.size(), rows.data(), beside, hits.data());
        const auto met = static_cast<uint8_t>(
            answers[t] == TemplateDecision::kCandidates ? TemplateDecision::kLook : no ^ 1);
        for (size_t i = 0; i < rows.size(); ++i)
            mask[rows[i] - mask_begin] = hits[i] ? met : no;
    }
    RowIndexes to_look;
    for (size_t i = 0; i < count; ++i)
        if (mask[i] == TemplateDecision::kLook)
            to_look.push_back(static_cast<uint32_t>(first + i));
    look(decision, block, first, to_look, mask);
}

std::optional<size_t> TemplatePage::count_matching(const PagePredicate& predicate, size_t begin,
                                                   size_t count) const
{
    BASALT_ASSERT(begin + count <= rows_);
    const auto decision = decide(predicate);
    if (!decision->lines())
        return std::nullopt;
    BesideMasks beside(*this, *decision, begin, count);
    const PodVector<uint8_t> answers = answers_of(*decision, 0, count, beside);
    if (const auto answer = same_answer(answers))
        return *answer ? count : 0;
    const bool by_template =
        count == rows_ &&
        std::all_of(answers.begin(), answers.end(),
                    [&](const uint8_t& answer)
                    {
                        const auto t = static_cast<size_t>(&answer - answers.data());
                        return answer <= TemplateDecision::kYes ||
                               (answer == TemplateDecision::kConditions &&
                                is_on_own_slots(decision->groups(t)));
                    });
    if (!by_template)
    {
        PodVector<uint8_t> mask(count);
        evaluate_range(*decision, begin, count, beside, mask.data());
        return sum_of(mask.data(), count);
    }
    // Of a whole page it is known how often each template stands in it.
    size_t matching = 0;
    for (size_t t = 0; t < answers.size(); ++t)
    {
        if (answers[t] == TemplateDecision::kYes)
            matching += templates_[t].count;
        if (answers[t] <= TemplateDecision::kYes)
            continue;
        PodVector<uint8_t> hits(std::min<size_t>(kIntegerBlock, templates_[t].count));
        size_t met = 0;
        for (size_t from = 0; from < templates_[t].count; from += hits.size())
        {
            const size_t some = std::min<size_t>(hits.size(), templates_[t].count - from);
            meet(t, *decision, from, some, nullptr, beside, hits.data());
            met += sum_of(hits.data(), some);
        }
        matching += decision->negated() ? templates_[t].count - met : met;
    }
    return matching;
}

} // namespace basalt::encodings
