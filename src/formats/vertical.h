#pragma once

// A row as lines of "name: value".

#include "formats/readable.h"

namespace basalt
{

class VerticalOutput final : public RowOutput
{
public:
    VerticalOutput(OutputBuffer& out, const FormatOptions& options);

    void totals(const Block& block) override;
    void extremes(const Block& block) override;
    void finish(const ResultStatistics& statistics) override;

    // "Row N:" and its lines, for Pretty when the table is too wide.
    void write_numbered_row(const Block& block, size_t row, size_t number);

protected:
    void write_prefix() override;
    void write_row(const Block& block, size_t row) override;

private:
    void write_title(std::string_view title, size_t underline);
    void write_fields(const Block& block, size_t row);

    bool colors_;
    bool underlines_digits_;
    bool marks_spaces_;
    double tip_threshold_;
    size_t max_rows_;
    std::vector<std::string> titles_; // name, colon and padding
    std::vector<bool> is_number_;
    std::string value_;
};

} // namespace basalt
