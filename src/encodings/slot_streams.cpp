#include "encodings/slot_streams.h"

#include "encodings/slot_text.h"

namespace basalt::inline encodings
{

namespace
{

bool all_equal(const PodVector<uint8_t>& forms)
{
    for (const uint8_t form : forms)
        if (form != forms[0])
            return false;
    return true;
}

// Integers: the width that all have or exceed, and to which those with leading zeros are filled.
bool one_width(const PodVector<int64_t>& values, const PodVector<uint8_t>& forms, uint8_t& width)
{
    width = 0;
    for (const uint8_t form : forms)
    {
        if (form && width && form != width)
            return false;
        width = form ? form : width;
    }
    if (width)
        for (size_t i = 0; i < values.size(); ++i)
            if (!forms[i] && digits_of_number(magnitude(values[i])) < width)
                return false;
    return true;
}

// Decimals: the scale at which all are written without zeros at the end.
bool one_shortest(const PodVector<int64_t>& values, const PodVector<uint8_t>& forms,
                  uint8_t& scale)
{
    scale = 0;
    for (size_t i = 0; i < values.size(); ++i)
    {
        if (forms[i] && values[i] % 10 == 0)
            return false;
        scale = std::max(scale, forms[i]);
    }
    for (size_t i = 0; i < values.size(); ++i)
        if (digits_of_number(magnitude(values[i])) + (scale - forms[i]) > kMaxSlotDigits)
            return false;
    return true;
}

} // namespace

void write_slot_numbers(SlotKind kind, const PodVector<int64_t>& values,
                        const PodVector<uint8_t>& forms, StreamSink& sink)
{
    const auto* bits = reinterpret_cast<const uint64_t*>(values.data());
    const bool is_signed = kind == SlotKind::Integer || kind == SlotKind::Decimal;
    NumberForm form_kind = NumberForm::Each;
    uint8_t form = 0;
    PodVector<uint64_t> scaled;
    if (kind == SlotKind::Integer)
    {
        if (one_width(values, forms, form))
            form_kind = NumberForm::Same;
    }
    else if (all_equal(forms))
    {
        form_kind = NumberForm::Same;
        form = forms[0];
    }
    else if (kind == SlotKind::Decimal && one_shortest(values, forms, form))
    {
        form_kind = NumberForm::Shortest;
        scaled.resize(values.size());
        for (size_t i = 0; i < values.size(); ++i)
            scaled[i] = static_cast<uint64_t>(values[i]) *
                        integer_power_of_ten(static_cast<unsigned>(form - forms[i]));
        bits = scaled.data();
    }
    sink.description().push_back(static_cast<char>(form_kind));
    if (form_kind != NumberForm::Each)
        sink.description().push_back(static_cast<char>(form));
    std::string stream;
    write_integers(bits, values.size(), is_signed, stream, ZstdShare::OneInTen);
    sink.add(stream);
    if (form_kind != NumberForm::Each)
        return;
    PodVector<uint64_t> wide(forms.size());
    for (size_t i = 0; i < forms.size(); ++i)
        wide[i] = forms[i];
    stream.clear();
    write_integers(wide.data(), wide.size(), false, stream, ZstdShare::OneInTen);
    sink.add(stream);
}

SlotNumbers::SlotNumbers(SlotKind kind, size_t count, StreamSource& source)
{
    const uint8_t head = source.description().byte();
    if (head > 2)
        throw_damaged_page("numbers of a slot are of an unknown form");
    form_kind = static_cast<NumberForm>(head);
    if (form_kind != NumberForm::Each)
        form = source.description().byte();
    if (form > kMaxSlotDigits || (form_kind == NumberForm::Shortest && kind != SlotKind::Decimal))
        throw_damaged_page("numbers of a slot are of an unknown form");
    values = IntegerReader(source.next(), count);
    if (form_kind == NumberForm::Each)
        forms = IntegerReader(source.next(), count);
}

} // namespace basalt::encodings
