#pragma once

// Where a text can stand in lines of a template, exactly: each way is a set of conditions on slot
// values, and a line holds the text when all conditions of one way are met. So LIKE is decided
// per template, or by looking at the slots that matter.

#include "encodings/page_pattern.h"
#include "encodings/template_page.h"
#include "encodings/value_pages.h"

#include <bitset>

namespace basalt::inline encodings
{

struct SlotCondition
{
    using Kind = TextTest;

    Kind kind = Kind::Equals;
    size_t part = 0; // of the template
    std::string text; // in lower case when the case is ignored
    bool ignores_case = false;

    bool holds(std::string_view value) const
    {
        return ignores_case ? holds_exactly(ascii_lower(value)) : holds_exactly(value);
    }

private:
    bool holds_exactly(std::string_view value) const
    {
        switch (kind)
        {
        case Kind::Equals:
            return value == text;
        case Kind::StartsWith:
            return value.starts_with(text);
        case Kind::EndsWith:
            return value.ends_with(text);
        default:
            return value.find(text) != std::string_view::npos;
        }
    }
};
using Alignment = std::vector<SlotCondition>; // all must hold; empty: always

// Bytes that a slot's texts may hold.
using ByteSet = std::bitset<256>;

struct Alignments
{
    std::vector<Alignment> ways; // none: the text is nowhere in such lines
    bool too_many = false;       // then look at the lines
    bool always() const
    {
        for (const auto& way : ways)
            if (way.empty())
                return true;
        return false;
    }
};

// `text` is not empty unless at_begin and at_end. at_begin, at_end: only where the line begins,
// ends. sets: what each part's slot may hold (of literals: nothing).
Alignments align_text(const std::vector<TemplatePage::Part>& parts,
                      const std::vector<ByteSet>& sets, std::string_view text, bool at_begin,
                      bool at_end);

} // namespace basalt::encodings
