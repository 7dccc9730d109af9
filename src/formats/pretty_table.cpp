#include "formats/pretty_table.h"

#include <algorithm>
#include <fmt/core.h>

namespace basalt
{

PrettyOptions::PrettyOptions(const FormatOptions& options, PrettyStyle table_style, bool escapes)
    : style(table_style), colors(escapes && wants_colors(options)), names(options.settings)
{
    const Settings& settings = options.settings;
    ascii = settings.get("output_format_pretty_grid_charset") == "ASCII";
    row_numbers = settings.get_bool("output_format_pretty_row_numbers");
    multiline = settings.get_bool("output_format_pretty_multiline_fields");
    underlines_digits = settings.get_bool("output_format_pretty_highlight_digit_groups");
    marks_spaces = settings.get_bool("output_format_pretty_highlight_trailing_spaces");
    cuts_single_value =
        settings.get_bool("output_format_pretty_max_value_width_apply_for_single_value");
    footer = settings.get_bool("output_format_pretty_display_footer_column_names");
    footer_min_rows = settings.get_uint("output_format_pretty_display_footer_column_names_min_rows");
    max_value_width = settings.get_uint("output_format_pretty_max_value_width");
    max_pad_width = settings.get_uint("output_format_pretty_max_column_pad_width");
    tip_threshold = static_cast<double>(
        settings.get_uint("output_format_pretty_single_large_number_tip_threshold"));
    may_be_vertical = settings.get_bool("output_format_pretty_fallback_to_vertical");
    vertical_min_columns = settings.get_uint("output_format_pretty_fallback_to_vertical_min_columns");
    vertical_min_width =
        settings.get_uint("output_format_pretty_fallback_to_vertical_min_table_width");
    vertical_max_rows =
        settings.get_uint("output_format_pretty_fallback_to_vertical_max_rows_per_chunk");
}

bool PrettyTable::is_number(size_t column) const
{
    const TypePtr type = strip_wrappers(header_[column].type);
    return type->is_number() && !type->is(TypeId::Bool);
}

void PrettyTable::add_row(std::vector<std::string> texts, size_t number)
{
    texts_.push_back(std::move(texts));
    numbers_.push_back(number);
    Row row;
    row.number = number;
    rows_.push_back(std::move(row));
}

size_t PrettyTable::width()
{
    lay_out();
    size_t sum = 0;
    for (const size_t width : widths_)
        sum += width;
    return sum;
}

bool PrettyTable::has_multiline_values()
{
    lay_out();
    return has_multiline_values_;
}

PrettyCell PrettyTable::make_cell(std::string text, size_t column, size_t prefix) const
{
    PrettyCell cell;
    // One value alone is shown whole.
    const bool is_single = rows_.size() == 1 && header_.size() == 1 && !options_.cuts_single_value;
    if (options_.max_value_width && !is_single)
    {
        const size_t width = text_width(text, prefix);
        if (width > options_.max_value_width)
        {
            text.erase(prefix_of_width(text, options_.max_value_width));
            cell.is_cut = true;
        }
    }
    size_t begin = 0;
    while (options_.multiline)
    {
        const size_t end = text.find('\n', begin);
        if (end == std::string::npos)
            break;
        cell.lines.push_back(text.substr(begin, end - begin));
        begin = end + 1;
    }
    cell.lines.push_back(text.substr(begin));
    for (std::string& line : cell.lines)
    {
        cell.widths.push_back(text_width(line, prefix));
        if (!options_.colors)
            continue;
        if (options_.underlines_digits && is_number(column))
            line = underline_digit_groups(line);
        else if (options_.marks_spaces)
            line = mark_trailing_spaces(line);
    }
    return cell;
}

void PrettyTable::lay_out()
{
    if (laid_out_)
        return;
    laid_out_ = true;
    const size_t last_number = numbers_.empty() ? 1 : numbers_.back();
    if (options_.row_numbers)
        number_width_ = fmt::formatted_size("{}. ", last_number);
    size_t prefix = number_width_ + (options_.style == PrettyStyle::Space ? 1 : 2);
    const size_t last = header_.size() - 1;
    for (size_t column = 0; column < header_.size(); ++column)
    {
        size_t width = 0;
        for (size_t i = 0; i < rows_.size(); ++i)
        {
            std::string& text = texts_[i][column];
            if (column == last && is_number(column))
                rows_[i].tip = large_number_tip(text, options_.tip_threshold);
            rows_[i].cells.push_back(make_cell(std::move(text), column, prefix));
            for (const size_t line : rows_[i].cells.back().widths)
                width = std::max(width, line);
            if (rows_[i].cells.back().lines.size() > 1)
                has_multiline_values_ = true;
        }
        if (options_.max_value_width)
            width = std::min(width, options_.max_value_width);
        std::string name = options_.names.cut(header_[column].name, width);
        const size_t name_width = text_width(name, prefix);
        width = std::max(std::min(width, options_.max_pad_width),
                         std::min(name_width, options_.max_pad_width));
        widths_.push_back(width);
        name_widths_.push_back(name_width);
        names_.push_back(std::move(name));
        prefix += width + 3;
    }
    texts_.clear();
}

void PrettyTable::write_space(OutputBuffer& out, size_t count)
{
    for (size_t i = 0; i < count; ++i)
        out.write(' ');
}

void PrettyTable::write_rule(OutputBuffer& out, const Border& border)
{
    write_space(out, number_width_);
    for (size_t i = 0; i < widths_.size(); ++i)
    {
        out.write(i ? border.middle : border.left);
        for (size_t j = 0; j < widths_[i] + 2; ++j)
            out.write(border.line);
    }
    out.write(border.right);
    out.write('\n');
}

void PrettyTable::write_name(OutputBuffer& out, size_t column)
{
    if (options_.colors)
        out.write(kBold);
    out.write(std::string_view(names_[column]));
    if (options_.colors)
        out.write(kResetColor);
}

// The rule of Compact, which holds the names.
void PrettyTable::write_name_rule(OutputBuffer& out, const Border& border)
{
    write_space(out, number_width_);
    for (size_t i = 0; i < widths_.size(); ++i)
    {
        out.write(i ? border.middle : border.left);
        out.write(border.line);
        const size_t pad = widths_[i] > name_widths_[i] ? widths_[i] - name_widths_[i] : 0;
        const bool right = is_shown_right(header_[i].type);
        for (size_t j = 0; right && j < pad; ++j)
            out.write(border.line);
        write_name(out, i);
        for (size_t j = 0; !right && j < pad; ++j)
            out.write(border.line);
        out.write(border.line);
    }
    out.write(border.right);
    out.write('\n');
}

void PrettyTable::write_names(OutputBuffer& out, const char* bar)
{
    write_space(out, number_width_);
    for (size_t i = 0; i < widths_.size(); ++i)
    {
        if (options_.style != PrettyStyle::Space)
            out.write(bar);
        else if (i)
            out.write("  ");
        out.write(' ');
        const size_t pad = widths_[i] > name_widths_[i] ? widths_[i] - name_widths_[i] : 0;
        const bool right = is_shown_right(header_[i].type);
        if (right)
            write_space(out, pad);
        write_name(out, i);
        if (!right)
            write_space(out, pad);
        if (options_.style != PrettyStyle::Space)
            out.write(' ');
    }
    if (options_.style != PrettyStyle::Space)
        out.write(bar);
    out.write('\n');
}

void PrettyTable::write_gap(OutputBuffer& out)
{
    size_t width = 0;
    for (const size_t column : widths_)
        width += column + 3;
    // Space has no bar at either end.
    width = options_.style == PrettyStyle::Space ? width - 2 : width + 1;
    write_space(out, number_width_);
    for (size_t i = 0; i < width; ++i)
        out.write(i % 2 ? " " : options_.ascii ? "-" : "─");
    out.write('\n');
}

void PrettyTable::write_row(OutputBuffer& out, const Row& row)
{
    const char* const bar = options_.style == PrettyStyle::Space ? " "
                            : options_.ascii                     ? "|"
                                                                 : "│";
    size_t lines = 1;
    for (const PrettyCell& cell : row.cells)
        lines = std::max(lines, cell.lines.size());
    const auto write_mark = [&](std::string_view mark)
    {
        if (options_.colors)
            out.write(kGray);
        out.write(mark);
        if (options_.colors)
            out.write(kResetColor);
    };
    for (size_t line = 0; line < lines; ++line)
    {
        if (number_width_ && line == 0)
        {
            const std::string number = fmt::format("{:>{}}. ", row.number, number_width_ - 2);
            out.write(options_.colors ? fmt::format("{}{}{}", kGray, number, kResetColor) : number);
        }
        else
            write_space(out, number_width_);
        for (size_t i = 0; i < row.cells.size(); ++i)
        {
            if (i || options_.style != PrettyStyle::Space)
                out.write(bar);
            const PrettyCell& cell = row.cells[i];
            if (line >= cell.lines.size())
            {
                write_space(out, widths_[i] + 2);
                continue;
            }
            if (line > 0)
                write_mark("↳");
            else
                out.write(' ');
            const size_t width = cell.widths[line];
            const size_t pad = widths_[i] > width ? widths_[i] - width : 0;
            const bool right = is_shown_right(header_[i].type);
            if (right)
                write_space(out, pad);
            out.write(std::string_view(cell.lines[line]));
            if (!right)
                write_space(out, pad);
            const bool goes_on = line + 1 < cell.lines.size();
            if (goes_on)
                write_mark("↴");
            else if (cell.is_cut)
                write_mark("⋯");
            else
                out.write(' ');
        }
        if (options_.style != PrettyStyle::Space)
            out.write(bar);
        if (!row.tip.empty())
            out.write(options_.colors ? fmt::format("{}{}{}", kGray, row.tip, kResetColor)
                                      : row.tip);
        out.write('\n');
    }
}

void PrettyTable::write(OutputBuffer& out)
{
    lay_out();
    const bool ascii = options_.ascii;
    const Border ascii_rule{"+", "+", "+", "-"};
    const Border bottom = ascii ? ascii_rule : Border{"└", "┴", "┘", "─"};
    const Border between = ascii ? ascii_rule : Border{"├", "┼", "┤", "─"};
    const bool has_footer = options_.footer && rows_.size() >= options_.footer_min_rows;
    switch (options_.style)
    {
    case PrettyStyle::Full:
        write_rule(out, ascii ? ascii_rule : Border{"┏", "┳", "┓", "━"});
        write_names(out, ascii ? "|" : "┃");
        write_rule(out, ascii ? ascii_rule : Border{"┡", "╇", "┩", "━"});
        break;
    case PrettyStyle::Compact:
        write_name_rule(out, ascii ? ascii_rule : Border{"┌", "┬", "┐", "─"});
        break;
    case PrettyStyle::Space:
        write_names(out, "");
        out.write('\n');
        break;
    }
    for (size_t i = 0; i < rows_.size(); ++i)
    {
        if (i && options_.style == PrettyStyle::Full)
            write_rule(out, between);
        if (i && i == gap_at_)
        {
            write_gap(out);
            if (options_.style == PrettyStyle::Full)
                write_rule(out, between);
        }
        write_row(out, rows_[i]);
    }
    switch (options_.style)
    {
    case PrettyStyle::Full:
        if (has_footer)
        {
            write_rule(out, ascii ? ascii_rule : Border{"┢", "╈", "┪", "━"});
            write_names(out, ascii ? "|" : "┃");
            write_rule(out, ascii ? ascii_rule : Border{"┗", "┻", "┛", "━"});
        }
        else
            write_rule(out, bottom);
        break;
    case PrettyStyle::Compact:
        if (has_footer)
            write_name_rule(out, bottom);
        else
            write_rule(out, bottom);
        break;
    case PrettyStyle::Space:
        if (has_footer)
        {
            out.write('\n');
            write_names(out, "");
            out.write('\n');
        }
        break;
    }
}

} // namespace basalt
