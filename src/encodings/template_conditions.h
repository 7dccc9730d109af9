#pragma once

// Tests of slot values for check_conditions.

#include "encodings/template_alignment.h"
#include "encodings/value_pages.h"

namespace basalt::inline encodings
{

// hits[i] = whether the condition holds for slot value begin + i of the template.
void test_slot(const TemplatePage::Part& part, const SlotCondition& condition, size_t begin,
               size_t count, uint8_t* hits);

// The same for row begin + i of the column beside.
void test_sibling(const TemplatePage::Part& part, const EncodedPage& page,
                  const SlotCondition& condition, size_t begin, size_t count, uint8_t* hits);

// The texts that a SiblingNumber part has in these rows.
void write_sibling_numbers(const TemplatePage::Part& part, const EncodedPage& page, size_t begin,
                           size_t count, StringColumn& out);
void test_texts(const StringColumn& texts, const SlotCondition& condition, uint8_t* hits);

} // namespace basalt::encodings
