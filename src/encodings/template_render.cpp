#include "encodings/template_page.h"
#include "encodings/template_siblings.h"

#include <algorithm>
#include <emmintrin.h>

namespace basalt::inline encodings
{

namespace
{

constexpr size_t kMaxNumberBytes = 32; // that writing a number may touch
constexpr size_t kMaxLineBytes = size_t{3} << 30;

constexpr size_t kChunkRows = 2048; // written together, so that they stay in the cache

inline void copy_sixteen(char* to, const char* from)
{
    _mm_storeu_si128(reinterpret_cast<__m128i*>(to),
                     _mm_loadu_si128(reinterpret_cast<const __m128i*>(from)));
}

// Copies whole 16 bytes: both sides have room behind.
inline void copy_wide(char* to, const char* from, size_t size)
{
    if (size > 128)
    {
        std::memcpy(to, from, size);
        return;
    }
    for (size_t i = 0; i < size; i += 16)
        copy_sixteen(to + i, from + i);
}

// Writes nothing behind.
inline void copy_exact(char* to, const char* from, size_t size)
{
    if (size > 128)
        std::memcpy(to, from, size);
    else if (size >= 16)
    {
        size_t i = 0;
        for (; i + 16 <= size; i += 16)
            copy_sixteen(to + i, from + i);
        copy_sixteen(to + size - 16, from + size - 16);
    }
    else if (size >= 8)
    {
        const auto first = load<uint64_t>(from);
        const auto last = load<uint64_t>(from + size - 8);
        store(to, first);
        store(to + size - 8, last);
    }
    else if (size >= 4)
    {
        const auto first = load<uint32_t>(from);
        const auto last = load<uint32_t>(from + size - 4);
        store(to, first);
        store(to + size - 4, last);
    }
    else if (size)
    {
        to[0] = from[0];
        to[size / 2] = from[size / 2];
        to[size - 1] = from[size - 1];
    }
}

// A part of a template with the values of the rows that are being written.
struct Step
{
    enum class Kind : uint8_t
    {
        Literal,
        Number,   // of one form
        Shortest, // Decimal
        SiblingNumber,
        EachForm,
        Text,
        Codes, // of a dictionary of texts
        SiblingText,
    } kind = Kind::Literal;
    bool is_number() const { return kind >= Kind::Number && kind <= Kind::EachForm; }
    const TemplatePage::Part* part = nullptr;
    unsigned form = 0;
    uint64_t power = 1;
    const char* literal = nullptr; // with room to read behind
    size_t literal_size = 0;
    const int64_t* values = nullptr;
    const uint8_t* forms = nullptr;
    const StringColumn* texts = nullptr;
    // At least 16 bytes of the line follow: what is written behind is written over.
    bool has_room = false;
    char* written = nullptr; // texts of the numbers of a chunk, kMaxNumberBytes each
    uint8_t* sizes = nullptr;
};

// The rows of one template in a chunk.
struct TemplateRows
{
    const uint32_t* rows; // positions in the selection, ascending
    size_t count;
    const uint32_t* indexes; // of the slots' values, by position in the selection
};

template <class Write>
void write_each(const Step& step, const TemplateRows& rows, uint32_t* sizes, Write&& write)
{
    for (size_t k = 0; k < rows.count; ++k)
    {
        char* const out = step.written + k * kMaxNumberBytes;
        const uint32_t row = rows.rows[k];
        const auto size = static_cast<uint32_t>(write(row, out) - out);
        step.sizes[k] = static_cast<uint8_t>(size);
        sizes[row] += size;
    }
}

// Writes the texts of a number step and adds their sizes to those of the lines.
void write_numbers(const Step& step, const TemplateRows& rows, uint32_t* sizes)
{
    const int64_t* const values = step.values;
    const uint32_t* const indexes = rows.indexes;
    switch (step.kind)
    {
    case Step::Kind::Number:
        if (step.part->kind == SlotKind::Integer && step.form < 2)
            return write_each(step, rows, sizes, [=](uint32_t row, char* out)
                              { return write_integer(values[indexes[row]], 0, out); });
        return write_each(step, rows, sizes,
                          [&](uint32_t row, char* out) {
                              return step.part->write(values[indexes[row]], step.form, step.power,
                                                      out);
                          });
    case Step::Kind::Shortest:
        return write_each(
            step, rows, sizes, [&](uint32_t row, char* out)
            { return write_shortest_decimal(values[indexes[row]], step.form, step.power, out); });
    case Step::Kind::EachForm:
        return write_each(step, rows, sizes,
                          [&](uint32_t row, char* out)
                          {
                              const uint8_t form = step.forms[indexes[row]];
                              return step.part->write(values[indexes[row]], form,
                                                      integer_power_of_ten(form), out);
                          });
    default: // SiblingNumber
        return write_each(step, rows, sizes,
                          [&](uint32_t row, char* out)
                          {
                              return values[row] == SiblingNumbers::kNone
                                         ? out
                                         : write_shortest_decimal(values[row], step.form,
                                                                  step.power, out);
                          });
    }
}

inline std::string_view text_of(const Step& step, uint32_t row, const uint32_t* indexes)
{
    switch (step.kind)
    {
    case Step::Kind::SiblingText:
        return step.texts->at(row);
    case Step::Kind::Codes:
        return step.texts->at(static_cast<size_t>(step.values[indexes[row]]));
    default:
        return step.texts->at(indexes[row]);
    }
}

// The lines of one template of a chunk; starts: where the lines from row `first` on begin in chars.
void write_lines(const Step* begin, const Step* end, const TemplateRows& rows, size_t first,
                 const uint64_t* starts, char* chars)
{
    for (size_t k = 0; k < rows.count; ++k)
    {
        const uint32_t row = rows.rows[k];
        char* at = chars + starts[row - first];
        for (const Step* step = begin; step != end; ++step)
        {
            const char* from = nullptr;
            size_t size = 0;
            switch (step->kind)
            {
            case Step::Kind::Literal:
                from = step->literal;
                size = step->literal_size;
                break;
            case Step::Kind::SiblingText:
            case Step::Kind::Codes:
            case Step::Kind::Text:
            {
                const std::string_view text = text_of(*step, row, rows.indexes);
                from = text.data();
                size = text.size();
                break;
            }
            default:
                from = step->written + k * kMaxNumberBytes;
                size = step->sizes[k];
            }
            if (step->has_room)
                copy_wide(at, from, size);
            else
                copy_exact(at, from, size);
            at += size;
        }
    }
}

} // namespace

void TemplatePage::render(const Selection& selection, size_t most, StringColumn& out) const
{
    if (most == kWholeLine)
        return render_parts(selection, most, out);
    StringColumn lines;
    render_parts(selection, most, lines);
    for (size_t i = 0; i < lines.size(); ++i)
        out.append(lines.at(i).substr(0, most));
}

void TemplatePage::render_parts(const Selection& selection, size_t most, StringColumn& out) const
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
    struct Mantissas
    {
        size_t sibling;
        unsigned scale;
        const int64_t* values;
    };
    std::vector<Mantissas> known_mantissas;
    const auto mantissas = [&](size_t index, const Column& column, unsigned scale)
    {
        for (const auto& known : known_mantissas)
            if (known.sibling == index && known.scale == scale)
                return known.values;
        auto& made = values.emplace_back(rows);
        read_sibling_mantissas(column, 0, rows, scale, made.data());
        known_mantissas.push_back({index, scale, made.data()});
        return static_cast<const int64_t*>(made.data());
    };
    std::deque<PodVector<uint8_t>> forms;
    std::vector<ColumnPtr> texts;
    PodVector<char> literals;
    std::vector<Step> steps;
    PodVector<uint32_t> first_step(width + 1, 0);
    PodVector<uint32_t> literal_sizes(width, 0);
    PodVector<uint32_t> number_steps(width, 0);
    for (size_t t = 0; t < width; ++t)
    {
        first_step[t] = static_cast<uint32_t>(steps.size());
        if (uses[t] == 0)
            continue;
        const size_t from = cursor[t];
        const size_t count = needed[t];
        if (from + count > cursor_end[t])
            throw_damaged_page("a template has another number of rows");
        size_t certain = 0; // bytes of literals
        for (const Part& part : templates_[t].parts)
        {
            if (certain >= most)
                break; // what follows is cut
            certain += part.kind == SlotKind::Literal ? part.text.size() : 0;
            Step step;
            step.part = &part;
            if (part.kind == SlotKind::Literal)
            {
                // Where it stands in `literals`, made a pointer when all are there.
                step.literal_size = part.text.size();
                literals.append(part.text.data(), part.text.size());
                literal_sizes[t] += static_cast<uint32_t>(part.text.size());
            }
            else if (part.kind == SlotKind::SiblingText)
            {
                const Column& column = sibling(part.sibling);
                if (column.form() != ColumnForm::String)
                    throw_damaged_page("a column that it refers to is no text");
                step.kind = Step::Kind::SiblingText;
                step.texts = &column_as<StringColumn>(column);
            }
            else if (part.kind == SlotKind::SiblingNumber)
            {
                const Column& column = sibling(part.sibling);
                if (column.form() != ColumnForm::Vector)
                    throw_damaged_page("a column that it refers to is no number");
                step.kind = Step::Kind::SiblingNumber;
                step.values = mantissas(part.sibling, column, part.scale);
                step.form = part.scale;
                step.power = integer_power_of_ten(part.scale);
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
            }
            number_steps[t] += step.is_number();
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

    // Lines end in bytes that are written over by nothing else: see has_room.
    for (size_t t = 0; t < width; ++t)
    {
        size_t behind = 0;
        for (size_t i = first_step[t + 1]; i-- > first_step[t];)
        {
            Step& step = steps[i];
            step.has_room = behind >= 16;
            if (step.kind == Step::Kind::Literal)
                behind += step.literal_size;
            else if (step.kind == Step::Kind::SiblingText)
                behind += step.part->sibling_length;
            else if (step.kind == Step::Kind::Number)
                ++behind;
        }
    }

    out.offsets().reserve(out.offsets().size() + rows);
    PodVector<uint32_t> order(std::min(rows, kChunkRows));
    PodVector<uint32_t> sizes(rows);
    PodVector<uint64_t> starts(order.size());
    PodVector<uint32_t> ends(width);
    PodVector<char> numbers;
    PodVector<uint8_t> number_sizes;
    for (size_t first = 0; first < rows; first += kChunkRows)
    {
        const size_t count = std::min(kChunkRows, rows - first);
        // Rows by template.
        std::fill_n(ends.data(), width, 0);
        for (size_t i = 0; i < count; ++i)
            ++ends[selection.templates[first + i]];
        size_t sum = 0;
        size_t written = 0;
        for (size_t t = 0; t < width; ++t)
        {
            const size_t of_template = ends[t];
            ends[t] = static_cast<uint32_t>(sum);
            sum += of_template;
            written += of_template * number_steps[t];
        }
        for (size_t i = 0; i < count; ++i)
        {
            const auto row = static_cast<uint32_t>(first + i);
            const uint32_t t = selection.templates[row];
            sizes[row] = literal_sizes[t];
            order[ends[t]++] = row;
        }
        numbers.resize(written * kMaxNumberBytes);
        number_sizes.resize(written);

        written = 0;
        const auto rows_of = [&](size_t t)
        {
            const size_t begin = t ? ends[t - 1] : 0;
            return TemplateRows{order.data() + begin, ends[t] - begin, selection.indexes.data()};
        };
        for (size_t t = 0; t < width; ++t)
        {
            const TemplateRows lines = rows_of(t);
            if (lines.count == 0)
                continue;
            for (size_t i = first_step[t]; i < first_step[t + 1]; ++i)
            {
                Step& step = steps[i];
                if (step.is_number())
                {
                    step.written = numbers.data() + written * kMaxNumberBytes;
                    step.sizes = number_sizes.data() + written;
                    written += lines.count;
                    write_numbers(step, lines, sizes.data());
                }
                else if (step.kind != Step::Kind::Literal)
                    for (size_t k = 0; k < lines.count; ++k)
                    {
                        const uint32_t row = lines.rows[k];
                        const size_t size = text_of(step, row, lines.indexes).size();
                        if (size > kMaxLineBytes - sizes[row])
                            throw_damaged_page("a line is too long");
                        sizes[row] += static_cast<uint32_t>(size);
                    }
            }
        }
        uint64_t end = out.chars().size();
        for (size_t i = 0; i < count; ++i)
        {
            starts[i] = end;
            end += sizes[first + i];
            out.offsets().push_back(end);
        }
        out.chars().resize(end);
        for (size_t t = 0; t < width; ++t)
            if (const TemplateRows lines = rows_of(t); lines.count)
                write_lines(steps.data() + first_step[t], steps.data() + first_step[t + 1], lines,
                            first, starts.data(), out.chars().data());
    }
}

} // namespace basalt::encodings
