// Reading a page of templates as templates and slots, without writing lines.

#include "encodings/template_page.h"

#include <algorithm>

namespace basalt::inline encodings
{

// The slots of some rows of one block at a time, put into lanes.
class TemplatePage::SlotReader
{
public:
    SlotReader(const TemplatePage& page, TemplateColumn& out, size_t rows) : page_(page), out_(out)
    {
        size_t numbers = 0;
        size_t texts = 0;
        for (const auto& slots : page.slots_)
        {
            const auto with_text = static_cast<size_t>(std::count_if(
                slots.begin(), slots.end(), [](const Slot& slot) { return slot.texts != nullptr; }));
            texts = std::max(texts, with_text);
            numbers = std::max(numbers, slots.size() - with_text);
        }
        out.numbers().resize(numbers);
        for (auto& lane : out.numbers())
        {
            lane.values.assign(rows, 0);
            lane.forms.assign(rows, 0);
        }
        texts_.resize(texts);
        for (auto& lane : texts_)
            lane.assign(rows, std::string_view());
    }

    // Rows [first, first + count) of the block, to rows `to` and on.
    void read(size_t block, size_t first, size_t count, size_t to,
              const std::vector<uint16_t>& ids)
    {
        const size_t width = page_.templates_.size();
        const uint32_t* before = page_.cursors(block); // checks the ids
        codes_.resize(first + count);
        page_.ids_.read_as(block * kIntegerBlock, first + count, codes_.data());
        PodVector<uint32_t> skipped(width, 0);
        for (size_t i = 0; i < first; ++i)
            ++skipped[codes_[i]];
        PodVector<uint32_t> starts(width + 1, 0);
        for (size_t i = first; i < first + count; ++i)
        {
            ++starts[codes_[i] + 1];
            out_.ids()[to + i - first] = ids[codes_[i]];
        }
        for (size_t t = 0; t < width; ++t)
            starts[t + 1] += starts[t];
        rows_.resize(count);
        PodVector<uint32_t> next = starts;
        for (size_t i = 0; i < count; ++i)
            rows_[next[codes_[first + i]]++] = static_cast<uint32_t>(i);
        for (size_t t = 0; t < width; ++t)
            if (const size_t n = starts[t + 1] - starts[t])
                read_template(page_.slots_[t], before[t] + skipped[t], rows_.data() + starts[t], n,
                              block * kIntegerBlock + first, count, to);
        mantissas_.clear();
    }

    void finish()
    {
        for (const auto& lane : texts_)
        {
            auto column = std::make_shared<StringColumn>();
            column->reserve(lane.size());
            for (const std::string_view text : lane)
                column->append(text);
            out_.texts().push_back(std::move(column));
        }
    }

private:
    struct Mantissas
    {
        size_t sibling;
        unsigned scale;
        PodVector<int64_t> values;
    };

    // Slot values [from, from + n) belong to rows[0, n), counted from page row `begin` and from
    // row `to` of the result.
    void read_template(const std::vector<Slot>& slots, size_t from, const uint32_t* rows, size_t n,
                       size_t begin, size_t count, size_t to)
    {
        size_t number = 0;
        size_t text = 0;
        for (const Slot& slot : slots)
        {
            if (slot.texts)
                read_texts(*slot.texts, from, rows, n, texts_[text++].data() + to);
            else
                read_numbers(slot, from, rows, n, begin, count, out_.numbers()[number++], to);
        }
    }

    void read_numbers(const Slot& slot, size_t from, const uint32_t* rows, size_t n, size_t begin,
                      size_t count, NumberLane& lane, size_t to)
    {
        int64_t* values = lane.values.data() + to;
        uint8_t* forms = lane.forms.data() + to;
        if (slot.kind == SlotKind::SiblingNumber)
        {
            const int64_t* mantissas = mantissas_of(slot, begin, count);
            for (size_t k = 0; k < n; ++k)
            {
                values[rows[k]] = mantissas[rows[k]];
                forms[rows[k]] = static_cast<uint8_t>(slot.scale);
            }
            return;
        }
        const SlotNumbers& numbers = *slot.numbers;
        buffer_.resize(n);
        numbers.values.read(from, n, buffer_.data());
        if (numbers.form_kind == NumberForm::Each)
        {
            forms_.resize(n);
            numbers.forms.read(from, n, forms_.data());
        }
        for (size_t k = 0; k < n; ++k)
        {
            auto value = static_cast<int64_t>(buffer_[k]);
            uint8_t form = slot_form(
                slot.kind, numbers.form_kind == NumberForm::Each ? forms_[k] : numbers.form);
            if (numbers.form_kind == NumberForm::Shortest)
                for (; form && value % 10 == 0; --form)
                    value /= 10;
            // Only what is filled with zeros has a width.
            if (slot.kind == SlotKind::Integer && form &&
                digits_of_number(magnitude(value)) >= form)
                form = 0;
            values[rows[k]] = value;
            forms[rows[k]] = form;
        }
    }

    const int64_t* mantissas_of(const Slot& slot, size_t begin, size_t count)
    {
        for (const auto& known : mantissas_)
            if (known.sibling == slot.sibling && known.scale == slot.scale)
                return known.values.data();
        Mantissas made{slot.sibling, slot.scale, PodVector<int64_t>(count)};
        const ColumnPtr column =
            basalt::to_flat(page_.siblings_[slot.sibling]->decode(begin, count));
        read_sibling_mantissas(*column, 0, count, slot.scale, made.values.data());
        mantissas_.push_back(std::move(made));
        return mantissas_.back().values.data();
    }

    void read_texts(const TextValues& texts, size_t from, const uint32_t* rows, size_t n,
                    std::string_view* to)
    {
        if (const StringColumn* dictionary = texts.dictionary())
        {
            buffer_.resize(n);
            texts.read_codes(from, n, buffer_.data());
            for (size_t k = 0; k < n; ++k)
                to[rows[k]] = dictionary->at(buffer_[k]);
            return;
        }
        held_.push_back(texts.read(from, n));
        const auto& read = column_as<StringColumn>(*held_.back());
        for (size_t k = 0; k < n; ++k)
            to[rows[k]] = read.at(k);
    }

    const TemplatePage& page_;
    TemplateColumn& out_;
    std::vector<std::vector<std::string_view>> texts_; // by lane, row
    Columns held_;                                     // what texts_ refer to
    std::deque<Mantissas> mantissas_;                  // of the rows being read
    PodVector<uint32_t> codes_, rows_;
    PodVector<uint64_t> buffer_, forms_;
};

std::shared_ptr<const TemplateColumn>
TemplatePage::decode_slots(size_t begin, size_t count, const TemplateListPtr& list,
                           const std::vector<uint16_t>& ids) const
{
    BASALT_ASSERT(begin + count <= rows_ && ids.size() == templates_.size());
    auto column = std::make_shared<TemplateColumn>(list);
    column->ids().resize_exact(count);
    SlotReader reader(*this, *column, count);
    for (size_t done = 0; done < count;)
    {
        const size_t block = (begin + done) / kIntegerBlock;
        const size_t first = (begin + done) % kIntegerBlock;
        const size_t some = std::min(count - done, kIntegerBlock - first);
        reader.read(block, first, some, done, ids);
        done += some;
    }
    reader.finish();
    return column;
}

} // namespace basalt::encodings
