#include "formats/row_output.h"

#include <fmt/core.h>

namespace basalt
{

namespace
{

// A name that can stand in a tag; others become "field".
bool is_tag_name(std::string_view name)
{
    if (name.empty())
        return false;
    const auto is_letter = [](char c)
    { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; };
    if (!is_letter(name[0]))
        return false;
    for (const char c : name)
        if (!is_letter(c) && !(c >= '0' && c <= '9') && c != '-' && c != '.')
            return false;
    return true;
}

class XmlOutput final : public RowOutput
{
public:
    XmlOutput(OutputBuffer& out, const FormatOptions& options)
        : RowOutput(out, options),
          has_statistics_(options.settings.get_bool("output_format_write_statistics"))
    {
    }

    void totals(const Block& block) override { totals_ = block; }
    void extremes(const Block& block) override { extremes_ = block; }

    void finish(const ResultStatistics& statistics) override
    {
        out_.write("\t</data>\n");
        if (totals_.rows() > 0)
            write_element(totals_, 0, "totals", 1);
        if (extremes_.rows() >= 2)
        {
            out_.write("\t<extremes>\n");
            write_element(extremes_, 0, "min", 2);
            write_element(extremes_, 1, "max", 2);
            out_.write("\t</extremes>\n");
        }
        out_.write(fmt::format("\t<rows>{}</rows>\n", rows_));
        if (statistics.rows_before_limit)
            out_.write(fmt::format(
                "\t<rows_before_limit_at_least>{}</rows_before_limit_at_least>\n",
                *statistics.rows_before_limit));
        if (has_statistics_)
            out_.write(fmt::format("\t<statistics>\n\t\t<elapsed>{:.9g}</elapsed>\n"
                                   "\t\t<rows_read>{}</rows_read>\n"
                                   "\t\t<bytes_read>{}</bytes_read>\n\t</statistics>\n",
                                   statistics.elapsed_s, statistics.rows_read,
                                   statistics.bytes_read));
        out_.write("</result>\n");
    }

protected:
    void write_prefix() override
    {
        out_.write("<?xml version='1.0' encoding='UTF-8' ?>\n<result>\n\t<meta>\n\t\t<columns>\n");
        for (const NamedType& column : header_)
        {
            out_.write("\t\t\t<column>\n\t\t\t\t<name>");
            write_xml_string(out_, column.name);
            out_.write("</name>\n\t\t\t\t<type>");
            write_xml_string(out_, column.type->name());
            out_.write("</type>\n\t\t\t</column>\n");
            tags_.push_back(is_tag_name(column.name) ? column.name : "field");
        }
        out_.write("\t\t</columns>\n\t</meta>\n\t<data>\n");
    }

    void write_row(const Block& block, size_t row) override
    {
        write_element(block, row, "row", 2);
    }

private:
    void write_element(const Block& block, size_t row, std::string_view tag, size_t indent)
    {
        write_tabs(indent);
        out_.write(fmt::format("<{}>\n", tag));
        for (size_t i = 0; i < header_.size(); ++i)
        {
            write_tabs(indent + 1);
            out_.write(fmt::format("<{}>", tags_[i]));
            write_value(block, i, row, TextPlace::Xml);
            out_.write(fmt::format("</{}>\n", tags_[i]));
        }
        write_tabs(indent);
        out_.write(fmt::format("</{}>\n", tag));
    }

    void write_tabs(size_t count)
    {
        for (size_t i = 0; i < count; ++i)
            out_.write('\t');
    }

    bool has_statistics_;
    std::vector<std::string> tags_;
    Block totals_;
    Block extremes_;
};

} // namespace

void register_xml(FormatRegistry& registry)
{
    FormatEntry entry;
    entry.name = "XML";
    entry.output = make_output<XmlOutput>;
    entry.content_type = "application/xml; charset=UTF-8";
    registry.add(std::move(entry));
}

} // namespace basalt
