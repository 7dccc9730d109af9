#include "encodings/text_template.h"

#include "encodings/slot_time.h"

namespace basalt::inline encodings
{

void append_template(const TextTemplate& parts, std::string& out)
{
    append_varint(out, parts.size());
    for (const auto& part : parts)
    {
        out.push_back(static_cast<char>(part.kind));
        if (is_sibling(part.kind))
            append_varint(out, part.sibling);
        else if (part.kind == SlotKind::Literal)
        {
            append_varint(out, part.text.size());
            out += part.text;
        }
        else if (part.kind == SlotKind::HexLower || part.kind == SlotKind::HexUpper)
            out.push_back(static_cast<char>(!part.text.empty()));
        else if (part.kind == SlotKind::Time)
            out += part.text;
    }
}

TextTemplate read_template(ByteReader& reader)
{
    const size_t count = reader.count(kMaxTemplateParts, "a template has too many parts");
    TextTemplate parts(count);
    size_t text_left = kMaxTemplateLine;
    for (auto& part : parts)
    {
        const uint8_t kind = reader.byte();
        if (kind > kLastSlotKind)
            throw_damaged_page("a template has a slot of an unknown kind");
        part.kind = static_cast<SlotKind>(kind);
        if (is_sibling(part.kind))
            part.sibling = static_cast<uint32_t>(reader.count(UINT32_MAX, "a column number"));
        else if (part.kind == SlotKind::Literal)
        {
            const size_t size = reader.count(text_left, "the text of a template is too long");
            part.text = reader.bytes(size);
            text_left -= size;
        }
        else if (part.kind == SlotKind::HexLower || part.kind == SlotKind::HexUpper)
            part.text = reader.byte() ? "t" : "";
        else if (part.kind == SlotKind::Time)
        {
            part.text = reader.bytes(TimeShape::kBytes);
            TimeShape shape;
            if (!TimeShape::read(part.text, shape))
                throw_damaged_page("a template has a time of an unknown shape");
        }
    }
    return parts;
}

std::string describe_template(const TextTemplate& parts)
{
    static constexpr const char* kNames[] = {"",         "Integer", "Decimal",     "hex",
                                             "HEX",      "Uuid",    "Ipv4",        "Word",
                                             "Quoted",   "Rest",    "SiblingText", "SiblingNumber",
                                             "Time",     "Path"};
    std::string out;
    for (const auto& part : parts)
    {
        if (part.kind == SlotKind::Literal)
        {
            out += part.text;
            continue;
        }
        out += '<';
        out += kNames[static_cast<size_t>(part.kind)];
        if (is_sibling(part.kind))
            out += ' ' + std::to_string(part.sibling);
        out += '>';
    }
    return out;
}

} // namespace basalt::encodings
