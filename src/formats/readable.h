#pragma once

// Pieces of formats that people read: Pretty and Vertical.

#include "formats/row_output.h"

namespace basalt
{

// Whether to colour: output_format_pretty_color, or when it is auto whether it is a terminal.
bool wants_colors(const FormatOptions& options);

// " -- 1.23 million" for a number above the threshold of a tip; otherwise nothing. Numbers that
// look like 64-bit hashes get none.
std::string large_number_tip(std::string_view number_text, double threshold);

// A name that is no identifier is cut in its middle when it is much wider than `width`.
struct NameCut
{
    explicit NameCut(const Settings& settings);
    std::string cut(const std::string& name, size_t width) const;

private:
    size_t cut_to_;
    size_t min_chars_to_cut_;
};

// Digits of a number in groups of three, told apart by an underline of the last digit of each.
std::string underline_digit_groups(std::string_view number_text);
// Spaces at the end in red.
std::string mark_trailing_spaces(std::string_view text);

inline constexpr std::string_view kBold = "\033[1m";
inline constexpr std::string_view kGray = "\033[90m";
inline constexpr std::string_view kUnderline = "\033[4m";
inline constexpr std::string_view kRedUnderline = "\033[31m\033[4m";
inline constexpr std::string_view kResetColor = "\033[0m";

} // namespace basalt
