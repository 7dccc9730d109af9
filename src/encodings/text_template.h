#pragma once

// Text templates: what lines of a log have in common, with typed slots for what differs. A
// template is a list of literal texts and slots; every slot says exactly which texts it takes and
// how they are written back, so that a line is its template and its slot values. Layout in
// docs/format/templates.md.

#include "encodings/byte_reader.h"

#include <string>
#include <string_view>
#include <vector>

namespace basalt::inline encodings
{

// Numbers on disk.
enum class SlotKind : uint8_t
{
    Literal = 0,        // no slot: text
    Integer = 1,        // optional -, digits
    Decimal = 2,        // optional -, digits, optional point and digits
    HexLower = 3,       // 0-9a-f
    HexUpper = 4,       // 0-9A-F
    Uuid = 5,           // 8-4-4-4-12, 0-9a-f
    Ipv4 = 6,           // four numbers below 256
    Word = 7,           // a longest run of word bytes (is_word_byte)
    Quoted = 8,         // all up to the next "
    Rest = 9,           // all up to the end
    SiblingText = 10,   // the value of a String column in this row
    SiblingNumber = 11, // the shortest decimal text of a number column's value in this row
    Time = 12,          // a time of one TimeShape
    Path = 13,          // words joined by signs such as . / - @, see end_of_path
};
inline constexpr uint8_t kLastSlotKind = 13;

inline bool is_sibling(SlotKind kind)
{
    return kind == SlotKind::SiblingText || kind == SlotKind::SiblingNumber;
}
// Slots whose values are kept as numbers; the others are texts.
inline bool is_number(SlotKind kind)
{
    return kind == SlotKind::Integer || kind == SlotKind::Decimal || kind == SlotKind::HexLower ||
           kind == SlotKind::HexUpper || kind == SlotKind::Ipv4 || kind == SlotKind::Time;
}
// Longer hexadecimal texts than this are kept as texts.
inline constexpr size_t kMaxHexNumberDigits = 16;

struct TemplatePart
{
    SlotKind kind = SlotKind::Literal;
    uint32_t sibling = 0; // column, of sibling slots
    // Of literals. HexLower, HexUpper: "t" when kept as texts. Time: the shape's bytes.
    std::string text;

    bool operator==(const TemplatePart&) const = default;
    bool is_text_slot() const
    {
        if (kind == SlotKind::HexLower || kind == SlotKind::HexUpper)
            return !text.empty();
        return kind != SlotKind::Literal && !is_sibling(kind) && !is_number(kind);
    }
};

using TextTemplate = std::vector<TemplatePart>;

inline constexpr size_t kMaxTemplateParts = 256;
inline constexpr size_t kMaxTemplates = 4096; // of a column and part
inline constexpr size_t kMaxTemplateLine = 4096; // bytes; longer lines are kept as they are

void append_template(const TextTemplate& parts, std::string& out);
// Throws CORRUPTED_DATA.
TextTemplate read_template(ByteReader& reader);
// For tests and EXPLAIN-like output: "GET /x took <Decimal>ms".
std::string describe_template(const TextTemplate& parts);

// The line itself: every line fits it.
inline TextTemplate rest_template()
{
    return {TemplatePart{SlotKind::Rest, 0, {}}};
}

} // namespace basalt::encodings
