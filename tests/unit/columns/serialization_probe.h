#pragma once

// Parse and write one value, for tests of serializations.

#include "columns/serialization.h"

#include <string>

namespace basalt
{

// The value that `text` spells in `place`, written in `out_place`; "Code: N" when it does not
// parse; with what is left unread after "|" if anything is.
inline std::string parse_and_write(const char* type_name, std::string_view text, TextPlace place,
                                   TextPlace out_place = TextPlace::Escaped,
                                   const TextOptions& options = {})
{
    const TypePtr type = type_from_name(type_name);
    const auto serialization = serialization_of(type);
    const MutableColumnPtr column = type->create_column();
    TextCursor cursor(text);
    if (!serialization->parse_text(*column, cursor, place, options))
    {
        EXPECT_EQ(column->size(), 0u) << type_name << ' ' << text;
        EXPECT_FALSE(cursor.message.empty());
        return "Code: " + std::to_string(cursor.code);
    }
    EXPECT_EQ(column->size(), 1u);
    std::string out;
    StringOutputBuffer buffer(out);
    serialization->write_text(*column, 0, buffer, out_place, options);
    buffer.finish();
    if (!cursor.at_end())
        out += "|" + std::string(cursor.rest());
    return out;
}

// A column of one type with the values of `texts`, read as whole texts.
inline MutableColumnPtr column_of(const TypePtr& type, std::initializer_list<const char*> texts)
{
    const MutableColumnPtr column = type->create_column();
    for (const char* text : texts)
        parse_whole(text, type, *column, {});
    return column;
}

} // namespace basalt
