#include "encodings/template_page.h"

#include <algorithm>

namespace basalt::inline encodings
{

SharedTemplates::SharedTemplates(std::string_view bytes)
{
    StreamSource source(bytes);
    ByteReader& reader = source.description();
    const size_t columns = reader.count(reader.left(), "too many columns are referred to");
    for (size_t i = 0; i < columns; ++i)
        siblings.push_back(static_cast<uint32_t>(reader.count(UINT32_MAX, "a column number")));
    const size_t count = reader.count(kMaxTemplates, "there are too many templates");
    for (size_t i = 0; i < count; ++i)
    {
        templates.push_back(read_template(reader));
        for (const auto& part : templates.back())
            if (is_sibling(part.kind) &&
                std::find(siblings.begin(), siblings.end(), part.sibling) == siblings.end())
                throw_damaged_page("a template refers to a column that is not named");
    }
}

TemplatePage::TemplatePage(const PageHead& head, std::shared_ptr<const SharedTemplates> shared,
                           PageBytes bytes, const std::vector<EncodedPagePtr>& siblings,
                           size_t depth)
    : owner_(std::move(bytes.owner)), shared_(std::move(shared)), siblings_(siblings),
      source_(bytes.bytes.substr(kPageHeadBytes)), rows_(head.rows), depth_(depth)
{
    BASALT_ASSERT(siblings_.size() == shared_->siblings.size());
    for (const auto& page : siblings_)
        if (page->rows() != rows_)
            throw_damaged_page("a column that it refers to has another number of rows");
    ByteReader& reader = source_.description();
    const size_t count = reader.count(kMaxTemplates + 1, "it has too many templates");
    auto& numbers = shared_numbers_;
    numbers.resize(count);
    templates_.resize(count);
    slots_.resize(count);
    size_t sum = 0;
    for (size_t i = 0; i < count; ++i)
    {
        numbers[i] = static_cast<uint32_t>(
            reader.count(shared_->templates.size(), "a template is missing"));
        templates_[i].count =
            static_cast<uint32_t>(reader.count(rows_, "a template has too many rows"));
        sum += templates_[i].count;
    }
    if (sum != rows_)
        throw_damaged_page("its templates have another number of rows");
    ids_ = IntegerReader(source_.next(), rows_);
    static const TextTemplate kRest = rest_template();
    for (size_t i = 0; i < count; ++i)
    {
        const TextTemplate& parts = numbers[i] ? shared_->templates[numbers[i] - 1] : kRest;
        for (const auto& part : parts)
        {
            Part opened;
            read_part(part, templates_[i].count, source_, opened);
            if (has_number_lane(part) || has_text_lane(part))
                slots_[i].push_back({part.kind, opened.sibling, opened.scale, opened.numbers,
                                     opened.texts});
            add_part(templates_[i], std::move(opened));
        }
    }
    read_text_facts(reader);
}

// Absent in pages of older programs.
void TemplatePage::read_text_facts(ByteReader& reader)
{
    const size_t known =
        reader.left() ? reader.count(siblings_.size(), "too many columns are referred to") : 0;
    std::vector<TextFacts> facts(siblings_.size());
    for (size_t i = 0; i < known; ++i)
        facts[i] = TextFacts::read(reader);
    for (auto& one : templates_)
        for (auto& part : one.parts)
            if (part.kind == SlotKind::SiblingText)
            {
                part.sibling_alphabet = facts[part.sibling].alphabet;
                part.sibling_length = facts[part.sibling].length;
            }
}

void TemplatePage::read_part(const TemplatePart& part, size_t count, StreamSource& source,
                             Part& out)
{
    out.kind = part.kind;
    if (part.kind == SlotKind::Literal)
        out.text = part.text;
    else if (is_sibling(part.kind))
    {
        out.sibling = static_cast<size_t>(
            std::find(shared_->siblings.begin(), shared_->siblings.end(), part.sibling) -
            shared_->siblings.begin());
        if (part.kind == SlotKind::SiblingNumber)
            out.scale = static_cast<unsigned>(
                source.description().count(kMaxSlotDecimals, "a scale is too large"));
    }
    else if (part.is_text_slot())
    {
        out.texts = &texts_.emplace_back(source.next(), count, depth_);
        // All texts are written alike from here on.
        out.kind = SlotKind::Rest;
    }
    else
    {
        if (part.kind == SlotKind::Time)
            TimeShape::read(part.text, out.time);
        out.numbers = &numbers_.emplace_back(part.kind, count, source);
    }
}

void TemplatePage::add_part(PageTemplate& into, Part part) const
{
    if (part.numbers && part.numbers->values.is_constant() &&
        part.numbers->form_kind == NumberForm::Same)
    {
        char buffer[64];
        const auto value = static_cast<int64_t>(part.numbers->values.constant());
        const unsigned form = slot_form(part.kind, part.numbers->form);
        const char* end = part.write(value, form, integer_power_of_ten(form), buffer);
        part.kind = SlotKind::Literal;
        part.text.assign(buffer, static_cast<size_t>(end - buffer));
        part.numbers = nullptr;
    }
    if (part.texts && part.texts->dictionary() && part.texts->dictionary()->size() == 1 &&
        part.texts->dictionary()->chars().size() <= kMaxTemplateLine)
    {
        part.kind = SlotKind::Literal;
        part.text = part.texts->dictionary()->at(0);
        part.texts = nullptr;
    }
    if (part.kind == SlotKind::Literal && !into.parts.empty() &&
        into.parts.back().kind == SlotKind::Literal)
        into.parts.back().text += part.text;
    else
        into.parts.push_back(std::move(part));
}

const uint32_t* TemplatePage::cursors(size_t block) const
{
    std::call_once(cursors_once_,
                   [&]
                   {
                       const size_t width = templates_.size();
                       const size_t blocks = (rows_ + kIntegerBlock - 1) / kIntegerBlock;
                       cursors_.assign((blocks + 1) * width, 0);
                       PodVector<uint32_t> ids(kIntegerBlock);
                       for (size_t b = 0; b < blocks; ++b)
                       {
                           const size_t begin = b * kIntegerBlock;
                           const size_t count = std::min(kIntegerBlock, rows_ - begin);
                           ids_.read_as(begin, count, ids.data());
                           uint32_t* next = cursors_.data() + (b + 1) * width;
                           std::copy_n(next - width, width, next);
                           for (size_t i = 0; i < count; ++i)
                           {
                               if (ids[i] >= width)
                                   throw_damaged_page("a template is missing");
                               ++next[ids[i]];
                           }
                       }
                       for (size_t t = 0; t < width; ++t)
                           if (cursors_[blocks * width + t] != templates_[t].count)
                               throw_damaged_page("a template has another number of rows");
                   });
    return cursors_.data() + block * templates_.size();
}

void TemplatePage::select(size_t block, size_t first, size_t count, const RowIndexes* rows,
                          Selection& selection) const
{
    cursors(block); // checks the ids
    selection.block_begin = block * kIntegerBlock;
    selection.first = first;
    PodVector<uint32_t> ids(first + count);
    ids_.read_as(selection.block_begin, first + count, ids.data());
    PodVector<uint32_t> next(templates_.size(), 0);
    for (size_t i = 0; i < first; ++i)
        ++next[ids[i]];
    if (!rows)
    {
        selection.templates.resize(count);
        selection.indexes.resize(count);
        for (size_t i = 0; i < count; ++i)
        {
            const uint32_t id = ids[first + i];
            selection.templates[i] = id;
            selection.indexes[i] = next[id]++;
        }
        return;
    }
    selection.rows = *rows;
    size_t at = first;
    for (const uint32_t row : *rows)
    {
        for (; at < row; ++at)
            ++next[ids[at]];
        selection.templates.push_back(ids[row]);
        selection.indexes.push_back(next[ids[row]]);
    }
}

ColumnPtr TemplatePage::decode(size_t begin, size_t count) const
{
    return write_range(begin, count, kWholeLine);
}

ColumnPtr TemplatePage::decode_rows(const RowIndexes& rows) const
{
    return write_rows(rows, kWholeLine);
}

std::shared_ptr<StringColumn> TemplatePage::write_range(size_t begin, size_t count,
                                                        size_t most) const
{
    BASALT_ASSERT(begin + count <= rows_);
    auto column = std::make_shared<StringColumn>();
    column->offsets().reserve(count);
    while (count)
    {
        const size_t block = begin / kIntegerBlock;
        const size_t first = begin % kIntegerBlock;
        const size_t some = std::min(count, kIntegerBlock - first);
        Selection selection;
        select(block, first, some, nullptr, selection);
        render(selection, most, *column);
        begin += some;
        count -= some;
    }
    return column;
}

std::shared_ptr<StringColumn> TemplatePage::write_rows(const RowIndexes& rows, size_t most) const
{
    auto column = std::make_shared<StringColumn>();
    for (size_t i = 0; i < rows.size();)
    {
        BASALT_ASSERT(rows[i] < rows_);
        const size_t block = rows[i] / kIntegerBlock;
        RowIndexes inside;
        for (; i < rows.size() && rows[i] / kIntegerBlock == block; ++i)
            inside.push_back(static_cast<uint32_t>(rows[i] % kIntegerBlock));
        Selection selection;
        select(block, 0, inside.back() + 1, &inside, selection);
        render(selection, most, *column);
    }
    return column;
}

// Templates that begin with enough text give one dictionary entry each; the begin of the other
// rows is written, an entry each.
ColumnPtr TemplatePage::decode_prefix(size_t begin, size_t count, size_t bytes) const
{
    BASALT_ASSERT(begin + count <= rows_);
    auto dictionary = std::make_shared<StringColumn>();
    constexpr uint32_t kUnknown = UINT32_MAX;
    PodVector<uint32_t> code_of(templates_.size(), kUnknown);
    size_t known_rows = 0;
    for (size_t t = 0; t < templates_.size(); ++t)
    {
        const auto& parts = templates_[t].parts;
        const bool is_text = parts.empty() || (parts[0].kind == SlotKind::Literal &&
                                               (parts[0].text.size() >= bytes || parts.size() == 1));
        if (!is_text)
            continue;
        code_of[t] = static_cast<uint32_t>(dictionary->size());
        dictionary->append(parts.empty() ? std::string_view()
                                         : std::string_view(parts[0].text).substr(0, bytes));
        known_rows += templates_[t].count;
    }
    if (known_rows * 2 < rows_)
        return write_range(begin, count, bytes);
    PodVector<uint32_t> codes(count);
    ids_.read_as(begin, count, codes.data());
    RowIndexes others;
    for (size_t i = 0; i < count; ++i)
    {
        if (codes[i] >= code_of.size())
            throw_damaged_page("a template is missing");
        codes[i] = code_of[codes[i]];
        if (codes[i] == kUnknown)
            others.push_back(static_cast<uint32_t>(begin + i));
    }
    if (!others.empty())
    {
        const auto lines = write_rows(others, bytes);
        for (size_t i = 0; i < others.size(); ++i)
        {
            codes[others[i] - begin] = static_cast<uint32_t>(dictionary->size());
            dictionary->append(lines->at(i));
        }
    }
    return std::make_shared<DictionaryColumn>(std::move(dictionary), std::move(codes));
}

} // namespace basalt::encodings
