#include "encodings/template_page.h"
#include "encodings/template_siblings.h"

#include <algorithm>
#include <emmintrin.h>

namespace basalt::inline encodings
{

namespace
{

constexpr size_t kMaxNumberBytes = 32; // of the text of a number

// Copies whole 16 bytes: both sides have room behind.
inline void copy_wide(char* to, const char* from, size_t size)
{
    if (size > 128)
    {
        std::memcpy(to, from, size);
        return;
    }
    for (size_t i = 0; i < size; i += 16)
        _mm_storeu_si128(reinterpret_cast<__m128i*>(to + i),
                         _mm_loadu_si128(reinterpret_cast<const __m128i*>(from + i)));
}

// A part of a template with the values of the rows that are being written.
struct Step
{
    enum class Kind : uint8_t
    {
        Literal,
        Number,   // of one form
        Shortest, // Decimal
        EachForm,
        Text,
        Codes, // of a dictionary of texts
        SiblingText,
        SiblingNumber,
    } kind = Kind::Literal;
    const TemplatePage::Part* part = nullptr;
    unsigned form = 0;
    uint64_t power = 1;
    const char* literal = nullptr; // with room to read behind
    size_t literal_size = 0;
    const int64_t* values = nullptr;
    const uint8_t* forms = nullptr;
    const StringColumn* texts = nullptr;
};

} // namespace

void TemplatePage::render(const Selection& selection, StringColumn& out) const
{
    const size_t rows = selection.size();
    const size_t width = templates_.size();
    const size_t block = selection.block_begin / kIntegerBlock;
    const uint32_t* cursor = cursors(block);
    const uint32_t* cursor_end = cursors(block) + width;

    // How many slot values of each template are needed.
    PodVector<uint32_t> needed(width, 0);
    PodVector<uint32_t> uses(width, 0);
    for (size_t i = 0; i < rows; ++i)
    {
        needed[selection.templates[i]] = selection.indexes[i] + 1;
        ++uses[selection.templates[i]];
    }
    // Columns of siblings, read when a template needs them.
    std::vector<ColumnPtr> sibling_columns(siblings_.size());
    const auto sibling = [&](size_t index) -> const Column&
    {
        ColumnPtr& column = sibling_columns[index];
        if (!column)
        {
            if (selection.rows.empty())
                column = siblings_[index]->decode(selection.block_begin + selection.first, rows);
            else
            {
                RowIndexes absolute(rows);
                for (size_t i = 0; i < rows; ++i)
                    absolute[i] = static_cast<uint32_t>(selection.block_begin + selection.rows[i]);
                column = siblings_[index]->decode_rows(absolute);
            }
            column = to_flat(column);
            if (column->size() != rows)
                throw_damaged_page("a column that it refers to has another number of rows");
        }
        return *column;
    };

    std::deque<PodVector<int64_t>> values;
    std::deque<PodVector<uint8_t>> forms;
    std::vector<ColumnPtr> texts;
    PodVector<char> literals;
    std::vector<Step> steps;
    PodVector<uint32_t> first_step(width + 1, 0);
    size_t bound = 64;      // of literals and numbers
    size_t text_bytes = 0;  // expected of texts
    for (size_t t = 0; t < width; ++t)
    {
        first_step[t] = static_cast<uint32_t>(steps.size());
        if (uses[t] == 0)
            continue;
        const size_t from = cursor[t];
        const size_t count = needed[t];
        if (from + count > cursor_end[t])
            throw_damaged_page("a template has another number of rows");
        for (const Part& part : templates_[t].parts)
        {
            Step step;
            step.part = &part;
            if (part.kind == SlotKind::Literal)
            {
                // Where it stands in `literals`, made a pointer when all are there.
                step.literal_size = part.text.size();
                literals.append(part.text.data(), part.text.size());
                bound += part.text.size() * uses[t];
            }
            else if (part.kind == SlotKind::SiblingText)
            {
                const Column& column = sibling(part.sibling);
                if (column.form() != ColumnForm::String)
                    throw_damaged_page("a column that it refers to is no text");
                step.kind = Step::Kind::SiblingText;
                step.texts = &column_as<StringColumn>(column);
                text_bytes += step.texts->chars().size() / rows * uses[t];
            }
            else if (part.kind == SlotKind::SiblingNumber)
            {
                const Column& column = sibling(part.sibling);
                if (column.form() != ColumnForm::Vector)
                    throw_damaged_page("a column that it refers to is no number");
                step.kind = Step::Kind::SiblingNumber;
                auto& mantissas = values.emplace_back(rows);
                read_sibling_mantissas(column, 0, rows, part.scale, mantissas.data());
                step.values = mantissas.data();
                step.form = part.scale;
                step.power = integer_power_of_ten(part.scale);
                bound += kMaxNumberBytes * uses[t];
            }
            else if (part.numbers)
            {
                auto& read = values.emplace_back(count);
                part.numbers->values.read(from, count, reinterpret_cast<uint64_t*>(read.data()));
                step.values = read.data();
                step.form = slot_form(part.kind, part.numbers->form);
                step.power = integer_power_of_ten(step.form);
                step.kind = part.numbers->form_kind == NumberForm::Shortest
                                ? Step::Kind::Shortest
                                : Step::Kind::Number;
                if (part.numbers->form_kind == NumberForm::Each)
                {
                    step.kind = Step::Kind::EachForm;
                    PodVector<uint64_t> wide(count);
                    part.numbers->forms.read(from, count, wide.data());
                    auto& each = forms.emplace_back(count);
                    for (size_t i = 0; i < count; ++i)
                        each[i] = slot_form(part.kind, wide[i]);
                    step.forms = each.data();
                }
                bound += kMaxNumberBytes * uses[t];
            }
            else if (part.texts->dictionary())
            {
                auto& codes = values.emplace_back(count);
                part.texts->read_codes(from, count, reinterpret_cast<uint64_t*>(codes.data()));
                step.kind = Step::Kind::Codes;
                step.values = codes.data();
                step.texts = part.texts->dictionary();
            }
            else
            {
                texts.push_back(part.texts->read(from, count));
                step.kind = Step::Kind::Text;
                step.texts = &column_as<StringColumn>(*texts.back());
                text_bytes += step.texts->chars().size();
            }
            steps.push_back(step);
        }
    }
    first_step[width] = static_cast<uint32_t>(steps.size());
    const char* next_literal = literals.data();
    for (auto& step : steps)
    {
        step.literal = next_literal;
        next_literal += step.literal_size;
    }

    const size_t start = out.chars().size();
    out.chars().resize(start + bound + text_bytes + text_bytes / 16);
    char* at = out.chars().data() + start;
    char* limit = out.chars().data() + out.chars().size();
    const auto make_room = [&](size_t size)
    {
        // Texts are not in the bound.
        if (static_cast<size_t>(limit - at) >= size + bound)
            return;
        const auto used = static_cast<size_t>(at - out.chars().data());
        out.chars().resize(used + bound + std::max(size, used / 2));
        at = out.chars().data() + used;
        limit = out.chars().data() + out.chars().size();
    };
    const size_t old_rows = out.offsets().size();
    out.offsets().resize(old_rows + rows);
    uint64_t* offsets = out.offsets().data() + old_rows;
    for (size_t i = 0; i < rows; ++i)
    {
        const uint32_t t = selection.templates[i];
        const size_t index = selection.indexes[i];
        const Step* const end = steps.data() + first_step[t + 1];
        for (const Step* step = steps.data() + first_step[t]; step != end; ++step)
        {
            switch (step->kind)
            {
            case Step::Kind::Literal:
                copy_wide(at, step->literal, step->literal_size);
                at += step->literal_size;
                break;
            case Step::Kind::Number:
                at = step->part->write(step->values[index], step->form, step->power, at);
                break;
            case Step::Kind::Shortest:
                at = write_shortest_decimal(step->values[index], step->form, step->power, at);
                break;
            case Step::Kind::EachForm:
                at = step->part->write(step->values[index], step->forms[index],
                                       integer_power_of_ten(step->forms[index]), at);
                break;
            case Step::Kind::SiblingNumber:
                if (step->values[i] != SiblingNumbers::kNone)
                    at = write_shortest_decimal(step->values[i], step->form, step->power, at);
                break;
            default:
            {
                const size_t row = step->kind == Step::Kind::SiblingText ? i
                                   : step->kind == Step::Kind::Codes
                                       ? static_cast<size_t>(step->values[index])
                                       : index;
                const std::string_view text = step->texts->at(row);
                make_room(text.size());
                copy_wide(at, text.data(), text.size());
                at += text.size();
            }
            }
        }
        offsets[i] = static_cast<uint64_t>(at - out.chars().data());
    }
    out.chars().resize(static_cast<size_t>(at - out.chars().data()));
}

} // namespace basalt::encodings
