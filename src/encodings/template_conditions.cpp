#include "encodings/template_conditions.h"

#include "base/substring_search.h"
#include "encodings/template_siblings.h"

#include <algorithm>

namespace basalt::inline encodings
{

namespace
{

using Kind = SlotCondition::Kind;

// The condition for pages of any encoding.
PagePredicate predicate_of(const SlotCondition& condition)
{
    if (condition.kind == Kind::Equals && !condition.ignores_case)
        return {PagePredicate::Kind::Equals, {Value(condition.text)}};
    std::string pattern;
    if (condition.kind == Kind::EndsWith || condition.kind == Kind::Contains)
        pattern = "%";
    for (const char c : condition.text)
    {
        if (c == '%' || c == '_' || c == '\\')
            pattern.push_back('\\');
        pattern.push_back(c);
    }
    if (condition.kind == Kind::StartsWith || condition.kind == Kind::Contains)
        pattern.push_back('%');
    return {condition.ignores_case ? PagePredicate::Kind::ILike : PagePredicate::Kind::Like,
            {Value(std::move(pattern))}};
}

void test_page(const EncodedPage& page, const SlotCondition& condition, size_t begin, size_t count,
               uint8_t* hits)
{
    if (!condition.ignores_case &&
        test_hex_texts(page, condition.kind, condition.text, begin, count, hits))
        return;
    if (page.evaluate(predicate_of(condition), begin, count, hits))
        return;
    while (count)
    {
        const size_t some = std::min(count, kIntegerBlock - begin % kIntegerBlock);
        const ColumnPtr column = to_flat(page.decode(begin, some));
        if (column->form() != ColumnForm::String || column->size() != some)
            throw_damaged_page("a column that it refers to is no text");
        test_texts(column_as<StringColumn>(*column), condition, hits);
        begin += some;
        count -= some;
        hits += some;
    }
}

// Texts of numbers; the text is short, so writing it is not much dearer than comparing.
template <class Write>
void test_written(const int64_t* values, size_t count, const SlotCondition& condition,
                  uint8_t* hits, Write&& write)
{
    char buffer[64];
    for (size_t i = 0; i < count; ++i)
    {
        const char* end = write(values[i], i, buffer);
        hits[i] = condition.holds({buffer, static_cast<size_t>(end - buffer)});
    }
}

// The one value whose text this is, for slots of one form; false when no value has the text.
bool value_of_text(const TemplatePage::Part& part, unsigned form, const std::string& text,
                   int64_t& value)
{
    const char* const begin = text.data();
    const char* const end = begin + text.size();
    SlotNumber number;
    const char* stop = nullptr;
    switch (part.kind)
    {
    case SlotKind::Time:
        stop = parse_time(begin, end, part.time, number.value);
        break;
    case SlotKind::Integer:
        stop = parse_integer(begin, end, number);
        break;
    case SlotKind::Decimal:
        stop = parse_decimal(begin, end, number);
        break;
    case SlotKind::HexLower:
        stop = parse_hex_number(begin, end, HexCase::Lower, number);
        break;
    case SlotKind::HexUpper:
        stop = parse_hex_number(begin, end, HexCase::Upper, number);
        break;
    default:
        stop = parse_ipv4(begin, end, number);
    }
    if (stop != end)
        return false;
    char back[64];
    const char* back_end =
        part.write(number.value, form, integer_power_of_ten(form), back);
    value = number.value;
    return std::string_view(back, static_cast<size_t>(back_end - back)) == text;
}

void equal_values(const int64_t* values, size_t count, int64_t value, uint8_t* hits)
{
    for (size_t i = 0; i < count; ++i)
        hits[i] = values[i] == value;
}

} // namespace

void test_texts(const StringColumn& texts, const SlotCondition& condition, uint8_t* hits)
{
    const size_t count = texts.size();
    if (condition.kind == Kind::Contains)
        return SubstringSearcher(condition.text, condition.ignores_case)
            .mark_rows(texts.chars().data(), texts.offsets().data(), count, hits);
    for (size_t i = 0; i < count; ++i)
        hits[i] = condition.holds(texts.at(i));
}

void test_slot(const TemplatePage::Part& part, const SlotCondition& condition, size_t begin,
               size_t count, uint8_t* hits)
{
    if (part.texts)
    {
        const StringColumn* dictionary = part.texts->dictionary();
        if (!dictionary)
            return test_page(*part.texts->page(), condition, begin, count, hits);
        PodVector<uint8_t> per_text(dictionary->size());
        uint8_t any = 0;
        for (size_t i = 0; i < per_text.size(); ++i)
            any |= per_text[i] = condition.holds(dictionary->at(i));
        if (!any)
        {
            std::fill_n(hits, count, 0);
            return;
        }
        PodVector<uint64_t> codes(count);
        part.texts->read_codes(begin, count, codes.data());
        for (size_t i = 0; i < count; ++i)
            hits[i] = per_text[codes[i]];
        return;
    }
    const SlotNumbers& numbers = *part.numbers;
    PodVector<int64_t> values(count);
    numbers.values.read(begin, count, reinterpret_cast<uint64_t*>(values.data()));
    const unsigned form = slot_form(part.kind, numbers.form);
    const uint64_t power = integer_power_of_ten(form);
    switch (numbers.form_kind)
    {
    case NumberForm::Same:
    {
        int64_t value = 0;
        if (condition.kind == Kind::Equals && !condition.ignores_case)
        {
            if (value_of_text(part, form, condition.text, value))
                return equal_values(values.data(), count, value, hits);
            std::fill_n(hits, count, 0);
            return;
        }
        return test_written(values.data(), count, condition, hits,
                            [&](int64_t one, size_t, char* out)
                            { return part.write(one, form, power, out); });
    }
    case NumberForm::Shortest:
        return test_written(values.data(), count, condition, hits,
                            [&](int64_t one, size_t, char* out)
                            { return write_shortest_decimal(one, form, power, out); });
    case NumberForm::Each:
    {
        PodVector<uint64_t> forms(count);
        numbers.forms.read(begin, count, forms.data());
        return test_written(values.data(), count, condition, hits,
                            [&](int64_t one, size_t i, char* out)
                            {
                                const unsigned each = slot_form(part.kind, forms[i]);
                                return part.write(one, each, integer_power_of_ten(each), out);
                            });
    }
    }
}

namespace
{

PodVector<int64_t> sibling_mantissas(const TemplatePage::Part& part, const EncodedPage& page,
                                     size_t begin, size_t count)
{
    const ColumnPtr column = to_flat(page.decode(begin, count));
    if (column->form() != ColumnForm::Vector || column->size() != count)
        throw_damaged_page("a column that it refers to is no number");
    PodVector<int64_t> values(count);
    read_sibling_mantissas(*column, 0, count, part.scale, values.data());
    return values;
}

} // namespace

void write_sibling_numbers(const TemplatePage::Part& part, const EncodedPage& page, size_t begin,
                           size_t count, StringColumn& out)
{
    constexpr size_t kMaxNumberBytes = 32;
    const PodVector<int64_t> values = sibling_mantissas(part, page, begin, count);
    const uint64_t power = integer_power_of_ten(part.scale);
    out.chars().resize(count * kMaxNumberBytes);
    out.offsets().resize(count);
    char* const chars = out.chars().data();
    char* at = chars;
    for (size_t i = 0; i < count; ++i)
    {
        if (values[i] != SiblingNumbers::kNone)
            at = write_shortest_decimal(values[i], part.scale, power, at);
        out.offsets()[i] = static_cast<uint64_t>(at - chars);
    }
    out.chars().resize(static_cast<size_t>(at - chars));
}

void test_sibling(const TemplatePage::Part& part, const EncodedPage& page,
                  const SlotCondition& condition, size_t begin, size_t count, uint8_t* hits)
{
    if (part.kind == SlotKind::SiblingText)
        return test_page(page.opened(), condition, begin, count, hits);
    const PodVector<int64_t> values = sibling_mantissas(part, page, begin, count);
    const uint64_t power = integer_power_of_ten(part.scale);
    if (condition.kind == Kind::Equals && !condition.text.empty())
    {
        const char* const end = condition.text.data() + condition.text.size();
        SlotNumber number;
        const char* stop = parse_decimal(condition.text.data(), end, number);
        const bool exact = stop == end && number.form <= part.scale &&
                           (number.form == 0 || number.value % 10 != 0);
        const auto factor = exact ? static_cast<int64_t>(integer_power_of_ten(part.scale - number.form)) : 1;
        int64_t wanted = 0;
        if (exact && !__builtin_mul_overflow(number.value, factor, &wanted))
            return equal_values(values.data(), count, wanted, hits);
        std::fill_n(hits, count, 0);
        return;
    }
    test_written(values.data(), count, condition, hits,
                 [&](int64_t one, size_t, char* out)
                 {
                     return one == SiblingNumbers::kNone
                                ? out
                                : write_shortest_decimal(one, part.scale, power, out);
                 });
}

} // namespace basalt::encodings
