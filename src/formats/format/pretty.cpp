#include "formats/pretty_table.h"
#include "formats/vertical.h"

#include <deque>
#include <fmt/core.h>

namespace basalt
{

namespace
{

// The whole result as one table. Of a result with too many rows the first and the last are shown;
// those between are counted only.
class PrettyOutput final : public RowOutput
{
public:
    PrettyOutput(OutputBuffer& out, const FormatOptions& options, PrettyStyle style, bool escapes)
        : RowOutput(out, options), pretty_(options, style, escapes),
          max_rows_(options.settings.get_uint("output_format_pretty_max_rows"))
    {
        text_.named_tuples_as_json =
            options.settings.get_bool("output_format_pretty_named_tuples_as_json");
        text_.json_indent = " ";
        if (max_rows_ == 0)
            max_rows_ = SIZE_MAX;
        max_tail_rows_ = max_rows_ == SIZE_MAX ? SIZE_MAX : max_rows_ / 2;
    }

    void write(const Block& block) override
    {
        size_t begin = 0;
        const size_t max_head_rows = max_rows_ == SIZE_MAX ? SIZE_MAX : max_rows_ - max_tail_rows_;
        if (head_rows_ < max_head_rows)
        {
            begin = std::min(block.rows(), max_head_rows - head_rows_);
            head_.push_back(begin == block.rows() ? block : block.slice(0, begin));
            head_rows_ += begin;
        }
        if (begin < block.rows())
        {
            tail_.push_back(begin ? block.slice(begin, block.rows() - begin) : block);
            tail_rows_ += block.rows() - begin;
            while (tail_rows_ - tail_.front().rows() >= max_tail_rows_)
            {
                tail_rows_ -= tail_.front().rows();
                tail_.pop_front();
                if (tail_.empty())
                    break;
            }
        }
        rows_ += block.rows();
    }

    void totals(const Block& block) override { totals_ = block; }
    void extremes(const Block& block) override { extremes_ = block; }

    void finish(const ResultStatistics&) override
    {
        if (rows_ > 0)
            write_main_table();
        write_small_table("Totals", totals_);
        write_small_table("Extremes", extremes_);
    }

protected:
    void write_row(const Block&, size_t) override {}

private:
    std::vector<std::string> texts_of(const Block& block, size_t row)
    {
        std::vector<std::string> texts(header_.size());
        for (size_t i = 0; i < header_.size(); ++i)
        {
            StringOutputBuffer buffer(texts[i]);
            write_readable(*block[i].column, i, row, buffer);
            buffer.finish();
        }
        return texts;
    }

    bool is_too_wide(PrettyTable& table) const
    {
        return pretty_.may_be_vertical && header_.size() >= pretty_.vertical_min_columns &&
               table.rows() <= pretty_.vertical_max_rows &&
               (table.width() >= pretty_.vertical_min_width || table.has_multiline_values());
    }

    void write_main_table()
    {
        if (header_.empty())
            return;
        PrettyTable table(pretty_, header_);
        size_t number = 1;
        for (const Block& block : head_)
            for (size_t row = 0; row < block.rows(); ++row)
                table.add_row(texts_of(block, row), number++);
        const size_t shown_tail = std::min(tail_rows_, max_tail_rows_);
        size_t skip = tail_rows_ - shown_tail;
        number = rows_ - shown_tail + 1;
        const bool has_gap = number > head_rows_ + 1;
        if (has_gap && shown_tail > 0)
            table.set_gap();
        for (const Block& block : tail_)
        {
            const size_t begin = std::min(skip, block.rows());
            skip -= begin;
            for (size_t row = begin; row < block.rows(); ++row)
                table.add_row(texts_of(block, row), number++);
        }
        if (is_too_wide(table))
            write_vertical();
        else
            table.write(out_);
        if (has_gap)
        {
            if (pretty_.style == PrettyStyle::Space)
                out_.write('\n');
            out_.write(fmt::format("Showed {} out of {} rows.\n", head_rows_ + shown_tail, rows_));
        }
    }

    void write_vertical()
    {
        is_vertical_ = true;
        VerticalOutput vertical(out_, options_);
        vertical.begin(header_);
        for (const Block& block : head_)
            vertical.write(block);
        for (const Block& block : tail_)
            vertical.write(block);
    }

    void write_small_table(std::string_view title, const Block& block)
    {
        if (block.rows() == 0 || header_.empty())
            return;
        out_.write(fmt::format("\n{}:\n", title));
        PrettyTable table(pretty_, header_);
        for (size_t row = 0; row < block.rows(); ++row)
            table.add_row(texts_of(block, row), row + 1);
        if (!is_too_wide(table))
        {
            table.write(out_);
            return;
        }
        VerticalOutput vertical(out_, options_);
        vertical.begin(header_);
        for (size_t row = 0; row < block.rows(); ++row)
        {
            if (row)
                out_.write('\n');
            vertical.write_numbered_row(block, row, is_vertical_ ? rows_ + row + 1 : row + 1);
        }
    }

    PrettyOptions pretty_;
    size_t max_rows_;
    size_t max_tail_rows_;
    std::vector<Block> head_;
    std::deque<Block> tail_;
    size_t head_rows_ = 0;
    size_t tail_rows_ = 0;
    bool is_vertical_ = false;
    Block totals_;
    Block extremes_;
};

template <PrettyStyle kStyle> void add(FormatRegistry& registry, const std::string& name)
{
    for (const bool escapes : {true, false})
        for (const char* suffix : {"", "MonoBlock"})
        {
            FormatEntry entry;
            entry.name = name + (escapes ? "" : "NoEscapes") + suffix;
            entry.output = escapes ? make_output<PrettyOutput, kStyle, true>
                                   : make_output<PrettyOutput, kStyle, false>;
            registry.add(std::move(entry));
        }
}

} // namespace

void register_pretty(FormatRegistry& registry)
{
    add<PrettyStyle::Full>(registry, "Pretty");
    add<PrettyStyle::Compact>(registry, "PrettyCompact");
    add<PrettyStyle::Space>(registry, "PrettySpace");
}

} // namespace basalt
