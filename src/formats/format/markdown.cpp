#include "formats/row_output.h"

namespace basalt
{

namespace
{

class MarkdownOutput final : public RowOutput
{
public:
    MarkdownOutput(OutputBuffer& out, const FormatOptions& options) : RowOutput(out, options)
    {
        if (options.settings.get_bool("output_format_markdown_escape_special_characters"))
            throw Error(error_codes::NOT_IMPLEMENTED,
                        "output_format_markdown_escape_special_characters is not implemented");
    }

protected:
    void write_prefix() override
    {
        out_.write("| ");
        for (size_t i = 0; i < header_.size(); ++i)
        {
            if (i)
                out_.write(" | ");
            write_escaped(out_, header_[i].name);
        }
        out_.write(" |\n|");
        for (const NamedType& column : header_)
            out_.write(is_shown_right(column.type) ? "-:|" : ":-|");
        out_.write('\n');
    }

    void write_row(const Block& block, size_t row) override
    {
        out_.write("| ");
        for (size_t i = 0; i < header_.size(); ++i)
        {
            if (i)
                out_.write(" | ");
            write_value(block, i, row, TextPlace::Escaped);
        }
        out_.write(" |\n");
    }
};

} // namespace

void register_markdown(FormatRegistry& registry)
{
    for (const char* name : {"Markdown", "MD"})
    {
        FormatEntry entry;
        entry.name = name;
        entry.output = make_output<MarkdownOutput>;
        entry.content_type = "text/markdown; charset=UTF-8";
        registry.add(std::move(entry));
    }
}

} // namespace basalt
