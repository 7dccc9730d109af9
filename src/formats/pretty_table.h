#pragma once

// Lays out one table for people: Pretty, PrettyCompact and PrettySpace.

#include "formats/readable.h"

namespace basalt
{

enum class PrettyStyle : uint8_t
{
    Full,
    Compact,
    Space,
};

struct PrettyOptions
{
    PrettyOptions(const FormatOptions& options, PrettyStyle table_style, bool escapes);

    PrettyStyle style;
    bool colors;
    bool ascii;
    bool row_numbers;
    bool multiline;
    bool underlines_digits;
    bool marks_spaces;
    bool cuts_single_value;
    bool footer;
    size_t footer_min_rows;
    size_t max_value_width;
    size_t max_pad_width;
    double tip_threshold;
    bool may_be_vertical;
    size_t vertical_min_columns;
    size_t vertical_min_width;
    size_t vertical_max_rows;
    NameCut names;
};

// A cell's text in lines, each with its width.
struct PrettyCell
{
    std::vector<std::string> lines;
    std::vector<size_t> widths;
    bool is_cut = false;
};

// The texts of a table: rows of cells. gap_at: rows are missing before this one; 0 when none are.
class PrettyTable
{
public:
    PrettyTable(const PrettyOptions& options, const Header& header)
        : options_(options), header_(header)
    {
    }

    // Texts of a row's cells, and its number from 1.
    void add_row(std::vector<std::string> texts, size_t number);
    void set_gap() { gap_at_ = rows_.size(); }
    // Sum of the columns' widths, and whether a value has several lines.
    size_t width();
    bool has_multiline_values();
    size_t rows() const { return rows_.size(); }
    void write(OutputBuffer& out);

private:
    struct Row
    {
        std::vector<PrettyCell> cells;
        std::string tip;
        size_t number;
    };
    struct Border // corners and lines of one horizontal rule
    {
        const char* left;
        const char* middle;
        const char* right;
        const char* line;
    };

    void lay_out();
    PrettyCell make_cell(std::string text, size_t column, size_t prefix) const;
    void write_rule(OutputBuffer& out, const Border& border);
    void write_name(OutputBuffer& out, size_t column);
    void write_name_rule(OutputBuffer& out, const Border& border);
    void write_names(OutputBuffer& out, const char* bar);
    void write_row(OutputBuffer& out, const Row& row);
    void write_gap(OutputBuffer& out);
    void write_space(OutputBuffer& out, size_t count);
    bool is_number(size_t column) const;

    const PrettyOptions& options_;
    const Header& header_;
    std::vector<Row> rows_;
    size_t gap_at_ = 0;
    std::vector<std::vector<std::string>> texts_; // of rows not laid out yet
    std::vector<size_t> numbers_;
    bool laid_out_ = false;
    std::vector<std::string> names_;
    std::vector<size_t> name_widths_;
    std::vector<size_t> widths_;
    bool has_multiline_values_ = false;
    size_t number_width_ = 0;
};

} // namespace basalt
