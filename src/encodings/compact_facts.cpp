#include "encodings/compact_facts.h"

#include "encodings/slot_text.h"
#include "encodings/slot_time.h"

#include <algorithm>

namespace basalt::inline encodings
{

namespace
{

size_t number_bytes(SlotKind kind, int64_t value, unsigned form)
{
    const size_t sign = value < 0;
    const uint64_t digits = magnitude(value);
    switch (kind)
    {
    case SlotKind::Integer:
        return sign + std::max<size_t>(digits_of_number(digits | (digits == 0)), form);
    case SlotKind::SiblingNumber:
    {
        uint64_t rest = digits;
        for (; form && rest % 10 == 0; --form)
            rest /= 10;
        return sign + std::max<size_t>(digits_of_number(rest | (rest == 0)), form + 1) + (form > 0);
    }
    case SlotKind::Decimal:
        return sign + std::max<size_t>(digits_of_number(digits | (digits == 0)), form + 1) +
               (form > 0);
    case SlotKind::HexLower:
    case SlotKind::HexUpper:
        return form;
    default:
    {
        char buffer[64];
        return static_cast<size_t>(write_slot_number(kind, value, form, 1, buffer) - buffer);
    }
    }
}

// The least text that sorts after all that begin with `text`; nullopt when there is none.
std::optional<std::string> after_all_of(std::string_view text)
{
    std::string bound(text.substr(0, kMaxStatisticBytes));
    while (!bound.empty() && static_cast<unsigned char>(bound.back()) == 0xFF)
        bound.pop_back();
    if (bound.empty())
        return std::nullopt;
    bound.back() = static_cast<char>(static_cast<unsigned char>(bound.back()) + 1);
    return bound;
}

} // namespace

TextTotals totals_of(const HexColumn& column)
{
    const size_t length = column.hex_form().length();
    return {column.size() * length, column.size() * (length + varint_bytes(length))};
}

TextTotals totals_of(const TemplateColumn& column, const SiblingColumns& siblings)
{
    struct Slot
    {
        SlotKind kind;
        const NumberLane* numbers = nullptr;
        const StringColumn* texts = nullptr;
    };
    struct Shape
    {
        bool known = false;
        size_t fixed = 0; // bytes
        std::vector<Slot> slots;
    };
    const auto templates = column.list()->all();
    std::vector<Shape> shapes(templates.size() + 1);
    static const TextTemplate kRest = rest_template();
    TextTotals totals;
    for (size_t row = 0; row < column.size(); ++row)
    {
        const uint16_t id = column.ids()[row];
        Shape& shape = shapes[id];
        if (!shape.known)
        {
            shape.known = true;
            size_t number = 0, text = 0;
            for (const auto& part : id ? *templates[id - 1] : kRest)
            {
                if (part.kind == SlotKind::Literal)
                    shape.fixed += part.text.size();
                else if (part.kind == SlotKind::SiblingText)
                {
                    if (const HexColumn* hex = siblings.hex(part.sibling))
                        shape.fixed += hex->hex_form().length();
                    else
                        shape.slots.push_back({part.kind, nullptr, &siblings.text(part.sibling)});
                }
                else if (has_text_lane(part))
                    shape.slots.push_back({part.kind, nullptr, column.texts()[text++].get()});
                else if (part.kind == SlotKind::Time)
                {
                    TimeShape time;
                    TimeShape::read(part.text, time);
                    char buffer[64];
                    shape.fixed += static_cast<size_t>(write_time(0, time, buffer) - buffer);
                    ++number;
                }
                else
                    shape.slots.push_back({part.kind, &column.numbers()[number++], nullptr});
            }
        }
        size_t size = shape.fixed;
        for (const Slot& slot : shape.slots)
            size += slot.texts ? slot.texts->at(row).size()
                               : number_bytes(slot.kind, slot.numbers->values[row],
                                              slot.numbers->forms[row]);
        totals.bytes += size;
        totals.binary_bytes += size + varint_bytes(size);
    }
    return totals;
}

PageStatistics statistics_of(const HexColumn& column)
{
    PageStatistics statistics;
    const size_t rows = column.size();
    statistics.rows = static_cast<uint32_t>(rows);
    const size_t width = column.hex_form().width();
    if (rows == 0)
        return statistics;
    const char* const data = column.binary().data();
    const char* low = data;
    const char* high = data;
    const auto head = [&](const char* value)
    {
        const uint64_t bytes = __builtin_bswap64(load<uint64_t>(value)); // within the padding
        return width >= 8 ? bytes : bytes & ~(~uint64_t{0} >> (8 * width));
    };
    uint64_t low_head = head(low), high_head = head(high);
    for (size_t i = 1; i < rows; ++i)
    {
        const char* value = data + i * width;
        const uint64_t one = head(value);
        if (low_head < one && one < high_head)
            continue;
        if (std::memcmp(value, low, width) < 0)
        {
            low = value;
            low_head = one;
        }
        if (std::memcmp(value, high, width) > 0)
        {
            high = value;
            high_head = one;
        }
    }
    const HexForm& form = column.hex_form();
    std::string least(form.length(), 0);
    std::string most(form.length(), 0);
    form.to_texts(low, 1, least.data());
    form.to_texts(high, 1, most.data());
    if (most.size() <= kMaxStatisticBytes)
    {
        statistics.min = Value(std::move(least));
        statistics.max = Value(std::move(most));
    }
    else if (auto bound = after_all_of(most))
    {
        statistics.min = Value(least.substr(0, kMaxStatisticBytes));
        statistics.max = Value(std::move(*bound));
    }
    return statistics;
}

PageStatistics statistics_of(const TemplateColumn& column)
{
    PageStatistics statistics;
    statistics.rows = static_cast<uint32_t>(column.size());
    const auto templates = column.list()->all();
    std::vector<uint8_t> used(templates.size() + 1, 0);
    for (const uint16_t id : column.ids())
        used[id] = 1;
    std::optional<std::string> low, high;
    const auto add = [&](std::string_view begin)
    {
        auto after = after_all_of(begin);
        if (!after)
            return false;
        if (!low || begin.substr(0, kMaxStatisticBytes) < *low)
            low = std::string(begin.substr(0, kMaxStatisticBytes));
        if (!high || *after > *high)
            high = std::move(after);
        return true;
    };
    for (size_t id = 1; id < used.size(); ++id)
    {
        if (!used[id])
            continue;
        const TextTemplate& parts = *templates[id - 1];
        if (parts.empty() || parts[0].kind != SlotKind::Literal || !add(parts[0].text))
            return statistics;
    }
    if (used[TemplateColumn::kRaw])
        for (size_t row = 0; row < column.size(); ++row)
            if (column.ids()[row] == TemplateColumn::kRaw && !add(column.texts()[0]->at(row)))
                return statistics;
    statistics.min = low ? std::optional<Value>(Value(*low)) : std::nullopt;
    statistics.max = high ? std::optional<Value>(Value(*high)) : std::nullopt;
    return statistics;
}

} // namespace basalt::encodings
