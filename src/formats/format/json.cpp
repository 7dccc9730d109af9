#include "formats/json_input.h"
#include "formats/row_output.h"

#include <fmt/core.h>

namespace basalt
{

namespace
{

enum class JsonLayout : uint8_t
{
    Objects, // JSON: a row is an object over several lines
    Arrays,  // JSONCompact: a row is an array on one line
    Columns, // JSONColumnsWithMetadata: the data is one object of columns
};

// {"meta", "data", "totals", "extremes", "rows", "rows_before_limit_at_least", "statistics"}.
class JsonOutput final : public RowOutput
{
public:
    JsonOutput(OutputBuffer& out, const FormatOptions& options, JsonLayout layout, bool strings)
        : RowOutput(out, options), layout_(layout), strings_(strings),
          has_statistics_(options.settings.get_bool("output_format_write_statistics"))
    {
        // A document is valid UTF-8 whatever the values are.
        text_.json_validate_utf8 = true;
    }

    void write(const Block& block) override
    {
        if (layout_ == JsonLayout::Columns)
            blocks_.push_back(block);
        else
            RowOutput::write(block);
    }
    void totals(const Block& block) override { totals_ = block; }
    void extremes(const Block& block) override { extremes_ = block; }

    void finish(const ResultStatistics& statistics) override
    {
        if (layout_ == JsonLayout::Columns)
            write_columns();
        else
            out_.write("\n\t]");
        if (totals_.rows() > 0)
        {
            out_.write(",\n\n\t\"totals\":");
            write_single_row(totals_, 0, 1);
        }
        if (extremes_.rows() >= 2)
        {
            out_.write(",\n\n\t\"extremes\":\n\t{\n\t\t\"min\":");
            write_single_row(extremes_, 0, 2);
            out_.write(",\n\t\t\"max\":");
            write_single_row(extremes_, 1, 2);
            out_.write("\n\t}");
        }
        out_.write(fmt::format(",\n\n\t\"rows\": {}", rows_));
        if (statistics.rows_before_limit)
            out_.write(fmt::format(",\n\n\t\"rows_before_limit_at_least\": {}",
                                   *statistics.rows_before_limit));
        if (has_statistics_)
            out_.write(fmt::format(",\n\n\t\"statistics\":\n\t{{\n\t\t\"elapsed\": {:.9g},\n"
                                   "\t\t\"rows_read\": {},\n\t\t\"bytes_read\": {}\n\t}}",
                                   statistics.elapsed_s, statistics.rows_read,
                                   statistics.bytes_read));
        out_.write("\n}\n");
    }

    void fail(const std::string& message) override
    {
        if (layout_ == JsonLayout::Columns)
            write_columns();
        else
            out_.write("\n\t]");
        out_.write(fmt::format(",\n\n\t\"rows\": {},\n\n\t\"exception\": ", rows_));
        write_json_string(out_, message, text_.json_escape_forward_slashes);
        out_.write("\n}\n");
    }

protected:
    void write_prefix() override
    {
        out_.write("{\n\t\"meta\":\n\t[\n");
        for (size_t i = 0; i < header_.size(); ++i)
        {
            out_.write("\t\t{\n\t\t\t\"name\": ");
            write_name(header_[i].name);
            out_.write(",\n\t\t\t\"type\": ");
            write_name(header_[i].type->name());
            out_.write(i + 1 < header_.size() ? "\n\t\t},\n" : "\n\t\t}\n");
        }
        out_.write("\t],\n\n\t\"data\":\n");
        if (layout_ != JsonLayout::Columns)
            out_.write("\t[\n");
    }

    void write_row(const Block& block, size_t row) override
    {
        if (rows_)
            out_.write(",\n");
        if (layout_ == JsonLayout::Objects)
        {
            out_.write("\t\t");
            write_object(block, row, 2);
        }
        else
        {
            out_.write("\t\t");
            write_array(block, row);
        }
    }

private:
    void write_name(std::string_view name)
    {
        write_json_string(out_, name, text_.json_escape_forward_slashes, true);
    }

    void write_object(const Block& block, size_t row, size_t indent)
    {
        out_.write('{');
        for (size_t i = 0; i < header_.size(); ++i)
        {
            out_.write(i ? ",\n" : "\n");
            write_tabs(indent + 1);
            write_name(header_[i].name);
            out_.write(": ");
            if (strings_)
                write_json_readable(*block[i].column, i, row);
            else
                serializations_[i]->write_json_pretty(*block[i].column, row, out_, text_,
                                                      indent + 1);
        }
        out_.write('\n');
        write_tabs(indent);
        out_.write('}');
    }

    void write_array(const Block& block, size_t row)
    {
        out_.write('[');
        for (size_t i = 0; i < header_.size(); ++i)
        {
            if (i)
                out_.write(", ");
            if (strings_)
                write_json_readable(*block[i].column, i, row);
            else
                write_value(block, i, row, TextPlace::Json);
        }
        out_.write(']');
    }

    void write_single_row(const Block& block, size_t row, size_t indent)
    {
        if (layout_ == JsonLayout::Arrays)
        {
            out_.write(' ');
            write_array(block, row);
            return;
        }
        out_.write('\n');
        write_tabs(indent);
        write_object(block, row, indent);
    }

    void write_columns()
    {
        out_.write("\t{\n");
        for (size_t i = 0; i < header_.size() && !blocks_.empty(); ++i)
        {
            out_.write("\t\t");
            write_name(header_[i].name);
            out_.write(": [");
            size_t written = 0;
            for (const Block& block : blocks_)
                for (size_t row = 0; row < block.rows(); ++row)
                {
                    if (written++)
                        out_.write(", ");
                    write_value(block, i, row, TextPlace::Json);
                }
            rows_ = written;
            out_.write(i + 1 < header_.size() ? "],\n" : "]");
        }
        out_.write("\n\t}");
    }

    void write_tabs(size_t count)
    {
        for (size_t i = 0; i < count; ++i)
            out_.write('\t');
    }

    JsonLayout layout_;
    bool strings_;
    bool has_statistics_;
    std::vector<Block> blocks_; // of the column layout, which needs all rows at once
    Block totals_;
    Block extremes_;
};

template <JsonLayout kLayout, bool kStrings>
void add(FormatRegistry& registry, const char* name, InputFormatFactory input)
{
    FormatEntry entry;
    entry.name = name;
    entry.output = make_output<JsonOutput, kLayout, kStrings>;
    entry.input = input;
    entry.content_type = kJsonContentType;
    registry.add(std::move(entry));
}

} // namespace

void register_json(FormatRegistry& registry)
{
    add<JsonLayout::Objects, false>(registry, "JSON",
                                    make_json_input<JsonRows::Objects, JsonFrame::Document>);
    add<JsonLayout::Objects, true>(registry, "JSONStrings", nullptr);
    add<JsonLayout::Arrays, false>(registry, "JSONCompact",
                                   make_json_input<JsonRows::Arrays, JsonFrame::Document>);
    add<JsonLayout::Arrays, true>(registry, "JSONCompactStrings", nullptr);
    add<JsonLayout::Columns, false>(registry, "JSONColumnsWithMetadata", nullptr);
}

} // namespace basalt
