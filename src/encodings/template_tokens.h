#pragma once

// Lines cut into delimiters, words and values, to learn templates from.

#include "encodings/slot_text.h"
#include "encodings/text_template.h"

#include <vector>

namespace basalt::inline encodings
{

inline constexpr size_t kMaxTokens = 300;

// A Quoted or Path token is followed by the tokens that it consists of.
struct Token
{
    SlotKind kind = SlotKind::Literal; // Literal: delimiters, and letters next to digits
    uint32_t begin = 0;
    uint32_t size = 0;
    // SiblingText: the column; Time: the bytes of its shape; Quoted, Path: tokens it consists of.
    uint32_t detail = 0;

    bool is_unit() const { return kind == SlotKind::Quoted || kind == SlotKind::Path; }
};

// A part of the line that repeats another column; not overlapping, ascending.
struct SiblingSpan
{
    uint32_t begin = 0;
    uint32_t size = 0;
    uint32_t column = 0;
};

// False for lines of too many tokens.
bool tokenize(std::string_view line, const std::vector<SiblingSpan>& spans,
              std::vector<Token>& tokens);

} // namespace basalt::encodings
