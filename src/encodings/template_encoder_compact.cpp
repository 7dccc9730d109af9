// Encoding texts that come as templates and slots: from merges, whose inputs are pages of
// templates, and from inserts that were matched when they came.

#include "encodings/page_format.h"
#include "encodings/slot_text.h"
#include "encodings/template_encoder.h"
#include "encodings/template_page.h"

#include <algorithm>

namespace basalt::inline encodings
{

namespace
{

// Whether two numbers with `form` decimals each are the same but for zeros at the end.
bool same_decimal(int64_t a, unsigned form_a, int64_t b, unsigned form_b)
{
    if (form_a == form_b)
        return a == b;
    if (form_a > form_b)
    {
        std::swap(a, b);
        std::swap(form_a, form_b);
    }
    int64_t scaled = 0;
    const auto power = static_cast<int64_t>(integer_power_of_ten(form_b - form_a));
    return !__builtin_mul_overflow(a, power, &scaled) && scaled == b;
}

std::vector<const StringColumn*> texts_of(const std::vector<uint32_t>& columns,
                                          const SiblingColumns& siblings)
{
    std::vector<const StringColumn*> texts;
    for (const uint32_t column : columns)
    {
        texts.resize(std::max<size_t>(texts.size(), column + 1), nullptr);
        texts[column] = &siblings.text(column);
    }
    return texts;
}

} // namespace

// ids_: the matcher's numbers; kRaw for templates that this page cannot hold.
void TemplateEncoder::take_ids(const TemplateColumn& column, SiblingColumns& siblings)
{
    const size_t rows = column.size();
    if (list_ != column.list())
    {
        list_ = column.list();
        numbers_of_list_.clear();
    }
    const auto templates = list_->all();
    std::vector<uint32_t> by_id(templates.size() + 1, kRaw);
    std::vector<uint8_t> used(templates.size() + 1, 0);
    for (const uint16_t id : column.ids())
        used[id] = 1;
    numbers_of_list_.resize(templates.size(), kRaw);
    for (size_t id = 1; id < used.size(); ++id)
    {
        if (!used[id])
            continue;
        const TextTemplate& parts = *templates[id - 1];
        const bool fits = std::all_of(parts.begin(), parts.end(), [&](const TemplatePart& part) {
            return !is_sibling(part.kind) || siblings.is_allowed(part.sibling);
        });
        if (!fits)
            continue;
        uint32_t& number = numbers_of_list_[id - 1];
        if (number == kRaw)
            number = matcher_.add(parts); // kNoTemplate is kRaw
        by_id[id] = number;
    }
    ids_.resize(rows);
    for (size_t row = 0; row < rows; ++row)
        ids_[row] = by_id[column.ids()[row]];
}

// rows_ from the lanes; false when half of the rows have no template.
bool TemplateEncoder::take_slots(const TemplateColumn& column, SiblingColumns& siblings)
{
    struct Lane
    {
        SlotKind kind;
        const int64_t* values = nullptr;
        const uint8_t* forms = nullptr;
        const StringColumn* texts = nullptr;
        const SiblingNumbers* sibling = nullptr;
        SlotRows* to = nullptr;
    };
    rows_.assign(matcher_.size(), {});
    std::vector<uint32_t> counts(matcher_.size(), 0);
    for (const uint32_t id : ids_)
        if (id != kRaw)
            ++counts[id];
    // The lanes of each template: those with slots of their own, and numbers of siblings.
    std::vector<std::vector<Lane>> lanes(matcher_.size());
    for (uint32_t number = 0; number < counts.size(); ++number)
    {
        if (!counts[number])
            continue;
        Rows& rows = rows_[number];
        rows.slots.resize(matcher_.slot_is_text(number).size());
        size_t slot = 0, number_lane = 0, text_lane = 0;
        for (const auto& part : matcher_.at(number))
        {
            Lane lane{part.kind};
            if (part.kind == SlotKind::Literal || part.kind == SlotKind::SiblingText)
                continue;
            if (has_text_lane(part))
                lane.texts = column.texts()[text_lane++].get();
            else
            {
                const NumberLane& from = column.numbers()[number_lane++];
                lane.values = from.values.data();
                lane.forms = from.forms.data();
            }
            if (part.kind == SlotKind::SiblingNumber)
                lane.sibling = &siblings.number(part.sibling);
            else
            {
                lane.to = &rows.slots[slot++];
                if (lane.texts)
                {
                    lane.to->texts.reserve(counts[number]);
                    lane.to->sizes.reserve(counts[number]);
                }
                else
                {
                    lane.to->values.reserve(counts[number]);
                    lane.to->forms.reserve(counts[number]);
                }
            }
            lanes[number].push_back(lane);
        }
    }
    size_t kept = 0;
    for (size_t row = 0; row < ids_.size(); ++row)
    {
        const uint32_t number = ids_[row];
        if (number == kRaw)
            continue;
        bool same = true;
        for (const Lane& lane : lanes[number])
            if (lane.sibling)
                same = same && lane.sibling->mantissas[row] != SiblingNumbers::kNone &&
                       same_decimal(lane.values[row], lane.forms[row],
                                    lane.sibling->mantissas[row], lane.sibling->scale);
        if (!same)
        {
            ids_[row] = kRaw;
            continue;
        }
        for (const Lane& lane : lanes[number])
        {
            if (!lane.to)
                continue;
            if (lane.texts)
            {
                const std::string_view text = lane.texts->at(row);
                lane.to->texts.push_back(text.data());
                lane.to->sizes.push_back(static_cast<uint32_t>(text.size()));
            }
            else
            {
                lane.to->values.push_back(lane.values[row]);
                lane.to->forms.push_back(lane.forms[row]);
            }
        }
        ++rows_[number].count;
        ++kept;
    }
    return kept * 2 > ids_.size();
}

bool TemplateEncoder::write_compact(const TemplateColumn& column, SiblingColumns& siblings,
                                    size_t granule_rows, size_t text_bytes, std::string& out)
{
    const size_t rows = column.size();
    if (rows < kLeastTemplateRows)
        return false;
    if (skip_ > 0)
    {
        --skip_;
        return false;
    }
    matcher_.set_block(&siblings);
    take_ids(column, siblings);
    if (!take_slots(column, siblings))
        return lose();
    demote();
    RowIndexes raw_rows;
    bool from_lanes = false;
    for (size_t row = 0; row < rows; ++row)
        if (ids_[row] == kRaw)
        {
            raw_rows.push_back(static_cast<uint32_t>(row));
            from_lanes = from_lanes || column.ids()[row] != TemplateColumn::kRaw;
        }
    const bool look = must_be_compared();
    std::vector<const StringColumn*> texts;
    if (from_lanes || look)
        texts = texts_of(column.text_siblings(), siblings);
    const auto raw = column.render(raw_rows, texts);
    const size_t start = out.size();
    const size_t shared = shared_order_.size();
    const size_t used = used_siblings_.size();
    write(*raw, siblings, granule_rows, out);
    if (look)
    {
        const size_t some =
            std::min(rows, rows * kTemplateGateBytes / std::max<size_t>(text_bytes, 1) + 1);
        RowIndexes sample(some);
        for (size_t i = 0; i < some; ++i)
            sample[i] = static_cast<uint32_t>((rows - some) / 2 + i);
        if (!is_smaller(out.size() - start, *column.render(sample, texts), text_bytes))
        {
            out.resize(start);
            forget_shared(shared, used);
            return lose();
        }
    }
    lost_ = 0;
    const bool same = reads_back(column, *raw, siblings, std::string_view(out).substr(start));
    BASALT_DCHECK(same);
    if (!same)
    {
        out.resize(start);
        forget_shared(shared, used);
    }
    return same;
}

bool TemplateEncoder::reads_back(const TemplateColumn& column, const StringColumn& raw,
                                 SiblingColumns& siblings, std::string_view bytes) const
{
    std::string shared;
    append_shared(1, shared);
    std::vector<EncodedPagePtr> pages;
    for (const uint32_t sibling : used_siblings_)
        pages.push_back(siblings.page_of(sibling));
    const TemplatePage page(PageHead::read(bytes), std::make_shared<SharedTemplates>(shared),
                            PageBytes{bytes, nullptr}, pages);
    if (page.rows() != column.size())
        return false;
    // Here ids are the matcher's numbers and 1.
    std::vector<uint16_t> ids;
    for (const uint32_t number : page.shared_numbers())
        ids.push_back(number ? static_cast<uint16_t>(shared_order_[number - 1] + 1) : 0);
    struct Shape
    {
        std::vector<SlotKind> numbers;
        size_t texts = 0;
    };
    std::vector<Shape> shapes(matcher_.size());
    for (const uint16_t id : ids)
        if (id)
            for (const auto& part : matcher_.at(id - 1u))
            {
                if (has_number_lane(part))
                    shapes[id - 1u].numbers.push_back(part.kind);
                shapes[id - 1u].texts += has_text_lane(part);
            }
    size_t raw_at = 0;
    for (size_t begin = 0; begin < column.size(); begin += kIntegerBlock)
    {
        const size_t count = std::min(kIntegerBlock, column.size() - begin);
        const auto read = page.decode_slots(begin, count, list_, ids);
        for (size_t i = 0; i < count; ++i)
        {
            const size_t row = begin + i;
            const uint16_t id = read->ids()[i];
            if (id == 0)
            {
                if (ids_[row] != kRaw || read->texts()[0]->at(i) != raw.at(raw_at++))
                    return false;
                continue;
            }
            if (ids_[row] != id - 1u)
                return false;
            const Shape& shape = shapes[id - 1u];
            for (size_t lane = 0; lane < shape.numbers.size(); ++lane)
            {
                const NumberLane& a = column.numbers()[lane];
                const NumberLane& b = read->numbers()[lane];
                const bool same = shape.numbers[lane] == SlotKind::SiblingNumber
                                      ? same_decimal(a.values[row], a.forms[row], b.values[i],
                                                     b.forms[i])
                                      : a.values[row] == b.values[i] && a.forms[row] == b.forms[i];
                if (!same)
                    return false;
            }
            for (size_t lane = 0; lane < shape.texts; ++lane)
                if (column.texts()[lane]->at(row) != read->texts()[lane]->at(i))
                    return false;
        }
    }
    return raw_at == raw.size();
}

} // namespace basalt::encodings
