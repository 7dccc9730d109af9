#include "encodings/template_column.h"

#include "base/error.h"
#include "encodings/slot_text.h"
#include "encodings/slot_time.h"

#include <algorithm>
#include <numeric>

namespace basalt::inline encodings
{

namespace
{

// Of more lanes only the values of rows that have them would be kept; nobody makes so many.
template <class T>
void join_numbers(const std::vector<const T*>& from, const std::vector<MergeRun>& runs, T* to)
{
    for (const MergeRun& run : runs)
    {
        const T* values = from[run.source];
        if (!values)
            std::fill_n(to, run.count, T(0));
        else
            for (uint32_t i = 0; i < run.count; ++i)
                to[i] = values[run.begin + i];
        to += run.count;
    }
}

// What rendering knows of a template.
struct Rendering
{
    const TextTemplate* parts = nullptr;
    std::vector<TimeShape> times; // by part
};

const TextTemplate& raw_template()
{
    static const TextTemplate kRest = rest_template();
    return kRest;
}

} // namespace

uint32_t TemplateList::add(const TextTemplate& parts)
{
    std::string key;
    append_template(parts, key);
    std::lock_guard lock(mutex_);
    if (const auto known = known_.find(key); known != known_.end())
        return known->second;
    if (templates_.size() >= kMaxTemplates)
        return kFull;
    const auto number = static_cast<uint32_t>(templates_.size());
    templates_.push_back(parts);
    known_.emplace(std::move(key), number);
    return number;
}

size_t TemplateList::size() const
{
    std::lock_guard lock(mutex_);
    return templates_.size();
}

std::vector<const TextTemplate*> TemplateList::all() const
{
    std::lock_guard lock(mutex_);
    std::vector<const TextTemplate*> all;
    for (const auto& one : templates_)
        all.push_back(&one);
    return all;
}

size_t TemplateColumn::byte_size() const
{
    size_t bytes = ids_.capacity_bytes();
    for (const auto& lane : numbers_)
        bytes += lane.values.capacity_bytes() + lane.forms.capacity_bytes();
    for (const auto& lane : texts_)
        bytes += lane ? lane->byte_size() : 0;
    return bytes;
}

bool TemplateColumn::joins_with(const Column& other) const
{
    const auto* templates = dynamic_cast<const TemplateColumn*>(&other);
    return templates && templates->list_ == list_;
}

ColumnPtr TemplateColumn::adopt(const ColumnPtr& flat) const
{
    return raw_template_column(
        list_, std::static_pointer_cast<const StringColumn>(basalt::to_flat(flat)));
}

std::shared_ptr<const TemplateColumn>
raw_template_column(TemplateListPtr list, std::shared_ptr<const StringColumn> texts)
{
    auto column = std::make_shared<TemplateColumn>(std::move(list));
    column->ids().assign(texts->size(), TemplateColumn::kRaw);
    column->texts().push_back(std::move(texts));
    return column;
}

ColumnPtr TemplateColumn::join(const Columns& sources, const std::vector<MergeRun>& runs,
                               size_t rows) const
{
    const auto source_of = [&](size_t i)
    { return static_cast<const TemplateColumn*>(sources[i].get()); };
    size_t number_lanes = 0;
    size_t text_lanes = 0;
    for (size_t i = 0; i < sources.size(); ++i)
        if (const auto* source = source_of(i))
        {
            number_lanes = std::max(number_lanes, source->numbers_.size());
            text_lanes = std::max(text_lanes, source->texts_.size());
        }
    const auto join_all = [&]<class T>(PodVector<T>& to, auto&& data_of)
    {
        std::vector<const T*> from(sources.size(), nullptr);
        for (size_t i = 0; i < sources.size(); ++i)
            if (const auto* source = source_of(i))
                from[i] = data_of(*source);
        to.resize_exact(rows);
        join_numbers(from, runs, to.data());
    };
    auto joined = std::make_shared<TemplateColumn>(list_);
    join_all(joined->ids_, [](const TemplateColumn& from) { return from.ids_.data(); });
    joined->numbers_.resize(number_lanes);
    for (size_t lane = 0; lane < number_lanes; ++lane)
    {
        NumberLane& to = joined->numbers_[lane];
        join_all(to.values,
                 [lane](const TemplateColumn& from) -> const int64_t*
                 { return lane < from.numbers_.size() ? from.numbers_[lane].values.data() : nullptr; });
        join_all(to.forms,
                 [lane](const TemplateColumn& from) -> const uint8_t*
                 { return lane < from.numbers_.size() ? from.numbers_[lane].forms.data() : nullptr; });
    }
    for (size_t lane = 0; lane < text_lanes; ++lane)
    {
        Columns from(sources.size());
        for (size_t i = 0; i < sources.size(); ++i)
            if (const auto* source = source_of(i))
            {
                if (lane < source->texts_.size() && source->texts_[lane])
                    from[i] = source->texts_[lane];
                else
                {
                    auto empty = std::make_shared<StringColumn>();
                    empty->offsets().assign(source->size(), 0);
                    from[i] = std::move(empty);
                }
            }
        joined->texts_.push_back(
            std::static_pointer_cast<const StringColumn>(join_runs(from, runs, rows)));
    }
    return joined;
}

std::vector<uint32_t> TemplateColumn::text_siblings() const
{
    const auto templates = list_->all();
    std::vector<uint8_t> used(templates.size() + 1, 0);
    for (const uint16_t id : ids_)
        used[id] = 1;
    std::vector<uint32_t> columns;
    for (size_t id = 1; id < used.size(); ++id)
        if (used[id])
            for (const auto& part : *templates[id - 1])
                if (part.kind == SlotKind::SiblingText &&
                    std::find(columns.begin(), columns.end(), part.sibling) == columns.end())
                    columns.push_back(part.sibling);
    return columns;
}

ColumnPtr TemplateColumn::to_flat() const
{
    BASALT_ASSERT(text_siblings().empty());
    RowIndexes rows(size());
    std::iota(rows.begin(), rows.end(), 0u);
    return render(rows, {});
}

std::shared_ptr<StringColumn>
TemplateColumn::render(const RowIndexes& rows,
                       const std::vector<const StringColumn*>& siblings) const
{
    const auto templates = list_->all();
    std::vector<Rendering> renderings(templates.size() + 1);
    auto out = std::make_shared<StringColumn>();
    out->reserve(rows.size());
    char buffer[64];
    for (const uint32_t row : rows)
    {
        const uint16_t id = ids_[row];
        Rendering& rendering = renderings[id];
        if (!rendering.parts)
        {
            rendering.parts = id == kRaw ? &raw_template() : templates[id - 1];
            rendering.times.resize(rendering.parts->size());
            for (size_t i = 0; i < rendering.parts->size(); ++i)
                if ((*rendering.parts)[i].kind == SlotKind::Time)
                    TimeShape::read((*rendering.parts)[i].text, rendering.times[i]);
        }
        auto& chars = out->chars();
        size_t number = 0;
        size_t text = 0;
        for (size_t i = 0; i < rendering.parts->size(); ++i)
        {
            const TemplatePart& part = (*rendering.parts)[i];
            std::string_view piece;
            if (part.kind == SlotKind::Literal)
                piece = part.text;
            else if (part.kind == SlotKind::SiblingText)
            {
                BASALT_ASSERT(part.sibling < siblings.size() && siblings[part.sibling]);
                piece = siblings[part.sibling]->at(row);
            }
            else if (has_text_lane(part))
                piece = texts_[text++]->at(row);
            else
            {
                const NumberLane& lane = numbers_[number++];
                const int64_t value = lane.values[row];
                const unsigned form = lane.forms[row];
                const char* end = nullptr;
                if (part.kind == SlotKind::SiblingNumber)
                    end = write_shortest_decimal(value, form, integer_power_of_ten(form), buffer);
                else if (part.kind == SlotKind::Time)
                    end = write_time(value, rendering.times[i], buffer);
                else
                    end = write_slot_number(part.kind, value, form,
                                            part.kind == SlotKind::Decimal
                                                ? integer_power_of_ten(form)
                                                : 1,
                                            buffer);
                piece = {buffer, static_cast<size_t>(end - buffer)};
            }
            chars.append(piece.data(), piece.size());
        }
        out->offsets().push_back(chars.size());
    }
    return out;
}

} // namespace basalt::encodings
