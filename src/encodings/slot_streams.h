#pragma once

// The numbers of a slot on disk: values, and how they were written.

#include "encodings/integer_stream.h"
#include "encodings/template_streams.h"
#include "encodings/text_template.h"

#include "base/pod_vector.h"

namespace basalt::inline encodings
{

// Numbers on disk.
enum class NumberForm : uint8_t
{
    Same = 0,     // all alike: Integer: at least `form` digits; Decimal: `form` digits after the
                  // point; Hex: `form` digits
    Shortest = 1, // Decimal at scale `form`, zeros at the end dropped
    Each = 2,     // a form per value
};

void write_slot_numbers(SlotKind kind, const PodVector<int64_t>& values,
                        const PodVector<uint8_t>& forms, StreamSink& sink);

struct SlotNumbers
{
    NumberForm form_kind = NumberForm::Same;
    uint8_t form = 0;
    IntegerReader values;
    IntegerReader forms; // of Each

    SlotNumbers() = default;
    // Throws CORRUPTED_DATA.
    SlotNumbers(SlotKind kind, size_t count, StreamSource& source);
};

} // namespace basalt::encodings
