#include "formats/vertical.h"

#include <fmt/core.h>

namespace basalt
{

VerticalOutput::VerticalOutput(OutputBuffer& out, const FormatOptions& options)
    : RowOutput(out, options), colors_(wants_colors(options))
{
    const Settings& settings = options.settings;
    underlines_digits_ = settings.get_bool("output_format_pretty_highlight_digit_groups");
    marks_spaces_ = settings.get_bool("output_format_pretty_highlight_trailing_spaces");
    tip_threshold_ = static_cast<double>(
        settings.get_uint("output_format_pretty_single_large_number_tip_threshold"));
    max_rows_ = settings.get_uint("output_format_pretty_max_rows");
}

void VerticalOutput::write_prefix()
{
    const NameCut names(options_.settings);
    std::vector<std::string> shown;
    size_t width = 0;
    for (const NamedType& column : header_)
    {
        shown.push_back(names.cut(column.name, 0));
        width = std::max(width, text_width(shown.back()));
        is_number_.push_back(strip_wrappers(column.type)->is_number() &&
                             !strip_wrappers(column.type)->is(TypeId::Bool));
    }
    for (const std::string& name : shown)
    {
        std::string title = colors_ ? fmt::format("{}{}:{}", kBold, name, kResetColor) : name + ":";
        title.append(width - text_width(name) + 1, ' ');
        titles_.push_back(std::move(title));
    }
}

void VerticalOutput::write_title(std::string_view title, size_t underline)
{
    out_.write(title);
    out_.write('\n');
    for (size_t i = 0; i < underline; ++i)
        out_.write("─");
    out_.write('\n');
}

void VerticalOutput::write_fields(const Block& block, size_t row)
{
    for (size_t i = 0; i < header_.size(); ++i)
    {
        out_.write(std::string_view(titles_[i]));
        value_.clear();
        StringOutputBuffer buffer(value_);
        write_readable(*block[i].column, i, row, buffer);
        buffer.finish();
        const std::string tip =
            is_number_[i] ? large_number_tip(value_, tip_threshold_) : std::string();
        if (colors_ && is_number_[i] && underlines_digits_)
            out_.write(underline_digit_groups(value_));
        else if (colors_ && marks_spaces_)
            out_.write(mark_trailing_spaces(value_));
        else
            out_.write(std::string_view(value_));
        if (!tip.empty())
            out_.write(colors_ ? fmt::format("{}{}{}", kGray, tip, kResetColor) : tip);
        out_.write('\n');
    }
}

void VerticalOutput::write_numbered_row(const Block& block, size_t row, size_t number)
{
    // The line is as long as the next row's title, as the peer draws it.
    write_title(fmt::format("Row {}:", number), fmt::formatted_size("Row {}:", number + 1));
    write_fields(block, row);
}

void VerticalOutput::write_row(const Block& block, size_t row)
{
    if (max_rows_ && rows_ >= max_rows_)
        return;
    if (rows_)
        out_.write('\n');
    write_numbered_row(block, row, rows_ + 1);
}

void VerticalOutput::totals(const Block& block)
{
    out_.write("\n\n");
    write_title("Totals:", 7);
    write_fields(block, 0);
}

void VerticalOutput::extremes(const Block& block)
{
    if (block.rows() < 2)
        return;
    out_.write('\n');
    write_title("Min:", 4);
    write_fields(block, 0);
    out_.write('\n');
    write_title("Max:", 4);
    write_fields(block, 1);
}

void VerticalOutput::finish(const ResultStatistics&)
{
    if (max_rows_ && rows_ > max_rows_)
        out_.write(fmt::format("\nShowed first {}.\n", max_rows_));
}

} // namespace basalt
